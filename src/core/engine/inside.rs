//! Requests to look inside a run, answered in small pieces between two batches.
//!
//! A helper thread gathers the test pictures of a run; snapshots are made ready as for predictions.
//! The engine's thread then goes over a few pictures at a time. What it found about a snapshot is
//! kept, so that a map with other axes costs no second look.

use std::collections::VecDeque;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::Sender;

use super::predictions::{Asker, Predictions};
use super::{EngineState, Message};
use crate::data::transform::InputSpec;
use crate::experiment::Stock;
use crate::experiment::inside::{Axes, ProbeSet, Survey, probe_inside};
use crate::experiment::shelf::Key;
use crate::fence::fenced;
use crate::message;
use crate::metrics::ByExpert;
use crate::problem::{Problem, Result};
use crate::run::event::{Event, Picture};
use crate::run::inside::{InsideRequest, Insight, Look, RunInside, Seen};

/// Probe sets kept: pictures as a large network sees them take some 45 MB.
const PROBE_SETS: usize = 4;
/// Numbers of features kept at most, 128 MB of them.
const NUMBERS: usize = 32 << 20;

/// A probe set that a helper thread gathered, for the snapshot whose axes the map gets.
pub(super) struct Gathered {
    key: Key,
    probe: Result<ProbeSet>,
}

/// What came of one turn.
enum Turn {
    /// Nothing can be done now.
    Idle,
    /// A piece was done.
    Worked,
    /// Something is to be told.
    Told(Box<Event>),
}

/// How far a request got.
enum Step {
    /// It waits for this snapshot to be made ready.
    Needs(Key),
    /// It waits for its probe set.
    Waits,
    /// A piece was done.
    Worked,
    /// Its first task is answered.
    Seen(Seen),
}

/// What was asked and not answered yet, and what is known of the snapshots.
pub(super) struct Looks {
    waiting: VecDeque<InsideRequest>,
    probes: VecDeque<(Key, Result<Arc<ProbeSet>>)>,
    /// The probe set that the helper thread is at; one at a time.
    gathering: Option<Key>,
    /// The latest used last.
    surveys: VecDeque<(Key, Survey)>,
    /// Those of each expert's map.
    axes: VecDeque<(Key, Arc<ByExpert<Axes>>)>,
    messages: Sender<Message>,
}

impl Looks {
    pub fn new(messages: Sender<Message>) -> Self {
        Self {
            waiting: VecDeque::new(),
            probes: VecDeque::new(),
            gathering: None,
            surveys: VecDeque::new(),
            axes: VecDeque::new(),
            messages,
        }
    }

    /// Takes a request; a newer one of the same kind about the same run takes its place.
    pub fn ask(&mut self, request: InsideRequest) {
        let kind = |request: &InsideRequest| matches!(request.look, Look::Run { .. });
        let newer = |old: &InsideRequest| old.run == request.run && kind(old) == kind(&request);
        self.waiting.retain(|old| !newer(old));
        if !request.tasks.is_empty() {
            self.waiting.push_back(request);
        }
    }

    /// Takes a probe set. One that holds the same pictures as a known one is that one, so that what was
    /// found about it stays true.
    pub fn take(&mut self, gathered: Gathered) {
        self.gathering = None;
        let Gathered { key, probe } = gathered;
        let probe = probe.map(|probe| {
            let known = self
                .probes
                .iter()
                .filter_map(|(_, known)| known.as_ref().ok());
            let mut same = known.filter(|known| ***known == probe);
            same.next().cloned().unwrap_or_else(|| Arc::new(probe))
        });
        self.probes.retain(|(known, _)| *known != key);
        self.probes.push_back((key, probe));
        while self.probes.len() > PROBE_SETS {
            self.probes.pop_front();
        }
        let probes = &self.probes;
        let held = |probe: &Arc<ProbeSet>| {
            let mut known = probes.iter().filter_map(|(_, known)| known.as_ref().ok());
            known.any(|known| Arc::ptr_eq(known, probe))
        };
        self.surveys.retain(|(_, survey)| held(survey.probe()));
    }

    /// Test pictures may be others by now.
    pub fn forget_probe_sets(&mut self) {
        self.probes.clear();
        self.surveys.clear();
        self.axes.clear();
    }

