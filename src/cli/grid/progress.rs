//! Prints the progress of a grid: the current run, and below it the same as `train`.

use std::collections::{BTreeMap, HashSet};

use super::super::output::{duration, tell};
use super::super::progress::{Notes, Reporter};
use super::super::train::warn_other_split;
use super::complain_of;
use super::report::title_of;
use crate::counts::counted;
use crate::experiment::grid::{GridPlan, GridSink, Pace};
use crate::problem::Problem;
use crate::run::event::{Event, Sink};
use crate::run::grid::CellStanding;

/// Reports the progress of a grid.
pub(super) struct GridReporter {
    quiet: bool,
    reporter: Option<Reporter>,
    /// Number of cells, and number of processed cells.
    cells: usize,
    done: usize,
    pace: Pace,
    /// Datasets whose split was reported.
    splits: HashSet<String>,
    failures: Failures,
    notes: Notes,
}

impl GridReporter {
    pub fn new(quiet: bool, plan: &GridPlan, cells: &[usize]) -> Self {
        Self {
            quiet,
            reporter: None,
            cells: cells.len(),
            done: 0,
            pace: Pace::new(plan, cells),
            splits: HashSet::new(),
            failures: Failures::default(),
            notes: Notes::default(),
        }
    }

    /// Reports that a cell begins.
    fn begin(&mut self, plan: &GridPlan, cell: usize) {
        let config = &plan.cells.cells[cell].config;
        if self.splits.insert(config.data.clone()) {
            let configs = std::slice::from_ref(config);
            warn_other_split(configs, None, &plan.cache, &plan.control);
        }
        if !self.quiet {
            let left = about_left(self.pace.left());
            let verb = match plan.run_of(cell) {
                Some(_) => "resumes",
                None => "begins",
            };
            let (number, of) = (self.done + 1, self.cells);
            tell(format!(
                "run {number} of {of} {verb}{left}: {}",
                title_of(plan, cell)
            ));
        }
        self.reporter = Some(Reporter::new(self.quiet));
    }

    /// Reports how often repeated Problems occurred.
    pub fn close(&mut self) {
        self.reporter = None;
        self.notes.close();
        self.failures.close();
    }
}

/// Cells that could not be run, with the reasons.
#[derive(Default)]
pub(super) struct Failures(BTreeMap<usize, Problem>);

impl Failures {
    /// Adds a cell. Returns whether to report it: a reason that several cells share is reported once.
    pub fn add(&mut self, cell: usize, problem: &Problem) -> bool {
        let is_known = self.0.values().any(|known| known.what == problem.what);
        self.0.insert(cell, problem.clone()).is_none() && !is_known
    }

    /// Returns the cells.
    pub fn cells(&self) -> impl Iterator<Item = &usize> {
        self.0.keys()
    }

    /// Reports how often repeated reasons occurred.
    pub fn close(&self) {
        let mut reasons: BTreeMap<&str, usize> = BTreeMap::new();
        for problem in self.0.values() {
            *reasons.entry(&problem.what).or_default() += 1;
        }
        for (what, runs) in reasons.into_iter().filter(|(_, runs)| *runs > 1) {
            let more = counted(runs - 1, "more run");
            tell(format!("{more} for the same reason: {what}"));
        }
    }
}

/// Returns the remaining time for a line about a run; empty if it is unknown.
pub(super) fn about_left(seconds: f64) -> String {
    match seconds > 0.0 {
        true => format!(", about {} left", duration(seconds)),
        false => String::new(),
    }
}

impl Sink for GridReporter {
    fn event(&mut self, event: Event) {
        if let Some(reporter) = &mut self.reporter
            && self.notes.is_new(&event)
        {
            reporter.event(event);
        }
    }
}

impl GridSink for GridReporter {
    fn report_cell(&mut self, plan: &GridPlan, cell: usize, standing: &CellStanding) {
        self.pace.record(cell, standing);
        if *standing == CellStanding::AtWork {
            return self.begin(plan, cell);
        }
        if let (Some(reporter), CellStanding::Refused(_)) = (&self.reporter, standing) {
            reporter.failed();
        }
        self.reporter = None;
        self.done += usize::from(*standing != CellStanding::Elsewhere);
        match standing {
            CellStanding::Elsewhere if !self.quiet => {
                let title = title_of(plan, cell);
                tell(format!("another process is training {title}"));
            }
            CellStanding::Refused(problem) if self.failures.add(cell, problem) => {
                complain_of(&title_of(plan, cell), problem);
            }
            _ => {}
        }
    }

    fn waits(&mut self, cells: usize) {
        if !self.quiet {
            let runs = counted(cells, "run");
            tell(format!(
                "all other runs are done; waiting for {runs} of other processes"
            ));
        }
    }
}
