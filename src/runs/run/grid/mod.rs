//! Grid files: runs that differ in some settings, defined in a small TOML file.
//!
//! Settings are named as in `run.toml`. A list of values is an axis, and all axes are crossed; `rows` is an axis of
//! settings that belong together; each `[[part]]` inherits the values above it, overrides some of them and adds axes.
//! `preset` is the preset to start from, `orders` and `seeds` the numbers of repetitions. The resulting settings are
//! computed and checked where methods are known (`experiment::grid`).

mod read;

use std::path::PathBuf;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::config::{RunSetting, Setting};
use crate::problem::{Problem, line_and_column};

/// Maximum number of runs of a grid.
pub const MAX_RUNS: usize = 100_000;
/// Maximum number of parts of a grid.
pub const MAX_PARTS: usize = 1_000;
/// Maximum number of class orders, or seeds, of a row.
pub const MAX_REPETITIONS: u64 = 1_000;

/// A key of a grid file.
#[derive(Clone, Debug)]
pub enum GridKey {
    /// The preset that the runs start from.
    Preset,
    /// A setting of every run.
    Common(&'static RunSetting),
    /// A setting of a method.
    Method(Arc<str>),
}

impl GridKey {
    /// Returns its name in the file, and for `--only`.
    pub fn name(&self) -> &str {
        match self {
            Self::Preset => "preset",
            Self::Common(setting) => setting.spec.key,
            Self::Method(key) => key,
        }
    }

    /// Returns whether both are the same key.
    pub fn is_same_key(&self, other: &Self) -> bool {
        matches!(self, Self::Method(_)) == matches!(other, Self::Method(_))
            && self.name() == other.name()
    }
}

/// A value in a grid file.
#[derive(Clone, Debug)]
pub struct GridValue {
    /// Its key.
    pub key: GridKey,
    /// The value.
    pub value: Setting,
    /// Its byte offset in the text.
    pub offset: usize,
}

/// An entry of an axis: one value, or several that belong together.
#[derive(Clone, Debug)]
pub struct Choice {
    /// Its title in tables.
    pub title: String,
    /// Its values.
    pub values: Vec<GridValue>,
}

/// Runs with the same settings except for those of some axes.
#[derive(Clone, Debug)]
pub struct GridPart {
    /// Its title in tables; empty for a single part.
    pub title: String,
    /// The values of all its runs.
    pub fixed: Vec<GridValue>,
    /// The axes that are crossed, the slowest first; each has at least one choice.
    pub axes: Vec<Arc<[Choice]>>,
    /// Number of class orders of each row; `None` for the single one in the settings.
    pub orders: Option<u64>,
    /// Number of seeds of each row; `None` for the single one in the settings.
    pub seeds: Option<u64>,
}

impl GridPart {
    /// Returns the number of combinations of its axes.
    pub fn row_count(&self) -> usize {
        let lengths = self.axes.iter().map(|axis| axis.len());
        lengths.fold(1, usize::saturating_mul)
    }

    /// Returns the number of runs of each row.
    pub fn repetitions(&self) -> u64 {
        self.orders.unwrap_or(1) * self.seeds.unwrap_or(1)
    }

    /// Returns the choices of a row (from 0), one from each axis.
    pub fn choices(&self, row: usize) -> Vec<&Choice> {
        let mut rest = row;
        let picked = self.axes.iter().rev().map(|axis| {
            let choice = &axis[rest % axis.len()];
            rest /= axis.len();
            choice
        });
        let mut choices: Vec<&Choice> = picked.collect();
        choices.reverse();
        choices
    }
}

/// A grid as defined in its file.
#[derive(Clone, Debug)]
pub struct Grid {
    /// Name of its file without extension.
    pub name: String,
    /// Its title.
    pub title: String,
    /// Its purpose.
    pub about: String,
    /// Its parts, at least one.
    pub parts: Vec<GridPart>,
    /// Its origin, for messages.
    origin: String,
    text: Arc<str>,
}

impl Grid {
    /// Returns the number of rows of all parts.
    pub fn row_count(&self) -> usize {
        self.parts.iter().map(GridPart::row_count).sum()
    }

    /// Returns a Problem with a value, at the value's position.
    #[must_use]
    pub fn at_value(&self, value: &GridValue, problem: Problem) -> Problem {
        let (line, column) = line_and_column(&self.text, value.offset);
        let (origin, key) = (&self.origin, value.key.name());
        problem.at(format!("{origin}, line {line}, column {column} ({key})"))
    }
}

/// The state of a run of a grid.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CellState {
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
pub struct GridRun {
    /// The title of its row.
    pub row: String,
    /// Its class order.
    pub order: String,
    /// Its seed.
    pub seed: u64,
    /// Estimated duration of the rest of the run, in seconds.
    pub seconds: f64,
    /// Its state.
    pub standing: CellState,
}

/// All runs of a grid.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct GridState {
    /// The title of the grid.
    pub title: String,
    /// The purpose of the grid.
    pub about: String,
    /// The runs, by number.
    pub lines: Vec<GridRun>,
    /// Number of rows of the table.
    pub rows: usize,
    /// Whether all estimates are based on the speed of earlier runs.
    pub measured: bool,
    /// Memory that the largest unfinished run needs, in bytes, without decoded images.
    pub memory: u64,
    /// Estimated disk space that all unfinished runs need, in bytes.
    pub disk: u64,
}

impl GridState {
    /// Returns the number of finished runs.
    pub fn finished_runs(&self) -> usize {
        self.count(|state| matches!(state, CellState::Done(_)))
    }

    /// Returns the number of runs that cannot be trained.
    pub fn refused_runs(&self) -> usize {
        self.count(|state| matches!(state, CellState::Refused(_)))
    }

    /// Returns the number of runs that are not started or interrupted.
    pub fn pending_runs(&self) -> usize {
        use CellState::{Stopped, ToDo};
        self.count(|state| matches!(state, ToDo | Stopped { .. }))
    }

    fn count(&self, is_counted: impl Fn(&CellState) -> bool) -> usize {
        let runs = self.lines.iter();
        runs.filter(|run| is_counted(&run.standing)).count()
    }

    /// Returns the estimated duration of all unfinished runs in seconds.
    pub fn remaining_seconds(&self) -> f64 {
        self.lines.iter().map(|run| run.seconds).sum()
    }
}
