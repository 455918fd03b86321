//! Data sets: what to open, what is in it, what was left out and why.
//!
//! Data's way: a folder, an archive or an embedded set → [`Dataset`] → [`scenario::Scenario`] →
//! [`loader::Loader`] → [`loader::Batch`]. This layer knows no tensors: results are 8-bit pixels. Everything
//! that is assumed about a folder (its level, its split) is written down as a sentence, and everything left
//! out is listed with its reason.

mod archive;
pub mod builtin;
mod cache;
mod check;
mod cifar;
mod contents;
mod corrected;
mod draw;
mod encoding;
pub mod export;
mod finish;
mod folder;
mod foreign;
mod image_hashes;
pub mod image_kind;
mod list_split;
pub mod listing;
mod lists;
pub mod loader;
mod natural_order;
mod near_copies;
mod perceptual_hash;
mod pickle;
pub mod picture;
pub mod published;
mod reader;
mod record;
pub mod rng;
mod roles;
mod scan;
pub mod scenario;
mod source;
mod split;
pub mod summary;
pub mod transform;
mod tree;
mod two_labels;

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;

use lae_base::{counts, fetch, files, folders, memory, message, names, problem, texts};
use serde::{Deserialize, Serialize};

pub use archive::cache_folder;
pub use cache::{CacheUse, PixelCache};
pub use contents::{Fingerprints, PrintKind};
pub use corrected::{
    Correction, CorrectionCount, MOST as MOST_CORRECTED, check as check_corrected,
    short as short_corrected,
};
pub use image_hashes::ClassPrints;
pub use list_split::Listed;
pub use natural_order::by_number;
pub use picture::{FULL_DEPTH, READABLE, decode_picture, decode_picture_file, picture_size};
pub use scan::{Scan, is_here, table_and_column};
pub use source::{Folder, ImageSource, Sample};
pub use split::Split;
pub use summary::Card;
pub use two_labels::{NearCopies, Twin, TwoLabels, told as told_two_labels};

use crate::names::composed;
use crate::problem::{Problem, Result};
use crate::texts::{Message, Words};

/// A data set: its classes and the images of both splits.
#[derive(Clone, Debug)]
pub struct Dataset {
    /// A short name for people: the folder's, the archive's, or that of an embedded set.
    pub name: String,
    /// What [`Dataset::open`] takes to open it again: an absolute path or a name.
    pub origin: String,
    /// The options it was opened with.
    pub options: OpenOptions,
    /// Class names, sorted by name (by Unicode code points, as Python's `sorted`); those with titles are sorted by the
    /// names of their folders.
    pub classes: Vec<String>,
    /// Training images, sorted by class, then by name.
    pub train: Vec<Sample>,
    /// Test images, sorted by class, then by name.
    pub test: Vec<Sample>,
    /// Files that were left out.
    pub skipped: Vec<Skipped>,
    /// The same image in training and test.
    pub duplicates: Vec<Duplicate>,
    /// The same image under two labels or more, corrected labels taken into account.
    pub two_labels: Vec<TwoLabels>,
    /// Sets of near copies; looked for only where something was drawn.
    pub near_copies: Vec<NearCopies>,
    /// Labels that were corrected as [`OpenOptions::corrected`] says.
    pub corrected: CorrectionCount,
    /// What was assumed, as sentences.
    pub assumed: Vec<Words>,
    /// Whether all test images were drawn by `test_share`, because no test split was given.
    pub test_drawn: bool,
    /// What list files said of both splits, where they named the test images.
    pub listed: Option<Listed>,
    /// Names of the list files that the classes or splits were read from.
    pub lists: Vec<String>,
    /// Smallest and largest image, where the images were looked at.
    pub sizes: Option<summary::Sizes>,
    /// The bit depth to suggest if 16-bit images look nearly black.
    pub better_depth: Option<usize>,
    /// Source and licence, where known.
    pub note: String,
    /// What is known of each image.
    known: Arc<contents::Known>,
    /// The test split before labels were corrected.
    came: Arc<corrected::OriginalLabels>,
}

/// A file that was left out, and why.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Skipped {
    /// The file or folder.
    pub path: PathBuf,
    /// Why, as a phrase.
    pub reason: Words,
}

/// An image that is in both splits.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Duplicate {
    /// Its name in the training split.
    pub train: String,
    /// Its name in the test split.
    pub test: String,
}

/// When the image files themselves are read while opening.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Check {
    /// If there are at most 20,000 of them.
    #[default]
    Auto,
    /// In any case.
    Always,
    /// Not at all: damaged files come up while training.
    Never,
}

