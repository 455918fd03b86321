//! The summary of a data set, shown before training, and the JSON of `lae-studio data`.

use std::fmt;

use serde::{Deserialize, Serialize, Serializer};
use serde_json::{Map, Value};

use super::{CorrectionCount, Dataset, Duplicate, NearCopies, Sample, Skipped, TwoLabels};
use crate::texts;
use crate::texts::Words;

/// Smallest and largest width and height among the checked images, in pixels.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sizes {
    /// Smallest and largest width.
    pub width: (u32, u32),
    /// Smallest and largest height.
    pub height: (u32, u32),
}

impl fmt::Display for Sizes {
    /// `32 × 32`, or `20–1200 × 30–900` where they differ.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let range = |(low, high): (u32, u32)| match low == high {
            true => low.to_string(),
            false => format!("{low}–{high}"),
        };
        write!(f, "{} × {}", range(self.width), range(self.height))
    }
}

/// A data set in numbers and lists.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Card {
    /// Its name.
    pub name: String,
    /// What opens it again.
    pub origin: String,
    /// Class names in order.
    pub classes: Vec<String>,
    /// Split → class → number of images.
    pub images: Map<String, Value>,
    /// Files that were left out.
    #[serde(serialize_with = "in_english")]
    pub skipped: Vec<Skipped>,
    /// Images that are in both splits.
    pub duplicates: Vec<Duplicate>,
    /// Images with two labels or more.
    #[serde(default)]
    pub two_labels: Vec<TwoLabels>,
    /// Sets of near copies; looked for only where something was drawn.
    #[serde(default)]
    pub near_copies: Vec<NearCopies>,
    /// Labels that were corrected.
    #[serde(default, rename = "mended")]
    pub corrected: CorrectionCount,
    /// What was assumed, as sentences.
    #[serde(serialize_with = "texts::all_in_english")]
    pub assumed: Vec<Words>,
    /// Image sizes, where the images were looked at.
    pub sizes: Option<Sizes>,
    /// Source and licence.
    pub note: String,
}

/// Files that were left out, as scripts read them.
fn in_english<S: Serializer>(all: &[Skipped], to: S) -> Result<S::Ok, S::Error> {
    to.collect_seq(all.iter().map(|skipped| Skipped {
        path: skipped.path.clone(),
        reason: skipped.reason.english.as_str().into(),
    }))
}

impl Card {
    /// The summary of a data set.
    pub fn of(data: &Dataset) -> Self {
        let split = |samples: &[Sample]| -> Value {
            data.classes
                .iter()
                .zip(counts(samples, data.classes.len()))
                .map(|(name, count)| (name.clone(), Value::from(count)))
                .collect::<Map<String, Value>>()
                .into()
        };
        Self {
            name: data.name.clone(),
            origin: data.origin.clone(),
            classes: data.classes.clone(),
            images: [("train", &data.train), ("test", &data.test)]
                .map(|(name, samples)| (name.to_owned(), split(samples)))
                .into_iter()
                .collect(),
            skipped: data.skipped.clone(),
            duplicates: data.duplicates.clone(),
            two_labels: data.two_labels.clone(),
            near_copies: data.near_copies.clone(),
            corrected: data.corrected,
            assumed: data.assumed.clone(),
            sizes: data.sizes,
            note: data.note.clone(),
        }
    }
}

/// Number of samples of each class.
pub fn counts(samples: &[Sample], classes: usize) -> Vec<usize> {
    let mut counts = vec![0; classes];
    for sample in samples {
        if let Some(count) = counts.get_mut(sample.class as usize) {
            *count += 1;
        }
    }
    counts
}
