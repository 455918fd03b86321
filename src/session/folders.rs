//! The folders that runs are listed from: the default folder, and folders that the user opened in addition.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::Session;
use super::differences::distinguishing_settings;
use super::views::{Fetch, Rows, RunRow};
use crate::problem::{Problem, Result};

/// Maximum number of additional folders of runs.
pub const MAX_FOLDERS: usize = 32;

/// An additional folder of runs, in its state at the last listing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RunsFolder {
    /// Its path.
    pub path: PathBuf,
    /// Whether it is read-only.
    pub read_only: bool,
    /// Number of runs in it.
    pub runs: usize,
    /// Why it cannot be read.
    pub problem: Option<Problem>,
}

/// Returns a folder that was not listed yet.
fn unlisted(path: PathBuf) -> RunsFolder {
    RunsFolder { path, ..RunsFolder::default() }
}

/// The runs of all folders.
#[derive(Clone, Debug, Default)]
pub struct RunListing {
    /// All runs, the newest first.
    pub rows: Rows,
    /// The additional folders, in the given order.
    pub folders: Vec<RunsFolder>,
}

/// The additional open folders.
#[derive(Clone, Debug, Default)]
pub struct Folders {
    /// All additional folders.
    pub list: Vec<RunsFolder>,
    /// The folders that were reported as unreadable.
    reported: Vec<PathBuf>,
    /// Why the folder that was chosen last was not opened.
    pub add_problem: Option<Problem>,
    /// Whether the runs are being listed.
    pub(super) is_listing: bool,
    /// The runs whose rows are being read, each with whether to read it again.
    pending_rows: BTreeMap<PathBuf, bool>,
    /// Whether to list the runs again after the current listing.
    list_again: bool,
    /// `Some` while the differences between runs of the same name are computed; `true` if they must be computed again.
    is_distinguishing: Option<bool>,
}

impl Folders {
    /// Returns whether the row of this run is being read, individually or by a listing.
    pub(super) fn is_reading(&self, run: &Path) -> bool {
        self.is_listing || self.pending_rows.contains_key(run)
    }

    /// Returns the paths of the additional folders.
    pub fn paths(&self) -> Vec<PathBuf> {
        self.list.iter().map(|folder| folder.path.clone()).collect()
    }
}

impl Session {
    /// Opens the additional folders that were open in the last window.
    pub fn open_folders(&mut self, paths: &[PathBuf]) {
        if paths.is_empty() {
            return;
        }
        let folders = paths.iter().take(MAX_FOLDERS).cloned().map(unlisted);
        self.compare.folders.list = folders.collect();
        self.list_runs();
    }

    /// Opens an additional folder after checking that it contains runs.
    pub fn add_folder(&mut self, path: PathBuf) {
        let existing = self.compare.folders.paths();
        self.compare.folders.add_problem = None;
        self.queued_task(
            None,
            move |sources| sources.disk().resolve_runs_folder(&path, &existing),
            |session, result| match result {
                Ok(path) => {
                    // Several runs of one folder can be dropped at once.
                    session.ensure_folder_open(path);
                    session.list_runs();
                }
                Err(problem) => {
                    session.compare.folders.add_problem = Some(problem.clone());
                    session.notify(problem, true);
                }
            },
        );
    }

    /// Opens this folder unless it is open, even if it contains no runs.
    pub(super) fn ensure_folder_open(&mut self, folder: PathBuf) {
        let folders = &mut self.compare.folders;
        if folders.list.len() < MAX_FOLDERS && !folders.paths().contains(&folder) {
            folders.list.push(unlisted(folder));
        }
    }

    /// Closes this folder; its files are not touched.
    pub fn drop_folder(&mut self, path: &Path) {
        let folders = &mut self.compare.folders;
        folders.list.retain(|folder| folder.path != path);
        folders.reported.retain(|reported| reported != path);
        self.list_runs();
    }

