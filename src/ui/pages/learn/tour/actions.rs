//! The buttons of a step of the tour.

use egui::Ui;

use super::drawings::sample;
use super::{leads, text};
use crate::session::Session;
use crate::session::tour::{DrawingOutcome, Tour, TourRunState, TourStep};
use crate::tr;
use crate::ui::pages::Cx;
use crate::ui::widgets::{button, button_if, primary_button, sentence};

/// Draws the buttons of the current step.
pub fn show(ui: &mut Ui, cx: &mut Cx<'_>, tour: &Tour) {
    ui.horizontal_wrapped(|ui| {
        if of_run(ui, cx, tour) {
            return;
        }
        match tour.step {
            TourStep::Draw => samples(ui, cx),
            TourStep::First if tour.run().is_unasked() => train(ui, cx, "tour-first-train"),
            TourStep::Guess => guesses(ui, cx, tour),
            TourStep::Pet if tour.run().is_unasked() => train(ui, cx, "tour-pet-train"),
            TourStep::Lae if tour.run().is_unasked() => train(ui, cx, "tour-lae-train"),
            TourStep::Compare => {
                let done = primary(ui, cx, "tour-show-summary", true);
                if done {
                    cx.change(Session::conclude_tour);
                }
            }
            TourStep::End => ending(ui, cx),
            TourStep::First | TourStep::FineTuning | TourStep::Pet | TourStep::Lae => {}
        }
    });
}

fn primary(ui: &mut Ui, cx: &Cx<'_>, key: &'static str, enabled: bool) -> bool {
    let response = primary_button(ui, tr!(key), enabled);
    leads(cx, &response);
    response.clicked()
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
            if primary(ui, cx, "tour-paused-resume", true) {
                cx.change(Session::resume_tour_run);
            }
        }
        TourRunState::Ended(_) => {
            if primary(ui, cx, "tour-ended-train-again", true) {
                cx.change(Session::retrain_tour_run);
            }
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

fn train(ui: &mut Ui, cx: &mut Cx<'_>, key: &'static str) {
    if primary(ui, cx, key, true) {
        cx.change(Session::train_tour_run);
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
        if primary(ui, cx, "tour-end-trash-yes", true) {
            cx.change(Session::delete_tour_runs);
        }
        if plain(ui, "tour-end-trash-no") {
            cx.pages.learn.tour.asking = false;
        }
        return;
    }
    if primary(ui, cx, "tour-end-keep-runs", true) {
        cx.change(Session::remember_tour_runs);
    }
    if plain(ui, "tour-end-train-again") {
        cx.change(Session::redraw_tour);
    }
    if plain(ui, "tour-end-delete-runs") {
        cx.pages.learn.tour.asking = true;
        // For keyboard users, the focus moves to the buttons of the confirmation.
        cx.pages.learn.tour.shown = None;
    }
}
