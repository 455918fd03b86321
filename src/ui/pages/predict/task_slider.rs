//! The slider over the tasks, with its *Play* button. All views of the page show the task that it selects.

use egui::Ui;

use super::run_header;
use crate::metrics::Expert;
use crate::tr;
use crate::ui::pages::Cx;
use crate::ui::widgets::curves::legend;
use crate::ui::widgets::icons::Icon;
use crate::ui::widgets::snapshot_slider::stops;
use crate::ui::widgets::{self, foot, icon_text_button};

/// Seconds for each task during playback.
const STEP: f64 = 0.9;

/// Returns the number of tasks that can be selected.
pub fn reach(cx: &Cx<'_>) -> usize {
    let predict = &cx.session.predict;
    if !predict.answers.is_empty() {
        return predict.answers.len();
    }
    let run = predict.run.as_ref();
    run.map_or(0, |run| cx.session.finished_tasks(run))
}

/// Returns whether the slider is fixed at the bottom of the column. This is the case if the views are too long to be
/// visible together with a slider at the top.
pub fn at_foot(cx: &Cx<'_>) -> bool {
    reach(cx) > 0
        && (cx.pages.predict.inside.open || !cx.session.predict.pins.pictures().is_empty())
}

/// Selects the task (from 0) after which predictions are shown.
pub fn look_at(cx: &mut Cx<'_>, task: usize) {
    cx.change(move |session| session.predict.task = task);
}

/// Draws the slider at the bottom of the column if it is fixed there.
pub fn at_the_foot(ui: &mut Ui, cx: &mut Cx<'_>) {
    if at_foot(cx) {
        foot(ui, "scrubber", |ui| {
            widgets::card(ui, |ui| scrubber(ui, cx, tr!("predict-knowledge"), &[]));
        });
    }
}

/// Draws the title, the legend, *Play* and the slider.
pub fn scrubber(ui: &mut Ui, cx: &mut Cx<'_>, title: &str, experts: &[Expert]) {
    let done = reach(cx);
    play(ui, cx, done);
    let playing = cx.pages.predict.playing;
    widgets::ends_in_order(
        ui,
        |ui| widgets::title(ui, title),
        |ui| {
            let (icon, text) = match playing {
                true => (Icon::Pause, tr!("predict-pause")),
                false => (Icon::Play, tr!("predict-play")),
            };
            legend(ui, experts.iter().copied());
            if icon_text_button(ui, icon, text).clicked() {
                start_or_hold(ui, cx, done);
            }
        },
    );
    let all = run_header(cx)
        .map_or(done, |header| header.tasks.len())
        .max(done);
    if let Some(task) = stops(ui, all, done, cx.session.predict.task) {
        look_at(cx, task);
        cx.pages.predict.playing = false;
    }
}

fn start_or_hold(ui: &Ui, cx: &mut Cx<'_>, done: usize) {
    let state = &mut cx.pages.predict;
    state.playing = !state.playing;
    state.next_step = ui.input(|i| i.time) + STEP;
    if state.playing && cx.session.predict.task + 1 >= done {
        look_at(cx, 0);
    }
}

/// Selects the next task when its time has come during playback.
fn play(ui: &Ui, cx: &mut Cx<'_>, done: usize) {
    let state = &mut cx.pages.predict;
    if !state.playing {
        return;
    }
    let now = ui.input(|i| i.time);
    if now >= state.next_step {
        let next = cx.session.predict.task + 1;
        if next < done {
            state.next_step = now + STEP;
            look_at(cx, next);
        } else {
            state.playing = false;
            return;
        }
    }
    let left = (cx.pages.predict.next_step - now).max(0.02);
    ui.ctx().request_repaint_after_secs(left as f32);
}
