//! Which test images of a run are answered rightly, kept small, so that two runs can be held against
//! each other image by image.

use sha2::{Digest, Sha256};

use super::load::StoredRun;
use crate::metrics::{ByExpert, Expert, Paired};

/// Which of its latest test images each expert of a run answers rightly.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answered {
    /// Hash over which images they are, and their classes.
    asked: [u8; 32],
    images: usize,
    /// A bit for each image, in the order of the data.
    right: ByExpert<Vec<u64>>,
}

impl Answered {
    /// Those of a run after its last saved task; none while no task is measured, and for runs of
    /// versions that did not note which images they learn from.
    pub fn of(run: &StoredRun) -> Option<Self> {
        let (header, answers) = (&run.header, &run.reports.last()?.answers);
        let mut order: Vec<usize> = (0..answers.labels.len()).collect();
        let place = |at: usize| {
            let sample = answers.samples.get(at).copied();
            (answers.source(at), sample.unwrap_or(usize::MAX))
        };
        order.sort_by_key(|&at| place(at));
        let mut hash = Sha256::new();
        let (images, config) = (header.images.as_ref()?, &header.config);
        hash.update(format!("{} {}", config.measured_on(), images.test));
        if config.measured_on() != "test" {
            // Which images are held out of training, a seed draws.
            let drawn = format!("{} {}", config.validation_share, config.seed);
            hash.update(format!("{} {drawn}", images.train));
        }
        for lesson in &header.lessons {
            hash.update(&lesson.fingerprint);
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
            let mut bits = vec![0u64; order.len().div_ceil(64)];
            for (bit, &at) in order.iter().enumerate() {
                let right = given.get(at) == Some(&answers.labels[at]);
                bits[bit / 64] |= u64::from(right) << (bit % 64);
            }
            bits
        };
        let given = answers.given.iter();
        Some(Self {
            asked: hash.finalize().into(),
            images: order.len(),
            right: given.map(|(of, given)| (*of, right(given))).collect(),
        })
    }

    /// On how many images only this expert of this run is right, or only that of the other; none
    /// where they were not asked the same images.
    pub fn beside(&self, expert: Expert, other: (&Self, Expert)) -> Option<Paired> {
        let (other, others) = other;
        let (mine, theirs) = (self.right.get(&expert)?, other.right.get(&others)?);
        let only = |these: &[u64], those: &[u64]| {
            let pairs = these.iter().zip(those);
            pairs.map(|(a, b)| (a & !b).count_ones() as usize).sum()
        };
        (self.asked == other.asked).then(|| Paired {
            images: self.images,
            first: only(mine, theirs),
            second: only(theirs, mine),
        })
    }
}
