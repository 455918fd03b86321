//! Prints the progress of a grid: the current run, and below it the same as `train`.

use std::collections::{HashMap, HashSet};

use super::super::output::{duration, tell};
use super::super::progress::{Notes, Reporter};
use super::super::train::warn_other_split;
use super::complain_of;
use super::report::title_of;
use crate::counts::counted;
use crate::experiment::ResourceCache;
use crate::experiment::grid::{CellEnd, GridPlan, GridSink, Pace};
use crate::problem::{Problem, Result};
use crate::run::event::{Control, Event, Sink};

/// Reports the progress of a grid.
pub(super) struct GridReporter {
    quiet: bool,
    reporter: Option<Reporter>,
    cache: ResourceCache,
    control: Control,
    /// Number of cells, and number of processed cells.
    cells: usize,
    done: usize,
    pace: Pace,
    /// Datasets whose split was reported.
    splits: HashSet<String>,
    /// Problems that were reported, and how often each occurred again.
    told: HashMap<String, usize>,
    notes: Notes,
}

impl GridReporter {
    pub fn new(
        quiet: bool,
        plan: &GridPlan,
        cells: &[usize],
        cache: &ResourceCache,
        control: &Control,
    ) -> Self {
        Self {
            quiet,
            reporter: None,
            cache: cache.clone(),
            control: control.clone(),
            cells: cells.len(),
            done: 0,
            pace: Pace::of(plan, cells),
            splits: HashSet::new(),
            told: HashMap::new(),
            notes: Notes::default(),
        }
    }

    /// Reports how often repeated Problems occurred.
    pub fn close(&mut self) {
        self.reporter = None;
        self.notes.close();
        for (problem, again) in self.told.drain().filter(|(_, again)| *again > 0) {
            tell(format!(
                "{} for the same reason: {problem}",
                counted(again, "more run")
            ));
        }
    }

    /// Reports the Problem of a cell; one that several cells share is reported once.
    fn failed(&mut self, plan: &GridPlan, cell: usize, problem: &Problem) {
        match self.told.get_mut(&problem.what) {
            Some(again) => *again += 1,
            None => {
                self.told.insert(problem.what.clone(), 0);
                complain_of(&title_of(plan, cell), problem);
            }
        }
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
    fn begins(&mut self, plan: &GridPlan, cell: usize, goes_on: bool) {
        let config = &plan.cells.cells[cell].config;
        if self.splits.insert(config.data.clone()) {
            let configs = std::slice::from_ref(config);
            warn_other_split(configs, None, &self.cache, &self.control);
        }
        self.pace.begins();
        if !self.quiet {
            let left = match self.pace.left() {
                left if left > 0.0 => format!(", about {} left", duration(left)),
                _ => String::new(),
            };
            let verb = if goes_on { "resumes" } else { "begins" };
            let (number, of) = (self.done + 1, self.cells);
            tell(format!(
                "run {number} of {of} {verb}{left}: {}",
                title_of(plan, cell)
            ));
        }
        self.reporter = Some(Reporter::new(self.quiet));
    }

    fn ended(&mut self, plan: &GridPlan, cell: usize, end: &Result<CellEnd>) {
        if let (Some(reporter), Err(_)) = (&self.reporter, end) {
            reporter.failed();
        }
        self.reporter = None;
        self.done += 1;
        self.pace.ended(cell, end);
        match end {
            Ok(CellEnd::Elsewhere) => {
                self.done -= 1;
                if !self.quiet {
                    let title = title_of(plan, cell);
                    tell(format!("another process is training {title}"));
                }
            }
            Ok(CellEnd::AlreadyFinished | CellEnd::Finished | CellEnd::Stopped(_)) => {}
            Err(problem) => {
                self.failed(plan, cell, problem);
            }
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
