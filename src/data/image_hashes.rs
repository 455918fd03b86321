//! Short fingerprints of every image. [`Fingerprints`] show whether a dataset changed; these show which image changed.

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::Dataset;
use super::contents::{Fingerprints, PrintKind, fingerprint_over};
use super::source::Sample;
use super::split::Split;
use crate::fetch::hex;

/// Number of bytes kept of the SHA-256 of an image: enough to identify it within its class, and only half a megabyte
/// for a hundred thousand images in hexadecimal digits.
const SHORT: usize = 3;
/// Number of hexadecimal digits of a short fingerprint.
const DIGITS: usize = 2 * SHORT;

/// The images of one class in one split, in the order of the dataset.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ClassPrints {
    /// The split.
    pub split: Split,
    /// The name of the class.
    #[serde(deserialize_with = "crate::names::read_composed")]
    pub class: String,
    /// Number of images.
    pub images: usize,
    /// Six hexadecimal digits per image, without separators.
    pub prints: String,
}

impl ClassPrints {
    /// Returns whether there are as many fingerprints as images.
    pub fn is_whole(&self) -> bool {
        self.prints.is_ascii() && Some(self.prints.len()) == self.images.checked_mul(DIGITS)
    }

    /// Returns the index of the first image that differs or is missing in `other`; `None` if all are equal.
    pub fn first_other(&self, other: &Self) -> Option<usize> {
        let [own, others] = [self, other].map(|prints| prints.prints.as_bytes().chunks(DIGITS));
        let all = own.len().max(others.len());
        let differs = own
            .zip(others.clone())
            .position(|(own, other)| own != other);
        let shorter = self.images.min(other.images);
        differs.or_else(|| (shorter < all).then_some(shorter))
    }
}

impl Dataset {
    /// Returns [`Dataset::fingerprints`] and the short fingerprints of every image. Each image is read only once for
    /// both.
    pub fn prints(&self) -> (Fingerprints, Vec<ClassPrints>) {
        self.prints_of(self.print_kind())
    }

    /// Returns both for a certain kind of fingerprint, for comparison with existing ones.
    pub fn prints_of(&self, kind: PrintKind) -> (Fingerprints, Vec<ClassPrints>) {
        let mut prints = Vec::new();
        let mut of = |split: Split, samples: &[Sample]| {
            let lines = self.lines(samples, kind, Sample::name);
            let mut each = vec![String::new(); self.classes.len()];
            for (sample, line) in samples.iter().zip(&lines) {
                if let Some(prints) = each.get_mut(sample.class as usize) {
                    prints.push_str(&hex(&Sha256::digest(line)[..SHORT]));
                }
            }
            let named = self.classes.iter().zip(each);
            prints.extend(named.map(|(class, prints)| ClassPrints {
                split,
                class: class.clone(),
                images: prints.len() / DIGITS,
                prints,
            }));
            fingerprint_over(&self.classes, &lines)
        };
        let (train, test) = (of(Split::Train, &self.train), of(Split::Test, &self.test));
        (Fingerprints { kind, train, test }, prints)
    }

    /// Returns the name of the image at an index (from 0) among those of a class in a split.
    pub fn picture_name(&self, split: Split, class: &str, at: usize) -> Option<String> {
        let samples = match split {
            Split::Train => &self.train,
            Split::Test => &self.test,
        };
        let class = self.classes.iter().position(|known| known == class)?;
        let mut of_class = samples.iter().filter(|s| s.class as usize == class);
        of_class.nth(at).map(Sample::name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_picture_that_changed_or_went_is_found() {
        let of = |prints: &str| ClassPrints {
            split: Split::Test,
            class: "robin".into(),
            images: prints.len() / DIGITS,
            prints: prints.into(),
        };
        let known = of("aaaaaabbbbbbcccccc");
        assert!(known.is_whole() && !of("aaaaaab").is_whole());
        assert_eq!(known.first_other(&known), None);
        assert_eq!(known.first_other(&of("aaaaaabbbbbccccccc")), Some(1));
        assert_eq!(known.first_other(&of("aaaaaabbbbbb")), Some(2));
        assert_eq!(of("").first_other(&known), Some(0));
    }
}
