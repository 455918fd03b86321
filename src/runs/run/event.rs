//! Commands to the engine, requests to its running job, and its events: `Command`, `Control` and `Event`.
//!
//! Both front ends read the same stream. Everything is plain serde data, so the engine can also run in another process.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use serde::{Deserialize, Serialize};

pub use super::header::{
    ACCURACY_ON_ORIGINAL_LABELS, AddedTask, Costs, MethodFacts, NEAREST_MEAN, RepeatedClass,
    RunHeader, ScoreKind, TaskReport, total_costs, values_by_epoch,
};
pub use super::prediction::{ClassPrediction, NamedImage, PredictRequest, Prediction};

use super::check_result::CheckReport;
use super::grid::{CellState, GridState};
use super::inside::{Inspection, InspectionRequest};
use super::job::{Job, JobId};
use super::label_noise::{LabelCheckRequest, LabelCheckState};
use super::prediction_table::{PredictionTableJob, PredictionTableState};
use super::search_result::SearchResult;
use super::trial_result::Trial;
use crate::problem::Problem;
use crate::sync::lock;
use crate::texts::Words;

/// A command to the engine.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum Command {
    /// Train or continue a run; jobs wait in the queue.
    Queue(Box<Job>),
    /// Stop this job. If it is running, its run is saved and the next job starts; if it is queued, it is removed.
    Stop(JobId),
    /// Move a queued job to another position in the queue, from 0.
    Move {
        /// The job.
        job: JobId,
        /// Its new position.
        place: usize,
    },
    /// Put all queued jobs on hold, or release them. Jobs queued later are not on hold.
    Hold(bool),
    /// Release this job, which is on hold.
    Release(JobId),
    /// Predict one image with a run's experts after the given tasks. Served between two batches while another run
    /// trains. A newer request for the same run and subject (`about`) replaces an older one.
    Predict(PredictRequest),
    /// Look inside a run after the given tasks; served like predictions. A newer request of the same kind for the same
    /// run replaces an older one.
    Inside(InspectionRequest),
    /// Predict all images of a folder into a table; served after predictions and views inside runs.
    Sheet(Box<PredictionTableJob>),
    /// Find training images with doubtful labels; served in the same way.
    Doubts(LabelCheckRequest),
    /// Stop the table, or the search for doubtful labels, with this ticket.
    StopSheet(u64),
    /// Reopen datasets when they are used next, because their files may have changed.
    ForgetData,
    /// End the thread after the running job was stopped and saved; the queue is kept on disk.
    Shutdown,
}

/// What the engine is doing.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Phase {
    /// A step before training, such as "opening the dataset".
    Preparing(Words),
    /// Training; in a frozen epoch, only the new head is trained.
    Training {
        /// The task, from 0.
        task: usize,
        /// The epoch, from 0.
        epoch: usize,
        /// Whether the PET is frozen in this epoch.
        frozen: bool,
    },
    /// Processing training images without gradient steps (prototypes, statistics).
    Measuring {
        /// The task, from 0.
        task: usize,
    },
    /// Testing on all classes seen so far.
    Evaluating {
        /// The task, from 0.
        task: usize,
    },
    /// Waiting for the user.
    Paused,
}

/// The progress of a run; sent at most 20 times per second.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RunProgress {
    /// The task, from 0.
    pub task: usize,
    /// Epoch within the task, from 0.
    pub epoch: usize,
    /// Batch within the epoch, from 0. If the end of an epoch has steps of its own, the current step.
    pub batch: usize,
    /// Number of batches of this epoch, or of steps at its end.
    pub batches: usize,
    /// Finished share of the whole run, 0..=1.
    pub done: f64,
    /// Loss values since the last report, oldest first (local cross-entropy).
    pub losses: Vec<f32>,
    /// Current training speed.
    pub images_per_second: f64,
    /// Estimated time until the end of the run, in seconds.
    pub seconds_left: Option<f64>,
    /// Whether the PET is frozen in this epoch.
    pub frozen: bool,
    /// The measurements of the method in every epoch, by name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub measured: BTreeMap<String, f64>,
}

