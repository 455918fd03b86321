//! What the engine is asked and what it reports: `Command` and `Event`.
//!
//! Both front ends read the same stream. All of it is plain serde data, so the engine could be a
//! process of its own without touching a page.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

pub use super::added_task::{AddedTask, Again};
pub use super::control::{Control, Wish};
pub use super::header::{MethodFacts, RunHeader, Scores};
pub use super::prediction::{Opinion, Picture, PredictRequest, Prediction};
pub use super::report::{AS_THEY_CAME, Costs, NEAREST_MEAN, TaskReport, by_pass, costs};

use super::checked::Report;
use super::doubt::{DoubtRequest, DoubtState};
use super::grid::{CellStanding, GridStanding};
use super::inside::{InsideRequest, Insight};
use super::job::{Job, JobId};
use super::searched::Searched;
use super::sheet::{SheetRequest, SheetState};
use super::tried::Trial;
use crate::problem::Problem;
use crate::texts::Words;

/// What the engine can be asked to do.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum Command {
    /// Train or continue a run; jobs wait in the queue.
    Queue(Box<Job>),
    /// Stop this job: at work, its run is saved and the next one begins; in the queue, it is taken out.
    Stop(JobId),
    /// Move a job that waits to another place in the queue, from 0.
    Move {
        /// Which.
        job: JobId,
        /// Where to.
        place: usize,
    },
    /// Hold every job that waits, or let them all go. Jobs asked for later are not held.
    Hold(bool),
    /// Let this job go that waits on hold.
    Release(JobId),
    /// Show one image to a run's experts after the given tasks. Served between two batches while
    /// another run trains. A newer request with the same `ticket` stream replaces older ones that
    /// have not begun.
    Predict(PredictRequest),
    /// Look inside a run after the given tasks, served like predictions. A newer request of the same
    /// kind about the same run replaces an older one.
    Inside(InsideRequest),
    /// Answer all images of a folder in a table, served after predictions and looks inside.
    Sheet(Box<SheetRequest>),
    /// Hold the training images of a run against one another, served likewise.
    Doubts(DoubtRequest),
    /// Make the table, or the look for doubtful labels, of this ticket no further.
    StopSheet(u64),
    /// Open data sets again when they are used next: their files may have changed.
    ForgetData,
    /// End the thread after the running job was stopped and saved; what waits is kept on disk.
    Shutdown,
}

/// What is being done right now.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Phase {
    /// Something that takes a moment before training: "opening the data set".
    Preparing(Words),
    /// Training; with the PET frozen only the new head moves.
    Training {
        /// From 0.
        task: usize,
        /// From 0.
        epoch: usize,
        /// Whether the PET is frozen in this epoch.
        frozen: bool,
    },
    /// Looking at training images without learning by gradients (prototypes, statistics).
    Measuring {
        /// From 0.
        task: usize,
    },
    /// Testing on all classes seen so far.
    Evaluating {
        /// From 0.
        task: usize,
    },
    /// Waiting for the user.
    Paused,
}

/// Where a run is; sent at most 20 times a second.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RunProgress {
    /// From 0.
    pub task: usize,
    /// Epoch within the task, from 0.
    pub epoch: usize,
    /// Batch within the epoch, from 0; while its end takes long, the step of that.
    pub batch: usize,
    /// Batches of this epoch, or steps of its end.
    pub batches: usize,
    /// Share of the whole run that is done, 0..=1.
    pub done: f64,
    /// Latest loss values since the last report, oldest first (local cross-entropy).
    pub losses: Vec<f32>,
    /// Training speed of late.
    pub images_per_second: f64,
    /// Estimate of the rest of the run.
    pub seconds_left: Option<f64>,
    /// Whether the PET is frozen.
    pub frozen: bool,
    /// What the method measures of itself at every pass, by name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub measured: BTreeMap<String, f64>,
}

/// Events of the engine. Milestones are never dropped; `Progress` is thinned at the source.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Event {
    /// A job waits at this place in the queue (from 0): it is new there, was moved, held or released.
    Queued {
        /// The job as it is now.
        job: Box<Job>,
        /// Its place.
        place: usize,
    },
    /// A job left the queue and is at work. One of `Finished`, `Stopped`, `Failed` ends it.
    Began(JobId),
    /// A job was taken out of the queue before it began.
    Removed(JobId),
    /// A run exists: data and backbone are open, the folder is made.
    Started(Box<RunHeader>),
    /// What is being done now.
    Phase {
        /// The run's name; empty before it has one.
        run: String,
        /// The phase.
        phase: Phase,
    },
    /// Where the run is.
    Progress {
        /// The run's name.
        run: String,
        /// Where it is.
        progress: RunProgress,
    },
    /// A task was learned and tested.
    TaskEvaluated {
        /// The run's name.
        run: String,
        /// What was measured.
        report: Box<TaskReport>,
    },
    /// A stopped or killed run resumes: what was measured before.
    TakenUp {
        /// The run's name.
        run: String,
        /// One report for each finished task.
        reports: Vec<TaskReport>,
    },
    /// Something was written.
    Saved {
        /// The run's name.
        run: String,
        /// "task 4" or the like.
        what: String,
        /// Size.
        bytes: u64,
    },
    /// What was assumed or left out while the run was prepared (sentences). A front end that shows
    /// the settings says so there.
    Assumed(Vec<Words>),
    /// Something to know that does not end the run (an unreadable image, a device fallback).
    Remark {
        /// The run's name; empty when it concerns no run.
        run: String,
        /// What.
        problem: Problem,
    },
    /// An image's answer for one snapshot.
    Predicted(Box<Prediction>),
    /// A request for a prediction could not be answered.
    NotPredicted {
        /// The request's ticket.
        ticket: u64,
        /// Why.
        problem: Problem,
    },
    /// What was seen inside a run after one task.
    Inside(Box<Insight>),
    /// A request to look inside could not be answered.
    NotInside {
        /// The request's ticket.
        ticket: u64,
        /// Why.
        problem: Problem,
    },
    /// The state of a table of a folder.
    Sheet {
        /// The request's ticket.
        ticket: u64,
        /// Its state.
        state: SheetState,
    },
    /// The state of a look for doubtful labels.
    Doubts {
        /// The request's ticket.
        ticket: u64,
        /// Its state.
        state: DoubtState,
    },
    /// The states of the runs of the grid at work, before the first of them.
    Grid(Box<GridStanding>),
    /// A run of the grid at work begins, or has ended.
    Cell {
        /// Its number.
        cell: usize,
        /// Its state now.
        standing: CellStanding,
        /// Seconds that the grid will still take.
        seconds_left: f64,
    },
    /// The result of trying methods.
    Tried(Box<Trial>),
    /// The result of a search among the rows of a grid.
    Searched(Box<Searched>),
    /// The result of checking a run.
    Checked(Box<Report>),
    /// The run reached its end.
    Finished {
        /// The run's name.
        run: String,
    },
    /// The run was stopped by the user and can be continued.
    Stopped {
        /// The run's name.
        run: String,
    },
    /// The job ended for a reason; what its run had saved stays and can be continued.
    Failed {
        /// The run's name; empty when the job failed before it had one.
        run: String,
        /// The reason.
        problem: Problem,
    },
}

/// Receives events; also the place where short jobs are served between two batches.
pub trait Sink {
    /// Takes one event.
    fn event(&mut self, event: Event);

    /// Called between two batches: a chance to serve short jobs.
    fn between_batches(&mut self) {}
}

/// Collects events; for tests and for callers that only want the end.
impl Sink for Vec<Event> {
    fn event(&mut self, event: Event) {
        self.push(event);
    }
}
