//! Random numbers that depend only on what they are for.
//!
//! Every draw comes from a ChaCha8 stream whose key is (purpose, run seed, epoch, index of the
//! image). The stream's values are fixed by the cipher, and the few derivations below are our own, so a crop
//! box is the same on every machine, for every number of threads and after a resumed run.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng as _, SeedableRng};

/// What the numbers are for; keeps streams of equal seeds apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// Splitting a test or validation share off.
    Split = 1,
    /// A seeded class order.
    ClassOrder = 2,
    /// The order of the images in an epoch.
    Shuffle = 3,
    /// Crop box and flip of one image in one epoch.
    Augment = 4,
    /// What dropout drops in one step.
    Dropout = 5,
}

/// A stream of random numbers.
pub struct Rng(ChaCha8Rng);

impl Rng {
    /// The stream of a purpose, a seed and two further numbers (epoch and image, or zeros).
    pub fn new(purpose: Purpose, seed: u64, epoch: u64, index: u64) -> Self {
        let mut key = [0; 32];
        for (part, value) in key
            .chunks_exact_mut(8)
            .zip([purpose as u64, seed, epoch, index])
        {
            part.copy_from_slice(&value.to_le_bytes());
        }
        Self(ChaCha8Rng::from_seed(key))
    }

    /// 64 random bits.
    #[inline]
    pub fn bits(&mut self) -> u64 {
        self.0.next_u64()
    }

    /// Uniform in [0, 1), with 53 random bits.
    #[inline]
    pub fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// Uniform in [low, high).
    #[inline]
    pub fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.unit()
    }

    /// Uniform among 0, 1, …, `n` − 1 (0 for `n` = 0).
    #[inline]
    pub fn below(&mut self, n: u64) -> u64 {
        // 64 random bits times n: the high word is uniform up to n / 2^64.
        ((u128::from(self.bits()) * u128::from(n)) >> 64) as u64
    }

    /// Fisher–Yates shuffle.
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
    fn the_stream_is_a_function_of_its_key() {
        let draw = |purpose, seed, epoch, index| {
            let mut rng = Rng::new(purpose, seed, epoch, index);
            [rng.below(1 << 40), rng.below(1 << 40)]
        };
        let one = draw(Purpose::Augment, 1, 2, 3);
        assert_eq!(one, draw(Purpose::Augment, 1, 2, 3));
        for other in [
            draw(Purpose::Shuffle, 1, 2, 3),
            draw(Purpose::Augment, 2, 2, 3),
            draw(Purpose::Augment, 1, 3, 3),
            draw(Purpose::Augment, 1, 2, 4),
        ] {
            assert_ne!(one, other);
        }
    }

    #[test]
    fn draws_fill_their_range_evenly() {
        let mut rng = Rng::new(Purpose::Split, 7, 0, 0);
        let mut counts = [0_usize; 10];
        let mut sum = 0.0;
        for _ in 0..20_000 {
            counts[rng.below(10) as usize] += 1;
            sum += rng.between(-1.0, 3.0);
        }
        // Five standard deviations of a binomial count: 5·√(20000·0.1·0.9) ≈ 212.
        assert!(
            counts.iter().all(|&n| n.abs_diff(2_000) < 212),
            "{counts:?}"
        );
        assert!((sum / 20_000.0 - 1.0).abs() < 0.05);
        assert_eq!(rng.below(1), 0);
    }

    #[test]
    fn a_shuffle_is_a_permutation_and_moves_things() {
        let mut items: Vec<usize> = (0..100).collect();
        Rng::new(Purpose::Shuffle, 0, 0, 0).shuffle(&mut items);
        assert_ne!(items, (0..100).collect::<Vec<_>>());
        items.sort_unstable();
        assert_eq!(items, (0..100).collect::<Vec<_>>());
    }
}
