//! Export of a trained model for other programs: a folder with its weights and the code or graph to use them.
//!
//! A method's prediction is described by its [`ExportedClassifier`](crate::method::ExportedClassifier), a family's network by its
//! [`TorchText`](crate::backbone::torch::TorchText); a PET's equations are translated from their trees. Before the
//! folder gets its final name, the model predicts two noise images; the folder contains these predictions, so that
//! other programs can be compared with them.

mod model;
mod onnx;
mod peft;
mod prepared;
mod torch;
mod words;

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
        (
            Self::Peft,
            "peft",
            "a LoRA in the format of the peft library, for a timm network",
        ),
        (
            Self::Onnx,
            "onnx",
            "the whole network as one file for onnxruntime and others, without Python",
        ),
    ];

    /// Returns the key.
    pub fn key(self) -> &'static str {
        let own = Self::ALL.iter().find(|(format, ..)| *format == self);
        own.map_or("", |(_, key, _)| key)
    }
}

/// The result of an export.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Exported {
    /// The folder.
    pub folder: PathBuf,
    /// Its files.
    pub files: Vec<String>,
    /// Total size of all files in bytes.
    pub bytes: u64,
}

/// Tensors to compare other programs with: noise images and the run's predictions for them.
const CHECK_FILE: &str = "check.safetensors";
/// Exports the run in `folder`, in its state after `task` (from 0), into the new folder `to`. Missing weights of the
/// backbone are downloaded if `download` is set.
///
/// # Errors
/// Returns a Problem if the run cannot be loaded, its method or backbone cannot be exported, `to` exists and is not
/// empty, or the disk is full. In that case nothing remains at `to`.
pub fn export(
    folder: &Path,
    task: usize,
    format: Format,
    to: &Path,
    download: bool,
) -> Result<Exported> {
    free(to)?;
    // On the CPU, weights are available as f32.
    let predictor = Predictor::open(
        folder,
        task,
        Some("cpu"),
        &ResourceCache::default(),
        download,
    )?;
    let method = &predictor.header().method.title;
    let recipe = predictor
        .method
        .recipe()
        .map_err(|problem| problem.at(method.as_str()))?;
    let model = Model {
        predictor: &predictor,
        recipe,
    };
    let mut files = match format {
        Format::Torch => torch::files(&model)?,
        Format::Peft => peft::files(&model)?,
        Format::Onnx => onnx::files(&model)?,
    };
    files.push((
        CHECK_FILE.into(),
        to_bytes(&model.check()?, HashMap::new())?,
    ));
    written(to, &files)
}

/// Checks that the path does not exist or is an empty folder.
fn free(to: &Path) -> Result<()> {
    let taken = match std::fs::read_dir(to) {
        Ok(mut entries) => entries.next().is_some(),
        Err(_) => std::fs::symlink_metadata(to).is_ok() && !to.is_dir(),
    };
    match taken {
        true => Err(Problem::new(message!("problem-export-path-exists"))
            .at_path(to)
            .advise(message!("advice-choose-empty-folder"))),
        false => Ok(()),
    }
}

/// Writes all files to a temporary folder next to the target, and renames it.
fn written(to: &Path, files: &Files) -> Result<Exported> {
    let beside = {
        let mut name = to.as_os_str().to_owned();
        name.push(format!(".{}.partial", std::process::id()));
        PathBuf::from(name)
    };
    let all = || {
        std::fs::create_dir_all(&beside)
            .map_err(|error| Problem::io("create the folder", &beside, &error))?;
        let mut bytes = 0;
        for (name, content) in files {
            let path = beside.join(name);
            if let Some(parent) = path.parent() {
                std::fs::create_dir_all(parent)
                    .map_err(|error| Problem::io("create the folder", parent, &error))?;
            }
            bytes += write_file(&path, content)?;
        }
        // The target may be an empty folder.
        let _ = std::fs::remove_dir(to);
        std::fs::rename(&beside, to)
            .map_err(|error| Problem::io("move the folder into place", to, &error))?;
        Ok(bytes)
    };
    let bytes = all().inspect_err(|_| {
        let _ = std::fs::remove_dir_all(&beside);
    })?;
    Ok(Exported {
        folder: to.to_path_buf(),
        files: files.iter().map(|(name, _)| name.clone()).collect(),
        bytes,
    })
}
