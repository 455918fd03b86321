//! A run of the tour, from the wish to train it to its end.

use std::path::PathBuf;

use crate::metrics::{History, mean};
use crate::problem::Problem;
use crate::run::config::RunConfig;
use crate::run::job::JobId;
use crate::session::run_view::{RunView, Stage};

/// How a run of the tour stands.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum TourRunState {
    /// The person has not asked for it yet.
    #[default]
    Unasked,
    /// It is wanted and waits until nothing else trains.
    Wanted,
    /// It waits in the queue.
    InQueue,
    /// It is at work.
    AtWork,
    /// It is at work and waits for the person.
    Paused,
    /// All tasks are learned.
    Finished,
    /// It ended before its end, for a reason where there was one.
    Ended(Option<Problem>),
}

/// A run of the tour.
#[derive(Clone, Debug)]
pub struct OwnRun {
    /// Its settings.
    pub config: RunConfig,
    /// Its job, once it was asked for.
    pub job: Option<JobId>,
    /// How it stands.
    pub standing: TourRunState,
    /// Its folder, once it has one.
    pub folder: Option<PathBuf>,
    /// The classes of each task.
    pub tasks: Vec<Vec<String>>,
    /// What its answers achieved, task by task.
    pub history: History,
    /// The task being learned, from 0.
    pub task_now: Option<usize>,
    /// Share of it that is done.
    pub done: f64,
    /// Images per second while training, as measured.
    pub(super) speed: Option<f64>,
    /// Whether it was seen waiting in the queue.
    queued: bool,
}

impl OwnRun {
    /// A run that nobody asked for yet.
    pub(super) fn of(config: RunConfig) -> Self {
        Self {
            config,
            job: None,
            standing: TourRunState::default(),
            folder: None,
            tasks: Vec::new(),
            history: History::default(),
            task_now: None,
            done: 0.0,
            speed: None,
            queued: false,
        }
    }

    /// Tasks that are learned and tested.
    pub fn measured(&self) -> usize {
        self.history.matrix.len()
    }

    /// Whether the engine works on it or will.
    pub fn is_under_way(&self) -> bool {
        matches!(
            self.standing,
            TourRunState::InQueue | TourRunState::AtWork | TourRunState::Paused
        )
    }

    /// Whether it waits for the person to ask for it.
    pub fn is_unasked(&self) -> bool {
        self.standing == TourRunState::Unasked
    }

    /// Share of the first task's test images that are right, after each task.
    pub fn of_first_task(&self) -> impl Iterator<Item = f64> {
        self.history
            .matrix
            .iter()
            .filter_map(|row| row.first().copied())
    }

    /// It was asked for under this id.
    pub(super) fn asked_as(&mut self, job: JobId) {
        (self.job, self.standing) = (Some(job), TourRunState::InQueue);
    }

    /// Takes in how it stands while it is not the run at work: it waits in the queue, or it was taken
    /// out of there.
    pub(super) fn wait(&mut self, in_queue: bool) {
        if self.standing == TourRunState::InQueue && self.queued && !in_queue {
            self.standing = TourRunState::Ended(None);
        }
        self.queued |= in_queue;
    }

    /// Takes in how it stands as the run at work, or the one that ended last.
    pub(super) fn follow(&mut self, run: &RunView) {
        self.standing = match run.stage {
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
