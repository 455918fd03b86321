//! The search for training images that look like another class than their label: the request and its state.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::metrics::Answers;
use crate::problem::Problem;

/// A request to compare all training images of a run's own dataset, up to a task, with each other.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DoubtRequest {
    /// Returned with the result.
    pub ticket: u64,
    /// The run's folder.
    pub run: PathBuf,
    /// The task, from 0. Images of later classes are left out.
    pub task: usize,
}

/// The state of a search for doubtful labels.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum DoubtState {
    /// The numbers of processed images and of all images.
    Working(usize, usize),
    /// For each image, the class that the other images suggest, under `Expert::ANSWER`; samples are indices into the
    /// training split.
    Done(Box<Answers>),
    /// The search was stopped; there is no result.
    Stopped,
    /// The search failed.
    Failed(Problem),
}
