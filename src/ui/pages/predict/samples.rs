//! A card with some of the images that the run was tested on.

use std::sync::Arc;

use egui::{Role, Ui, Vec2};

use super::{board, run_header};
use crate::run::config::RunConfig;
use crate::session::views::{DataView, Split};
use crate::tr;
use crate::ui::command::UiCommand;
use crate::ui::pages::{Cx, ask_to_open};
use crate::ui::theme::tokens;
use crate::ui::widgets::{self, Column, allocate_named, card_of, faint, paint_border};

const SAMPLES: usize = 10;

/// Returns the settings of the selected run if the user must allow opening its dataset.
fn foreign_data<'a>(cx: &Cx<'a>) -> Option<&'a RunConfig> {
    let config = &run_header(cx)?.config;
    let asks = cx.session.asks_before_opening(config);
    asks.then_some(config)
}

pub(super) fn card(ui: &mut Ui, cx: &mut Cx<'_>, data: Option<Arc<DataView>>, column: Column) {
    let height = column.rest(ui, 0.0);
    card_of(ui, height, |ui| {
        widgets::title_row(ui, tr!("predict-samples"), |ui| {
            if ui.link(tr!("predict-samples-next")).clicked() {
                cx.pages.predict.samples_from += 1;
            }
        });
        faint(ui, tr!("predict-samples-about"));
        let Some(data) = data else {
            match foreign_data(cx) {
                Some(config) => ask_to_open(ui, cx, config),
                None => drop(faint(ui, tr!("predict-samples-dataset-missing"))),
            }
            return;
        };
        ui.horizontal_wrapped(|ui| {
            ui.spacing_mut().item_spacing = Vec2::splat(8.0);
            for index in chosen_samples(&data, cx.pages.predict.samples_from) {
                sample(ui, cx, &data, index);
            }
        });
    });
}

/// Returns the indices of some test images. Each `round` gives other ones.
fn chosen_samples(data: &DataView, round: usize) -> Vec<usize> {
    let total = data.dataset.test.len();
    if total == 0 {
        return Vec::new();
    }
    // The indices are evenly spaced, so that most classes are included and no image occurs twice.
    let count = SAMPLES.min(total);
    (0..count)
        .map(|i| (i * total / count + round * 7) % total)
        .collect()
}

fn sample(ui: &mut Ui, cx: &mut Cx<'_>, data: &Arc<DataView>, index: usize) {
    let t = tokens(ui);
    let sample = data.dataset.test.get(index);
    let class = sample.and_then(|sample| data.classes.get(sample.class as usize));
    let class = class.cloned().unwrap_or_default();
    let name = tr!("predict-sample-of-class", class = &class);
    let (rect, response) = allocate_named(ui, Vec2::splat(50.0), Role::Button, &name);
    let picture = cx.session.picture_of(data, Split::Test, index);
    let Some(Ok(picture)) = cx.look_up(picture) else {
        ui.painter().rect_filled(rect, 6, t.background);
        return;
    };
    cx.textures.paint_square(ui, &picture, rect, 6);
    let lit = response.hovered() || response.has_focus();
    paint_border(ui, rect, 6, if lit { t.accent } else { t.line });
    board::pin_corner(ui, cx, rect, &picture, &class);
    if response.on_hover_text(class.clone()).clicked() {
        cx.act(UiCommand::PredictPicture(picture, Some(class)));
    }
}
