//! Writing an added task into a run's folder, and taking the last one back (see `added_tasks.rs`).

use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::added_tasks::{
    FORMAT, Written, added_task_folder, partial_folder, read, sweep, tasks, written,
};
use super::folder::{RunFolder, make_folder};
use super::pictures::AddedPictures;
use super::{ADDED_FOLDER, TASK_FILE, summary};
use crate::data::Sample;
use crate::files::Lock;
use crate::files::sync_folder;
use crate::files::write::{keep_file, save_problem};
use crate::message;
use crate::problem::{Problem, Result};
use crate::run::event::AddedTask;

/// An added task being written, and the run that it belongs to.
#[derive(Debug)]
pub struct NewAddedTask {
    run: PathBuf,
    task: usize,
    /// Until it counts or is gone nobody else may work on the run.
    _lock: Arc<Lock>,
}

impl RunFolder {
    /// Begins the added task that becomes this task (from 0): from now on everything is saved there.
    ///
    /// # Errors
    /// Returns a Problem if the folder cannot be written.
    pub fn begin_added_task(self, task: usize) -> Result<(Self, NewAddedTask)> {
        let run = self.path().to_path_buf();
        make_folder(&run.join(ADDED_FOLDER))?;
        let partial = partial_folder(&run, task);
        std::fs::create_dir(&partial).map_err(|error| save_problem(&partial, &error))?;
        let added_task = NewAddedTask {
            run,
            task,
            _lock: self.lock(),
        };
        Ok((self.moved(partial, task), added_task))
    }

    /// Copies an added task's images, of a run with this bit depth, into its folder.
    ///
    /// # Errors
    /// Returns a Problem if one cannot be read or written, they are too many or too large, or `go_on` said
    /// no.
    pub fn copy_pictures(
        &self,
        train: &[Sample],
        test: &[Sample],
        bit_depth: usize,
        go_on: &dyn Fn() -> bool,
    ) -> Result<AddedPictures> {
        AddedPictures::copy(self.path(), train, test, bit_depth, go_on)
    }
}

impl NewAddedTask {
    /// Makes the added task part of the run, in one step.
    ///
    /// # Errors
    /// Returns a Problem if the folder cannot be written, or could not be read afterwards; the run is then as it was.
    pub fn publish(&self, added_task: &AddedTask) -> Result<()> {
        let header = summary::summarize(&self.run)?.header;
        let before = header.tasks[..self.task].last().map_or(0, |task| task.end);
        let partial = partial_folder(&self.run, self.task);
        let written = Written {
            format: FORMAT,
            added_task: added_task.clone(),
        };
        let text = toml::to_string(&written).map_err(|error| {
            Problem::new(message!(
                "problem-added-task-unwritten",
                error = error.to_string()
            ))
        })?;
        keep_file(&partial.join(TASK_FILE), text.as_bytes())?;
        read(
            &partial,
            &header.class_order[..before],
            header.planned_tasks(),
        )?;
        let folder = added_task_folder(&self.run, self.task);
        std::fs::rename(&partial, &folder).map_err(|error| save_problem(&folder, &error))?;
        sync_folder(Some(&self.run.join(ADDED_FOLDER)));
        summary::renew(&self.run);
        Ok(())
    }

    /// Throws away what was written so far.
    pub fn discard(&self) {
        sweep(&self.run);
    }
}

/// Takes back the last added task of a run; returns what it was.
///
/// # Errors
/// Returns a Problem if there is none, another program works on the run, or the folder cannot be written.
pub fn undo_added_task(run: &Path) -> Result<AddedTask> {
    let held = RunFolder::open(run)?;
    let Some(task) = tasks(run).pop() else {
        return Err(Problem::new(message!("problem-no-added-task")).at_path(run));
    };
    // Not the whole run: an added task that keeps it from being opened can be taken back, too.
    let added_task = written(&added_task_folder(run, task))?.added_task;
    make_folder(&run.join(ADDED_FOLDER))?;
    let folder = added_task_folder(run, task);
    let gone = partial_folder(run, task);
    match std::fs::rename(&folder, gone) {
        Err(error) if error.kind() != ErrorKind::NotFound => {
            return Err(Problem::io("undo the added task", &folder, &error));
        }
        _ => sync_folder(Some(&run.join(ADDED_FOLDER))),
    }
    sweep(run);
    summary::renew(run);
    drop(held);
    Ok(added_task)
}
