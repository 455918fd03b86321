//! Tables of whole folders, and looks for doubtful labels, answered a piece at a time between two batches, after
//! everything else.
//!
//! A helper thread reads the pictures and makes something of the answers: it writes the table, or holds the labels
//! against the features. The engine's thread answers the piece that lies ready. One at a time; the next ones wait.

use std::collections::VecDeque;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Sender, sync_channel};
use std::thread::JoinHandle;

use super::predictions::{Asker, Predictions};
use super::{Message, PATIENCE, wait_for};
use crate::data::transform::InputSpec;
use crate::experiment::Stock;
use crate::experiment::doubt;
use crate::experiment::predict::Predictor;
use crate::experiment::sheet::{self as tables, Columns, fill};
use crate::experiment::shelf::Key;
use crate::fence::fenced;
use crate::message;
use crate::problem::{Problem, Result};
use crate::run::doubt::{DoubtRequest, DoubtState};
use crate::run::event::Event;
use crate::run::sheet::{SheetCount, SheetRequest, SheetState};

/// What was asked for.
#[derive(Clone)]
pub(super) enum SheetJob {
    /// A table of a folder.
    Sheet(SheetRequest),
    /// Training pictures that look like another class.
    Doubts(DoubtRequest),
}

impl SheetJob {
    fn ticket(&self) -> u64 {
        match self {
            Self::Sheet(request) => request.ticket,
            Self::Doubts(request) => request.ticket,
        }
    }

    fn key(&self) -> Key {
        match self {
            Self::Sheet(request) => Key::of(&request.run, request.task),
            Self::Doubts(request) => Key::of(&request.run, request.task),
        }
    }

    /// What its helper thread does, with what that must know of the snapshot.
    fn work(&self, predictor: &Predictor, stock: &Stock) -> HelperTask {
        match self.clone() {
            Self::Sheet(request) => {
                let columns = Columns::of(predictor, request.threshold);
                Box::new(move |helper| helper.sheet(&request, &columns))
            }
            Self::Doubts(request) => {
                let (input, stock) = (predictor.input(), stock.clone());
                Box::new(move |helper| helper.doubts(&request, input, &stock))
            }
        }
    }

    fn stopped(&self) -> Event {
        let ticket = self.ticket();
        match self {
            Self::Sheet(_) => sheet(ticket, SheetState::Stopped),
            Self::Doubts(_) => doubts(ticket, DoubtState::Stopped),
        }
    }

    fn failed(&self, problem: Problem) -> Event {
        let ticket = self.ticket();
        match self {
            Self::Sheet(_) => sheet(ticket, SheetState::Failed(problem)),
            Self::Doubts(_) => doubts(ticket, DoubtState::Failed(problem)),
        }
    }
}

fn sheet(ticket: u64, state: SheetState) -> Event {
    Event::Sheet { ticket, state }
}

fn doubts(ticket: u64, state: DoubtState) -> Event {
    Event::Doubts { ticket, state }
}

/// What the engine's thread does for a helper thread.
type EngineTask = Box<dyn FnOnce(&Predictor) + Send>;

/// What the helper thread has to say.
pub(super) struct News {
    ticket: u64,
    what: What,
}

enum What {
    /// A piece waits to be answered.
    Piece(EngineTask),
    /// So far it is.
    Far(Event),
    /// It ended.
    End(Event),
}

/// The one in hand.
struct Open {
    asked: SheetJob,
    key: Key,
    stop: Arc<AtomicBool>,
    piece: Option<EngineTask>,
    /// Reads and writes; none until the snapshot is ready.
    helper: Option<JoinHandle<()>>,
}

impl Drop for Open {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        self.piece = None;
        // A table tidies up what it has written; that takes no longer than a piece.
        if let (SheetJob::Sheet(_), Some(helper)) = (&self.asked, self.helper.take()) {
            wait_for(helper, PATIENCE);
        }
    }
}

/// What was asked for.
pub(super) struct Sheets {
    waiting: VecDeque<SheetJob>,
    open: Option<Open>,
    /// What is to be told.
    told: VecDeque<Event>,
    messages: Sender<Message>,
}

impl Sheets {
    pub fn new(messages: Sender<Message>) -> Self {
        Self {
            waiting: VecDeque::new(),
            open: None,
            told: VecDeque::new(),
            messages,
        }
    }

    /// Takes a request.
    pub fn ask(&mut self, asked: SheetJob) {
        self.waiting.push_back(asked);
    }

    /// Stops one, or takes it out of those that wait.
    pub fn stop(&mut self, ticket: u64) {
        let waits = |asked: &SheetJob| asked.ticket() == ticket;
        if let Some(at) = self.waiting.iter().position(waits) {
            let asked = self.waiting.remove(at);
            self.told.extend(asked.map(|asked| asked.stopped()));
        }
        let Some(open) = self.open.take_if(|open| open.asked.ticket() == ticket) else {
            return;
        };
        if open.helper.is_none() {
            self.told.push_back(open.asked.stopped());
            return;
        }
        open.stop.store(true, Ordering::Relaxed);
        self.open = Some(open);
    }

    /// Takes what a helper thread has to say.
    pub fn take(&mut self, news: News) {
        let ticket = news.ticket;
        let mine = self
            .open
            .as_mut()
            .filter(|open| open.asked.ticket() == ticket);
        let Some(open) = mine else { return };
        match news.what {
            What::Piece(piece) => open.piece = Some(piece),
            What::Far(event) => self.told.push_back(event),
            What::End(event) => {
                self.open = None;
                self.told.push_back(event);
            }
        }
    }

