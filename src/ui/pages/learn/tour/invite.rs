//! The card on Learn that offers the tour.

use egui::Ui;

use crate::tr;
use crate::ui::command::UiCommand;
use crate::ui::pages::Cx;
use crate::ui::widgets::{self, card, primary_button, terms};

/// Draws the card.
pub fn invite(ui: &mut Ui, cx: &mut Cx<'_>) {
    card(ui, |ui| {
        widgets::title(ui, tr!("tour-title"));
        terms::sentence(ui, tr!("tour-about"));
        if primary_button(ui, tr!("tour-start"), true).clicked() {
            cx.act(UiCommand::Tour);
        }
    });
}
