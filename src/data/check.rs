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

use super::contents::{Content, HashesByImage, ImageHashes, PixelHash};
use super::perceptual_hash::PerceptualHash;
use super::picture::{FULL_DEPTH, decode_and, jpeg_lacks_end};
use super::source::Sample;
use super::summary::Sizes;
use super::{Check, Dataset, Duplicate, OpenOptions, SamePixels, Skipped, TwoLabels, Watch};
use crate::message;
use crate::problem::Result;
use crate::texts::Words;

/// Maximum number of image files that are decoded while opening, unless requested.
const MOST_CHECKED: usize = 20_000;

/// Bit depths that make 16-bit images look nearly black: those of cameras, and 8 for 8-bit values in 16-bit files.
const DEPTHS: [usize; 4] = [8, 10, 12, 14];

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
    pub known: Arc<HashesByImage>,
    /// The bit depth to suggest if 16-bit images look nearly black.
    pub better_depth: Option<usize>,
    /// Number of images with 16 bits per channel, and their largest value.
    deep: (usize, u16),
    /// Number of JPEG images without an end marker.
    without_end: usize,
}

/// Decodes every image of both splits and removes unreadable ones.
///
/// # Errors
/// Returns a Problem if `watch` stopped it.
pub fn check(
    train: &mut Vec<Sample>,
    test: Option<&mut Vec<Sample>>,
    options: &OpenOptions,
    watch: &Watch,
) -> Result<Checked> {
    let (mut checked, mode) = (Checked::default(), options.check);
    let mut splits = vec![train];
    splits.extend(test);
    let files = splits
        .iter()
        .flat_map(|split| split.iter())
        .filter(|sample| !sample.source.in_memory())
        .count();
    if mode == Check::Never || (mode == Check::Auto && files > MOST_CHECKED) {
        if mode == Check::Auto {
            let remark = message!("remark-images-not-checked", most = MOST_CHECKED);
            checked.assumed.push(remark.into());
        }
        return Ok(checked);
    }
    let done = AtomicUsize::new(0);
    let stop = AtomicBool::new(false);
    let total = splits.iter().map(|split| split.len()).sum();
    for split in splits {
        let looked: Vec<Option<Result<CheckedImage>>> = split
            .par_iter()
            .map(|sample| {
                let count = done.fetch_add(1, Ordering::Relaxed);
                if count.is_multiple_of(64)
                    && !watch.step(message!("doing-checking-images"), count, Some(total))
                {
                    stop.store(true, Ordering::Relaxed);
                }
                (!stop.load(Ordering::Relaxed)).then(|| check_image(sample))
            })
            .collect();
        if stop.load(Ordering::Relaxed) {
            return Err(super::stopped());
        }
        let mut looked = looked.into_iter().flatten();
        split.retain(|sample| match looked.next() {
            Some(Ok(look)) => {
                checked.note(sample, look);
                true
            }
            Some(Err(problem)) => {
                let skipped = Skipped::of_sample(sample, problem.words());
                checked.skipped.push(skipped);
                false
            }
            None => true,
        });
    }
    checked.weigh(options.bit_depth);
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
    let (held, (content, lacks_end)) = match sample.source.path() {
        Some(path) => {
            let about = path.metadata().ok();
            let content = |bytes: &[u8]| Content::of(about.as_ref()?, bytes);
            let depth = sample.source.bit_depth();
            decode_and(&path, depth, |bytes| {
                (content(bytes), jpeg_lacks_end(bytes))
            })?
        }
        None => (sample.hold()?, (None, false)),
    };
    let picture = &held.picture;
    Ok(CheckedImage {
        largest: held.largest,
        lacks_end,
        width: picture.width(),
        height: picture.height(),
        hashes: ImageHashes {
            pixel_hash: print_of(picture),
            content,
            perceptual_hash: match sample.source.in_memory() {
                true => None,
                false => PerceptualHash::of(picture).map(Box::new),
            },
        },
    })
}

fn print_of(picture: &RgbImage) -> PixelHash {
    let mut hash = Sha256::new();
    hash.update(picture.width().to_le_bytes());
    hash.update(picture.height().to_le_bytes());
    hash.update(picture.as_raw());
    let mut print = [0; 16];
    print.copy_from_slice(&hash.finalize()[..16]);
    print
}

