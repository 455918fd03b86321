//! Runs of all open folders, stored and deleted, and actions on them.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use super::Disk;
use crate::problem::{Problem, Result};
use crate::session::backend::lock;
use crate::session::deleted_runs::{BinAction, DeletedRun, Done};
use crate::session::folders::{MOST, RunListing, RunsFolder};
use crate::session::row::{AdditionalFolder, RunRow, RunState, title_of};
use crate::store;
use crate::tr;

/// The rows of the last listing. A listing reads only runs whose files have changed since, whichever program changed
/// them.
#[derive(Default)]
pub(super) struct RunRowCache(Mutex<HashMap<PathBuf, Arc<RunRow>>>);

impl Disk {
    /// Lists the runs of the default folder and of the others.
    pub fn runs(&self, others: Vec<PathBuf>) -> RunListing {
        let root = self.runs_root.as_path();
        let mut folders: Vec<RunsFolder> = others.into_iter().map(look).collect();
        // The default folder can change between starts, so it may be among the others.
        let usual = real(root);
        let mut runs = places(root, None);
        for folder in &mut folders {
            if folder.problem.is_some() || real(&folder.path) == usual {
                continue;
            }
            let elsewhere = AdditionalFolder {
                folder: folder.path.clone(),
                read_only: folder.read_only,
            };
            let here = places(&folder.path, Some(elsewhere));
            folder.runs = here.len();
            runs.extend(here);
        }
        let before = lock(&self.known.0).clone();
        let made = store::on_all_cores(runs, |(folder, elsewhere)| {
            let known = before.get(&folder).cloned();
            let made = made(&folder, elsewhere, known);
            (folder, made)
        });
        // Copies of a run have the same age; they keep the order of their folders.
        let mut rows: Vec<Arc<RunRow>> = made.iter().map(|(_, row)| row.clone()).collect();
        rows.sort_by_cached_key(|row| Reverse(row.age()));
        *lock(&self.known.0) = made.into_iter().collect();
        RunListing {
            rows: Arc::new(rows),
            folders,
        }
    }

    /// Returns the current row of one run; `None` if the folder is no longer a run or not in a listed folder.
    pub fn run_row(&self, folder: &Path) -> Option<Arc<RunRow>> {
        let known = lock(&self.known.0).get(folder).cloned();
        let listed = known.is_some() || folder.parent() == Some(&self.runs_root);
        if !listed || !store::is_run(folder) {
            return None;
        }
        let elsewhere = known.as_ref().and_then(|row| row.elsewhere.clone());
        let row = made(folder, elsewhere, known);
        lock(&self.known.0).insert(folder.to_path_buf(), row.clone());
        Some(row)
    }

    /// Returns the folder of runs for a path: the folder itself, or the parent of a run's folder.
    pub fn folder_of_runs(&self, path: &Path, known: &[PathBuf]) -> Result<PathBuf> {
        let found = dunce::canonicalize(path)
            .map_err(|error| Problem::io("open this folder of runs", path, &error))?;
        let folder = match found.parent() {
            Some(around) if store::is_run(&found) => around.to_path_buf(),
            _ => found,
        };
        if real(&self.runs_root) == folder || known.iter().any(|known| real(known) == folder) {
            return Err(Problem::new(tr!("notices-run-folder-known")).at_path(folder));
        }
        if known.len() >= MOST {
            let what = tr!("notices-too-many-run-folders", n = MOST);
            return Err(Problem::new(what).advise(tr!("notices-too-many-run-folders-advice")));
        }
        if !store::holds_runs(&folder) {
            return Err(Problem::new(tr!("notices-run-folder-empty"))
                .at_path(folder)
                .advise(tr!("notices-run-folder-empty-advice")));
        }
        Ok(folder)
    }

    /// Performs an action on each of these runs.
    pub fn bin(&self, action: BinAction, places: Vec<PathBuf>) -> Done {
        let act = |place: PathBuf| {
            let now = match action {
                BinAction::Delete => store::delete(&place, &self.runs_root),
                BinAction::Restore => store::restore(&place),
                BinAction::Erase => store::erase(&place).map(|()| place.clone()),
            };
            (place, now)
        };
        places.into_iter().map(act).collect()
    }

    /// Returns the deleted runs of all folders.
    pub fn deleted(&self, others: &[PathBuf]) -> Vec<DeletedRun> {
        let roots =
            std::iter::once(self.runs_root.as_path()).chain(others.iter().map(PathBuf::as_path));
        let runs = roots.flat_map(store::deleted);
        let row = |deleted: store::Deleted| {
            let title = match &deleted.run.summary {
                Ok(stored) => title_of(&stored.header),
                Err(_) => deleted.run.run.clone(),
            };
            DeletedRun {
                title,
                name: deleted.run.run,
                place: deleted.run.folder,
                bytes: deleted.bytes,
            }
        };
        runs.map(row).collect()
    }
}

/// Returns the runs in a folder of runs. `elsewhere` describes the folder if it is not the default one.
fn places(
    root: &Path,
    elsewhere: Option<AdditionalFolder>,
) -> Vec<(PathBuf, Option<AdditionalFolder>)> {
    let runs = store::run_folders(root).into_iter();
    runs.map(|run| (run, elsewhere.clone())).collect()
}

/// Returns the row of a run. The known row is reused if the run is finished and its files are unchanged. An unfinished
/// run is always read again because its lock or checkpoint may have changed, and a damaged one because it may have been
/// repaired.
fn made(
    folder: &Path,
    elsewhere: Option<AdditionalFolder>,
    known: Option<Arc<RunRow>>,
) -> Arc<RunRow> {
    // Read before the files, so that a change in between is detected by the next listing.
    let file_stamps = store::file_stamps(folder);
    let same = known.filter(|row| {
        row.file_stamps == file_stamps
            && row.state == RunState::Finished
            && row.elsewhere == elsewhere
    });
    same.unwrap_or_else(|| {
        let row = RunRow::new(store::entry(folder), file_stamps, elsewhere);
        Arc::new(row)
    })
}

fn look(path: PathBuf) -> RunsFolder {
    let seen = std::fs::read_dir(&path);
    let problem = seen.err().map(|error| {
        Problem::new(tr!("notices-run-folder-gone", why = error.to_string()))
            .at_path(&path)
            .advise(tr!("notices-run-folder-gone-advice"))
    });
    let is_marked = std::fs::metadata(&path).is_ok_and(|about| about.permissions().readonly());
    RunsFolder {
        // Tries to create a temporary file in it.
        read_only: problem.is_none() && (is_marked || tempfile::tempfile_in(&path).is_err()),
        path,
        runs: 0,
        problem,
    }
}

fn real(path: &Path) -> PathBuf {
    dunce::canonicalize(path).unwrap_or_else(|_| path.to_path_buf())
}

/// Returns this folder of runs if it is not the default one.
pub(super) fn beside(root: &Path, folder: Option<&str>) -> Option<PathBuf> {
    let folder = real(Path::new(folder?));
    (folder != real(root)).then_some(folder)
}
