//! The record of a submission, in a folder of its own beside the runs, and the state of its tasks, from Slurm or from the
//! files in that folder.

use std::collections::{BTreeMap, HashMap};
use std::fs;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::commands::{self, Task};
use crate::experiment::grid::GridPlan;
use crate::files;
use crate::problem::{Problem, Result};
use crate::run::remote_machines::RemoteMachine;
use crate::store::{is_run, write_file};

/// The folder of submissions, beside the runs.
pub(super) const SUBMISSIONS_FOLDER: &str = ".slurm";
/// The record in the folder of a submission.
const RECORD_FILE: &str = "submission.json";
/// Version of the record. The first one has no place.
pub(super) const VERSION: u32 = 2;
/// Number of bytes read at the end of a log.
const TAIL_BYTES: u64 = 8 << 10;
/// Number of last lines shown.
const SHOWN_LINES: usize = 5;

/// The record of a submission.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Submission {
    pub version: u32,
    pub grid: String,
    /// The place that it was submitted to; empty for the cluster of this machine.
    #[serde(default)]
    pub place: String,
    /// Whether all of its tasks were seen to have ended.
    #[serde(default)]
    pub over: bool,
    pub cells: Vec<SubmittedCell>,
    #[serde(skip)]
    pub folder: PathBuf,
}

/// A submitted run.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct SubmittedCell {
    /// Number of the run, from 1.
    pub number: usize,
    /// The key of its settings.
    pub settings: String,
    /// The array, once it is submitted.
    pub job: String,
    /// Its index there.
    pub index: usize,
}

impl Submission {
    /// Returns the submissions of a folder of runs, the newest first, without those that cannot be read.
    pub fn load_all(root: &Path) -> impl Iterator<Item = Self> {
        let entries = fs::read_dir(root.join(SUBMISSIONS_FOLDER)).into_iter().flatten();
        let mut folders: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
        folders.sort();
        folders.into_iter().rev().filter_map(Self::load)
    }

    /// Returns the submission in this folder; `None` if it cannot be read.
    pub fn load(folder: PathBuf) -> Option<Self> {
        let text = files::read_text(&folder.join(RECORD_FILE), files::TABLE).ok()?;
        let record: Self = serde_json::from_str(&text).ok()?;
        Some(Self { folder, ..record })
    }

    /// Returns whether it was submitted to this place and is not known to have ended.
    pub fn is_open_at(&self, place: &str) -> bool {
        self.version >= VERSION && self.place == place && !self.over
    }

    /// Returns its runs that are in the queue, or were.
    pub fn submitted_cells(&self) -> impl Iterator<Item = &SubmittedCell> {
        self.cells.iter().filter(|cell| !cell.job.is_empty())
    }

    /// Writes the record.
    pub fn save(&self) -> Result<()> {
        let text = serde_json::to_string_pretty(self)
            .map_err(|error| Problem::new(format!("the submission cannot be recorded: {error}")))?;
        write_file(&self.folder.join(RECORD_FILE), text.as_bytes()).map(drop)
    }
}

/// The state of a task.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum TaskState {
    /// In the queue.
    Waiting,
    /// Running.
    Running,
    /// Its run is finished.
    Done,
    /// It ended before its run, which was saved: the time limit was reached, or it was interrupted.
    Stopped,
    /// A user cancelled it.
    Cancelled,
    /// It failed.
    Failed,
}

impl TaskState {
    /// Returns whether Slurm still has the task.
    pub fn is_queued(self) -> bool {
        matches!(self, Self::Waiting | Self::Running)
    }

    /// Derives the state from Slurm's state (empty if Slurm no longer lists the task) and the files of the task.
    fn from_slurm(word: &str, report: &Path, log: &Path) -> Self {
        match word {
            "RUNNING" | "COMPLETING" | "SUSPENDED" | "STOPPED" | "SIGNALING" | "STAGE_OUT" => {
                return Self::Running;
            }
            "PENDING" | "CONFIGURING" | "REQUEUED" | "REQUEUE_HOLD" | "REQUEUE_FED"
            | "SPECIAL_EXIT" | "RESIZING" => return Self::Waiting,
            _ => {}
        }
        let (saved_state, run_exists) = read_report(report);
        match word {
            _ if saved_state == "done" && run_exists => Self::Done,
            "TIMEOUT" | "NODE_FAIL" | "BOOT_FAIL" | "PREEMPTED" => Self::Stopped,
            "CANCELLED" => Self::Cancelled,
            _ if saved_state == "stopped" => Self::Stopped,
            "" if !log.is_file() => Self::Cancelled,
            _ => Self::Failed,
        }
    }
}