    /// Does a piece of the first request that can go on.
    fn next(&mut self, predictions: &mut Predictions, stock: &Stock) -> Turn {
        let mut needed = Vec::new();
        let mut turn = Turn::Idle;
        // One picture is looked at sooner than three hundred.
        let quick = |at: &usize| matches!(self.waiting[*at].look, Look::Picture(_));
        let (mut order, rest): (Vec<usize>, Vec<usize>) = (0..self.waiting.len()).partition(quick);
        order.extend(rest);
        for at in order {
            let request = self.waiting[at].clone();
            let step = fenced(|| self.step(&request, predictions, stock));
            let seen = match step {
                Ok(Step::Needs(key)) => {
                    if let Some(problem) = predictions.failure(&key) {
                        Err(problem)
                    } else {
                        needed.push(key);
                        continue;
                    }
                }
                Ok(Step::Waits) => continue,
                Ok(Step::Worked) => {
                    turn = Turn::Worked;
                    break;
                }
                Ok(Step::Seen(seen)) => Ok(seen),
                Err(problem) => Err(problem),
            };
            turn = Turn::Told(Box::new(self.told(at, &request, seen)));
            break;
        }
        predictions.need(Asker::Looks, needed, stock);
        turn
    }

    /// An answer or refusal; the request goes on with its next task, or not at all.
    fn told(&mut self, at: usize, request: &InsideRequest, seen: Result<Seen>) -> Event {
        let ticket = request.ticket;
        let task = request.tasks.first().copied().unwrap_or_default();
        match seen {
            Ok(seen) => {
                if let Some(waiting) = self.waiting.get_mut(at) {
                    waiting.tasks.remove(0);
                }
                self.waiting.retain(|request| !request.tasks.is_empty());
                let run = request.run.clone();
                Event::Inside(Box::new(Insight {
                    ticket,
                    run,
                    task,
                    seen,
                }))
            }
            Err(problem) => {
                self.waiting.remove(at);
                Event::NotInside { ticket, problem }
            }
        }
    }

    fn step(
        &mut self,
        request: &InsideRequest,
        predictions: &mut Predictions,
        stock: &Stock,
    ) -> Result<Step> {
        let Some(&task) = request.tasks.first() else {
            return Ok(Step::Waits);
        };
        let key = Key::of(&request.run, task);
        match &request.look {
            Look::Picture(picture) => picture_step(key, picture, predictions, stock),
            Look::Run { anchor } => {
                let anchor = Key::of(&request.run, *anchor);
                self.run_step([anchor, key], predictions, stock)
            }
        }
    }

    fn run_step(
        &mut self,
        [anchor, key]: [Key; 2],
        predictions: &mut Predictions,
        stock: &Stock,
    ) -> Result<Step> {
        let known = self.probes.iter().find(|(known, _)| *known == anchor);
        let Some((_, probe)) = known.cloned() else {
            let Some(predictor) = predictions.shelf.predictor(&anchor, stock)? else {
                return Ok(Step::Needs(anchor));
            };
            let input = predictor.input();
            self.gather(anchor, input, stock);
            return Ok(Step::Waits);
        };
        let (mut found, mut refused) = (None, None);
        match probe {
            Ok(probe) => {
                for of in [&anchor, &key] {
                    if let Some(step) = self.survey(of, &probe, predictions, stock)? {
                        return Ok(step);
                    }
                }
                let axes = self.axes_of(&anchor)?;
                let mut surveys = self.surveys.iter();
                let survey = surveys.find(|(known, _)| *known == key);
                found = survey.map(|(_, survey)| probe_inside(survey, &axes, anchor.task));
            }
            Err(problem) => refused = Some(problem),
        }
        let Some(predictor) = predictions.shelf.predictor(&key, stock)? else {
            return Ok(Step::Needs(key));
        };
        Ok(Step::Seen(Seen::Run(Box::new(RunInside {
            probe: found,
            problem: refused,
            movement: predictor.movement()?,
        }))))
    }

