//! Grids in the queue: a line each, which opens to the runs.

use egui::{CollapsingHeader, Ui};

use crate::counts::{count_text, counted};
use crate::run::grid::CellStanding;
use crate::run::job::JobId;
use crate::session::grid_at_work::GridAtWork;
use crate::session::run_view::Stage;
use crate::session::words::duration_text;
use crate::ui::command::UiCommand;
use crate::ui::pages::Cx;
use crate::ui::pages::experiment::grid_lines;
use crate::ui::widgets::{self, button, faint, progress};

/// Highest list of runs.
const LIST: f32 = 220.0;

/// The grid at work.
pub fn at_work(ui: &mut Ui, cx: &mut Cx<'_>, grid: &GridAtWork) {
    let standing = &grid.standing;
    let (done, all) = (standing.done(), standing.lines.len());
    widgets::ends(
        ui,
        |ui| {
            widgets::cut(ui, standing.title.clone());
        },
        |ui| {
            if button(ui, "Cancel")
                .on_hover_text("Stops it; what is there stays")
                .clicked()
            {
                cx.act(UiCommand::Stop);
            }
            let live = cx.session.train.live.as_ref();
            let paused = live.is_some_and(|run| run.stage == Stage::Paused);
            if button(ui, if paused { "Go on" } else { "Pause" }).clicked() {
                cx.act(UiCommand::PauseOrGoOn);
            }
        },
    );
    let of_run = cx.session.train.running().map_or(0.0, |run| run.done());
    let at_work = standing
        .lines
        .iter()
        .find(|line| line.standing == CellStanding::AtWork);
    // Of the run at work only the rest is left.
    let left = grid.left - at_work.map_or(0.0, |line| line.seconds * of_run);
    let share = (done as f64 + at_work.map_or(0.0, |_| of_run)) / all.max(1) as f64;
    let mut words = format!("{} of {}", count_text(done), counted(all, "run"));
    if left > 0.0 {
        words += &format!(" · about {} left", duration_text(left.max(1.0)));
    }
    faint(ui, words);
    progress(ui, share, "Progress of the grid");
    CollapsingHeader::new("Runs")
        .id_salt("runs at work")
        .show(ui, |ui| {
            grid_lines(ui, standing, LIST);
        });
}

/// The runs of a grid that waits.
pub fn waiting(ui: &mut Ui, cx: &mut Cx<'_>, job: JobId, runs: usize) {
    let words = counted(runs, "run");
    CollapsingHeader::new(words).id_salt(job).show(ui, |ui| {
        if let Some(view) = cx.look_up(cx.session.train.planned(job)) {
            grid_lines(ui, &view.standing, LIST);
        } else {
            faint(ui, "Looking which runs are there");
        }
    });
}
