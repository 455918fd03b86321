//! The page that shows a run: headline numbers, accuracy over tasks, accuracy matrix, confusion, and an explanation in
//! words. A stored run that was opened from Compare is shown in the same way.

mod beside;
mod clusters;
mod confusion;
mod figures;
mod grid;
pub(super) mod pictures;
mod places;
mod prompts;
mod queue;
mod remedies;
mod side;
mod worst;

use egui::Ui;

use crate::metrics::Expert;
use crate::run::event::RunHeader;
use crate::tr;
use crate::ui::command::{Page, UiCommand};
use crate::ui::pages::Cx;
use crate::ui::theme::{GAP, NARROW};
use crate::ui::widgets::confusion::Cell;
use crate::ui::widgets::matrix::Picture;
use crate::ui::widgets::{self, Column, Fixed, button, primary_button, two_columns};

/// Height of the first lines of the card below the matrices.
const BELOW: f32 = 58.0;

/// The state of the page that is kept between frames.
#[derive(Default)]
pub struct State {
    /// The name of the run that the other state belongs to.
    run: String,
    /// The task after which the confusion is shown; `None` for the newest task.
    task: Option<usize>,
    expert: Expert,
    by_task: bool,
    cell: Option<Cell>,
    cache: confusion::Cache,
    accuracies: Picture,
    worst: worst::State,
    filter: String,
    filtering: bool,
    /// Whether the whole explanation and the log are shown.
    told: bool,
    log: bool,
    /// Whether the loss is drawn without smoothing.
    unsmoothed: bool,
}

/// Draws the page.
pub fn show(ui: &mut Ui, cx: &mut Cx<'_>) {
    if cx.session.train.shown().is_none() {
        queue::card(ui, cx);
        places::cards(ui, cx);
        clusters::cards(ui, cx);
        let text = tr!("train-nothing-running-about");
        let headline = match cx.session.train.is_busy_elsewhere() {
            true => tr!("train-nothing-running-here"),
            false => tr!("train-nothing-running"),
        };
        widgets::empty(ui, headline, text, |ui| {
            if primary_button(ui, tr!("train-set-up-experiment"), true).clicked() {
                cx.act(UiCommand::Show(Page::Experiment));
            }
            if button(ui, tr!("train-open-run")).clicked() {
                cx.act(UiCommand::Show(Page::Compare));
            }
        });
        return;
    }
    two_columns(ui, cx, Fixed::Right(400.0), left, side::right);
}

fn left(ui: &mut Ui, cx: &mut Cx<'_>, column: Column) {
    let Some(run) = cx.session.train.shown().cloned() else {
        return;
    };
    let known_by = run.header.as_ref().map(RunHeader::known_by);
    let known_by = known_by.unwrap_or_default();
    if cx.pages.train.run != known_by {
        // Another run has other tasks, classes and experts, so the state is reset. The expert is the one that answers.
        let state = &mut cx.pages.train;
        (state.task, state.cell, state.expert) = (None, None, Expert::default());
        (state.worst, state.cache, state.accuracies) = Default::default();
        state.run = known_by;
    }
    figures::headline(ui, &run);
    let narrow = ui.available_width() + 400.0 < NARROW;
    let space = column.rest(ui, 560.0);
    let other = cx.session.companion();
    let high = if narrow { 250.0 } else { space * 0.47 };
    figures::curves(ui, &run, other.as_ref(), high, &mut cx.pages.train);
    // The height is chosen so that the title of the card below is visible, which shows that there is more.
    let height = column.rest(ui, 320.0 + BELOW) - BELOW;
    let width = ui.available_width();
    if width < 640.0 {
        figures::matrix(ui, cx, &run, 0.0);
        confusion::card(ui, cx, &run, 0.0);
        worst::card_of_worst(ui, cx, &run);
        prompts::show(ui, &run);
        return;
    }
    let share = (width * 0.385).clamp(250.0, 460.0);
    ui.horizontal_top(|ui| {
        ui.spacing_mut().item_spacing.x = GAP;
        widgets::part(ui, share, |ui| figures::matrix(ui, cx, &run, height));
        let rest = ui.available_width();
        widgets::part(ui, rest, |ui| confusion::card(ui, cx, &run, height));
    });
    worst::card_of_worst(ui, cx, &run);
    prompts::show(ui, &run);
}
