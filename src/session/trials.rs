//! Which method suits the data set that is set up: asked of the engine, as tensors belong to it, and what came of it.

use std::sync::Arc;

use super::Session;
use super::run_view::RunView;
use crate::run::config::RunConfig;
use crate::run::event::{Event, Phase};
use crate::run::job::{Job, JobId, JobWork};
use crate::run::tried::Trial;
use crate::tr;

/// How a trial of methods stands.
#[derive(Clone, Debug, Default)]
pub enum Trying {
    /// Nobody asked.
    #[default]
    Not,
    /// It waits, or is at work; the engine's job.
    Asked(JobId),
    /// It came to its end.
    Done(Arc<Trial>),
}

impl Session {
    /// Tries the methods on the settings' data set.
    pub fn try_methods(&mut self) {
        let draft = self.experiment.draft.clone();
        let title = tr!("experiment-try-job", data = draft.data_name());
        let job = Job::try_methods(draft, title);
        self.experiment.trying = Trying::Asked(job.id);
        self.queue(job);
    }

    /// Gives up a trial that waits or is at work.
    pub fn stop_trying(&mut self) {
        self.give_up(self.experiment.trying.clone());
    }

    /// Tries the open plugin for some twenty seconds beside Adapter.
    pub fn try_plugin(&mut self) {
        let Some(open) = self.editor.open.as_ref().filter(|open| open.is_sound()) else {
            return;
        };
        let config = RunConfig {
            device: self.experiment.draft.device.clone(),
            pet: open.name.as_deref().unwrap_or_default().to_lowercase(),
            ..RunConfig::default()
        };
        let title = tr!(
            "experiment-try-pet-job",
            pet = open.name.as_deref().unwrap_or_default()
        );
        let job = Job::try_pet(config, open.text.clone(), title);
        self.editor.trying = Trying::Asked(job.id);
        self.queue(job);
    }

    /// Gives up trying a plugin.
    pub fn stop_trying_plugin(&mut self) {
        self.give_up(self.editor.trying.clone());
    }

    fn give_up(&mut self, trying: Trying) {
        if let Trying::Asked(job) = trying {
            match self.running_job() == Some(job) {
                true => self.stop(false),
                false => self.take_out(job),
            }
        }
    }

    /// What a trial at work does now; none for one that waits.
    pub fn trial_at_work(&self, trying: &Trying) -> Option<String> {
        let Trying::Asked(job) = *trying else {
            return None;
        };
        let live: &RunView = self.train.running().filter(|run| run.job == Some(job))?;
        match &live.phase {
            Some(Phase::Preparing(what)) => Some(what.said()),
            Some(Phase::Paused) => Some(tr!("findings-paused").into()),
            _ => None,
        }
    }

    /// What came of trying methods on the data set of the settings.
    pub fn trial(&self) -> Option<&Arc<Trial>> {
        match &self.experiment.trying {
            Trying::Done(trial) if trial.data == self.experiment.draft.data => Some(trial),
            _ => None,
        }
    }

    /// Takes over the settings of a method that was tried, by its place among them.
    pub fn use_tried(&mut self, place: usize) {
        let tried = self.trial().and_then(|trial| trial.methods.get(place));
        if let Some(config) = tried.map(|tried| tried.config.clone()) {
            self.experiment.draft = config;
            self.experiment.preset = None;
            self.experiment.pet_is_due = false;
        }
    }

    /// Takes what the engine tells of a trial; it ends without a result where it was stopped or failed.
    pub(super) fn follow_trial(&mut self, job: JobId, event: &Event) {
        if let Event::Queued { job, .. } = event
            && let (JobWork::Try(_), Trying::Not) = (&job.work, &self.experiment.trying)
        {
            // A window before this one asked for it.
            self.experiment.trying = Trying::Asked(job.id);
        }
        for trying in [&mut self.experiment.trying, &mut self.editor.trying] {
            if !matches!(*trying, Trying::Asked(asked) if asked == job) {
                continue;
            }
            match event {
                Event::Tried(trial) => *trying = Trying::Done(Arc::new((**trial).clone())),
                Event::Stopped { .. } | Event::Failed { .. } | Event::Removed(_) => {
                    *trying = Trying::Not;
                }
                _ => {}
            }
        }
    }
}
