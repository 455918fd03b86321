//! Writing a lesson into a run's folder, and taking the last one back (see `lessons.rs`).

use std::fs::File;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::file::{keep_file, save_problem};
use super::folder::{RunFolder, make_folder};
use super::lessons::{FORMAT, Written, lesson_folder, partial_folder, read, sweep, tasks, written};
use super::load::load;
use super::pictures::LessonPictures;
use super::{LESSON_FILE, LESSONS_FOLDER, summary};
use crate::data::Sample;
use crate::files::sync_folder;
use crate::problem::{Problem, Result};
use crate::run::event::Lesson;

/// A lesson being written, and the run that it belongs to.
#[derive(Debug)]
pub struct NewLesson {
    run: PathBuf,
    task: usize,
    /// Until it counts or is gone nobody else may work on the run.
    _lock: Arc<File>,
}

impl RunFolder {
    /// Begins the lesson that becomes this task (from 0): from now on everything is saved there.
    ///
    /// # Errors
    /// A Problem when the folder cannot be written.
    pub fn begin_lesson(self, task: usize) -> Result<(Self, NewLesson)> {
        let run = self.path().to_path_buf();
        make_folder(&run.join(LESSONS_FOLDER))?;
        let partial = partial_folder(&run, task);
        std::fs::create_dir(&partial).map_err(|error| save_problem(&partial, &error))?;
        let lesson = NewLesson {
            run,
            task,
            _lock: self.lock(),
        };
        Ok((self.moved(partial, task), lesson))
    }

    /// Copies a lesson's pictures into its folder.
    ///
    /// # Errors
    /// A Problem when one cannot be read or written, they are too many or too large, or `go_on` said
    /// no.
    pub fn copy_pictures(
        &self,
        train: &[Sample],
        test: &[Sample],
        go_on: &dyn Fn() -> bool,
    ) -> Result<LessonPictures> {
        LessonPictures::copy(self.path(), train, test, go_on)
    }
}

impl NewLesson {
    /// Makes the lesson part of the run, in one step.
    ///
    /// # Errors
    /// A Problem when the folder cannot be written, or could not be read afterwards; the run is then as it was.
    pub fn publish(&self, lesson: &Lesson) -> Result<()> {
        let header = load(&self.run)?.header;
        let before = header.tasks[..self.task].last().map_or(0, |task| task.end);
        let partial = partial_folder(&self.run, self.task);
        let written = Written {
            format: FORMAT,
            lesson: lesson.clone(),
        };
        let text = toml::to_string(&written)
            .map_err(|error| Problem::new(format!("the lesson cannot be written: {error}")))?;
        keep_file(&partial.join(LESSON_FILE), text.as_bytes())?;
        read(
            &partial,
            &header.class_order[..before],
            header.planned_tasks(),
        )?;
        let folder = lesson_folder(&self.run, self.task);
        std::fs::rename(&partial, &folder).map_err(|error| save_problem(&folder, &error))?;
        sync_folder(Some(&self.run.join(LESSONS_FOLDER)));
        summary::renew(&self.run);
        Ok(())
    }

    /// Throws away what was written so far.
    pub fn discard(&self) {
        sweep(&self.run);
    }
}

/// Takes back the last lesson of a run; gives what it was.
///
/// # Errors
/// A Problem when there is none, another program works on the run, or the folder cannot be written.
pub fn undo_lesson(run: &Path) -> Result<Lesson> {
    let held = RunFolder::open(run)?;
    let Some(task) = tasks(run).pop() else {
        return Err(Problem::new("this run has no lesson that could be undone").at_path(run));
    };
    // Not the whole run: a lesson that keeps it from being opened can be taken back, too.
    let lesson = written(&lesson_folder(run, task))?.lesson;
    make_folder(&run.join(LESSONS_FOLDER))?;
    let folder = lesson_folder(run, task);
    let gone = partial_folder(run, task);
    match std::fs::rename(&folder, gone) {
        Err(error) if error.kind() != ErrorKind::NotFound => {
            return Err(Problem::io("undo the lesson", &folder, &error));
        }
        _ => sync_folder(Some(&run.join(LESSONS_FOLDER))),
    }
    sweep(run);
    summary::renew(run);
    drop(held);
    Ok(lesson)
}
