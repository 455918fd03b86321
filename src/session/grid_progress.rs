//! The grid in progress: its state, updated from the engine's events.

use std::path::PathBuf;
use std::sync::Arc;

use super::Session;
use super::grids::{grid_run_title, grid_title};
use super::notices::clock;
use super::run_view::RunView;
use crate::problem::Problem;
use crate::run::event::Event;
use crate::run::grid::{CellState, GridState};
use crate::run::job::JobId;
use crate::run::search_result::SearchResult;
use crate::texts::join_translated;
use crate::tr;

/// The grid in progress, or the last one.
#[derive(Clone, Debug)]
pub struct GridProgress {
    /// Its job.
    pub job: JobId,
    /// The state of its runs.
    pub state: GridState,
    /// Estimated remaining seconds.
    pub seconds_left: f64,
    /// Whether it is still in progress.
    pub is_live: bool,
}

impl Session {
    /// Processes an event of a grid in progress on this remote machine, or here for `None`. Returns the event if it
    /// must be applied to the current run.
    pub(super) fn handle_grid_event(
        &mut self,
        machine: Option<&str>,
        job: JobId,
        event: Event,
    ) -> Option<Event> {
        match event {
            Event::Grid(state) => {
                let seconds_left = state.remaining_seconds();
                let (_, grid) = self.train.active_run_and_grid(machine)?;
                *grid = Some(Arc::new(GridProgress {
                    job,
                    state: *state,
                    seconds_left,
                    is_live: true,
                }));
                None
            }
            Event::Cell { cell, standing, seconds_left } => {
                self.accept_cell(machine, job, cell, (standing, seconds_left));
                None
            }
            Event::Finished { .. } | Event::Failed { .. } | Event::Stopped { .. } => {
                self.invalidate_grid();
                self.end_grid(machine, job, event)
            }
            other => Some(other),
        }
    }

    /// Reports the result of a search and the path of its grid.
    pub(super) fn notify_search_result(&mut self, searched: &SearchResult) {
        let problem =
            Problem::new(join_translated(&searched.sentences(), " ")).at_path(&searched.file);
        let advice = tr!("session-search-next-advice");
        self.notify(problem.advise(advice), false);
    }

    fn accept_cell(
        &mut self,
        machine: Option<&str>,
        job: JobId,
        cell: usize,
        (state, seconds_left): (CellState, f64),
    ) {
        let Some((live, grid)) = self.train.active_run_and_grid(machine) else {
            return;
        };
        let Some(grid) = grid.as_mut().filter(|grid| grid.job == job) else {
            return;
        };
        let grid = Arc::make_mut(grid);
        grid.seconds_left = seconds_left;
        let Some(grid_run) = grid.state.lines.get_mut(cell) else {
            return;
        };
        let starts = state == CellState::AtWork;
        grid_run.standing = state;
        let title = grid_run_title(grid_run);
        if starts {
            *live = Some(Arc::new(RunView::for_job(job, title)));
            return;
        }
        let header = live.as_ref().and_then(|run| run.header.as_ref());
        if let Some(folder) = header.map(|header| header.folder.clone()) {
            self.list_run(folder);
        }
    }

    /// Ends a job. If it is a grid, its runs are compared and its overall result is reported.
    fn end_grid(&mut self, machine: Option<&str>, job: JobId, event: Event) -> Option<Event> {
        let (_, grid) = self.train.active_run_and_grid(machine)?;
        let grid = grid.as_mut().filter(|grid| grid.job == job);
        let Some(grid) = grid.map(Arc::make_mut) else {
            return Some(event);
        };
        grid.is_live = false;
        let title = grid_title(&grid.state.title).to_string();
        let done = grid.state.finished_runs();
        let runs = grid.state.lines.iter();
        let folders = runs.filter_map(|run| match &run.standing {
            CellState::Done(folder) => Some(folder.clone()),
            _ => None,
        });
        let folders: Vec<PathBuf> = folders.collect();
        let failure = match event {
            Event::Stopped { .. } => {
                let problem = Problem::new(tr!("session-grid-stopped", title));
                let problem = problem.advise(tr!("session-grid-stopped-advice"));
                self.notify(problem, false);
                return Some(event);
            }
            Event::Failed { problem, .. } => {
                self.notify(problem.clone(), true);
                Some(problem)
            }
            _ => {
                let text = tr!("session-grid-finished", title, n = done);
                self.notify(Problem::new(text), false);
                None
            }
        };
        self.list_runs();
        self.request_side_by_side(folders);
        if let Some((Some(live), _)) = self.train.active_run_and_grid(machine) {
            let live = Arc::make_mut(live);
            let run = String::new();
            // The run that was in progress last may be one of those that failed.
            let is_complete = live.header.is_some() && live.reports.len() >= live.tasks();
            let end = match failure {
                Some(problem) if !is_complete => Event::Failed { run, problem },
                _ => Event::Finished { run },
            };
            live.apply_event(end, &clock());
        }
        None
    }
}
