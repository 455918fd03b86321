//! The title and the instructions of a step of the tour.

use egui::{RichText, Ui};

use super::{LOW, actions, text};
use crate::session::tour::{Tour, TourRunState, TourStep};
use crate::tr;
use crate::ui::command::UiCommand;
use crate::ui::pages::Cx;
use crate::ui::theme::{semibold, tokens};
use crate::ui::widgets::{self, button, card_of, ends, faint, terms};

/// Width reserved for the number of the step next to the exit button.
const STEP: f32 = 240.0;
/// Height of the card in a window that is high enough.
const HEIGHT: f32 = 120.0;

/// Draws the card.
pub fn show(ui: &mut Ui, cx: &mut Cx<'_>, tour: &Tour) {
    // A constant height keeps the part below in place when a step has no button.
    let height = if ui.available_height() < LOW {
        0.0
    } else {
        HEIGHT
    };
    card_of(ui, height, |ui| {
        let strong = tokens(ui).strong;
        ends(
            ui,
            |ui| {
                let title = RichText::new(tr!(title(tour.step)));
                ui.label(title.font(semibold(16.0)).color(strong));
                let (step, steps) = (tour.step.number(), TourStep::COUNT);
                if ui.available_width() > STEP {
                    faint(ui, tr!("tour-step", step = step, steps = steps));
                }
            },
            |ui| {
                let leave = button(ui, tr!("tour-leave"));
                if leave.on_hover_text("Esc").clicked() {
                    cx.act(UiCommand::LeaveTour);
                }
            },
        );
        for words in text::sentences(cx.session, tour) {
            terms::sentence(ui, &words);
        }
        if let TourRunState::Ended(Some(problem)) = &tour.run().state {
            widgets::problem(ui, problem);
        }
        if tour.run().state == TourRunState::AtWork && tour.step != TourStep::Guess {
            widgets::progress(ui, tour.run().done, tr!("tour-progress"));
        }
        actions::show(ui, cx, tour);
    });
}

fn title(step: TourStep) -> &'static str {
    match step {
        TourStep::Draw => "tour-draw-title",
        TourStep::First => "tour-first-title",
        TourStep::Guess => "tour-guess-title",
        TourStep::FineTuning => "tour-fine-tuning-title",
        TourStep::Pet => "tour-pet-title",
        TourStep::Lae => "tour-lae-title",
        TourStep::Compare => "tour-compare-title",
        TourStep::End => "tour-end-title",
    }
}
