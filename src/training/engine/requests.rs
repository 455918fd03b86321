//! Requests for predictions and for views inside runs: a piece computes the answer of one snapshot, or processes one
//! image or a few images of a probe set.

use super::features::Progress;
use super::scheduler::{Priority, Request, Resources, Slot, Step};
use crate::experiment::predictor_cache::Key;
use crate::problem::{Problem, Result};
use crate::run::event::{Event, PredictRequest};
use crate::run::inside::{InsideContent, InsideRequest, InsideTarget, Insight, RunInside};

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
        tasks.map(|&task| Key::new(&self.run, task)).collect()
    }

    fn step(&mut self, resources: &mut Resources) -> Result<Step> {
        let Some(&task) = self.tasks.first() else {
            return Ok(Step::Done(None));
        };
        let key = Key::new(&self.run, task);
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

impl Request for InsideRequest {
    fn priority(&self) -> Priority {
        match self.look {
            InsideTarget::Picture(_) => Priority::InsideImage,
            InsideTarget::Run { .. } => Priority::InsideRun,
        }
    }

    fn slot(&self) -> Option<Slot> {
        Some((self.run.clone(), 0))
    }

    fn step(&mut self, resources: &mut Resources) -> Result<Step> {
        let Some(&task) = self.tasks.first() else {
            return Ok(Step::Done(None));
        };
        let key = Key::new(&self.run, task);
        let (mut probe, mut problem) = (None, None);
        if let InsideTarget::Run { anchor } = self.look {
            let anchor = Key::new(&self.run, anchor);
            let Resources {
                cache,
                predictors,
                features,
                engine,
            } = &mut *resources;
            match features.step(predictors, cache, engine, [&anchor, &key])? {
                Progress::Load(key) => return Ok(Step::Load(key)),
                Progress::Wait => return Ok(Step::Wait),
                Progress::Computed => return Ok(Step::Continue(None)),
                Progress::Found(found) => probe = Some(*found),
                Progress::NoProbeSet(reason) => problem = Some(reason),
            }
        }
        let predictor = resources.predictors.predictor(&key, &resources.cache)?;
        let Some(predictor) = predictor else {
            return Ok(Step::Load(key));
        };
        let seen = match &self.look {
            InsideTarget::Picture(image) => {
                InsideContent::Picture(Box::new(predictor.attention_maps(image)?))
            }
            InsideTarget::Run { .. } => InsideContent::Run(Box::new(RunInside {
                probe,
                problem,
                movement: predictor.movement()?,
            })),
        };
        let insight = Insight {
            ticket: self.ticket,
            run: self.run.clone(),
            task,
            seen,
        };
        let event = Event::Inside(Box::new(insight));
        Ok(Step::answer(&mut self.tasks, event))
    }

    fn fail(&self, problem: Problem) -> Event {
        let ticket = self.ticket;
        Event::NotInside { ticket, problem }
    }
}
