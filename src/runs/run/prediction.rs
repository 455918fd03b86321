//! A request for predictions of one image, and the predictions.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

pub use crate::data::image_file::NamedImage;
use crate::metrics::Expert;

/// A request for the predictions of a run's experts for one image.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct PredictRequest {
    /// Returned with the answer, so that late answers can be recognised.
    pub ticket: u64,
    /// Identifies the subject: a newer request with the same subject and run replaces the older one.
    #[serde(default)]
    pub about: u64,
    /// The run's folder.
    pub run: PathBuf,
    /// The image.
    pub picture: NamedImage,
    /// Tasks whose snapshots are used, from 0. They are answered in this order, with one event each.
    pub tasks: Vec<usize>,
}

/// The prediction of one expert for an image.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ClassPrediction {
    /// The expert.
    pub expert: Expert,
    /// The predicted class, by position.
    pub class: usize,
    /// Score of each class position: a softmax, which sums to 1; for LAE's ensemble the element-wise maximum of two
    /// softmaxes, which may sum to more.
    pub probabilities: Vec<f32>,
    /// E(x) = −logsumexp(logits), if the scores are logits; for the ensemble the lower energy of both experts.
    pub energy: Option<f32>,
}

impl ClassPrediction {
    /// Returns the predicted position and its score.
    pub fn best(&self) -> (usize, f32) {
        let score = self.probabilities.get(self.class).copied();
        (self.class, score.unwrap_or_default())
    }
}

/// The answer to a [`PredictRequest`] for one snapshot.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Prediction {
    /// The request's ticket.
    pub ticket: u64,
    /// The run's folder.
    pub run: PathBuf,
    /// The task of the snapshot, from 0.
    pub task: usize,
    /// Class names learned so far, by position.
    #[serde(deserialize_with = "crate::names::read_all_composed")]
    pub classes: Vec<String>,
    /// The predictions of the experts, in the order of the run's experts; the last one is the run's.
    pub opinions: Vec<ClassPrediction>,
    /// The expert that decided the prediction: for LAE's ensemble the one whose softmax has the winning score.
    pub decided_by: Expert,
    /// The input of the network: `seen_size`² × 3 bytes.
    pub seen: Vec<u8>,
    /// Side of the network's square input in pixels.
    pub seen_size: usize,
}

impl Prediction {
    /// Returns the prediction of one expert, if the run has it.
    pub fn expert_prediction(&self, expert: Expert) -> Option<&ClassPrediction> {
        self.opinions.iter().find(|prediction| prediction.expert == expert)
    }
}
