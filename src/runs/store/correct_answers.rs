//! A compact record of which test images a run classifies correctly, so that two runs can be compared image by image.

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::fetch::hex;
use crate::metrics::{Answers, ByExpert, Expert, Paired};
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
    pub fn new(header: &RunHeader, answers: &Answers) -> Option<Self> {
        let mut order: Vec<usize> = (0..answers.labels.len()).collect();
        let place = |at: usize| {
            let sample = answers.samples.get(at).copied();
            (answers.source(at), sample.unwrap_or(usize::MAX))
        };
        order.sort_by_key(|&at| place(at));
        let mut hash = Sha256::new();
        // The fingerprint identifies the images, however they were selected.
        hash.update(&header.images.as_ref()?.test);
        for added_task in &header.added_tasks {
            hash.update(&added_task.fingerprint);
        }
        for &at in &order {
            let (source, sample) = place(at);
            let class = header.class_order.get(answers.labels[at]);
            hash.update((source as u64).to_le_bytes());
            hash.update((sample as u64).to_le_bytes());
            hash.update(class.map_or("", String::as_str));
            hash.update([0]);
        }
        let right = |given: &Vec<usize>| {
            let mut bits = vec![0; order.len().div_ceil(8)];
            for (bit, &at) in order.iter().enumerate() {
                let right = given.get(at) == Some(&answers.labels[at]);
                bits[bit / 8] |= u8::from(right) << (bit % 8);
            }
            Bits(bits)
        };
        let given = answers.given.iter();
        Some(Self {
            asked: Bits(hash.finalize().to_vec()),
            images: order.len(),
            right: given.map(|(of, given)| (*of, right(given))).collect(),
        })
    }

    /// Counts the images that only this expert of this run classifies correctly, and those that only the expert of the
    /// other run does; `None` if the test images differ.
    pub fn beside(&self, expert: Expert, other: (&Self, Expert)) -> Option<Paired> {
        let (other, others) = other;
        let (mine, theirs) = (self.right.get(&expert)?, other.right.get(&others)?);
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
