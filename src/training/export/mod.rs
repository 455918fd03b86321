//! A trained model for programs that are none of ours: a folder with its weights and what reads them.
//!
//! How a method answers is its [`Recipe`](crate::method::Recipe); how a family's network is written down its
//! [`TorchText`](crate::backbone::torch::TorchText); a PET's equations are written from their trees. What is
//! written answers to two images of noise before the folder appears, and those answers are in it, so
//! the other program can be compared with them.

mod model;
mod onnx;
mod peft;
mod prepared;
mod torch;
mod words;

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use model::{Files, Model};

use crate::experiment::Stock;
use crate::experiment::predict::Predictor;
use crate::message;
use crate::problem::{Problem, Result};
use crate::store::write_file;
use crate::tensors::to_bytes;

/// What a model can be written as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Weights and one readable file for PyTorch.
    Torch,
    /// A LoRA as peft reads it.
    Peft,
    /// One file for ONNX's runtimes.
    Onnx,
}

impl Format {
    /// All, with the key of each on the command line and a sentence.
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

    /// Its key.
    pub fn key(self) -> &'static str {
        let own = Self::ALL.iter().find(|(format, ..)| *format == self);
        own.map_or("", |(_, key, _)| key)
    }
}

/// What was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Exported {
    /// The folder.
    pub folder: PathBuf,
    /// Its files.
    pub files: Vec<String>,
    /// Bytes of all of them.
    pub bytes: u64,
}

/// The tensors that other programs are compared with: noise, and the run's answers to it.
const CHECK_FILE: &str = "check.safetensors";
/// Writes the run in `folder`, as it was after `task` (from 0), into the new folder `to`. Weights of the
/// backbone that are missing are downloaded if `download`.
///
/// # Errors
/// Returns a Problem if the run cannot be asked, its method or backbone cannot be written down, `to` is there
/// already and not empty, or the disk is full. Nothing is left at `to` then.
pub fn export(
    folder: &Path,
    task: usize,
    format: Format,
    to: &Path,
    download: bool,
) -> Result<Exported> {
    free(to)?;
    // On the processor weights are available as f32.
    let predictor = Predictor::open(folder, task, Some("cpu"), &Stock::default(), download)?;
    let method = &predictor.header().method.title;
    let recipe = predictor
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

/// Refuses a place that holds something.
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

/// Writes all files beside the place and puts the folder there whole.
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
        // An empty folder may be there.
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