impl Checked {
    fn note(&mut self, sample: &Sample, look: CheckedImage) {
        if let Some(largest) = look.largest {
            self.deep = (self.deep.0 + 1, self.deep.1.max(largest));
        }
        self.without_end += usize::from(look.lacks_end);
        let known = Arc::make_mut(&mut self.known);
        known.insert(sample.source.clone(), look.hashes);
        let widen = |(low, high): (u32, u32), side: u32| (low.min(side), high.max(side));
        let sizes = self.sizes.get_or_insert(Sizes {
            width: (look.width, look.width),
            height: (look.height, look.height),
        });
        sizes.width = widen(sizes.width, look.width);
        sizes.height = widen(sizes.height, look.height);
    }

    /// Adds remarks on images that use more bits than `bit_depth`, and on 16-bit images that use so few bits that they
    /// look nearly black, such as those of 12-bit cameras.
    fn weigh(&mut self, bit_depth: usize) {
        let (images, largest) = self.deep;
        let bits = (u16::BITS - largest.leading_zeros()) as usize;
        let remark = if bits > bit_depth {
            message!(
                "remark-bit-depth-clipped",
                n = images,
                depth = bit_depth,
                bits
            )
        } else if bit_depth == FULL_DEPTH
            && bits > 0
            && let Some(better) = DEPTHS.into_iter().find(|depth| *depth >= bits)
        {
            self.better_depth = Some(better);
            let largest = largest.to_string();
            message!(
                "remark-bit-depth-dark",
                n = images,
                bits,
                largest,
                depth = better
            )
        } else {
            return;
        };
        self.assumed.push(remark.into());
    }
}

/// Returns the images whose pixels are in both splits, in the order of the test split.
pub fn duplicates(train: &[Sample], test: &[Sample], known: &HashesByImage) -> Vec<Duplicate> {
    let mut first: HashMap<&PixelHash, &Sample> = HashMap::new();
    for sample in train {
        if let Some(seen) = known.get(&sample.source) {
            first.entry(&seen.pixel_hash).or_insert(sample);
        }
    }
    test.iter()
        .filter_map(|sample| {
            let twin = first.get(&known.get(&sample.source)?.pixel_hash)?;
            Some(Duplicate {
                train: twin.name(),
                test: sample.name(),
            })
        })
        .collect()
}

impl Dataset {
    /// Returns the indices of the test images with the same pixels as one of these images; `None` if the images of the
    /// dataset were not checked.
    pub fn copies_in_test(&self, of: &[Sample]) -> Option<BTreeSet<usize>> {
        if self.known.is_empty() {
            return None;
        }
        // An unreadable image has no copies.
        let of = of
            .par_iter()
            .filter_map(|sample| Some(print_of(&sample.hold().ok()?.picture)));
        let of: HashSet<PixelHash> = of.collect();
        let tests = self.test.iter().enumerate();
        let copies = tests.filter(|(_, sample)| {
            let seen = self.known.get(&sample.source);
            seen.is_some_and(|seen| of.contains(&seen.pixel_hash))
        });
        Some(copies.map(|(index, _)| index).collect())
    }
}

/// Returns the images whose copies are in several classes, in the order of their first copies.
pub fn two_labels(
    classes: &[String],
    train: &[Sample],
    test: &[Sample],
    known: &HashesByImage,
) -> Vec<TwoLabels> {
    let splits = [("train", train), ("test", test)];
    let samples = splits
        .iter()
        .flat_map(|(split, samples)| samples.iter().map(move |sample| (*split, sample)));
    let mut copies: HashMap<&PixelHash, Vec<(usize, &str, &Sample)>> = HashMap::new();
    for (place, (split, sample)) in samples.enumerate() {
        if let Some(seen) = known.get(&sample.source) {
            let copy = (place, split, sample);
            copies.entry(&seen.pixel_hash).or_default().push(copy);
        }
    }
    let mut by_place: BTreeMap<usize, TwoLabels> = BTreeMap::new();
    for copies in copies.into_values() {
        let (first, _, sample) = copies[0];
        if copies.iter().any(|(.., other)| other.class != sample.class) {
            let copies = copies.into_iter();
            let copies = copies.map(|(_, split, sample)| SamePixels::of(split, sample, classes));
            by_place.insert(first, TwoLabels(copies.collect()));
        }
    }
    by_place.into_values().collect()
}
