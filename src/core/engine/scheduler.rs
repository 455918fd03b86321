//! Schedules what is computed between two batches of training: predictions, looks inside runs, tables of folders.
//!
//! A request enters [`Scheduler::add`] and waits in one list, sorted by [`Priority`] and then by age. A newer request in
//! the same [`Slot`] replaces an older one. Between two batches the engine's thread calls [`Scheduler::run_one`], which
//! computes one piece of the first request that can go on; a piece takes no longer than a batch. What can be done without
//! the device (reading weights, decoding images, writing a table) is done by a [`Helper`]: a thread that sends its results
//! to the engine's thread and wakes it. A request whose predictor is not loaded returns [`Step::Load`]; the scheduler then
//! loads it on a helper thread, one predictor at a time, while later requests are served. A failed or panicking piece ends
//! its own request with [`Request::fail`]. A dropped request stops its helper. Events are kept in order until the engine
//! sends them.

use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::JoinHandle;

use super::Message;
use super::inside::FeatureCache;
use crate::experiment::Stock;
use crate::experiment::shelf::{Key, PredictorShelf, Prepared};
use crate::fence::fenced;
use crate::message;
use crate::problem::{Problem, Result};
use crate::run::event::Event;

/// Loads a predictor; runs on a helper thread.
pub(super) type LoadPredictor = Arc<dyn Fn(&Path, usize, &Stock) -> Result<Prepared> + Send + Sync>;

/// The order in which requests are served.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Priority {
    Prediction,
    /// A look at one image, which takes less than one at a whole probe set.
    InsideImage,
    InsideRun,
    /// Only the oldest table is worked on.
    Table,
}

/// Requests about the same run, with the same number, replace each other.
pub(super) type Slot = (PathBuf, u64);

/// A request that is answered in pieces.
pub(super) trait Request: Send {
    fn priority(&self) -> Priority;

    /// Returns the slot in which only the newest request counts, `None` if every one is answered.
    fn slot(&self) -> Option<Slot>;

    /// Returns the snapshots that are loaded before a step asks for them.
    fn upcoming(&self) -> Vec<Key> {
        Vec::new()
    }

    /// Computes the next piece. An error ends the request.
    fn step(&mut self, resources: &mut Resources) -> Result<Step>;

    /// Stops the request if this is its ticket. Returns the last event of one that has no helper to end first.
    fn cancel(&mut self, _ticket: u64) -> Option<Event> {
        None
    }

    /// Returns the last event of a request that failed.
    fn fail(&self, problem: Problem) -> Event;
}

/// The outcome of one step of a request.
pub(super) enum Step {
    /// The predictor of this snapshot has to be loaded first.
    Load(Key),
    /// A helper thread is not ready.
    Wait,
    /// A piece was computed; there are more.
    Continue(Option<Event>),
    /// The request is answered.
    Done(Option<Event>),
}

impl Step {
    /// The answer for the first of these tasks, which is removed.
    pub fn answer(tasks: &mut Vec<usize>, event: Event) -> Self {
        tasks.remove(0);
        match tasks.is_empty() {
            true => Self::Done(Some(event)),
            false => Self::Continue(Some(event)),
        }
    }
}

/// What requests share.
pub(super) struct Resources {
    pub stock: Stock,
    pub predictors: PredictorShelf,
    pub features: FeatureCache,
    pub engine: Sender<Message>,
}

struct Pending {
    request: Box<dyn Request>,
    /// The predictor for which it waits.
    missing: Option<Key>,
}

/// The requests that are not answered yet.
pub(super) struct Scheduler {
    pending: Vec<Pending>,
    load: LoadPredictor,
    loader: Loader<Prepared>,
    /// Predictors that could not be loaded, until the request that needs one has failed.
    failed: Vec<(Key, Problem)>,
    pub resources: Resources,
    /// Events to be sent, the oldest first.
    pub events: VecDeque<Event>,
}

impl Scheduler {
    pub fn new(load: LoadPredictor, stock: Stock, engine: Sender<Message>) -> Self {
        Self {
            pending: Vec::new(),
            load,
            loader: Loader::default(),
            failed: Vec::new(),
            resources: Resources {
                stock,
                predictors: PredictorShelf::default(),
                features: FeatureCache::default(),
                engine,
            },
            events: VecDeque::new(),
        }
    }

    /// Adds a request in place of older ones in its slot.
    pub fn add(&mut self, request: impl Request + 'static) {
        let (priority, slot) = (request.priority(), request.slot());
        self.pending.retain(|Pending { request: old, .. }| {
            slot.is_none() || old.priority() != priority || old.slot() != slot
        });
        let before = |old: &Pending| old.request.priority() <= priority;
        let at = self.pending.partition_point(before);
        let request = Box::new(request);
        let missing = None;
        self.pending.insert(at, Pending { request, missing });
    }

    /// Stops the request with this ticket.
    pub fn cancel(&mut self, ticket: u64) {
        let events = &mut self.events;
        self.pending.retain_mut(|pending| {
            let ended = pending.request.cancel(ticket);
            let remains = ended.is_none();
            events.extend(ended);
            remains
        });
    }

