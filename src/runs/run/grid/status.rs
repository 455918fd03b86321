//! The states of the runs of a grid, as plain data.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::problem::Problem;

/// The state of a run of a grid.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CellStanding {
    /// The run is finished; this is its folder.
    Done(PathBuf),
    /// The run can be resumed.
    Stopped {
        /// Number of saved tasks.
        saved: usize,
        /// Number of tasks of the run.
        tasks: usize,
    },
    /// The run is being trained by this program.
    AtWork,
    /// The run is being trained by another program.
    Elsewhere,
    /// The run has not begun.
    ToDo,
    /// The run cannot be trained.
    Refused(Problem),
}

/// A run of a grid.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GridLine {
    /// The title of its row.
    pub row: String,
    /// Its class order.
    pub order: String,
    /// Its seed.
    pub seed: u64,
    /// Estimated duration of the rest of the run, in seconds.
    pub seconds: f64,
    /// Its state.
    pub standing: CellStanding,
}

/// All runs of a grid.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct GridStanding {
    /// The title of the grid.
    pub title: String,
    /// The purpose of the grid.
    pub about: String,
    /// The runs, by number.
    pub lines: Vec<GridLine>,
    /// Number of rows of the table.
    pub rows: usize,
    /// Whether all estimates are based on the speed of earlier runs.
    pub measured: bool,
    /// Memory that the largest unfinished run needs, in bytes, without decoded images.
    pub memory: u64,
    /// Estimated disk space that all unfinished runs need, in bytes.
    pub disk: u64,
}

impl GridStanding {
    /// Returns the number of finished runs.
    pub fn done(&self) -> usize {
        self.count(|standing| matches!(standing, CellStanding::Done(_)))
    }

    /// Returns the number of runs that cannot be trained.
    pub fn refused(&self) -> usize {
        self.count(|standing| matches!(standing, CellStanding::Refused(_)))
    }

    /// Returns the number of runs that are not started or interrupted.
    pub fn to_do(&self) -> usize {
        use CellStanding::{Stopped, ToDo};
        self.count(|standing| matches!(standing, ToDo | Stopped { .. }))
    }

    fn count(&self, is_counted: impl Fn(&CellStanding) -> bool) -> usize {
        let lines = self.lines.iter();
        lines.filter(|line| is_counted(&line.standing)).count()
    }

    /// Returns the estimated duration of all unfinished runs in seconds.
    pub fn seconds(&self) -> f64 {
        self.lines.iter().map(|line| line.seconds).sum()
    }
}
