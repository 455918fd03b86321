//! The source of an image: a file, or a record of a file in memory. Cheap to clone.

use std::ffi::OsStr;
use std::hash::{Hash, Hasher};
use std::io::Cursor;
use std::path::PathBuf;
use std::sync::Arc;

use image::{ImageFormat, RgbImage};

use super::image_file::{
    BudgetedImage, FULL_DEPTH, decode_file_budgeted, read_image_file, usual_extension,
};
use super::record::Records;
use crate::names::compose;
use crate::problem::{Problem, Result};

/// An image of a dataset with its class.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sample {
    /// The source of its pixels.
    pub source: ImageSource,
    /// Index into `Dataset::classes`.
    pub class: u32,
}

/// The source of an image's pixels.
#[derive(Clone, Debug)]
pub enum ImageSource {
    /// An image file.
    File {
        /// The folder, shared by all files in it.
        folder: Arc<Folder>,
        /// The name of the file.
        name: Arc<OsStr>,
    },
    /// A record of CIFAR's files or of an embedded dataset.
    Record {
        /// All records.
        records: Arc<Records>,
        /// The index of the record.
        index: u32,
    },
}

/// A folder with image files.
#[derive(Debug, PartialEq, Eq, Hash)]
pub struct Folder {
    /// The path of the folder.
    pub path: PathBuf,
    /// The path inside the split, with `/` between components; empty for the folder of the split.
    pub path_in_split: String,
    /// Significant bits of its images' 16-bit values (see [`OpenOptions::bit_depth`](super::OpenOptions::bit_depth)).
    pub bit_depth: usize,
}

impl PartialEq for ImageSource {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            // Two references to the same folder are equal without comparing its fields.
            (Self::File { folder: a, name }, Self::File { folder: b, name: other }) => {
                name == other && a == b
            }
            (Self::Record { records: a, index }, Self::Record { records: b, index: other }) => {
                index == other && Arc::ptr_eq(a, b)
            }
            _ => false,
        }
    }
}

impl Eq for ImageSource {}

impl Hash for ImageSource {
    fn hash<H: Hasher>(&self, state: &mut H) {
        match self {
            Self::File { folder, name } => {
                folder.path.hash(state);
                name.hash(state);
            }
            Self::Record { records, index } => {
                Arc::as_ptr(records).hash(state);
                index.hash(state);
            }
        }
    }
}

impl ImageSource {
    /// Returns the path of the file; `None` for a record.
    pub fn path(&self) -> Option<PathBuf> {
        match self {
            Self::File { folder, name } => Some(folder.path.join(name.as_ref())),
            Self::Record { .. } => None,
        }
    }

    /// Returns the number of significant bits of 16-bit values; all 16 for records.
    pub(super) fn bit_depth(&self) -> usize {
        match self {
            Self::File { folder, .. } => folder.bit_depth,
            Self::Record { .. } => FULL_DEPTH,
        }
    }

    /// Returns whether the pixels are already in memory, so that decoding is fast.
    pub fn is_in_memory(&self) -> bool {
        matches!(self, Self::Record { .. })
    }
}

impl Sample {
    /// Returns a sample for every record with a usable label.
    pub(super) fn from_records(records: Records) -> Vec<Self> {
        let records = Arc::new(records);
        let labelled = (0_u32..).zip(&records.labels);
        let samples = labelled.filter_map(|(index, label)| {
            let records = Arc::clone(&records);
            let source = ImageSource::Record { records, index };
            label.map(|class| Self { source, class })
        });
        samples.collect()
    }

    /// Returns the path inside the split with composed Unicode characters, for example `cat/0001.jpg`.
    pub fn name(&self) -> String {
        compose(self.name_on_disk())
    }

    /// Returns the path inside the split as it is stored on the disk.
    pub(super) fn name_on_disk(&self) -> String {
        match &self.source {
            ImageSource::File { folder, name } if folder.path_in_split.is_empty() => {
                name.to_string_lossy().into_owned()
            }
            ImageSource::File { folder, name } => {
                format!("{}/{}", folder.path_in_split, name.to_string_lossy())
            }
            ImageSource::Record { records, index } => records.image_path(*index),
        }
    }

    /// Returns the pixels as upright 8-bit RGB.
    ///
    /// # Errors
    /// Returns a Problem if the file cannot be read or is damaged.
    pub fn decode(&self) -> Result<RgbImage> {
        self.decode_budgeted().map(|decoded| decoded.image)
    }

    /// Returns the pixels together with their share of the decoding memory; for use by many threads.
    pub(super) fn decode_budgeted(&self) -> Result<BudgetedImage> {
        match &self.source {
            ImageSource::File { folder, name } => {
                decode_file_budgeted(&folder.path.join(name.as_ref()), folder.bit_depth)
            }
            ImageSource::Record { records, index } => {
                records.decode(*index).map(BudgetedImage::from)
            }
        }
    }

    /// Returns the bytes of the image file, or of a PNG of the record, and the usual extension of such files.
    ///
    /// # Errors
    /// Returns a Problem if the file cannot be read or is not an image.
    pub fn encoded_file(&self) -> Result<(Vec<u8>, &'static str)> {
        if let Some(path) = self.source.path() {
            let bytes = read_image_file(&path)?;
            let extension = usual_extension(&bytes).map_err(|problem| problem.at_path(&path))?;
            return Ok((bytes, extension));
        }
        let mut bytes = Cursor::new(Vec::new());
        let result = self.decode()?.write_to(&mut bytes, ImageFormat::Png);
        result.map_err(|error| {
            Problem::with_error("problem-image-unwritten", &error).at(self.name())
        })?;
        Ok((bytes.into_inner(), "png"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::PixelLayout;

    #[test]
    fn skips_records_without_label() {
        let samples = Sample::from_records(Records {
            height: 1,
            width: 1,
            pixels: PixelLayout::Grey,
            stride: 1,
            offset: 0,
            bytes: vec![5, 6, 7].into(),
            labels: vec![Some(0), None, Some(0)],
            names: vec!["red".into()],
        });
        let names: Vec<String> = samples.iter().map(Sample::name).collect();
        assert_eq!(names, ["red/00000.png", "red/00002.png"]);
    }
}
