//! Runs that are deleted, restored or erased. Each action is a rename on a helper thread. The notice of the last
//! deletion offers to undo it.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::Session;
use super::notices::NoticeUndo;
use super::run_view::RunView;
use super::views::Fetch;
use crate::problem::{Problem, Result};
use crate::tr;

/// An action on runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BinAction {
    /// Move to the trash in the folder of runs.
    Delete,
    /// Move out of the trash.
    Restore,
    /// Delete permanently.
    Erase,
}

/// The outcome for each run: its previous path, and its new path (unchanged for an erased run) or a Problem.
pub type Done = Vec<(PathBuf, Result<PathBuf>)>;

/// A run in the trash.
#[derive(Clone, Debug, PartialEq)]
pub struct DeletedRun {
    /// Its display name.
    pub title: String,
    /// Its folder's name.
    pub name: String,
    /// Its current path.
    pub place: PathBuf,
    /// Size of all its files.
    pub bytes: u64,
}

impl Session {
    /// Moves runs to the trash. Running and queued runs are not moved, which a notice reports.
    pub fn delete(&mut self, folders: Vec<PathBuf>) {
        let (held, free): (Vec<PathBuf>, Vec<PathBuf>) =
            folders.into_iter().partition(|folder| self.is_held(folder));
        if !held.is_empty() {
            let told = Problem::new(tr!("notices-trash-run-active", n = held.len()))
                .advise(tr!("notices-trash-run-active-advice"));
            self.notify(told, true);
        }
        if !free.is_empty() {
            self.do_with(BinAction::Delete, free);
        }
    }

    /// Returns whether a run is in progress, or a queued job needs it.
    pub fn is_held(&self, folder: &Path) -> bool {
        let live = self.train.running().and_then(|run| run.folder());
        let mut waiting = self.waiting().filter_map(|job| job.work.run());
        live == Some(folder) || waiting.any(|run| run == folder)
    }

    /// Restores runs from the trash.
    pub fn restore(&mut self, places: Vec<PathBuf>) {
        self.do_with(BinAction::Restore, places);
    }

    /// Erases runs in the trash.
    pub fn erase(&mut self, places: Vec<PathBuf>) {
        self.do_with(BinAction::Erase, places);
    }

    fn do_with(&mut self, action: BinAction, places: Vec<PathBuf>) {
        // The deletion of runs that leave the trash cannot be undone any more.
        for notice in &mut self.notices.list {
            if let Some(NoticeUndo::Deleted(offered)) = &mut notice.undo {
                offered.retain(|place| !places.contains(place));
            }
        }
        self.forget_undo(|undo| matches!(undo, NoticeUndo::Deleted(offered) if offered.is_empty()));
        self.task(
            move |sources| Ok(sources.disk().bin(action, places)),
            move |session, done| {
                let lost = |problem| vec![(PathBuf::new(), Err(problem))];
                session.accept_deletions(action, done.unwrap_or_else(lost));
            },
        );
    }

    /// Lists the runs in the trash.
    pub fn list_trash(&mut self) {
        let folders = self.compare.folders.paths();
        self.task(
            move |sources| Ok(Arc::new(sources.disk().deleted(&folders))),
            |session, deleted| session.compare.deleted.fill(deleted),
        );
    }

    fn accept_deletions(&mut self, action: BinAction, done: Done) {
        let (mut from, mut now) = (HashSet::new(), Vec::new());
        for (place, outcome) in done {
            match outcome {
                Ok(there) => {
                    from.insert(place);
                    now.push(there);
                }
                Err(problem) => self.notify(problem, true),
            }
        }
        if !now.is_empty() {
            self.notify_deletions(action, &from, now);
        }
        self.list_runs();
        if !matches!(self.compare.deleted, Fetch::Nothing) {
            self.list_trash();
        }
    }

    fn notify_deletions(&mut self, action: BinAction, from: &HashSet<PathBuf>, now: Vec<PathBuf>) {
        let n = now.len();
        match action {
            BinAction::Delete => {
                self.close_deleted(from);
                let told = Problem::new(tr!("notices-runs-deleted", n));
                self.notify(told.advise(tr!("notices-runs-deleted-advice")), false);
                self.offer_undo(Some(NoticeUndo::Deleted(now)));
            }
            BinAction::Restore => {
                self.notify(Problem::new(tr!("notices-runs-restored", n)), false);
            }
            BinAction::Erase => {
                let told = Problem::new(tr!("notices-runs-erased", n));
                self.notify(told, false);
            }
        }
    }

    /// Closes all views of runs that no longer exist.
    fn close_deleted(&mut self, gone: &HashSet<PathBuf>) {
        let is_gone = |run: &RunView| run.folder().is_some_and(|folder| gone.contains(folder));
        self.former.interrupted.take_if(|run| gone.contains(run));
        self.train.opened.take_if(|run| is_gone(run));
        let live = &mut self.train.live;
        live.take_if(|run| !run.stage.is_live() && is_gone(run));
        for folder in gone {
            self.hide_pins_from(folder);
            self.forget_findings(folder);
        }
    }

    /// Drops all computed results of a run and deselects it on Predict.
    pub(super) fn forget_findings(&mut self, run: &Path) {
        self.predict.insides.forget(run);
        self.train.worst.forget(run);
        self.forget_doubts(|known| known == run);
        if self.predict.run.as_deref() == Some(run) {
            self.predict.run = None;
        }
    }
}
