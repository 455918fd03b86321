//! Decoded images kept in memory, within a budget, shared by all epochs and tasks.
//!
//! Kept are either the decoded image (training needs it whole, to crop it again in each epoch) or the
//! finished inference input, whichever is smaller where both would do; a whole image only where several like it fit.
//! What comes out of the cache is byte for byte what decoding gives, so results do not depend on the budget. Records
//! that are in memory anyway are not kept twice.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use serde::{Deserialize, Serialize};

use super::picture::Held as Decoded;
use super::source::{ImageSource, Sample};
use super::transform::{InputSpec, Resize};
use crate::memory::available_bytes;
use crate::problem::Result;

/// Bytes an entry costs besides its pixels, roughly.
const OVERHEAD: usize = 160;

/// Whole images of which fewer than this number fill the budget are not kept: a few vast ones spare little.
const FEWEST: usize = 8;

/// Decoded images within a budget.
pub struct PixelCache {
    budget: usize,
    held: Mutex<Held>,
    hits: AtomicU64,
    misses: AtomicU64,
}

#[derive(Default)]
struct Held {
    originals: HashMap<ImageSource, Arc<Decoded>>,
    inputs: HashMap<(ImageSource, InputKey), Arc<[u8]>>,
    bytes: usize,
    original_bytes: usize,
}

/// How full a cache is and how well it serves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CacheUse {
    /// Bytes held.
    pub bytes: usize,
    /// Bytes allowed.
    pub budget: usize,
    /// Images held.
    pub images: usize,
    /// Requests served without decoding.
    pub hits: u64,
    /// Requests that needed decoding.
    pub misses: u64,
}

impl PixelCache {
    /// A cache of at most `budget` bytes, and of half the memory that is free now; 0 keeps nothing.
    pub fn new(budget: usize) -> Self {
        let free = available_bytes().and_then(|free| usize::try_from(free / 2).ok());
        Self {
            budget: budget.min(free.unwrap_or(usize::MAX)),
            held: Mutex::default(),
            hits: AtomicU64::new(0),
            misses: AtomicU64::new(0),
        }
    }

    /// How full it is.
    pub fn usage(&self) -> CacheUse {
        let held = self.lock();
        CacheUse {
            bytes: held.bytes,
            budget: self.budget,
            images: held.originals.len() + held.inputs.len(),
            hits: self.hits.load(Ordering::Relaxed),
            misses: self.misses.load(Ordering::Relaxed),
        }
    }

    /// Forgets whole images, which are those of training: a new task has others.
    pub fn forget_originals(&self) {
        let mut held = self.lock();
        held.bytes -= held.original_bytes;
        held.original_bytes = 0;
        held.originals.clear();
    }

    /// The decoded image of a sample, decoded now or earlier.
    ///
    /// # Errors
    /// It cannot be decoded.
    pub(super) fn picture(&self, sample: &Sample) -> Result<Arc<Decoded>> {
        if sample.source.in_memory() {
            return sample.hold().map(Arc::new);
        }
        let known = self.lock().originals.get(&sample.source).cloned();
        if let Some(picture) = known {
            self.hits.fetch_add(1, Ordering::Relaxed);
            return Ok(picture);
        }
        self.misses.fetch_add(1, Ordering::Relaxed);
        let decoded = sample.hold()?;
        let cost = decoded.bytes() + OVERHEAD;
        let mut held = self.lock();
        if cost > self.budget / FEWEST || held.bytes.saturating_add(cost) > self.budget {
            // It keeps its part of the memory of all images that are being read.
            return Ok(Arc::new(decoded));
        }
        // From here on it is this budget's.
        let picture = Arc::new(Decoded::from(decoded.picture));
        let known = held
            .originals
            .insert(sample.source.clone(), Arc::clone(&picture));
        if known.is_none() {
            held.bytes += cost;
            held.original_bytes += cost;
        }
        Ok(picture)
    }

    /// The finished input of a sample, if it is held.
    pub(super) fn input(&self, source: &ImageSource, spec: InputSpec) -> Option<Arc<[u8]>> {
        if source.in_memory() {
            return None;
        }
        let known = self.lock().inputs.get(&key(source, spec)).cloned();
        let counter = if known.is_some() {
            &self.hits
        } else {
            &self.misses
        };
        counter.fetch_add(1, Ordering::Relaxed);
        known
    }

    /// Keeps a finished input, if there is room.
    pub(super) fn keep_input(&self, source: &ImageSource, spec: InputSpec, pixels: &[u8]) {
        let cost = pixels.len() + OVERHEAD;
        let mut held = self.lock();
        if !source.in_memory()
            && held.bytes + cost <= self.budget
            && held
                .inputs
                .insert(key(source, spec), Arc::from(pixels))
                .is_none()
        {
            held.bytes += cost;
        }
    }

    fn lock(&self) -> MutexGuard<'_, Held> {
        // A panic while the lock was held left at worst one entry uncounted.
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Size, bits of the crop ratio, and the rest of an [`InputSpec`].
type InputKey = (u32, u32, Resize);

fn key(source: &ImageSource, spec: InputSpec) -> (ImageSource, InputKey) {
    let of_input = (spec.size as u32, spec.crop_ratio.to_bits(), spec.resize);
    (source.clone(), of_input)
}
