//! Classifying a user's own images: images with known classes, a model trained on them, and new images. The methods are
//! compared, then the best method is trained on all images.

use std::path::{Path, PathBuf};

use super::Session;
use super::class_schedule::is_user_dataset;
use super::run_row::{RunRow, RunState};
use super::views::DataView;
use crate::problem::Problem;
use crate::run::config::RunConfig;
use crate::run::event::Event;
use crate::run::job::JobId;
use crate::run::trial_result::Trial;

/// The state of making a model.
#[derive(Debug, Default)]
pub struct ModelState {
    /// The current step of making a model.
    pub step: ModelStep,
    /// Why no model was made.
    pub problem: Option<Problem>,
    /// The model that the user selected instead of the newest one.
    chosen: Option<PathBuf>,
}

/// A step of making a model.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ModelStep {
    /// No model is being made.
    #[default]
    Idle,
    /// This job compares the methods.
    Comparing(JobId),
    /// The settings of the best method are being planned.
    Planning,
    /// This job trains the model.
    Training(JobId),
}

impl Session {
    /// Returns the open dataset if it is a user's own.
    pub fn user_dataset(&self) -> Option<&DataView> {
        let view = self.experiment.data.ready()?;
        is_user_dataset(&view.location).then_some(&**view)
    }

    /// Returns the runs that can be the model, the newest first. An unfinished run does not know all classes.
    pub fn models(&self) -> impl Iterator<Item = &RunRow> {
        self.rows().filter(|row| row.is_measured() && row.state == RunState::Finished)
    }

    /// Returns the model for new images: the selected run, otherwise the newest finished run of the current dataset.
    pub fn model(&self) -> Option<&RunRow> {
        let chosen = self.classify.chosen.as_deref();
        let chosen = chosen.and_then(|folder| self.row(folder));
        let dataset = &self.experiment.draft.data;
        let mut models = self.models().filter(|_| is_user_dataset(dataset));
        chosen.or_else(|| {
            models.find(|row| {
                let header = row.header.as_ref();
                header.is_some_and(|header| header.config.data == *dataset)
            })
        })
    }

    /// Selects the model for new images; `None` selects the newest run of the current dataset.
    pub fn choose_model(&mut self, folder: Option<PathBuf>) {
        self.classify.chosen = folder;
    }

    /// Compares the methods on the current dataset, with all classes at once, and trains the best one.
    pub fn make_model(&mut self) {
        if self.all_at_once_answer() == Some(false) {
            self.set_all_at_once(true);
        }
        self.classify.problem = None;
        let job = self.try_methods();
        self.classify.step = ModelStep::Comparing(job);
    }

    /// Stops making a model.
    pub fn stop_model(&mut self) {
        match std::mem::take(&mut self.classify.step) {
            ModelStep::Comparing(job) | ModelStep::Training(job) => self.cancel_job(job),
            ModelStep::Idle | ModelStep::Planning => {}
        }
    }

    /// Updates the current step from events of the job that makes the model.
    pub(super) fn follow_model(&mut self, job: JobId, event: &Event) {
        let (ModelStep::Comparing(model_job) | ModelStep::Training(model_job)) = self.classify.step
        else {
            return;
        };
        if model_job != job {
            return;
        }
        self.classify.step = match event {
            Event::Tried(_) => {
                let trial = self.trial_result(&self.experiment.trial);
                let best = trial.and_then(|trial| choose_config(trial).cloned());
                match best {
                    Some(config) => {
                        self.apply_tried_settings(config);
                        ModelStep::Planning
                    }
                    None => ModelStep::Idle,
                }
            }
            Event::Failed { problem, .. } => {
                self.classify.problem = Some(problem.clone());
                ModelStep::Idle
            }
            Event::Finished { .. } => {
                self.classify.chosen = None;
                ModelStep::Idle
            }
            Event::Stopped { .. } | Event::Removed(_) => ModelStep::Idle,
            _ => return,
        };
    }

    /// Trains the best method once its settings are planned.
    pub(super) fn train_planned_model(&mut self) {
        if self.classify.step != ModelStep::Planning || !self.is_draft_planned() {
            return;
        }
        self.classify.step = ModelStep::Idle;
        if !self.can_start_draft() {
            let problems = &self.experiment.plan.problems;
            self.classify.problem = problems.first().cloned();
            return;
        }
        let config = self.experiment.draft.clone();
        let name = Path::new(&config.data).file_stem().unwrap_or_default();
        let name = name.to_string_lossy().into_owned();
        self.classify.step = ModelStep::Training(self.train_named(config, name));
    }
}

/// Returns the settings to train after a trial: usually the settings of the best method. If the trial was reduced and
/// the first method is not significantly worse, returns the settings of the first method, because methods that train in
/// steps gain most from all images.
fn choose_config(trial: &Trial) -> Option<&RunConfig> {
    let is_reduced = !trial.bounds.is_empty();
    let index = match trial.best()? {
        _ if is_reduced && trial.tied_with_best().contains(&0) => 0,
        best => best,
    };
    Some(&trial.methods[index].config)
}
