//! The adapter from which a run's PET starts: a LoRA in the format of the peft library (two files). The run has a copy,
//! so it can be resumed, checked and packed without the original.

use std::path::{Path, PathBuf};

use serde_json::Value;
use sha2::{Digest, Sha256};

use crate::fetch::hex;
use crate::files;
use crate::files::write::save_file;
use crate::message;
use crate::problem::{Problem, Result};
use crate::run::event::RunHeader;
use crate::store::pack::redaction::last_component;

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
    /// SHA-256 of the hashes of both files, in hex, without the path of the base model.
    pub sha256: String,
}

impl PetStart {
    /// Reads the adapter in this folder.
    ///
    /// # Errors
    /// Returns a Problem that names the file that is missing or cannot be read.
    pub fn load(folder: &Path) -> Result<Self> {
        let sha256 = Self::hash(folder, without_model_path)?;
        Ok(Self { folder: folder.to_path_buf(), sha256 })
    }

    /// Returns the hash of an adapter whose description was changed by this function.
    fn hash(folder: &Path, change: fn(Vec<u8>) -> Vec<u8>) -> Result<String> {
        let config = change(Self::read(&folder.join(ADAPTER_CONFIG))?);
        let values = Self::read(&folder.join(ADAPTER_VALUES))?;
        let mut hash = Sha256::new();
        hash.update(Sha256::digest(config));
        hash.update(Sha256::digest(values));
        Ok(hex(&hash.finalize()))
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
        let recorded = header.start_sha256.as_ref();
        // Older versions hashed the description unchanged.
        let is_same = recorded == Some(&start.sha256)
            || recorded == Some(&Self::hash(source, std::convert::identity)?);
        match is_same {
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

    /// Copies the adapter into a run's folder, without the path of its base model.
    ///
    /// # Errors
    /// Returns a Problem if the disk is full, or the original changed in the meantime.
    pub fn copy_to_run(&self, run: &Path) -> Result<()> {
        let folder = run.join(START_FOLDER);
        std::fs::create_dir_all(&folder)
            .map_err(|error| Problem::io("create the folder", &folder, &error))?;
        let config = without_model_path(Self::read(&self.file_path(ADAPTER_CONFIG))?);
        save_file(&folder.join(ADAPTER_CONFIG), &config)?;
        let values = Self::read(&self.file_path(ADAPTER_VALUES))?;
        save_file(&folder.join(ADAPTER_VALUES), &values)?;
        match Self::load(&folder)?.sha256 == self.sha256 {
            true => Ok(()),
            false => Err(Problem::new(message!("problem-adapter-changed-while-copying"))
                .at_path(&self.folder)
                .advise(message!("advice-train-when-not-written"))),
        }
    }
}

/// Returns an `adapter_config.json` in which a local path of the base model is reduced to its last component.
pub(super) fn without_model_path(config: Vec<u8>) -> Vec<u8> {
    let Ok(mut table) = serde_json::from_slice::<Value>(&config) else {
        return config;
    };
    let Some(Value::String(model)) = table.get_mut("base_model_name_or_path") else {
        return config;
    };
    // A name on the Hugging Face Hub has at most one slash.
    let is_local_path = model.starts_with(['/', '.', '~'])
        || model.contains('\\')
        || model.matches('/').count() > 1;
    if !is_local_path {
        return config;
    }
    *model = last_component(model);
    serde_json::to_vec_pretty(&table).unwrap_or(config)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn adapter_config_has_no_local_path() {
        let config =
            |model: &str| format!("{{\"base_model_name_or_path\":\"{model}\"}}").into_bytes();
        let redacted = without_model_path(config("/home/ada/vit"));
        assert_eq!(
            String::from_utf8(redacted.clone()).unwrap(),
            "{\n  \"base_model_name_or_path\": \"vit\"\n}"
        );
        assert_eq!(without_model_path(redacted.clone()), redacted);
        for unchanged in [config("google/vit"), config("vit"), b"{}".to_vec(), b"{".to_vec()] {
            assert_eq!(without_model_path(unchanged.clone()), unchanged);
        }
    }
}
