//! Checks the images of a small dataset before training: finds damaged files, sizes and duplicates.
//!
//! Up to 20,000 files are all decoded once on all cores, so that a truncated download is reported in the summary and
//! not in the middle of the training. A fingerprint of the pixels finds images that are in both splits or have two
//! labels, whatever their names or file formats.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use image::RgbImage;
use rayon::prelude::*;
use sha2::{Digest, Sha256};

use super::fingerprint::{FileContent, HashesByImage, ImageHashes, PixelHash};
use super::image_file::{FULL_DEPTH, decode_and_inspect, jpeg_lacks_end};
use super::perceptual_hash::PerceptualHash;
use super::source::Sample;
use super::summary::Sizes;
use super::{
    Check, Dataset, Duplicate, ImageCopy, OpenOptions, ProgressReporter, Skipped, TwoLabels,
};
use crate::message;
use crate::problem::Result;
use crate::texts::Words;

/// Maximum number of image files that are decoded while opening, unless requested.
const MAX_CHECKED_FILES: usize = 20_000;

/// Bit depths that make 16-bit images look nearly black: those of cameras, and 8 for 8-bit values in 16-bit files.
const COMMON_DEPTHS: [usize; 4] = [8, 10, 12, 14];

/// The result of checking the images.
#[derive(Clone, Default)]
pub struct Checked {
    /// Files that cannot be decoded; they are removed from the samples.
    pub skipped: Vec<Skipped>,
    /// Remarks on what was not checked, and on unusual images, as sentences.
    pub assumed: Vec<Words>,
    /// Range of the image sizes.
    pub sizes: Option<Sizes>,
    /// The fingerprints of each image.
    pub image_hashes: Arc<HashesByImage>,
    /// The bit depth to suggest if 16-bit images look nearly black.
    pub better_depth: Option<usize>,
    /// Number of images with 16 bits per channel, and their largest value.
    sixteen_bit: (usize, u16),
    /// Number of JPEG images without an end marker.
    without_end: usize,
}

/// Decodes every image of both splits and removes unreadable ones.
///
/// # Errors
/// Returns a Problem if `progress` stopped it.
pub fn check_images(
    train: &mut Vec<Sample>,
    test: Option<&mut Vec<Sample>>,
    options: &OpenOptions,
    progress: &ProgressReporter,
) -> Result<Checked> {
    let (mut checked, mode) = (Checked::default(), options.check);
    let mut splits = vec![train];
    splits.extend(test);
    let files = splits
        .iter()
        .flat_map(|split| split.iter())
        .filter(|sample| !sample.source.is_in_memory())
        .count();
    if mode == Check::Never || (mode == Check::Auto && files > MAX_CHECKED_FILES) {
        if mode == Check::Auto {
            let remark = message!("remark-images-not-checked", most = MAX_CHECKED_FILES);
            checked.assumed.push(remark.into());
        }
        return Ok(checked);
    }
    let done = AtomicUsize::new(0);
    let stop = AtomicBool::new(false);
    let total = splits.iter().map(|split| split.len()).sum();
    for split in splits {
        let results: Vec<Option<Result<CheckedImage>>> = split
            .par_iter()
            .map(|sample| {
                let count = done.fetch_add(1, Ordering::Relaxed);
                if count.is_multiple_of(64)
                    && !progress.notify(message!("doing-checking-images"), count, Some(total))
                {
                    stop.store(true, Ordering::Relaxed);
                }
                (!stop.load(Ordering::Relaxed)).then(|| check_image(sample))
            })
            .collect();
        if stop.load(Ordering::Relaxed) {
            return Err(super::stopped());
        }
        let mut results = results.into_iter().flatten();
        split.retain(|sample| match results.next() {
            Some(Ok(checked_image)) => {
                checked.add(sample, checked_image);
                true
            }
            Some(Err(problem)) => {
                let skipped = Skipped::from_sample(sample, problem.what_text());
                checked.skipped.push(skipped);
                false
            }
            None => true,
        });
    }
    checked.add_depth_remarks(options.bit_depth);
    if checked.without_end > 0 {
        let remark = message!("remark-jpeg-without-end", n = checked.without_end);
        checked.assumed.push(remark.into());
    }
    Ok(checked)
}

/// The result of decoding one image.
struct CheckedImage {
    largest: Option<u16>,
    lacks_end: bool,
    width: u32,
    height: u32,
    hashes: ImageHashes,
}

fn check_image(sample: &Sample) -> Result<CheckedImage> {
    let (decoded, (content, lacks_end)) = match sample.source.path() {
        Some(path) => {
            let metadata = path.metadata().ok();
            let content = |bytes: &[u8]| FileContent::new(metadata.as_ref()?, bytes);
            let depth = sample.source.bit_depth();
            decode_and_inspect(&path, depth, |bytes| (content(bytes), jpeg_lacks_end(bytes)))?
        }
        None => (sample.decode_budgeted()?, (None, false)),
    };
    let image = &decoded.image;
    Ok(CheckedImage {
        largest: decoded.largest_value,
        lacks_end,
        width: image.width(),
        height: image.height(),
        hashes: ImageHashes {
            pixel_hash: hash_pixels(image),
            content,
            perceptual_hash: match sample.source.is_in_memory() {
                true => None,
                false => PerceptualHash::new(image).map(Box::new),
            },
        },
    })
}

