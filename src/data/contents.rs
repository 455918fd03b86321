//! Fingerprints of the images of a split, which change with the content of files, not only with their names.
//! [`Fingerprints`] show whether a dataset changed, the short fingerprints in [`ClassPrints`] which image changed.

use std::collections::HashMap;
use std::fs::Metadata;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;
use std::time::SystemTime;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::perceptual_hash::PerceptualHash;
use super::picture::sha256_of_file;
use super::source::{ImageSource, Sample};
use super::{Dataset, Split};
use crate::fetch::hex;
use crate::files;
use crate::names::composed;

/// Size of the blocks at the beginning, middle and end of a file that [`PrintKind::Blocks`] includes.
const BLOCK: u64 = 4 << 10;

/// The part of an image file that a fingerprint includes, in addition to its name and class. For records, all pixels
/// are included.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum PrintKind {
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
    pub kind: PrintKind,
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
    pub content: Option<Content>,
    /// The fingerprint that finds near copies; only for images in files.
    pub perceptual_hash: Option<Box<PerceptualHash>>,
}

/// Hash and state of a file when it was read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Content {
    sha256: [u8; 32],
    length: u64,
    changed: Option<SystemTime>,
}

impl Content {
    /// Creates it from a file's metadata (taken before reading) and its bytes; `None` if the system does not report
    /// when the file was changed.
    pub fn of(about: &Metadata, bytes: &[u8]) -> Option<Self> {
        Some(Self {
            sha256: Sha256::digest(bytes).into(),
            length: about.len(),
            changed: Some(about.modified().ok()?),
        })
    }

    /// Returns whether the file's length and modification time are unchanged.
    fn is_unchanged(&self, about: &Metadata) -> bool {
        (about.len(), about.modified().ok()) == (self.length, self.changed)
    }
}

impl Dataset {
    /// Returns the fingerprints of both splits: 64 hexadecimal digits each, over names, classes, order, and the content
    /// of files or the pixels of records. The folder of the dataset has no effect. Files that changed since opening are
    /// read again.
    pub fn fingerprints(&self) -> Fingerprints {
        self.fingerprints_of(self.print_kind())
    }

    /// Returns the kind of fingerprint that does not need to read the images again.
    fn print_kind(&self) -> PrintKind {
        let mut samples = self.train.iter().chain(&self.test);
        let read = |sample: &Sample| {
            let seen = self.known.get(&sample.source);
            sample.source.in_memory() || seen.is_some_and(|seen| seen.content.is_some())
        };
        match samples.all(read) {
            true => PrintKind::Whole,
            false => PrintKind::Blocks,
        }
    }

    /// Returns fingerprints of a certain kind, for comparison with existing ones.
    pub fn fingerprints_of(&self, kind: PrintKind) -> Fingerprints {
        Fingerprints {
            kind,
            train: self.fingerprint(&self.train, kind),
            test: self.fingerprint(&self.test, kind),
        }
    }

    /// Returns whether both splits have the images with these fingerprints.
    pub fn has_images(&self, then: &Fingerprints) -> bool {
        self.has_images_of(Split::Train, then) && self.has_images_of(Split::Test, then)
    }

    /// Returns whether a split has the images with this fingerprint. Older versions hashed names as stored on the disk,
    /// which may be decomposed Unicode.
    pub fn has_images_of(&self, split: Split, then: &Fingerprints) -> bool {
        let (samples, kind) = (self.samples(split), then.kind);
        let then = match split {
            Split::Train => &then.train,
            Split::Test => &then.test,
        };
        let is_decomposed = || {
            let mut names = samples.iter().map(Sample::name_on_disk);
            !self.options.stored_names.is_empty() || names.any(|name| composed(&name) != name)
        };
        self.fingerprint(samples, kind) == *then
            || (is_decomposed() && self.older_fingerprint(samples, kind) == *then)
    }

    fn fingerprint(&self, split: &[Sample], kind: PrintKind) -> String {
        fingerprint_over(&self.classes, &self.lines(split, kind, Sample::name))
    }

    fn older_fingerprint(&self, split: &[Sample], kind: PrintKind) -> String {
        let classes = self.options.stored(&self.classes);
        fingerprint_over(&classes, &self.lines(split, kind, Sample::name_on_disk))
    }

    /// Returns the bytes that a fingerprint includes for each sample.
    fn lines(
        &self,
        split: &[Sample],
        kind: PrintKind,
        name: fn(&Sample) -> String,
    ) -> Vec<Vec<u8>> {
        use rayon::prelude::*;
        let line = |sample: &Sample| line(sample, name(sample), kind, &self.known);
        split.par_iter().map(line).collect()
    }
}

/// Returns the fingerprint of a split with these classes and lines.
fn fingerprint_over(classes: &[impl AsRef<str>], lines: &[Vec<u8>]) -> String {
    let mut hash = Sha256::new();
    for name in classes {
        hash.update(name.as_ref().as_bytes());
        hash.update([0]);
    }
    hash.update((lines.len() as u64).to_le_bytes());
    for line in lines {
        hash.update(line);
    }
    hex(&hash.finalize())
}