    /// Drops every predictor: its device may be lost.
    pub fn drop_predictors(&mut self) {
        self.resources.predictors = PredictorShelf::default();
    }

    /// Computes one piece of the first request that can go on. Returns whether there was one.
    pub fn run_one(&mut self) -> bool {
        match self.loader.poll() {
            Some((key, Ok(prepared))) => self.resources.predictors.put(key, prepared),
            Some((key, Err(problem))) => self.failed.push((key, problem)),
            None => {}
        }
        let worked = self.step_first();
        self.load_next();
        worked
    }

    fn step_first(&mut self) -> bool {
        for at in 0..self.pending.len() {
            let Pending { request, missing } = &mut self.pending[at];
            let is_table = request.priority() == Priority::Table;
            let step = fenced(|| request.step(&mut self.resources));
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

    /// Starts loading the first predictor that is needed and not there.
    fn load_next(&mut self) {
        let each = self.pending.iter();
        let needed = each.flat_map(|p| p.missing.iter().cloned().chain(p.request.upcoming()));
        let needed: Vec<Key> = needed.collect();
        // Other snapshots may have been asked for since.
        self.failed.retain(|(key, _)| needed.contains(key));
        let is_failed = |key: &Key| self.failed.iter().any(|(failed, _)| failed == key);
        let is_missing = |key: &Key| !self.resources.predictors.has(key) && !is_failed(key);
        if let Some(key) = needed.into_iter().find(is_missing) {
            let (load, stock) = (self.load.clone(), self.resources.stock.clone());
            let load = move |key: &Key| load(&key.run, key.task, &stock);
            self.loader.start(key, load, &self.resources.engine);
        }
    }
}

/// Loads one value at a time on a helper thread, because disks and memory are shared.
pub(super) struct Loader<T>(Option<(Key, Helper<T>)>);

impl<T> Default for Loader<T> {
    fn default() -> Self {
        Self(None)
    }
}

impl<T: Send + 'static> Loader<T> {
    /// Starts to load the value of this key, unless another one is being loaded.
    pub fn start(
        &mut self,
        key: Key,
        load: impl FnOnce(&Key) -> Result<T> + Send + 'static,
        engine: &Sender<Message>,
    ) {
        if self.0.is_none() {
            let of = key.clone();
            let helper = Helper::spawn(engine, move |outbox| {
                outbox.send(load(&of)?);
                Ok(())
            });
            self.0 = Some((key, helper));
        }
    }

    /// Returns what was loaded, `None` if nothing is ready.
    pub fn poll(&mut self) -> Option<(Key, Result<T>)> {
        let value = self.0.as_ref()?.1.poll()?;
        self.0.take().map(|(key, _)| (key, value))
    }
}

/// A thread that prepares something beside the engine's thread.
pub(super) struct Helper<T> {
    results: Receiver<Result<T>>,
    thread: Option<JoinHandle<()>>,
}

impl<T: Send + 'static> Helper<T> {
    /// Starts the thread. An error or a panic of `work`, or of starting it, is its last result.
    pub fn spawn(
        engine: &Sender<Message>,
        work: impl FnOnce(&Outbox<T>) -> Result<()> + Send + 'static,
    ) -> Self {
        let (sender, results) = channel();
        let engine = engine.clone();
        let outbox = Outbox { sender, engine };
        let remaining = outbox.clone();
        let begun = std::thread::Builder::new()
            .name("lae-helper".into())
            .spawn(move || {
                if let Err(problem) = fenced(|| work(&outbox)) {
                    outbox.put(Err(problem));
                }
            });
        if let Err(error) = &begun {
            remaining.put(Err(Problem::new(message!(
                "problem-no-helper-thread-could-be-started",
                error = error.to_string()
            ))));
        }
        let thread = begun.ok();
        Self { results, thread }
    }

    /// Returns the next result, `None` if it is not ready.
    pub fn poll(&self) -> Option<Result<T>> {
        self.results.try_recv().ok()
    }

    /// Drops the results that nobody took, so that the thread does not wait for them. Returns the thread.
    pub fn close(self) -> Option<JoinHandle<()>> {
        self.thread
    }
}

/// Where a helper thread puts its results.
pub(super) struct Outbox<T> {
    sender: Sender<Result<T>>,
    engine: Sender<Message>,
}

impl<T> Clone for Outbox<T> {
    fn clone(&self) -> Self {
        let (sender, engine) = (self.sender.clone(), self.engine.clone());
        Self { sender, engine }
    }
}

impl<T> Outbox<T> {
    /// Sends a result to the engine's thread. Returns whether somebody waits for it.
    pub fn send(&self, value: T) -> bool {
        self.put(Ok(value))
    }

    fn put(&self, result: Result<T>) -> bool {
        // Without an engine nobody waits, either.
        self.sender.send(result).is_ok() && self.engine.send(Message::Wake).is_ok()
    }
}
