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

use super::csv_tables::{damaged_table, from_csv, to_csv};
use super::{ADDED_IMAGES_FILE, ADDED_IMAGES_FOLDER};
use crate::data::{Folder, IMAGE_EXTENSIONS, ImageSource, Sample, Split, decode_image};
use crate::fetch::hex;
use crate::files;
use crate::files::write::{save_file, save_problem, save_with};
use crate::message;
use crate::problem::{Problem, Result};
use crate::run::event::NamedImage;

/// Maximum number of images of an added task.
pub const MAX_ADDED_IMAGES: usize = 5_000;
/// Maximum size of an added task's images in bytes.
const MAX_BYTES: u64 = 2 << 30;

/// An image of the list.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct ImageRow {
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
pub struct AddedImages {
    folder: Arc<Folder>,
    rows: Vec<ImageRow>,
    /// SHA-256 of the list, in hex.
    pub fingerprint: String,
}

impl AddedImages {
    /// Copies images into an added task's folder, for a run with this bit depth. Calls `should_continue` before each.
    ///
    /// # Errors
    /// Returns a Problem if an image cannot be read or written, if the images are too many or too large, or if
    /// `should_continue` returned false.
    pub fn copy(
        added_task: &Path,
        train: &[Sample],
        test: &[Sample],
        bit_depth: usize,
        should_continue: &dyn Fn() -> bool,
    ) -> Result<Self> {
        let folder = added_task.join(ADDED_IMAGES_FOLDER);
        std::fs::create_dir_all(&folder).map_err(|error| save_problem(&folder, &error))?;
        let count = train.len() + test.len();
        let too_large = |what: String| {
            Err(Problem::new(what).at_path(added_task).advise(message!("advice-use-fewer-images")))
        };
        if count > MAX_ADDED_IMAGES {
            return too_large(format!(
                "{count} images were given, but an added task accepts at most {MAX_ADDED_IMAGES}"
            ));
        }
        let (mut rows, mut bytes) = (Vec::with_capacity(count), 0);
        let train = train.iter().map(|sample| (Split::Train, sample));
        let test = test.iter().map(|sample| (Split::Test, sample));
        for (position, (split, sample)) in train.chain(test).enumerate() {
            if !should_continue() {
                return Err(Problem::new(message!("problem-copying-images-stopped")));
            }
            let (file, extension) = sample.encoded_file()?;
            bytes += file.len() as u64;
            if bytes > MAX_BYTES {
                return too_large("the images are larger than 2 GB in total".into());
            }
            // The image may have changed since it was checked.
            decode_image(&file, bit_depth).map_err(|problem| problem.at(sample.name()))?;
            save_with(&folder.join(file_name(position, extension)), |out| out.write_all(&file))?;
            rows.push(ImageRow {
                split,
                class: sample.class as usize,
                ending: extension.to_string(),
                sha256: hex(&Sha256::digest(&file)),
                name: sample.name(),
            });
        }
        let text = to_csv(&rows)?;
        save_file(&added_task.join(ADDED_IMAGES_FILE), &text)?;
        Ok(Self::new(added_task, rows, &text, bit_depth))
    }

    /// Reads the image list of an added task with this number of classes, for a run with this bit depth.
    ///
    /// # Errors
    /// Returns a Problem if it cannot be read or is damaged.
    pub(super) fn read(added_task: &Path, classes: usize, bit_depth: usize) -> Result<Self> {
        let path = added_task.join(ADDED_IMAGES_FILE);
        let text = files::read(&path, files::TABLE).map_err(|error| {
            Problem::io("read the list of an added task's images", &path, &error)
        })?;
        let rows: Vec<ImageRow> = from_csv(&text, &path)?;
        let is_valid =
            |row: &ImageRow| IMAGE_EXTENSIONS.contains(&row.ending.as_str()) && row.class < classes;
        if rows.len() > MAX_ADDED_IMAGES || !rows.iter().all(is_valid) {
            return Err(damaged_table(&path, "it lists no images of this added task"));
        }
        Ok(Self::new(added_task, rows, &text, bit_depth))
    }

    fn new(added_task: &Path, rows: Vec<ImageRow>, text: &[u8], bit_depth: usize) -> Self {
        let folder = Folder {
            path: added_task.join(ADDED_IMAGES_FOLDER),
            path_in_split: String::new(),
            bit_depth,
        };
        Self { folder: Arc::new(folder), rows, fingerprint: hex(&Sha256::digest(text)) }
    }

    /// Returns the rows of one split with their positions in the list.
    fn rows_of_split(&self, split: Split) -> impl Iterator<Item = (usize, &ImageRow)> {
        let rows = self.rows.iter().enumerate();
        rows.filter(move |(_, row)| row.split == split)
    }

    fn samples(&self, split: Split) -> Vec<Sample> {
        let sample = |(position, row): (usize, &ImageRow)| Sample {
            source: ImageSource::File {
                folder: self.folder.clone(),
                name: Arc::from(OsStr::new(&file_name(position, &row.ending))),
            },
            class: row.class as u32,
        };
        self.rows_of_split(split).map(sample).collect()
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
    pub fn check_test_images(&self) -> Result<()> {
        let mut tests = self.rows_of_split(Split::Test);
        tests.try_for_each(|(position, row)| self.read_image(position, row).map(drop))
    }

    /// Returns the bytes of the image at this position of the list, if it is unchanged.
    fn read_image(&self, position: usize, row: &ImageRow) -> Result<Vec<u8>> {
        let path = self.image_path(position, row);
        let bytes = files::read(&path, MAX_BYTES)
            .map_err(|error| Problem::io("read an image of an added task", &path, &error))?;
        if hex(&Sha256::digest(&bytes)) == row.sha256 {
            return Ok(bytes);
        }
        Err(Problem::new(message!("problem-image-changed-since-learned"))
            .at_path(&path)
            .advise(message!("advice-restore-run-folder")))
    }

    fn image_path(&self, position: usize, row: &ImageRow) -> PathBuf {
        self.folder.path.join(file_name(position, &row.ending))
    }

    /// Returns the test image at this index, if it is unchanged.
    ///
    /// # Errors
    /// Returns a Problem if it is missing or has changed.
    pub fn test_image(&self, index: usize) -> Result<NamedImage> {
        let missing =
            || Problem::new(message!("problem-added-task-test-image", index = index.to_string()));
        let (position, row) = self.rows_of_split(Split::Test).nth(index).ok_or_else(missing)?;
        let image = decode_image(&self.read_image(position, row)?, self.folder.bit_depth)
            .map_err(|problem| problem.at_path(self.image_path(position, row)))?;
        Ok(NamedImage::new(row.name.clone(), image))
    }
}

/// Returns the file name of the image at this position of the list.
fn file_name(position: usize, extension: &str) -> String {
    format!("{:04}.{extension}", position + 1)
}
