//! Requests for predictions and for views inside runs: a piece computes the answer of one snapshot, or processes one
//! image or a few images of a probe set.

use super::features::Progress;
use super::scheduler::{Priority, Request, Resources, Slot, Step};
use crate::experiment::predictor_cache::SnapshotKey;
use crate::problem::{Problem, Result};
use crate::run::event::{Event, PredictRequest};
use crate::run::inside::{
    Inspection, InspectionContent, InspectionRequest, InspectionTarget, RunInspection,
};

/// Snapshots of a request that are loaded ahead: the next one, and meanwhile the one after it.
const AHEAD: usize = 2;

impl Request for PredictRequest {
    fn priority(&self) -> Priority {
        Priority::Prediction
    }

    fn slot(&self) -> Option<Slot> {
        Some((self.run.clone(), self.about))
    }

    fn upcoming(&self) -> Vec<SnapshotKey> {
        let tasks = self.tasks.iter().take(AHEAD);
        tasks.map(|&task| SnapshotKey::new(&self.run, task)).collect()
    }

    fn step(&mut self, resources: &mut Resources) -> Result<Step> {
        let Some(&task) = self.tasks.first() else {
            return Ok(Step::Done(None));
        };
        let key = SnapshotKey::new(&self.run, task);
        if !resources.predictors.contains(&key) {
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

impl Request for InspectionRequest {
    fn priority(&self) -> Priority {
        match self.look {
            InspectionTarget::Picture(_) => Priority::InsideImage,
            InspectionTarget::Run { .. } => Priority::InsideRun,
        }
    }

    fn slot(&self) -> Option<Slot> {
        Some((self.run.clone(), 0))
    }

    fn step(&mut self, resources: &mut Resources) -> Result<Step> {
        let Some(&task) = self.tasks.first() else {
            return Ok(Step::Done(None));
        };
        let key = SnapshotKey::new(&self.run, task);
        let (mut probe, mut problem) = (None, None);
        if let InspectionTarget::Run { anchor } = self.look {
            let anchor = SnapshotKey::new(&self.run, anchor);
            let Resources { cache, predictors, features, engine } = &mut *resources;
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
        let content = match &self.look {
            InspectionTarget::Picture(image) => {
                InspectionContent::Picture(Box::new(predictor.attention_maps(image)?))
            }
            InspectionTarget::Run { .. } => InspectionContent::Run(Box::new(RunInspection {
                probe,
                problem,
                movement: predictor.movement()?,
            })),
        };
        let insight =
            Inspection { ticket: self.ticket, run: self.run.clone(), task, seen: content };
        let event = Event::Inside(Box::new(insight));
        Ok(Step::answer(&mut self.tasks, event))
    }

    fn fail(&self, problem: Problem) -> Event {
        let ticket = self.ticket;
        Event::NotInside { ticket, problem }
    }
}
