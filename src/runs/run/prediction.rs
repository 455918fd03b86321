//! One image for a run's experts, and their answers.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

pub use crate::data::picture::Picture;
use crate::metrics::Expert;

/// One image for a run's experts.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct PredictRequest {
    /// Comes back with the answer, so late answers can be recognised.
    pub ticket: u64,
    /// What it is about: of two requests about the same thing to one run the newer one counts.
    #[serde(default)]
    pub about: u64,
    /// The run's folder.
    pub run: PathBuf,
    /// The image.
    pub picture: Picture,
    /// Snapshots to ask, tasks counted from 0; answered in this order, one event each.
    pub tasks: Vec<usize>,
}

/// One expert's view of one image.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ClassPrediction {
    /// Whose it is.
    pub expert: Expert,
    /// The class it gives, by position.
    pub class: usize,
    /// Score per class position, as a share: a softmax, which sums to 1, and for LAE's ensemble the
    /// element-wise maximum of the two, which need not.
    pub probabilities: Vec<f32>,
    /// E(x) = −logsumexp(logits), where the scores are logits; for the ensemble the lower of the
    /// two.
    pub energy: Option<f32>,
}

impl ClassPrediction {
    /// The position it gives, and its score.
    pub fn best(&self) -> (usize, f32) {
        let score = self.probabilities.get(self.class).copied();
        (self.class, score.unwrap_or_default())
    }
}

/// The answer to a `PredictRequest`, for one snapshot.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Prediction {
    /// The request's ticket.
    pub ticket: u64,
    /// The run's folder.
    pub run: PathBuf,
    /// Which snapshot, from 0.
    pub task: usize,
    /// Class names by position, as far as taught by then.
    #[serde(deserialize_with = "crate::names::read_all_composed")]
    pub classes: Vec<String>,
    /// What each expert says, in the order of the run's experts; the last one answers.
    pub opinions: Vec<ClassPrediction>,
    /// The expert whose answer it is: for LAE's ensemble the one whose softmax holds the winning
    /// score.
    pub decided_by: Expert,
    /// What the network sees: `seen_size`² × 3 pixels, 8 bit.
    pub seen: Vec<u8>,
    /// Side of the square the network sees.
    pub seen_size: usize,
}

impl Prediction {
    /// What one expert says, if the run has it.
    pub fn of(&self, expert: Expert) -> Option<&ClassPrediction> {
        self.opinions
            .iter()
            .find(|opinion| opinion.expert == expert)
    }
}
