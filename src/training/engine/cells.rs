//! The cells of a grid as the engine runs them: the result of each is reported.

use std::collections::HashSet;

use super::sink::JobSink;
use crate::experiment::grid::{CellEnd, GridPlan, GridSink, Pace};
use crate::message;
use crate::problem::{Problem, Result};
use crate::run::event::{Event, Phase, Sink};
use crate::run::grid::CellStanding;
use crate::texts::Words;

/// Returns the event that says what is being done before a run begins.
pub(super) fn preparing(what: impl Into<Words>) -> Event {
    Event::Phase {
        run: String::new(),
        phase: Phase::Preparing(what.into()),
    }
}

/// Reports the results of the cells.
pub(super) struct CellSink<'a, 'b> {
    sink: &'a mut JobSink<'b>,
    pace: Pace,
    /// The Problem of the first cell that failed.
    pub problem: Option<Problem>,
    /// Remarks that were already reported, because most runs of a grid have the same ones.
    told: HashSet<String>,
}

impl<'a, 'b> CellSink<'a, 'b> {
    /// Creates a sink for the cells of a plan, which run in this order.
    pub fn new(plan: &GridPlan, order: &[usize], sink: &'a mut JobSink<'b>) -> Self {
        Self {
            pace: Pace::of(plan, order),
            sink,
            problem: None,
            told: HashSet::new(),
        }
    }
}

impl CellSink<'_, '_> {
    fn send_event(&mut self, cell: usize, standing: CellStanding) {
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
        let note = match &event {
            Event::Remark { problem, .. } => Some(problem.to_string()),
            _ => None,
        };
        if note.is_none_or(|note| self.told.insert(note)) {
            self.sink.event(event);
        }
    }

    fn between_batches(&mut self) {
        self.sink.between_batches();
    }
}

impl GridSink for CellSink<'_, '_> {
    fn begins(&mut self, _: &GridPlan, cell: usize, _: bool) {
        self.pace.begins();
        self.send_event(cell, CellStanding::AtWork);
    }

    fn ended(&mut self, plan: &GridPlan, cell: usize, end: &Result<CellEnd>) {
        self.pace.ended(cell, end);
        let standing = match end {
            Ok(CellEnd::AlreadyFinished | CellEnd::Finished | CellEnd::Stopped(_)) => {
                plan.state(cell)
            }
            Ok(CellEnd::Elsewhere) => CellStanding::Elsewhere,
            Err(problem) => {
                self.problem.get_or_insert_with(|| problem.clone());
                self.sink.failed();
                CellStanding::Refused(problem.clone())
            }
        };
        self.send_event(cell, standing);
        self.sink.between_batches();
    }

    fn waits(&mut self, cells: usize) {
        self.event(preparing(message!("doing-waiting-for-runs", n = cells)));
    }
}
