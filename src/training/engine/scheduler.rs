//! Schedules computations between two batches of training: predictions, views inside runs, tables of folders.
//!
//! [`Scheduler::add`] adds a request to a list sorted by [`Priority`] and then by age. A newer request in the same
//! [`Slot`] replaces an older one. Between two batches the engine calls [`Scheduler::run_next_step`], which computes
//! one piece of the first request that is not waiting. A piece takes no longer than a batch. Work that does not need
//! the device (reading weights, decoding images, writing a table) is done by a [`Helper`](super::helper::Helper), a
//! thread that sends its results to the engine's thread and wakes it. If the predictor of a request is not loaded, the
//! request returns [`Step::Load`]; the scheduler loads it on a helper thread, one predictor at a time, and serves later
//! requests meanwhile. If a piece fails or panics, only its own request ends, with [`Request::fail`]. Dropping a
//! request stops its helper. Events are kept in order until the engine sends them.

use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::Sender;

use super::Message;
use super::features::FeatureCache;
use super::helper::Loader;
use crate::experiment::ResourceCache;
use crate::experiment::predictor_cache::{PredictorCache, PreparedPredictor, SnapshotKey};
use crate::panics::catch_panic_as_problem;
use crate::problem::{Problem, Result};
use crate::run::event::Event;

/// Loads a predictor; runs on a helper thread.
pub(super) type LoadPredictor =
    Arc<dyn Fn(&Path, usize, &ResourceCache) -> Result<PreparedPredictor> + Send + Sync>;

/// The order in which requests are served.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Priority {
    Prediction,
    /// Look inside for one image, which takes less time than for a whole probe set.
    InsideImage,
    InsideRun,
    /// Only the oldest request for a table is served.
    Table,
}

/// Run and number; a newer request in the same slot replaces an older one.
pub(super) type Slot = (PathBuf, u64);

/// A request that is served in pieces.
pub(super) trait Request: Send {
    fn priority(&self) -> Priority;

    /// Returns the slot, in which only the newest request is served; `None` if every request is served.
    fn slot(&self) -> Option<Slot>;

    /// Returns the snapshots to load before a step needs them.
    fn upcoming(&self) -> Vec<SnapshotKey> {
        Vec::new()
    }

    /// Computes the next piece. An error ends the request.
    fn step(&mut self, resources: &mut Resources) -> Result<Step>;

    /// Stops the request if it has this ticket. Returns its last event, unless a helper has to end first.
    fn cancel(&mut self, _ticket: u64) -> Option<Event> {
        None
    }

    /// Returns the event for a failed request.
    fn fail(&self, problem: Problem) -> Event;
}

/// The outcome of one step of a request.
pub(super) enum Step {
    /// The predictor of this snapshot has to be loaded first.
    Load(SnapshotKey),
    /// A helper thread is not ready yet.
    Wait,
    /// A piece was computed; there are more.
    Continue(Option<Event>),
    /// The request is complete.
    Done(Option<Event>),
}

impl Step {
    /// Removes the first of these tasks, and returns the step that reports its answer.
    pub fn answer(tasks: &mut Vec<usize>, event: Event) -> Self {
        tasks.remove(0);
        match tasks.is_empty() {
            true => Self::Done(Some(event)),
            false => Self::Continue(Some(event)),
        }
    }
}

/// State shared by all requests.
pub(super) struct Resources {
    pub cache: ResourceCache,
    pub predictors: PredictorCache,
    pub features: FeatureCache,
    pub engine: Sender<Message>,
}

struct PendingRequest {
    request: Box<dyn Request>,
    /// The predictor that the request waits for.
    missing: Option<SnapshotKey>,
}

/// The requests that are not complete yet.
pub(super) struct Scheduler {
    pending: Vec<PendingRequest>,
    load: LoadPredictor,
    loader: Loader<PreparedPredictor>,
    /// Predictors that failed to load, until the requests that need them have failed.
    failed: Vec<(SnapshotKey, Problem)>,
    pub resources: Resources,
    /// Events to send, oldest first.
    pub events: VecDeque<Event>,
}

impl Scheduler {
    pub fn new(load: LoadPredictor, cache: ResourceCache, engine: Sender<Message>) -> Self {
        Self {
            pending: Vec::new(),
            load,
            loader: Loader::default(),
            failed: Vec::new(),
            resources: Resources {
                cache,
                predictors: PredictorCache::default(),
                features: FeatureCache::default(),
                engine,
            },
            events: VecDeque::new(),
        }
    }

    /// Adds a request and removes older ones in its slot.
    pub fn add(&mut self, request: impl Request + 'static) {
        let (priority, slot) = (request.priority(), request.slot());
        self.pending.retain(|PendingRequest { request: old, .. }| {
            slot.is_none() || old.priority() != priority || old.slot() != slot
        });
        let before = |old: &PendingRequest| old.request.priority() <= priority;
        let at = self.pending.partition_point(before);
        let request = Box::new(request);
        let missing = None;
        self.pending.insert(at, PendingRequest { request, missing });
    }

    /// Stops the request with this ticket.
    pub fn cancel(&mut self, ticket: u64) {
        let events = &mut self.events;
        self.pending.retain_mut(|pending| {
            let last_event = pending.request.cancel(ticket);
            let remains = last_event.is_none();
            events.extend(last_event);
            remains
        });
    }

    /// Computes one piece of the first request that is not waiting. Returns whether there was one.
    pub fn run_next_step(&mut self) -> bool {
        match self.loader.poll() {
            Some((key, Ok(prepared))) => self.resources.predictors.insert(key, prepared),
            Some((key, Err(problem))) => self.failed.push((key, problem)),
            None => {}
        }
        let worked = self.step_first();
        self.load_next();
        worked
    }

    fn step_first(&mut self) -> bool {
        for at in 0..self.pending.len() {
            let PendingRequest { request, missing } = &mut self.pending[at];
            let is_table = request.priority() == Priority::Table;
            let step = catch_panic_as_problem(|| request.step(&mut self.resources));
            *missing = None;
            let (is_done, event) = match step {
                Ok(Step::Load(key)) => {
                    match self.failed.iter().position(|(failed, _)| *failed == key) {
                        Some(at) => (true, Some(request.fail(self.failed.remove(at).1))),
                        None => {
                            *missing = Some(key);
                            (false, None)
                        }
                    }
                }
                Ok(Step::Wait) => (false, None),
                Ok(Step::Continue(event)) => {
                    self.events.extend(event);
                    return true;
                }
                Ok(Step::Done(event)) => (true, event),
                Err(problem) => (true, Some(request.fail(problem))),
            };
            if is_done {
                self.events.extend(event);
                self.pending.remove(at);
                return true;
            }
            if is_table {
                break;
            }
        }
        false
    }

    /// Starts loading the first predictor that is missing.
    fn load_next(&mut self) {
        let pending = self.pending.iter();
        let needed = pending.flat_map(|p| p.missing.iter().cloned().chain(p.request.upcoming()));
        let needed: Vec<SnapshotKey> = needed.collect();
        // The requests may need other snapshots by now.
        self.failed.retain(|(key, _)| needed.contains(key));
        let is_failed = |key: &SnapshotKey| self.failed.iter().any(|(failed, _)| failed == key);
        let is_missing =
            |key: &SnapshotKey| !self.resources.predictors.contains(key) && !is_failed(key);
        if let Some(key) = needed.into_iter().find(is_missing) {
            let (load, cache) = (self.load.clone(), self.resources.cache.clone());
            let load = move |key: &SnapshotKey| load(&key.run, key.task, &cache);
            self.loader.start(key, load, &self.resources.engine);
        }
    }
}
