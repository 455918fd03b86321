//! Where an image comes from: a file or a record of a file held in memory. Cheap to clone.

use std::ffi::OsStr;
use std::hash::{Hash, Hasher};
use std::io::Cursor;
use std::path::PathBuf;
use std::sync::Arc;

use image::{ImageFormat, RgbImage};

use super::picture::{FULL_DEPTH, Held, hold_file, read_picture_file, usual_ending};
use super::record::Records;
use crate::message;
use crate::names::compose;
use crate::problem::{Problem, Result};

/// One image of a data set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sample {
    /// Where its pixels come from.
    pub source: ImageSource,
    /// Index into `Dataset::classes`.
    pub class: u32,
}

/// Where the pixels of an image come from.
#[derive(Clone, Debug)]
pub enum ImageSource {
    /// An image file.
    File {
        /// Its folder, shared by all files in it.
        folder: Arc<Folder>,
        /// Its name in there.
        name: Arc<OsStr>,
    },
    /// A record of CIFAR's files or of an embedded set.
    Record {
        /// All records.
        records: Arc<Records>,
        /// Which of them.
        index: u32,
    },
}

/// A folder that holds image files.
#[derive(Debug, PartialEq, Eq, Hash)]
pub struct Folder {
    /// Where it is.
    pub path: PathBuf,
    /// Its path inside the split, with `/` between the parts; empty for the split's own folder.
    pub inside: String,
    /// Significant bits of its images' 16-bit values (see [`OpenOptions::bit_depth`](super::OpenOptions::bit_depth)).
    pub bit_depth: usize,
}

impl PartialEq for ImageSource {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (
                Self::File { folder, name },
                Self::File {
                    folder: other_folder,
                    name: other_name,
                },
            ) => {
                name == other_name && (Arc::ptr_eq(folder, other_folder) || folder == other_folder)
            }
            (
                Self::Record { records, index },
                Self::Record {
                    records: other,
                    index: other_index,
                },
            ) => index == other_index && Arc::ptr_eq(records, other),
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
    /// The path of its file, if it is one.
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

    /// Whether decoding costs next to nothing because the pixels are in memory already.
    pub fn in_memory(&self) -> bool {
        matches!(self, Self::Record { .. })
    }
}

impl Sample {
    /// One for every record with a label; those without a usable one are left out.
    pub(super) fn of_records(records: Records) -> Vec<Self> {
        let records = Arc::new(records);
        let labelled = (0_u32..).zip(&records.labels);
        let samples = labelled.filter_map(|(index, label)| {
            let records = Arc::clone(&records);
            let source = ImageSource::Record { records, index };
            label.map(|class| Self { source, class })
        });
        samples.collect()
    }

    /// Its path inside the split in its composed form, for example `cat/0001.jpg`.
    pub fn name(&self) -> String {
        compose(self.name_on_disk())
    }

    /// Its path inside the split with the characters that the disk has.
    pub(super) fn name_on_disk(&self) -> String {
        match &self.source {
            ImageSource::File { folder, name } if folder.inside.is_empty() => {
                name.to_string_lossy().into_owned()
            }
            ImageSource::File { folder, name } => {
                format!("{}/{}", folder.inside, name.to_string_lossy())
            }
            ImageSource::Record { records, index } => records.name_of(*index),
        }
    }

    /// Its pixels: upright, 8-bit RGB.
    ///
    /// # Errors
    /// A file that cannot be read or is damaged.
    pub fn decode(&self) -> Result<RgbImage> {
        self.hold().map(|held| held.picture)
    }

    /// Its pixels, with their part of the memory that all images share: for use from many threads.
    pub(super) fn hold(&self) -> Result<Held> {
        match &self.source {
            ImageSource::File { folder, name } => {
                hold_file(&folder.path.join(name.as_ref()), folder.bit_depth)
            }
            ImageSource::Record { records, index } => records.decode(*index).map(Held::from),
        }
    }
}

impl Sample {
    /// Its image file as it is, or a PNG of its record, and how such files usually end.
    ///
    /// # Errors
    /// A file that cannot be read or is no image.
    pub fn file(&self) -> Result<(Vec<u8>, &'static str)> {
        if let Some(path) = self.source.path() {
            let bytes = read_picture_file(&path)?;
            let ending = usual_ending(&bytes).map_err(|problem| problem.at_path(&path))?;
            return Ok((bytes, ending));
        }
        let mut bytes = Cursor::new(Vec::new());
        let written = self.decode()?.write_to(&mut bytes, ImageFormat::Png);
        written.map_err(|error| {
            Problem::new(message!(
                "problem-image-unwritten",
                error = error.to_string()
            ))
            .at(self.name())
        })?;
        Ok((bytes.into_inner(), "png"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::Pixels;

    #[test]
    fn a_record_without_a_usable_label_is_left_out() {
        let samples = Sample::of_records(Records {
            height: 1,
            width: 1,
            pixels: Pixels::Grey,
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
