//! Sets of copies and near copies of an image.
//!
//! Candidate pairs are neighbours in lists sorted by the bits of their [`PerceptualHash`]. The lists start at several
//! different bits, so the time is in O(n log n) for any images.

use std::collections::HashMap;

use rayon::prelude::*;

use super::contents::{HashesByImage, PixelHash};
use super::perceptual_hash::{PerceptualHash, SMALLEST};
use super::source::{ImageSource, Sample};
use super::{Dataset, NearCopies, SamePixels};
use crate::message;
use crate::texts::Message;

/// Maximum size of a set of near copies, because a sequence of video frames would form an arbitrarily long chain.
const MOST: usize = 100;
/// Bits between two starting bits of the sorted order, and neighbours that are compared in each order.
const STEP: u32 = 4;
const NEIGHBOURS: usize = 32;

/// Sets of images that are copies of each other.
#[derive(Default)]
pub(super) struct NearCopySets {
    /// The set of each image with a fingerprint.
    set: HashMap<ImageSource, usize>,
    /// Sets that contain near copies.
    near: Vec<Vec<ImageSource>>,
    /// Whether a set reached the maximum size.
    cut: bool,
}

impl NearCopySets {
    /// Groups the copies among decoded images; near copies are included if `near` is set.
    pub fn of<'a>(
        samples: impl Iterator<Item = &'a Sample>,
        known: &HashesByImage,
        near: bool,
    ) -> Self {
        let mut number: HashMap<PixelHash, usize> = HashMap::new();
        let mut of_print: Vec<Vec<&Sample>> = Vec::new();
        for sample in samples {
            if let Some(seen) = known.get(&sample.source) {
                let next = number.len();
                let at = *number.entry(seen.pixel_hash).or_insert(next);
                of_print.resize_with(number.len(), Vec::new);
                of_print[at].push(sample);
            }
        }
        let mut sets = Sets::new(of_print.len());
        if near {
            let gists: Vec<_> = of_print
                .par_iter()
                .map(|copies| perceptual_hash_of(copies[0], known))
                .collect();
            sets.join(&gists);
        }
        let mut known_sets = Self {
            cut: sets.cut,
            ..Self::default()
        };
        let mut near: HashMap<usize, Vec<ImageSource>> = HashMap::new();
        for (at, copies) in of_print.iter().enumerate() {
            let set = sets.find(at);
            for sample in copies {
                known_sets.set.insert(sample.source.clone(), set);
            }
            if sets.size[set] > 1 {
                let sources = copies.iter().map(|sample| sample.source.clone());
                near.entry(set).or_default().extend(sources);
            }
        }
        let mut near: Vec<(usize, Vec<ImageSource>)> = near.into_iter().collect();
        near.sort_by_key(|(set, _)| *set);
        known_sets.near = near.into_iter().map(|(_, sources)| sources).collect();
        known_sets
    }

    /// Returns whether no image was decoded.
    pub fn is_empty(&self) -> bool {
        self.set.is_empty()
    }

    /// Returns the set of an image.
    pub fn set_of(&self, sample: &Sample) -> Option<usize> {
        self.set.get(&sample.source).copied()
    }

    /// Returns whether there are near copies.
    pub fn has_near(&self) -> bool {
        !self.near.is_empty()
    }

    /// Returns the sets with near copies, as files of both splits.
    pub fn told(&self, classes: &[String], splits: [(&str, &[Sample]); 2]) -> Vec<NearCopies> {
        if self.near.is_empty() {
            return Vec::new();
        }
        let mut place: HashMap<&ImageSource, (&str, &Sample)> = HashMap::new();
        for (split, samples) in splits {
            let all = samples.iter();
            place.extend(all.map(|sample| (&sample.source, (split, sample))));
        }
        let twin = |source: &ImageSource| {
            let (split, sample) = place.get(source)?;
            Some(SamePixels::of(split, sample, classes))
        };
        let sets = self.near.iter();
        let sets = sets.map(|set| NearCopies(set.iter().filter_map(twin).collect()));
        sets.filter(|set| set.0.len() > 1).collect()
    }

    /// Returns the number of sets as a sentence; `None` if there are none.
    pub fn words(&self) -> Option<Message> {
        let pictures: usize = self.near.iter().map(Vec::len).sum();
        let cut = self
            .cut
            .then(|| message!("remark-near-copies-limited", most = MOST));
        (pictures > 0).then(|| {
            message!(
                "remark-near-copies-as-copies",
                sets = self.near.len(),
                n = pictures
            )
            .then(cut)
        })
    }
}

impl Dataset {
    /// Returns the number of each sample's set; copies and near copies of an image have the same number.
    pub fn sets_of_copies(&self, samples: &[Sample]) -> Vec<usize> {
        let sets = NearCopySets::of(samples.iter(), &self.known, true);
        let alone = samples.len()..;
        let each = samples.iter().zip(alone);
        each.map(|(sample, alone)| sets.set_of(sample).unwrap_or(alone))
            .collect()
    }
}

/// Returns the fingerprint of a sample. Files have a stored one; images in memory are processed now.
fn perceptual_hash_of(sample: &Sample, known: &HashesByImage) -> Option<PerceptualHash> {
    match &sample.source {
        ImageSource::File { .. } => {
            let hashes = known.get(&sample.source)?;
            hashes.perceptual_hash.as_deref().cloned()
        }
        ImageSource::Record { records, .. } => {
            match records.width.min(records.height) >= SMALLEST as usize {
                true => PerceptualHash::of(&sample.decode().ok()?),
                false => None,
            }
        }
    }
}

/// Disjoint sets of images (union-find).
struct Sets {
    parent: Vec<usize>,
    /// Size of each set, stored at its root.
    size: Vec<usize>,
    cut: bool,
}

impl Sets {
    fn new(count: usize) -> Self {
        Self {
            parent: (0..count).collect(),
            size: vec![1; count],
            cut: false,
        }
    }

    fn find(&mut self, mut at: usize) -> usize {
        while self.parent[at] != at {
            self.parent[at] = self.parent[self.parent[at]];
            at = self.parent[at];
        }
        at
    }

    /// Joins near copies: compares each image with its neighbours in several sorted orders.
    fn join(&mut self, gists: &[Option<PerceptualHash>]) {
        let mut order: Vec<(usize, &PerceptualHash)> = gists
            .iter()
            .enumerate()
            .filter_map(|(at, hash)| Some((at, hash.as_ref()?)))
            .collect();
        for first in (0..u64::BITS).step_by(STEP as usize) {
            order.sort_by_key(|(at, hash)| (hash.bits.rotate_left(first), *at));
            for (place, (one, hash)) in order.iter().enumerate() {
                for (other, its) in order[place + 1..].iter().take(NEIGHBOURS) {
                    self.meet((*one, hash), (*other, its));
                }
            }
        }
    }

    fn meet(
        &mut self,
        (one, hash): (usize, &PerceptualHash),
        (other, its): (usize, &PerceptualHash),
    ) {
        if hash.is_strange(its) {
            return;
        }
        let (a, b) = (self.find(one), self.find(other));
        let full = a != b && self.size[a] + self.size[b] > MOST;
        // After the first set of maximum size, further ones need not be recorded.
        if a == b || (full && self.cut) || !hash.is_near(its) {
            return;
        }
        if full {
            self.cut = true;
            return;
        }
        let (root, leaf) = (a.min(b), a.max(b));
        self.parent[leaf] = root;
        self.size[root] += self.size[leaf];
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests;
