//! Short fingerprints of every image. That a data set changed [`Fingerprints`] say; these say which image did.

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::Dataset;
use super::contents::{Fingerprints, PrintKind, fingerprint_over};
use super::source::Sample;
use super::split::Split;
use crate::fetch::hex;

/// Bytes kept of the SHA-256 of an image: enough to find one among those of its class, and a hundred thousand
/// images take half a megabyte.
const SHORT: usize = 3;
/// The same in hexadecimal digits.
const DIGITS: usize = 2 * SHORT;

/// The images of one class in one split, in the order of the data set.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ClassPrints {
    /// Which split.
    pub split: Split,
    /// The class's name.
    #[serde(deserialize_with = "crate::names::read_composed")]
    pub class: String,
    /// How many there are.
    pub images: usize,
    /// Six hexadecimal digits of each, without anything between.
    pub prints: String,
}

impl ClassPrints {
    /// Whether there are as many prints as images.
    pub fn is_whole(&self) -> bool {
        self.prints.is_ascii() && Some(self.prints.len()) == self.images.checked_mul(DIGITS)
    }

    /// The first image (from 0) that is another one, or is missing, in `other`; `None` if all are the same.
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
    /// [`Dataset::fingerprints`], with short prints of every image. Each is looked at once for both.
    pub fn prints(&self) -> (Fingerprints, Vec<ClassPrints>) {
        self.prints_of(self.print_kind())
    }

    /// The same of a kind that is to be compared.
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

    /// The image at this place (from 0) among those of a class (by name) in a split, as people find it.
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
