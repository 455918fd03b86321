//! Runs the missing cells of a grid, possibly together with other programs that run the same grid in the same folder.

use std::collections::{HashMap, VecDeque};
use std::path::PathBuf;
use std::time::{Duration, Instant};

use super::plan::GridPlan;
use crate::experiment::{Changes, Outcome, resume_with, train};
use crate::message;
use crate::panics::catch_panic_as_problem;
use crate::problem::{Problem, Result};
use crate::run::event::{Event, Phase, RunHeader, Sink};
use crate::run::grid::CellState;
use crate::store::{StoredState, lock_cell};
use crate::texts::Message;

/// Time between two checks of cells that other programs run.
const PAUSE: Duration = Duration::from_millis(500);

/// How the work on a cell ended.
enum CellEnd {
    /// Its run is finished, now or before.
    Finished(PathBuf),
    /// Another program is running it.
    Elsewhere,
    /// The user stopped it; its run is saved if it had begun.
    Stopped { saved: bool },
}

/// How the work on a grid ended.
#[derive(Clone, Debug, PartialEq)]
pub enum GridEnd {
    /// Every cell was processed; this many could not be run.
    Done {
        /// Cells that were refused or failed.
        failed: usize,
    },
    /// The user stopped it.
    Stopped {
        /// Whether a run had begun, which is saved.
        saved: bool,
    },
}

/// Receives the states of a grid's cells, and between them the events of their runs.
pub trait GridSink: Sink {
    /// Reports the state of a cell when its run begins or resumes, and when the work on it has ended.
    fn report_cell(&mut self, plan: &GridPlan, cell: usize, state: &CellState);
    /// Reports that other programs run the remaining cells.
    fn report_waiting(&mut self, cells: usize);
}

impl GridPlan {
    /// Runs the unfinished ones of these cells in this order. Skips a cell that another program runs, and checks it
    /// again after all others. A cell that cannot run does not stop the others.
    ///
    /// # Errors
    /// None: failures are reported for each cell.
    pub fn run(&mut self, cells: &[usize], sink: &mut dyn GridSink) -> GridEnd {
        let mut queue: VecDeque<usize> = cells.iter().copied().collect();
        let (mut elsewhere, mut failed, mut waiting_reported) = (VecDeque::new(), 0, false);
        loop {
            while let Some(cell) = queue.pop_front() {
                if !self.control.should_continue() {
                    return GridEnd::Stopped { saved: false };
                }
                let end = self.run_cell(cell, sink);
                let state = match &end {
                    Ok(CellEnd::Finished(folder)) => CellState::Done(folder.clone()),
                    Ok(CellEnd::Elsewhere) => CellState::Elsewhere,
                    Ok(CellEnd::Stopped { .. }) => self.state(cell),
                    Err(problem) => CellState::Refused(problem.clone()),
                };
                // While waiting for another program, only the end of its cell is reported.
                if !waiting_reported || state != CellState::Elsewhere {
                    sink.report_cell(self, cell, &state);
                }
                match end {
                    Ok(CellEnd::Finished(_)) => {}
                    Ok(CellEnd::Elsewhere) => elsewhere.push_back(cell),
                    Ok(CellEnd::Stopped { saved }) => return GridEnd::Stopped { saved },
                    Err(_) => failed += 1,
                }
            }
            if elsewhere.is_empty() {
                return GridEnd::Done { failed };
            }
            if !waiting_reported {
                sink.report_waiting(elsewhere.len());
                waiting_reported = true;
            }
            if !self.wait_for_others(sink) {
                return GridEnd::Stopped { saved: false };
            }
            std::mem::swap(&mut queue, &mut elsewhere);
        }
    }

    /// Waits before the next check of what other programs run, and executes short jobs meanwhile. Returns false if
    /// the user stopped it.
    fn wait_for_others(&self, sink: &mut dyn GridSink) -> bool {
        let start = Instant::now();
        while start.elapsed() < PAUSE {
            sink.between_batches();
            if !self.control.should_continue() {
                return false;
            }
            std::thread::sleep(PAUSE / 25);
        }
        true
    }

    /// Runs a cell, unless it is finished or another program is running it.
    fn run_cell(&mut self, cell: usize, sink: &mut dyn GridSink) -> Result<CellEnd> {
        let control = self.control.clone();
        self.determine_key(cell, &mut |what| {
            let phase = Phase::Preparing(what.into());
            let run = String::new();
            sink.event(Event::Phase { run, phase });
            control.should_continue()
        })?;
        // Checked without the lock first, because most cells of a resumed grid are already finished.
        match self.state(cell) {
            CellState::Done(folder) => return Ok(CellEnd::Finished(folder)),
            CellState::Refused(problem) => return Err(problem),
            _ => {}
        }
        let Some(key) = self.key(cell).cloned() else {
            if !self.control.should_continue() {
                return Ok(CellEnd::Stopped { saved: false });
            }
            return Err(Problem::new(message!("problem-run-not-identified"))
                .at(&self.cells.cells[cell].config.backbone)
                .advise(message!("advice-check-weight-file")));
        };
        let Some(lock) = lock_cell(&self.root, &key)? else {
            return Ok(CellEnd::Elsewhere);
        };
        // The previous owner of the lock may have finished the run.
        self.runs.refresh();
        let run = self.runs.by_key(&key).map(|run| (run.state, run.header.clone()));
        // A panic in a run fails only its own cell.
        let result = catch_panic_as_problem(|| self.begin_or_resume(cell, run, sink));
        self.runs.refresh();
        drop(lock);
        result
    }

