//! The states of the runs of a grid, as plain data.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::problem::Problem;

/// The state of a cell.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CellStanding {
    /// Its run is finished and is here.
    Done(PathBuf),
    /// Its run can be continued; `saved` of its tasks are saved.
    Stopped {
        /// Saved tasks.
        saved: usize,
        /// All of its tasks.
        tasks: usize,
    },
    /// It is being run.
    AtWork,
    /// Another program is at work on it.
    Elsewhere,
    /// Nothing is there yet.
    ToDo,
    /// It cannot be run.
    Refused(Problem),
}

/// One run of a grid.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GridLine {
    /// What its row is called.
    pub row: String,
    /// Its class order.
    pub order: String,
    /// Its seed.
    pub seed: u64,
    /// Seconds that it is thought to take as far as it is not there.
    pub seconds: f64,
    /// Its state.
    pub standing: CellStanding,
}

/// All runs of a grid.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct GridStanding {
    /// What people call it.
    pub title: String,
    /// What it is for.
    pub about: String,
    /// Its runs by number.
    pub lines: Vec<GridLine>,
    /// Rows of its table.
    pub rows: usize,
    /// Whether all seconds come from the speed of earlier runs.
    pub measured: bool,
    /// Bytes of memory that the largest run takes that is not there, decoded images not counted.
    pub memory: u64,
    /// About how many bytes all runs take on the disk that are not there.
    pub disk: u64,
}

impl GridStanding {
    /// Runs that are there.
    pub fn done(&self) -> usize {
        let done = |line: &&GridLine| matches!(line.standing, CellStanding::Done(_));
        self.lines.iter().filter(done).count()
    }

    /// Runs that cannot be run.
    pub fn refused(&self) -> usize {
        let refused = |line: &&GridLine| matches!(line.standing, CellStanding::Refused(_));
        self.lines.iter().filter(refused).count()
    }

    /// Runs that are still to be begun or continued.
    pub fn to_do(&self) -> usize {
        let left = |line: &&GridLine| {
            matches!(
                line.standing,
                CellStanding::ToDo | CellStanding::Stopped { .. }
            )
        };
        self.lines.iter().filter(left).count()
    }

    /// Seconds that all of them are thought to take that are not there.
    pub fn seconds(&self) -> f64 {
        self.lines.iter().map(|line| line.seconds).sum()
    }
}
