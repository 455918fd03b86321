//! Looks inside runs: one piece answers one image, or goes over a few images of a probe set.
//!
//! A helper thread gathers the probe set. What was found about a snapshot is kept, so that a map with other axes needs no
//! second pass over the images.

use std::collections::VecDeque;
use std::sync::Arc;

use super::scheduler::{Loader, Priority, Request, Resources, Slot, Step};
use crate::experiment::inside::{Axes, ProbeSet, Survey, probe_inside};
use crate::experiment::shelf::Key;
use crate::message;
use crate::metrics::ByExpert;
use crate::problem::{Problem, Result};
use crate::run::event::Event;
use crate::run::inside::{InsideRequest, Insight, Look, ProbeInside, RunInside, Seen};

/// Probe sets kept: images as a large network sees them take some 45 MB.
const PROBE_SETS: usize = 4;
/// Numbers of features kept at most, 128 MB of them.
const NUMBERS: usize = 32 << 20;

impl Request for InsideRequest {
    fn priority(&self) -> Priority {
        match self.look {
            Look::Picture(_) => Priority::InsideImage,
            Look::Run { .. } => Priority::InsideRun,
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
        if let Look::Run { anchor } = self.look {
            let anchor = Key::of(&self.run, anchor);
            match FeatureCache::step(resources, [&anchor, &key])? {
                Progress::Step(step) => return Ok(step),
                Progress::Found(found) => probe = Some(*found),
                Progress::NoProbeSet(reason) => problem = Some(reason),
            }
        }
        let predictor = resources.predictors.predictor(&key, &resources.stock)?;
        let Some(predictor) = predictor else {
            return Ok(Step::Load(key));
        };
        let seen = match &self.look {
            Look::Picture(image) => Seen::Picture(Box::new(predictor.attention_maps(image)?)),
            Look::Run { .. } => Seen::Run(Box::new(RunInside {
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

/// How far the survey of a snapshot and of the one that gives the axes is.
enum Progress {
    /// Not whole.
    Step(Step),
    Found(Box<ProbeInside>),
    NoProbeSet(Problem),
}

/// A survey of a snapshot, and the axes that its features give.
struct Surveyed {
    key: Key,
    survey: Survey,
    axes: Option<ByExpert<Axes>>,
}

/// Probe sets of runs, and what is known of snapshots.
#[derive(Default)]
pub(super) struct FeatureCache {
    /// By the snapshot that gives the axes, the newest last.
    probes: VecDeque<(Key, Result<Arc<ProbeSet>>)>,
    loader: Loader<ProbeSet>,
    /// The latest computed last.
    surveys: VecDeque<Surveyed>,
}

impl FeatureCache {
    /// Drops everything: test images may have changed.
    pub fn clear(&mut self) {
        self.probes.clear();
        self.surveys.clear();
    }

    /// Goes on with the survey of the snapshot `anchor`, which gives the axes, and then of `key`.
    fn step(resources: &mut Resources, [anchor, key]: [&Key; 2]) -> Result<Progress> {
        resources.features.take_loaded();
        let features = &mut resources.features;
        let known = features.probes.iter().find(|(known, _)| known == anchor);
        let Some((_, probe)) = known.cloned() else {
            let predictor = resources.predictors.predictor(anchor, &resources.stock)?;
            let Some(predictor) = predictor else {
                return Ok(Progress::Step(Step::Load(anchor.clone())));
            };
            let (input, stock) = (predictor.input(), resources.stock.clone());
            let gather = move |key: &Key| ProbeSet::gather(&key.run, input, &stock);
            let engine = &resources.engine;
            features.loader.start(anchor.clone(), gather, engine);
            return Ok(Progress::Step(Step::Wait));
        };
        let probe = match probe {
            Ok(probe) => probe,
            Err(problem) => return Ok(Progress::NoProbeSet(problem)),
        };
        for key in [anchor, key] {
            if let Some(step) = Self::survey(resources, key, &probe)? {
                return Ok(Progress::Step(step));
            }
        }
        let found = resources.features.project(anchor, key)?;
        Ok(Progress::Found(Box::new(found)))
    }

    /// Takes a probe set that was gathered. One that holds the same images as a known one is that one, so that what was
    /// found about it stays true.
    fn take_loaded(&mut self) {
        let Some((key, probe)) = self.loader.poll() else {
            return;
        };
        let known = |probes: &VecDeque<(Key, Result<Arc<ProbeSet>>)>,
                     same: &dyn Fn(&Arc<_>) -> bool| {
            let mut known = probes.iter().filter_map(|(_, known)| known.as_ref().ok());
            known.find(|known| same(known)).cloned()
        };
        let probe = probe.map(|probe| {
            let same = known(&self.probes, &|known| **known == probe);
            same.unwrap_or_else(|| Arc::new(probe))
        });
        self.probes.retain(|(known, _)| *known != key);
        self.probes.push_back((key, probe));
        while self.probes.len() > PROBE_SETS {
            self.probes.pop_front();
        }
        let probes = &self.probes;
        self.surveys.retain(|kept| {
            let probe = kept.survey.probe();
            known(probes, &|known| Arc::ptr_eq(known, probe)).is_some()
        });
    }

    /// Goes on with the survey of a snapshot. Returns `None` when it is whole.
    fn survey(resources: &mut Resources, key: &Key, probe: &Arc<ProbeSet>) -> Result<Option<Step>> {
        let surveys = &mut resources.features.surveys;
        let at = surveys
            .iter()
            .position(|kept| kept.key == *key && Arc::ptr_eq(kept.survey.probe(), probe));
        if at.is_some_and(|at| surveys[at].survey.is_whole()) {
            return Ok(None);
        }
        let predictor = resources.predictors.predictor(key, &resources.stock)?;
        let Some(predictor) = predictor else {
            return Ok(Some(Step::Load(key.clone())));
        };
        let begun = at.and_then(|at| surveys.remove(at));
        let mut survey = begun.map_or_else(|| Survey::new(probe.clone()), |kept| kept.survey);
        survey.step(predictor)?;
        surveys.retain(|kept| kept.key != *key);
        surveys.push_back(Surveyed {
            key: key.clone(),
            survey,
            axes: None,
        });
        let size = |surveys: &VecDeque<Surveyed>| -> usize {
            surveys.iter().map(|kept| kept.survey.size()).sum()
        };
        while size(surveys) > NUMBERS && surveys.len() > 2 {
            surveys.pop_front();
        }
        Ok(Some(Step::Continue(None)))
    }

    /// Returns a whole survey on the axes of another one.
    fn project(&mut self, anchor: &Key, key: &Key) -> Result<ProbeInside> {
        let missing = || Problem::new(message!("problem-map-has-no-axes-yet"));
        let mut surveys = self.surveys.iter_mut();
        let given = surveys.find(|kept| kept.key == *anchor);
        let given = given.ok_or_else(missing)?;
        if given.axes.is_none() {
            given.axes = Some(given.survey.axes()?);
        }
        let find = |key: &Key| self.surveys.iter().find(|kept| kept.key == *key);
        let axes = find(anchor).and_then(|given| given.axes.as_ref());
        let (survey, axes) = find(key).zip(axes).ok_or_else(missing)?;
        Ok(probe_inside(&survey.survey, axes, anchor.task))
    }
}
