//! Corrected labels: a list of the user, stored separately from the dataset, which is never changed.
//!
//! An entry identifies its image by its path inside the split and by its content, so it has no effect on another image
//! with that name. Splits are drawn before labels are corrected, so correcting never moves an image from training to
//! test.

use std::collections::{HashMap, HashSet};

use serde::{Deserialize, Deserializer, Serialize};
use sha2::{Digest, Sha256};

use super::Dataset;
use super::picture::sha256_of_file;
use super::source::{ImageSource, Sample};
use crate::fetch::hex;
use crate::message;
use crate::names::read_composed;
use crate::problem::{Problem, Result};
use crate::texts::Message;

/// Maximum number of entries of a list.
pub const MOST: usize = 10_000;

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
    #[serde(
        default,
        deserialize_with = "read_class",
        skip_serializing_if = "Option::is_none"
    )]
    pub class: Option<String>,
}

fn read_class<'de, D: Deserializer<'de>>(from: D) -> Result<Option<String>, D::Error> {
    read_composed(from).map(Some)
}

impl Correction {
    /// Returns whether both entries are about the same image.
    pub fn is_about(&self, other: &Self) -> bool {
        self.picture == other.picture && self.sha256 == other.sha256
    }

    /// Returns the correction that undoes this one.
    pub fn taken_back(&self) -> Self {
        Self {
            class: Some(self.was.clone()),
            ..self.clone()
        }
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
    pub fn of(list: &[Correction]) -> Self {
        let labels = list
            .iter()
            .filter(|correction| correction.class.is_some())
            .count();
        Self {
            labels,
            left_out: list.len() - labels,
            without_effect: 0,
        }
    }

    /// Returns a text such as "3 labels corrected, 1 image left out"; `None` if there are no corrections.
    pub fn words(&self) -> Option<Message> {
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
pub fn short(list: &[Correction]) -> String {
    let print = hex(&Sha256::digest(format!("{list:?}")));
    let words = CorrectionCount::of(list).words();
    let words = words.map_or_else(String::new, |words| words.english());
    format!("{words} ({})", &print[..8])
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
                Sha256::digest(records.raw(*index).unwrap_or_default()).into()
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
    left_out: Vec<u32>,
}

impl OriginalLabels {
    /// Removes images that are not among these samples.
    pub fn retain(&mut self, samples: &[Sample]) {
        let kept: HashSet<&ImageSource> = samples.iter().map(|sample| &sample.source).collect();
        self.labels.retain(|source, _| kept.contains(source));
    }
}

impl Dataset {
    /// Returns whether corrections changed the test split.
    pub fn test_was_corrected(&self) -> bool {
        !self.original_labels.labels.is_empty() || !self.left_out_of_test().is_empty()
    }

    /// Returns the original class of a test image, before corrections.
    pub fn class_as_it_came(&self, sample: &Sample) -> usize {
        let came = self.original_labels.labels.get(&sample.source);
        came.copied().unwrap_or(sample.class) as usize
    }

    /// Returns the classes of excluded test images; empty with a limit of test images, because other images took their
    /// places.
    pub fn left_out_of_test(&self) -> &[u32] {
        match self.options.test_limit {
            Some(_) => &[],
            None => &self.original_labels.left_out,
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
    let mut came = OriginalLabels::default();
    let mut wanted: HashMap<&str, Vec<usize>> = HashMap::new();
    for (at, correction) in list.iter().enumerate() {
        wanted.entry(&correction.picture).or_default().push(at);
    }
    let class_of = |name: &String| names.iter().position(|known| known == name);
    let mut met = vec![false; list.len()];
    for (split, is_test) in splits.into_iter().zip([false, true]) {
        let mut kept = Vec::with_capacity(split.len());
        for mut sample in std::mem::take(split) {
            let found = match wanted.is_empty() {
                true => None,
                false => wanted.get(sample.name().as_str()),
            };
            let Some(at) = found.and_then(|entries| entry_of(&sample, entries, list)) else {
                kept.push(sample);
                continue;
            };
            let class = list[at].class.as_ref().map(class_of);
            // An entry whose class does not exist has no effect.
            met[at] |= class != Some(None);
            match class {
                Some(Some(class)) => {
                    let former = std::mem::replace(&mut sample.class, class as u32);
                    if is_test && former != sample.class {
                        came.labels.insert(sample.source.clone(), former);
                    }
                }
                Some(None) => {}
                None => {
                    came.left_out.extend(is_test.then_some(sample.class));
                    continue;
                }
            }
            kept.push(sample);
        }
        kept.sort_by_key(|sample| sample.class);
        *split = kept;
    }
    let counted = |out: bool| {
        let pairs = list.iter().zip(&met);
        pairs
            .filter(|(correction, met)| **met && correction.class.is_none() == out)
            .count()
    };
    let count = CorrectionCount {
        labels: counted(false),
        left_out: counted(true),
        without_effect: met.iter().filter(|met| !**met).count(),
    };
    (count, came)
}

/// Returns the index of the entry for exactly this image; `None` if the image cannot be read.
fn entry_of(sample: &Sample, entries: &[usize], list: &[Correction]) -> Option<usize> {
    let sha256 = sample.sha256().ok()?;
    let mut entries = entries.iter().copied();
    entries.find(|at| list[*at].sha256.eq_ignore_ascii_case(&sha256))
}

/// Checks a list, which may have been written by hand.
///
/// # Errors
/// Returns a Problem if there are too many entries, two entries for the same image, or an invalid hash.
pub fn check(list: &[Correction]) -> Result<()> {
    if list.len() > MOST {
        return Err(Problem::new(message!(
            "problem-too-many-corrected-labels",
            list = list.len().to_string(),
            most = MOST.to_string()
        ))
        .advise(message!("advice-correct-labels-in-dataset")));
    }
    let mut seen = HashSet::new();
    for correction in list {
        let is_hash = correction.sha256.len() == 64
            && correction.sha256.chars().all(|c| c.is_ascii_hexdigit());
        if !is_hash {
            let what = message!("problem-image-sha256-digits", picture = &correction.picture);
            return Err(Problem::new(what).advise(message!("advice-copy-hash-from-list")));
        }
        if !seen.insert((&correction.picture, correction.sha256.to_ascii_lowercase())) {
            let what = message!(
                "problem-label-corrected-twice",
                picture = &correction.picture
            );
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
        let list = [
            correction("a", Some("dog")),
            correction("b", Some("dog")),
            correction("c", None),
        ];
        let excluded = tr!("remark-images-excluded", n = 1);
        let words = format!("{}, {excluded}", tr!("remark-labels-corrected", n = 2));
        let summary = |list| {
            CorrectionCount::of(list)
                .words()
                .map(|words| words.english())
        };
        assert_eq!(summary(&list), Some(words.clone()));
        assert!(short(&list).starts_with(&words) && short(&list) != short(&list[..2]));
        assert_eq!(summary(&list[2..]), Some(excluded));
        assert_eq!(CorrectionCount::default().words(), None);
    }

    #[test]
    fn check_rejects_invalid_hashes_and_duplicates() {
        let correction = Correction::of_cat;
        let good = correction("a", None);
        assert!(check(&[good.clone(), correction("b", None)]).is_ok());
        assert!(check(&[good.clone(), correction("a", Some("dog"))]).is_err());
        let bad = Correction {
            sha256: "1".into(),
            ..good.clone()
        };
        assert!(check(&[bad]).is_err());
        assert!(check(&vec![good; MOST + 1]).is_err());
    }
}
