//! An engine in another process: a child of this one, or of `ssh` on another machine.
//!
//! [`Remote`] hands over what is asked and returns its events; one thread of its own writes, another one reads, so
//! nobody waits. A connection that breaks is reconnected ([`Peer::Ssh`]) and unacknowledged messages are sent again; a
//! child that dies is reported in a sentence and started again with the next command ([`Peer::Child`]). A run that is
//! trained on another machine is downloaded while it grows (`mirror`), and its end is reported once it is here.

mod carry;
mod check;
mod copy;
mod link;
mod mirror;
mod ssh;
mod work;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use crate::message;
use crate::problem::{Problem, Result};
use crate::run::event::{Command, Wish};
use crate::run::job::JobId;
use crate::run::places::Place;
use crate::run::queue::JobEvent;
use crate::run::wire::{Ask, Hello, Told};
use work::Message;

pub use check::{Answers, check};
pub use copy::copy_program;
pub use ssh::{command, reason, script};

/// Wakes the reader.
pub type Wake = Arc<dyn Fn() + Send + Sync>;

/// Who is talked to.
#[derive(Clone, Debug)]
#[allow(clippy::large_enum_variant, reason = "there are few of them")]
pub enum Peer {
    /// Another process of this program, as a child.
    Child {
        /// The program.
        program: PathBuf,
        /// Where runs are kept.
        root: PathBuf,
    },
    /// The program on another machine.
    Ssh {
        /// Which.
        place: Place,
        /// Where runs are kept here.
        root: PathBuf,
    },
}

impl Peer {
    /// What people call it.
    pub fn name(&self) -> &str {
        match self {
            Self::Child { .. } => "the engine's process",
            Self::Ssh { place, .. } => &place.name,
        }
    }

    /// The folder of runs here.
    pub fn root(&self) -> &Path {
        match self {
            Self::Child { root, .. } | Self::Ssh { root, .. } => root,
        }
    }
}

/// The results of requests.
#[derive(Debug)]
pub enum News {
    /// The engine sent an event.
    Event(Box<JobEvent>),
    /// It answers, for the first time or again.
    Here(Hello),
    /// The connection broke; it is being restored.
    Broken(Problem),
    /// It cannot be reached, or was lost with all that it had in its queue.
    Lost(Problem),
    /// All events from before it answered have arrived.
    Caught,
    /// A run of this name there that was to be downloaded exists in this folder.
    Home(String, PathBuf),
    /// An answer about files, with raw bytes.
    Answer(Told, Vec<u8>),
}

/// A handle on an engine in another process. Dropping it ends a child (its run saved) and leaves an engine on another
/// machine at work.
pub struct Remote {
    messages: Sender<Message>,
    news: Receiver<News>,
    /// The thread, where it has something to end.
    thread: Option<JoinHandle<()>>,
}

/// How long a closed program waits for its child to save the run at work.
const PATIENCE: Duration = Duration::from_secs(20);

impl Drop for Remote {
    fn drop(&mut self) {
        let _ = self.messages.send(Message::End);
        let begun = Instant::now();
        while self
            .thread
            .as_ref()
            .is_some_and(|thread| !thread.is_finished())
        {
            if begun.elapsed() > PATIENCE {
                return;
            }
            std::thread::sleep(Duration::from_millis(5));
        }
    }
}

impl Remote {
    /// Makes ready to talk; the other process is started with the first command, or now where `at_once`.
    ///
    /// # Errors
    /// Returns a Problem if the system gives no thread.
    pub fn start(peer: Peer, at_once: bool, wake: Wake) -> Result<Self> {
        let (messages, inbox) = channel();
        let (outbox, news) = channel();
        let own = messages.clone();
        let is_child = matches!(peer, Peer::Child { .. });
        let work = move || work::work(peer, at_once, &inbox, own, outbox, wake);
        let thread = std::thread::Builder::new()
            .name("remote".into())
            .spawn(work);
        let thread = thread.map_err(|error| {
            Problem::new(message!(
                "place-thread-not-started",
                error = error.to_string()
            ))
        })?;
        let thread = is_child.then_some(thread);
        Ok(Self {
            messages,
            news,
            thread,
        })
    }

    /// Hands a command over; never waits.
    pub fn send(&self, command: Command) {
        self.ask(Ask::Command(Box::new(command)), Vec::new());
    }

    /// What the user requests of the job at work.
    pub fn wish(&self, wish: Wish) {
        self.ask(Ask::Wish(wish), Vec::new());
    }

    /// The same of this job alone, if it is at work.
    pub fn wish_for(&self, job: JobId, wish: Wish) {
        self.ask(Ask::WishFor(job, wish), Vec::new());
    }

    /// Asks for the names of the runs there.
    pub fn list(&self) {
        self.ask(Ask::Runs, Vec::new());
    }

    /// Brings home a run that is there already, to its end where a job is at work on it.
    pub fn bring(&self, run: &str, job: Option<JobId>) {
        let _ = self.messages.send(Message::Bring(run.to_string(), job));
    }

    /// Downloads the run of a job that an earlier process requested, once it is reported.
    pub fn expect(&self, job: JobId) {
        let _ = self.messages.send(Message::Expect(job));
    }

    fn ask(&self, ask: Ask, raw: Vec<u8>) {
        // Its thread ends with this handle alone.
        let _ = self.messages.send(Message::Ask(ask, raw));
    }

    /// The next news, if there are any.
    pub fn try_recv(&self) -> Option<News> {
        self.news.try_recv().ok()
    }

    /// The next news, waited for so long; `None` if there were none.
    ///
    /// # Errors
    /// Returns a Problem if the thread that talks has ended.
    pub fn recv(&self, patience: Duration) -> Result<Option<News>> {
        match self.news.recv_timeout(patience) {
            Ok(news) => Ok(Some(news)),
            Err(RecvTimeoutError::Timeout) => Ok(None),
            Err(RecvTimeoutError::Disconnected) => {
                Err(Problem::new(message!("place-internal-error")))
            }
        }
    }
}
