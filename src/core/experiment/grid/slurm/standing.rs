//! The state of the tasks of a grid: as Slurm says, else as what they left in their folder says.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use serde::Deserialize;

use super::Cluster;
use super::commands::{Task, Tasks};
use super::note::{Submission, SubmittedCell};
use crate::experiment::grid::GridPlan;
use crate::files;
use crate::problem::Result;
use crate::run::places::Place;
use crate::store::is_run;

/// So much of a log's end is read.
const TAIL: u64 = 8 << 10;
/// So many of its last lines are shown.
const LINES: usize = 5;

/// The state of a task.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TaskState {
    /// In the queue.
    Waiting,
    /// At work.
    Running,
    /// Its run is there.
    Done,
    /// It ended before its run did, which is saved: its time was over, or it was interrupted.
    Stopped,
    /// Somebody took it out of the queue or ended it.
    Cancelled,
    /// It failed.
    Failed,
}

impl TaskState {
    /// Whether Slurm still has the task.
    pub fn is_queued(self) -> bool {
        matches!(self, Self::Waiting | Self::Running)
    }

    /// Its name in JSON.
    pub fn key(self) -> &'static str {
        match self {
            Self::Waiting => "waiting",
            Self::Running => "running",
            Self::Done => "done",
            Self::Stopped => "stopped",
            Self::Cancelled => "cancelled",
            Self::Failed => "failed",
        }
    }

    /// From Slurm's word, empty if it no longer knows the task, and from what the task left.
    fn of(word: &str, report: &Path, log: &Path) -> Self {
        match word {
            "RUNNING" | "COMPLETING" | "SUSPENDED" | "STOPPED" | "SIGNALING" | "STAGE_OUT" => {
                return Self::Running;
            }
            "PENDING" | "CONFIGURING" | "REQUEUED" | "REQUEUE_HOLD" | "REQUEUE_FED"
            | "SPECIAL_EXIT" | "RESIZING" => return Self::Waiting,
            _ => {}
        }
        let (saved, is_there) = reported(report);
        match word {
            _ if saved == "done" && is_there => Self::Done,
            "TIMEOUT" | "NODE_FAIL" | "BOOT_FAIL" | "PREEMPTED" => Self::Stopped,
            "CANCELLED" => Self::Cancelled,
            _ if saved == "stopped" => Self::Stopped,
            "" if !log.is_file() => Self::Cancelled,
            _ => Self::Failed,
        }
    }
}

/// The task that is at work on a cell, or was at last.
#[derive(Clone, Debug, PartialEq)]
pub struct Standing {
    /// Array and index, as `scancel` takes them: `12_3`.
    pub task: String,
    /// Its state.
    pub state: TaskState,
    /// Its node and how long it has been at work there, while it is.
    pub node: String,
    /// See `node`.
    pub elapsed: String,
    /// Why it waits or ended, in Slurm's word; why it failed, as its log says.
    pub why: String,
    /// Its log.
    pub log: PathBuf,
    /// The last lines of that, if it failed.
    pub last: Vec<String>,
}

impl Standing {
    /// Those of these cells that were submitted.
    ///
    /// # Errors
    /// A Problem when something was submitted and Slurm does not answer.
    pub fn of(plan: &GridPlan, cells: &[usize], cluster: &Cluster) -> Result<HashMap<usize, Self>> {
        let submissions = Submission::all(&plan.root, &plan.cells.grid.name);
        if submissions.is_empty() {
            return Ok(HashMap::new());
        }
        let known = ask(&submissions, cluster)?;
        let mut own: HashMap<&str, Vec<Self>> = HashMap::new();
        for submission in &submissions {
            for cell in submission.submitted() {
                let tasks = own.entry(&cell.settings).or_default();
                tasks.push(Self::of_cell(submission, cell, &known));
            }
        }
        let standings = cells.iter().filter_map(|cell| {
            let tasks = own.get(plan.settings_key(*cell).as_str())?;
            // What is still in the queue counts, else what was last.
            let queued = tasks.iter().find(|task| task.state.is_queued());
            Some((*cell, queued.or(tasks.first())?.clone()))
        });
        Ok(standings.collect())
    }

    fn of_cell(submission: &Submission, cell: &SubmittedCell, known: &Tasks) -> Self {
        let name = format!("{}_{}", cell.job, cell.index);
        let log = submission.folder.join("logs").join(format!("{name}.log"));
        let report = submission.folder.join("cells");
        let report = report.join(format!("{}.json", cell.number));
        let task = known.get(&(cell.job.clone(), cell.index));
        let task = task.cloned().unwrap_or_default();
        let state = TaskState::of(&task.state, &report, &log);
        let Task { node, elapsed, .. } = task;
        let (mut why, mut last) = (String::new(), Vec::new());
        match state {
            TaskState::Waiting => why = task.reason,
            TaskState::Stopped => why = task.state,
            TaskState::Failed => {
                last = last_lines(&log);
                let lines = last.iter().rev();
                let problem = lines
                    .clone()
                    .find_map(|line| line.strip_prefix("problem: "));
                let said = problem.or(lines.map(String::as_str).next());
                why = said.unwrap_or(&task.state).to_string();
            }
            _ => {}
        }
        Self {
            task: name,
            state,
            node,
            elapsed,
            why,
            log,
            last,
        }
    }
}

