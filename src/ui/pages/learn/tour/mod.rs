//! Draws the tour step by step. The instructions are at the top and the results below.

mod charts;
mod drawings;
mod header;
mod text;

use egui::{Align, Key, Modifiers, Response, Ui};

use crate::session::drawing::Drawing;
use crate::session::tour::{Tour, TourStep};
use crate::ui::command::UiCommand;
use crate::ui::pages::Cx;
use crate::ui::theme::GAP;
use crate::ui::widgets::{input, part, scroll};

pub use header::offer_card;

/// Below this height, the instructions scroll with the rest.
const MIN_FIXED_HEIGHT: f32 = 460.0;
/// Below this width, everything is in one column.
const TWO_COLUMN_WIDTH: f32 = 760.0;
/// Width of the column of drawings when they are not editable.
const DRAWINGS_WIDTH: f32 = 350.0;

/// The state of the tour that is kept between frames.
#[derive(Default)]
pub struct State {
    drawings: [Drawing; 2],
    /// Which drawings have changed and are not pinned yet.
    changed: [bool; 2],
    /// The step in the last frame.
    last_step: Option<TourStep>,
    /// Whether the step started in this frame.
    is_new_step: bool,
    /// Whether the user is navigating with the keyboard.
    keyboard_navigation: bool,
    /// Whether the confirmation to delete the runs is shown.
    confirm_delete: bool,
}

/// Draws the tour if it is open.
pub fn show(ui: &mut Ui, cx: &mut Cx<'_>) {
    let Some(tour) = &cx.session.learn.tour else {
        return;
    };
    handle_keys(ui, cx, tour);
    follow_step(ui, cx, tour);
    ui.spacing_mut().item_spacing.y = GAP;
    if ui.available_height() < MIN_FIXED_HEIGHT {
        scroll(ui, "tour", |ui| {
            if cx.pages.learn.tour.is_new_step {
                ui.scroll_to_cursor(Some(Align::TOP));
            }
            header::show(ui, cx, tour);
            body(ui, cx, tour);
        });
        return;
    }
    header::show(ui, cx, tour);
    scroll(ui, "tour", |ui| body(ui, cx, tour));
}

fn body(ui: &mut Ui, cx: &mut Cx<'_>, tour: &Tour) {
    if tour.can_change_drawings() {
        drawings::canvases(ui, cx, tour);
        return;
    }
    if ui.available_width() < TWO_COLUMN_WIDTH {
        charts::show(ui, cx, tour);
        drawings::show_drawings(ui, cx, tour);
        return;
    }
    ui.horizontal_top(|ui| {
        ui.spacing_mut().item_spacing.x = GAP;
        part(ui, DRAWINGS_WIDTH, |ui| {
            drawings::show_drawings(ui, cx, tour);
        });
        let remaining_width = ui.available_width();
        part(ui, remaining_width, |ui| charts::show(ui, cx, tour));
    });
}

/// Detects the start of a step and whether the user is navigating with the keyboard.
fn follow_step(ui: &Ui, cx: &mut Cx<'_>, tour: &Tour) {
    let state = &mut cx.pages.learn.tour;
    let pressed = ui.input(|i| i.pointer.any_pressed());
    let tabbed = ui.input(|i| i.key_pressed(Key::Tab));
    state.keyboard_navigation = (state.keyboard_navigation || tabbed) && !pressed;
    state.is_new_step = state.last_step != Some(tour.step);
    state.confirm_delete &= tour.step == TourStep::End;
    state.last_step = Some(tour.step);
}

/// Focuses the main button at the start of a step, for keyboard users.
fn focus_at_step_start(cx: &Cx<'_>, response: &Response) {
    let state = &cx.pages.learn.tour;
    if state.is_new_step && state.keyboard_navigation {
        response.request_focus();
    }
}

/// Handles keys: Escape leaves the tour, and the arrow keys change the displayed task, whichever widget has the focus.
fn handle_keys(ui: &Ui, cx: &mut Cx<'_>, tour: &Tour) {
    let ctx = ui.ctx();
    if input::is_covered(ctx) {
        return;
    }
    let is_used = input::is_escape_used(ctx);
    if !is_used && ui.input_mut(|i| i.consume_key(Modifiers::NONE, Key::Escape)) {
        cx.dispatch(UiCommand::LeaveTour);
        return;
    }
    if tour.step != TourStep::Compare {
        return;
    }
    let (back, forward) = input::arrow_presses(ui);
    let task = (tour.task + forward).saturating_sub(back);
    if task != tour.task {
        show_task(cx, task);
    }
}

/// Shows a task of all runs, if all have finished it.
fn show_task(cx: &mut Cx<'_>, task: usize) {
    cx.change(move |session| session.show_tour_task(task));
}
