//! Images with several labels. Whichever of them a model predicts, the copies with another label count as wrong.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::Sample;
use crate::message;
use crate::texts::Message;

/// Maximum number of images that the sentence names.
const MAX_NAMED: usize = 3;

/// One of several files or records with the same pixels.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ImageCopy {
    /// The split: `train` or `test`.
    pub split: String,
    /// The class.
    pub class: String,
    /// The name inside the split.
    pub file: String,
}

impl ImageCopy {
    pub(super) fn new(split: &str, sample: &Sample, classes: &[String]) -> Self {
        Self {
            split: split.to_owned(),
            class: classes[sample.class as usize].clone(),
            file: sample.name(),
        }
    }
}

impl fmt::Display for ImageCopy {
    /// Writes `cat/001.jpg (cat, train)`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({}, {})", self.file, self.class, self.split)
    }
}

/// All copies of an image with several labels: those of the training split first, each split sorted by class and name.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct TwoLabels(pub Vec<ImageCopy>);

impl TwoLabels {
    /// Returns the first copy, and the first one with another label.
    pub fn pair(&self) -> Option<(&ImageCopy, &ImageCopy)> {
        let first = self.0.first()?;
        let other = self.0.iter().find(|copy| copy.class != first.class)?;
        Some((first, other))
    }
}

/// A set of images that are near copies of each other, directly or through others.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct NearCopies(pub Vec<ImageCopy>);

/// Returns a sentence with their number, the first few, and what to do; `None` if every image has one label.
pub fn summarise_two_labels(found: &[TwoLabels]) -> Option<Message> {
    let pairs: Vec<String> = found
        .iter()
        .filter_map(TwoLabels::pair)
        .take(MAX_NAMED)
        .map(|(first, other)| format!("{first} = {other}"))
        .collect();
    let id = match found.len() {
        0 => return None,
        n if n > MAX_NAMED => "remark-images-with-two-labels-first",
        _ => "remark-images-with-two-labels",
    };
    Some(message!(id, n = found.len(), pairs = pairs.join("; ")))
}
