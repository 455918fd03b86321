//! Jobs at a place: sent there with what they need, followed as they go on, and kept in mind on this disk, so that the next
//! window takes them up. All of it is done by a thread of its own; the window's only hands over and takes in.

mod send;
mod work;

use std::path::Path;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use super::Wake;
use super::backend::Backend;
use crate::message;
use crate::problem::{Problem, Result};
use crate::run::event::{Command, Wish};
use crate::run::job::{JobId, Own};
use crate::run::places::Place;
use crate::run::queue::JobEvent;
use crate::texts::Words;
use work::Work;

/// How long a closed window waits until what was asked is kept.
const PATIENCE: Duration = Duration::from_secs(2);
/// A place, as the session sees it.
pub(super) struct Away {
    messages: Sender<Message>,
    events: Receiver<JobEvent>,
    trouble: Arc<Mutex<Option<Problem>>>,
    thread: JoinHandle<()>,
}

/// What lies in the thread's inbox.
enum Message {
    Command(Command),
    Wish(Wish),
    WishFor(JobId, Wish),
    /// The connection has news.
    News,
    /// What a job needs is on its way, in words.
    Carrying(JobId, Words),
    /// What a job needs is there, or why not.
    Carried(JobId, Result<Own>),
    End,
}

impl Away {
    /// Makes ready to talk to a place, at once where jobs were left there; runs come into `root`.
    ///
    /// # Errors
    /// A Problem when the system gives no thread.
    pub fn start(place: Place, root: &Path, wake: Wake) -> Result<Self> {
        let (messages, inbox) = channel();
        let (outbox, events) = channel();
        let trouble = Arc::default();
        let root = root.to_path_buf();
        let (own, told) = (messages.clone(), Arc::clone(&trouble));
        let work = move || {
            let begun = Work::begin(place, root, own, (outbox, told, wake));
            if let Some(mut work) = begun {
                work.take_up();
                work.work(&inbox);
            }
        };
        let thread = std::thread::Builder::new().name("away".into()).spawn(work);
        let thread = thread.map_err(|error| {
            Problem::new(message!("notices-no-thread", why = error.to_string()))
        })?;
        Ok(Self {
            messages,
            events,
            trouble,
            thread,
        })
    }

    fn say(&self, message: Message) {
        // Its thread ends with this handle alone.
        let _ = self.messages.send(message);
    }
}

impl Backend for Away {
    fn send(&mut self, command: Command) {
        self.say(Message::Command(command));
    }

    fn try_recv(&mut self) -> Option<JobEvent> {
        self.events.try_recv().ok()
    }

    fn wish(&self, wish: Wish) {
        self.say(Message::Wish(wish));
    }

    fn wish_for(&self, job: JobId, wish: Wish) {
        self.say(Message::WishFor(job, wish));
    }

    fn trouble(&self) -> Option<Problem> {
        let trouble = self.trouble.lock().unwrap_or_else(PoisonError::into_inner);
        trouble.clone()
    }
}

impl Drop for Away {
    fn drop(&mut self) {
        self.say(Message::End);
        let begun = Instant::now();
        while !self.thread.is_finished() && begun.elapsed() < PATIENCE {
            std::thread::sleep(Duration::from_millis(5));
        }
    }
}
