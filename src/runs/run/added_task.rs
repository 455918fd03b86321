//! Added tasks: classes that a run learned after its training. Each added task has its own dataset, whose images are in
//! the run's folder.

use crate::texts::{Words, all_in_english};
use serde::{Deserialize, Serialize};

/// A class of an added task that the run already knew.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RepeatedClass {
    /// Index of the class in the added task.
    pub class: usize,
    /// Position of the known class of which it has more examples.
    pub of: usize,
}

/// The description of an added task.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AddedTask {
    /// The source of the images, as entered by the user.
    pub source: String,
    /// The class names in the order of their positions.
    #[serde(deserialize_with = "crate::names::read_all_composed")]
    pub classes: Vec<String>,
    /// The classes that the run already knew. Each has its own position; predictions of it count for the known class.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub again: Vec<RepeatedClass>,
    /// Number of training images of each class.
    pub train_images: Vec<usize>,
    /// Number of test images of each class.
    pub test_images: Vec<usize>,
    /// SHA-256 of the list of its images, which contains the SHA-256 of each image, in hex.
    pub fingerprint: String,
    /// Share of its test images that were classified correctly before the task; `None` without test images.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<f64>,
    /// Number of tasks of the run's settings. If the run was stopped early, the added task follows its last complete
    /// task.
    pub planned_tasks: usize,
    /// Number of images per step.
    pub batch: usize,
    /// How often each training image is used per epoch.
    pub repeats: usize,
    /// Learning rate for a batch of 256.
    pub base_lr: f64,
    /// Assumptions and omissions, in sentences.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[serde(serialize_with = "all_in_english")]
    pub notes: Vec<Words>,
    /// The time at which it was learned, in RFC 3339 format.
    pub taught: String,
    /// Version of the program that learned it.
    pub version: String,
}

impl AddedTask {
    /// Returns the position of the known class that class `class` of this task belongs to; `None` for a new class.
    pub fn known(&self, class: usize) -> Option<usize> {
        let again = self.again.iter().find(|again| again.class == class);
        again.map(|again| again.of)
    }
}
