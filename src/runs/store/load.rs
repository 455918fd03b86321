//! Loads a run from its folder, including its predictions.

use std::io::ErrorKind;
use std::path::Path;
use std::time::SystemTime;

use serde::{Deserialize, Serialize};

use super::annotations::load_annotations;
use super::csv_tables::damaged_table;
use super::record::{no_run_problem, read_run_toml};
use super::task_metrics::{MetricsRow, load_report, read_metrics};
use super::{
    METRICS_FILE, PLUGIN_FILE, RUN_FILE, added_tasks, answers_file, checkpoint, checkpoint_file,
    snapshot_file,
};
use crate::files;
use crate::files::write::is_locked;
use crate::pet;
use crate::problem::{Problem, Result};
use crate::run::event::{RunHeader, TaskReport};

/// The state of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum StoredState {
    /// Every task is saved.
    Finished,
    /// Stopped or killed; it can be resumed.
    Interrupted {
        /// The current task, from 0.
        task: usize,
        /// Finished epochs of that task.
        epoch: usize,
    },
    /// A program is working on it.
    #[default]
    Running,
}

impl StoredState {
    /// Returns the name in tables and for scripts.
    pub fn name(self) -> &'static str {
        match self {
            Self::Finished => "finished",
            Self::Interrupted { .. } => "interrupted",
            Self::Running => "running",
        }
    }
}

/// A run as loaded from its folder.
#[derive(Clone, Debug, PartialEq)]
pub struct StoredRun {
    /// Settings and facts.
    pub header: RunHeader,
    /// The exact text of the PET plugin; empty if the method trains no PET.
    pub plugin: String,
    /// The measurements after each saved task.
    pub reports: Vec<TaskReport>,
    /// The state of the run.
    pub state: StoredState,
    /// Highest memory use of the training process, if the system reports it.
    pub peak_memory_bytes: Option<u64>,
}

/// Returns the duration of these tasks in seconds.
pub(super) fn total_seconds(reports: &[TaskReport]) -> f64 {
    reports.iter().map(|report| report.seconds).sum()
}

/// Loads a run from its folder.
///
/// # Errors
/// Returns a Problem that names the missing or damaged file.
pub fn load_run(folder: &Path) -> Result<StoredRun> {
    let mut header = load_header(folder)?;
    let plugin = load_plugin(folder, &header)?;
    let sized = header.method.pet_sized;
    // Older versions did not record it.
    header.method.pet_sized = Some(sized.unwrap_or_else(|| pet::is_sized(&plugin)));
    let mut rows = metrics_rows(folder, header.tasks.len())?;
    let own_reports = rows.iter().map(|row| load_report(folder, &header, row));
    let mut reports = own_reports.collect::<Result<Vec<_>>>()?;
    let (mut header, added) = added_tasks::load_added_tasks(folder, header, rows.len())?;
    header.about = load_annotations(folder).0;
    for (row, report) in added {
        rows.push(row);
        reports.push(report);
    }
    let state = read_state(folder, reports.len(), header.tasks.len());
    Ok(StoredRun {
        header,
        plugin,
        reports,
        state,
        peak_memory_bytes: rows.iter().filter_map(|row| row.peak_memory_bytes).max(),
    })
}

/// Returns the text of a run's PET plugin; empty if the method trains no PET.
pub(super) fn load_plugin(folder: &Path, header: &RunHeader) -> Result<String> {
    let path = folder.join(PLUGIN_FILE);
    match header.method.uses_pet {
        true => files::read_text(&path, files::TEXT)
            .map_err(|error| Problem::io("read the run's PET plugin", &path, &error)),
        false => Ok(String::new()),
    }
}

/// Returns the state of the run in this folder, of which `saved` of `tasks` tasks are saved.
pub(super) fn read_state(folder: &Path, saved: usize, tasks: usize) -> StoredState {
    if saved == tasks {
        return StoredState::Finished;
    }
    if is_locked(folder) {
        return StoredState::Running;
    }
    // A checkpoint of a task that is already saved is outdated; one of a task that does not exist is damaged.
    let (task, epoch) = checkpoint::read_position(&checkpoint_file(folder))
        .filter(|(task, _)| (saved..tasks).contains(task))
        .unwrap_or((saved, 0));
    StoredState::Interrupted { task, epoch }
}

/// Reads only the settings and facts of a run.
fn load_header(folder: &Path) -> Result<RunHeader> {
    let path = folder.join(RUN_FILE);
    let text = match files::read_text(&path, files::TEXT) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Err(no_run_problem(folder)),
        other => other.map_err(|error| Problem::io("read the run's settings", &path, &error))?,
    };
    read_run_toml(&text, folder, &path)
}

/// Returns the rows of `metrics.csv`, one per saved task, in order.
fn metrics_rows(folder: &Path, tasks: usize) -> Result<Vec<MetricsRow>> {
    let path = folder.join(METRICS_FILE);
    let rows = read_metrics(&path)?;
    // The row of the first task is written before the predictions after the second one.
    if rows.is_empty() && answers_file(folder, 1).exists() {
        return Err(damaged_table(&path, "it is missing or has no rows, but task 2 was tested"));
    }
    let is_in_order = rows.iter().enumerate().all(|(i, row)| row.task == i + 1);
    if is_in_order && rows.len() <= tasks {
        Ok(rows)
    } else {
        Err(damaged_table(&path, "its rows are not tasks 1, 2, …"))
    }
}

/// Returns when the snapshot of a task (from 0) was written; `None` if unknown.
pub fn snapshot_time(folder: &Path, task: usize) -> Option<SystemTime> {
    let path = snapshot_file(&added_tasks::task_folder(folder, task), task);
    std::fs::metadata(path).ok()?.modified().ok()
}
