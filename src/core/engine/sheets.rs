//! Tables of whole folders, and looks for doubtful labels, answered a piece at a time between two batches, after
//! everything else.
//!
//! A helper thread reads the pictures and makes something of the answers: it writes the table, or holds the labels
//! against the features. The engine's thread answers the piece that lies ready. One at a time; the next ones wait.

use std::collections::VecDeque;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Sender, SyncSender, sync_channel};
use std::thread::JoinHandle;

use super::predictions::{Asker, Predictions};
use super::{Mail, PATIENCE, fenced, wait_for};
use crate::data::transform::InputSpec;
use crate::experiment::Stock;
use crate::experiment::doubt;
use crate::experiment::predict::Key;
use crate::experiment::sheet::{Columns, Piece, fill};
use crate::method::Verdict;
use crate::problem::{Problem, Result};
use crate::run::doubt::{DoubtRequest, DoubtState};
use crate::run::event::Event;
use crate::run::sheet::{SheetCount, SheetRequest, SheetState};

/// What was asked for.
#[derive(Clone)]
pub(super) enum Errand {
    /// A table of a folder.
    Sheet(SheetRequest),
    /// Training pictures that look like another class.
    Doubts(DoubtRequest),
}

impl Errand {
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

/// Pictures as the network sees them, side by side, and where what is said of them goes.
enum Asked {
    /// What the experts answer.
    Verdicts(Vec<u8>, SyncSender<Result<Vec<Verdict>>>),
    /// What the backbone makes of them.
    Features(Vec<u8>, SyncSender<Result<Vec<f32>>>),
}

/// What the helper thread of an errand has to say.
pub(super) struct News {
    ticket: u64,
    what: What,
}

enum What {
    /// A piece waits to be answered.
    Piece(Asked),
    /// So far it is.
    Far(Event),
    /// It ended.
    End(Event),
}

/// The errand in hand.
struct Open {
    errand: Errand,
    key: Key,
    stop: Arc<AtomicBool>,
    piece: Option<Asked>,
    /// Reads and writes; none until the snapshot is ready.
    helper: Option<JoinHandle<()>>,
}

impl Drop for Open {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        self.piece = None;
        // It tidies up what it has written; that takes no longer than a piece.
        if let Some(helper) = self.helper.take() {
            wait_for(helper, PATIENCE);
        }
    }
}

/// The errands that were asked for.
pub(super) struct Sheets {
    waiting: VecDeque<Errand>,
    open: Option<Open>,
    /// What is to be told.
    told: VecDeque<Event>,
    mail: Sender<Mail>,
}

impl Sheets {
    pub fn new(mail: Sender<Mail>) -> Self {
        Self {
            waiting: VecDeque::new(),
            open: None,
            told: VecDeque::new(),
            mail,
        }
    }

    /// Takes a request.
    pub fn ask(&mut self, errand: Errand) {
        self.waiting.push_back(errand);
    }

