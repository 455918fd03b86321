//! The first page that a new user sees: classify images, take the tour, or set up an experiment.

mod classify;

use egui::Ui;

use crate::tr;
use crate::ui::command::{Page, UiCommand};
use crate::ui::pages::Cx;
use crate::ui::theme::GAP;
use crate::ui::widgets::{self, card_with_height, primary_button, scroll, terms};

/// Maximum width of the three cards together, in points.
const MAX_WIDTH: f32 = 1000.0;
/// Minimum page width at which the three cards are side by side.
const SIDE_BY_SIDE_WIDTH: f32 = 760.0;
/// Height of a card if the cards are side by side.
const CARD_HEIGHT: f32 = 160.0;

/// The state of the page that is kept between frames.
#[derive(Default)]
pub struct State {
    /// Whether the steps for classifying images are shown.
    pub classify: bool,
}

/// Draws the page.
pub fn show(ui: &mut Ui, cx: &mut Cx<'_>) {
    match cx.pages.start.classify {
        true => classify::show(ui, cx),
        false => scroll(ui, "start", |ui| choices(ui, cx)),
    }
}

/// Draws a card for each choice of how to start.
fn choices(ui: &mut Ui, cx: &mut Cx<'_>) {
    let available_width = ui.available_width();
    let width = available_width.min(MAX_WIDTH);
    let (column_count, height, top_space) = match width >= SIDE_BY_SIDE_WIDTH {
        true => (3, CARD_HEIGHT, 60.0),
        false => (1, 0.0, 0.0),
    };
    let texts = [
        ["start-classify", "start-classify-about", "start-classify-open"],
        ["start-tour", "tour-about", "tour-start"],
        ["start-experiment", "start-experiment-about", "start-experiment-open"],
    ];
    ui.horizontal_top(|ui| {
        ui.add_space((available_width - width) / 2.0);
        ui.vertical(|ui| {
            ui.set_width(width);
            ui.spacing_mut().item_spacing = egui::vec2(GAP, GAP);
            ui.add_space(top_space);
            widgets::title(ui, tr!("start-question"));
            ui.columns(column_count, |columns| {
                for (index, [title, about, open]) in texts.into_iter().enumerate() {
                    let ui = &mut columns[index % column_count];
                    card_with_height(ui, height, |ui| {
                        widgets::headline(ui, tr!(title));
                        terms::sentence(ui, tr!(about));
                        ui.horizontal(|ui| {
                            if primary_button(ui, tr!(open), true).clicked() {
                                start_choice(cx, index);
                            }
                        });
                    });
                }
            });
        });
    });
}

/// Executes the choice with this index.
fn start_choice(cx: &mut Cx<'_>, choice: usize) {
    match choice {
        0 => cx.pages.start.classify = true,
        1 => cx.dispatch(UiCommand::Tour),
        _ => cx.dispatch(UiCommand::Show(Page::Experiment)),
    }
}
