//! Tables of whole folders, answered a piece at a time between two batches, after everything else.
//!
//! A helper thread reads the pictures and writes the table; the engine's thread answers the piece that
//! lies ready. One table at a time; the next ones wait.

use std::collections::VecDeque;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Sender, SyncSender, sync_channel};
use std::thread::JoinHandle;

use super::predictions::{Asker, Predictions};
use super::{Mail, PATIENCE, fenced, wait_for};
use crate::experiment::Stock;
use crate::experiment::predict::Key;
use crate::experiment::sheet::{Columns, Piece, fill};
use crate::method::Verdict;
use crate::problem::{Problem, Result};
use crate::run::event::Event;
use crate::run::sheet::{SheetCount, SheetRequest, SheetState};

/// Where the verdicts on a piece go.
type Reply = SyncSender<Result<Vec<Verdict>>>;

/// What the helper thread of a table has to say.
pub(super) struct News {
    ticket: u64,
    what: What,
}

enum What {
    /// A piece waits to be answered.
    Piece(Piece, Reply),
    /// So far it is.
    Count(SheetCount),
    /// It ended; without a count it was stopped.
    End(Result<Option<SheetCount>>),
}

/// The table in hand.
struct Open {
    request: SheetRequest,
    key: Key,
    stop: Arc<AtomicBool>,
    piece: Option<(Piece, Reply)>,
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

/// The tables that were asked for.
pub(super) struct Sheets {
    waiting: VecDeque<SheetRequest>,
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
    pub fn ask(&mut self, request: SheetRequest) {
        self.waiting.push_back(request);
    }

    /// Stops a table, or takes it out of those that wait.
    pub fn stop(&mut self, ticket: u64) {
        let before = self.waiting.len();
        self.waiting.retain(|request| request.ticket != ticket);
        let begun = self
            .open
            .as_ref()
            .filter(|open| open.request.ticket == ticket);
        let unbegun = begun.is_some_and(|open| open.helper.is_none());
        if let Some(open) = begun {
            open.stop.store(true, Ordering::Relaxed);
        }
        if unbegun {
            self.open = None;
        }
        if unbegun || self.waiting.len() < before {
            self.tell(ticket, SheetState::Stopped);
        }
    }

    /// Takes what a helper thread has to say.
    pub fn take(&mut self, news: News) {
        let ticket = news.ticket;
        let mine = self
            .open
            .as_mut()
            .filter(|open| open.request.ticket == ticket);
        let Some(open) = mine else { return };
        match news.what {
            What::Piece(piece, reply) => open.piece = Some((piece, reply)),
            What::Count(count) => self.tell(ticket, SheetState::Working(count)),
            What::End(ended) => {
                self.open = None;
                self.tell(
                    ticket,
                    match ended {
                        Ok(Some(count)) => SheetState::Done(count),
                        Ok(None) => SheetState::Stopped,
                        Err(problem) => SheetState::Failed(problem),
                    },
                );
            }
        }
    }

    fn tell(&mut self, ticket: u64, state: SheetState) {
        self.told.push_back(Event::Sheet { ticket, state });
    }

    /// What is to be told next.
    pub fn news(&mut self) -> Option<Event> {
        self.told.pop_front()
    }

    /// Answers the piece that lies ready, or begins a table; true when something was done.
    pub fn work(&mut self, predictions: &mut Predictions, stock: &Stock) -> bool {
        if self.open.is_none() {
            self.open = self.waiting.pop_front().map(|request| Open {
                key: Key::of(&request.run, request.task),
                request,
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
            Ok(Turn::Ready(columns)) => begin(open, columns, &self.mail).err(),
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
            let ticket = open.request.ticket;
            self.open = None;
            self.tell(ticket, SheetState::Failed(problem));
        }
        true
    }
}

/// What came of one turn.
enum Turn {
    /// The snapshot is not ready.
    Needs,
    /// It is ready for a helper thread to begin.
    Ready(Columns),
    /// A piece was answered.
    Answered,
}

impl Open {
    fn turn(&mut self, predictions: &mut Predictions, stock: &Stock) -> Result<Turn> {
        let Some(predictor) = predictions.shelf.predictor(&self.key, stock)? else {
            return Ok(Turn::Needs);
        };
        let Some((piece, reply)) = self.piece.take() else {
            return Ok(Turn::Ready(Columns::of(predictor, self.request.threshold)));
        };
        // A helper that was stopped does not wait any more.
        let _ = reply.send(predictor.verdicts(&piece.seen));
        Ok(Turn::Answered)
    }
}

/// Sets a helper thread to work on a table.
fn begin(open: &mut Open, columns: Columns, mail: &Sender<Mail>) -> Result<()> {
    let (request, stop, mail) = (open.request.clone(), open.stop.clone(), mail.clone());
    let say = move |what| {
        let ticket = request.ticket;
        mail.send(Mail::Sheet(News { ticket, what })).is_ok()
    };
    let paths = [open.request.folder.clone(), open.request.csv.clone()];
    let helper = std::thread::Builder::new()
        .name("lae-sheet".into())
        .spawn(move || {
            let mut ask = |piece| {
                let (reply, answer) = sync_channel(1);
                say(What::Piece(piece, reply));
                let ended = |_| Problem::new("the engine has ended");
                answer.recv().map_err(ended)?
            };
            let mut step = |count| match !stop.load(Ordering::Relaxed) && say(What::Count(count)) {
                true => ControlFlow::Continue(()),
                false => ControlFlow::Break(()),
            };
            let [folder, csv] = &paths;
            let ended = fenced(|| fill(&columns, [folder, csv], &mut ask, &mut step));
            // The engine may have ended; then nobody wants it.
            say(What::End(ended));
        });
    open.helper =
        Some(helper.map_err(|error| {
            Problem::new(format!("no helper thread could be started: {error}"))
        })?);
    Ok(())
}
