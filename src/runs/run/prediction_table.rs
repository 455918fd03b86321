//! Predicts a folder of images into a table.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::problem::Problem;

/// A request for the predictions of all images of a folder after one task.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PredictionTableJob {
    /// Returned with the result.
    pub ticket: u64,
    /// The run's folder.
    pub run: PathBuf,
    /// The task of the snapshot, from 0.
    pub task: usize,
    /// The folder of the images, including its subfolders.
    pub folder: PathBuf,
    /// The images to predict, by their paths relative to the folder; empty for all.
    #[serde(default)]
    pub only: Vec<PathBuf>,
    /// The path of the table.
    pub csv: PathBuf,
    /// Whether the table has all columns, including those about the experts.
    #[serde(default)]
    pub all_columns: bool,
    /// The out-of-distribution score above which an image belongs to none of the classes; `None` if unknown.
    #[serde(default)]
    pub threshold: Option<f32>,
}

/// The progress of a table.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PredictionTableCount {
    /// Number of images with a line in the table.
    pub done: usize,
    /// Number of unreadable images among them.
    pub unreadable: usize,
    /// Number of all images.
    pub of: usize,
}

/// The state of work on many images.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum WorkState<P, D> {
    /// The progress.
    Working(P),
    /// The result.
    Done(D),
    /// It was stopped; there is no result.
    Stopped,
    /// It failed.
    Failed(Problem),
}

/// The state of a table.
pub type PredictionTableState = WorkState<PredictionTableCount, PredictionTableCount>;
