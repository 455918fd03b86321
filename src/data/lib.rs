//! Datasets: how they are opened, what they contain, and what was left out and why.
//!
//! A folder, an archive or an embedded dataset becomes a [`Dataset`], then a [`scenario::Scenario`], and a
//! [`loader::ImageLoader`] returns its images as [`loader::ImageBatch`]. This crate does not use tensors: its results
//! are 8-bit pixels. All assumptions about a folder, such as its level and split, are reported as sentences, and
//! skipped files are listed with a reason.

mod archive;
mod assemble;
pub mod builtin;
mod cache;
mod check;
mod cifar;
mod corrected_labels;
mod encoding;
pub mod export;
mod fingerprint;
mod folder;
pub mod image_file;
pub mod image_kind;
pub mod listing;
mod lists;
pub mod loader;
mod multi_label;
mod natural_order;
mod near_copies;
mod perceptual_hash;
mod pickle;
pub mod published;
mod reader;
mod record;
pub mod rng;
mod roles;
mod scan;
pub mod scenario;
mod source;
mod split_sampler;
pub mod summary;
pub mod transform;
mod tree;
mod unsupported;

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;

use lae_base::{counts, fetch, files, folders, memory, message, names, problem, sync, texts};
use serde::{Deserialize, Serialize};

pub use archive::cache_folder;
pub use assemble::ListedSplit;
pub use cache::{CacheUsage, PixelCache};
pub use corrected_labels::{
    Correction, CorrectionCount, summarise_corrections, validate_corrections,
};
pub use fingerprint::{ClassFingerprints, FingerprintKind, Fingerprints};
pub use image_file::{FULL_DEPTH, IMAGE_EXTENSIONS, decode_image, decode_image_file, image_size};
pub use multi_label::{ImageCopy, NearCopies, TwoLabels, summarise_two_labels};
pub use natural_order::compare_natural;
pub use scan::{Scan, is_available, split_table_and_column};
pub use source::{Folder, ImageSource, Sample};
pub use summary::DatasetSummary;

use crate::names::composed;
use crate::problem::{Problem, Result};
use crate::texts::{Message, Words};

/// A dataset: its classes and the images of both splits.
#[derive(Clone, Debug)]
pub struct Dataset {
    /// A short name for display: that of the folder, the archive or the embedded dataset.
    pub name: String,
    /// The argument of [`Dataset::open`] that opens it again: an absolute path or a name.
    pub origin: String,
    /// The options with which it was opened.
    pub options: OpenOptions,
    /// Class names, sorted by Unicode code points like Python's `sorted`. Classes with titles are sorted by the names
    /// of their folders.
    pub classes: Vec<String>,
    /// Training images, sorted by class, then by name.
    pub train: Vec<Sample>,
    /// Test images, sorted by class, then by name.
    pub test: Vec<Sample>,
    /// Files that were left out.
    pub skipped: Vec<Skipped>,
    /// Images that are in both training and test.
    pub duplicates: Vec<Duplicate>,
    /// Images with several labels, after corrections.
    pub two_labels: Vec<TwoLabels>,
    /// Sets of near copies; searched only if a split was drawn.
    pub near_copies: Vec<NearCopies>,
    /// The effect of [`OpenOptions::corrected`].
    pub corrected: CorrectionCount,
    /// Assumptions, as sentences.
    pub assumed: Vec<Words>,
    /// Whether all test images were drawn by `test_share`, because the source has no test split.
    pub test_drawn: bool,
    /// The splits in list files, if those name the test images.
    pub listed_split: Option<ListedSplit>,
    /// Names of the list files from which the classes or splits were read.
    pub lists: Vec<String>,
    /// Smallest and largest image size, if the images were checked.
    pub sizes: Option<summary::Sizes>,
    /// The bit depth to suggest if 16-bit images look nearly black.
    pub better_depth: Option<usize>,
    /// Source and licence, if known.
    pub note: String,
    /// Fingerprints of each image, if the images were checked.
    image_hashes: Arc<fingerprint::HashesByImage>,
    /// The differences from the test split before labels were corrected.
    original_labels: Arc<corrected_labels::OriginalLabels>,
}

/// A file that was left out, with the reason.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Skipped {
    /// The file or folder.
    pub path: PathBuf,
    /// The reason, as a phrase.
    pub reason: Words,
}

impl Skipped {
    fn new(path: impl Into<PathBuf>, reason: impl Into<Words>) -> Self {
        Self { path: path.into(), reason: reason.into() }
    }

    fn from_sample(sample: &Sample, reason: impl Into<Words>) -> Self {
        let path = sample.source.path();
        Self::new(path.unwrap_or_else(|| sample.name().into()), reason)
    }
}

/// A split of a dataset.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Split {
    /// The training images.
    Train,
    /// The test images.
    Test,
}

/// An image that is in both splits.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Duplicate {
    /// Its name in the training split.
    pub train: String,
    /// Its name in the test split.
    pub test: String,
}

/// Whether image files are decoded while opening.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Check {
    /// If there are at most 20,000 files.
    #[default]
    Auto,
    /// Always.
    Always,
    /// Never; damaged files are found during training.
    Never,
}

