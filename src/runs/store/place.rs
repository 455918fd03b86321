//! Which folders are runs.

use std::path::{Path, PathBuf};

use super::{METRICS_FILE, RUN_FILE};
use crate::message;
use crate::problem::Problem;

/// Whether a folder is a run, whole or damaged.
pub fn is_run(folder: &Path) -> bool {
    folder.join(RUN_FILE).exists() || folder.join(METRICS_FILE).exists()
}

/// The folders below `root` that are runs, whole or damaged. A folder that does not exist holds none.
pub fn run_folders(root: &Path) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(root) else {
        return Vec::new();
    };
    let paths = entries.flatten().map(|entry| entry.path());
    paths.filter(|path| is_run(path)).collect()
}

/// Whether there is a run below this folder.
pub fn holds_runs(root: &Path) -> bool {
    !run_folders(root).is_empty()
}

/// A folder that holds no run.
pub(super) fn no_run(folder: &Path) -> Problem {
    Problem::new(message!("problem-folder-without-run"))
        .at_path(folder)
        .advise(message!("advice-list-runs"))
}
