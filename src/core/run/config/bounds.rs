//! What each number of the settings may be. The checks and the inputs of the window hold to this one table, so that
//! the window can show and repeat whatever the command line takes.

use std::ops::RangeInclusive;

/// Epochs per task: every epoch of every task is planned before the first one.
pub const EPOCHS: RangeInclusive<usize> = 1..=10_000;
/// Images of a batch.
pub const BATCH: RangeInclusive<usize> = 1..=65_536;
/// Images that go through the network at once.
pub const MICRO_BATCH: RangeInclusive<usize> = 1..=usize::MAX >> 1;
/// Size of a PET; its plugin has closer bounds of its own.
pub const PET_SIZE: RangeInclusive<usize> = 1..=usize::MAX >> 1;
/// Seeds.
pub const SEED: RangeInclusive<u64> = 0..=WHOLE;
/// Learning rate at batch 256.
pub const BASE_LR: RangeInclusive<f64> = f64::MIN_POSITIVE..=f64::MAX;
/// Share of an image's area that a crop covers.
pub const CROP_SCALE: RangeInclusive<f32> = f32::MIN_POSITIVE..=1.0;
/// Images per class.
pub const LIMIT: RangeInclusive<usize> = 1..=usize::MAX >> 1;
/// Memory for decoded pictures in MB: as much as can be counted in bytes.
pub const CACHE_MB: RangeInclusive<usize> = 0..=usize::MAX >> 20;
/// Share of the images held back for testing; the ends do not belong to it.
pub const TEST_SHARE: RangeInclusive<f64> = 0.0..=1.0;
/// Share of the training images measured on; its upper end does not belong to it.
pub const VALIDATION_SHARE: RangeInclusive<f64> = 0.0..=1.0;

/// Largest whole number that a TOML file holds.
const WHOLE: u64 = i64::MAX as u64;
