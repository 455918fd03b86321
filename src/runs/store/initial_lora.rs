//! The adapter from which a run's PET starts: a LoRA in the format of the peft library (two files). The run has a copy,
//! so it can be resumed, checked and packed without the original.

use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use crate::fetch::hex;
use crate::files;
use crate::files::write::save_file;
use crate::message;
use crate::problem::{Problem, Result};
use crate::run::event::RunHeader;

/// Folder of the copy in the run's folder.
pub const START_FOLDER: &str = "start";
/// File that describes the adapter.
pub const ADAPTER_CONFIG: &str = "adapter_config.json";
/// File of the adapter's values.
pub const ADAPTER_VALUES: &str = "adapter_model.safetensors";
/// Maximum file size; a LoRA of rank 64 on every layer of a ViT-H needs a third of it.
const MAX_BYTES: u64 = 256 << 20;

/// An adapter from which a PET starts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PetStart {
    folder: PathBuf,
    /// SHA-256 of the hashes of both files, in hex.
    pub sha256: String,
}

impl PetStart {
    /// Reads the adapter in this folder.
    ///
    /// # Errors
    /// Returns a Problem that names the file that is missing or cannot be read.
    pub fn load(folder: &Path) -> Result<Self> {
        let mut hash = Sha256::new();
        for name in [ADAPTER_CONFIG, ADAPTER_VALUES] {
            hash.update(Sha256::digest(Self::read(&folder.join(name))?));
        }
        Ok(Self { folder: folder.to_path_buf(), sha256: hex(&hash.finalize()) })
    }

    /// Returns whether a folder contains both files of an adapter.
    pub fn exists(folder: &Path) -> bool {
        let mut names = [ADAPTER_CONFIG, ADAPTER_VALUES].iter();
        names.all(|name| folder.join(name).is_file())
    }

    /// Returns the adapter in a run's folder; `None` if the settings name no adapter.
    ///
    /// # Errors
    /// Returns a Problem if a file is missing or was changed.
    pub fn for_run(header: &RunHeader) -> Result<Option<Self>> {
        let Some(configured) = &header.config.pet_start else {
            return Ok(None);
        };
        let copy = header.folder.join(START_FOLDER);
        // A run that was killed early may not have its copy yet.
        let source = match copy.is_dir() {
            true => copy.as_path(),
            false => Path::new(configured),
        };
        let start = Self::load(source)?;
        match header.start_sha256.as_ref() == Some(&start.sha256) {
            true => Ok(Some(start)),
            false => Err(Problem::new(message!("problem-adapter-changed"))
                .at_path(source)
                .advise(message!("advice-restore-adapter"))),
        }
    }

    /// Returns the path of a file of the adapter.
    pub fn file_path(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    /// Returns the bytes of a file of an adapter.
    ///
    /// # Errors
    /// Returns a Problem if it cannot be read.
    pub fn read(path: &Path) -> Result<Vec<u8>> {
        files::read(path, MAX_BYTES).map_err(|error| {
            let problem = Problem::io("read the adapter to start from", path, &error);
            match path.exists() {
                true => problem,
                false => problem.advise(message!("advice-choose-peft-folder")),
            }
        })
    }

    /// Copies the adapter into a run's folder.
    ///
    /// # Errors
    /// Returns a Problem if the disk is full, or the original changed in the meantime.
    pub fn copy_to_run(&self, run: &Path) -> Result<()> {
        let folder = run.join(START_FOLDER);
        std::fs::create_dir_all(&folder)
            .map_err(|error| Problem::io("create the folder", &folder, &error))?;
        for name in [ADAPTER_CONFIG, ADAPTER_VALUES] {
            save_file(&folder.join(name), &Self::read(&self.file_path(name))?)?;
        }
        match Self::load(&folder)?.sha256 == self.sha256 {
            true => Ok(()),
            false => Err(Problem::new(message!("problem-adapter-changed-while-copying"))
                .at_path(&self.folder)
                .advise(message!("advice-train-when-not-written"))),
        }
    }
}
