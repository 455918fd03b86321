//! What a run's PET starts from: a LoRA in the form of the library peft, as two files. A run has a copy of them, so it
//! can be continued, checked and packed when the original is gone.

use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use crate::fetch::hex;
use crate::files;
use crate::files::write::keep_file;
use crate::message;
use crate::problem::{Problem, Result};
use crate::run::event::RunHeader;

/// The folder of the copy below that of the run.
pub const START_FOLDER: &str = "start";
/// The file that says what the other one holds.
pub const ADAPTER_CONFIG: &str = "adapter_config.json";
/// The file of the values.
pub const ADAPTER_VALUES: &str = "adapter_model.safetensors";
/// Largest file: a LoRA of rank 64 on every layer of a ViT-H takes a third of it.
const MOST_BYTES: u64 = 256 << 20;

/// An adapter that a PET starts from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PetStart {
    folder: PathBuf,
    /// SHA-256 over both files, in hex.
    pub sha256: String,
}

impl PetStart {
    /// The one in this folder.
    ///
    /// # Errors
    /// Returns a Problem that names the file that is missing or cannot be read.
    pub fn at(folder: &Path) -> Result<Self> {
        let mut hash = Sha256::new();
        for name in [ADAPTER_CONFIG, ADAPTER_VALUES] {
            hash.update(Sha256::digest(Self::read(&folder.join(name))?));
        }
        Ok(Self {
            folder: folder.to_path_buf(),
            sha256: hex(&hash.finalize()),
        })
    }

    /// Whether a folder looks like one.
    pub fn is_at(folder: &Path) -> bool {
        let mut names = [ADAPTER_CONFIG, ADAPTER_VALUES].iter();
        names.all(|name| folder.join(name).is_file())
    }

    /// The copy of a run whose settings name one.
    ///
    /// # Errors
    /// Returns a Problem if a file of it is missing or was changed.
    pub fn of_run(header: &RunHeader) -> Result<Option<Self>> {
        let Some(named) = &header.config.pet_start else {
            return Ok(None);
        };
        let copy = header.folder.join(START_FOLDER);
        // A run that was killed before it had its copy.
        let place = match copy.is_dir() {
            true => copy.as_path(),
            false => Path::new(named),
        };
        let start = Self::at(place)?;
        match header.start_sha256.as_ref() == Some(&start.sha256) {
            true => Ok(Some(start)),
            false => Err(Problem::new(message!("problem-adapter-changed"))
                .at_path(place)
                .advise(message!("advice-restore-adapter"))),
        }
    }

    /// The place of a file.
    pub fn file(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    /// The bytes of one of the two files of an adapter.
    ///
    /// # Errors
    /// Returns a Problem if it cannot be read.
    pub fn read(path: &Path) -> Result<Vec<u8>> {
        files::read(path, MOST_BYTES).map_err(|error| {
            let problem = Problem::io("read the adapter to start from", path, &error);
            match path.exists() {
                true => problem,
                false => problem.advise(message!("advice-choose-peft-folder")),
            }
        })
    }

    /// Puts a copy into a run's folder.
    ///
    /// # Errors
    /// Returns a Problem if the disk is full, or the original changed in the meantime.
    pub(super) fn keep(&self, run: &Path) -> Result<()> {
        let folder = run.join(START_FOLDER);
        std::fs::create_dir_all(&folder)
            .map_err(|error| Problem::io("create the folder", &folder, &error))?;
        for name in [ADAPTER_CONFIG, ADAPTER_VALUES] {
            keep_file(&folder.join(name), &Self::read(&self.file(name))?)?;
        }
        match Self::at(&folder)?.sha256 == self.sha256 {
            true => Ok(()),
            false => Err(
                Problem::new(message!("problem-adapter-changed-while-copying"))
                    .at_path(&self.folder)
                    .advise(message!("advice-train-when-not-written")),
            ),
        }
    }
}
