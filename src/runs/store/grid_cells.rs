//! State shared by programs that work on the same folder of runs: which runs exist, by key, and which program works on
//! which.
//!
//! Each key has a lock in the folder `.cells` beside the runs. A program takes it before it begins or resumes a run
//! with that key, so no other program does the same. The system releases it when the program ends. The lock file is
//! never removed: otherwise, one program could hold the lock of a removed file while another locks a new file.

use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};

use super::listing::map_parallel;
use super::load::StoredState;
use super::record::run_folders;
use super::summary::{RunSummary, summarise};
use super::{CELLS_FOLDER, RunKey};
use crate::files::Lock;
use crate::files::write::{is_file_locked, lock_file};
use crate::problem::{Problem, Result};

/// Takes the exclusive right to begin or resume the run with a key; returns `None` if another program has it.
///
/// # Errors
/// Returns a Problem if the folder cannot be written.
pub fn lock_cell(root: &Path, key: &RunKey) -> Result<Option<Lock>> {
    let folder = root.join(CELLS_FOLDER);
    std::fs::create_dir_all(&folder)
        .map_err(|error| Problem::io("create the folder of locks", &folder, &error))?;
    lock_file(&lock_path(root, key))
}

/// Returns whether a program holds the lock of this key.
pub fn is_cell_locked(root: &Path, key: &RunKey) -> bool {
    is_file_locked(&lock_path(root, key))
}

fn lock_path(root: &Path, key: &RunKey) -> PathBuf {
    let prefix = |hash: &str| hash.chars().take(32).collect::<String>();
    let [experiment, repetition] = [&key.experiment, &key.repetition].map(|hash| prefix(hash));
    root.join(CELLS_FOLDER).join(format!("{experiment}-{repetition}.lock"))
}

/// The runs below a folder, by key. A finished run is read only once.
#[derive(Debug)]
pub struct RunsByKey {
    root: PathBuf,
    runs: HashMap<PathBuf, RunSummary>,
    /// The run of each key that has progressed furthest.
    best: HashMap<RunKey, PathBuf>,
}

impl RunsByKey {
    /// Reads the existing runs. Unreadable runs are left out, because they cannot be resumed.
    pub fn load(root: &Path) -> Self {
        let mut runs =
            Self { root: root.to_path_buf(), runs: HashMap::new(), best: HashMap::new() };
        runs.refresh();
        runs
    }

    /// Adds new runs and reads unfinished ones again.
    pub fn refresh(&mut self) {
        let mut folders = run_folders(&self.root);
        let existing: HashSet<&PathBuf> = folders.iter().collect();
        self.runs.retain(|folder, _| existing.contains(folder));
        folders.retain(|folder| {
            let cached = self.runs.get(folder);
            cached.is_none_or(|run| run.state != StoredState::Finished)
        });
        let read = map_parallel(folders, |folder| {
            let summary = summarise(&folder).ok();
            (folder, summary)
        });
        for (folder, summary) in read {
            match summary {
                Some(summary) => self.runs.insert(folder, summary),
                None => self.runs.remove(&folder),
            };
        }
        self.best = HashMap::new();
        for (folder, run) in &self.runs {
            let entry = self.best.entry(run.key.clone());
            let best = entry.or_insert_with(|| folder.clone());
            if rank(run) < rank(&self.runs[&*best]) {
                best.clone_from(folder);
            }
        }
    }

    /// Returns all runs.
    pub fn runs(&self) -> impl Iterator<Item = &RunSummary> {
        self.runs.values()
    }

    /// Returns the run in this folder.
    pub fn by_folder(&self, folder: &Path) -> Option<&RunSummary> {
        self.runs.get(folder)
    }

    /// Returns the run of this key that has progressed furthest: a finished one, else a running one, else the
    /// interrupted one with the most tasks. Of equal runs, the first by name is returned.
    pub fn by_key(&self, key: &RunKey) -> Option<&RunSummary> {
        self.runs.get(self.best.get(key)?)
    }
}

/// Returns a sort key for the progress of a run; runs that have progressed further come first.
fn rank(run: &RunSummary) -> (u8, Reverse<(usize, usize)>, &str) {
    let (state, epoch) = match run.state {
        StoredState::Finished => (0, 0),
        StoredState::Running => (1, 0),
        StoredState::Interrupted { epoch, .. } => (2, epoch),
    };
    (state, Reverse((run.saved_tasks(), epoch)), &run.header.run)
}
