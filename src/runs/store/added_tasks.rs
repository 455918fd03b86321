//! Reads added tasks from a run's folder: `lessons/task_N/` contains everything that belongs to the added task N. Of
//! the run's other files only the summary changes, so undoing an added task restores the run.
//!
//! | file | content |
//! |---|---|
//! | `lesson.toml` | description: classes and settings |
//! | `pictures/`, `pictures.csv` | copies of its images, and their list |
//! | `metrics.csv`, `confusion/`, `prompts/`, `task_N.safetensors` | as for any task |
//! | `state.safetensors` | what the next added task needs in addition, if the method needs more |
//!
//! An added task is written as `task_N.partial` and renamed when it is complete.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::added_images::{AddedImages, MAX_ADDED_IMAGES};
use super::csv_tables::damaged_table;
use super::task_metrics::{MetricsRow, load_report, read_metrics};
use super::{ADDED_FOLDER, METRICS_FILE, TASK_FILE};
use crate::files;
use crate::message;
use crate::problem::{Problem, Result};
use crate::run::event::{AddedTask, RunHeader, TaskReport};

/// Version of the format, raised when files change their meaning.
pub(super) const FORMAT: u32 = 1;

/// The content of `lesson.toml`.
#[derive(Serialize, Deserialize)]
pub(super) struct AddedTaskFile {
    pub format: u32,
    #[serde(rename = "lesson")]
    pub added_task: AddedTask,
}

/// Returns the folder of an added task (from 0).
pub(super) fn added_task_folder(run: &Path, task: usize) -> PathBuf {
    run.join(ADDED_FOLDER).join(format!("task_{}", task + 1))
}

/// Returns the folder of an added task (from 0) while it is being written or removed.
pub(super) fn partial_folder(run: &Path, task: usize) -> PathBuf {
    let name = format!("task_{}.partial", task + 1);
    run.join(ADDED_FOLDER).join(name)
}

/// Returns the folder with the files of a task (from 0): that of the added task, or the run's folder.
pub(super) fn task_folder(run: &Path, task: usize) -> PathBuf {
    let added_task = added_task_folder(run, task);
    match added_task.join(TASK_FILE).exists() {
        true => added_task,
        false => run.to_path_buf(),
    }
}

/// Reads the added tasks that follow the `saved` tasks of a run. Returns the header including them, and the
/// measurements after each of them.
pub(super) fn load_added_tasks(
    run: &Path,
    mut header: RunHeader,
    saved: usize,
) -> Result<(RunHeader, Vec<(MetricsRow, TaskReport)>)> {
    let mut measured = Vec::new();
    let planned = header.tasks.len();
    for task in added_task_indices(run) {
        let after = saved + measured.len();
        let folder = added_task_folder(run, task);
        if task != after {
            return Err(Problem::new(message!(
                "problem-added-task-number",
                task = (task + 1).to_string(),
                after = message!("count-tasks", n = after)
            ))
            .at_path(&folder)
            .advise(message!("advice-move-added-tasks-folder", added_folder = ADDED_FOLDER)));
        }
        let first = header.tasks[..after].last().map_or(0, |task| task.end);
        let added_task = load_added_task(&folder, &header.class_order[..first], planned)?;
        header = header.with_added_task(after, added_task);
        let path = folder.join(METRICS_FILE);
        let mut rows = read_metrics(&path)?;
        let row = match rows.pop() {
            Some(row) if rows.is_empty() && row.task == task + 1 => row,
            _ => {
                return Err(damaged_table(&path, "its only row does not belong to the added task"));
            }
        };
        let report = load_report(&folder, &header, &row)?;
        measured.push((row, report));
    }
    Ok((header, measured))
}

/// Returns the tasks (from 0) that are added tasks, in order.
pub(super) fn added_task_indices(run: &Path) -> Vec<usize> {
    let Ok(entries) = std::fs::read_dir(run.join(ADDED_FOLDER)) else {
        return Vec::new();
    };
    let task = |path: PathBuf| -> Option<usize> {
        let number = path.file_name()?.to_str()?.strip_prefix("task_")?;
        let task = number.parse::<usize>().ok()?.checked_sub(1)?;
        path.join(TASK_FILE).exists().then_some(task)
    };
    let tasks = entries.flatten().filter_map(|entry| task(entry.path()));
    let mut tasks: Vec<usize> = tasks.collect();
    tasks.sort_unstable();
    tasks
}