/// The task that runs a cell, or the last one that did. Its fields are those in the JSON output of `grid`.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SlurmTask {
    /// Array and index, as in `scancel`: `12_3`.
    pub id: String,
    /// Its state.
    pub state: TaskState,
    /// Its node, while it is running.
    pub node: Option<String>,
    /// Its running time, while it is running.
    pub elapsed: Option<String>,
    /// Slurm's reason for waiting or ending; if it failed, the error in its log.
    pub reason: Option<String>,
    /// Path of its log.
    pub log: String,
    /// The last lines of the log, if it failed.
    pub last_lines: Vec<String>,
}

impl SlurmTask {
    /// Returns the tasks of those cells that were submitted.
    ///
    /// # Errors
    /// Returns a Problem if cells were submitted and Slurm does not respond.
    pub fn by_cell(
        plan: &GridPlan,
        cells: &[usize],
        machine: &RemoteMachine,
    ) -> Result<BTreeMap<usize, Self>> {
        let name = &plan.cells.grid.name;
        let submissions =
            Submission::load_all(&plan.root).filter(|submission| submission.grid == *name);
        let submissions: Vec<Submission> = submissions.collect();
        let grids = ClusterGrid::query(&submissions, machine)?;
        let mut latest_tasks: HashMap<&str, &Self> = HashMap::new();
        for (submission, grid) in submissions.iter().zip(&grids) {
            for (cell, task) in submission.submitted_cells().zip(&grid.tasks) {
                let latest = latest_tasks.entry(&cell.settings).or_insert(task);
                // A queued task takes precedence over the latest one.
                if task.state.is_queued() && !latest.state.is_queued() {
                    *latest = task;
                }
            }
        }
        let task = |cell: &usize| latest_tasks.get(&*plan.settings_key(*cell)).copied().cloned();
        Ok(cells.iter().filter_map(|cell| Some((*cell, task(cell)?))).collect())
    }

    fn new(submission: &Submission, cell: &SubmittedCell, task: Task) -> Self {
        let id = format!("{}_{}", cell.job, cell.index);
        let log = submission.folder.join("logs").join(format!("{id}.log"));
        let report = submission.folder.join("cells");
        let report = report.join(format!("{}.json", cell.number));
        let state = TaskState::from_slurm(&task.state, &report, &log);
        let last_lines = match state {
            TaskState::Failed => last_lines(&log),
            _ => Vec::new(),
        };
        let reason = match state {
            TaskState::Waiting => task.reason,
            TaskState::Stopped => task.state,
            TaskState::Failed => {
                let mut lines = last_lines.iter().rev();
                let problem = lines.find_map(|line| line.strip_prefix("problem: "));
                let error = problem.or(last_lines.last().map(String::as_str));
                error.unwrap_or(&task.state).to_string()
            }
            _ => String::new(),
        };
        let non_empty = |text: String| Some(text).filter(|text| !text.is_empty());
        Self {
            id,
            state,
            node: non_empty(task.node),
            elapsed: non_empty(task.elapsed),
            reason: non_empty(reason),
            log: log.display().to_string(),
            last_lines,
        }
    }
}

/// Returns the first task for each reason of failure, with the number of tasks that failed for it.
pub fn group_failures<'a>(
    tasks: impl Iterator<Item = &'a SlurmTask>,
) -> Vec<(&'a SlurmTask, usize)> {
    let mut failed: Vec<(&SlurmTask, usize)> = Vec::new();
    for task in tasks.filter(|task| task.state == TaskState::Failed) {
        match failed.iter_mut().find(|(other, _)| other.reason == task.reason) {
            Some((_, count)) => *count += 1,
            None => failed.push((task, 1)),
        }
    }
    failed
}

/// Returns the state of a task's run from its own report, and whether the run exists.
fn read_report(report: &Path) -> (String, bool) {
    let text = files::read_text(report, files::TABLE).unwrap_or_default();
    let report: Value = serde_json::from_str(&text).unwrap_or_default();
    let cell = &report["cells"][0];
    let folder = cell["folder"].as_str().map(Path::new);
    let state = cell["state"].as_str().unwrap_or_default();
    (state.to_string(), folder.is_some_and(is_run))
}

