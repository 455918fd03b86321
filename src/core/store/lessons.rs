//! Lessons in a run's folder: `lessons/task_N/` holds whatever the lesson of task N left. Of
//! the run's other files only its summary changes, so taking a lesson back leaves the run as it was.
//!
//! | file | holds |
//! |---|---|
//! | `lesson.toml` | what was taught and how |
//! | `pictures/`, `pictures.csv` | copies of its pictures, and their list |
//! | `metrics.csv`, `confusion/`, `prompts/`, `task_N.safetensors` | as for any task |
//! | `state.safetensors` | what the next lesson needs beyond that, where the method needs more |
//!
//! A lesson is written as `task_N.partial` and gets its name when all of it is there.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::measured::MetricsRow;
use super::pictures::{LessonPictures, MOST_PICTURES};
use super::saved::{read_metrics, report_of};
use super::tables::damaged_table;
use super::{LESSON_FILE, LESSONS_FOLDER, METRICS_FILE};
use crate::counts::counted;
use crate::files;
use crate::problem::{Problem, Result};
use crate::run::event::{Lesson, RunHeader, TaskReport};

/// Raised when the files change their meaning.
pub(super) const FORMAT: u32 = 1;

/// What `lesson.toml` holds.
#[derive(Serialize, Deserialize)]
pub(super) struct Written {
    pub format: u32,
    pub lesson: Lesson,
}

/// The folder of a task's lesson (task from 0).
pub(super) fn lesson_folder(run: &Path, task: usize) -> PathBuf {
    run.join(LESSONS_FOLDER).join(format!("task_{}", task + 1))
}

/// The same while it is being written or removed.
pub(super) fn partial_folder(run: &Path, task: usize) -> PathBuf {
    let name = format!("task_{}.partial", task + 1);
    run.join(LESSONS_FOLDER).join(name)
}

/// The folder that holds what a task (from 0) left: that of its lesson, or the run's own.
pub(super) fn home(run: &Path, task: usize) -> PathBuf {
    let lesson = lesson_folder(run, task);
    match lesson.join(LESSON_FILE).exists() {
        true => lesson,
        false => run.to_path_buf(),
    }
}

/// A run with the lessons behind its own tasks, of which `saved` are whole: its header as it is now,
/// and what was measured after each lesson.
pub(super) fn with_lessons(
    run: &Path,
    mut header: RunHeader,
    saved: usize,
) -> Result<(RunHeader, Vec<(MetricsRow, TaskReport)>)> {
    let mut measured = Vec::new();
    let planned = header.tasks.len();
    for task in tasks(run) {
        let after = saved + measured.len();
        let folder = lesson_folder(run, task);
        if task != after {
            return Err(Problem::new(format!(
                "this lesson was task {}, but the run has {} before it",
                task + 1,
                counted(after, "task")
            ))
            .at_path(&folder)
            .advise("move the folder `lessons` away to see the run without its lessons"));
        }
        let first = header.tasks[..after].last().map_or(0, |task| task.end);
        let lesson = read(&folder, &header.class_order[..first], planned)?;
        header = header.taught(after, lesson);
        let path = folder.join(METRICS_FILE);
        let mut rows = read_metrics(&path)?;
        let row = match rows.pop() {
            Some(row) if rows.is_empty() && row.task == task + 1 => row,
            _ => return Err(damaged_table(&path, "its only row is not the lesson's")),
        };
        let report = report_of(&folder, &header, &row)?;
        measured.push((row, report));
    }
    Ok((header, measured))
}

/// The tasks (from 0) that are lessons, in order.
pub(super) fn tasks(run: &Path) -> Vec<usize> {
    let Ok(entries) = std::fs::read_dir(run.join(LESSONS_FOLDER)) else {
        return Vec::new();
    };
    let task = |path: PathBuf| -> Option<usize> {
        let number = path.file_name()?.to_str()?.strip_prefix("task_")?;
        let task = number.parse::<usize>().ok()?.checked_sub(1)?;
        path.join(LESSON_FILE).exists().then_some(task)
    };
    let tasks = entries.flatten().filter_map(|entry| task(entry.path()));
    let mut tasks: Vec<usize> = tasks.collect();
    tasks.sort_unstable();
    tasks
}

