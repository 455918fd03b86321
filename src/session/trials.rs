//! Trials of methods and backbones on the current dataset, and their results. The engine runs them because they need
//! tensors.

use std::sync::Arc;

use super::Session;
use super::run_view::RunView;
use crate::backbone::library::Availability;
use crate::run::config::RunConfig;
use crate::run::event::{Event, Phase};
use crate::run::job::{Job, JobAttachments, JobId, JobWork};
use crate::run::trial_result::Trial;
use crate::tr;

/// State of a trial.
#[derive(Clone, Debug, Default)]
pub enum TrialState {
    /// Not requested.
    #[default]
    Idle,
    /// Waiting or running, with the engine's job.
    Requested(JobId),
    /// Finished.
    Done(Arc<Trial>),
}

impl Session {
    /// Queues a trial of the methods on the current dataset. Returns the job.
    pub fn try_methods(&mut self) -> JobId {
        let draft = self.experiment.draft.clone();
        let title = tr!("experiment-trial-job", data = draft.dataset_name());
        let job = Job::new(JobWork::Try(Box::new(draft)), title);
        let id = job.id;
        self.experiment.trial = TrialState::Requested(id);
        self.queue(job);
        id
    }

    /// Queues a trial that compares the selected backbone with those on this computer, on the current dataset.
    pub fn try_backbones(&mut self) {
        let draft = self.experiment.draft.clone();
        let others = self.inventory.backbones.iter();
        let others = others.filter(|about| !matches!(about.state, Availability::Absent { .. }));
        let others = others.map(|about| about.entry.name.clone()).collect();
        let title = tr!("experiment-backbone-trial-job", data = draft.dataset_name());
        let job = Job::new(JobWork::TryBackbones(Box::new(draft), others), title);
        self.experiment.backbone_trial = TrialState::Requested(job.id);
        self.queue(job);
    }

    /// Queues a trial of about twenty seconds that compares the open plugin with Adapter.
    pub fn try_plugin(&mut self) {
        let Some(open) = self.editor.open.as_ref().filter(|open| open.is_valid()) else {
            return;
        };
        let name = open.name.as_deref().unwrap_or_default();
        let config = RunConfig {
            device: self.experiment.draft.device.clone(),
            pet: name.to_lowercase(),
            ..RunConfig::default()
        };
        let job = Job {
            own: JobAttachments { plugins: vec![open.text.clone()], ..JobAttachments::default() },
            ..Job::new(
                JobWork::TryPet(Box::new(config)),
                tr!("experiment-pet-trial-job", pet = name),
            )
        };
        self.editor.trial = TrialState::Requested(job.id);
        self.queue(job);
    }

    /// Stops a job, or removes it from the queue.
    pub fn cancel_job(&mut self, job: JobId) {
        match self.running_job() == Some(job) {
            true => self.stop(false),
            false => self.remove_job(job),
        }
    }

    /// Returns the current step of a running trial; `None` for a waiting trial.
    pub fn trial_step(&self, state: &TrialState) -> Option<String> {
        let TrialState::Requested(job) = *state else {
            return None;
        };
        let live: &RunView = self.train.running().filter(|run| run.job == Some(job))?;
        match &live.phase {
            Some(Phase::Preparing(step)) => Some(step.translated()),
            Some(Phase::Paused) => Some(tr!("findings-paused").into()),
            _ => None,
        }
    }

    /// Returns the result of a trial on the current dataset.
    pub fn trial_result<'a>(&self, state: &'a TrialState) -> Option<&'a Arc<Trial>> {
        match state {
            TrialState::Done(trial) if trial.data == self.experiment.draft.data => Some(trial),
            _ => None,
        }
    }

    /// Applies the settings of a tried method or backbone. The corrected labels are kept, because they may have changed
    /// since the trial.
    pub fn apply_tried_settings(&mut self, config: RunConfig) {
        let corrected = std::mem::take(&mut self.experiment.draft.corrected);
        self.experiment.draft = RunConfig { corrected, ..config };
        self.experiment.preset = None;
        self.experiment.pet_is_due = false;
    }

    /// Updates the trials from an event of the engine. A stopped or failed trial has no result.
    pub(super) fn update_trials(&mut self, job: JobId, event: &Event) {
        let experiment = &mut self.experiment;
        if let Event::Queued { job, .. } = event {
            let state = match job.work {
                JobWork::Try(_) => Some(&mut experiment.trial),
                JobWork::TryBackbones(..) => Some(&mut experiment.backbone_trial),
                _ => None,
            };
            if let Some(state @ TrialState::Idle) = state {
                // An earlier window requested the trial.
                *state = TrialState::Requested(job.id);
            }
        }
        for state in [&mut experiment.trial, &mut experiment.backbone_trial, &mut self.editor.trial]
        {
            if !matches!(*state, TrialState::Requested(requested) if requested == job) {
                continue;
            }
            match event {
                Event::Tried(trial) => *state = TrialState::Done(Arc::new((**trial).clone())),
                Event::Stopped { .. } | Event::Failed { .. } | Event::Removed(_) => {
                    *state = TrialState::Idle;
                }
                _ => {}
            }
        }
    }
}