    /// Stops an errand, or takes it out of those that wait.
    pub fn stop(&mut self, ticket: u64) {
        let waits = |errand: &Errand| errand.ticket() == ticket;
        if let Some(at) = self.waiting.iter().position(waits) {
            let errand = self.waiting.remove(at);
            self.told.extend(errand.map(|errand| errand.stopped()));
        }
        let Some(open) = self.open.take_if(|open| open.errand.ticket() == ticket) else {
            return;
        };
        if open.helper.is_none() {
            self.told.push_back(open.errand.stopped());
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
            .filter(|open| open.errand.ticket() == ticket);
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

    /// Answers the piece that lies ready, or begins an errand; true when something was done.
    pub fn work(&mut self, predictions: &mut Predictions, stock: &Stock) -> bool {
        if self.open.is_none() {
            self.open = self.waiting.pop_front().map(|errand| Open {
                key: errand.key(),
                errand,
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
            Ok(Turn::Ready(begin)) => open.begin(begin, &self.mail, stock).err(),
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
            self.told.push_back(open.errand.failed(problem));
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
    Ready(Begin),
    /// A piece was answered.
    Answered,
}

/// What a helper thread begins with.
enum Begin {
    Sheet(SheetRequest, Columns),
    Doubts(DoubtRequest, InputSpec),
}

impl Open {
    fn turn(&mut self, predictions: &mut Predictions, stock: &Stock) -> Result<Turn> {
        let Some(predictor) = predictions.shelf.predictor(&self.key, stock)? else {
            return Ok(Turn::Needs);
        };
        // A helper that was stopped does not wait any more.
        match self.piece.take() {
            None => {
                return Ok(Turn::Ready(match &self.errand {
                    Errand::Sheet(request) => {
                        let columns = Columns::of(predictor, request.threshold);
                        Begin::Sheet(request.clone(), columns)
                    }
                    Errand::Doubts(request) => Begin::Doubts(request.clone(), predictor.input()),
                }));
            }
            Some(Asked::Verdicts(seen, reply)) => drop(reply.send(predictor.verdicts(&seen))),
            Some(Asked::Features(seen, reply)) => {
                drop(reply.send(predictor.backbone_features(&seen)));
            }
        }
        Ok(Turn::Answered)
    }

    /// Sets a helper thread to work.
    fn begin(&mut self, begin: Begin, mail: &Sender<Mail>, stock: &Stock) -> Result<()> {
        let ticket = self.errand.ticket();
        let helper = Helper {
            ticket,
            mail: mail.clone(),
            stop: self.stop.clone(),
        };
        let stock = stock.clone();
        let thread = std::thread::Builder::new()
            .name("lae-sheet".into())
            .spawn(move || {
                let ended = match begin {
                    Begin::Sheet(request, columns) => helper.sheet(&request, &columns),
                    Begin::Doubts(request, input) => helper.doubts(&request, input, &stock),
                };
                // The engine may have ended; then nobody wants it.
                helper.say(What::End(ended));
            });
        self.helper = Some(thread.map_err(|error| {
            Problem::new(format!("no helper thread could be started: {error}"))
        })?);
        Ok(())
    }
}

/// What the helper thread of an errand has of the engine.
struct Helper {
    ticket: u64,
    mail: Sender<Mail>,
    stop: Arc<AtomicBool>,
}

impl Helper {
    /// True where the engine is still there.
    fn say(&self, what: What) -> bool {
        let ticket = self.ticket;
        self.mail.send(Mail::Sheet(News { ticket, what })).is_ok()
    }

    /// Asks the engine's thread.
    fn ask<T>(&self, piece: impl FnOnce(SyncSender<Result<T>>) -> Asked) -> Result<T> {
        let (reply, answer) = sync_channel(1);
        self.say(What::Piece(piece(reply)));
        answer
            .recv()
            .map_err(|_| Problem::new("the engine has ended"))?
    }

    fn far(&self, event: Event) -> ControlFlow<()> {
        match !self.stop.load(Ordering::Relaxed) && self.say(What::Far(event)) {
            true => ControlFlow::Continue(()),
            false => ControlFlow::Break(()),
        }
    }

    fn sheet(&self, request: &SheetRequest, columns: &Columns) -> Event {
        let mut ask = |piece: Piece| self.ask(|reply| Asked::Verdicts(piece.seen, reply));
        let mut step = |count: SheetCount| self.far(sheet(self.ticket, SheetState::Working(count)));
        let paths = [request.folder.as_path(), request.csv.as_path()];
        let ended = fenced(|| fill(columns, paths, &mut ask, &mut step));
        let state = match ended {
            Ok(Some(count)) => SheetState::Done(count),
            Ok(None) => SheetState::Stopped,
            Err(problem) => SheetState::Failed(problem),
        };
        sheet(self.ticket, state)
    }

    fn doubts(&self, request: &DoubtRequest, input: InputSpec, stock: &Stock) -> Event {
        let mut ask = |seen| self.ask(|reply| Asked::Features(seen, reply));
        let mut step = |done, of| self.far(doubts(self.ticket, DoubtState::Working(done, of)));
        let (run, task) = (&request.run, request.task);
        let ended = fenced(|| doubt::look(run, task, input, stock, &mut ask, &mut step));
        let state = match ended {
            Ok(Some(answers)) => DoubtState::Done(Box::new(answers)),
            Ok(None) => DoubtState::Stopped,
            Err(problem) => DoubtState::Failed(problem),
        };
        doubts(self.ticket, state)
    }
}
