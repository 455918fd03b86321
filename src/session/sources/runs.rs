//! Runs of all open folders, stored and deleted, and actions on them.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use super::Disk;
use crate::problem::{Problem, Result};
use crate::session::deleted_runs::{DeletedRun, TrashAction, TrashResults};
use crate::session::folders::{MAX_FOLDERS, RunListing, RunsFolder};
use crate::session::run_row::{AdditionalFolder, RunRow, RunState, title_of};
use crate::store;
use crate::sync::lock;
use crate::tr;

/// The rows of the last listing. A listing reads only runs whose files have changed since, whichever program changed
/// them.
#[derive(Default)]
pub(super) struct RunRowCache(Mutex<HashMap<PathBuf, Arc<RunRow>>>);

impl Disk {
    /// Lists the runs of the default folder and of the others.
    pub fn runs(&self, others: Vec<PathBuf>) -> RunListing {
        let root = self.runs_root.as_path();
        let mut folders: Vec<RunsFolder> = others.into_iter().map(read_runs_folder).collect();
        // The default folder can change between starts, so it may be among the others.
        let default_root = canonical_path(root);
        let mut runs = list_run_folders(root, None);
        for folder in &mut folders {
            if folder.problem.is_some() || canonical_path(&folder.path) == default_root {
                continue;
            }
            let additional_folder =
                AdditionalFolder { folder: folder.path.clone(), read_only: folder.read_only };
            let folder_runs = list_run_folders(&folder.path, Some(additional_folder));
            folder.runs = folder_runs.len();
            runs.extend(folder_runs);
        }
        let cached_rows = lock(&self.row_cache.0).clone();
        let read_rows = store::map_parallel(runs, |(folder, additional_folder)| {
            let cached = cached_rows.get(&folder).cloned();
            let row = read_row(&folder, additional_folder, cached);
            (folder, row)
        });
        // Copies of a run have the same age; they keep the order of their folders.
        let mut rows: Vec<Arc<RunRow>> = read_rows.iter().map(|(_, row)| row.clone()).collect();
        rows.sort_by_cached_key(|row| Reverse(row.age()));
        *lock(&self.row_cache.0) = read_rows.into_iter().collect();
        RunListing { rows: Arc::new(rows), folders }
    }

    /// Returns the current row of one run; `None` if the folder is no longer a run or not in a listed folder.
    pub fn run_row(&self, folder: &Path) -> Option<Arc<RunRow>> {
        let cached = lock(&self.row_cache.0).get(folder).cloned();
        let is_listed = cached.is_some() || folder.parent() == Some(&self.runs_root);
        if !is_listed || !store::is_run(folder) {
            return None;
        }
        let additional_folder = cached.as_ref().and_then(|row| row.additional_folder.clone());
        let row = read_row(folder, additional_folder, cached);
        lock(&self.row_cache.0).insert(folder.to_path_buf(), row.clone());
        Some(row)
    }

    /// Returns the folder of runs for a path: the folder itself, or the parent of a run's folder.
    pub fn resolve_runs_folder(&self, path: &Path, open_folders: &[PathBuf]) -> Result<PathBuf> {
        let canonical = dunce::canonicalize(path)
            .map_err(|error| Problem::io("open this folder of runs", path, &error))?;
        let folder = match canonical.parent() {
            Some(parent) if store::is_run(&canonical) => parent.to_path_buf(),
            _ => canonical,
        };
        if canonical_path(&self.runs_root) == folder
            || open_folders.iter().any(|open_folder| canonical_path(open_folder) == folder)
        {
            return Err(Problem::new(tr!("notices-run-folder-known")).at_path(folder));
        }
        if open_folders.len() >= MAX_FOLDERS {
            let text = tr!("notices-too-many-run-folders", n = MAX_FOLDERS);
            return Err(Problem::new(text).advise(tr!("notices-too-many-run-folders-advice")));
        }
        if !store::contains_runs(&folder) {
            return Err(Problem::new(tr!("notices-run-folder-empty"))
                .at_path(folder)
                .advise(tr!("notices-run-folder-empty-advice")));
        }
        Ok(folder)
    }

    /// Performs an action on each of these runs.
    pub fn apply_trash_action(&self, action: TrashAction, paths: Vec<PathBuf>) -> TrashResults {
        let apply = |path: PathBuf| {
            let result = match action {
                TrashAction::Delete => store::delete_run(&path, &self.runs_root),
                TrashAction::Restore => store::restore_run(&path),
                TrashAction::Erase => store::erase_run(&path).map(|()| path.clone()),
            };
            (path, result)
        };
        paths.into_iter().map(apply).collect()
    }

    /// Returns the deleted runs of all folders.
    pub fn deleted_runs(&self, others: &[PathBuf]) -> Vec<DeletedRun> {
        let roots =
            std::iter::once(self.runs_root.as_path()).chain(others.iter().map(PathBuf::as_path));
        let runs = roots.flat_map(store::list_deleted);
        let to_view = |deleted: store::TrashedRun| {
            let title = match &deleted.run.summary {
                Ok(stored) => title_of(&stored.header),
                Err(_) => deleted.run.run.clone(),
            };
            DeletedRun {
                title,
                name: deleted.run.run,
                path: deleted.run.folder,
                bytes: deleted.bytes,
            }
        };
        runs.map(to_view).collect()
    }
}

/// Returns the runs in a folder of runs. `additional_folder` describes the folder if it is not the default one.
fn list_run_folders(
    root: &Path,
    additional_folder: Option<AdditionalFolder>,
) -> Vec<(PathBuf, Option<AdditionalFolder>)> {
    let runs = store::run_folders(root).into_iter();
    runs.map(|run| (run, additional_folder.clone())).collect()
}

/// Returns the row of a run. The known row is reused if the run is finished and its files are unchanged. An unfinished
/// run is always read again because its lock or checkpoint may have changed, and a damaged one because it may have been
/// repaired.
fn read_row(
    folder: &Path,
    additional_folder: Option<AdditionalFolder>,
    cached: Option<Arc<RunRow>>,
) -> Arc<RunRow> {
    // Read before the files, so that a change in between is detected by the next listing.
    let file_stamps = store::file_stamps(folder);
    let unchanged = cached.filter(|row| {
        row.file_stamps == file_stamps
            && row.state == RunState::Finished
            && row.additional_folder == additional_folder
    });
    unchanged.unwrap_or_else(|| {
        let row = RunRow::new(store::load_entry(folder), file_stamps, additional_folder);
        Arc::new(row)
    })
}

fn read_runs_folder(path: PathBuf) -> RunsFolder {
    let entries = std::fs::read_dir(&path);
    let problem = entries.err().map(|error| {
        Problem::new(tr!("notices-run-folder-gone", why = error.to_string()))
            .at_path(&path)
            .advise(tr!("notices-run-folder-gone-advice"))
    });
    let is_marked =
        std::fs::metadata(&path).is_ok_and(|metadata| metadata.permissions().readonly());
    RunsFolder {
        // Tries to create a temporary file in it.
        read_only: problem.is_none() && (is_marked || tempfile::tempfile_in(&path).is_err()),
        path,
        runs: 0,
        problem,
    }
}

fn canonical_path(path: &Path) -> PathBuf {
    dunce::canonicalize(path).unwrap_or_else(|_| path.to_path_buf())
}

/// Returns this folder of runs if it is not the default one.
pub(super) fn additional_root(root: &Path, folder: Option<&str>) -> Option<PathBuf> {
    let folder = canonical_path(Path::new(folder?));
    (folder != canonical_path(root)).then_some(folder)
}
