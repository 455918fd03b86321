//! A grid: runs that differ in some settings, as a small TOML file names them.
//!
//! The file has settings as `run.toml` has them. A list of values makes an axis, and all axes are crossed; `rows` is
//! an axis of several settings that go together; each `[[part]]` takes over the values above it, overrides some of it
//! and adds axes of its own. `preset` names what a run begins with, `orders` and `seeds` say how often each is repeated.
//! What the settings come to, and whether they fit, is found where methods are known (`experiment::grid`).

mod read;
mod standing;
mod values;

use std::sync::Arc;

use super::config::{RunSetting, Setting};
use crate::problem::{Problem, line_and_column};

pub use standing::{CellStanding, GridLine, GridStanding};

/// Most runs of one grid.
pub const MOST_RUNS: usize = 100_000;
/// Most parts of one grid.
pub const MOST_PARTS: usize = 1_000;
/// Most class orders, or seeds, of a row.
pub const MOST_REPETITIONS: u64 = 1_000;

/// What a value is given to.
#[derive(Clone, Debug)]
pub enum GridKey {
    /// The ready-made set-up that the run begins with.
    Preset,
    /// A setting of every run.
    Common(&'static RunSetting),
    /// A setting of the method's own.
    Own(Arc<str>),
}

impl GridKey {
    /// Its name in the file, and for `--only`.
    pub fn name(&self) -> &str {
        match self {
            Self::Preset => "preset",
            Self::Common(setting) => setting.spec.key,
            Self::Own(key) => key,
        }
    }

    /// Whether both are given to the same.
    pub fn is(&self, other: &Self) -> bool {
        matches!(self, Self::Own(_)) == matches!(other, Self::Own(_)) && self.name() == other.name()
    }
}

/// A value that the file gives.
#[derive(Clone, Debug)]
pub struct GridValue {
    /// What to.
    pub key: GridKey,
    /// The value.
    pub value: Setting,
    /// Its place in the text, in bytes.
    pub at: usize,
}

/// A choice of an axis: one value, or several that go together.
#[derive(Clone, Debug)]
pub struct Choice {
    /// What it is called in tables.
    pub title: String,
    /// What it gives.
    pub given: Vec<GridValue>,
}

/// Runs with the same settings but for those of some axes.
#[derive(Clone, Debug)]
pub struct GridPart {
    /// What it is called in tables; empty for the only part.
    pub title: String,
    /// What all its runs are given.
    pub fixed: Vec<GridValue>,
    /// What is crossed, the slowest first; each has a choice at least.
    pub axes: Vec<Arc<[Choice]>>,
    /// Class orders of each row; `None` for the one that the settings name.
    pub orders: Option<u64>,
    /// Seeds of each row; `None` for the one that the settings name.
    pub seeds: Option<u64>,
}

impl GridPart {
    /// Combinations of its axes.
    pub fn rows(&self) -> usize {
        let lengths = self.axes.iter().map(|axis| axis.len());
        lengths.fold(1, usize::saturating_mul)
    }

    /// The runs that repeat each of them.
    pub fn repetitions(&self) -> u64 {
        self.orders.unwrap_or(1) * self.seeds.unwrap_or(1)
    }

    /// The choices of a row (from 0), one of each axis.
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

/// A grid as its file says it.
#[derive(Clone, Debug)]
pub struct Grid {
    /// Its file's name without ending.
    pub name: String,
    /// What people call it.
    pub title: String,
    /// What it is for.
    pub about: String,
    /// Its parts, one at least.
    pub parts: Vec<GridPart>,
    /// Where it came from, for messages.
    origin: String,
    text: Arc<str>,
}

impl Grid {
    /// Rows of all parts.
    pub fn rows(&self) -> usize {
        self.parts.iter().map(GridPart::rows).sum()
    }

    /// A Problem with a value, reported at the value's place.
    #[must_use]
    pub fn at(&self, value: &GridValue, problem: Problem) -> Problem {
        let (line, column) = line_and_column(&self.text, value.at);
        let (origin, key) = (&self.origin, value.key.name());
        problem.at(format!("{origin}, line {line}, column {column} ({key})"))
    }
}
