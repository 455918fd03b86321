//! A card with some of the images that the run was tested on.

use std::sync::Arc;

use egui::{Role, Ui, Vec2};

use super::{board, is_data_loading, run_header};
use crate::run::config::RunConfig;
use crate::session::views::{DataView, Split};
use crate::tr;
use crate::ui::command::UiCommand;
use crate::ui::pages::{Cx, open_dataset_button};
use crate::ui::theme::tokens;
use crate::ui::widgets::{self, Column, allocate_named, card_with_height, faint, paint_border};

const SAMPLE_COUNT: usize = 10;

/// Returns the settings of the selected run if the user must allow opening its dataset.
fn foreign_data<'a>(cx: &Cx<'a>) -> Option<&'a RunConfig> {
    let config = &run_header(cx)?.config;
    let asks = cx.session.needs_permission(config);
    asks.then_some(config)
}

pub(super) fn card(ui: &mut Ui, cx: &mut Cx<'_>, data: Option<Arc<DataView>>, column: Column) {
    let height = column.remaining_height(ui, 0.0);
    card_with_height(ui, height, |ui| {
        widgets::title_row(ui, tr!("predict-samples"), |ui| {
            if ui.link(tr!("predict-samples-next")).clicked() {
                cx.pages.predict.samples_from += 1;
            }
        });
        faint(ui, tr!("predict-samples-about"));
        let Some(data) = data else {
            match foreign_data(cx) {
                Some(config) => open_dataset_button(ui, cx, config),
                None if is_data_loading(cx) => drop(faint(ui, tr!("train-opening-dataset"))),
                None => drop(faint(ui, tr!("predict-samples-dataset-missing"))),
            }
            return;
        };
        ui.horizontal_wrapped(|ui| {
            ui.spacing_mut().item_spacing = Vec2::splat(8.0);
            let total = data.dataset.test.len();
            for index in sample_indices(total, cx.pages.predict.samples_from) {
                sample(ui, cx, &data, index);
            }
        });
    });
}

/// Returns the indices of some of `total` test images. Each `round` gives other ones.
fn sample_indices(total: usize, round: usize) -> Vec<usize> {
    if total == 0 {
        return Vec::new();
    }
    // The indices are evenly spaced, so that most classes are included and no image occurs twice.
    let count = SAMPLE_COUNT.min(total);
    // If the number of images were a multiple of the shift, some images would never be included.
    let shift = [7, 11, 13].into_iter().find(|shift| !total.is_multiple_of(*shift)).unwrap_or(1);
    (0..count).map(|i| (i * total / count + round * shift) % total).collect()
}

fn sample(ui: &mut Ui, cx: &mut Cx<'_>, data: &Arc<DataView>, index: usize) {
    let t = tokens(ui);
    let sample = data.dataset.test.get(index);
    let class = sample.and_then(|sample| data.classes.get(sample.class as usize));
    let class = class.cloned().unwrap_or_default();
    let name = tr!("predict-sample-of-class", class = &class);
    let (rect, response) = allocate_named(ui, Vec2::splat(50.0), Role::Button, &name);
    let lookup = cx.session.sample_image(data, Split::Test, index);
    let Some(Ok(image)) = cx.look_up(lookup) else {
        ui.painter().rect_filled(rect, 6, t.background);
        return;
    };
    cx.textures.paint_square(ui, &image, rect, 6);
    let is_highlighted = response.hovered() || response.has_focus();
    paint_border(ui, rect, 6, if is_highlighted { t.accent } else { t.line });
    board::pin_corner(ui, cx, rect, &image, &class);
    if response.on_hover_text(class.clone()).clicked() {
        cx.dispatch(UiCommand::PredictImage(image, Some(class)));
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn rounds_include_all_images() {
        for total in [0, 1, 10, 14, 35, 70, 77, 100, 1001] {
            let all: HashSet<usize> =
                (0..total).flat_map(|round| sample_indices(total, round)).collect();
            assert_eq!(all.len(), total);
            let first: HashSet<usize> = sample_indices(total, 0).into_iter().collect();
            let second: HashSet<usize> = sample_indices(total, 1).into_iter().collect();
            assert!(total <= SAMPLE_COUNT || first != second, "{total}");
        }
    }
}
