//! Predictions: a piece computes the answer of one snapshot.

use super::scheduler::{Priority, Request, Resources, Slot, Step};
use crate::experiment::predictor_cache::Key;
use crate::problem::{Problem, Result};
use crate::run::event::{Event, PredictRequest};

/// Snapshots of a request that are loaded ahead: the next one, and meanwhile the one after it.
const AHEAD: usize = 2;

impl Request for PredictRequest {
    fn priority(&self) -> Priority {
        Priority::Prediction
    }

    fn slot(&self) -> Option<Slot> {
        Some((self.run.clone(), self.about))
    }

    fn upcoming(&self) -> Vec<Key> {
        let tasks = self.tasks.iter().take(AHEAD);
        tasks.map(|&task| Key::of(&self.run, task)).collect()
    }

    fn step(&mut self, resources: &mut Resources) -> Result<Step> {
        let Some(&task) = self.tasks.first() else {
            return Ok(Step::Done(None));
        };
        let key = Key::of(&self.run, task);
        if !resources.predictors.has(&key) {
            return Ok(Step::Load(key));
        }
        let prediction = resources.predictors.predict(self, task, &resources.cache)?;
        let event = Event::Predicted(Box::new(prediction));
        Ok(Step::answer(&mut self.tasks, event))
    }

    fn fail(&self, problem: Problem) -> Event {
        let ticket = self.ticket;
        Event::NotPredicted { ticket, problem }
    }
}
