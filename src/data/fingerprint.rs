//! Fingerprints of the images of a split, which change with the content of files, not only with their names.
//! [`Fingerprints`] show whether a dataset changed, the short ones in [`ClassFingerprints`] which image changed.

use std::collections::HashMap;
use std::fs::Metadata;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;
use std::time::SystemTime;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::image_file::sha256_of_file;
use super::perceptual_hash::PerceptualHash;
use super::source::{ImageSource, Sample};
use super::{Dataset, Split};
use crate::fetch::hex;
use crate::files;
use crate::names::composed;

/// Size of the blocks at the beginning, middle and end of a file that [`FingerprintKind::Blocks`] includes.
const BLOCK_SIZE: u64 = 4 << 10;

/// The part of an image file that a fingerprint includes, in addition to its name and class. For records, all pixels
/// are included.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum FingerprintKind {
    /// The length only: fingerprints of older versions, which do not record their kind.
    #[default]
    Lengths,
    /// The length and the SHA-256 of the first, middle and last 4 KiB; files of up to 12 KiB are included completely.
    /// Used for datasets whose files are not all read while opening.
    Blocks,
    /// The SHA-256 of the complete file.
    Whole,
}

/// Fingerprints of the images of a dataset and their order: 64 hexadecimal digits per split, which change with names,
/// classes and contents, but not with the folder.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Fingerprints {
    /// The kind of fingerprint; only fingerprints of the same kind can be compared.
    #[serde(default)]
    pub kind: FingerprintKind,
    /// The fingerprint of the training split.
    pub train: String,
    /// The fingerprint of the test split.
    pub test: String,
}

/// First 16 bytes of the SHA-256 of an image's size and pixels.
pub(super) type PixelHash = [u8; 16];

/// The fingerprints of each image; empty if the images were not checked.
pub(super) type HashesByImage = HashMap<ImageSource, ImageHashes>;

/// The fingerprints of an image.
#[derive(Clone, Debug)]
pub(super) struct ImageHashes {
    /// Fingerprint of the pixels.
    pub pixel_hash: PixelHash,
    /// The content of its file.
    pub content: Option<FileContent>,
    /// The fingerprint that finds near copies; only for images in files.
    pub perceptual_hash: Option<Box<PerceptualHash>>,
}

/// Hash and state of a file when it was read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct FileContent {
    sha256: [u8; 32],
    length: u64,
    modified: Option<SystemTime>,
}

impl FileContent {
    /// Creates it from a file's metadata (taken before reading) and its bytes; `None` if the system does not report
    /// when the file was changed.
    pub fn new(metadata: &Metadata, bytes: &[u8]) -> Option<Self> {
        Some(Self {
            sha256: Sha256::digest(bytes).into(),
            length: metadata.len(),
            modified: Some(metadata.modified().ok()?),
        })
    }

    /// Returns whether the file's length and modification time are unchanged.
    fn is_unchanged(&self, metadata: &Metadata) -> bool {
        (metadata.len(), metadata.modified().ok()) == (self.length, self.modified)
    }
}

impl Dataset {
    /// Returns the fingerprints of both splits: 64 hexadecimal digits each, over names, classes, order, and the content
    /// of files or the pixels of records. The folder of the dataset has no effect. Files that changed since opening are
    /// read again.
    pub fn fingerprints(&self) -> Fingerprints {
        self.fingerprints_of_kind(self.cheapest_kind())
    }

    /// Returns the kind of fingerprint that does not need to read the images again.
    fn cheapest_kind(&self) -> FingerprintKind {
        let mut samples = self.train.iter().chain(&self.test);
        let is_hashed = |sample: &Sample| {
            let hashes = self.image_hashes.get(&sample.source);
            sample.source.is_in_memory() || hashes.is_some_and(|hashes| hashes.content.is_some())
        };
        match samples.all(is_hashed) {
            true => FingerprintKind::Whole,
            false => FingerprintKind::Blocks,
        }
    }

    /// Returns fingerprints of a certain kind, for comparison with existing ones.
    pub fn fingerprints_of_kind(&self, kind: FingerprintKind) -> Fingerprints {
        Fingerprints {
            kind,
            train: self.fingerprint(&self.train, kind),
            test: self.fingerprint(&self.test, kind),
        }
    }

    /// Returns whether both splits have the images with these fingerprints.
    pub fn matches_fingerprints(&self, fingerprints: &Fingerprints) -> bool {
        self.split_matches_fingerprints(Split::Train, fingerprints)
            && self.split_matches_fingerprints(Split::Test, fingerprints)
    }

