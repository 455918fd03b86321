//! The record of a submission, in a folder of its own beside the runs.

use std::fs;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::files;
use crate::problem::{Problem, Result};
use crate::store::write_file;

/// The folder of submissions, beside the runs.
pub(super) const FOLDER: &str = ".slurm";
/// The record in the folder of a submission.
const NOTE: &str = "submission.json";
/// Version of the record. The first one has no place.
pub(super) const VERSION: u32 = 2;

/// The record of a submission.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Submission {
    pub version: u32,
    pub grid: String,
    /// The place that it was submitted to; empty for the cluster of this machine.
    #[serde(default)]
    pub place: String,
    /// Whether all of its tasks were seen to have ended.
    #[serde(default)]
    pub over: bool,
    pub cells: Vec<SubmittedCell>,
    #[serde(skip)]
    pub folder: PathBuf,
}

/// A submitted run.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct SubmittedCell {
    /// Number of the run, from 1.
    pub number: usize,
    /// The key of its settings, on every machine.
    pub settings: String,
    /// The array, once it is submitted.
    pub job: String,
    /// Its index there.
    pub index: usize,
}

impl Submission {
    /// Returns the submissions of a folder of runs, the newest first, without those that cannot be read.
    pub fn all(root: &Path) -> impl Iterator<Item = Self> {
        let entries = fs::read_dir(root.join(FOLDER)).into_iter().flatten();
        let mut folders: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
        folders.sort();
        folders.into_iter().rev().filter_map(Self::in_folder)
    }

    /// Returns the submission in this folder; `None` if it cannot be read.
    pub fn in_folder(folder: PathBuf) -> Option<Self> {
        let text = files::read_text(&folder.join(NOTE), files::TABLE).ok()?;
        let note: Self = serde_json::from_str(&text).ok()?;
        Some(Self { folder, ..note })
    }

    /// Returns whether it was submitted to this place and is not known to have ended.
    pub fn is_open_at(&self, place: &str) -> bool {
        self.version >= VERSION && self.place == place && !self.over
    }

    /// Returns its runs that are in the queue, or were.
    pub fn submitted(&self) -> impl Iterator<Item = &SubmittedCell> {
        self.cells.iter().filter(|cell| !cell.job.is_empty())
    }

    /// Writes the record.
    pub fn save(&self) -> Result<()> {
        let text = serde_json::to_string_pretty(self)
            .map_err(|error| Problem::new(format!("the submission cannot be recorded: {error}")))?;
        write_file(&self.folder.join(NOTE), text.as_bytes()).map(drop)
    }
}
