//! Requests for predictions, and the helper thread that makes ready what they need.
//!
//! Reading a run, checking its weights and testing a device take seconds to minutes; all of it is
//! done beside the engine's thread, which meanwhile trains and answers what is ready. For a graphics
//! card the engine's thread then hands over tensors that lie in memory, between two batches.

use std::collections::VecDeque;
use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::Sender;

use super::Message;
use crate::experiment::Stock;
use crate::experiment::shelf::{Key, PredictorShelf, Prepared};
use crate::fence::fenced;
use crate::message;
use crate::problem::{Problem, Result};
use crate::run::event::{Event, PredictRequest};

/// Snapshots of one request that are made ready ahead: the next, and the one after it meanwhile.
const AHEAD: usize = 2;

/// Makes a predictor ready; runs on a helper thread.
pub(super) type Prepare = Arc<dyn Fn(&Path, usize, &Stock) -> Result<Prepared> + Send + Sync>;

/// What a helper thread made ready.
pub(super) struct PreparedPredictor {
    key: Key,
    prepared: Result<Prepared>,
}

/// The usual way to make predictors ready.
pub(super) fn usual() -> Prepare {
    Arc::new(Prepared::ahead)
}

/// Who needs snapshots beside predictions.
#[derive(Clone, Copy)]
pub(super) enum Asker {
    /// Looks inside runs.
    Looks,
    /// Tables of folders.
    Sheets,
}

/// What was asked and not answered yet, and what is ready to answer with.
pub(super) struct Predictions {
    waiting: VecDeque<PredictRequest>,
    pub shelf: PredictorShelf,
    /// Snapshots that somebody else waits for, by who that is.
    needed: [Vec<Key>; 2],
    /// What the helper thread is at; one at a time, because disks and memory are shared.
    preparing: Option<Key>,
    /// What could not be made ready, until it is told.
    failed: Vec<(Key, Problem)>,
    prepare: Prepare,
    messages: Sender<Message>,
}

impl Predictions {
    pub fn new(prepare: Prepare, messages: Sender<Message>) -> Self {
        Self {
            waiting: VecDeque::new(),
            needed: Default::default(),
            shelf: PredictorShelf::default(),
            preparing: None,
            failed: Vec::new(),
            prepare,
            messages,
        }
    }

    /// Takes a request. A newer stroke makes unanswered older requests worthless.
    pub fn ask(&mut self, request: PredictRequest) {
        let newer = |old: &PredictRequest| old.run == request.run && old.about == request.about;
        self.waiting.retain(|old| !newer(old));
        if !request.tasks.is_empty() {
            self.waiting.push_back(request);
        }
    }

    /// Takes what the helper thread made ready.
    pub fn take(&mut self, ready: PreparedPredictor) {
        self.preparing = None;
        match ready.prepared {
            Ok(prepared) => self.shelf.put(ready.key, prepared),
            Err(problem) => self.failed.push((ready.key, problem)),
        }
    }

    /// Lets go of everything that was made ready: its device may be lost.
    pub fn let_go(&mut self) {
        self.shelf = PredictorShelf::default();
    }

    /// Answers one snapshot of the oldest request that is ready for it, and has the next one made
    /// ready. None while nothing can be answered.
    pub fn next(&mut self, stock: &Stock) -> Option<Event> {
        let event = self.refusal().or_else(|| self.answer(stock));
        self.prepare_next(stock);
        event
    }

    /// Has these snapshots made ready, too, after those of predictions.
    pub fn need(&mut self, asker: Asker, keys: Vec<Key>, stock: &Stock) {
        let needed = &mut self.needed[asker as usize];
        *needed = keys;
        if !needed.is_empty() {
            self.prepare_next(stock);
        }
    }

    /// Why this snapshot could not be made ready; told once.
    pub fn failure(&mut self, key: &Key) -> Option<Problem> {
        let at = self.failed.iter().position(|(failed, _)| failed == key)?;
        Some(self.failed.remove(at).1)
    }

    /// Tells a request whose next snapshot cannot be made ready.
    fn refusal(&mut self) -> Option<Event> {
        let (waiting, needed) = (&self.waiting, &self.needed);
        // Whoever asked may have asked something else since.
        self.failed.retain(|(key, _)| {
            let wants = |request: &PredictRequest| request.tasks.contains(&key.task);
            let mut asked = waiting.iter();
            let asked = asked.any(|request| request.run == key.run && wants(request));
            asked || needed.iter().any(|keys| keys.contains(key))
        });
        let next: Vec<Option<Key>> = self.waiting.iter().map(next_of).collect();
        let place = |key: &Key| next.iter().position(|next| next.as_ref() == Some(key));
        let mut refused = self.failed.iter().enumerate();
        let (at, index) = refused.find_map(|(at, (key, _))| Some((at, place(key)?)))?;
        let (_, problem) = self.failed.remove(at);
        let ticket = self.waiting.remove(index)?.ticket;
        Some(Event::NotPredicted { ticket, problem })
    }

    fn answer(&mut self, stock: &Stock) -> Option<Event> {
        let ready = |request: &PredictRequest| next_of(request).is_some_and(|k| self.shelf.has(&k));
        let index = self.waiting.iter().position(ready)?;
        let mut request = self.waiting.remove(index)?;
        let task = request.tasks.remove(0);
        let ticket = request.ticket;
        match fenced(|| self.shelf.predict(&request, task, stock)) {
            Ok(prediction) => {
                if !request.tasks.is_empty() {
                    self.waiting.insert(index, request);
                }
                Some(Event::Predicted(Box::new(prediction)))
            }
            Err(problem) => Some(Event::NotPredicted { ticket, problem }),
        }
    }

    /// Sets the helper thread to work on the first snapshot that is asked for and not ready.
    fn prepare_next(&mut self, stock: &Stock) {
        if self.preparing.is_some() {
            return;
        }
        let asked = self.waiting.iter().flat_map(|request| {
            let tasks = request.tasks.iter().take(AHEAD);
            tasks.map(|&task| Key::of(&request.run, task))
        });
        let told = |key: &Key| self.failed.iter().any(|(failed, _)| failed == key);
        let asked = asked.chain(self.needed.iter().flatten().cloned());
        let mut missing = asked.filter(|key| !self.shelf.has(key) && !told(key));
        let Some(key) = missing.next() else {
            return;
        };
        let (prepare, messages, stock) =
            (self.prepare.clone(), self.messages.clone(), stock.clone());
        let asked = key.clone();
        let begun = std::thread::Builder::new()
            .name("lae-prepare".into())
            .spawn(move || {
                let prepared = fenced(|| prepare(&asked.run, asked.task, &stock));
                let key = asked;
                // The engine may have ended; then nobody wants it.
                let _ = messages.send(Message::Ready(PreparedPredictor { key, prepared }));
            });
        self.preparing = Some(key.clone());
        match begun {
            Ok(_) => {}
            Err(error) => {
                let problem = Problem::new(message!(
                    "problem-no-helper-thread-could-be-started",
                    error = error.to_string()
                ));
                let prepared = Err(problem);
                let _ = self
                    .messages
                    .send(Message::Ready(PreparedPredictor { key, prepared }));
            }
        }
    }
}

/// The snapshot that a request wants next.
fn next_of(request: &PredictRequest) -> Option<Key> {
    let task = request.tasks.first()?;
    Some(Key::of(&request.run, *task))
}
