//! Random numbers that depend only on their purpose, seed, epoch and image.
//!
//! Each stream is ChaCha8 with the key (purpose, seed, epoch, image index). The cipher defines the values, and the few
//! derivations below are part of this module, so a crop is the same on every machine, with any number of threads, and
//! in a resumed run.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng as _, SeedableRng};

/// The purpose of random numbers, which separates streams with equal seeds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// Drawing a test or validation split.
    Split = 1,
    /// Drawing a class order.
    ClassOrder = 2,
    /// Shuffling the images of an epoch.
    Shuffle = 3,
    /// Drawing crop and flip of an image in an epoch.
    Augment = 4,
    /// Drawing the units that dropout zeroes in a step.
    Dropout = 5,
}

/// A stream of random numbers.
pub struct Rng(ChaCha8Rng);

impl Rng {
    /// Creates the stream of a purpose, a seed, and two further numbers (epoch and image, or zeros).
    pub fn new(purpose: Purpose, seed: u64, epoch: u64, index: u64) -> Self {
        let mut key = [0; 32];
        for (part, value) in key.chunks_exact_mut(8).zip([purpose as u64, seed, epoch, index]) {
            part.copy_from_slice(&value.to_le_bytes());
        }
        Self(ChaCha8Rng::from_seed(key))
    }

    /// Returns 64 random bits.
    #[inline]
    pub fn bits(&mut self) -> u64 {
        self.0.next_u64()
    }

    /// Returns a uniform number in [0, 1) with 53 random bits.
    #[inline]
    pub fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// Returns a uniform number in [low, high).
    #[inline]
    pub fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.unit()
    }

    /// Returns a uniform integer among 0, 1, …, `n` − 1; 0 if `n` is 0.
    #[inline]
    pub fn below(&mut self, n: u64) -> u64 {
        // The high word of 64 random bits times n is uniform up to a bias of n / 2^64.
        ((u128::from(self.bits()) * u128::from(n)) >> 64) as u64
    }

    /// Shuffles items in place (Fisher–Yates).
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            items.swap(last, self.below(last as u64 + 1) as usize);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stream_is_determined_by_key() {
        let draw = |purpose, seed, epoch, index| {
            let mut rng = Rng::new(purpose, seed, epoch, index);
            [rng.below(1 << 40), rng.below(1 << 40)]
        };
        let reference = draw(Purpose::Augment, 1, 2, 3);
        assert_eq!(reference, draw(Purpose::Augment, 1, 2, 3));
        for other in [
            draw(Purpose::Shuffle, 1, 2, 3),
            draw(Purpose::Augment, 2, 2, 3),
            draw(Purpose::Augment, 1, 3, 3),
            draw(Purpose::Augment, 1, 2, 4),
        ] {
            assert_ne!(reference, other);
        }
    }

    #[test]
    fn draws_are_uniform() {
        let mut rng = Rng::new(Purpose::Split, 7, 0, 0);
        let mut counts = [0_usize; 10];
        let mut sum = 0.0;
        for _ in 0..20_000 {
            counts[rng.below(10) as usize] += 1;
            sum += rng.between(-1.0, 3.0);
        }
        // Five standard deviations of a binomial count: 5·√(20000·0.1·0.9) ≈ 212.
        assert!(counts.iter().all(|&n| n.abs_diff(2_000) < 212), "{counts:?}");
        assert!((sum / 20_000.0 - 1.0).abs() < 0.05);
        assert_eq!(rng.below(1), 0);
    }

    #[test]
    fn shuffle_permutes_items() {
        let mut items: Vec<usize> = (0..100).collect();
        Rng::new(Purpose::Shuffle, 0, 0, 0).shuffle(&mut items);
        assert_ne!(items, (0..100).collect::<Vec<_>>());
        items.sort_unstable();
        assert_eq!(items, (0..100).collect::<Vec<_>>());
    }
}