fn damaged(folder: &Path, why: &str) -> Problem {
    Problem::new(format!("this lesson cannot be read: {why}"))
        .at_path(folder.join(LESSON_FILE))
        .advise("restore it from a copy, or move its folder away")
}

/// What `lesson.toml` says, of whatever run.
pub(super) fn written(folder: &Path) -> Result<Written> {
    let path = folder.join(LESSON_FILE);
    let text = files::read_text(&path, files::TEXT)
        .map_err(|error| Problem::io("read a lesson", &path, &error))?;
    let written: Written =
        toml::from_str(&text).map_err(|error| damaged(folder, error.message()))?;
    if written.format > FORMAT {
        return Err(
            Problem::new("this lesson was taught by a newer version of LAE Studio")
                .at_path(&path)
                .advise("use that version to open it"),
        );
    }
    Ok(written)
}

/// Reads `lesson.toml` of a lesson behind these classes, of a run with so many tasks of its own.
pub(super) fn read(folder: &Path, before: &[String], planned: usize) -> Result<Lesson> {
    let damaged = |why: &str| damaged(folder, why);
    let lesson = written(folder)?.lesson;
    let classes = lesson.classes.len();
    let counted = [&lesson.train_images, &lesson.test_images];
    if classes == 0 || counted.iter().any(|counts| counts.len() != classes) {
        return Err(damaged(
            "the numbers of pictures are not those of its classes",
        ));
    }
    if counted
        .iter()
        .any(|counts| counts.iter().any(|count| *count > MOST_PICTURES))
    {
        return Err(damaged("it counts more pictures than a lesson takes"));
    }
    let mut names: Vec<&String> = before.iter().chain(&lesson.classes).collect();
    names.sort_unstable();
    if names.windows(2).any(|pair| pair[0] == pair[1]) {
        return Err(damaged("two classes have one name"));
    }
    let known = |again: &crate::run::event::Again| again.class < classes && again.of < before.len();
    if !lesson.again.iter().all(known) {
        return Err(damaged("it names classes that the run does not have"));
    }
    if lesson.planned_tasks != planned {
        return Err(damaged("it was taught to a run with other tasks"));
    }
    Ok(lesson)
}

/// The pictures of the lesson that was a task (from 0) of the run in this folder.
///
/// # Errors
/// A Problem when there is none, or its list is damaged or not the one that was taught.
pub fn lesson_pictures(run: &Path, task: usize, lesson: &Lesson) -> Result<LessonPictures> {
    let folder = lesson_folder(run, task);
    let pictures = LessonPictures::read(&folder, lesson.classes.len())?;
    if pictures.fingerprint == lesson.fingerprint {
        return Ok(pictures);
    }
    Err(
        Problem::new("the pictures of this lesson are not those that were taught")
            .at_path(&folder)
            .advise("put the run's folder back as it was"),
    )
}

/// Removes lessons that were not finished. Call it only while holding the run's lock.
pub(super) fn sweep(run: &Path) {
    let folder = run.join(LESSONS_FOLDER);
    if folder.is_symlink() {
        return;
    }
    let Ok(entries) = std::fs::read_dir(&folder) else {
        return;
    };
    for path in entries.flatten().map(|entry| entry.path()) {
        if path.extension().is_some_and(|ending| ending == "partial") {
            // A leftover that cannot be removed stays without effect.
            let _ = std::fs::remove_dir_all(path);
        }
    }
    // The last one leaves nothing behind; while there are others this fails.
    let _ = std::fs::remove_dir(folder);
}
