//! The card on Learn that offers the tour.

use egui::Ui;

use crate::tr;
use crate::ui::command::{Page, UiCommand};
use crate::ui::pages::Cx;
use crate::ui::widgets::{self, button, card, primary_button, terms};

/// Draws the card. New users can also dismiss it.
pub fn invite(ui: &mut Ui, cx: &mut Cx<'_>) {
    card(ui, |ui| {
        widgets::title(ui, tr!("tour-title"));
        terms::sentence(ui, tr!("tour-about"));
        ui.horizontal_wrapped(|ui| {
            if primary_button(ui, tr!("tour-start"), true).clicked() {
                cx.act(UiCommand::Tour);
            }
            if cx.pages.learn.tour.offered && button(ui, tr!("tour-not-now")).clicked() {
                cx.pages.learn.tour.offered = false;
                cx.act(UiCommand::Show(Page::Experiment));
            }
        });
    });
}
