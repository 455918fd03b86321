//! Writes an added task into a run's folder, and undoes the last added task (see `added_tasks.rs`).

use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::added_tasks::{
    AddedTaskFile, FORMAT, added_task_folder, added_task_indices, load_added_task, partial_folder,
    read_added_task_file, remove_partial,
};
use super::folder::{RunFolder, create_folder};
use super::{ADDED_FOLDER, TASK_FILE, summary};
use crate::files::Lock;
use crate::files::sync_folder;
use crate::files::write::{save_file, save_problem};
use crate::message;
use crate::problem::{Problem, Result};
use crate::run::event::AddedTask;

/// An added task that is being written, and its run.
#[derive(Debug)]
pub struct NewAddedTask {
    run: PathBuf,
    task: usize,
    /// Keeps other programs from using the run until the added task is published or discarded.
    _lock: Arc<Lock>,
}

impl RunFolder {
    /// Begins the added task with this index (from 0). The returned folder saves everything in the added task's folder.
    ///
    /// # Errors
    /// Returns a Problem if the folder cannot be written.
    pub fn begin_added_task(self, task: usize) -> Result<(Self, NewAddedTask)> {
        let run = self.path().to_path_buf();
        create_folder(&run.join(ADDED_FOLDER))?;
        let partial = partial_folder(&run, task);
        std::fs::create_dir(&partial).map_err(|error| save_problem(&partial, &error))?;
        let added_task = NewAddedTask { run, task, _lock: self.lock() };
        Ok((self.with_destination(partial, task), added_task))
    }
}

impl NewAddedTask {
    /// Makes the added task part of the run by one rename.
    ///
    /// # Errors
    /// Returns a Problem if the folder cannot be written or could not be read afterwards; the run is then unchanged.
    pub fn publish(&self, added_task: &AddedTask) -> Result<()> {
        let header = summary::summarise(&self.run)?.header;
        let class_count = header.tasks[..self.task].last().map_or(0, |task| task.end);
        let partial = partial_folder(&self.run, self.task);
        let content = AddedTaskFile { format: FORMAT, added_task: added_task.clone() };
        let text = toml::to_string(&content)
            .map_err(|error| Problem::with_error("problem-added-task-unwritten", &error))?;
        save_file(&partial.join(TASK_FILE), text.as_bytes())?;
        load_added_task(&partial, &header.class_order[..class_count], header.planned_tasks())?;
        let folder = added_task_folder(&self.run, self.task);
        std::fs::rename(&partial, &folder).map_err(|error| save_problem(&folder, &error))?;
        sync_folder(Some(&self.run.join(ADDED_FOLDER)));
        summary::recompute(&self.run);
        Ok(())
    }

    /// Discards what was written so far.
    pub fn discard(&self) {
        remove_partial(&self.run);
    }
}

/// Undoes the last added task of a run and returns it.
///
/// # Errors
/// Returns a Problem if there is none, if another program uses the run, or if the folder cannot be written.
pub fn undo_added_task(run: &Path) -> Result<AddedTask> {
    let locked_run = RunFolder::open(run)?;
    let Some(task) = added_task_indices(run).pop() else {
        return Err(Problem::new(message!("problem-no-added-task")).at_path(run));
    };
    // Only the added task is read, so that an added task that makes the run unreadable can be undone, too.
    let added_task = read_added_task_file(&added_task_folder(run, task))?.added_task;
    create_folder(&run.join(ADDED_FOLDER))?;
    let folder = added_task_folder(run, task);
    let removed = partial_folder(run, task);
    match std::fs::rename(&folder, removed) {
        Err(error) if error.kind() != ErrorKind::NotFound => {
            return Err(Problem::io("undo the added task", &folder, &error));
        }
        _ => sync_folder(Some(&run.join(ADDED_FOLDER))),
    }
    remove_partial(run);
    summary::recompute(run);
    drop(locked_run);
    Ok(added_task)
}