fn damaged(folder: &Path, why: &str) -> Problem {
    Problem::new(message!("problem-added-task-unreadable", why))
        .at_path(folder.join(TASK_FILE))
        .advise(message!("advice-restore-or-move-folder"))
}

/// Reads `lesson.toml` without checking it against the run.
pub(super) fn read_added_task_file(folder: &Path) -> Result<AddedTaskFile> {
    let path = folder.join(TASK_FILE);
    let text = files::read_text(&path, files::TEXT)
        .map_err(|error| Problem::io("read an added task", &path, &error))?;
    let file: AddedTaskFile =
        toml::from_str(&text).map_err(|error| damaged(folder, error.message()))?;
    if file.format > FORMAT {
        return Err(Problem::new(message!("problem-added-task-newer-version"))
            .at_path(&path)
            .advise(message!("advice-use-newer-version")));
    }
    Ok(file)
}

/// Reads `lesson.toml` and checks it: `before` are the classes learned earlier, `planned` is the number of the run's
/// own tasks.
pub(super) fn load_added_task(
    folder: &Path,
    before: &[String],
    planned: usize,
) -> Result<AddedTask> {
    let damaged = |why: &str| damaged(folder, why);
    let added_task = read_added_task_file(folder)?.added_task;
    let classes = added_task.classes.len();
    let image_counts = [&added_task.train_images, &added_task.test_images];
    if classes == 0 || image_counts.iter().any(|counts| counts.len() != classes) {
        return Err(damaged("the numbers of images do not match its classes"));
    }
    if image_counts.into_iter().flatten().any(|count| *count > MAX_ADDED_IMAGES) {
        return Err(damaged("it has more images than an added task accepts"));
    }
    let mut names: Vec<&String> = before.iter().chain(&added_task.classes).collect();
    names.sort_unstable();
    if names.windows(2).any(|pair| pair[0] == pair[1]) {
        return Err(damaged("two classes have the same name"));
    }
    let is_known = |repeated: &crate::run::event::RepeatedClass| {
        repeated.class < classes && repeated.of < before.len()
    };
    if !added_task.again.iter().all(is_known) {
        return Err(damaged("it has classes that are not in the run"));
    }
    if added_task.planned_tasks != planned {
        return Err(damaged("it belongs to a run with different tasks"));
    }
    Ok(added_task)
}

/// Returns the images of an added task (from 0) of the run in this folder, which has this bit depth.
///
/// # Errors
/// Returns a Problem if there is none, or if its list is damaged or has changed since it was learned.
pub fn added_task_images(
    run: &Path,
    task: usize,
    added_task: &AddedTask,
    bit_depth: usize,
) -> Result<AddedImages> {
    let folder = added_task_folder(run, task);
    let images = AddedImages::read(&folder, added_task.classes.len(), bit_depth)?;
    if images.fingerprint == added_task.fingerprint {
        return Ok(images);
    }
    Err(Problem::new(message!("problem-added-task-images-changed"))
        .at_path(&folder)
        .advise(message!("advice-restore-run-folder")))
}

/// Removes incomplete added tasks. The caller must hold the run's lock.
pub(super) fn remove_partial(run: &Path) {
    let folder = run.join(ADDED_FOLDER);
    if folder.is_symlink() {
        return;
    }
    let Ok(entries) = std::fs::read_dir(&folder) else {
        return;
    };
    for path in entries.flatten().map(|entry| entry.path()) {
        if path.extension().is_some_and(|extension| extension == "partial") {
            // A leftover that cannot be removed has no effect.
            let _ = std::fs::remove_dir_all(path);
        }
    }
    // Removes the folder if it is empty; otherwise this fails.
    let _ = std::fs::remove_dir(folder);
}
