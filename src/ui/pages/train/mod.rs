//! The page that shows a run: headline numbers, accuracy over tasks, accuracy matrix, confusion, and an explanation in
//! words. A stored run that was opened from Compare is shown in the same way.

mod clusters;
mod comparison;
mod confusion;
mod figures;
mod grid;
pub(super) mod image_tile;
mod mistakes;
mod prompts;
mod queue;
mod remedies;
mod remote_runs;
mod side_panel;

use egui::Ui;

pub use side_panel::control_commands;

use crate::metrics::Expert;
use crate::run::event::RunHeader;
use crate::tr;
use crate::ui::command::{Page, UiCommand};
use crate::ui::pages::Cx;
use crate::ui::theme::{GAP, NARROW_WIDTH};
use crate::ui::widgets::confusion::Cell;
use crate::ui::widgets::matrix::MatrixTexture;
use crate::ui::widgets::{self, Column, Fixed, button, primary_button, two_columns};

/// Height of the first lines of the card below the matrices.
const NEXT_CARD_HEIGHT: f32 = 58.0;

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
    accuracies: MatrixTexture,
    mistakes: mistakes::State,
    filter: String,
    filtering: bool,
    /// Whether the whole explanation and the log are shown.
    show_explanation: bool,
    show_log: bool,
    /// Whether the loss is drawn without smoothing.
    unsmoothed: bool,
}

/// Draws the page.
pub fn show(ui: &mut Ui, cx: &mut Cx<'_>) {
    if cx.session.train.displayed_run().is_none() {
        queue::card(ui, cx);
        remote_runs::cards(ui, cx);
        clusters::cards(ui, cx);
        let text = tr!("train-nothing-running-about");
        let headline = match cx.session.train.is_busy_elsewhere() {
            true => tr!("train-nothing-running-here"),
            false => tr!("train-nothing-running"),
        };
        widgets::empty_page(ui, headline, text, |ui| {
            if primary_button(ui, tr!("train-set-up-experiment"), true).clicked() {
                cx.dispatch(UiCommand::Show(Page::Experiment));
            }
            if button(ui, tr!("train-open-run")).clicked() {
                cx.dispatch(UiCommand::Show(Page::Compare));
            }
        });
        return;
    }
    two_columns(ui, cx, Fixed::Right(400.0), left_column, side_panel::right_column);
}

fn left_column(ui: &mut Ui, cx: &mut Cx<'_>, column: Column) {
    let Some(run) = cx.session.train.displayed_run().cloned() else {
        return;
    };
    let run_name = run.header.as_ref().map(RunHeader::cache_key);
    let run_name = run_name.unwrap_or_default();
    if cx.pages.train.run != run_name {
        // Another run has other tasks, classes and experts, so the state is reset. The expert is the one that answers.
        let state = &mut cx.pages.train;
        (state.task, state.cell, state.expert) = (None, None, Expert::default());
        (state.mistakes, state.cache, state.accuracies) = Default::default();
        state.run = run_name;
    }
    figures::headline(ui, &run);
    let narrow = ui.available_width() + 400.0 < NARROW_WIDTH;
    let remaining_height = column.remaining_height(ui, 560.0);
    let other = cx.session.companion();
    let curves_height = if narrow { 250.0 } else { remaining_height * 0.47 };
    figures::curves(ui, &run, other.as_ref(), curves_height, &mut cx.pages.train);
    // The height is chosen so that the title of the card below is visible, which shows that there is more.
    let height = column.remaining_height(ui, 320.0 + NEXT_CARD_HEIGHT) - NEXT_CARD_HEIGHT;
    let width = ui.available_width();
    if width < 640.0 {
        figures::matrix(ui, cx, &run, 0.0);
        confusion::card(ui, cx, &run, 0.0);
        mistakes::mistakes_card(ui, cx, &run);
        prompts::show(ui, &run);
        return;
    }
    let matrix_width = (width * 0.385).clamp(250.0, 460.0);
    ui.horizontal_top(|ui| {
        ui.spacing_mut().item_spacing.x = GAP;
        widgets::part(ui, matrix_width, |ui| figures::matrix(ui, cx, &run, height));
        let remaining_width = ui.available_width();
        widgets::part(ui, remaining_width, |ui| {
            confusion::card(ui, cx, &run, height);
        });
    });
    mistakes::mistakes_card(ui, cx, &run);
    prompts::show(ui, &run);
}
