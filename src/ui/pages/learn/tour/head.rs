//! The card on Learn that offers the tour, and the title, instructions and buttons of its steps.

use egui::Ui;

use super::drawings::sample;
use super::{LOW, leads, text};
use crate::session::Session;
use crate::session::tour::{DrawingOutcome, Tour, TourRunState, TourStep};
use crate::tr;
use crate::ui::command::UiCommand;
use crate::ui::pages::Cx;
use crate::ui::widgets::{
    self, button, button_if, card, card_of, ends, faint, primary_button, sentence, terms,
};

/// Width reserved for the number of the step next to the exit button.
const STEP: f32 = 240.0;
/// Height of the card in a window that is high enough.
const HEIGHT: f32 = 120.0;

/// Draws the card that offers the tour.
pub fn invite(ui: &mut Ui, cx: &mut Cx<'_>) {
    card(ui, |ui| {
        widgets::title(ui, tr!("tour-title"));
        terms::sentence(ui, tr!("tour-about"));
        if primary_button(ui, tr!("tour-start"), true).clicked() {
            cx.act(UiCommand::Tour);
        }
    });
}

/// Draws the card of the current step.
pub fn show(ui: &mut Ui, cx: &mut Cx<'_>, tour: &Tour) {
    // A constant height keeps the part below in place when a step has no button.
    let height = if ui.available_height() < LOW {
        0.0
    } else {
        HEIGHT
    };
    card_of(ui, height, |ui| {
        ends(
            ui,
            |ui| {
                widgets::headline(ui, tr!(title(tour.step)));
                let (step, steps) = (tour.step.number(), TourStep::COUNT);
                if ui.available_width() > STEP {
                    faint(ui, tr!("tour-step", step, steps));
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
            widgets::progress(ui, tour.run().view.done(), tr!("tour-progress"));
        }
        actions(ui, cx, tour);
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

/// Draws the buttons of the current step.
fn actions(ui: &mut Ui, cx: &mut Cx<'_>, tour: &Tour) {
    ui.horizontal_wrapped(|ui| {
        if of_run(ui, cx, tour) {
            return;
        }
        let (waits, train) = (tour.run().is_unasked(), Session::train_tour_run);
        match tour.step {
            TourStep::Draw => samples(ui, cx),
            TourStep::First if waits => primary(ui, cx, "tour-first-train", train),
            TourStep::Guess => guesses(ui, cx, tour),
            TourStep::Pet if waits => primary(ui, cx, "tour-pet-train", train),
            TourStep::Lae if waits => primary(ui, cx, "tour-lae-train", train),
            TourStep::Compare => primary(ui, cx, "tour-show-summary", Session::conclude_tour),
            TourStep::End => ending(ui, cx),
            TourStep::First | TourStep::FineTuning | TourStep::Pet | TourStep::Lae => {}
        }
    });
}

/// Draws the main button of a step, which does this.
fn primary(ui: &mut Ui, cx: &mut Cx<'_>, key: &'static str, action: fn(&mut Session)) {
    let response = primary_button(ui, tr!(key), true);
    leads(cx, &response);
    if response.clicked() {
        cx.change(action);
    }
}

fn plain(ui: &mut Ui, key: &'static str) -> bool {
    button(ui, tr!(key)).clicked()
}

/// Draws the actions on a run that is waiting, paused or ended early. Returns whether there are any.
fn of_run(ui: &mut Ui, cx: &mut Cx<'_>, tour: &Tour) -> bool {
    match tour.run().state {
        TourRunState::Wanted => {
            if plain(ui, "tour-busy-queue") {
                cx.change(Session::queue_tour_run);
            }
        }
        TourRunState::Paused if text::is_paused_by_user(tour) => {
            primary(ui, cx, "tour-paused-resume", Session::resume_tour_run);
        }
        TourRunState::Ended(_) => {
            primary(ui, cx, "tour-ended-train-again", Session::retrain_tour_run);
        }
        _ => return false,
    }
    true
}

/// Draws the button that inserts sample strokes.
fn samples(ui: &mut Ui, cx: &mut Cx<'_>) {
    let response = button(ui, tr!("tour-draw-use-samples"));
    leads(cx, &response);
    if response.clicked() {
        let state = &mut cx.pages.learn.tour;
        for (which, drawing) in state.drawings.iter_mut().enumerate() {
            if drawing.is_empty() {
                drawing.strokes = sample(which);
                state.changed[which] = true;
            }
        }
    }
}

fn guesses(ui: &mut Ui, cx: &mut Cx<'_>, tour: &Tour) {
    for (i, fate) in DrawingOutcome::ALL.into_iter().enumerate() {
        let words = tr!(text::drawing_outcome_key(fate));
        let response = button_if(ui, tour.is_drawn(), words);
        if i == 0 {
            leads(cx, &response);
        }
        if response.clicked() {
            cx.change(move |session| session.guess_drawing_outcome(fate));
        }
    }
}

/// Draws the choice to keep the runs, to train them again, or to move them to the trash after a confirmation.
fn ending(ui: &mut Ui, cx: &mut Cx<'_>) {
    if cx.pages.learn.tour.asking {
        sentence(ui, tr!("tour-end-trash-question"));
        primary(ui, cx, "tour-end-trash-yes", Session::delete_tour_runs);
        if plain(ui, "tour-end-trash-no") {
            cx.pages.learn.tour.asking = false;
        }
        return;
    }
    primary(ui, cx, "tour-end-keep-runs", Session::remember_tour_runs);
    if plain(ui, "tour-end-train-again") {
        cx.change(Session::redraw_tour);
    }
    if plain(ui, "tour-end-delete-runs") {
        cx.pages.learn.tour.asking = true;
        // For keyboard users, the focus moves to the buttons of the confirmation.
        cx.pages.learn.tour.shown = None;
    }
}
