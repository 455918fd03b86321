//! Draws the tour step by step. The instructions are at the top and the results below.

mod charts;
mod drawings;
mod head;
mod text;

use egui::{Align, Key, Modifiers, Response, Ui};

use crate::session::drawing::Drawing;
use crate::session::tour::{Tour, TourStep};
use crate::ui::command::UiCommand;
use crate::ui::pages::Cx;
use crate::ui::theme::GAP;
use crate::ui::widgets::{input, part, scroll};

pub use head::invite;

/// Below this height, the instructions scroll with the rest.
const LOW: f32 = 460.0;
/// Below this width, everything is in one column.
const NARROW: f32 = 760.0;
/// Width of the column of drawings when they are not editable.
const DRAWINGS: f32 = 350.0;

/// The state of the tour that is kept between frames.
#[derive(Default)]
pub struct State {
    drawings: [Drawing; 2],
    /// Which drawings have changed and are not pinned yet.
    changed: [bool; 2],
    /// The step in the last frame.
    shown: Option<TourStep>,
    /// Whether the step started in this frame.
    fresh: bool,
    /// Whether the user is navigating with the keyboard.
    by_keys: bool,
    /// Whether the confirmation to delete the runs is shown.
    asking: bool,
}

/// Draws the tour if it is open.
pub fn show(ui: &mut Ui, cx: &mut Cx<'_>) {
    let Some(tour) = &cx.session.learn.tour else {
        return;
    };
    keys(ui, cx, tour);
    follow_step(ui, cx, tour);
    ui.spacing_mut().item_spacing.y = GAP;
    if ui.available_height() < LOW {
        scroll(ui, "tour", |ui| {
            if cx.pages.learn.tour.fresh {
                ui.scroll_to_cursor(Some(Align::TOP));
            }
            head::show(ui, cx, tour);
            body(ui, cx, tour);
        });
        return;
    }
    head::show(ui, cx, tour);
    scroll(ui, "tour", |ui| body(ui, cx, tour));
}

fn body(ui: &mut Ui, cx: &mut Cx<'_>, tour: &Tour) {
    if tour.takes_drawings() {
        drawings::canvases(ui, cx, tour);
        return;
    }
    if ui.available_width() < NARROW {
        charts::show(ui, cx, tour);
        drawings::pictures(ui, cx, tour);
        return;
    }
    ui.horizontal_top(|ui| {
        ui.spacing_mut().item_spacing.x = GAP;
        part(ui, DRAWINGS, |ui| drawings::pictures(ui, cx, tour));
        let rest = ui.available_width();
        part(ui, rest, |ui| charts::show(ui, cx, tour));
    });
}

/// Detects the start of a step and whether the user is navigating with the keyboard.
fn follow_step(ui: &Ui, cx: &mut Cx<'_>, tour: &Tour) {
    let state = &mut cx.pages.learn.tour;
    let touched = ui.input(|i| i.pointer.any_pressed());
    let tabbed = ui.input(|i| i.key_pressed(Key::Tab));
    state.by_keys = (state.by_keys || tabbed) && !touched;
    state.fresh = state.shown != Some(tour.step);
    state.asking &= tour.step == TourStep::End;
    state.shown = Some(tour.step);
}

/// Focuses the main button at the start of a step, for keyboard users.
fn leads(cx: &Cx<'_>, response: &Response) {
    let state = &cx.pages.learn.tour;
    if state.fresh && state.by_keys {
        response.request_focus();
    }
}

/// Handles keys: Escape leaves the tour, and the arrow keys change the displayed task, whichever widget has the focus.
fn keys(ui: &Ui, cx: &mut Cx<'_>, tour: &Tour) {
    let ctx = ui.ctx();
    if input::is_covered(ctx) {
        return;
    }
    if ui.input_mut(|i| i.consume_key(Modifiers::NONE, Key::Escape)) {
        cx.act(UiCommand::LeaveTour);
        return;
    }
    if tour.step != TourStep::Compare {
        return;
    }
    let (back, on) = input::arrows(ui);
    let task = (tour.task + on).saturating_sub(back);
    if task != tour.task {
        look_at(cx, task);
    }
}

/// Shows a task of all runs, if all have finished it.
fn look_at(cx: &mut Cx<'_>, task: usize) {
    cx.change(move |session| session.show_tour_task(task));
}