    fn begin_or_resume(
        &mut self,
        cell: usize,
        run: Option<(StoredState, RunHeader)>,
        sink: &mut dyn GridSink,
    ) -> Result<CellEnd> {
        let config = self.cells.cells[cell].config.clone();
        let outcome = match run {
            Some((StoredState::Finished, header)) => return Ok(CellEnd::Finished(header.folder)),
            // Started by a program that did not run it as part of a grid.
            Some((StoredState::Running, _)) => return Ok(CellEnd::Elsewhere),
            Some((StoredState::Interrupted { .. }, header)) => {
                sink.report_cell(self, cell, &CellState::AtWork);
                let device = Some(config.device.as_str());
                let changes = Changes {
                    device: device.filter(|device| *device != header.config.device),
                    micro_batch: (config.micro_batch)
                        .filter(|size| Some(*size) != header.config.micro_batch),
                };
                resume_with(&header.folder, &changes, &self.cache, sink, &self.control)?
            }
            None => {
                sink.report_cell(self, cell, &CellState::AtWork);
                train(&config, &self.root, &self.cache, sink, &self.control)?
            }
        };
        Ok(match outcome {
            Outcome::Finished(header) => CellEnd::Finished(header.folder),
            Outcome::Stopped(_) => CellEnd::Stopped { saved: true },
            Outcome::NotStarted => CellEnd::Stopped { saved: false },
        })
    }

    /// Determines the keys of these cells that are still unknown, which requires downloading their weights.
    /// `report_progress` gets the progress and returns false to stop.
    ///
    /// # Errors
    /// Returns a Problem if weights are not available.
    pub fn determine_keys(
        &mut self,
        cells: &[usize],
        report_progress: &mut dyn FnMut(Message) -> bool,
    ) -> Result<()> {
        cells.iter().try_for_each(|cell| self.determine_key(*cell, report_progress))
    }

    /// Determines the key of a cell if it is unknown, after downloading its weights.
    fn determine_key(
        &mut self,
        cell: usize,
        report_progress: &mut dyn FnMut(Message) -> bool,
    ) -> Result<()> {
        if !matches!(&self.forecasts[cell], Ok(forecast) if forecast.key.is_none()) {
            return Ok(());
        }
        let config = self.cells.cells[cell].config.clone();
        let control = self.control.clone();
        let downloaded = self.predictor.download_weights(config.backbone_choice(), report_progress);
        if !control.should_continue() {
            return Ok(());
        }
        downloaded?;
        self.forecasts[cell] = self.predictor.forecast(&config);
        Ok(())
    }
}

/// Estimates the remaining time of a grid: the estimated time of the remaining cells, scaled by the ratio of real to
/// estimated time of the finished ones.
#[derive(Debug)]
pub struct Pace {
    /// When the current cell began.
    started: Option<Instant>,
    /// Estimated seconds of each remaining cell, without what is already done.
    remaining: HashMap<usize, f64>,
    /// Estimated seconds of the cells that have run; `elapsed` is the real time.
    estimated: f64,
    elapsed: f64,
}

impl Pace {
    /// Returns the pace of these cells before the first one begins.
    pub fn new(plan: &GridPlan, cells: &[usize]) -> Self {
        let remaining = cells.iter();
        Self {
            started: None,
            remaining: remaining
                .map(|cell| (*cell, plan.estimate_costs(&[*cell]).seconds))
                .collect(),
            estimated: 0.0,
            elapsed: 0.0,
        }
    }

    /// Records that a cell begins or has ended.
    pub fn record(&mut self, cell: usize, state: &CellState) {
        let next_start = (*state == CellState::AtWork).then(Instant::now);
        let previous_start = std::mem::replace(&mut self.started, next_start);
        // Another program may stop before it finishes the cell.
        if matches!(state, CellState::AtWork | CellState::Elsewhere) {
            return;
        }
        let estimate = self.remaining.remove(&cell).unwrap_or_default();
        if let (CellState::Done(_), Some(start)) = (state, previous_start) {
            self.estimated += estimate;
            self.elapsed += start.elapsed().as_secs_f64();
        }
    }

    /// Returns the remaining seconds; the current cell counts in full.
    pub fn seconds_left(&self) -> f64 {
        let ratio = match self.estimated > 0.0 {
            true => self.elapsed / self.estimated,
            false => 1.0,
        };
        self.remaining.values().sum::<f64>() * ratio
    }
}
