//! Trials of methods and backbones on the current dataset, and their results. The engine runs them because they need
//! tensors.

use std::sync::Arc;

use super::Session;
use super::run_view::RunView;
use crate::backbone::library::State;
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
    Not,
    /// Waiting or running, with the engine's job.
    Asked(JobId),
    /// Finished.
    Done(Arc<Trial>),
}

impl Session {
    /// Queues a trial of the methods on the current dataset. Returns the job.
    pub fn try_methods(&mut self) -> JobId {
        let draft = self.experiment.draft.clone();
        let title = tr!("experiment-trial-job", data = draft.data_name());
        let job = Job::new(JobWork::Try(Box::new(draft)), title);
        let id = job.id;
        self.experiment.trying = TrialState::Asked(id);
        self.queue(job);
        id
    }

    /// Queues a trial that compares the selected backbone with those on this computer, on the current dataset.
    pub fn try_backbones(&mut self) {
        let draft = self.experiment.draft.clone();
        let others = self.inventory.backbones.iter();
        let others = others.filter(|about| !matches!(about.state, State::Absent { .. }));
        let others = others.map(|about| about.entry.name.clone()).collect();
        let title = tr!("experiment-backbone-trial-job", data = draft.data_name());
        let job = Job::new(JobWork::TryBackbones(Box::new(draft), others), title);
        self.experiment.trying_backbones = TrialState::Asked(job.id);
        self.queue(job);
    }

    /// Queues a trial of about twenty seconds that compares the open plugin with Adapter.
    pub fn try_plugin(&mut self) {
        let Some(open) = self.editor.open.as_ref().filter(|open| open.is_sound()) else {
            return;
        };
        let name = open.name.as_deref().unwrap_or_default();
        let config = RunConfig {
            device: self.experiment.draft.device.clone(),
            pet: name.to_lowercase(),
            ..RunConfig::default()
        };
        let job = Job {
            own: JobAttachments {
                plugins: vec![open.text.clone()],
                ..JobAttachments::default()
            },
            ..Job::new(
                JobWork::TryPet(Box::new(config)),
                tr!("experiment-pet-trial-job", pet = name),
            )
        };
        self.editor.trying = TrialState::Asked(job.id);
        self.queue(job);
    }

    /// Stops a job, or removes it from the queue.
    pub fn give_up(&mut self, job: JobId) {
        match self.running_job() == Some(job) {
            true => self.stop(false),
            false => self.remove_job(job),
        }
    }

    /// Returns the current step of a running trial; `None` for a waiting trial.
    pub fn trial_at_work(&self, trying: &TrialState) -> Option<String> {
        let TrialState::Asked(job) = *trying else {
            return None;
        };
        let live: &RunView = self.train.running().filter(|run| run.job == Some(job))?;
        match &live.phase {
            Some(Phase::Preparing(what)) => Some(what.said()),
            Some(Phase::Paused) => Some(tr!("findings-paused").into()),
            _ => None,
        }
    }

    /// Returns the result of a trial on the current dataset.
    pub fn trial_result<'a>(&self, trying: &'a TrialState) -> Option<&'a Arc<Trial>> {
        match trying {
            TrialState::Done(trial) if trial.data == self.experiment.draft.data => Some(trial),
            _ => None,
        }
    }

    /// Applies the settings of a tried method or backbone.
    pub fn use_tried(&mut self, config: RunConfig) {
        self.experiment.draft = config;
        self.experiment.preset = None;
        self.experiment.pet_is_due = false;
    }

    /// Updates the trials from an event of the engine. A stopped or failed trial has no result.
    pub(super) fn follow_trial(&mut self, job: JobId, event: &Event) {
        let experiment = &mut self.experiment;
        if let Event::Queued { job, .. } = event {
            let trying = match job.work {
                JobWork::Try(_) => Some(&mut experiment.trying),
                JobWork::TryBackbones(..) => Some(&mut experiment.trying_backbones),
                _ => None,
            };
            if let Some(trying @ TrialState::Not) = trying {
                // An earlier window requested the trial.
                *trying = TrialState::Asked(job.id);
            }
        }
        for trying in [
            &mut experiment.trying,
            &mut experiment.trying_backbones,
            &mut self.editor.trying,
        ] {
            if !matches!(*trying, TrialState::Asked(asked) if asked == job) {
                continue;
            }
            match event {
                Event::Tried(trial) => *trying = TrialState::Done(Arc::new((**trial).clone())),
                Event::Stopped { .. } | Event::Failed { .. } | Event::Removed(_) => {
                    *trying = TrialState::Not;
                }
                _ => {}
            }
        }
    }
}
