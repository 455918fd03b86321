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
pub enum TrashAction {
    /// Move to the trash in the folder of runs.
    Delete,
    /// Move out of the trash.
    Restore,
    /// Delete permanently.
    Erase,
}

/// The outcome for each run: its previous path, and its new path (unchanged for an erased run) or a Problem.
pub type TrashResults = Vec<(PathBuf, Result<PathBuf>)>;

/// A run in the trash.
#[derive(Clone, Debug, PartialEq)]
pub struct DeletedRun {
    /// Its display name.
    pub title: String,
    /// Its folder's name.
    pub name: String,
    /// Its current path.
    pub path: PathBuf,
    /// Size of all its files.
    pub bytes: u64,
}

impl Session {
    /// Moves runs to the trash. Running and queued runs are not moved, which a notice reports.
    pub fn delete(&mut self, folders: Vec<PathBuf>) {
        let (in_use, deletable): (Vec<PathBuf>, Vec<PathBuf>) =
            folders.into_iter().partition(|folder| self.is_in_use(folder));
        if !in_use.is_empty() {
            let problem = Problem::new(tr!("notices-trash-run-active", n = in_use.len()))
                .advise(tr!("notices-trash-run-active-advice"));
            self.notify(problem, true);
        }
        if !deletable.is_empty() {
            self.apply_trash_action(TrashAction::Delete, deletable);
        }
    }

    /// Returns whether a run is in progress, or a queued job needs it.
    pub fn is_in_use(&self, folder: &Path) -> bool {
        let running_folder = self.train.running().and_then(|run| run.folder());
        let mut waiting = self.waiting().filter_map(|job| job.work.run_folder());
        running_folder == Some(folder) || waiting.any(|run| run == folder)
    }

    /// Restores runs from the trash.
    pub fn restore(&mut self, paths: Vec<PathBuf>) {
        self.apply_trash_action(TrashAction::Restore, paths);
    }

    /// Erases runs in the trash.
    pub fn erase(&mut self, paths: Vec<PathBuf>) {
        self.apply_trash_action(TrashAction::Erase, paths);
    }

    fn apply_trash_action(&mut self, action: TrashAction, paths: Vec<PathBuf>) {
        // The deletion of runs that leave the trash cannot be undone any more.
        for notice in &mut self.notices.list {
            if let Some(NoticeUndo::Deleted(offered)) = &mut notice.undo {
                offered.retain(|path| !paths.contains(path));
            }
        }
        self.remove_undo(|undo| matches!(undo, NoticeUndo::Deleted(offered) if offered.is_empty()));
        self.task(
            move |sources| Ok(sources.disk().apply_trash_action(action, paths)),
            move |session, results| {
                let failure = |problem| vec![(PathBuf::new(), Err(problem))];
                session.accept_deletions(action, results.unwrap_or_else(failure));
            },
        );
    }

    /// Lists the runs in the trash.
    pub fn list_trash(&mut self) {
        let folders = self.compare.folders.paths();
        self.task(
            move |sources| Ok(Arc::new(sources.disk().deleted_runs(&folders))),
            |session, deleted| session.compare.deleted.fill(deleted),
        );
    }

    fn accept_deletions(&mut self, action: TrashAction, results: TrashResults) {
        let (mut old_paths, mut new_paths) = (HashSet::new(), Vec::new());
        for (path, outcome) in results {
            match outcome {
                Ok(new_path) => {
                    old_paths.insert(path);
                    new_paths.push(new_path);
                }
                Err(problem) => self.notify(problem, true),
            }
        }
        if !new_paths.is_empty() {
            // The runs may belong to a grid.
            self.invalidate_grid();
            self.notify_deletions(action, &old_paths, new_paths);
        }
        self.list_runs();
        if !matches!(self.compare.deleted, Fetch::Nothing) {
            self.list_trash();
        }
    }

    fn notify_deletions(
        &mut self,
        action: TrashAction,
        old_paths: &HashSet<PathBuf>,
        new_paths: Vec<PathBuf>,
    ) {
        let n = new_paths.len();
        match action {
            TrashAction::Delete => {
                self.close_deleted(old_paths);
                let problem = Problem::new(tr!("notices-runs-deleted", n));
                self.notify(problem.advise(tr!("notices-runs-deleted-advice")), false);
                self.offer_undo(Some(NoticeUndo::Deleted(new_paths)));
            }
            TrashAction::Restore => {
                self.notify(Problem::new(tr!("notices-runs-restored", n)), false);
            }
            TrashAction::Erase => {
                let problem = Problem::new(tr!("notices-runs-erased", n));
                self.notify(problem, false);
            }
        }
    }

    /// Closes all views of runs that no longer exist.
    fn close_deleted(&mut self, paths: &HashSet<PathBuf>) {
        let is_deleted = |run: &RunView| run.folder().is_some_and(|folder| paths.contains(folder));
        self.former.interrupted.take_if(|run| paths.contains(run));
        self.train.opened.take_if(|run| is_deleted(run));
        self.train.opening.take_if(|folder| paths.contains(folder));
        let live = &mut self.train.live;
        live.take_if(|run| !run.stage.is_live() && is_deleted(run));
        for folder in paths {
            self.remove_run_from_board(folder);
            self.predict.deselect(folder);
            self.discard_findings(folder);
        }
    }

    /// Drops all computed results of a run and deselects it on Predict.
    pub(super) fn discard_findings(&mut self, run: &Path) {
        self.predict.inside.remove_run(run);
        self.train.certainties.remove_run(run);
        self.discard_label_checks(|folder| folder == run);
        if self.predict.run.as_deref() == Some(run) {
            self.predict.run = None;
        }
    }
}
