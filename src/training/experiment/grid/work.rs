//! Runs the missing cells of a grid, possibly together with other programs that run the same grid in the same folder.

use std::collections::{HashMap, VecDeque};
use std::path::PathBuf;
use std::time::{Duration, Instant};

use super::plan::GridPlan;
use crate::experiment::{Changes, Outcome, resume_on, train};
use crate::fence::catch_panic_as_problem;
use crate::message;
use crate::problem::{Problem, Result};
use crate::run::event::{ControlRequest, Event, Phase, RunHeader, Sink};
use crate::run::grid::CellStanding;
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
    fn report_cell(&mut self, plan: &GridPlan, cell: usize, standing: &CellStanding);
    /// Reports that other programs run the remaining cells.
    fn waits(&mut self, cells: usize);
}

impl GridPlan {
    /// Runs the unfinished ones of these cells in this order. Skips a cell that another program runs, and checks it
    /// again after all others. A cell that cannot run does not stop the others.
    ///
    /// # Errors
    /// None: failures are reported for each cell.
    pub fn run(&mut self, cells: &[usize], sink: &mut dyn GridSink) -> GridEnd {
        let mut queue: VecDeque<usize> = cells.iter().copied().collect();
        let (mut elsewhere, mut failed, mut told) = (VecDeque::new(), 0, false);
        loop {
            while let Some(cell) = queue.pop_front() {
                if self.control.request() == ControlRequest::Stop {
                    return GridEnd::Stopped { saved: false };
                }
                let end = self.run_cell(cell, sink);
                let standing = match &end {
                    Ok(CellEnd::Finished(folder)) => CellStanding::Done(folder.clone()),
                    Ok(CellEnd::Elsewhere) => CellStanding::Elsewhere,
                    Ok(CellEnd::Stopped { .. }) => self.state(cell),
                    Err(problem) => CellStanding::Refused(problem.clone()),
                };
                // While waiting for another program, only the end of its cell is reported.
                if !told || standing != CellStanding::Elsewhere {
                    sink.report_cell(self, cell, &standing);
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
            if !told {
                sink.waits(elsewhere.len());
                told = true;
            }
            if !self.pauses(sink) {
                return GridEnd::Stopped { saved: false };
            }
            std::mem::swap(&mut queue, &mut elsewhere);
        }
    }

    /// Waits before the next check of what other programs run, and executes short jobs meanwhile. Returns false if
    /// the user stopped it.
    fn pauses(&self, sink: &mut dyn GridSink) -> bool {
        let begun = Instant::now();
        while begun.elapsed() < PAUSE {
            sink.between_batches();
            if self.control.request() == ControlRequest::Stop {
                return false;
            }
            std::thread::sleep(PAUSE / 25);
        }
        true
    }

    /// Runs a cell, unless it is finished or another program is running it.
    fn run_cell(&mut self, cell: usize, sink: &mut dyn GridSink) -> Result<CellEnd> {
        let control = self.control.clone();
        self.know_key(cell, &mut |what| {
            let phase = Phase::Preparing(what.into());
            let run = String::new();
            sink.event(Event::Phase { run, phase });
            control.request() != ControlRequest::Stop
        })?;
        // Checked without the lock first, because most cells of a resumed grid are already finished.
        match self.state(cell) {
            CellStanding::Done(folder) => return Ok(CellEnd::Finished(folder)),
            CellStanding::Refused(problem) => return Err(problem),
            _ => {}
        }
        let Some(key) = self.key(cell).cloned() else {
            if self.control.request() == ControlRequest::Stop {
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
        let run = self
            .runs
            .of(&key)
            .map(|run| (run.state, run.header.clone()));
        // A panic in a run fails only its own cell.
        let ended = catch_panic_as_problem(|| self.begin_or_resume(cell, run, sink));
        self.runs.refresh();
        drop(lock);
        ended
    }

    fn begin_or_resume(
        &mut self,
        cell: usize,
        run: Option<(StoredState, RunHeader)>,
        sink: &mut dyn GridSink,
    ) -> Result<CellEnd> {
        let config = self.cells.cells[cell].config.clone();
        let ended = match run {
            Some((StoredState::Finished, header)) => return Ok(CellEnd::Finished(header.folder)),
            // Started by a program that did not run it as part of a grid.
            Some((StoredState::Running, _)) => return Ok(CellEnd::Elsewhere),
            Some((StoredState::Interrupted { .. }, header)) => {
                sink.report_cell(self, cell, &CellStanding::AtWork);
                let device = Some(config.device.as_str());
                let changes = Changes {
                    device: device.filter(|device| *device != header.config.device),
                    micro_batch: (config.micro_batch)
                        .filter(|own| Some(*own) != header.config.micro_batch),
                };
                resume_on(&header.folder, &changes, &self.cache, sink, &self.control)?
            }
            None => {
                sink.report_cell(self, cell, &CellStanding::AtWork);
                train(&config, &self.root, &self.cache, sink, &self.control)?
            }
        };
        Ok(match ended {
            Outcome::Finished(header) => CellEnd::Finished(header.folder),
            Outcome::Stopped(_) => CellEnd::Stopped { saved: true },
            Outcome::NotBegun => CellEnd::Stopped { saved: false },
        })
    }

    /// Determines the keys of these cells that are still unknown, which requires downloading their weights. `tell`
    /// gets the progress and returns false to stop.
    ///
    /// # Errors
    /// Returns a Problem if weights are not available.
    pub fn know_keys(
        &mut self,
        cells: &[usize],
        tell: &mut dyn FnMut(Message) -> bool,
    ) -> Result<()> {
        cells.iter().try_for_each(|cell| self.know_key(*cell, tell))
    }

    /// Determines the key of a cell if it is unknown, after downloading its weights.
    fn know_key(&mut self, cell: usize, tell: &mut dyn FnMut(Message) -> bool) -> Result<()> {
        if !matches!(&self.forecasts[cell], Ok(known) if known.key.is_none()) {
            return Ok(());
        }
        let config = self.cells.cells[cell].config.clone();
        let control = self.control.clone();
        let obtained = self.predictor.obtain(config.chosen_backbone(), tell);
        if control.request() == ControlRequest::Stop {
            return Ok(());
        }
        obtained?;
        self.forecasts[cell] = self.predictor.forecast(&config);
        Ok(())
    }
}

/// Estimates the remaining time of a grid: the estimated time of the remaining cells, scaled by the ratio of real to
/// estimated time of the finished ones.
#[derive(Debug)]
pub struct Pace {
    /// When the current cell began.
    began: Option<Instant>,
    /// Estimated seconds of each remaining cell, without what is already done.
    left: HashMap<usize, f64>,
    /// Estimated seconds of the cells that have run; `took` is the real time.
    thought: f64,
    took: f64,
}

impl Pace {
    /// Returns the pace of these cells before the first one begins.
    pub fn new(plan: &GridPlan, cells: &[usize]) -> Self {
        let left = cells.iter();
        Self {
            began: None,
            left: left
                .map(|cell| (*cell, plan.costs(&[*cell]).seconds))
                .collect(),
            thought: 0.0,
            took: 0.0,
        }
    }

    /// Records that a cell begins or has ended.
    pub fn record(&mut self, cell: usize, standing: &CellStanding) {
        let now = (*standing == CellStanding::AtWork).then(Instant::now);
        let began = std::mem::replace(&mut self.began, now);
        // Another program may stop before it finishes the cell.
        if matches!(standing, CellStanding::AtWork | CellStanding::Elsewhere) {
            return;
        }
        let left = self.left.remove(&cell).unwrap_or_default();
        if let (CellStanding::Done(_), Some(began)) = (standing, began) {
            self.thought += left;
            self.took += began.elapsed().as_secs_f64();
        }
    }

    /// Returns the remaining seconds; the current cell counts in full.
    pub fn left(&self) -> f64 {
        let pace = match self.thought > 0.0 {
            true => self.took / self.thought,
            false => 1.0,
        };
        self.left.values().sum::<f64>() * pace
    }
}
