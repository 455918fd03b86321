//! The folders that runs are listed from: the default folder, and folders that the user opened in addition.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::Session;
use super::differences::distinguishing_settings;
use super::views::{Fetch, Rows, RunRow};
use crate::problem::{Problem, Result};

/// Maximum number of additional folders of runs.
pub const MOST: usize = 32;

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
fn unseen(path: PathBuf) -> RunsFolder {
    RunsFolder {
        path,
        ..RunsFolder::default()
    }
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
    told: Vec<PathBuf>,
    /// Why the folder that was chosen last was not opened.
    pub refused: Option<Problem>,
    /// Whether the runs are being listed.
    pub(super) listing: bool,
    /// The runs whose rows are being read, each with whether to read it again.
    rows: BTreeMap<PathBuf, bool>,
    /// Whether to list the runs again after the current listing.
    again: bool,
    /// `Some` while the differences between runs of the same name are computed; `true` if they must be computed again.
    is_distinguishing: Option<bool>,
}

impl Folders {
    /// Returns whether the row of this run is being read, individually or by a listing.
    pub(super) fn is_reading(&self, run: &Path) -> bool {
        self.listing || self.rows.contains_key(run)
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
        let folders = paths.iter().take(MOST).cloned().map(unseen);
        self.compare.folders.list = folders.collect();
        self.list_runs();
    }

    /// Opens an additional folder after checking that it contains runs.
    pub fn add_folder(&mut self, path: PathBuf) {
        let known = self.compare.folders.paths();
        self.compare.folders.refused = None;
        self.queued_task(
            None,
            move |sources| sources.disk().folder_of_runs(&path, &known),
            |session, answer| match answer {
                Ok(path) => {
                    session.compare.folders.list.push(unseen(path));
                    session.list_runs();
                }
                Err(problem) => {
                    session.compare.folders.refused = Some(problem.clone());
                    session.notify(problem, true);
                }
            },
        );
    }

    /// Opens this folder unless it is open, even if it contains no runs.
    pub(super) fn list_beside(&mut self, folder: PathBuf) {
        let folders = &mut self.compare.folders;
        if folders.list.len() < MOST && !folders.paths().contains(&folder) {
            folders.list.push(unseen(folder));
        }
    }

    /// Closes this folder; its files are not touched.
    pub fn drop_folder(&mut self, path: &Path) {
        let folders = &mut self.compare.folders;
        folders.list.retain(|folder| folder.path != path);
        folders.told.retain(|told| told != path);
        self.list_runs();
    }

    /// Lists the runs. If a listing is in progress, another one follows.
    pub fn list_runs(&mut self) {
        if self.compare.folders.listing {
            self.compare.folders.again = true;
            return;
        }
        self.compare.folders.listing = true;
        let folders = self.compare.folders.paths();
        self.task(
            move |sources| Ok(sources.disk().runs(folders)),
            Self::accept_run_listing,
        );
    }

    /// Reads the row of one run. If the row is being read, it is read again afterwards.
    pub(super) fn list_run(&mut self, folder: PathBuf) {
        if self.compare.folders.listing {
            // The listing may already have read this run.
            self.compare.folders.again = true;
            return;
        }
        if let Some(again) = self.compare.folders.rows.get_mut(&folder) {
            *again = true;
            return;
        }
        self.compare.folders.rows.insert(folder.clone(), false);
        let run = folder.clone();
        self.task(
            move |sources| Ok(sources.disk().run_row(&run)),
            move |session, row| session.accept_row(folder, row),
        );
    }

    fn accept_row(&mut self, folder: PathBuf, answer: Result<Option<Arc<RunRow>>>) {
        match answer {
            Ok(row) => {
                self.place_row(&folder, row);
                self.follow_opened();
            }
            Err(problem) => self.notify(problem, true),
        }
        if self.compare.folders.rows.remove(&folder) == Some(true) {
            self.list_run(folder);
        }
    }

    /// Replaces the row of a run, sorted by age; `None` removes it.
    fn place_row(&mut self, folder: &Path, row: Option<Arc<RunRow>>) {
        let Fetch::Ready(rows) = &mut self.compare.runs else {
            return;
        };
        let rows = Arc::make_mut(rows);
        let at = rows.iter().position(|known| known.folder == folder);
        let before = at.map(|at| rows.remove(at).title());
        let now = row.as_ref().map(|row| row.title());
        if let Some(row) = row {
            let place = rows.partition_point(|known| known.age() > row.age());
            rows.insert(place, row);
        }
        if before != now {
            self.update_distinguishing_settings();
        }
    }

    /// Computes on a helper thread what distinguishes runs of the same name, because with thousands of runs this takes
    /// longer than a frame. If a computation is in progress, another one follows.
    fn update_distinguishing_settings(&mut self) {
        let Some(rows) = self.compare.runs.ready().cloned() else {
            return;
        };
        let looking = &mut self.compare.folders.is_distinguishing;
        if let Some(again) = looking {
            *again = true;
            return;
        }
        *looking = Some(false);
        self.task(
            move |_| Ok(distinguishing_settings(rows.iter().map(|row| &**row))),
            |session, told| {
                session.compare.distinguishing_settings = told.unwrap_or_default();
                if session.compare.folders.is_distinguishing.take() == Some(true) {
                    session.update_distinguishing_settings();
                }
            },
        );
    }

    fn accept_run_listing(&mut self, answer: Result<RunListing>) {
        let answer = answer.map(|listing| {
            self.accept_folders(listing.folders);
            listing.rows
        });
        self.compare.runs.fill(answer);
        self.update_distinguishing_settings();
        self.follow_opened();
        // A row that arrives later may have been read before the listing, so it is read again.
        let rows = self.compare.folders.rows.values_mut();
        rows.for_each(|again| *again = true);
        self.compare.folders.listing = false;
        if std::mem::take(&mut self.compare.folders.again) {
            self.list_runs();
        }
    }

    /// Stores the state of the folders and reports an unreadable folder once.
    fn accept_folders(&mut self, seen: Vec<RunsFolder>) {
        for folder in seen {
            let Folders { list, told, .. } = &mut self.compare.folders;
            // The folder may have been closed in the meantime.
            let Some(known) = list.iter_mut().find(|known| known.path == folder.path) else {
                continue;
            };
            *known = folder.clone();
            match folder.problem {
                Some(problem) if !told.contains(&folder.path) => {
                    told.push(folder.path);
                    self.notify(problem, true);
                }
                Some(_) => {}
                None => told.retain(|told| *told != folder.path),
            }
        }
    }
}