/// How to open a data set.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct OpenOptions {
    /// Share of each class that becomes the test split where none is given, 0 to 1.
    pub test_share: f64,
    /// Seed of every split that is drawn.
    pub split_seed: u64,
    /// Share of each class's training images that replaces the test split, for tuning without
    /// looking at the test images; 0 for none.
    pub validation_share: f64,
    /// Whether all copies of an image stay on the same side of a split that is drawn.
    #[serde(default)]
    pub copies_together: bool,
    /// Whether near copies count as copies there.
    #[serde(default)]
    pub near_copies_together: bool,
    /// The most training images per class, evenly spaced over their sorted names.
    pub train_limit: Option<usize>,
    /// The most test images per class, likewise.
    pub test_limit: Option<usize>,
    /// Fewer classes are a problem. With 1, a flat folder of images counts as one class.
    pub min_classes: usize,
    /// Whether every image is decoded once, to list damaged ones and duplicates.
    pub check: Check,
    /// Significant bits of the values in 16-bit images, 8 to 16: 12 for the files of most 12-bit cameras.
    pub bit_depth: usize,
    /// Labels that the user corrected.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub corrected: Vec<Correction>,
    /// Class names as an older version stored them, if some were in decomposed Unicode: they give the order of the classes.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub stored_names: Vec<String>,
    /// Where archives are unpacked; `None` for a folder in [`cache_folder`].
    #[serde(skip)]
    pub unpack_to: Option<PathBuf>,
}

impl Default for OpenOptions {
    fn default() -> Self {
        Self {
            test_share: 0.2,
            split_seed: 0,
            validation_share: 0.0,
            copies_together: true,
            near_copies_together: true,
            train_limit: None,
            test_limit: None,
            min_classes: 2,
            check: Check::Auto,
            bit_depth: FULL_DEPTH,
            corrected: Vec::new(),
            stored_names: Vec::new(),
            unpack_to: None,
        }
    }
}

impl OpenOptions {
    /// Returns the names of classes as an older version stored them.
    fn stored<'n>(&'n self, names: &'n [String]) -> Vec<&'n str> {
        let stored = self.stored_names.iter();
        let stored: HashMap<_, _> = stored.map(|name| (composed(name), name)).collect();
        let names = names.iter();
        names
            .map(|name| {
                stored
                    .get(&composed(name))
                    .map_or(name.as_str(), |stored| stored)
            })
            .collect()
    }

    fn checked(&self) -> Result<()> {
        for (share, at) in [
            (self.test_share, "test_share"),
            (self.validation_share, "validation_share"),
        ] {
            if !(0.0..1.0).contains(&share) {
                return Err(Problem::new(message!(
                    "problem-share-out-of-range",
                    share = share.to_string()
                ))
                .at(at)
                .advise(message!("advice-share-of-one-fifth")));
            }
        }
        if self.train_limit == Some(0) || self.test_limit == Some(0) {
            return Err(
                Problem::new(message!("problem-image-limit-zero")).at("train_limit, test_limit")
            );
        }
        Ok(())
    }
}

/// Progress of opening, and the way to stop it.
pub struct Watch<'a>(Option<&'a StepFn<'a>>);

/// Called with what is being done, how much is done and, where known, out of how much; false stops.
pub type StepFn<'a> = dyn Fn(Message, usize, Option<usize>) -> bool + Sync + 'a;

impl<'a> Watch<'a> {
    /// Nobody watches.
    pub fn none() -> Self {
        Self(None)
    }

    /// Reports to `step`, from any thread.
    pub fn new(step: &'a StepFn<'a>) -> Self {
        Self(Some(step))
    }

    fn step(&self, doing: Message, done: usize, of: Option<usize>) -> bool {
        self.0.is_none_or(|step| step(doing, done, of))
    }
}

fn stopped() -> Problem {
    Problem::new(message!("problem-opening-dataset-stopped"))
}

impl Dataset {
    /// Opens `digits`, `letters`, a named set that was downloaded, a folder, an archive (zip, tar,
    /// tar.gz, tar.xz), WebDataset shards, Parquet files with images, or a CIFAR file's folder.
    ///
    /// # Errors
    /// Nothing usable there; every case says what was found and what to try.
    pub fn open(what: &str, options: &OpenOptions) -> Result<Self> {
        Self::open_watched(what, options, &Watch::none())
    }

    /// As [`Dataset::open`], reporting progress.
    ///
    /// # Errors
    /// As [`Dataset::open`], and when `watch` stops it.
    pub fn open_watched(what: &str, options: &OpenOptions, watch: &Watch) -> Result<Self> {
        Scan::read(what, options, watch)?.into_dataset(options)
    }

    /// The numbers and lists that `lae-studio data` shows.
    pub fn card(&self) -> Card {
        Card::of(self)
    }
}

/// What a reader found, before classes are sorted, splits drawn and images checked.
#[derive(Clone, Default)]
struct Found {
    name: String,
    /// The folder that was read: that of the path, or one around it.
    root: PathBuf,
    origin: String,
    classes: Vec<String>,
    /// Titles of classes, shown instead of their names.
    titles: HashMap<String, String>,
    train: Vec<Sample>,
    /// `None`: the source says nothing about a split.
    test: Option<Vec<Sample>>,
    /// Names of the list files that were read.
    lists: Vec<String>,
    /// Whether list files said which images are in which split.
    listed: bool,
    skipped: Vec<Skipped>,
    assumed: Vec<Words>,
    note: String,
}
