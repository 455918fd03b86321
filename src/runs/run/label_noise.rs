//! The search for training images that look like another class than their label: the request and its state.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::prediction_table::WorkState;
use crate::metrics::Predictions;

/// A request to compare all training images of a run's own dataset, up to a task, with each other.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LabelCheckRequest {
    /// Returned with the result.
    pub ticket: u64,
    /// The run's folder.
    pub run: PathBuf,
    /// The task, from 0. Images of later classes are left out.
    pub task: usize,
}

/// The state of a search for doubtful labels: the numbers of processed images and of all images, or for each image, the
/// class that the other images suggest, under `Expert::ANSWER`; samples are indices into the training split.
pub type LabelCheckState = WorkState<(usize, usize), Box<Predictions>>;
