//! Prints the progress of a grid: the current run, and below it the same as `train`.

use std::collections::{BTreeMap, HashSet};

use super::super::output::{format_duration, print_message};
use super::super::progress::{Notes, Reporter};
use super::super::train::warn_other_split;
use super::print_cell_problem;
use super::report::cell_title;
use crate::counts::count_with_noun;
use crate::experiment::grid::{GridPlan, GridSink, Pace};
use crate::problem::Problem;
use crate::run::event::{Event, Sink};
use crate::run::grid::CellState;

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
    fn start_cell(&mut self, plan: &GridPlan, cell: usize) {
        let config = &plan.cells.cells[cell].config;
        if self.splits.insert(config.data.clone()) {
            let configs = std::slice::from_ref(config);
            warn_other_split(configs, None, &plan.cache, &plan.control);
        }
        if !self.quiet {
            let left = remaining_time_text(self.pace.seconds_left());
            let verb = match plan.run_for(cell) {
                Some(_) => "resumes",
                None => "begins",
            };
            let (number, of) = (self.done + 1, self.cells);
            print_message(format!("run {number} of {of} {verb}{left}: {}", cell_title(plan, cell)));
        }
        self.reporter = Some(Reporter::new(self.quiet));
    }

    /// Reports how often repeated Problems occurred.
    pub fn finish(&mut self) {
        self.reporter = None;
        self.notes.report_repeats();
        self.failures.report_repeats();
    }
}

/// Cells that could not be run, with the reasons.
#[derive(Default)]
pub(super) struct Failures(BTreeMap<usize, Problem>);

impl Failures {
    /// Adds a cell. Returns whether to report it: a reason that several cells share is reported once.
    pub fn add(&mut self, cell: usize, problem: &Problem) -> bool {
        let is_known = self.0.values().any(|other| other.what == problem.what);
        self.0.insert(cell, problem.clone()).is_none() && !is_known
    }

    /// Returns the cells.
    pub fn cells(&self) -> impl Iterator<Item = &usize> {
        self.0.keys()
    }

    /// Reports how often repeated reasons occurred.
    pub fn report_repeats(&self) {
        let mut reasons: BTreeMap<&str, usize> = BTreeMap::new();
        for problem in self.0.values() {
            *reasons.entry(&problem.what).or_default() += 1;
        }
        for (what, runs) in reasons.into_iter().filter(|(_, runs)| *runs > 1) {
            let more = count_with_noun(runs - 1, "more run");
            print_message(format!("{more} for the same reason: {what}"));
        }
    }
}

/// Returns the remaining time for a line about a run; empty if it is unknown.
pub(super) fn remaining_time_text(seconds: f64) -> String {
    match seconds > 0.0 {
        true => format!(", about {} left", format_duration(seconds)),
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
    fn report_cell(&mut self, plan: &GridPlan, cell: usize, standing: &CellState) {
        self.pace.record(cell, standing);
        if *standing == CellState::AtWork {
            return self.start_cell(plan, cell);
        }
        if let (Some(reporter), CellState::Refused(_)) = (&self.reporter, standing) {
            reporter.report_failure();
        }
        self.reporter = None;
        self.done += usize::from(*standing != CellState::Elsewhere);
        match standing {
            CellState::Elsewhere if !self.quiet => {
                let title = cell_title(plan, cell);
                print_message(format!("another process is training {title}"));
            }
            CellState::Refused(problem) if self.failures.add(cell, problem) => {
                print_cell_problem(&cell_title(plan, cell), problem);
            }
            _ => {}
        }
    }

    fn report_waiting(&mut self, cells: usize) {
        if !self.quiet {
            let runs = count_with_noun(cells, "run");
            print_message(format!(
                "all other runs are done; waiting for {runs} of other processes"
            ));
        }
    }
}
