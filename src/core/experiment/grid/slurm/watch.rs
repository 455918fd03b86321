//! What becomes of grids that were submitted, for a window that shows it until all of their tasks have ended.

use std::path::{Path, PathBuf};

use super::Cluster;
use super::note::Submission;
use super::task_state::{Known, Standing, TaskState};
use crate::problem::Result;
use crate::run::places::Place;
use crate::texts::Words;

/// A grid that was submitted, and how many of its tasks stand how.
#[derive(Clone, Debug, PartialEq)]
pub struct OnCluster {
    /// The folder of the submission.
    pub folder: PathBuf,
    /// The grid's name.
    pub grid: String,
    /// The place that it was submitted to; empty for the cluster of this machine.
    pub place: String,
    /// Tasks that wait in the queue.
    pub waiting: usize,
    /// Tasks at work.
    pub running: usize,
    /// Tasks whose run is there.
    pub done: usize,
    /// Tasks that saved what they had and ended before their run did.
    pub stopped: usize,
    /// Tasks that somebody took out of the queue or ended.
    pub cancelled: usize,
    /// Why tasks failed.
    pub failed: Vec<FailedTasks>,
}

/// Tasks that failed for one reason.
#[derive(Clone, Debug, PartialEq)]
pub struct FailedTasks {
    /// The reason.
    pub why: Words,
    /// How many.
    pub tasks: usize,
    /// The last line of the first one's log.
    pub last: String,
    /// Where that lies.
    pub log: PathBuf,
}

impl OnCluster {
    /// Whether all of its tasks have ended.
    pub fn is_over(&self) -> bool {
        self.waiting + self.running == 0
    }

    /// Tasks that failed.
    pub fn failures(&self) -> usize {
        self.failed.iter().map(|failed| failed.tasks).sum()
    }

    /// All of its tasks.
    pub fn tasks(&self) -> usize {
        let ended = self.done + self.stopped + self.cancelled + self.failures();
        self.waiting + self.running + ended
    }

    fn of(submission: &Submission, known: &Known) -> Self {
        let mut all = Self {
            folder: submission.folder.clone(),
            grid: submission.grid.clone(),
            place: submission.place.clone(),
            waiting: 0,
            running: 0,
            done: 0,
            stopped: 0,
            cancelled: 0,
            failed: Vec::new(),
        };
        for cell in submission.submitted() {
            all.count(known.standing(submission, cell));
        }
        all
    }

    fn count(&mut self, task: Standing) {
        match task.state {
            TaskState::Waiting { .. } => self.waiting += 1,
            TaskState::Running { .. } => self.running += 1,
            TaskState::Done(_) => self.done += 1,
            TaskState::Stopped { .. } => self.stopped += 1,
            TaskState::Cancelled => self.cancelled += 1,
            TaskState::Failed { why } => match self.failed.iter_mut().find(|f| f.why == why) {
                Some(known) => known.tasks += 1,
                None => self.failed.push(FailedTasks {
                    why,
                    tasks: 1,
                    last: task.last.last().cloned().unwrap_or_default(),
                    log: task.log,
                }),
            },
        }
    }
}

/// How the grids stand that were submitted to a cluster and were not seen to end; one that has ended is told of once.
/// Runs lie in the cluster's folder, else in `root`.
///
/// # Errors
/// A Problem when there are some and Slurm does not answer, or it cannot be noted that one has ended.
pub fn watch(place: &Place, root: &Path) -> Result<Vec<OnCluster>> {
    let root = place.folder.as_deref().map_or(root, Path::new);
    let submissions = Submission::open(root, &place.name);
    if submissions.is_empty() {
        return Ok(Vec::new());
    }
    let known = Known::ask(&submissions, &Cluster::of(place))?;
    let mut all = Vec::new();
    for mut submission in submissions {
        let stands = OnCluster::of(&submission, &known);
        if stands.is_over() {
            submission.over = true;
            submission.keep()?;
        }
        all.push(stands);
    }
    Ok(all)
}

/// Takes the tasks of this submission out of the queue, and ends those that run, which save what they have.
///
/// # Errors
/// A Problem when Slurm does not answer.
pub fn cancel_submission(folder: &Path, place: &Place) -> Result<()> {
    let cluster = Cluster::of(place);
    let Some(submission) = Submission::in_folder(folder) else {
        return Ok(());
    };
    let known = Known::ask(std::slice::from_ref(&submission), &cluster)?;
    let tasks = submission
        .submitted()
        .map(|cell| known.standing(&submission, cell));
    let queued = tasks.filter(|task| task.state.is_queued());
    let tasks: Vec<String> = queued.map(|task| task.task).collect();
    cluster.cancel(&tasks)
}
