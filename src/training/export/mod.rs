//! Export of a trained model for other programs: a folder with its weights and the code or graph to use them.
//!
//! A method's prediction is described by its [`ExportedClassifier`](crate::method::ExportedClassifier), a family's network by its
//! [`TorchSource`](crate::backbone::torch::TorchSource); a PET's equations are translated from their trees. Before the
//! folder gets its final name, the model predicts two noise images; the folder contains these predictions, so that
//! other programs can be compared with them.

mod model;
mod onnx;
mod peft;
mod preprocessing;
mod text;
mod torch;

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use model::{Files, Model};

use crate::experiment::ResourceCache;
use crate::experiment::predict::Predictor;
use crate::message;
use crate::problem::{Problem, Result};
use crate::store::write_file;
use crate::tensors::to_bytes;

/// The format of an export.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Weights and one readable file for PyTorch.
    Torch,
    /// A LoRA as peft reads it.
    Peft,
    /// One file for ONNX runtimes.
    Onnx,
}

impl Format {
    /// All formats, with their keys on the command line and a sentence.
    pub const ALL: &'static [(Self, &'static str, &'static str)] = &[
        (
            Self::Torch,
            "torch",
            "a folder with the weights and one readable Python file, for PyTorch and timm",
        ),
        (Self::Peft, "peft", "a LoRA in the format of the peft library, for a timm network"),
        (
            Self::Onnx,
            "onnx",
            "the whole network as one file for onnxruntime and others, without Python",
        ),
    ];

    /// Returns the key.
    pub fn key(self) -> &'static str {
        let entry = Self::ALL.iter().find(|(format, ..)| *format == self);
        entry.map_or("", |(_, key, _)| key)
    }
}

/// The result of an export.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExportSummary {
    /// The folder.
    pub folder: PathBuf,
    /// Its files.
    pub files: Vec<String>,
    /// Total size of all files in bytes.
    pub bytes: u64,
}

/// Tensors to compare other programs with: noise images and the run's predictions for them.
const CHECK_FILE: &str = "check.safetensors";

/// Exports the run in `folder`, in its state after `task` (from 0), into the new folder `target`. Missing weights of
/// the backbone are downloaded if `download` is set.
///
/// # Errors
/// Returns a Problem if the run cannot be loaded, its method or backbone cannot be exported, `target` exists and is
/// not empty, or the disk is full. In that case nothing remains at `target`.
pub fn export(
    folder: &Path,
    task: usize,
    format: Format,
    target: &Path,
    download: bool,
) -> Result<ExportSummary> {
    check_target(target)?;
    // On the CPU, weights are available as f32.
    let predictor =
        Predictor::open(folder, task, Some("cpu"), &ResourceCache::default(), download)?;
    let method = &predictor.header().method.title;
    let recipe =
        predictor.method.exported_classifier().map_err(|problem| problem.at(method.as_str()))?;
    let model = Model { predictor: &predictor, recipe };
    let mut files = match format {
        Format::Torch => torch::files(&model)?,
        Format::Peft => peft::files(&model)?,
        Format::Onnx => onnx::files(&model)?,
    };
    files.push((CHECK_FILE.into(), to_bytes(&model.reference_tensors()?, HashMap::new())?));
    write_files(target, &files)
}

/// Checks that the path does not exist or is an empty folder.
fn check_target(target: &Path) -> Result<()> {
    let exists = match std::fs::read_dir(target) {
        Ok(mut entries) => entries.next().is_some(),
        Err(_) => std::fs::symlink_metadata(target).is_ok() && !target.is_dir(),
    };
    match exists {
        true => Err(Problem::new(message!("problem-export-path-exists"))
            .at_path(target)
            .advise(message!("advice-choose-empty-folder"))),
        false => Ok(()),
    }
}

/// Writes all files to a temporary folder next to the target, and renames it.
fn write_files(target: &Path, files: &Files) -> Result<ExportSummary> {
    // Without a final separator, after which the name of the temporary folder would be inside the target.
    let target = &target.components().collect::<PathBuf>();
    let temporary_folder = {
        let mut name = target.as_os_str().to_owned();
        name.push(format!(".{}.partial", std::process::id()));
        PathBuf::from(name)
    };
    let write_all = || {
        std::fs::create_dir_all(&temporary_folder)
            .map_err(|error| Problem::io("create the folder", &temporary_folder, &error))?;
        let mut bytes = 0;
        for (name, content) in files {
            let path = temporary_folder.join(name);
            if let Some(parent) = path.parent() {
                std::fs::create_dir_all(parent)
                    .map_err(|error| Problem::io("create the folder", parent, &error))?;
            }
            bytes += write_file(&path, content)?;
        }
        // The target may be an empty folder.
        let _ = std::fs::remove_dir(target);
        std::fs::rename(&temporary_folder, target)
            .map_err(|error| Problem::io("move the folder into place", target, &error))?;
        Ok(bytes)
    };
    let bytes = write_all().inspect_err(|_| {
        let _ = std::fs::remove_dir_all(&temporary_folder);
    })?;
    Ok(ExportSummary {
        folder: target.clone(),
        files: files.iter().map(|(name, _)| name.clone()).collect(),
        bytes,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn target_may_end_with_separator_and_be_an_empty_folder() {
        let folder = tempfile::tempdir().unwrap();
        let files = vec![("a.txt".to_owned(), b"text".to_vec())];
        for name in ["new/", "empty/"] {
            let target = folder.path().join(name);
            if name == "empty/" {
                std::fs::create_dir(&target).unwrap();
            }
            let summary = write_files(&target, &files).unwrap();
            assert_eq!(std::fs::read(summary.folder.join("a.txt")).unwrap(), b"text");
        }
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 2);
    }
}
