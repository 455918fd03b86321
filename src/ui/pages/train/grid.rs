//! Grids in the queue: each is a line that can be expanded to its runs.

use egui::{CollapsingHeader, Ui};

use crate::run::grid::CellStanding;
use crate::run::job::JobId;
use crate::session::grid_at_work::GridAtWork;
use crate::session::grids::grid_title;
use crate::session::run_view::{RunView, Stage};
use crate::session::words::duration_text;
use crate::tr;
use crate::ui::command::UiCommand;
use crate::ui::pages::Cx;
use crate::ui::pages::experiment::grid_lines;
use crate::ui::widgets::{self, button, faint, progress};

/// Maximum height of the list of runs.
const LIST: f32 = 220.0;

/// Draws the grid in progress on this computer.
pub fn at_work(ui: &mut Ui, cx: &mut Cx<'_>, grid: &GridAtWork) {
    let live = cx.session.train.live.clone();
    widgets::ends(
        ui,
        |ui| {
            widgets::cut(ui, grid_title(&grid.standing.title));
        },
        |ui| {
            if button(ui, tr!("train-grid-cancel"))
                .on_hover_text(tr!("train-grid-cancel-hint"))
                .clicked()
            {
                cx.act(UiCommand::Stop);
            }
            let paused = live.as_ref().is_some_and(|run| run.stage == Stage::Paused);
            let words = match paused {
                true => tr!("train-resume-run"),
                false => tr!("train-pause-run"),
            };
            if button(ui, words).clicked() {
                cx.act(UiCommand::PauseOrResume);
            }
        },
    );
    progress_of(ui, grid, live.as_deref());
}

/// Draws the progress of a grid in progress, and its runs.
pub fn progress_of(ui: &mut Ui, grid: &GridAtWork, live: Option<&RunView>) {
    let standing = &grid.standing;
    let (done, all) = (standing.done(), standing.lines.len());
    let live = live.filter(|run| run.stage.is_live());
    let of_run = live.map_or(0.0, RunView::done);
    let at_work = standing
        .lines
        .iter()
        .find(|line| line.standing == CellStanding::AtWork);
    // The finished part of the current run is subtracted.
    let left = grid.left - at_work.map_or(0.0, |line| line.seconds * of_run);
    let share = (done as f64 + at_work.map_or(0.0, |_| of_run)) / all.max(1) as f64;
    let mut words = tr!("count-of-runs", done, n = all);
    if left > 0.0 {
        let left = tr!("train-grid-left", time = duration_text(left.max(1.0)));
        words += &format!(" · {left}");
    }
    faint(ui, words);
    progress(ui, share, tr!("train-grid-progress"));
    CollapsingHeader::new(tr!("train-grid-runs"))
        .id_salt(("runs", grid.job))
        .show(ui, |ui| {
            grid_lines(ui, standing, LIST);
        });
}

/// Draws the runs of a waiting grid, which can be expanded.
pub fn waiting(ui: &mut Ui, cx: &mut Cx<'_>, job: JobId, runs: usize) {
    CollapsingHeader::new(tr!("count-runs", n = runs))
        .id_salt(job)
        .show(ui, |ui| {
            if let Some(view) = cx.look_up(cx.session.train.planned(job)) {
                grid_lines(ui, &view.standing, LIST);
            } else {
                faint(ui, tr!("train-grid-searching-runs"));
            }
        });
}
