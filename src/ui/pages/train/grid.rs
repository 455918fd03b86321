//! Grids in the queue: each is a line that can be expanded to its runs.

use egui::{CollapsingHeader, Ui};

use crate::run::grid::CellState;
use crate::run::job::JobId;
use crate::session::formatting::format_duration;
use crate::session::grid_progress::GridProgress;
use crate::session::grids::grid_title;
use crate::session::run_view::{RunView, Stage};
use crate::tr;
use crate::ui::command::UiCommand;
use crate::ui::pages::Cx;
use crate::ui::pages::experiment::grid_lines;
use crate::ui::widgets::{self, button, faint, progress};

/// Maximum height of the list of runs.
const LIST_HEIGHT: f32 = 220.0;

/// Draws the grid in progress on this computer.
pub fn show_running(ui: &mut Ui, cx: &mut Cx<'_>, grid: &GridProgress) {
    let live = cx.session.train.live.clone();
    widgets::ends(
        ui,
        |ui| {
            widgets::truncated_faint(ui, grid_title(&grid.state.title));
        },
        |ui| {
            if button(ui, tr!("train-grid-cancel"))
                .on_hover_text(tr!("train-grid-cancel-hint"))
                .clicked()
            {
                cx.dispatch(UiCommand::Stop);
            }
            let paused = live.as_ref().is_some_and(|run| run.stage == Stage::Paused);
            let label = match paused {
                true => tr!("train-resume-run"),
                false => tr!("train-pause-run"),
            };
            if button(ui, label).clicked() {
                cx.dispatch(UiCommand::PauseOrResume);
            }
        },
    );
    show_progress(ui, grid, live.as_deref());
}

/// Draws the progress of a grid in progress, and its runs.
pub fn show_progress(ui: &mut Ui, grid: &GridProgress, live: Option<&RunView>) {
    let status = &grid.state;
    let (done, total) = (status.finished_runs(), status.lines.len());
    let live = live.filter(|run| run.stage.is_live());
    let run_progress = live.map_or(0.0, RunView::finished_share);
    let current = status.lines.iter().find(|line| line.standing == CellState::AtWork);
    // The finished part of the current run is subtracted.
    let remaining = grid.seconds_left - current.map_or(0.0, |line| line.seconds * run_progress);
    let share = (done as f64 + current.map_or(0.0, |_| run_progress)) / total.max(1) as f64;
    let mut text = tr!("count-of-runs", done, n = total);
    if remaining > 0.0 {
        let left = tr!("train-grid-left", time = format_duration(remaining.max(1.0)));
        text += &format!(" · {left}");
    }
    faint(ui, text);
    progress(ui, share, tr!("train-grid-progress"));
    CollapsingHeader::new(tr!("train-grid-runs")).id_salt(("runs", grid.job)).show(ui, |ui| {
        grid_lines(ui, status, LIST_HEIGHT);
    });
}

/// Draws the runs of a waiting grid, which can be expanded.
pub fn show_waiting(ui: &mut Ui, cx: &mut Cx<'_>, job: JobId, runs: usize) {
    CollapsingHeader::new(tr!("count-runs", n = runs)).id_salt(job).show(ui, |ui| {
        if let Some(view) = cx.look_up(cx.session.train.planned_grid(job)) {
            grid_lines(ui, &view.state, LIST_HEIGHT);
        } else {
            faint(ui, tr!("train-grid-searching-runs"));
        }
    });
}
