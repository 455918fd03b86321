//! Sets of copies and near copies of an image.
//!
//! Candidate pairs are neighbours in lists sorted by the bits of their [`PerceptualHash`]. The lists start at several
//! different bits, so the time is in O(n log n) for any images.

use std::collections::HashMap;

use rayon::prelude::*;

use super::fingerprint::{HashesByImage, PixelHash};
use super::perceptual_hash::{MIN_SIDE, PerceptualHash};
use super::source::{ImageSource, Sample};
use super::{Dataset, ImageCopy, NearCopies};
use crate::message;
use crate::texts::Message;

/// Maximum size of a set of near copies, because a sequence of video frames would form an arbitrarily long chain.
const MAX_SET_SIZE: usize = 100;
/// Bits between two starting bits of the sorted order, and neighbours that are compared in each order.
const BIT_STEP: u32 = 4;
const NEIGHBOURS: usize = 32;

/// Sets of images that are copies of each other.
#[derive(Default)]
pub(super) struct NearCopySets {
    /// The set of each image with a fingerprint.
    set_by_image: HashMap<ImageSource, usize>,
    /// Sets that contain near copies.
    near_sets: Vec<Vec<ImageSource>>,
    /// Whether a set reached the maximum size.
    is_limited: bool,
}

impl NearCopySets {
    /// Groups the copies among decoded images; near copies are included if `include_near` is set.
    pub fn new<'a>(
        samples: impl Iterator<Item = &'a Sample>,
        hashes: &HashesByImage,
        include_near: bool,
    ) -> Self {
        let mut number_by_hash: HashMap<PixelHash, usize> = HashMap::new();
        let mut copies_by_hash: Vec<Vec<&Sample>> = Vec::new();
        for sample in samples {
            if let Some(image_hashes) = hashes.get(&sample.source) {
                let next = number_by_hash.len();
                let index = *number_by_hash.entry(image_hashes.pixel_hash).or_insert(next);
                copies_by_hash.resize_with(number_by_hash.len(), Vec::new);
                copies_by_hash[index].push(sample);
            }
        }
        let mut sets = DisjointSets::new(copies_by_hash.len());
        if include_near {
            let perceptual_hashes: Vec<_> = copies_by_hash
                .par_iter()
                .map(|copies| perceptual_hash_of(copies[0], hashes))
                .collect();
            sets.join_near_copies(&perceptual_hashes);
        }
        let mut result = Self { is_limited: sets.is_limited, ..Self::default() };
        let mut near_by_set: HashMap<usize, Vec<ImageSource>> = HashMap::new();
        for (index, copies) in copies_by_hash.iter().enumerate() {
            let set = sets.find(index);
            for sample in copies {
                result.set_by_image.insert(sample.source.clone(), set);
            }
            if sets.size[set] > 1 {
                let sources = copies.iter().map(|sample| sample.source.clone());
                near_by_set.entry(set).or_default().extend(sources);
            }
        }
        let mut sorted: Vec<(usize, Vec<ImageSource>)> = near_by_set.into_iter().collect();
        sorted.sort_by_key(|(set, _)| *set);
        result.near_sets = sorted.into_iter().map(|(_, sources)| sources).collect();
        result
    }

    /// Returns whether no image was decoded.
    pub fn is_empty(&self) -> bool {
        self.set_by_image.is_empty()
    }

    /// Returns the set of an image.
    pub fn set_of(&self, sample: &Sample) -> Option<usize> {
        self.set_by_image.get(&sample.source).copied()
    }

    /// Returns whether there are near copies.
    pub fn has_near(&self) -> bool {
        !self.near_sets.is_empty()
    }

    /// Returns the sets with near copies, as files of both splits.
    pub fn to_near_copies(
        &self,
        classes: &[String],
        splits: [(&str, &[Sample]); 2],
    ) -> Vec<NearCopies> {
        if self.near_sets.is_empty() {
            return Vec::new();
        }
        let mut by_source: HashMap<&ImageSource, (&str, &Sample)> = HashMap::new();
        for (split, samples) in splits {
            let all = samples.iter();
            by_source.extend(all.map(|sample| (&sample.source, (split, sample))));
        }
        let to_copy = |source: &ImageSource| {
            let (split, sample) = by_source.get(source)?;
            Some(ImageCopy::new(split, sample, classes))
        };
        let sets = self.near_sets.iter();
        let sets = sets.map(|set| NearCopies(set.iter().filter_map(to_copy).collect()));
        sets.filter(|set| set.0.len() > 1).collect()
    }

    /// Returns the number of sets as a sentence; `None` if there are none.
    pub fn summary(&self) -> Option<Message> {
        let images: usize = self.near_sets.iter().map(Vec::len).sum();
        let cut =
            self.is_limited.then(|| message!("remark-near-copies-limited", most = MAX_SET_SIZE));
        (images > 0).then(|| {
            message!("remark-near-copies-as-copies", sets = self.near_sets.len(), n = images)
                .followed_by(cut)
        })
    }
}