    /// Returns whether a split has the images with this fingerprint. Older versions hashed names as stored on the disk,
    /// which may be decomposed Unicode.
    pub fn split_matches_fingerprints(&self, split: Split, fingerprints: &Fingerprints) -> bool {
        let (samples, kind) = (self.samples(split), fingerprints.kind);
        let expected = match split {
            Split::Train => &fingerprints.train,
            Split::Test => &fingerprints.test,
        };
        let is_decomposed = || {
            let mut names = samples.iter().map(Sample::name_on_disk);
            !self.options.stored_names.is_empty() || names.any(|name| composed(&name) != name)
        };
        self.fingerprint(samples, kind) == *expected
            || (is_decomposed() && self.legacy_fingerprint(samples, kind) == *expected)
    }

    fn fingerprint(&self, split: &[Sample], kind: FingerprintKind) -> String {
        combined_fingerprint(&self.classes, &self.hash_inputs(split, kind, Sample::name))
    }

    fn legacy_fingerprint(&self, split: &[Sample], kind: FingerprintKind) -> String {
        let classes = self.options.names_as_stored(&self.classes);
        combined_fingerprint(&classes, &self.hash_inputs(split, kind, Sample::name_on_disk))
    }

    /// Returns the bytes that a fingerprint includes for each sample.
    fn hash_inputs(
        &self,
        split: &[Sample],
        kind: FingerprintKind,
        name: fn(&Sample) -> String,
    ) -> Vec<Vec<u8>> {
        use rayon::prelude::*;
        let to_input = |sample: &Sample| hash_input(sample, name(sample), kind, &self.image_hashes);
        split.par_iter().map(to_input).collect()
    }
}

/// Returns the fingerprint of a split with these classes and lines.
fn combined_fingerprint(classes: &[impl AsRef<str>], inputs: &[Vec<u8>]) -> String {
    let mut hash = Sha256::new();
    for name in classes {
        hash.update(name.as_ref().as_bytes());
        hash.update([0]);
    }
    hash.update((inputs.len() as u64).to_le_bytes());
    for input in inputs {
        hash.update(input);
    }
    hex(&hash.finalize())
}

/// Returns the bytes that a fingerprint includes for one sample.
fn hash_input(
    sample: &Sample,
    name: String,
    kind: FingerprintKind,
    hashes: &HashesByImage,
) -> Vec<u8> {
    let mut input = name.into_bytes();
    input.push(0);
    input.extend(sample.class.to_le_bytes());
    match &sample.source {
        ImageSource::File { .. } => {
            let path = sample.source.path().unwrap_or_default();
            let metadata = path.metadata().ok();
            input.extend(metadata.as_ref().map_or(0, Metadata::len).to_le_bytes());
            match kind {
                FingerprintKind::Lengths => {}
                // An unreadable file counts as empty.
                FingerprintKind::Blocks => input.extend(hash_blocks(&path).unwrap_or_default()),
                FingerprintKind::Whole => {
                    let image_hashes = hashes.get(&sample.source);
                    let content =
                        image_hashes.and_then(|image_hashes| image_hashes.content.as_ref());
                    let content = content.filter(|content| {
                        metadata.as_ref().is_some_and(|metadata| content.is_unchanged(metadata))
                    });
                    // An unreadable file counts as empty.
                    let empty = || Sha256::digest([]).into();
                    let rehash = || sha256_of_file(&path).unwrap_or_else(|_| empty());
                    input.extend(content.map_or_else(rehash, |content| content.sha256));
                }
            }
        }
        ImageSource::Record { records, index } => {
            input.extend_from_slice(records.pixel_bytes(*index).unwrap_or_default());
        }
    }
    input
}

/// Returns the SHA-256 of a file's first, middle and last block.
fn hash_blocks(path: &Path) -> io::Result<[u8; 32]> {
    let mut file = files::open(path)?;
    let length = file.metadata()?.len();
    let mut bytes = Vec::new();
    if length <= 3 * BLOCK_SIZE {
        file.take(3 * BLOCK_SIZE).read_to_end(&mut bytes)?;
    } else {
        for start in [0, (length - BLOCK_SIZE) / 2, length - BLOCK_SIZE] {
            file.seek(SeekFrom::Start(start))?;
            (&mut file).take(BLOCK_SIZE).read_to_end(&mut bytes)?;
        }
    }
    Ok(Sha256::digest(bytes).into())
}

/// Number of bytes kept of the SHA-256 of an image: enough to identify it within its class, and only half a megabyte
/// for a hundred thousand images in hexadecimal digits.
const SHORT_BYTES: usize = 3;
/// Number of hexadecimal digits of a short fingerprint.
const SHORT_DIGITS: usize = 2 * SHORT_BYTES;

