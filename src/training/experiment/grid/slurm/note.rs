//! The note of what was submitted, in a folder of its own beside the runs.

use std::fs;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::files;
use crate::problem::{Problem, Result};
use crate::store::write_file;

/// The folder of submissions, beside the runs.
pub(super) const FOLDER: &str = ".slurm";
/// The note in the folder of a submission.
const NOTE: &str = "submission.json";
/// Version of the note. The first one said no place.
pub(super) const VERSION: u32 = 2;

/// The note of a submission.
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

/// A run in it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct SubmittedCell {
    /// Number of the run, from 1.
    pub number: usize,
    /// What its settings are known by, wherever it is computed.
    pub settings: String,
    /// The array, once it is submitted.
    pub job: String,
    /// Its index there.
    pub index: usize,
}

impl Submission {
    /// Those of a grid, the newest first. What cannot be read is none.
    pub fn all(root: &Path, grid: &str) -> Vec<Self> {
        Self::below(root).filter(|note| note.grid == grid).collect()
    }

    /// Those to a place that are not over, the newest first.
    pub fn open(root: &Path, place: &str) -> Vec<Self> {
        let open = |note: &Self| note.version >= VERSION && note.place == place && !note.over;
        Self::below(root).filter(open).collect()
    }

    fn below(root: &Path) -> impl Iterator<Item = Self> {
        let entries = fs::read_dir(root.join(FOLDER)).into_iter().flatten();
        let mut folders: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
        folders.sort();
        folders
            .into_iter()
            .rev()
            .filter_map(|folder| Self::in_folder(&folder))
    }

    /// The one whose folder this is; `None` if it cannot be read.
    pub fn in_folder(folder: &Path) -> Option<Self> {
        let text = files::read_text(&folder.join(NOTE), files::TABLE).ok()?;
        let note: Self = serde_json::from_str(&text).ok()?;
        let folder = folder.to_path_buf();
        Some(Self { folder, ..note })
    }

    /// Those of its runs that are in the queue, or were.
    pub fn submitted(&self) -> impl Iterator<Item = &SubmittedCell> {
        self.cells.iter().filter(|cell| !cell.job.is_empty())
    }

    pub fn keep(&self) -> Result<()> {
        let text = serde_json::to_string_pretty(self)
            .map_err(|error| Problem::new(format!("no note can be made of this: {error}")))?;
        write_file(&self.folder.join(NOTE), text.as_bytes()).map(drop)
    }
}
