//! The slider over the tasks, with its *Play* button. All views of the page show the task that it selects.

use egui::Ui;

use super::run_header;
use crate::metrics::Expert;
use crate::tr;
use crate::ui::pages::Cx;
use crate::ui::widgets::curves::legend;
use crate::ui::widgets::icons::Icon;
use crate::ui::widgets::snapshot_slider::slider;
use crate::ui::widgets::{self, footer, icon_text_button};

/// Seconds for each task during playback.
const SECONDS_PER_TASK: f64 = 0.9;

/// Returns the number of tasks that can be selected.
pub fn task_count(cx: &Cx<'_>) -> usize {
    let predict = &cx.session.predict;
    if !predict.predictions.is_empty() {
        return predict.predictions.len();
    }
    let run = predict.run.as_ref();
    run.map_or(0, |run| cx.session.finished_tasks(run))
}

/// Returns whether the slider is fixed at the bottom of the column. This is the case if the views are too long to be
/// visible together with a slider at the top.
pub fn is_at_bottom(cx: &Cx<'_>) -> bool {
    task_count(cx) > 0
        && (cx.pages.predict.inside.open || !cx.session.predict.pins.pins().is_empty())
}

/// Selects the task (from 0) after which predictions are shown.
pub fn select_task(cx: &mut Cx<'_>, task: usize) {
    cx.change(move |session| session.predict.task = task);
}

/// Draws the slider at the bottom of the column if it is fixed there.
pub fn show_at_bottom(ui: &mut Ui, cx: &mut Cx<'_>) {
    if is_at_bottom(cx) {
        footer(ui, "scrubber", |ui| {
            widgets::card(ui, |ui| scrubber(ui, cx, tr!("predict-knowledge"), &[]));
        });
    }
}

/// Draws the title, the legend, *Play* and the slider.
pub fn scrubber(ui: &mut Ui, cx: &mut Cx<'_>, title: &str, experts: &[Expert]) {
    let done = task_count(cx);
    advance_playback(ui, cx, done);
    let playing = cx.pages.predict.playing;
    widgets::ends_in_order(
        ui,
        |ui| widgets::title(ui, title),
        |ui| {
            let (icon, text) = match playing {
                true => (Icon::Pause, tr!("predict-pause")),
                false => (Icon::Play, tr!("predict-play")),
            };
            legend(ui, experts);
            if icon_text_button(ui, icon, text).clicked() {
                toggle_playback(ui, cx, done);
            }
        },
    );
    let total = run_header(cx).map_or(done, |header| header.tasks.len()).max(done);
    if let Some(task) = slider(ui, total, done, cx.session.predict.task) {
        select_task(cx, task);
        cx.pages.predict.playing = false;
    }
}

fn toggle_playback(ui: &Ui, cx: &mut Cx<'_>, done: usize) {
    let state = &mut cx.pages.predict;
    state.playing = !state.playing;
    state.next_step = ui.input(|i| i.time) + SECONDS_PER_TASK;
    if state.playing && cx.session.predict.task + 1 >= done {
        select_task(cx, 0);
    }
}

/// Selects the next task when its time has come during playback.
fn advance_playback(ui: &Ui, cx: &mut Cx<'_>, done: usize) {
    let state = &mut cx.pages.predict;
    if !state.playing {
        return;
    }
    let now = ui.input(|i| i.time);
    if now >= state.next_step {
        let next = cx.session.predict.task + 1;
        if next < done {
            state.next_step = now + SECONDS_PER_TASK;
            select_task(cx, next);
        } else {
            state.playing = false;
            return;
        }
    }
    let remaining = (cx.pages.predict.next_step - now).max(0.02);
    ui.ctx().request_repaint_after_secs(remaining as f32);
}