/// The images of one class in one split, in the order of the dataset.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ClassFingerprints {
    /// The split.
    pub split: Split,
    /// The name of the class.
    #[serde(deserialize_with = "crate::names::read_composed")]
    pub class: String,
    /// Number of images.
    pub images: usize,
    /// Six hexadecimal digits per image, without separators.
    pub prints: String,
}

impl ClassFingerprints {
    /// Returns whether there are as many fingerprints as images.
    pub fn is_complete(&self) -> bool {
        self.prints.is_ascii() && Some(self.prints.len()) == self.images.checked_mul(SHORT_DIGITS)
    }

    /// Returns the index of the first image that differs or is missing in `other`; `None` if all are equal.
    pub fn first_difference(&self, other: &Self) -> Option<usize> {
        let [left, right] =
            [self, other].map(|prints| prints.prints.as_bytes().chunks(SHORT_DIGITS));
        let longest = left.len().max(right.len());
        let first_differing = left.zip(right).position(|(own, other)| own != other);
        let shorter = self.images.min(other.images);
        first_differing.or_else(|| (shorter < longest).then_some(shorter))
    }
}

impl Dataset {
    /// Returns [`Dataset::fingerprints`] and the short fingerprints of every image. Each image is read only once for
    /// both.
    pub fn detailed_fingerprints(&self) -> (Fingerprints, Vec<ClassFingerprints>) {
        self.detailed_fingerprints_of_kind(self.cheapest_kind())
    }

    /// Returns both for a certain kind of fingerprint, for comparison with existing ones.
    pub fn detailed_fingerprints_of_kind(
        &self,
        kind: FingerprintKind,
    ) -> (Fingerprints, Vec<ClassFingerprints>) {
        let mut prints = Vec::new();
        let mut fingerprint_split = |split: Split, samples: &[Sample]| {
            let inputs = self.hash_inputs(samples, kind, Sample::name);
            let mut by_class = vec![String::new(); self.classes.len()];
            for (sample, input) in samples.iter().zip(&inputs) {
                if let Some(prints) = by_class.get_mut(sample.class as usize) {
                    prints.push_str(&hex(&Sha256::digest(input)[..SHORT_BYTES]));
                }
            }
            let named = self.classes.iter().zip(by_class);
            prints.extend(named.map(|(class, prints)| ClassFingerprints {
                split,
                class: class.clone(),
                images: prints.len() / SHORT_DIGITS,
                prints,
            }));
            combined_fingerprint(&self.classes, &inputs)
        };
        let (train, test) = (
            fingerprint_split(Split::Train, &self.train),
            fingerprint_split(Split::Test, &self.test),
        );
        (Fingerprints { kind, train, test }, prints)
    }

    /// Returns the name of the image at an index (from 0) among those of a class in a split.
    pub fn image_name(&self, split: Split, class: &str, index: usize) -> Option<String> {
        let class = self.classes.iter().position(|known| known == class)?;
        let mut class_samples = self.samples(split).iter().filter(|s| s.class as usize == class);
        class_samples.nth(index).map(Sample::name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn block_hashes_detect_changes_anywhere_in_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.bmp");
        let with = |at: usize| {
            let mut bytes = vec![7; 40_000];
            bytes[at] = 8;
            std::fs::write(&path, bytes).unwrap();
            hash_blocks(&path).unwrap()
        };
        let prints = [with(0), with(20_000), with(39_999)];
        assert!(prints[0] != prints[1] && prints[1] != prints[2] && prints[0] != prints[2]);
    }

    #[test]
    fn old_fingerprints_default_to_lengths() {
        let old = toml::from_str::<Fingerprints>("train = \"a\"\ntest = \"b\"\n").unwrap();
        assert_eq!(old.kind, FingerprintKind::Lengths);
    }

    #[test]
    fn first_difference_finds_changed_or_missing_image() {
        let class_prints = |prints: &str| ClassFingerprints {
            split: Split::Test,
            class: "robin".into(),
            images: prints.len() / SHORT_DIGITS,
            prints: prints.into(),
        };
        let known = class_prints("aaaaaabbbbbbcccccc");
        assert!(known.is_complete() && !class_prints("aaaaaab").is_complete());
        assert_eq!(known.first_difference(&known), None);
        assert_eq!(known.first_difference(&class_prints("aaaaaabbbbbccccccc")), Some(1));
        assert_eq!(known.first_difference(&class_prints("aaaaaabbbbbb")), Some(2));
        assert_eq!(class_prints("").first_difference(&known), Some(0));
    }
}
