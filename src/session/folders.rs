//! The folders that runs are listed from: the usual one, and others that a person opened beside it.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::Session;
use super::differences::apart;
use super::views::{Fetch, Rows, RunRow};
use crate::problem::{Problem, Result};

/// Folders of runs that can be open beside the usual one.
pub const MOST: usize = 32;

/// Another folder of runs, as it was when the runs were listed last.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunsFolder {
    /// Where it is.
    pub path: PathBuf,
    /// Whether nothing can be written there.
    pub read_only: bool,
    /// Runs in it.
    pub runs: usize,
    /// Why it cannot be looked into.
    pub problem: Option<Problem>,
}

impl RunsFolder {
    /// One that nobody has looked into yet.
    fn unseen(path: PathBuf) -> Self {
        Self {
            path,
            read_only: false,
            runs: 0,
            problem: None,
        }
    }
}

/// What was found in all folders of runs.
#[derive(Clone, Debug, Default)]
pub struct Shelf {
    /// The runs of all of them, the newest first.
    pub rows: Rows,
    /// The other folders, as they were given.
    pub folders: Vec<RunsFolder>,
}

/// The other folders of runs that are open.
#[derive(Clone, Debug, Default)]
pub struct Folders {
    list: Vec<RunsFolder>,
    /// Those whose absence was told.
    told: Vec<PathBuf>,
    /// Why the folder that was chosen last is not opened.
    refused: Option<Problem>,
    /// Whether their runs are being listed.
    listing: bool,
    /// The runs whose rows are being read, and whether once more after that.
    rows: BTreeMap<PathBuf, bool>,
    /// Whether they are to be listed once more after that.
    again: bool,
    /// Where it is being looked what tells runs apart: whether once more after that.
    telling_apart: Option<bool>,
}

impl Folders {
    /// All of them.
    pub fn list(&self) -> &[RunsFolder] {
        &self.list
    }

    /// Why the folder that was chosen last is not opened.
    pub fn refused(&self) -> Option<&Problem> {
        self.refused.as_ref()
    }

    /// Whether their runs are being listed.
    pub(super) fn is_listing(&self) -> bool {
        self.listing
    }

    /// Whether the row of this run is being read, alone or with the others.
    pub(super) fn is_reading(&self, run: &Path) -> bool {
        self.listing || self.rows.contains_key(run)
    }

    /// Where they are.
    pub fn paths(&self) -> Vec<PathBuf> {
        self.list.iter().map(|folder| folder.path.clone()).collect()
    }
}

impl Session {
    /// Opens these folders beside the usual one, as they were open in the last window.
    pub fn open_folders(&mut self, paths: &[PathBuf]) {
        if paths.is_empty() {
            return;
        }
        let unseen = paths.iter().take(MOST).cloned().map(RunsFolder::unseen);
        self.compare.folders.list = unseen.collect();
        self.list_runs();
    }

    /// Opens a folder of runs beside the others, once it is seen to be one.
    pub fn add_folder(&mut self, path: PathBuf) {
        let known = self.compare.folders.paths();
        self.compare.folders.refused = None;
        self.queued_task(
            None,
            move |sources| sources.folder_of_runs(&path, &known),
            Self::take_added,
        );
    }

    /// Opens this folder beside the others where it is not open yet, also if no run is in it so far.
    pub(super) fn list_beside(&mut self, folder: PathBuf) {
        let folders = &mut self.compare.folders;
        if folders.list.len() < MOST && !folders.paths().contains(&folder) {
            folders.list.push(RunsFolder::unseen(folder));
        }
    }

    /// Shows the runs of this folder no longer; nothing in it is touched.
    pub fn drop_folder(&mut self, path: &Path) {
        self.compare
            .folders
            .list
            .retain(|folder| folder.path != path);
        self.compare.folders.told.retain(|told| told != path);
        self.list_runs();
    }

    /// Reads the list of runs, once more after the reading that is under way.
    pub fn list_runs(&mut self) {
        if self.compare.folders.listing {
            self.compare.folders.again = true;
            return;
        }
        self.compare.folders.listing = true;
        let folders = self.compare.folders.paths();
        self.task(move |sources| Ok(sources.runs(folders)), Self::take_shelf);
    }

    /// Reads how one run stands, once more after the reading of it that is under way.
    pub(super) fn list_run(&mut self, folder: PathBuf) {
        if self.compare.folders.listing {
            // The list may have been at this run already.
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
            move |sources| Ok(sources.run_row(&run)),
            move |session, row| session.take_row(folder, row),
        );
    }

    fn take_row(&mut self, folder: PathBuf, answer: Result<Option<Arc<RunRow>>>) {
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

    /// Puts how a run stands now in its place among the others.
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
            self.tell_apart();
        }
    }

    /// Looks what tells runs of the same name apart, once more after the look that is under way; among thousands it takes
    /// longer than a frame.
    fn tell_apart(&mut self) {
        let Some(rows) = self.compare.runs.ready().cloned() else {
            return;
        };
        let looking = &mut self.compare.folders.telling_apart;
        if let Some(again) = looking {
            *again = true;
            return;
        }
        *looking = Some(false);
        self.task(
            move |_| Ok(apart(rows.iter().map(|row| &**row))),
            |session, told| {
                session.compare.apart = told.unwrap_or_default();
                if session.compare.folders.telling_apart.take() == Some(true) {
                    session.tell_apart();
                }
            },
        );
    }

    fn take_added(&mut self, answer: Result<PathBuf>) {
        match answer {
            Ok(path) => {
                let unseen = RunsFolder::unseen(path);
                self.compare.folders.list.push(unseen);
                self.list_runs();
            }
            Err(problem) => {
                self.compare.folders.refused = Some(problem.clone());
                self.notify(problem, true);
            }
        }
    }

    fn take_shelf(&mut self, answer: Result<Shelf>) {
        let answer = answer.map(|shelf| {
            self.take_folders(shelf.folders);
            shelf.rows
        });
        self.compare.runs.fill(answer);
        self.tell_apart();
        self.follow_opened();
        // A row that comes now may have been read before the list was.
        let rows = self.compare.folders.rows.values_mut();
        rows.for_each(|again| *again = true);
        self.compare.folders.listing = false;
        if std::mem::take(&mut self.compare.folders.again) {
            self.list_runs();
        }
    }

    /// Takes how the folders are now; one that cannot be looked into is told once.
    fn take_folders(&mut self, seen: Vec<RunsFolder>) {
        for folder in seen {
            let mut known = self.compare.folders.list.iter_mut();
            // It may have been taken off meanwhile.
            let Some(known) = known.find(|known| known.path == folder.path) else {
                continue;
            };
            *known = folder.clone();
            let told = self.compare.folders.told.contains(&folder.path);
            match folder.problem {
                Some(problem) if !told => {
                    self.compare.folders.told.push(folder.path);
                    self.notify(problem, true);
                }
                Some(_) => {}
                None => self
                    .compare
                    .folders
                    .told
                    .retain(|told| *told != folder.path),
            }
        }
    }
}