/// Returns the bytes that a fingerprint includes for one sample.
fn line(sample: &Sample, name: String, kind: PrintKind, known: &HashesByImage) -> Vec<u8> {
    let mut line = name.into_bytes();
    line.push(0);
    line.extend(sample.class.to_le_bytes());
    match &sample.source {
        ImageSource::File { .. } => {
            let path = sample.source.path().unwrap_or_default();
            let about = path.metadata().ok();
            line.extend(about.as_ref().map_or(0, Metadata::len).to_le_bytes());
            match kind {
                PrintKind::Lengths => {}
                // An unreadable file counts as empty.
                PrintKind::Blocks => line.extend(blocks(&path).unwrap_or_default()),
                PrintKind::Whole => {
                    let seen = known.get(&sample.source);
                    let content = seen.and_then(|seen| seen.content.as_ref());
                    let content = content.filter(|content| {
                        about
                            .as_ref()
                            .is_some_and(|about| content.is_unchanged(about))
                    });
                    // An unreadable file counts as empty.
                    let empty = || Sha256::digest([]).into();
                    let anew = || sha256_of_file(&path).unwrap_or_else(|_| empty());
                    line.extend(content.map_or_else(anew, |content| content.sha256));
                }
            }
        }
        ImageSource::Record { records, index } => {
            line.extend_from_slice(records.raw(*index).unwrap_or_default());
        }
    }
    line
}

/// Returns the SHA-256 of a file's first, middle and last block.
fn blocks(path: &Path) -> io::Result<[u8; 32]> {
    let mut file = files::open(path)?;
    let length = file.metadata()?.len();
    let mut bytes = Vec::new();
    if length <= 3 * BLOCK {
        file.take(3 * BLOCK).read_to_end(&mut bytes)?;
    } else {
        for start in [0, (length - BLOCK) / 2, length - BLOCK] {
            file.seek(SeekFrom::Start(start))?;
            (&mut file).take(BLOCK).read_to_end(&mut bytes)?;
        }
    }
    Ok(Sha256::digest(bytes).into())
}

/// Number of bytes kept of the SHA-256 of an image: enough to identify it within its class, and only half a megabyte
/// for a hundred thousand images in hexadecimal digits.
const SHORT: usize = 3;
/// Number of hexadecimal digits of a short fingerprint.
const DIGITS: usize = 2 * SHORT;

/// The images of one class in one split, in the order of the dataset.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ClassPrints {
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

impl ClassPrints {
    /// Returns whether there are as many fingerprints as images.
    pub fn is_whole(&self) -> bool {
        self.prints.is_ascii() && Some(self.prints.len()) == self.images.checked_mul(DIGITS)
    }

    /// Returns the index of the first image that differs or is missing in `other`; `None` if all are equal.
    pub fn first_other(&self, other: &Self) -> Option<usize> {
        let [own, others] = [self, other].map(|prints| prints.prints.as_bytes().chunks(DIGITS));
        let all = own.len().max(others.len());
        let differs = own
            .zip(others.clone())
            .position(|(own, other)| own != other);
        let shorter = self.images.min(other.images);
        differs.or_else(|| (shorter < all).then_some(shorter))
    }
}

impl Dataset {
    /// Returns [`Dataset::fingerprints`] and the short fingerprints of every image. Each image is read only once for
    /// both.
    pub fn prints(&self) -> (Fingerprints, Vec<ClassPrints>) {
        self.prints_of(self.print_kind())
    }

    /// Returns both for a certain kind of fingerprint, for comparison with existing ones.
    pub fn prints_of(&self, kind: PrintKind) -> (Fingerprints, Vec<ClassPrints>) {
        let mut prints = Vec::new();
        let mut of = |split: Split, samples: &[Sample]| {
            let lines = self.lines(samples, kind, Sample::name);
            let mut each = vec![String::new(); self.classes.len()];
            for (sample, line) in samples.iter().zip(&lines) {
                if let Some(prints) = each.get_mut(sample.class as usize) {
                    prints.push_str(&hex(&Sha256::digest(line)[..SHORT]));
                }
            }
            let named = self.classes.iter().zip(each);
            prints.extend(named.map(|(class, prints)| ClassPrints {
                split,
                class: class.clone(),
                images: prints.len() / DIGITS,
                prints,
            }));
            fingerprint_over(&self.classes, &lines)
        };
        let (train, test) = (of(Split::Train, &self.train), of(Split::Test, &self.test));
        (Fingerprints { kind, train, test }, prints)
    }

    /// Returns the name of the image at an index (from 0) among those of a class in a split.
    pub fn picture_name(&self, split: Split, class: &str, at: usize) -> Option<String> {
        let class = self.classes.iter().position(|known| known == class)?;
        let mut of_class = self
            .samples(split)
            .iter()
            .filter(|s| s.class as usize == class);
        of_class.nth(at).map(Sample::name)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn block_prints_detect_changes_anywhere_in_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.bmp");
        let with = |at: usize| {
            let mut bytes = vec![7; 40_000];
            bytes[at] = 8;
            std::fs::write(&path, bytes).unwrap();
            blocks(&path).unwrap()
        };
        let prints = [with(0), with(20_000), with(39_999)];
        assert!(prints[0] != prints[1] && prints[1] != prints[2] && prints[0] != prints[2]);
    }

    #[test]
    fn old_fingerprints_default_to_lengths() {
        let old = toml::from_str::<Fingerprints>("train = \"a\"\ntest = \"b\"\n").unwrap();
        assert_eq!(old.kind, PrintKind::Lengths);
    }

    #[test]
    fn first_other_finds_changed_or_missing_image() {
        let class_prints = |prints: &str| ClassPrints {
            split: Split::Test,
            class: "robin".into(),
            images: prints.len() / DIGITS,
            prints: prints.into(),
        };
        let known = class_prints("aaaaaabbbbbbcccccc");
        assert!(known.is_whole() && !class_prints("aaaaaab").is_whole());
        assert_eq!(known.first_other(&known), None);
        assert_eq!(
            known.first_other(&class_prints("aaaaaabbbbbccccccc")),
            Some(1)
        );
        assert_eq!(known.first_other(&class_prints("aaaaaabbbbbb")), Some(2));
        assert_eq!(class_prints("").first_other(&known), Some(0));
    }
}
