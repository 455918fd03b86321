//! The images of an added task in the run's folder: copies in `pictures/`, and the list `pictures.csv` with the SHA-256
//! of each.
//!
//! File names are derived from the position in the list, so a list from someone else cannot name files outside of the
//! folder. The hash shows whether a file is still the image that was learned or tested.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::tables::{damaged_table, from_csv, to_csv};
use super::{PICTURES_FILE, PICTURES_FOLDER};
use crate::data::{Folder, ImageSource, READABLE, Sample, Split, decode_picture};
use crate::fetch::hex;
use crate::files;
use crate::files::write::{keep_file, keep_with, save_problem};
use crate::message;
use crate::problem::{Problem, Result};
use crate::run::event::Picture;

/// Maximum number of images of an added task.
pub const MOST_PICTURES: usize = 5_000;
/// Maximum size of an added task's images in bytes.
const MOST_BYTES: u64 = 2 << 30;

/// An image of the list.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Row {
    split: Split,
    /// Index among the classes of the added task.
    class: usize,
    ending: String,
    sha256: String,
    /// Name of the original image.
    name: String,
}

/// The images of an added task.
#[derive(Clone, Debug)]
pub struct AddedPictures {
    folder: Arc<Folder>,
    rows: Vec<Row>,
    /// SHA-256 of the list, in hex.
    pub fingerprint: String,
}

impl AddedPictures {
    /// Copies images into an added task's folder, for a run with this bit depth. `go_on` is called before each image.
    ///
    /// # Errors
    /// Returns a Problem if an image cannot be read or written, if the images are too many or too large, or if `go_on`
    /// returned false.
    pub fn copy(
        added_task: &Path,
        train: &[Sample],
        test: &[Sample],
        bit_depth: usize,
        go_on: &dyn Fn() -> bool,
    ) -> Result<Self> {
        let folder = added_task.join(PICTURES_FOLDER);
        std::fs::create_dir_all(&folder).map_err(|error| save_problem(&folder, &error))?;
        let count = train.len() + test.len();
        let too_much = |what: String| {
            Err(Problem::new(what)
                .at_path(added_task)
                .advise(message!("advice-use-fewer-images")))
        };
        if count > MOST_PICTURES {
            return too_much(format!(
                "{count} images were given, but an added task accepts at most {MOST_PICTURES}"
            ));
        }
        let (mut rows, mut bytes) = (Vec::with_capacity(count), 0);
        let train = train.iter().map(|sample| (Split::Train, sample));
        let test = test.iter().map(|sample| (Split::Test, sample));
        for (place, (split, sample)) in train.chain(test).enumerate() {
            if !go_on() {
                return Err(Problem::new(message!("problem-copying-images-stopped")));
            }
            let (file, ending) = sample.file()?;
            bytes += file.len() as u64;
            if bytes > MOST_BYTES {
                return too_much("the images are larger than 2 GB in total".into());
            }
            // The image may have changed since it was checked.
            decode_picture(&file, bit_depth).map_err(|problem| problem.at(sample.name()))?;
            keep_with(&folder.join(file_name(place, ending)), |out| {
                out.write_all(&file)
            })?;
            rows.push(Row {
                split,
                class: sample.class as usize,
                ending: ending.to_string(),
                sha256: hex(&Sha256::digest(&file)),
                name: sample.name(),
            });
        }
        let text = to_csv(&rows)?;
        keep_file(&added_task.join(PICTURES_FILE), &text)?;
        Ok(Self::new(added_task, rows, &text, bit_depth))
    }

    /// Reads the image list of an added task with this number of classes, for a run with this bit depth.
    ///
    /// # Errors
    /// Returns a Problem if it cannot be read or is damaged.
    pub(super) fn read(added_task: &Path, classes: usize, bit_depth: usize) -> Result<Self> {
        let path = added_task.join(PICTURES_FILE);
        let text = files::read(&path, files::TABLE).map_err(|error| {
            Problem::io("read the list of an added task's images", &path, &error)
        })?;
        let rows: Vec<Row> = from_csv(&text, &path)?;
        let known = |row: &Row| READABLE.contains(&row.ending.as_str()) && row.class < classes;
        if rows.len() > MOST_PICTURES || !rows.iter().all(known) {
            return Err(damaged_table(
                &path,
                "it lists no images of this added task",
            ));
        }
        Ok(Self::new(added_task, rows, &text, bit_depth))
    }

    fn new(added_task: &Path, rows: Vec<Row>, text: &[u8], bit_depth: usize) -> Self {
        let folder = Folder {
            path: added_task.join(PICTURES_FOLDER),
            inside: String::new(),
            bit_depth,
        };
        Self {
            folder: Arc::new(folder),
            rows,
            fingerprint: hex(&Sha256::digest(text)),
        }
    }

    /// Returns the rows of one split with their positions in the list.
    fn split(&self, split: Split) -> impl Iterator<Item = (usize, &Row)> {
        let rows = self.rows.iter().enumerate();
        rows.filter(move |(_, row)| row.split == split)
    }

    fn samples(&self, split: Split) -> Vec<Sample> {
        let sample = |(place, row): (usize, &Row)| Sample {
            source: ImageSource::File {
                folder: self.folder.clone(),
                name: Arc::from(OsStr::new(&file_name(place, &row.ending))),
            },
            class: row.class as u32,
        };
        self.split(split).map(sample).collect()
    }

    /// Returns the training images; their classes are counted within the added task.
    pub fn train(&self) -> Vec<Sample> {
        self.samples(Split::Train)
    }

    /// Returns the test images; a prediction refers to them by their index in this list.
    pub fn test(&self) -> Vec<Sample> {
        self.samples(Split::Test)
    }

    /// Checks whether the test images are unchanged.
    ///
    /// # Errors
    /// Returns a Problem that names the first image that is missing or has changed.
    pub fn check_tests(&self) -> Result<()> {
        let mut tests = self.split(Split::Test);
        tests.try_for_each(|(place, row)| self.bytes(place, row).map(drop))
    }

    /// Returns the bytes of the image at this position of the list, if it is unchanged.
    fn bytes(&self, place: usize, row: &Row) -> Result<Vec<u8>> {
        let path = self.path(place, row);
        let bytes = files::read(&path, MOST_BYTES)
            .map_err(|error| Problem::io("read an image of an added task", &path, &error))?;
        if hex(&Sha256::digest(&bytes)) == row.sha256 {
            return Ok(bytes);
        }
        Err(
            Problem::new(message!("problem-image-changed-since-learned"))
                .at_path(&path)
                .advise(message!("advice-restore-run-folder")),
        )
    }

    fn path(&self, place: usize, row: &Row) -> PathBuf {
        self.folder.path.join(file_name(place, &row.ending))
    }

    /// Returns the test image at this index, if it is unchanged.
    ///
    /// # Errors
    /// Returns a Problem if it is missing or has changed.
    pub fn test_picture(&self, index: usize) -> Result<Picture> {
        let missing = || {
            Problem::new(message!(
                "problem-added-task-test-image",
                index = index.to_string()
            ))
        };
        let (place, row) = self.split(Split::Test).nth(index).ok_or_else(missing)?;
        let image = decode_picture(&self.bytes(place, row)?, self.folder.bit_depth)
            .map_err(|problem| problem.at_path(self.path(place, row)))?;
        Ok(Picture::new(row.name.clone(), image))
    }
}

/// Returns the file name of the image at this position of the list.
fn file_name(place: usize, ending: &str) -> String {
    format!("{:04}.{ending}", place + 1)
}
