//! Jobs that are more than one run: a grid, whose cells run one after the other, and trials of methods and checks of
//! runs, which keep no run.

use std::path::Path;

use super::cells::{CellSink, preparing};
use super::searches::run_search;
use super::sink::JobSink;
use crate::experiment::ResourceCache;
use crate::experiment::grid::{Cells, GridEnd, GridPlan, Overrides};
use crate::experiment::proof::{CheckRequest, check_place};
use crate::message;
use crate::problem::{Problem, Result};
use crate::run::event::{Control, Event, Sink};
use crate::run::grid::Grid;
use crate::run::job::GridWork;
use crate::run::trial_result::Trial;

/// Runs the unfinished cells of a grid; returns the event that ends the job.
pub(super) fn run_grid(
    work: &GridWork,
    device: Option<&str>,
    runs_root: &Path,
    cache: &ResourceCache,
    (sink, control): (&mut JobSink<'_>, &Control),
) -> Result<Event> {
    let grid = Grid::read(&work.name, &work.text, &format!("the grid {}", work.name))?;
    let overrides = Overrides {
        device: device.map(ToString::to_string),
        data: work.data.clone(),
        own: cache.own().clone(),
    };
    let cells = Cells::of(grid, runs_root, &overrides)?.only(&work.cells);
    if let Some(by) = work.search {
        return run_search(cells, by, runs_root, cache, (sink, control));
    }
    sink.event(preparing(message!("doing-listing-runs")));
    sink.between_batches();
    let plan = GridPlan::make(cells, runs_root, true, cache, control);
    let stopped = || Event::Stopped { run: String::new() };
    let Some(mut plan) = plan else {
        return Ok(stopped());
    };
    sink.event(Event::Grid(Box::new(plan.standing())));
    let order = plan.in_order();
    let mut cells = CellSink::new(&plan, &order, sink);
    let end = plan.run(&order, &mut cells);
    Ok(match end {
        GridEnd::Stopped(_) => stopped(),
        GridEnd::Done { failed: 0 } => Event::Finished { run: String::new() },
        GridEnd::Done { failed } => Event::Failed {
            run: String::new(),
            problem: not_all(failed, cells.problem.as_ref()),
        },
    })
}

/// Returns the Problem of a grid in which some cells could not run.
fn not_all(failed: usize, first: Option<&Problem>) -> Problem {
    let told = Problem::new(message!("problem-grid-runs-failed", n = failed));
    match first {
        Some(problem) => told.advise(message!("advice-fix-first-error", what = problem.words())),
        None => told,
    }
}

/// Reports the result of a trial; returns the event that ends the job.
pub(super) fn tried(trial: Option<Trial>, sink: &mut JobSink<'_>) -> Result<Event> {
    let run = String::new();
    Ok(match trial {
        None => Event::Stopped { run },
        Some(trial) => {
            sink.event(Event::Tried(Box::new(trial)));
            Event::Finished { run }
        }
    })
}

/// Checks a run, or a packed one; returns the event that ends the job.
pub(super) fn check(
    (place, train): (&Path, bool),
    device: Option<&str>,
    cache: &ResourceCache,
    (sink, control): (&mut JobSink<'_>, &Control),
) -> Result<Event> {
    let asked = CheckRequest {
        device,
        train,
        ..CheckRequest::default()
    };
    let report = check_place(place, &asked, cache, &mut Phases(sink), control)?;
    let run = String::new();
    Ok(match report {
        None => Event::Stopped { run },
        Some(report) => {
            sink.event(Event::Checked(Box::new(report)));
            Event::Finished { run }
        }
    })
}

/// Forwards only phases and remarks, because the run that a check trains is temporary.
struct Phases<'a, 'b>(&'a mut JobSink<'b>);

impl Sink for Phases<'_, '_> {
    fn event(&mut self, event: Event) {
        if matches!(event, Event::Phase { .. } | Event::Remark { .. }) {
            self.0.event(event);
        }
    }

    fn between_batches(&mut self) {
        self.0.between_batches();
    }
}
