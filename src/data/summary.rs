//! The summary of a dataset, shown before training, and the JSON of `lae-studio data`.

use std::fmt;

use serde::{Deserialize, Serialize, Serializer};
use serde_json::{Map, Value};

use super::{CorrectionCount, Dataset, Duplicate, NearCopies, Sample, Skipped, TwoLabels};
use crate::texts::{self, Words};

/// Smallest and largest width and height among the checked images, in pixels.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sizes {
    /// Smallest and largest width.
    pub width: (u32, u32),
    /// Smallest and largest height.
    pub height: (u32, u32),
}

impl fmt::Display for Sizes {
    /// Writes `32 × 32`, or `20–1200 × 30–900` if sizes differ.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let range = |(low, high): (u32, u32)| match low == high {
            true => low.to_string(),
            false => format!("{low}–{high}"),
        };
        write!(f, "{} × {}", range(self.width), range(self.height))
    }
}

/// The summary of a dataset.
#[derive(Debug, Serialize)]
pub struct DatasetSummary<'a> {
    /// The name of the dataset.
    pub name: &'a str,
    /// The path or name that opens it again.
    pub origin: &'a str,
    /// Class names in order.
    pub classes: &'a [String],
    /// Number of images by split and class.
    pub images: Map<String, Value>,
    /// Files that were left out.
    #[serde(serialize_with = "in_english")]
    pub skipped: &'a [Skipped],
    /// Images that are in both splits.
    pub duplicates: &'a [Duplicate],
    /// Images with several labels.
    pub two_labels: &'a [TwoLabels],
    /// Sets of near copies; searched only if a split was drawn.
    pub near_copies: &'a [NearCopies],
    /// The effect of corrected labels.
    #[serde(rename = "mended")]
    pub corrected: CorrectionCount,
    /// Assumptions, as sentences.
    #[serde(serialize_with = "texts::all_in_english")]
    pub assumed: &'a [Words],
    /// Image sizes, if the images were checked.
    pub sizes: Option<Sizes>,
    /// Source and licence.
    pub note: &'a str,
}

/// Serialises skipped files with English reasons, for scripts.
fn in_english<S: Serializer>(all: &[Skipped], to: S) -> Result<S::Ok, S::Error> {
    to.collect_seq(all.iter().map(|skipped| Skipped {
        path: skipped.path.clone(),
        reason: skipped.reason.english.as_str().into(),
    }))
}

impl Dataset {
    /// Returns the summary that `lae-studio data` shows.
    pub fn summary(&self) -> DatasetSummary<'_> {
        let class_counts = |samples: &[Sample]| -> Value {
            self.classes
                .iter()
                .zip(count_per_class(samples, self.classes.len()))
                .map(|(name, count)| (name.clone(), Value::from(count)))
                .collect::<Map<String, Value>>()
                .into()
        };
        DatasetSummary {
            name: &self.name,
            origin: &self.origin,
            classes: &self.classes,
            images: [("train", &self.train), ("test", &self.test)]
                .map(|(name, samples)| (name.to_owned(), class_counts(samples)))
                .into_iter()
                .collect(),
            skipped: &self.skipped,
            duplicates: &self.duplicates,
            two_labels: &self.two_labels,
            near_copies: &self.near_copies,
            corrected: self.corrected,
            assumed: &self.assumed,
            sizes: self.sizes,
            note: &self.note,
        }
    }
}

/// Returns the number of samples of each class.
pub fn count_per_class(samples: &[Sample], classes: usize) -> Vec<usize> {
    let mut counts = vec![0; classes];
    for sample in samples {
        if let Some(count) = counts.get_mut(sample.class as usize) {
            *count += 1;
        }
    }
    counts
}