    /// Lists the runs. If a listing is in progress, another one follows.
    pub fn list_runs(&mut self) {
        if self.compare.folders.is_listing {
            self.compare.folders.list_again = true;
            return;
        }
        self.compare.folders.is_listing = true;
        let folders = self.compare.folders.paths();
        self.task(move |sources| Ok(sources.disk().runs(folders)), Self::accept_run_listing);
    }

    /// Reads the row of one run. If the row is being read, it is read again afterwards.
    pub(super) fn list_run(&mut self, folder: PathBuf) {
        if self.compare.folders.is_listing {
            // The listing may already have read this run.
            self.compare.folders.list_again = true;
            return;
        }
        if let Some(again) = self.compare.folders.pending_rows.get_mut(&folder) {
            *again = true;
            return;
        }
        self.compare.folders.pending_rows.insert(folder.clone(), false);
        let run = folder.clone();
        self.task(
            move |sources| Ok(sources.disk().run_row(&run)),
            move |session, row| session.accept_row(folder, row),
        );
    }

    fn accept_row(&mut self, folder: PathBuf, result: Result<Option<Arc<RunRow>>>) {
        match result {
            Ok(row) => {
                self.update_row(&folder, row);
                self.reread_opened_run();
            }
            Err(problem) => self.notify(problem, true),
        }
        if self.compare.folders.pending_rows.remove(&folder) == Some(true) {
            self.list_run(folder);
        }
    }

    /// Replaces the row of a run, sorted by age; `None` removes it.
    fn update_row(&mut self, folder: &Path, row: Option<Arc<RunRow>>) {
        let Fetch::Ready(rows) = &mut self.compare.runs else {
            return;
        };
        let rows = Arc::make_mut(rows);
        let old_index = rows.iter().position(|listed| listed.folder == folder);
        let previous_title = old_index.map(|at| rows.remove(at).title());
        let new_title = row.as_ref().map(|row| row.title());
        if let Some(row) = row {
            let new_index = rows.partition_point(|listed| listed.age() > row.age());
            rows.insert(new_index, row);
        }
        if previous_title != new_title {
            self.update_distinguishing_settings();
        }
    }

    /// Computes on a helper thread what distinguishes runs of the same name, because with thousands of runs this takes
    /// longer than a frame. If a computation is in progress, another one follows.
    fn update_distinguishing_settings(&mut self) {
        let Some(rows) = self.compare.runs.ready().cloned() else {
            return;
        };
        let is_distinguishing = &mut self.compare.folders.is_distinguishing;
        if let Some(again) = is_distinguishing {
            *again = true;
            return;
        }
        *is_distinguishing = Some(false);
        self.task(
            move |_| Ok(distinguishing_settings(rows.iter().map(|row| &**row))),
            |session, result| {
                session.compare.distinguishing_settings = result.unwrap_or_default();
                if session.compare.folders.is_distinguishing.take() == Some(true) {
                    session.update_distinguishing_settings();
                }
            },
        );
    }

    fn accept_run_listing(&mut self, result: Result<RunListing>) {
        let result = result.map(|listing| {
            self.accept_folders(listing.folders);
            listing.rows
        });
        self.compare.runs.fill(result);
        self.update_distinguishing_settings();
        self.reread_opened_run();
        // A row that arrives later may have been read before the listing, so it is read again.
        let rows = self.compare.folders.pending_rows.values_mut();
        rows.for_each(|again| *again = true);
        self.compare.folders.is_listing = false;
        if std::mem::take(&mut self.compare.folders.list_again) {
            self.list_runs();
        }
    }

    /// Stores the state of the folders and reports an unreadable folder once.
    fn accept_folders(&mut self, folders: Vec<RunsFolder>) {
        for folder in folders {
            let Folders { list, reported, .. } = &mut self.compare.folders;
            // The folder may have been closed in the meantime.
            let Some(listed) = list.iter_mut().find(|listed| listed.path == folder.path) else {
                continue;
            };
            *listed = folder.clone();
            match folder.problem {
                Some(problem) if !reported.contains(&folder.path) => {
                    reported.push(folder.path);
                    self.notify(problem, true);
                }
                Some(_) => {}
                None => reported.retain(|path| *path != folder.path),
            }
        }
    }
}