/// What Slurm knows of the tasks of these submissions.
fn ask(submissions: &[Submission], cluster: &Cluster) -> Result<Tasks> {
    let cells = submissions.iter().flat_map(Submission::submitted);
    cluster.tasks(cells.map(|cell| (cell.job.as_str(), cell.index)))
}

/// The first task of those that failed for the same reason, and their number.
pub fn failures<'a>(tasks: impl Iterator<Item = &'a Standing>) -> Vec<(&'a Standing, usize)> {
    let mut failed: Vec<(&Standing, usize)> = Vec::new();
    for task in tasks.filter(|task| task.state == TaskState::Failed) {
        match failed.iter_mut().find(|(known, _)| known.why == task.why) {
            Some((_, number)) => *number += 1,
            None => failed.push((task, 1)),
        }
    }
    failed
}

/// The state of a task's run as its own report says, and whether the run is there.
fn reported(report: &Path) -> (String, bool) {
    #[derive(Deserialize)]
    struct Report {
        cells: Vec<Cell>,
    }
    #[derive(Deserialize)]
    struct Cell {
        state: String,
        folder: Option<PathBuf>,
    }
    let text = files::read_text(report, files::TABLE).unwrap_or_default();
    let report = serde_json::from_str::<Report>(&text).ok();
    let cell = report.and_then(|report| report.cells.into_iter().next());
    cell.map_or_else(Default::default, |cell| {
        let is_there = cell.folder.is_some_and(|folder| is_run(&folder));
        (cell.state, is_there)
    })
}

/// The last lines of a log; nothing where there is no log.
fn last_lines(path: &Path) -> Vec<String> {
    let length = files::length(path).unwrap_or_default();
    let bytes = files::read_from(path, length.saturating_sub(TAIL), TAIL).unwrap_or_default();
    let text = String::from_utf8_lossy(&bytes);
    let lines = text.lines().filter(|line| !line.trim().is_empty());
    let mut last: Vec<String> = lines.rev().take(LINES).map(ToString::to_string).collect();
    last.reverse();
    last
}

/// A grid that was submitted, and its tasks.
#[derive(Clone, Debug, PartialEq)]
pub struct OnCluster {
    /// The folder of the submission.
    pub folder: PathBuf,
    /// The grid's name.
    pub grid: String,
    /// The place that it was submitted to; empty for the cluster of this machine.
    pub place: String,
    /// Its tasks.
    pub tasks: Vec<Standing>,
}

impl OnCluster {
    /// Whether all of its tasks have ended.
    pub fn is_over(&self) -> bool {
        !self.tasks.iter().any(|task| task.state.is_queued())
    }

    /// The number of its tasks in a state.
    pub fn count(&self, state: TaskState) -> usize {
        let fitting = self.tasks.iter().filter(|task| task.state == state);
        fitting.count()
    }

    /// Those in the queue, as `scancel` takes them.
    pub(super) fn queued(&self) -> Vec<String> {
        let queued = self.tasks.iter().filter(|task| task.state.is_queued());
        queued.map(|task| task.task.clone()).collect()
    }

    pub(super) fn of(submissions: &[Submission], cluster: &Cluster) -> Result<Vec<Self>> {
        let known = ask(submissions, cluster)?;
        let each = submissions.iter().map(|submission| Self {
            folder: submission.folder.clone(),
            grid: submission.grid.clone(),
            place: submission.place.clone(),
            tasks: submission
                .submitted()
                .map(|cell| Standing::of_cell(submission, cell, &known))
                .collect(),
        });
        Ok(each.collect())
    }
}

/// The grids that were submitted to a cluster and were not seen to end; one that has ended is returned once. Runs lie in
/// the cluster's folder, else in `root`.
///
/// # Errors
/// A Problem when there are some and Slurm does not answer, or it cannot be noted that one has ended.
pub fn watch(place: &Place, root: &Path) -> Result<Vec<OnCluster>> {
    let root = place.folder.as_deref().map_or(root, Path::new);
    let mut submissions = Submission::open(root, &place.name);
    if submissions.is_empty() {
        return Ok(Vec::new());
    }
    let all = OnCluster::of(&submissions, &Cluster::of(place))?;
    for (submission, seen) in submissions.iter_mut().zip(&all) {
        if seen.is_over() {
            submission.over = true;
            submission.keep()?;
        }
    }
    Ok(all)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn the_state_of_a_task_is_what_slurm_says_else_what_it_left() {
        let folder = tempfile::tempdir().unwrap();
        let [report, log] = ["2.json", "1_2.log"].map(|name| folder.path().join(name));
        let state = |word: &str| TaskState::of(word, &report, &log);
        assert!(state("RUNNING").is_queued() && state("PENDING").is_queued());
        assert_eq!(state(""), TaskState::Cancelled);
        std::fs::write(
            &log,
            "run 1 of 1 begins\nproblem: there is no data set\nwhere: x\n",
        )
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
        // A run that is no longer there is not done.
        let report_of = r#"{"cells":[{"state":"done","folder":"/nowhere/at/all"}]}"#;
        std::fs::write(&report, report_of).unwrap();
        assert_eq!(state("COMPLETED"), TaskState::Failed);
    }
}
