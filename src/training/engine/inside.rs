//! Requests to look inside runs: a piece processes one image, or a few images of a probe set.

use super::features::Progress;
use super::scheduler::{Priority, Request, Resources, Slot, Step};
use crate::experiment::predictor_cache::Key;
use crate::problem::{Problem, Result};
use crate::run::event::Event;
use crate::run::inside::{InsideContent, InsideRequest, InsideTarget, Insight, RunInside};

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
        let key = Key::of(&self.run, task);
        let (mut probe, mut problem) = (None, None);
        if let InsideTarget::Run { anchor } = self.look {
            let anchor = Key::of(&self.run, anchor);
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