/// An event of the engine. Milestones are never dropped; `Progress` is limited at the source.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Event {
    /// A job is at this position in the queue (from 0): it is new there, or was moved, held or released.
    Queued {
        /// The job as it is now.
        job: Box<Job>,
        /// Its position.
        place: usize,
    },
    /// A job left the queue and started. `Finished`, `Stopped` or `Failed` ends it.
    Began(JobId),
    /// A job was removed from the queue before it started.
    Removed(JobId),
    /// A run exists: data and backbone are open, and its folder was created.
    Started(Box<RunHeader>),
    /// The engine is doing something else.
    Phase {
        /// The run's name; empty before it has one.
        run: String,
        /// The phase.
        phase: Phase,
    },
    /// The progress of the run.
    Progress {
        /// The run's name.
        run: String,
        /// The progress.
        progress: RunProgress,
    },
    /// A task was learned and tested.
    TaskEvaluated {
        /// The run's name.
        run: String,
        /// The measurements.
        report: Box<TaskReport>,
    },
    /// A stopped or killed run resumes: the earlier measurements.
    TakenUp {
        /// The run's name.
        run: String,
        /// One report for each finished task.
        reports: Vec<TaskReport>,
    },
    /// Something was saved.
    Saved {
        /// The run's name.
        run: String,
        /// What was saved, for example "task 4".
        what: String,
        /// Its size in bytes.
        bytes: u64,
    },
    /// Assumptions and omissions when the run was prepared (sentences). A front end that shows the settings shows them
    /// there.
    Assumed(Vec<Words>),
    /// A remark that does not end the run, such as an unreadable image or a device fallback.
    Remark {
        /// The run's name; empty if it does not concern a run.
        run: String,
        /// The remark.
        problem: Problem,
    },
    /// A prediction for an image after one task.
    Predicted(Box<Prediction>),
    /// A prediction failed.
    NotPredicted {
        /// The request's ticket.
        ticket: u64,
        /// The reason.
        problem: Problem,
    },
    /// A view inside a run after one task.
    Inside(Box<Inspection>),
    /// A request to look inside a run failed.
    NotInside {
        /// The request's ticket.
        ticket: u64,
        /// The reason.
        problem: Problem,
    },
    /// The state of a table of a folder.
    Sheet {
        /// The request's ticket.
        ticket: u64,
        /// Its state.
        state: PredictionTableState,
    },
    /// The state of a search for doubtful labels.
    Doubts {
        /// The request's ticket.
        ticket: u64,
        /// Its state.
        state: LabelCheckState,
    },
    /// The measured speed of the processor, in multiplications per second of a network's forward pass.
    Speed(f64),
    /// The states of the runs of the running grid, before the first of them starts.
    Grid(Box<GridState>),
    /// A run of the running grid started or ended.
    Cell {
        /// Its number.
        cell: usize,
        /// Its state now.
        standing: CellState,
        /// Estimated seconds until the end of the grid.
        seconds_left: f64,
    },
    /// The result of a method trial.
    Tried(Box<Trial>),
    /// The result of a search among the rows of a grid.
    Searched(Box<SearchResult>),
    /// The result of checking a run.
    Checked(Box<CheckReport>),
    /// The run finished.
    Finished {
        /// The run's name.
        run: String,
    },
    /// The run was stopped by the user and can be resumed.
    Stopped {
        /// The run's name.
        run: String,
    },
    /// The job failed; what its run has saved is kept and can be resumed.
    Failed {
        /// The run's name; empty when the job failed before it had one.
        run: String,
        /// The reason.
        problem: Problem,
    },
}

impl Event {
    /// Returns whether it ends a job that has begun.
    pub fn ends_job(&self) -> bool {
        matches!(self, Self::Finished { .. } | Self::Stopped { .. } | Self::Failed { .. })
    }
}

/// Receives events; also serves other requests between two batches.
pub trait Sink {
    /// Receives an event.
    fn event(&mut self, event: Event);

    /// Serves other requests; called between two batches.
    fn between_batches(&mut self) {}
}

/// Collects events; for tests, and for callers that need only the result.
impl Sink for Vec<Event> {
    fn event(&mut self, event: Event) {
        self.push(event);
    }
}

/// A request of the user to the running job.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum ControlRequest {
    /// Continue.
    #[default]
    Run,
    /// Wait between two batches.
    Pause,
    /// Save and end.
    Stop,
}