fn hash_pixels(image: &RgbImage) -> PixelHash {
    let mut hash = Sha256::new();
    hash.update(image.width().to_le_bytes());
    hash.update(image.height().to_le_bytes());
    hash.update(image.as_raw());
    let mut digest = [0; 16];
    digest.copy_from_slice(&hash.finalize()[..16]);
    digest
}

impl Checked {
    fn add(&mut self, sample: &Sample, checked_image: CheckedImage) {
        if let Some(largest) = checked_image.largest {
            self.sixteen_bit = (self.sixteen_bit.0 + 1, self.sixteen_bit.1.max(largest));
        }
        self.without_end += usize::from(checked_image.lacks_end);
        let hashes = Arc::make_mut(&mut self.image_hashes);
        hashes.insert(sample.source.clone(), checked_image.hashes);
        let widen = |(low, high): (u32, u32), side: u32| (low.min(side), high.max(side));
        let sizes = self.sizes.get_or_insert(Sizes {
            width: (checked_image.width, checked_image.width),
            height: (checked_image.height, checked_image.height),
        });
        sizes.width = widen(sizes.width, checked_image.width);
        sizes.height = widen(sizes.height, checked_image.height);
    }

    /// Adds remarks on images that use more bits than `bit_depth`, and on 16-bit images that use so few bits that they
    /// look nearly black, such as those of 12-bit cameras.
    fn add_depth_remarks(&mut self, bit_depth: usize) {
        let (images, largest) = self.sixteen_bit;
        let bits = (u16::BITS - largest.leading_zeros()) as usize;
        let remark = if bits > bit_depth {
            message!("remark-bit-depth-clipped", n = images, depth = bit_depth, bits)
        } else if bit_depth == FULL_DEPTH
            && bits > 0
            && let Some(better) = COMMON_DEPTHS.into_iter().find(|depth| *depth >= bits)
        {
            self.better_depth = Some(better);
            let largest = largest.to_string();
            message!("remark-bit-depth-dark", n = images, bits, largest, depth = better)
        } else {
            return;
        };
        self.assumed.push(remark.into());
    }
}

/// Returns the images whose pixels are in both splits, in the order of the test split.
pub fn duplicates(train: &[Sample], test: &[Sample], hashes: &HashesByImage) -> Vec<Duplicate> {
    let mut first_by_hash: HashMap<&PixelHash, &Sample> = HashMap::new();
    for sample in train {
        if let Some(image_hashes) = hashes.get(&sample.source) {
            first_by_hash.entry(&image_hashes.pixel_hash).or_insert(sample);
        }
    }
    test.iter()
        .filter_map(|sample| {
            let twin = first_by_hash.get(&hashes.get(&sample.source)?.pixel_hash)?;
            Some(Duplicate { train: twin.name(), test: sample.name() })
        })
        .collect()
}

impl Dataset {
    /// Returns the indices of the test images with the same pixels as one of these images; `None` if the images of the
    /// dataset were not checked.
    pub fn copies_in_test(&self, samples: &[Sample]) -> Option<BTreeSet<usize>> {
        if self.image_hashes.is_empty() {
            return None;
        }
        // An unreadable image has no copies.
        let hashes = samples
            .par_iter()
            .filter_map(|sample| Some(hash_pixels(&sample.decode_budgeted().ok()?.image)));
        let hashes: HashSet<PixelHash> = hashes.collect();
        let test_samples = self.test.iter().enumerate();
        let copies = test_samples.filter(|(_, sample)| {
            let image_hashes = self.image_hashes.get(&sample.source);
            image_hashes.is_some_and(|image_hashes| hashes.contains(&image_hashes.pixel_hash))
        });
        Some(copies.map(|(index, _)| index).collect())
    }
}

/// Returns the images whose copies are in several classes, in the order of their first copies.
pub fn two_labels(
    classes: &[String],
    train: &[Sample],
    test: &[Sample],
    hashes: &HashesByImage,
) -> Vec<TwoLabels> {
    let splits = [("train", train), ("test", test)];
    let samples = splits
        .iter()
        .flat_map(|(split, samples)| samples.iter().map(move |sample| (*split, sample)));
    let mut copies: HashMap<&PixelHash, Vec<(usize, &str, &Sample)>> = HashMap::new();
    for (position, (split, sample)) in samples.enumerate() {
        if let Some(image_hashes) = hashes.get(&sample.source) {
            let copy = (position, split, sample);
            copies.entry(&image_hashes.pixel_hash).or_default().push(copy);
        }
    }
    let mut by_position: BTreeMap<usize, TwoLabels> = BTreeMap::new();
    for copies in copies.into_values() {
        let (first, _, sample) = copies[0];
        if copies.iter().any(|(.., other)| other.class != sample.class) {
            let copies = copies.into_iter();
            let copies = copies.map(|(_, split, sample)| ImageCopy::new(split, sample, classes));
            by_position.insert(first, TwoLabels(copies.collect()));
        }
    }
    by_position.into_values().collect()
}