    /// What is to be told next.
    pub fn news(&mut self) -> Option<Event> {
        self.told.pop_front()
    }

    /// Answers the piece that lies ready, or begins with what waits; true when something was done.
    pub fn work(&mut self, predictions: &mut Predictions, stock: &Stock) -> bool {
        if self.open.is_none() {
            self.open = self.waiting.pop_front().map(|asked| Open {
                key: asked.key(),
                asked,
                stop: Arc::default(),
                piece: None,
                helper: None,
            });
        }
        let Some(open) = &mut self.open else {
            return false;
        };
        if open.helper.is_some() && open.piece.is_none() {
            return false;
        }
        let outcome = fenced(|| open.turn(predictions, stock));
        let problem = match outcome {
            Ok(Turn::Answered) => None,
            Ok(Turn::Ready(work)) => open.begin(work, &self.messages).err(),
            Ok(Turn::Needs) => match predictions.failure(&open.key) {
                Some(problem) => Some(problem),
                None => {
                    let key = open.key.clone();
                    predictions.need(Asker::Sheets, vec![key], stock);
                    return false;
                }
            },
            Err(problem) => Some(problem),
        };
        predictions.need(Asker::Sheets, Vec::new(), stock);
        if let Some(problem) = problem {
            self.told.push_back(open.asked.failed(problem));
            self.open = None;
        }
        true
    }
}

/// What came of one turn.
enum Turn {
    /// The snapshot is not ready.
    Needs,
    /// It is ready for a helper thread to begin.
    Ready(HelperTask),
    /// A piece was answered.
    Answered,
}

/// What a helper thread does; what it tells at its end.
type HelperTask = Box<dyn FnOnce(&Helper) -> Event + Send>;

impl Open {
    fn turn(&mut self, predictions: &mut Predictions, stock: &Stock) -> Result<Turn> {
        let Some(predictor) = predictions.shelf.predictor(&self.key, stock)? else {
            return Ok(Turn::Needs);
        };
        Ok(match self.piece.take() {
            Some(piece) => {
                piece(predictor);
                Turn::Answered
            }
            None => Turn::Ready(self.asked.work(predictor, stock)),
        })
    }

    /// Sets a helper thread to work.
    fn begin(&mut self, work: HelperTask, messages: &Sender<Message>) -> Result<()> {
        let ticket = self.asked.ticket();
        let helper = Helper {
            ticket,
            messages: messages.clone(),
            stop: self.stop.clone(),
        };
        let thread = std::thread::Builder::new()
            .name("lae-sheet".into())
            .spawn(move || {
                let ended = work(&helper);
                // The engine may have ended; then nobody wants it.
                helper.say(What::End(ended));
            });
        self.helper = Some(thread.map_err(|error| {
            Problem::new(message!(
                "problem-no-helper-thread-could-be-started",
                error = error.to_string()
            ))
        })?);
        Ok(())
    }
}

/// What the helper thread has of the engine.
struct Helper {
    ticket: u64,
    messages: Sender<Message>,
    stop: Arc<AtomicBool>,
}

impl Helper {
    /// True where the engine is still there.
    fn say(&self, what: What) -> bool {
        let ticket = self.ticket;
        self.messages
            .send(Message::Sheet(News { ticket, what }))
            .is_ok()
    }

    /// Asks the engine's thread. A helper that was stopped does not wait any more.
    fn ask<T: Send + 'static>(
        &self,
        answer: impl FnOnce(&Predictor) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let (reply, answered) = sync_channel(1);
        self.say(What::Piece(Box::new(move |predictor| {
            // It may have been stopped meanwhile.
            let _ = reply.send(answer(predictor));
        })));
        answered
            .recv()
            .map_err(|_| Problem::new(message!("problem-engine-has-ended")))?
    }

    fn goes_on(&self) -> bool {
        !self.stop.load(Ordering::Relaxed)
    }

    fn far(&self, event: Event) -> ControlFlow<()> {
        match self.goes_on() && self.say(What::Far(event)) {
            true => ControlFlow::Continue(()),
            false => ControlFlow::Break(()),
        }
    }

    fn sheet(&self, request: &SheetRequest, columns: &Columns) -> Event {
        let mut ask =
            |piece: tables::SheetBatch| self.ask(move |predictor| predictor.verdicts(&piece.seen));
        let mut step = |count: SheetCount| self.far(sheet(self.ticket, SheetState::Working(count)));
        let asked = tables::Asked {
            folder: &request.folder,
            only: &request.only,
        };
        let ended = fenced(|| fill(columns, asked, &request.csv, &mut ask, &mut step));
        let state = match ended {
            Ok(Some(count)) => SheetState::Done(count),
            Ok(None) => SheetState::Stopped,
            Err(problem) => SheetState::Failed(problem),
        };
        sheet(self.ticket, state)
    }

    fn doubts(&self, request: &DoubtRequest, input: InputSpec, stock: &Stock) -> Event {
        let mut ask = |seen: Vec<u8>| self.ask(move |predictor| predictor.backbone_features(&seen));
        let mut step = |done, of| self.far(doubts(self.ticket, DoubtState::Working(done, of)));
        let of = (request.run.as_path(), request.task);
        let go_on = || self.goes_on();
        let ended = fenced(|| doubt::look(of, input, stock, &mut ask, &mut step, &go_on));
        let state = match ended {
            Ok(Some(answers)) => DoubtState::Done(Box::new(answers)),
            Ok(None) => DoubtState::Stopped,
            Err(problem) => DoubtState::Failed(problem),
        };
        doubts(self.ticket, state)
    }
}
