//! A folder of images for a run's experts, answered in a table.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::problem::Problem;

/// All images of a folder for the experts as they were after one task.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SheetRequest {
    /// Comes back with the result.
    pub ticket: u64,
    /// The run's folder.
    pub run: PathBuf,
    /// Which snapshot, from 0.
    pub task: usize,
    /// The images, with those of folders in it.
    pub folder: PathBuf,
    /// The only ones that are asked about, by their paths from there; empty for all.
    #[serde(default)]
    pub only: Vec<PathBuf>,
    /// Where the table goes.
    pub csv: PathBuf,
    /// Whether the table has all columns, also those about the experts.
    #[serde(default)]
    pub all_columns: bool,
    /// An image with a larger out-of-distribution score is none of the classes; `None` if that is not known.
    #[serde(default)]
    pub threshold: Option<f32>,
}

/// How far a table is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SheetCount {
    /// Images that have their line.
    pub done: usize,
    /// Those of them that cannot be read.
    pub unreadable: usize,
    /// All images.
    pub of: usize,
}

/// The state of a table.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum SheetState {
    /// It is being made.
    Working(SheetCount),
    /// It is where it was requested.
    Done(SheetCount),
    /// It was stopped; there is none.
    Stopped,
    /// It cannot be made.
    Failed(Problem),
}
