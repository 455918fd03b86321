//! The card on Learn that offers the tour, and the title, instructions and buttons of its steps.

use egui::Ui;

use super::drawings::sample_strokes;
use super::{MIN_FIXED_HEIGHT, focus_at_step_start, text};
use crate::session::Session;
use crate::session::tour::{DrawingOutcome, Tour, TourRunState, TourStep};
use crate::tr;
use crate::ui::command::UiCommand;
use crate::ui::pages::Cx;
use crate::ui::widgets::{
    self, button, button_if, card, card_with_height, ends, faint, primary_button, sentence, terms,
};

/// Width reserved for the number of the step next to the exit button.
const STEP_WIDTH: f32 = 240.0;
/// Height of the card in a window that is high enough.
const CARD_HEIGHT: f32 = 120.0;

/// Draws the card that offers the tour.
pub fn offer_card(ui: &mut Ui, cx: &mut Cx<'_>) {
    card(ui, |ui| {
        widgets::title(ui, tr!("tour-title"));
        terms::sentence(ui, tr!("tour-about"));
        if primary_button(ui, tr!("tour-start"), true).clicked() {
            cx.dispatch(UiCommand::Tour);
        }
    });
}

/// Draws the card of the current step.
pub fn show(ui: &mut Ui, cx: &mut Cx<'_>, tour: &Tour) {
    // A constant height keeps the part below in place when a step has no button.
    let height = if ui.available_height() < MIN_FIXED_HEIGHT { 0.0 } else { CARD_HEIGHT };
    card_with_height(ui, height, |ui| {
        ends(
            ui,
            |ui| {
                widgets::headline(ui, tr!(title_key(tour.step)));
                let (step, steps) = (tour.step.number(), TourStep::COUNT);
                if ui.available_width() > STEP_WIDTH {
                    faint(ui, tr!("tour-step", step, steps));
                }
            },
            |ui| {
                let response = button(ui, tr!("tour-leave"));
                if response.on_hover_text("Esc").clicked() {
                    cx.dispatch(UiCommand::LeaveTour);
                }
            },
        );
        for paragraph in text::sentences(cx.session, tour) {
            terms::sentence(ui, &paragraph);
        }
        if let TourRunState::Ended(Some(problem)) = &tour.run().state {
            widgets::problem(ui, problem);
        }
        if tour.run().state == TourRunState::Running && tour.step != TourStep::Guess {
            widgets::progress(ui, tour.run().view.finished_share(), tr!("tour-progress"));
        }
        actions(ui, cx, tour);
    });
}

fn title_key(step: TourStep) -> &'static str {
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
        if run_actions(ui, cx, tour) {
            return;
        }
        let (is_pending, train) = (tour.run().is_not_requested(), Session::train_tour_run);
        match tour.step {
            TourStep::Draw => samples_button(ui, cx),
            TourStep::First if is_pending => main_button(ui, cx, "tour-first-train", train),
            TourStep::Guess => guess_buttons(ui, cx, tour),
            TourStep::Pet if is_pending => main_button(ui, cx, "tour-pet-train", train),
            TourStep::Lae if is_pending => main_button(ui, cx, "tour-lae-train", train),
            TourStep::Compare => main_button(ui, cx, "tour-show-summary", Session::conclude_tour),
            TourStep::End => ending_buttons(ui, cx),
            TourStep::First | TourStep::FineTuning | TourStep::Pet | TourStep::Lae => {}
        }
    });
}

/// Draws the main button of a step, which does this.
fn main_button(ui: &mut Ui, cx: &mut Cx<'_>, key: &'static str, action: fn(&mut Session)) {
    let response = primary_button(ui, tr!(key), true);
    focus_at_step_start(cx, &response);
    if response.clicked() {
        cx.change(action);
    }
}

fn plain_button(ui: &mut Ui, key: &'static str) -> bool {
    button(ui, tr!(key)).clicked()
}

/// Draws the actions on a run that is waiting, paused or ended early. Returns whether there are any.
fn run_actions(ui: &mut Ui, cx: &mut Cx<'_>, tour: &Tour) -> bool {
    match tour.run().state {
        TourRunState::Requested => {
            if plain_button(ui, "tour-busy-queue") {
                cx.change(Session::queue_tour_run);
            }
        }
        TourRunState::Paused if text::is_paused_by_user(tour) => {
            main_button(ui, cx, "tour-paused-resume", Session::resume_tour_run);
        }
        TourRunState::Ended(_) => {
            main_button(ui, cx, "tour-ended-train-again", Session::retrain_tour_run);
        }
        _ => return false,
    }
    true
}

/// Draws the button that inserts sample strokes.
fn samples_button(ui: &mut Ui, cx: &mut Cx<'_>) {
    let response = button(ui, tr!("tour-draw-use-samples"));
    focus_at_step_start(cx, &response);
    if response.clicked() {
        let state = &mut cx.pages.learn.tour;
        for (index, drawing) in state.drawings.iter_mut().enumerate() {
            if drawing.is_empty() {
                drawing.strokes = sample_strokes(index);
                state.changed[index] = true;
            }
        }
    }
}

fn guess_buttons(ui: &mut Ui, cx: &mut Cx<'_>, tour: &Tour) {
    for (i, outcome) in DrawingOutcome::ALL.into_iter().enumerate() {
        let label = tr!(text::drawing_outcome_key(outcome));
        let response = button_if(ui, tour.is_drawn(), label);
        if i == 0 {
            focus_at_step_start(cx, &response);
        }
        if response.clicked() {
            cx.change(move |session| session.guess_drawing_outcome(outcome));
        }
    }
}

/// Draws the choice to keep the runs, to train them again, or to move them to the trash after a confirmation.
fn ending_buttons(ui: &mut Ui, cx: &mut Cx<'_>) {
    if cx.pages.learn.tour.confirm_delete {
        sentence(ui, tr!("tour-end-trash-question"));
        main_button(ui, cx, "tour-end-trash-yes", Session::delete_tour_runs);
        if plain_button(ui, "tour-end-trash-no") {
            cx.pages.learn.tour.confirm_delete = false;
        }
        return;
    }
    main_button(ui, cx, "tour-end-keep-runs", Session::keep_tour_runs);
    if plain_button(ui, "tour-end-train-again") {
        cx.change(Session::redraw_tour);
    }
    if plain_button(ui, "tour-end-delete-runs") {
        cx.pages.learn.tour.confirm_delete = true;
        // For keyboard users, the focus moves to the buttons of the confirmation.
        cx.pages.learn.tour.last_step = None;
    }
}