impl Dataset {
    /// Returns the number of each sample's set; copies and near copies of an image have the same number.
    pub fn copy_set_numbers(&self, samples: &[Sample]) -> Vec<usize> {
        let sets = NearCopySets::new(samples.iter(), &self.image_hashes, true);
        let own_numbers = samples.len()..;
        let each = samples.iter().zip(own_numbers);
        each.map(|(sample, own_number)| sets.set_of(sample).unwrap_or(own_number)).collect()
    }
}

/// Returns the fingerprint of a sample. Files have a stored one; images in memory are processed now.
fn perceptual_hash_of(sample: &Sample, all_hashes: &HashesByImage) -> Option<PerceptualHash> {
    match &sample.source {
        ImageSource::File { .. } => {
            let hashes = all_hashes.get(&sample.source)?;
            hashes.perceptual_hash.as_deref().cloned()
        }
        ImageSource::Record { records, .. } => {
            match records.width.min(records.height) >= MIN_SIDE as usize {
                true => PerceptualHash::new(&sample.decode().ok()?),
                false => None,
            }
        }
    }
}

/// Disjoint sets of images (union-find).
struct DisjointSets {
    parent: Vec<usize>,
    /// Size of each set, stored at its root.
    size: Vec<usize>,
    is_limited: bool,
}

impl DisjointSets {
    fn new(count: usize) -> Self {
        Self { parent: (0..count).collect(), size: vec![1; count], is_limited: false }
    }

    fn find(&mut self, mut index: usize) -> usize {
        while self.parent[index] != index {
            self.parent[index] = self.parent[self.parent[index]];
            index = self.parent[index];
        }
        index
    }

    /// Joins near copies: compares each image with its neighbours in several sorted orders.
    fn join_near_copies(&mut self, hashes: &[Option<PerceptualHash>]) {
        let mut order: Vec<(usize, &PerceptualHash)> =
            hashes.iter().enumerate().filter_map(|(at, hash)| Some((at, hash.as_ref()?))).collect();
        for rotation in (0..u64::BITS).step_by(BIT_STEP as usize) {
            order.sort_by_key(|(at, hash)| (hash.bits.rotate_left(rotation), *at));
            for (place, (index, hash)) in order.iter().enumerate() {
                for (other_index, other_hash) in order[place + 1..].iter().take(NEIGHBOURS) {
                    self.join_if_near((*index, hash), (*other_index, other_hash));
                }
            }
        }
    }

    fn join_if_near(
        &mut self,
        (index, hash): (usize, &PerceptualHash),
        (other_index, other_hash): (usize, &PerceptualHash),
    ) {
        if hash.is_clearly_different(other_hash) {
            return;
        }
        let (a, b) = (self.find(index), self.find(other_index));
        let full = a != b && self.size[a] + self.size[b] > MAX_SET_SIZE;
        // After the first set of maximum size, further ones need not be recorded.
        if a == b || (full && self.is_limited) || !hash.is_near_copy(other_hash) {
            return;
        }
        if full {
            self.is_limited = true;
            return;
        }
        let (root, leaf) = (a.min(b), a.max(b));
        self.parent[leaf] = root;
        self.size[root] += self.size[leaf];
    }
}

#[cfg(test)]
mod tests;