    /// Goes on with the survey of a snapshot; none when it is whole.
    fn survey(
        &mut self,
        key: &Key,
        probe: &Arc<ProbeSet>,
        predictions: &mut Predictions,
        stock: &Stock,
    ) -> Result<Option<Step>> {
        let same =
            |(known, survey): &(Key, Survey)| known == key && Arc::ptr_eq(survey.probe(), probe);
        let at = self.surveys.iter().position(same);
        if at.is_some_and(|at| self.surveys[at].1.is_whole()) {
            return Ok(None);
        }
        let Some(predictor) = predictions.shelf.predictor(key, stock)? else {
            return Ok(Some(Step::Needs(key.clone())));
        };
        let begun = at.and_then(|at| self.surveys.remove(at));
        let mut survey = begun.map_or_else(|| Survey::new(probe.clone()), |(_, survey)| survey);
        survey.step(predictor)?;
        self.surveys.retain(|(known, _)| known != key);
        self.axes.retain(|(known, _)| known != key);
        self.surveys.push_back((key.clone(), survey));
        let size = |surveys: &VecDeque<(Key, Survey)>| {
            surveys
                .iter()
                .map(|(_, survey)| survey.size())
                .sum::<usize>()
        };
        while size(&self.surveys) > NUMBERS && self.surveys.len() > 2 {
            self.surveys.pop_front();
        }
        Ok(Some(Step::Worked))
    }

    fn axes_of(&mut self, anchor: &Key) -> Result<Arc<ByExpert<Axes>>> {
        if let Some((_, axes)) = self.axes.iter().find(|(known, _)| known == anchor) {
            return Ok(axes.clone());
        }
        let survey = self.surveys.iter().find(|(known, _)| known == anchor);
        let (_, survey) =
            survey.ok_or_else(|| Problem::new(message!("problem-map-has-no-axes-yet")))?;
        let axes = Arc::new(survey.axes()?);
        self.axes.push_back((anchor.clone(), axes.clone()));
        while self.axes.len() > 4 * PROBE_SETS {
            self.axes.pop_front();
        }
        Ok(axes)
    }

    /// Sets a helper thread to gather a probe set.
    fn gather(&mut self, key: Key, input: InputSpec, stock: &Stock) {
        if self.gathering.is_some() {
            return;
        }
        self.gathering = Some(key.clone());
        let (messages, stock, run): (_, _, PathBuf) =
            (self.messages.clone(), stock.clone(), key.run.clone());
        let asked = key.clone();
        let begun = std::thread::Builder::new()
            .name("lae-gather".into())
            .spawn(move || {
                let probe = fenced(|| ProbeSet::gather(&run, input, &stock));
                let key = asked;
                // The engine may have ended; then nobody wants it.
                let _ = messages.send(Message::Gathered(Gathered { key, probe }));
            });
        if let Err(error) = begun {
            let problem = Problem::new(message!(
                "problem-no-helper-thread-could-be-started",
                error = error.to_string()
            ));
            let probe = Err(problem);
            let _ = self
                .messages
                .send(Message::Gathered(Gathered { key, probe }));
        }
    }
}

impl EngineState {
    /// Does one short piece of what was asked beside training: a prediction, else a look inside, else
    /// a piece of a table. True when there was one.
    pub(super) fn serve_one(&mut self) -> bool {
        self.follow_device_errors();
        if self.predict_one() {
            return true;
        }
        match self.looks.next(&mut self.predictions, &self.stock) {
            Turn::Idle => self.serve_sheets(),
            Turn::Worked => true,
            Turn::Told(event) => {
                self.tell(None, *event);
                true
            }
        }
    }

    fn serve_sheets(&mut self) -> bool {
        if let Some(event) = self.sheets.news() {
            self.tell(None, event);
            return true;
        }
        self.sheets.work(&mut self.predictions, &self.stock)
    }
}

fn picture_step(
    key: Key,
    picture: &Picture,
    predictions: &mut Predictions,
    stock: &Stock,
) -> Result<Step> {
    let Some(predictor) = predictions.shelf.predictor(&key, stock)? else {
        return Ok(Step::Needs(key));
    };
    let seen = predictor.attention_maps(picture)?;
    Ok(Step::Seen(Seen::Picture(Box::new(seen))))
}
