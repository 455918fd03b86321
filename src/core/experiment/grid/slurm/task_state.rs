//! How the tasks of a grid stand: as the queue says, else the cluster's books, else what they left in their folder.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use serde::Deserialize;

use super::Cluster;
use super::cluster::Task;
use super::note::{Submission, SubmittedCell};
use crate::experiment::grid::GridPlan;
use crate::files;
use crate::message;
use crate::problem::Result;
use crate::store::is_run;
use crate::texts::Words;

/// So much of a log's end is looked at.
const TAIL: u64 = 8 << 10;
/// So many of its last lines are shown.
const LINES: usize = 5;

/// How a task stands.
#[derive(Clone, Debug, PartialEq)]
pub enum TaskState {
    /// In the queue.
    Waiting {
        /// Why, in Slurm's word.
        reason: String,
    },
    /// At work.
    Running {
        /// Its node.
        node: String,
        /// How long it has been.
        elapsed: String,
    },
    /// Done, as it says itself; its run lies there.
    Done(PathBuf),
    /// Somebody took it out of the queue or ended it.
    Cancelled,
    /// Its time was over, or it was interrupted, and it saved what it had.
    Stopped {
        /// Why.
        why: &'static str,
    },
    /// It failed.
    Failed {
        /// Why.
        why: Words,
    },
}

impl TaskState {
    /// Whether Slurm still has it.
    pub fn is_queued(&self) -> bool {
        matches!(self, Self::Waiting { .. } | Self::Running { .. })
    }
}

/// The task that is at work on a cell, or was at last.
#[derive(Clone, Debug, PartialEq)]
pub struct Standing {
    /// Array and index, as `scancel` takes them: `12_3`.
    pub task: String,
    /// How it stands.
    pub state: TaskState,
    /// What it says.
    pub log: PathBuf,
    /// The last lines of that, where it failed.
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
        let known = Known::ask(&submissions, cluster)?;
        let mut own: HashMap<&str, Vec<(&Submission, &SubmittedCell)>> = HashMap::new();
        for submission in &submissions {
            for cell in submission.submitted() {
                own.entry(&cell.settings)
                    .or_default()
                    .push((submission, cell));
            }
        }
        let standings = cells.iter().filter_map(|cell| {
            let key = plan.settings_key(*cell);
            let tasks = own.get(key.as_str())?;
            let mut each = tasks
                .iter()
                .map(|(submission, cell)| known.standing(submission, cell));
            // What is still in the queue counts, else what was last.
            let last = each.next()?;
            let standing = match last.state.is_queued() {
                true => last,
                false => each.find(|task| task.state.is_queued()).unwrap_or(last),
            };
            Some((*cell, standing))
        });
        Ok(standings.collect())
    }
}

/// What Slurm says of tasks.
pub(super) struct Known {
    tasks: HashMap<(String, usize), Task>,
}

impl Known {
    pub(super) fn ask(submissions: &[Submission], cluster: &Cluster) -> Result<Self> {
        let key = |task: Task| ((task.job.clone(), task.index), task);
        let mut tasks: HashMap<(String, usize), Task> =
            cluster.queue()?.into_iter().map(key).collect();
        let cells = submissions.iter().flat_map(|submission| &submission.cells);
        let gone = cells.filter(|cell| !tasks.contains_key(&(cell.job.clone(), cell.index)));
        let mut jobs: Vec<String> = gone.map(|cell| cell.job.clone()).collect();
        jobs.retain(|job| !job.is_empty());
        jobs.sort();
        jobs.dedup();
        for task in cluster.accounted(&jobs) {
            let (key, task) = key(task);
            tasks.entry(key).or_insert(task);
        }
        Ok(Self { tasks })
    }

    pub(super) fn standing(&self, submission: &Submission, cell: &SubmittedCell) -> Standing {
        let task = format!("{}_{}", cell.job, cell.index);
        let log = submission.folder.join("logs").join(format!("{task}.log"));
        let known = self.tasks.get(&(cell.job.clone(), cell.index));
        let mut standing = Standing {
            task,
            state: TaskState::Cancelled,
            log,
            last: Vec::new(),
        };
        // Of one that has not ended no file is read: there may be hundreds, on a file server.
        if let Some(state) = known.and_then(queued) {
            return Standing { state, ..standing };
        }
        let report = submission
            .folder
            .join("cells")
            .join(format!("{}.json", cell.number));
        let tail = tail(&standing.log);
        standing.state = ended(known, &report, tail.as_deref());
        if let TaskState::Failed { .. } = standing.state {
            standing.last = last_lines(tail.as_deref().unwrap_or_default());
        }
        standing
    }
}

/// How a task stands that Slurm still has; `None` for one that has ended.
fn queued(task: &Task) -> Option<TaskState> {
    match task.state.as_str() {
        "RUNNING" | "COMPLETING" | "SUSPENDED" | "STOPPED" | "SIGNALING" | "STAGE_OUT" => {
            Some(TaskState::Running {
                node: task.node.clone(),
                elapsed: task.elapsed.clone(),
            })
        }
        "PENDING" | "CONFIGURING" | "REQUEUED" | "REQUEUE_HOLD" | "REQUEUE_FED"
        | "SPECIAL_EXIT" | "RESIZING" => Some(TaskState::Waiting {
            reason: task.reason.clone(),
        }),
        _ => None,
    }
}