/// A switch shared by the front end and the running job. It knows which job is running, so that a request for one job
/// cannot affect the next.
#[derive(Clone, Debug, Default)]
pub struct Control(Arc<Mutex<Switch>>);

#[derive(Debug, Default)]
struct Switch {
    /// The running job, or the last one; `None` before the first job.
    job: Option<JobId>,
    request: ControlRequest,
    /// Whether the request is for this job only.
    only_this_job: bool,
}

impl Control {
    /// Requests that the running job continues, pauses or stops at the next batch.
    pub fn set(&self, request: ControlRequest) {
        let mut switch = self.switch();
        (switch.request, switch.only_this_job) = (request, false);
    }

    /// Makes a request for this job only; does nothing if another job is running.
    pub fn set_for(&self, job: JobId, request: ControlRequest) {
        let mut switch = self.switch();
        if switch.job == Some(job) {
            (switch.request, switch.only_this_job) = (request, true);
        }
    }

    /// Registers that a job starts. Requests to stop, and requests for the previous job only, are cleared; a pause for
    /// all jobs stays.
    pub fn begin(&self, job: JobId) {
        let mut switch = self.switch();
        switch.job = Some(job);
        if switch.request == ControlRequest::Stop || std::mem::take(&mut switch.only_this_job) {
            switch.request = ControlRequest::Run;
        }
    }

    /// Returns the current request.
    pub fn request(&self) -> ControlRequest {
        self.switch().request
    }

    /// Returns whether the user has not requested to stop the job.
    pub fn should_continue(&self) -> bool {
        self.request() != ControlRequest::Stop
    }

    fn switch(&self) -> MutexGuard<'_, Switch> {
        // A poisoned lock is used anyway, because a panic cannot leave these plain values inconsistent.
        lock(&self.0)
    }

    /// Serves short jobs, waits while the job is paused (reporting it once), and returns whether to continue; false
    /// means stop.
    pub fn wait_while_paused(&self, run: &str, sink: &mut dyn Sink, resumed: &Phase) -> bool {
        sink.between_batches();
        let mut pause_reported = false;
        loop {
            match self.request() {
                ControlRequest::Stop => return false,
                ControlRequest::Run => {
                    if pause_reported {
                        let (run, phase) = (run.to_string(), resumed.clone());
                        sink.event(Event::Phase { run, phase });
                    }
                    return true;
                }
                ControlRequest::Pause => {
                    if !pause_reported {
                        let (run, phase) = (run.to_string(), Phase::Paused);
                        sink.event(Event::Phase { run, phase });
                        pause_reported = true;
                    }
                    std::thread::sleep(Duration::from_millis(20));
                    sink.between_batches();
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stop_requests_affect_only_their_job_and_pauses_persist() {
        let control = Control::default();
        let (first, second) = (JobId::generate(), JobId::generate());
        control.begin(first);
        control.set_for(second, ControlRequest::Stop);
        assert_eq!(control.request(), ControlRequest::Run);
        control.set_for(first, ControlRequest::Stop);
        assert_eq!(control.request(), ControlRequest::Stop);
        control.begin(second);
        assert_eq!(control.request(), ControlRequest::Run);
        control.set(ControlRequest::Pause);
        control.begin(first);
        assert_eq!(control.request(), ControlRequest::Pause);
        control.set_for(first, ControlRequest::Pause);
        control.begin(second);
        assert_eq!(control.request(), ControlRequest::Run);
    }

    #[test]
    fn reports_start_and_end_of_pause() {
        let control = Control::default();
        control.set(ControlRequest::Pause);
        let other = control.clone();
        let resume = std::thread::spawn(move || {
            std::thread::sleep(Duration::from_millis(60));
            other.set(ControlRequest::Run);
        });
        let mut events = Vec::new();
        let phase = Phase::Evaluating { task: 1 };
        assert!(control.wait_while_paused("r", &mut events, &phase));
        assert!(resume.join().is_ok());
        let run = "r".to_string();
        let paused = Event::Phase { run: run.clone(), phase: Phase::Paused };
        assert_eq!(events, vec![paused, Event::Phase { run, phase }]);
        control.set(ControlRequest::Stop);
        assert!(!control.wait_while_paused("r", &mut events, &Phase::Paused));
    }
}
