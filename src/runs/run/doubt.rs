//! Training images of a run that look like another class than their label: the request, and its state.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::metrics::Answers;
use crate::problem::Problem;

/// All training images of a run's own data set up to a task, to be compared with one another.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DoubtRequest {
    /// Comes back with the result.
    pub ticket: u64,
    /// The run's folder.
    pub run: PathBuf,
    /// The task, from 0: images of classes to come are left out.
    pub task: usize,
}

/// How far the look at them is.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum DoubtState {
    /// Images that were looked at, and all of them.
    Working(usize, usize),
    /// What the others make of each image, under `Expert::ANSWER`; indices into the training split.
    Done(Box<Answers>),
    /// It was stopped; nothing is known.
    Stopped,
    /// It cannot be done.
    Failed(Problem),
}
