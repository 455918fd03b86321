//! A run of the tour, from the request to its end.

use std::path::PathBuf;
use std::sync::Arc;

use crate::method::find_method;
use crate::metrics::mean;
use crate::problem::Problem;
use crate::run::config::RunConfig;
use crate::run::job::JobId;
use crate::session::run_view::{RunView, Stage};

/// The state of a run of the tour.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum TourRunState {
    /// Not requested yet.
    #[default]
    NotRequested,
    /// Requested; waits until no other run is in progress.
    Requested,
    /// Waiting in the queue.
    Queued,
    /// In progress.
    Running,
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
    /// Its progress and results; empty before it is in progress.
    pub view: Arc<RunView>,
    /// Whether it was already in the queue.
    was_queued: bool,
}

impl TourRun {
    /// Returns a run that was not requested yet.
    pub(super) fn new(config: RunConfig) -> Self {
        Self { config, ..Self::default() }
    }

    /// Returns the number of tasks that are learned and tested.
    pub fn measured_tasks(&self) -> usize {
        self.view.answer_history().matrix.len()
    }

    /// Returns whether the engine is working on it or will work on it.
    pub fn is_active(&self) -> bool {
        matches!(self.state, TourRunState::Queued | TourRunState::Running | TourRunState::Paused)
    }

    /// Returns whether the user has not requested it yet.
    pub fn is_not_requested(&self) -> bool {
        self.state == TourRunState::NotRequested
    }

    /// Returns the accuracy on the first task after each task.
    pub fn first_task_accuracies(&self) -> impl Iterator<Item = f64> {
        let rows = self.view.answer_history().matrix.iter();
        rows.filter_map(|row| row.first().copied())
    }

    /// Returns the title of its method.
    pub fn name(&self) -> &'static str {
        find_method(&self.config.method).map_or("", |spec| spec.title)
    }

    /// Returns the number of test images of the first task; 0 while unknown.
    pub fn first_task_images(&self) -> usize {
        let images = &self.view.answer_history().images;
        images.first().copied().unwrap_or(0)
    }

    /// Returns the measured images per second in training; `None` before the first task is learned.
    pub(super) fn speed(&self) -> Option<f64> {
        let reports = self.view.reports.iter();
        let speeds = reports.map(|report| report.images_per_second);
        mean(&speeds.filter(|speed| *speed > 0.0).collect::<Vec<_>>())
    }

    /// Records that it was queued as this job.
    pub(super) fn set_queued(&mut self, job: JobId) {
        (self.job, self.state) = (Some(job), TourRunState::Queued);
    }

    /// Updates its state while it is not the current run: it is waiting in the queue or was removed from it.
    pub(super) fn update_waiting(&mut self, in_queue: bool) {
        if self.state == TourRunState::Queued && self.was_queued && !in_queue {
            self.state = TourRunState::Ended(None);
        }
        self.was_queued |= in_queue;
    }

    /// Updates its state from the current or last run, which is this run.
    pub(super) fn update_from(&mut self, run: &Arc<RunView>) {
        self.state = match run.stage {
            Stage::Running => TourRunState::Running,
            Stage::Paused => TourRunState::Paused,
            Stage::Finished => TourRunState::Finished,
            Stage::Stopped => TourRunState::Ended(None),
            Stage::Failed => TourRunState::Ended(run.problem.clone()),
        };
        if let Some(header) = &run.header {
            self.folder = Some(header.folder.clone());
        }
        self.view = run.clone();
    }
}