/// Options for opening a dataset.
#[derive(Clone, Debug, PartialEq)]
pub struct OpenOptions {
    /// Share of each class, from 0 to 1, that is drawn as the test split if the source has none.
    pub test_share: f64,
    /// Seed of drawn splits.
    pub split_seed: u64,
    /// Share of each class's training images that replaces the test split, for tuning without the test images; 0 for
    /// none.
    pub validation_share: f64,
    /// Whether all copies of an image stay on the same side of a drawn split.
    pub copies_together: bool,
    /// Whether near copies also count as copies.
    pub near_copies_together: bool,
    /// Maximum number of training images per class, chosen at even distances from their sorted names.
    pub train_limit: Option<usize>,
    /// Maximum number of test images per class, chosen in the same way.
    pub test_limit: Option<usize>,
    /// Minimum number of classes. With 1, a flat folder of images counts as one class.
    pub min_classes: usize,
    /// Whether every image is decoded once, to find damaged files and duplicates.
    pub check: Check,
    /// Significant bits of the values in 16-bit images, 8 to 16: 12 for the files of most 12-bit cameras.
    pub bit_depth: usize,
    /// The user's corrected labels.
    pub corrected: Vec<Correction>,
    /// Class names as stored by an older version, if some were in decomposed Unicode; they determine the order of the
    /// classes.
    pub stored_names: Vec<String>,
    /// Folder for unpacked archives; `None` for a folder in [`cache_folder`].
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
    /// Returns class names as an older version stored them.
    fn names_as_stored<'n>(&'n self, names: &'n [String]) -> Vec<&'n str> {
        let stored = self.stored_names.iter();
        let stored_by_composed: HashMap<_, _> = stored.map(|name| (composed(name), name)).collect();
        let to_stored = |name: &'n String| {
            stored_by_composed
                .get(&composed(name))
                .map_or(name, |stored_name| *stored_name)
                .as_str()
        };
        names.iter().map(to_stored).collect()
    }

    fn validate(&self) -> Result<()> {
        for (share, at) in
            [(self.test_share, "test_share"), (self.validation_share, "validation_share")]
        {
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

/// Reports the progress of opening a dataset, and can stop it.
pub struct ProgressReporter<'a>(Option<&'a ProgressFn<'a>>);

/// Called with the current action, the number of finished items and, if known, the total; returns false to stop.
pub type ProgressFn<'a> = dyn Fn(Message, usize, Option<usize>) -> bool + Sync + 'a;

impl<'a> ProgressReporter<'a> {
    /// Returns a reporter that does not report anything.
    pub fn silent() -> Self {
        Self(None)
    }

    /// Returns a reporter that calls `step`, from any thread.
    pub fn new(step: &'a ProgressFn<'a>) -> Self {
        Self(Some(step))
    }

    fn notify(&self, doing: Message, done: usize, total: Option<usize>) -> bool {
        self.0.is_none_or(|step| step(doing, done, total))
    }

    /// Reports progress; returns a Problem if the action is to stop.
    fn report(&self, doing: Message, done: usize, total: Option<usize>) -> Result<()> {
        match self.notify(doing, done, total) {
            true => Ok(()),
            false => Err(stopped()),
        }
    }
}

fn stopped() -> Problem {
    Problem::new(message!("problem-opening-dataset-stopped"))
}

impl Dataset {
    /// Opens `digits`, `letters`, a downloaded dataset by name, a folder, an archive (zip, tar, tar.gz, tar.xz),
    /// WebDataset shards, Parquet files with images, or a folder with CIFAR's files.
    ///
    /// # Errors
    /// Returns a Problem if there is no usable dataset. It says what was found and what to try.
    pub fn open(source: &str, options: &OpenOptions) -> Result<Self> {
        Self::open_with_progress(source, options, &ProgressReporter::silent())
    }

    /// Opens a dataset like [`Dataset::open`], and reports progress.
    ///
    /// # Errors
    /// Returns the same Problems as [`Dataset::open`], and one if `progress` stopped it.
    pub fn open_with_progress(
        source: &str,
        options: &OpenOptions,
        progress: &ProgressReporter,
    ) -> Result<Self> {
        Scan::read(source, options, progress)?.into_dataset(options)
    }

    /// Returns the images of a split.
    pub fn samples(&self, split: Split) -> &[Sample] {
        match split {
            Split::Train => &self.train,
            Split::Test => &self.test,
        }
    }
}

/// The result of a reader, before classes are sorted, splits drawn and limits applied.
#[derive(Clone, Default)]
struct RawDataset {
    name: String,
    /// The folder that was read: the given one, or one around it.
    root: PathBuf,
    origin: String,
    classes: Vec<String>,
    /// Titles of classes, shown instead of their names.
    titles: HashMap<String, String>,
    train: Vec<Sample>,
    /// The test split; `None` if the source has no splits.
    test: Option<Vec<Sample>>,
    /// Names of the list files that were read.
    lists: Vec<String>,
    /// Whether list files assign the images to splits.
    listed: bool,
    skipped: Vec<Skipped>,
    assumed: Vec<Words>,
    note: String,
}