/// How a task ended: as Slurm says, else as its report and the end of its log do.
fn ended(known: Option<&Task>, report: &Path, log: Option<&str>) -> TaskState {
    let word = known.map_or("", |task| task.state.as_str());
    let (saved, run) = told(report);
    if let ("done", Some(run)) = (saved.as_str(), run) {
        return TaskState::Done(run);
    }
    let log_says = |words: &str| log.is_some_and(|log| log.contains(words));
    if word == "OUT_OF_MEMORY" || log_says("oom_kill") || log_says("Out Of Memory") {
        let why = message!("slurm-failed-memory").into();
        return TaskState::Failed { why };
    }
    if word == "TIMEOUT" || log_says("DUE TO TIME LIMIT") {
        return TaskState::Stopped {
            why: "its time was over",
        };
    }
    if word == "NODE_FAIL" || word == "BOOT_FAIL" || log_says("DUE TO NODE FAILURE") {
        return TaskState::Stopped {
            why: "its node failed",
        };
    }
    if word == "PREEMPTED" || log_says("DUE TO PREEMPTION") {
        return TaskState::Stopped {
            why: "others took its node",
        };
    }
    if word == "CANCELLED" || (word.is_empty() && log.is_none()) {
        return TaskState::Cancelled;
    }
    // The node writes "cancelled" for every signal.
    if saved == "stopped" {
        let why = match word {
            "" => "it was told to end: its time was nearly over, or it was cancelled",
            _ => "its time was nearly over",
        };
        return TaskState::Stopped { why };
    }
    if log_says("CANCELLED AT") {
        return TaskState::Cancelled;
    }
    let lines = last_lines(log.unwrap_or_default());
    let problem = lines
        .iter()
        .rev()
        .find_map(|line| line.strip_prefix("problem: "));
    let said = problem.or(lines.last().map(String::as_str));
    let why = said.map_or_else(|| message!("slurm-failed-silently").into(), Words::from);
    TaskState::Failed { why }
}

/// What a task's own report says: the state of its run, and its folder.
fn told(report: &Path) -> (String, Option<PathBuf>) {
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
    let (state, folder) = cell
        .map(|cell| (cell.state, cell.folder))
        .unwrap_or_default();
    (state, folder.filter(|folder| is_run(folder)))
}

/// The end of a log; none where there is no log.
fn tail(path: &Path) -> Option<String> {
    let length = files::length(path).ok()?;
    let bytes = files::read_from(path, length.saturating_sub(TAIL), TAIL).ok()?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

fn last_lines(text: &str) -> Vec<String> {
    let lines: Vec<&str> = text
        .lines()
        .filter(|line| !line.trim().is_empty())
        .collect();
    let from = lines.len().saturating_sub(LINES);
    lines[from..].iter().map(ToString::to_string).collect()
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn task(state: &str) -> Task {
        let empty = String::new;
        Task {
            job: "1".into(),
            index: 2,
            state: state.into(),
            node: "n1".into(),
            elapsed: "0:12".into(),
            reason: empty(),
        }
    }

    #[test]
    fn what_is_gone_is_told_from_what_it_left() {
        let folder = tempfile::tempdir().unwrap();
        let report = folder.path().join("2.json");
        let gone = |word: &str, log: Option<&str>| {
            let known = task(word);
            let known = (!word.is_empty()).then_some(&known);
            let queued = known.and_then(queued);
            queued.unwrap_or_else(|| ended(known, &report, log))
        };
        assert!(gone("RUNNING", None).is_queued() && gone("PENDING", None).is_queued());
        assert_eq!(gone("", None), TaskState::Cancelled);
        assert_eq!(gone("CANCELLED", Some("epoch 1")), TaskState::Cancelled);
        let late = Some(
            "slurmstepd: error: *** JOB 3 ON n2 CANCELLED AT 2026-11-25T02:25:51 DUE TO TIME LIMIT ***",
        );
        assert_eq!(
            gone("", late),
            TaskState::Stopped {
                why: "its time was over"
            }
        );
        let TaskState::Failed { why } = gone("OUT_OF_MEMORY", Some("")) else {
            panic!()
        };
        assert!(why.english.contains("more memory"));
        let said = "run 1 of 1 begins\nproblem: there is no data set\nwhere: x\n";
        let TaskState::Failed { why } = gone("FAILED", Some(said)) else {
            panic!()
        };
        assert_eq!(why, "there is no data set");
        std::fs::write(&report, r#"{"cells":[{"state":"stopped","folder":null}]}"#).unwrap();
        let signal =
            Some("slurmstepd: error: *** JOB 3 ON n2 CANCELLED AT 2026-11-25T02:25:51 ***");
        for word in ["FAILED", ""] {
            assert!(matches!(gone(word, signal), TaskState::Stopped { .. }));
        }
        assert_eq!(gone("CANCELLED", signal), TaskState::Cancelled);
        // A run that is no longer there is not done.
        std::fs::write(
            &report,
            r#"{"cells":[{"state":"done","folder":"/nowhere/at/all"}]}"#,
        )
        .unwrap();
        assert!(matches!(
            gone("COMPLETED", Some("")),
            TaskState::Failed { .. }
        ));
    }
}
