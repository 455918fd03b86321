//! Reading one run back from its folder, answers and all.

use std::io::ErrorKind;
use std::path::Path;
use std::time::SystemTime;

use serde::{Deserialize, Serialize};

use super::about::about;
use super::measured::MetricsRow;
use super::place::no_run;
use super::record::read_run_toml;
use super::saved::{read_metrics, report_of};
use super::tables::damaged_table;
use super::{
    METRICS_FILE, PLUGIN_FILE, RUN_FILE, added_tasks, checkpoint, checkpoint_file, snapshot_file,
};
use crate::files;
use crate::files::write::is_locked;
use crate::metrics::{Expert, Histories, History, PromptStudy};
use crate::pet;
use crate::problem::{Problem, Result};
use crate::run::event::{Costs, RunHeader, TaskReport, costs};

/// Whether a run has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum StoredState {
    /// Every task is saved.
    Finished,
    /// Stopped or killed; it can be continued.
    Interrupted {
        /// The current task, from 0.
        task: usize,
        /// Finished epochs of that task.
        epoch: usize,
    },
    /// A program works on it right now.
    Running,
}

/// A run as its folder holds it.
#[derive(Clone, Debug, PartialEq)]
pub struct StoredRun {
    /// Settings and facts.
    pub header: RunHeader,
    /// The exact text of the PET plugin; empty where the method trains none.
    pub plugin: String,
    /// What was measured after each saved task.
    pub reports: Vec<TaskReport>,
    /// Whether it has ended.
    pub state: StoredState,
    /// Highest memory use of the training process, if the system reports it.
    pub peak_memory_bytes: Option<u64>,
}

impl StoredRun {
    /// A_i and the accuracy matrix of one expert.
    pub fn history(&self, expert: Expert) -> History {
        let mut histories = Histories::default();
        for report in &self.reports {
            let seen = &self.header.tasks[..=report.task];
            histories.push(&report.answers, seen);
        }
        histories.of(expert).clone()
    }

    /// A_i and the accuracy matrix of the expert whose answer is the run's.
    pub fn answers(&self) -> History {
        self.history(self.header.answering())
    }

    /// The study of DualPrompt's prompts, where every saved task was studied.
    pub fn prompt_study(&self) -> Option<PromptStudy> {
        PromptStudy::of(self.reports.iter().map(|report| &report.slots[..]))
    }

    /// Seconds spent on all saved tasks.
    pub fn seconds(&self) -> f64 {
        seconds(&self.reports)
    }

    /// What all saved tasks cost: images and seconds of training summed, the rest as it was after
    /// the last one.
    pub fn costs(&self) -> Costs {
        costs(&self.reports)
    }
}

/// Seconds spent on these tasks.
pub(super) fn seconds(reports: &[TaskReport]) -> f64 {
    reports.iter().map(|report| report.seconds).sum()
}

/// Reads a run's folder.
///
/// # Errors
/// Returns a Problem that names the missing or damaged file.
pub fn load(folder: &Path) -> Result<StoredRun> {
    let mut header = load_header(folder)?;
    let plugin = plugin_of(folder, &header)?;
    let sized = header.method.pet_sized;
    // Older versions did not note it.
    header.method.pet_sized = Some(sized.unwrap_or_else(|| pet::is_sized(&plugin)));
    let mut rows = metrics_rows(folder, header.tasks.len())?;
    let own = rows.iter().map(|row| report_of(folder, &header, row));
    let mut reports = own.collect::<Result<Vec<_>>>()?;
    let (mut header, taught) = added_tasks::with_added_tasks(folder, header, rows.len())?;
    header.about = about(folder).0;
    for (row, report) in taught {
        rows.push(row);
        reports.push(report);
    }
    let state = state(folder, reports.len(), header.tasks.len());
    Ok(StoredRun {
        header,
        plugin,
        reports,
        state,
        peak_memory_bytes: rows.iter().filter_map(|row| row.peak_memory_bytes).max(),
    })
}

/// The text of a run's PET plugin; empty where the method trains none.
pub(super) fn plugin_of(folder: &Path, header: &RunHeader) -> Result<String> {
    let path = folder.join(PLUGIN_FILE);
    match header.method.uses_pet {
        true => files::read_text(&path, files::TEXT)
            .map_err(|error| Problem::io("read the run's PET plugin", &path, &error)),
        false => Ok(String::new()),
    }
}

/// Whether the run in this folder has ended, given how many of its tasks are saved.
pub(super) fn state(folder: &Path, saved: usize, tasks: usize) -> StoredState {
    if saved == tasks {
        return StoredState::Finished;
    }
    if is_locked(folder) {
        return StoredState::Running;
    }
    // A checkpoint of a task that is saved by now is from before that; one of a task that there is not is damaged.
    let (task, epoch) = checkpoint::peek(&checkpoint_file(folder))
        .filter(|(task, _)| (saved..tasks).contains(task))
        .unwrap_or((saved, 0));
    StoredState::Interrupted { task, epoch }
}

/// Reads the settings and facts of a run and nothing else.
fn load_header(folder: &Path) -> Result<RunHeader> {
    let path = folder.join(RUN_FILE);
    let text = match files::read_text(&path, files::TEXT) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Err(no_run(folder)),
        other => other.map_err(|error| Problem::io("read the run's settings", &path, &error))?,
    };
    read_run_toml(&text, folder, &path)
}

/// The rows of `metrics.csv`, one per saved task, in order.
fn metrics_rows(folder: &Path, tasks: usize) -> Result<Vec<MetricsRow>> {
    let path = folder.join(METRICS_FILE);
    let rows = read_metrics(&path)?;
    let in_order = rows.iter().enumerate().all(|(i, row)| row.task == i + 1);
    if in_order && rows.len() <= tasks {
        Ok(rows)
    } else {
        Err(damaged_table(&path, "its rows are not tasks 1, 2, …"))
    }
}

/// When the snapshot of a task (from 0) was written; `None` if that is not known.
pub fn snapshot_time(folder: &Path, task: usize) -> Option<SystemTime> {
    let path = snapshot_file(&added_tasks::home(folder, task), task);
    std::fs::metadata(path).ok()?.modified().ok()
}
