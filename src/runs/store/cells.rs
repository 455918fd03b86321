//! What several programs that work on the same runs share: which runs exist, by key,
//! and which program works on which.
//!
//! Each key has a lock in the folder `.cells` beside the runs. It is taken before a run of that key is begun or
//! continued, so that nobody else does the same, and it is gone with the program that holds it. The file stays: if it
//! were removed, one program could hold the lock of a file that is no longer there while another takes that of a new one.

use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};

use super::listing::on_all_cores;
use super::load::StoredState;
use super::place::run_folders;
use super::summary::{RunSummary, summarize};
use super::{CELLS_FOLDER, RunKey};
use crate::files::Lock;
use crate::files::write::{is_file_locked, lock_file};
use crate::problem::{Problem, Result};

/// The right to begin or continue the run of a key; given back when it is dropped.
#[derive(Debug)]
pub struct CellLock {
    _held: Lock,
}

/// Takes the lock of a key; `None` if another program has it.
///
/// # Errors
/// Returns a Problem if the folder cannot be written.
pub fn lock_cell(root: &Path, key: &RunKey) -> Result<Option<CellLock>> {
    let folder = root.join(CELLS_FOLDER);
    std::fs::create_dir_all(&folder)
        .map_err(|error| Problem::io("create the folder of locks", &folder, &error))?;
    let held = lock_file(&lock_path(root, key))?;
    Ok(held.map(|_held| CellLock { _held }))
}

/// Whether some program has the lock of this key.
pub fn is_cell_locked(root: &Path, key: &RunKey) -> bool {
    is_file_locked(&lock_path(root, key))
}

fn lock_path(root: &Path, key: &RunKey) -> PathBuf {
    let begins = |hash: &str| hash.chars().take(32).collect::<String>();
    let [experiment, repetition] = [&key.experiment, &key.repetition].map(|hash| begins(hash));
    root.join(CELLS_FOLDER)
        .join(format!("{experiment}-{repetition}.lock"))
}

/// The runs below a folder by their key. A run that is finished is read once.
#[derive(Debug)]
pub struct RunsByKey {
    root: PathBuf,
    runs: HashMap<PathBuf, RunSummary>,
    /// The best run of each key.
    best: HashMap<RunKey, PathBuf>,
}

impl RunsByKey {
    /// Those that there are. What cannot be read is left out, as nothing can be gone on with there.
    pub fn read(root: &Path) -> Self {
        let mut runs = Self {
            root: root.to_path_buf(),
            runs: HashMap::new(),
            best: HashMap::new(),
        };
        runs.refresh();
        runs
    }

    /// Looks for new runs, and for what has become of those that were not finished.
    pub fn refresh(&mut self) {
        let mut folders = run_folders(&self.root);
        let there: HashSet<&PathBuf> = folders.iter().collect();
        self.runs.retain(|folder, _| there.contains(folder));
        folders.retain(|folder| {
            let known = self.runs.get(folder);
            known.is_none_or(|run| run.state != StoredState::Finished)
        });
        let read = on_all_cores(folders, |folder| {
            let summary = summarize(&folder).ok();
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
            let known = self.runs.get(best.as_path());
            if known.is_none_or(|known| rank(run) < rank(known)) {
                best.clone_from(folder);
            }
        }
    }

    /// All of them.
    pub fn all(&self) -> impl Iterator<Item = &RunSummary> {
        self.runs.values()
    }

    /// The one in this folder.
    pub fn in_folder(&self, folder: &Path) -> Option<&RunSummary> {
        self.runs.get(folder)
    }

    /// The run of this key that is furthest: a finished one, else one that a program works on, else the stopped one with
    /// most tasks. Of equal ones the first by name.
    pub fn of(&self, key: &RunKey) -> Option<&RunSummary> {
        self.runs.get(self.best.get(key)?)
    }
}

/// How far a run is, those that are furthest first.
fn rank(run: &RunSummary) -> (u8, Reverse<(usize, usize)>, &str) {
    let (state, epoch) = match run.state {
        StoredState::Finished => (0, 0),
        StoredState::Running => (1, 0),
        StoredState::Interrupted { epoch, .. } => (2, epoch),
    };
    (state, Reverse((run.saved(), epoch)), &run.header.run)
}
