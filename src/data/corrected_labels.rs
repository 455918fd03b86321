//! Corrected labels: a list of the user, stored separately from the dataset, which is never changed.
//!
//! An entry identifies its image by its path inside the split and by its content, so it has no effect on another image
//! with that name. Splits are drawn before labels are corrected, so correcting never moves an image from training to
//! test.

use std::collections::{HashMap, HashSet};

use serde::{Deserialize, Deserializer, Serialize};
use sha2::{Digest, Sha256};

use super::Dataset;
use super::image_file::sha256_of_file;
use super::source::{ImageSource, Sample};
use crate::fetch::{hex, is_sha256};
use crate::message;
use crate::names::read_composed;
use crate::problem::{Problem, Result};
use crate::texts::Message;

/// Maximum number of entries of a list.
const MAX_CORRECTIONS: usize = 10_000;

/// One corrected label.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Correction {
    /// Path of the image inside its split, as shown by `lae-studio worst`.
    #[serde(deserialize_with = "crate::names::read_composed")]
    pub picture: String,
    /// SHA-256 of the file, or of the pixels of a record, in hex.
    pub sha256: String,
    /// The class in the dataset.
    #[serde(deserialize_with = "crate::names::read_composed")]
    pub was: String,
    /// The correct class; `None` excludes the image.
    #[serde(default, deserialize_with = "read_class", skip_serializing_if = "Option::is_none")]
    pub class: Option<String>,
}

fn read_class<'de, D: Deserializer<'de>>(from: D) -> Result<Option<String>, D::Error> {
    read_composed(from).map(Some)
}

impl Correction {
    /// Returns whether both entries are about the same image.
    pub fn is_same_image(&self, other: &Self) -> bool {
        self.picture == other.picture && self.sha256 == other.sha256
    }

    /// Returns the correction that undoes this one.
    pub fn inverse(&self) -> Self {
        Self { class: Some(self.was.clone()), ..self.clone() }
    }
}

/// The effect of a list of corrections.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CorrectionCount {
    /// Number of images with a corrected label.
    pub labels: usize,
    /// Number of excluded images.
    pub left_out: usize,
    /// Number of entries whose image is missing or has changed, or whose class does not exist.
    pub without_effect: usize,
}

impl CorrectionCount {
    /// Returns the numbers that a list intends, without checking whether its images exist.
    pub fn from_corrections(list: &[Correction]) -> Self {
        let labels = list.iter().filter(|correction| correction.class.is_some()).count();
        Self { labels, left_out: list.len() - labels, without_effect: 0 }
    }

    /// Returns a text such as "3 labels corrected, 1 image left out"; `None` if there are no corrections.
    pub fn summary(&self) -> Option<Message> {
        let labels = message!("remark-labels-corrected", n = self.labels);
        let left_out = message!("remark-images-excluded", n = self.left_out);
        match (self.labels, self.left_out) {
            (0, 0) => None,
            (_, 0) => Some(labels),
            (0, _) => Some(left_out),
            _ => Some(message!("remark-joined", first = labels, rest = left_out)),
        }
    }
}

/// Returns a short text that identifies a list, such as "3 labels corrected (5f0c12ab)".
pub fn summarise_corrections(list: &[Correction]) -> String {
    let digest = hex(&Sha256::digest(format!("{list:?}")));
    let summary = CorrectionCount::from_corrections(list).summary();
    let summary = summary.map_or_else(String::new, |words| words.english());
    format!("{summary} ({})", &digest[..8])
}

impl Sample {
    /// Returns the SHA-256 of the image file, or of the pixels of a record, in hex.
    ///
    /// # Errors
    /// Returns a Problem if the file cannot be read.
    pub fn sha256(&self) -> Result<String> {
        let digest = match &self.source {
            ImageSource::File { folder, name } => sha256_of_file(&folder.path.join(name.as_ref()))?,
            ImageSource::Record { records, index } => {
                Sha256::digest(records.pixel_bytes(*index).unwrap_or_default()).into()
            }
        };
        Ok(hex(&digest))
    }
}

/// The differences between the test split before and after labels were corrected.
#[derive(Clone, Debug, Default)]
pub(super) struct OriginalLabels {
    /// The original classes of images whose labels were corrected.
    labels: HashMap<ImageSource, u32>,
    /// The classes of excluded images.
    excluded: Vec<u32>,
}

impl OriginalLabels {
    /// Removes images that are not among these samples.
    pub fn retain(&mut self, samples: &[Sample]) {
        let remaining: HashSet<&ImageSource> =
            samples.iter().map(|sample| &sample.source).collect();
        self.labels.retain(|source, _| remaining.contains(source));
    }
}

impl Dataset {
    /// Returns whether corrections changed the test split.
    pub fn is_test_corrected(&self) -> bool {
        !self.original_labels.labels.is_empty() || !self.excluded_from_test().is_empty()
    }

    /// Returns the original class of a test image, before corrections.
    pub fn original_class(&self, sample: &Sample) -> usize {
        let original = self.original_labels.labels.get(&sample.source);
        original.copied().unwrap_or(sample.class) as usize
    }

    /// Returns the classes of excluded test images; empty with a limit of test images, because other images took their
    /// places.
    pub fn excluded_from_test(&self) -> &[u32] {
        match self.options.test_limit {
            Some(_) => &[],
            None => &self.original_labels.excluded,
        }
    }
}