/// Returns the last lines of a log; empty if there is no log.
fn last_lines(path: &Path) -> Vec<String> {
    let length = files::length(path).unwrap_or_default();
    let bytes =
        files::read_from(path, length.saturating_sub(TAIL_BYTES), TAIL_BYTES).unwrap_or_default();
    let text = String::from_utf8_lossy(&bytes);
    let lines = text.lines().filter(|line| !line.trim().is_empty());
    let lines: Vec<String> = lines.map(ToString::to_string).collect();
    lines[lines.len().saturating_sub(SHOWN_LINES)..].to_vec()
}

/// A submitted grid and its tasks.
#[derive(Clone, Debug, PartialEq)]
pub struct ClusterGrid {
    /// The folder of the submission.
    pub folder: PathBuf,
    /// The grid's name.
    pub grid: String,
    /// The place to which it was submitted; empty for the cluster of this machine.
    pub place: String,
    /// Its tasks.
    pub tasks: Vec<SlurmTask>,
}

impl ClusterGrid {
    /// Returns whether all of its tasks have ended.
    pub fn has_ended(&self) -> bool {
        !self.tasks.iter().any(|task| task.state.is_queued())
    }

    /// Returns the number of its tasks in a state.
    pub fn count(&self, state: TaskState) -> usize {
        let matching = self.tasks.iter().filter(|task| task.state == state);
        matching.count()
    }

    /// Returns these submissions with their tasks as Slurm reports them now.
    pub(super) fn query(submissions: &[Submission], machine: &RemoteMachine) -> Result<Vec<Self>> {
        if submissions.is_empty() {
            return Ok(Vec::new());
        }
        let cells = submissions.iter().flat_map(Submission::submitted_cells);
        let mut tasks_by_id =
            commands::query_tasks(machine, cells.map(|cell| (cell.job.as_str(), cell.index)))?;
        let grids = submissions.iter().map(|submission| {
            let tasks = submission.submitted_cells().map(|cell| {
                let task = tasks_by_id.remove(&(cell.job.clone(), cell.index));
                SlurmTask::new(submission, cell, task.unwrap_or_default())
            });
            Self {
                folder: submission.folder.clone(),
                grid: submission.grid.clone(),
                place: submission.place.clone(),
                tasks: tasks.collect(),
            }
        });
        Ok(grids.collect())
    }
}

/// Returns the grids on a cluster that were not known to have ended; each grid that has ended is returned once. Runs
/// are in the cluster's folder, else in `root`.
///
/// # Errors
/// Returns a Problem if there are such grids and Slurm does not respond, or if the end of one cannot be recorded.
pub fn poll_grids(machine: &RemoteMachine, root: &Path) -> Result<Vec<ClusterGrid>> {
    let root = machine.folder.as_deref().map_or(root, Path::new);
    let is_open = |submission: &Submission| submission.is_open_at(&machine.name);
    let mut submissions: Vec<Submission> = Submission::load_all(root).filter(is_open).collect();
    let grids = ClusterGrid::query(&submissions, machine)?;
    for (submission, grid) in submissions.iter_mut().zip(&grids) {
        if grid.has_ended() {
            submission.over = true;
            submission.save()?;
        }
    }
    Ok(grids)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn task_state_comes_from_slurm_or_from_its_files() {
        let folder = tempfile::tempdir().unwrap();
        let [report, log] = ["2.json", "1_2.log"].map(|name| folder.path().join(name));
        let state = |word: &str| TaskState::from_slurm(word, &report, &log);
        assert!(state("RUNNING").is_queued() && state("PENDING").is_queued());
        assert_eq!(state(""), TaskState::Cancelled);
        std::fs::write(&log, "run 1 of 1 begins\nproblem: there is no data set\nwhere: x\n")
            .unwrap();
        assert_eq!(state("CANCELLED"), TaskState::Cancelled);
        assert_eq!(state("TIMEOUT"), TaskState::Stopped);
        for word in ["", "FAILED", "OUT_OF_MEMORY"] {
            assert_eq!(state(word), TaskState::Failed);
        }
        std::fs::write(&report, r#"{"cells":[{"state":"stopped","folder":null}]}"#).unwrap();
        for word in ["FAILED", ""] {
            assert_eq!(state(word), TaskState::Stopped);
        }
        assert_eq!(state("CANCELLED"), TaskState::Cancelled);
        // A run that no longer exists is not finished.
        let report_text = r#"{"cells":[{"state":"done","folder":"/nowhere/at/all"}]}"#;
        std::fs::write(&report, report_text).unwrap();
        assert_eq!(state("COMPLETED"), TaskState::Failed);
    }
}
