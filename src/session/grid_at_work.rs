//! The grid in progress: its state, updated from the engine's events.

use std::path::PathBuf;
use std::sync::Arc;

use super::Session;
use super::grids::{grid_title, line_title};
use super::notices::clock;
use super::run_view::RunView;
use crate::problem::Problem;
use crate::run::event::Event;
use crate::run::grid::{CellStanding, GridStanding};
use crate::run::job::JobId;
use crate::run::search_result::SearchResult;
use crate::texts::said;
use crate::tr;

/// The grid in progress, or the last one.
#[derive(Clone, Debug)]
pub struct GridAtWork {
    /// Its job.
    pub job: JobId,
    /// The state of its runs.
    pub standing: GridStanding,
    /// Estimated remaining seconds.
    pub left: f64,
    /// Whether it is still in progress.
    pub live: bool,
}

impl Session {
    /// Processes an event of a grid in progress at this place, or on this computer for `None`. Returns the event if it
    /// must be applied to the current run.
    pub(super) fn handle_grid_event(
        &mut self,
        place: Option<&str>,
        job: JobId,
        event: Event,
    ) -> Option<Event> {
        match event {
            Event::Grid(standing) => {
                let left = standing.seconds();
                let (_, grid) = self.train.at_work(place)?;
                *grid = Some(Arc::new(GridAtWork {
                    job,
                    standing: *standing,
                    left,
                    live: true,
                }));
                None
            }
            Event::Cell {
                cell,
                standing,
                seconds_left,
            } => {
                self.accept_cell(place, job, cell, (standing, seconds_left));
                None
            }
            Event::Finished { .. } | Event::Failed { .. } | Event::Stopped { .. } => {
                self.renew_grid();
                self.end_grid(place, job, event)
            }
            other => Some(other),
        }
    }

    /// Reports the result of a search and the path of its grid.
    pub(super) fn notify_search_result(&mut self, searched: &SearchResult) {
        let told = Problem::new(said(&searched.sentences(), " ")).at_path(&searched.file);
        let advice = tr!("story-search-next-advice");
        self.notify(told.advise(advice), false);
    }

    fn accept_cell(
        &mut self,
        place: Option<&str>,
        job: JobId,
        cell: usize,
        (standing, left): (CellStanding, f64),
    ) {
        let Some((live, grid)) = self.train.at_work(place) else {
            return;
        };
        let Some(grid) = grid.as_mut().filter(|grid| grid.job == job) else {
            return;
        };
        let grid = Arc::make_mut(grid);
        grid.left = left;
        let Some(line) = grid.standing.lines.get_mut(cell) else {
            return;
        };
        let begins = standing == CellStanding::AtWork;
        line.standing = standing;
        let title = line_title(line);
        if begins {
            *live = Some(Arc::new(RunView::of_job(job, title)));
            return;
        }
        let header = live.as_ref().and_then(|run| run.header.as_ref());
        if let Some(folder) = header.map(|header| header.folder.clone()) {
            self.list_run(folder);
        }
    }

    /// Ends a job. If it is a grid, its runs are compared and its overall result is reported.
    fn end_grid(&mut self, place: Option<&str>, job: JobId, event: Event) -> Option<Event> {
        let (_, grid) = self.train.at_work(place)?;
        let grid = grid.as_mut().filter(|grid| grid.job == job);
        let Some(grid) = grid.map(Arc::make_mut) else {
            return Some(event);
        };
        grid.live = false;
        let title = grid_title(&grid.standing.title).to_string();
        let done = grid.standing.done();
        let lines = grid.standing.lines.iter();
        let folders = lines.filter_map(|line| match &line.standing {
            CellStanding::Done(folder) => Some(folder.clone()),
            _ => None,
        });
        let folders: Vec<PathBuf> = folders.collect();
        match event {
            Event::Stopped { .. } => {
                let told = Problem::new(tr!("story-grid-stopped", title));
                let told = told.advise(tr!("story-grid-stopped-advice"));
                self.notify(told, false);
                return Some(event);
            }
            Event::Failed { problem, .. } => self.notify(problem, true),
            _ => {
                let told = tr!("story-grid-finished", title, n = done);
                self.notify(Problem::new(told), false);
            }
        }
        self.list_runs();
        self.request_side_by_side(folders);
        if let Some((Some(live), _)) = self.train.at_work(place) {
            let run = String::new();
            Arc::make_mut(live).fold(Event::Finished { run }, &clock());
        }
        None
    }
}
