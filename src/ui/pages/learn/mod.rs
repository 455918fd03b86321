//! The tour and the lessons.

pub mod tour;

use egui::Ui;

use crate::texts::Language;
use crate::ui::app::Cx;
use crate::ui::command::UiCommand;
use crate::ui::widgets::{self, ends, segmented};

/// What the page remembers between frames.
#[derive(Default)]
pub struct State {
    /// The tour.
    pub tour: tour::State,
}

/// Draws the page.
pub fn show(ui: &mut Ui, cx: &mut Cx<'_>) {
    if cx.session.tour.is_some() {
        tour::show(ui, cx);
        return;
    }
    let language = cx.session.language;
    let mut wanted = language;
    ends(
        ui,
        |ui| {
            widgets::title(ui, language.say("learn.title"));
        },
        |ui| {
            segmented(ui, "Language", &Language::ALL, &mut wanted);
        },
    );
    if wanted != language {
        cx.act(UiCommand::Speak(wanted));
    }
    tour::invite(ui, cx);
}
