//! Jobs that are more than one run: a grid, whose cells are run one after the other; a trial of methods and a check of a
//! run, which leave none behind.

use std::path::Path;

use super::sink::JobSink;
use crate::counts::counted;
use crate::experiment::Stock;
use crate::experiment::grid::{CellEnd, Cells, GridEnd, GridPlan, GridSink, Overrides, Pace};
use crate::experiment::proof::{CheckRequest, check_place};
use crate::problem::{Problem, Result};
use crate::run::event::{Control, Event, Phase, Sink};
use crate::run::grid::{CellStanding, Grid};
use crate::run::job::GridWork;
use crate::run::tried::Trial;

/// Runs what is not there yet of a grid; gives how the job ended.
pub(super) fn run_grid(
    work: &GridWork,
    device: Option<&str>,
    runs_root: &Path,
    stock: &Stock,
    (sink, control): (&mut JobSink<'_>, &Control),
) -> Result<Event> {
    let grid = Grid::read(&work.name, &work.text, &format!("the grid {}", work.name))?;
    let overrides = Overrides {
        device: device.map(ToString::to_string),
        ..Overrides::default()
    };
    let cells = Cells::of(grid, runs_root, &overrides)?;
    let mut tell = |what: &str| {
        sink.event(preparing(what));
        sink.between_batches();
    };
    tell("looking which runs are there");
    let plan = GridPlan::make(cells, runs_root, true, stock, control, &mut tell);
    let stopped = || Event::Stopped { run: String::new() };
    let Some(mut plan) = plan else {
        return Ok(stopped());
    };
    sink.event(Event::Grid(Box::new(plan.standing())));
    let order = plan.in_order();
    let mut cells = CellSink {
        pace: Pace::of(&plan, &order),
        sink,
        problem: None,
    };
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

fn preparing(what: &str) -> Event {
    Event::Phase {
        run: String::new(),
        phase: Phase::Preparing(what.to_string()),
    }
}

/// What is told of a grid of which some cells could not be run.
fn not_all(failed: usize, first: Option<&Problem>) -> Problem {
    let runs = counted(failed, "run");
    let told = Problem::new(format!("{runs} of the grid could not be finished"));
    let why = first.map_or_else(String::new, |problem| {
        format!("{}; its lines say what is wrong", problem.what)
    });
    told.advise(why)
}

/// Tells what becomes of the cells.
struct CellSink<'a, 'b> {
    sink: &'a mut JobSink<'b>,
    pace: Pace,
    /// Why the first one failed that did.
    problem: Option<Problem>,
}

impl CellSink<'_, '_> {
    fn tell(&mut self, cell: usize, standing: CellStanding) {
        let seconds_left = self.pace.left();
        self.sink.event(Event::Cell {
            cell,
            standing,
            seconds_left,
        });
    }
}

impl Sink for CellSink<'_, '_> {
    fn event(&mut self, event: Event) {
        self.sink.event(event);
    }

    fn between_batches(&mut self) {
        self.sink.between_batches();
    }
}

impl GridSink for CellSink<'_, '_> {
    fn begins(&mut self, _: &GridPlan, cell: usize, _: bool) {
        self.pace.begins();
        self.tell(cell, CellStanding::AtWork);
    }

    fn ended(&mut self, plan: &GridPlan, cell: usize, end: &Result<CellEnd>) {
        self.pace.ended(cell, end);
        let standing = match end {
            Ok(CellEnd::Known | CellEnd::Finished | CellEnd::Stopped(_)) => plan.standing_of(cell),
            Ok(CellEnd::Elsewhere) => CellStanding::Elsewhere,
            Err(problem) => {
                self.problem.get_or_insert_with(|| problem.clone());
                self.sink.failed();
                CellStanding::Refused(problem.clone())
            }
        };
        self.tell(cell, standing);
        self.sink.between_batches();
    }

    fn waits(&mut self, cells: usize) {
        let runs = counted(cells, "run");
        self.event(preparing(&format!("waiting for {runs} of other programs")));
    }
}

/// Tells what came of trying; gives how the job ended.
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

/// Checks a run, or a packed one; gives how the job ended.
pub(super) fn check(
    (place, train): (&Path, bool),
    device: Option<&str>,
    stock: &Stock,
    (sink, control): (&mut JobSink<'_>, &Control),
) -> Result<Event> {
    let asked = CheckRequest {
        device,
        train,
        ..CheckRequest::default()
    };
    let report = check_place(place, &asked, stock, &mut Phases(sink), control)?;
    let run = String::new();
    Ok(match report {
        None => Event::Stopped { run },
        Some(report) => {
            sink.event(Event::Checked(Box::new(report)));
            Event::Finished { run }
        }
    })
}

/// Hands on what is being done alone: the run that a check trains is nobody's.
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
