//! A compact record of which test images a run classifies correctly, so that two runs can be compared image by image.

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::fetch::hex;
use crate::metrics::{ByExpert, Expert, Paired, Predictions};
use crate::run::event::RunHeader;

/// Which of the test images after the latest task each expert of a run classifies correctly.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CorrectPredictions {
    /// Hash of the images and their classes.
    asked: Bits,
    images: usize,
    /// One bit per image, in the order of the dataset.
    right: ByExpert<Bits>,
}

/// Bytes that are stored as hexadecimal digits.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
struct Bits(Vec<u8>);

impl From<Bits> for String {
    fn from(bits: Bits) -> Self {
        hex(&bits.0)
    }
}

impl TryFrom<String> for Bits {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        let digit = |digit: &u8| char::from(*digit).to_digit(16);
        let byte = |pair: &[u8]| match pair {
            [high, low] => u8::try_from(digit(high)? * 16 + digit(low)?).ok(),
            _ => None,
        };
        let bytes = text.as_bytes().chunks(2).map(byte).collect::<Option<_>>();
        bytes.map(Self).ok_or("these are not hexadecimal digits")
    }
}

impl CorrectPredictions {
    /// Returns the record for a run with these latest predictions; `None` for runs of versions that did not record the
    /// fingerprints of their images.
    pub fn new(header: &RunHeader, answers: &Predictions) -> Option<Self> {
        let mut order: Vec<usize> = (0..answers.labels.len()).collect();
        let image_key = |index: usize| {
            let sample = answers.samples.get(index).copied();
            (answers.source(index), sample.unwrap_or(usize::MAX))
        };
        order.sort_by_key(|&index| image_key(index));
        let mut hash = Sha256::new();
        // The fingerprint identifies the images, however they were selected.
        hash.update(&header.images.as_ref()?.test);
        for added_task in &header.added_tasks {
            hash.update(&added_task.fingerprint);
        }
        for &index in &order {
            let (source, sample) = image_key(index);
            let class = header.class_order.get(answers.labels[index]);
            hash.update((source as u64).to_le_bytes());
            hash.update((sample as u64).to_le_bytes());
            hash.update(class.map_or("", String::as_str));
            hash.update([0]);
        }
        let correct_bits = |predictions: &Vec<usize>| {
            let mut bits = vec![0; order.len().div_ceil(8)];
            for (bit, &index) in order.iter().enumerate() {
                let is_correct = predictions.get(index) == Some(&answers.labels[index]);
                bits[bit / 8] |= u8::from(is_correct) << (bit % 8);
            }
            Bits(bits)
        };
        let predictions = answers.given.iter();
        Some(Self {
            asked: Bits(hash.finalize().to_vec()),
            images: order.len(),
            right: predictions
                .map(|(expert, predictions)| (*expert, correct_bits(predictions)))
                .collect(),
        })
    }

    /// Counts the images that only this expert of this run classifies correctly, and those that only the expert of the
    /// other run does; `None` if the test images differ.
    pub fn compare(&self, expert: Expert, other: (&Self, Expert)) -> Option<Paired> {
        let (other, other_expert) = other;
        let (mine, theirs) = (self.right.get(&expert)?, other.right.get(&other_expert)?);
        let only = |these: &Bits, those: &Bits| {
            let pairs = these.0.iter().zip(&those.0);
            pairs.map(|(a, b)| (a & !b).count_ones() as usize).sum()
        };
        (self.asked == other.asked).then(|| Paired {
            images: self.images,
            first: only(mine, theirs),
            second: only(theirs, mine),
        })
    }
}