/// Corrects labels of the training and test split; `names` are the classes, in order. Returns the effect, and the
/// differences from the original test split.
pub(super) fn apply(
    list: &[Correction],
    names: &[String],
    splits: [&mut Vec<Sample>; 2],
) -> (CorrectionCount, OriginalLabels) {
    let mut original_labels = OriginalLabels::default();
    let mut by_image: HashMap<&str, Vec<usize>> = HashMap::new();
    for (index, correction) in list.iter().enumerate() {
        by_image.entry(&correction.picture).or_default().push(index);
    }
    let class_of = |name: &String| names.iter().position(|known| known == name);
    let mut applied = vec![false; list.len()];
    for (split, is_test) in splits.into_iter().zip([false, true]) {
        let mut remaining = Vec::with_capacity(split.len());
        for mut sample in std::mem::take(split) {
            let found = match by_image.is_empty() {
                true => None,
                false => by_image.get(sample.name().as_str()),
            };
            let Some(at) = found.and_then(|entries| find_entry(&sample, entries, list)) else {
                remaining.push(sample);
                continue;
            };
            let class = list[at].class.as_ref().map(class_of);
            // An entry whose class does not exist has no effect.
            applied[at] |= class != Some(None);
            match class {
                Some(Some(class)) => {
                    let former = std::mem::replace(&mut sample.class, class as u32);
                    if is_test && former != sample.class {
                        original_labels.labels.insert(sample.source.clone(), former);
                    }
                }
                Some(None) => {}
                None => {
                    original_labels.excluded.extend(is_test.then_some(sample.class));
                    continue;
                }
            }
            remaining.push(sample);
        }
        remaining.sort_by_key(|sample| sample.class);
        *split = remaining;
    }
    let count_applied = |excluded: bool| {
        let pairs = list.iter().zip(&applied);
        pairs
            .filter(|(correction, applied)| **applied && correction.class.is_none() == excluded)
            .count()
    };
    let count = CorrectionCount {
        labels: count_applied(false),
        left_out: count_applied(true),
        without_effect: applied.iter().filter(|applied| !**applied).count(),
    };
    (count, original_labels)
}

/// Returns the index of the entry for exactly this image; `None` if the image cannot be read.
fn find_entry(sample: &Sample, entries: &[usize], list: &[Correction]) -> Option<usize> {
    let sha256 = sample.sha256().ok()?;
    let mut entries = entries.iter().copied();
    entries.find(|at| list[*at].sha256.eq_ignore_ascii_case(&sha256))
}

/// Checks a list, which may have been written by hand.
///
/// # Errors
/// Returns a Problem if there are too many entries, two entries for the same image, or an invalid hash.
pub fn validate_corrections(list: &[Correction]) -> Result<()> {
    if list.len() > MAX_CORRECTIONS {
        return Err(Problem::new(message!(
            "problem-too-many-corrected-labels",
            list = list.len().to_string(),
            most = MAX_CORRECTIONS.to_string()
        ))
        .advise(message!("advice-correct-labels-in-dataset")));
    }
    let mut seen = HashSet::new();
    for correction in list {
        if !is_sha256(&correction.sha256) {
            let what = message!("problem-image-sha256-digits", picture = &correction.picture);
            return Err(Problem::new(what).advise(message!("advice-copy-hash-from-list")));
        }
        if !seen.insert((&correction.picture, correction.sha256.to_ascii_lowercase())) {
            let what = message!("problem-label-corrected-twice", picture = &correction.picture);
            return Err(Problem::new(what).advise(message!("advice-remove-one-entry")));
        }
    }
    Ok(())
}

#[cfg(test)]
impl Correction {
    /// Returns a correction of an image of the class cat.
    fn of_cat(picture: &str, class: Option<&str>) -> Self {
        Self {
            picture: picture.into(),
            sha256: "ab".repeat(32),
            was: "cat".into(),
            class: class.map(Into::into),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lae_base::tr;

    #[test]
    fn summarises_corrections_in_words() {
        let correction = Correction::of_cat;
        let list =
            [correction("a", Some("dog")), correction("b", Some("dog")), correction("c", None)];
        let excluded = tr!("remark-images-excluded", n = 1);
        let words = format!("{}, {excluded}", tr!("remark-labels-corrected", n = 2));
        let summary =
            |list| CorrectionCount::from_corrections(list).summary().map(|words| words.english());
        assert_eq!(summary(&list), Some(words.clone()));
        assert!(
            summarise_corrections(&list).starts_with(&words)
                && summarise_corrections(&list) != summarise_corrections(&list[..2])
        );
        assert_eq!(summary(&list[2..]), Some(excluded));
        assert_eq!(CorrectionCount::default().summary(), None);
    }

    #[test]
    fn validation_rejects_invalid_hashes_and_duplicates() {
        let correction = Correction::of_cat;
        let good = correction("a", None);
        assert!(validate_corrections(&[good.clone(), correction("b", None)]).is_ok());
        assert!(validate_corrections(&[good.clone(), correction("a", Some("dog"))]).is_err());
        let bad = Correction { sha256: "1".into(), ..good.clone() };
        assert!(validate_corrections(&[bad]).is_err());
        assert!(validate_corrections(&vec![good; MAX_CORRECTIONS + 1]).is_err());
    }
}
