//! A memory cache of decoded images with a size limit, shared by all epochs and tasks.
//!
//! Training keeps the decoded image, because each epoch crops it differently; inference keeps the finished input. A
//! decoded image is kept only if several of its size fit. The cache returns exactly the bytes that decoding gives, so
//! results do not depend on the limit. Records that are in memory anyway are not cached.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard};

use super::image_file::BudgetedImage;
use super::source::{ImageSource, Sample};
use super::transform::{InputSpec, Resize};
use crate::memory::available_bytes;
use crate::problem::Result;
use crate::sync::lock;

/// Approximate size of an entry in bytes besides its pixels.
const ENTRY_OVERHEAD: usize = 160;

/// A decoded image is kept only if the limit is at least this number of times its size, because a few huge ones save
/// little time.
const MIN_IMAGES_IN_BUDGET: usize = 8;

/// A cache of decoded images with a size limit.
pub struct PixelCache {
    budget: usize,
    cached: Mutex<CachedImages>,
    hits: AtomicU64,
    misses: AtomicU64,
}

#[derive(Default)]
struct CachedImages {
    originals: HashMap<ImageSource, Arc<BudgetedImage>>,
    inputs: HashMap<(ImageSource, InputKey), Arc<[u8]>>,
    bytes: usize,
    original_bytes: usize,
}

/// Size and hit counts of a cache.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CacheUsage {
    /// Size in bytes.
    pub bytes: usize,
    /// Size limit in bytes.
    pub budget: usize,
    /// Number of cached images.
    pub images: usize,
    /// Number of requests that needed no decoding.
    pub hits: u64,
    /// Number of requests that needed decoding.
    pub misses: u64,
}

impl PixelCache {
    /// Creates a cache of at most `budget` bytes, but at most half of the free memory; with 0, nothing is cached.
    pub fn new(budget: usize) -> Self {
        let free = available_bytes().and_then(|free| usize::try_from(free / 2).ok());
        Self {
            budget: budget.min(free.unwrap_or(usize::MAX)),
            cached: Mutex::default(),
            hits: AtomicU64::new(0),
            misses: AtomicU64::new(0),
        }
    }

    /// Returns size and hit counts.
    pub fn usage(&self) -> CacheUsage {
        let cached = self.lock();
        CacheUsage {
            bytes: cached.bytes,
            budget: self.budget,
            images: cached.originals.len() + cached.inputs.len(),
            hits: self.hits.load(Ordering::Relaxed),
            misses: self.misses.load(Ordering::Relaxed),
        }
    }

    /// Removes decoded images, which belong to training: a new task has others.
    pub fn clear_originals(&self) {
        let mut cached = self.lock();
        cached.bytes -= cached.original_bytes;
        cached.original_bytes = 0;
        cached.originals.clear();
    }

    /// Returns the decoded image of a sample, from the cache if possible.
    pub(super) fn image(&self, sample: &Sample) -> Result<Arc<BudgetedImage>> {
        if sample.source.is_in_memory() {
            return sample.decode_budgeted().map(Arc::new);
        }
        let cached_image = self.lock().originals.get(&sample.source).cloned();
        if let Some(image) = cached_image {
            self.hits.fetch_add(1, Ordering::Relaxed);
            return Ok(image);
        }
        self.misses.fetch_add(1, Ordering::Relaxed);
        let decoded = sample.decode_budgeted()?;
        let cost = decoded.bytes() + ENTRY_OVERHEAD;
        let mut cached = self.lock();
        if cost > self.budget / MIN_IMAGES_IN_BUDGET
            || cached.bytes.saturating_add(cost) > self.budget
        {
            // The image keeps its share of the decoding memory, because it is not cached.
            return Ok(Arc::new(decoded));
        }
        // From here on, the image counts towards the limit of the cache instead of the decoding memory.
        let image = Arc::new(BudgetedImage::from(decoded.image));
        let previous = cached.originals.insert(sample.source.clone(), Arc::clone(&image));
        if previous.is_none() {
            cached.bytes += cost;
            cached.original_bytes += cost;
        }
        Ok(image)
    }

    /// Returns the cached input of a sample; `None` if it is not cached.
    pub(super) fn input(&self, source: &ImageSource, spec: InputSpec) -> Option<Arc<[u8]>> {
        if source.is_in_memory() {
            return None;
        }
        let cached_input = self.lock().inputs.get(&cache_key(source, spec)).cloned();
        let counter = if cached_input.is_some() { &self.hits } else { &self.misses };
        counter.fetch_add(1, Ordering::Relaxed);
        cached_input
    }

    /// Caches an input if it fits.
    pub(super) fn insert_input(&self, source: &ImageSource, spec: InputSpec, pixels: &[u8]) {
        let cost = pixels.len() + ENTRY_OVERHEAD;
        let mut cached = self.lock();
        if !source.is_in_memory()
            && cached.bytes + cost <= self.budget
            && cached.inputs.insert(cache_key(source, spec), Arc::from(pixels)).is_none()
        {
            cached.bytes += cost;
        }
    }

    fn lock(&self) -> MutexGuard<'_, CachedImages> {
        // A panic with the lock held leaves at most one entry uncounted.
        lock(&self.cached)
    }
}

/// Size, bits of the crop ratio, and resizing of an [`InputSpec`].
type InputKey = (u32, u32, Resize);

fn cache_key(source: &ImageSource, spec: InputSpec) -> (ImageSource, InputKey) {
    let input_key = (spec.size as u32, spec.crop_ratio.to_bits(), spec.resize);
    (source.clone(), input_key)
}
