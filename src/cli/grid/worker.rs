//! A process that runs a grid for another process, which reads its progress: one line of JSON per event. It saves its
//! run and ends when the other process closes its input or has ended.

use std::io::{BufRead, Write, stdin};

use serde::{Deserialize, Serialize};

use crate::experiment::grid::{GridPlan, GridSink};
use crate::problem::{Problem, Result};
use crate::run::event::{Control, ControlRequest, Event, Sink};
use crate::run::grid::CellStanding;

/// A message of a worker process.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum WorkerReport {
    /// A cell's run begins or resumes.
    Begins { cell: usize, goes_on: bool },
    /// What its run reports: progress and remarks.
    Event(Box<Event>),
    /// The work on a cell ended.
    Ended { cell: usize, standing: CellStanding },
    /// It waits for other processes.
    Waits,
}

/// Writes the messages to standard output.
pub(super) struct Worker;

impl Worker {
    /// Starts to listen for the end of the input.
    ///
    /// # Errors
    /// Returns a Problem if no thread can be started.
    pub fn new(control: &Control) -> Result<Self> {
        let hand = control.clone();
        let listen = move || {
            let _ = stdin().lock().read_line(&mut String::new());
            hand.set(ControlRequest::Stop);
        };
        let thread = std::thread::Builder::new().name("listener".into());
        let thread = thread.spawn(listen);
        thread.map_err(|error| Problem::no_thread(&error))?;
        Ok(Self)
    }

    fn tell(told: &WorkerReport) {
        if let Ok(mut line) = serde_json::to_vec(told) {
            line.push(b'\n');
            let mut stdout = std::io::stdout().lock();
            // An output that nobody reads is not an error; the listener notices the end of the other process.
            let _ = stdout.write_all(&line).and_then(|()| stdout.flush());
        }
    }
}

impl Sink for Worker {
    fn event(&mut self, event: Event) {
        if matches!(event, Event::Progress { .. } | Event::Remark { .. }) {
            Self::tell(&WorkerReport::Event(Box::new(event)));
        }
    }
}

impl GridSink for Worker {
    fn report_cell(&mut self, plan: &GridPlan, cell: usize, standing: &CellStanding) {
        let goes_on = plan.run_of(cell).is_some();
        Self::tell(&match standing.clone() {
            CellStanding::AtWork => WorkerReport::Begins { cell, goes_on },
            standing => WorkerReport::Ended { cell, standing },
        });
    }

    fn waits(&mut self, _: usize) {
        Self::tell(&WorkerReport::Waits);
    }
}
