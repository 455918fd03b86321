//! A run of the tour, from the request to its end.

use std::path::PathBuf;

use crate::method::named_method;
use crate::metrics::{History, mean};
use crate::problem::Problem;
use crate::run::config::RunConfig;
use crate::run::job::JobId;
use crate::session::run_view::{RunView, Stage};

/// The state of a run of the tour.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum TourRunState {
    /// Not requested yet.
    #[default]
    Unasked,
    /// Requested; waits until no other run is in progress.
    Wanted,
    /// Waiting in the queue.
    InQueue,
    /// In progress.
    AtWork,
    /// Paused until the user continues.
    Paused,
    /// All tasks are learned.
    Finished,
    /// Ended early, with the reason if there was an error.
    Ended(Option<Problem>),
}

/// A run of the tour.
#[derive(Clone, Debug, Default)]
pub struct TourRun {
    /// Its settings.
    pub config: RunConfig,
    /// Its job, once it is queued.
    pub job: Option<JobId>,
    /// Its state.
    pub state: TourRunState,
    /// Its folder, once it has one.
    pub folder: Option<PathBuf>,
    /// The classes of each task.
    pub tasks: Vec<Vec<String>>,
    /// Accuracy of its predictions after each task.
    pub history: History,
    /// The current task, from 0.
    pub task_now: Option<usize>,
    /// The finished share, from 0 to 1.
    pub done: f64,
    /// Measured images per second in training.
    pub(super) speed: Option<f64>,
    /// Whether it was already in the queue.
    queued: bool,
}

impl TourRun {
    /// Returns a run that was not requested yet.
    pub(super) fn new(config: RunConfig) -> Self {
        Self {
            config,
            ..Self::default()
        }
    }

    /// Returns the number of tasks that are learned and tested.
    pub fn measured(&self) -> usize {
        self.history.matrix.len()
    }

    /// Returns whether the engine is working on it or will work on it.
    pub fn is_under_way(&self) -> bool {
        matches!(
            self.state,
            TourRunState::InQueue | TourRunState::AtWork | TourRunState::Paused
        )
    }

    /// Returns whether the user has not requested it yet.
    pub fn is_unasked(&self) -> bool {
        self.state == TourRunState::Unasked
    }

    /// Returns the accuracy on the first task after each task.
    pub fn first_task_accuracies(&self) -> impl Iterator<Item = f64> {
        self.history
            .matrix
            .iter()
            .filter_map(|row| row.first().copied())
    }

    /// Returns the title of its method.
    pub fn name(&self) -> &'static str {
        named_method(&self.config.method).map_or("", |spec| spec.title)
    }

    /// Returns the number of test images of the first task; 0 while unknown.
    pub fn first_task_images(&self) -> usize {
        self.history.images.first().copied().unwrap_or(0)
    }

    /// Records that it was queued as this job.
    pub(super) fn requested(&mut self, job: JobId) {
        (self.job, self.state) = (Some(job), TourRunState::InQueue);
    }

    /// Updates its state while it is not the current run: it is waiting in the queue or was removed from it.
    pub(super) fn wait(&mut self, in_queue: bool) {
        if self.state == TourRunState::InQueue && self.queued && !in_queue {
            self.state = TourRunState::Ended(None);
        }
        self.queued |= in_queue;
    }

    /// Updates its state from the current or last run, which is this run.
    pub(super) fn follow(&mut self, run: &RunView) {
        self.state = match run.stage {
            Stage::Running => TourRunState::AtWork,
            Stage::Paused => TourRunState::Paused,
            Stage::Finished => TourRunState::Finished,
            Stage::Stopped => TourRunState::Ended(None),
            Stage::Failed => TourRunState::Ended(run.problem.clone()),
        };
        (self.task_now, self.done) = (run.task_now(), run.done());
        if let (Some(header), true) = (&run.header, self.folder.is_none()) {
            self.folder = Some(header.folder.clone());
            let names = 0..header.tasks.len();
            self.tasks = names.map(|task| run.class_names(task).to_vec()).collect();
        }
        if run.reports.len() != self.measured() {
            self.history = run.answers().clone();
            let speeds = run.reports.iter().map(|report| report.images_per_second);
            self.speed = mean(&speeds.filter(|speed| *speed > 0.0).collect::<Vec<_>>());
        }
    }
}
