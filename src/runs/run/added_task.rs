//! Added tasks: what a run was taught after its training. Each is one more task with a data set of its
//! own, whose images are in the run's folder.

use crate::texts::{Words, all_in_english};
use serde::{Deserialize, Serialize};

/// A class that an added task taught although the run knew it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Again {
    /// Which of the added task's classes.
    pub class: usize,
    /// The position of the class it gives more examples of.
    pub of: usize,
}

/// What an added task taught, and how.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AddedTask {
    /// Where the images came from, as the user named it.
    pub source: String,
    /// Its classes in the order of their positions.
    #[serde(deserialize_with = "crate::names::read_all_composed")]
    pub classes: Vec<String>,
    /// Those of them that the run knew before. Each has a position of its own, whose answer counts
    /// for the class it belongs to.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub again: Vec<Again>,
    /// Training images of each class.
    pub train_images: Vec<usize>,
    /// Test images of each class.
    pub test_images: Vec<usize>,
    /// SHA-256 over the list of its images, which holds the SHA-256 of each; in hex.
    pub fingerprint: String,
    /// Share of its test images that were answered rightly before it; none without test images.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<f64>,
    /// Tasks that the run was set up with. A run that was stopped before its end was taught from
    /// its last whole task.
    pub planned_tasks: usize,
    /// Images of a step.
    pub batch: usize,
    /// How often an epoch shows each training image.
    pub repeats: usize,
    /// Learning rate at batch 256.
    pub base_lr: f64,
    /// What was assumed or left out, in sentences.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[serde(serialize_with = "all_in_english")]
    pub notes: Vec<Words>,
    /// RFC 3339 time at which it was learned.
    pub taught: String,
    /// Version of the program that taught it.
    pub version: String,
}

impl AddedTask {
    /// The position of the class that its class number `class` counts for, where that is another
    /// one.
    pub fn known(&self, class: usize) -> Option<usize> {
        let again = self.again.iter().find(|again| again.class == class);
        again.map(|again| again.of)
    }
}
