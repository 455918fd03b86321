//! Detects which folders are runs.

use std::path::{Path, PathBuf};

use super::{METRICS_FILE, RUN_FILE};
use crate::message;
use crate::problem::Problem;

/// Returns whether a folder is a run, intact or damaged.
pub fn is_run(folder: &Path) -> bool {
    folder.join(RUN_FILE).exists() || folder.join(METRICS_FILE).exists()
}

/// Returns the folders directly below `root` that are runs, intact or damaged; empty if `root` does not exist.
pub fn run_folders(root: &Path) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(root) else {
        return Vec::new();
    };
    let paths = entries.flatten().map(|entry| entry.path());
    paths.filter(|path| is_run(path)).collect()
}

/// Returns whether there is a run directly below this folder.
pub fn holds_runs(root: &Path) -> bool {
    !run_folders(root).is_empty()
}

/// Returns the Problem for a folder that is not a run.
pub(super) fn no_run(folder: &Path) -> Problem {
    Problem::new(message!("problem-folder-without-run"))
        .at_path(folder)
        .advise(message!("advice-list-runs"))
}
