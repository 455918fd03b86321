//! Jobs at a place (another computer). They are sent there with the files that they need, followed, and recorded on the
//! local disk, so that the next window can follow them too. A separate thread does all the work; the window's thread
//! only exchanges messages with it.

mod send;
mod work;

use std::path::Path;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use super::Wake;
use super::backend::Backend;
use crate::problem::{Problem, Result};
use crate::run::event::{Command, ControlRequest};
use crate::run::job::{JobAttachments, JobId};
use crate::run::places::RemoteMachine;
use crate::run::queue::JobEvent;
use crate::texts::Words;
use work::Work;

/// How long the window waits at exit until its requests are recorded.
const PATIENCE: Duration = Duration::from_secs(2);
/// The session's handle of a place.
pub(super) struct Away {
    messages: Sender<Message>,
    events: Receiver<JobEvent>,
    trouble: Arc<Mutex<Option<Problem>>>,
    thread: JoinHandle<()>,
}

/// A message to the thread.
enum Message {
    Command(Command),
    ControlRunning(ControlRequest),
    ControlJob(JobId, ControlRequest),
    /// The connection received a message.
    News,
    /// Progress of sending the files that a job needs.
    Carrying(JobId, Words),
    /// The files that a job needs were sent, or could not be sent.
    Carried(JobId, Result<JobAttachments>),
    End,
}

impl Away {
    /// Prepares a connection to a place, and connects at once if jobs were left there. Runs are copied into `root`.
    ///
    /// # Errors
    /// Returns a Problem if the system cannot start a thread.
    pub fn start(place: RemoteMachine, root: &Path, wake: Wake) -> Result<Self> {
        let (messages, inbox) = channel();
        let (outbox, events) = channel();
        let trouble = Arc::default();
        let root = root.to_path_buf();
        let (own, told) = (messages.clone(), Arc::clone(&trouble));
        let work = move || {
            let begun = Work::begin(place, root, own, (outbox, told, wake));
            if let Some(mut work) = begun {
                work.resume_following();
                work.work(&inbox);
            }
        };
        let thread = std::thread::Builder::new().name("away".into()).spawn(work);
        let thread = thread.map_err(|error| Problem::no_thread(&error))?;
        Ok(Self {
            messages,
            events,
            trouble,
            thread,
        })
    }

    fn send_message(&self, message: Message) {
        // The thread ends when this handle is dropped.
        let _ = self.messages.send(message);
    }
}

impl Backend for Away {
    fn send(&mut self, command: Command) {
        self.send_message(Message::Command(command));
    }

    fn try_recv(&mut self) -> Option<JobEvent> {
        self.events.try_recv().ok()
    }

    fn control_running(&self, wish: ControlRequest) {
        self.send_message(Message::ControlRunning(wish));
    }

    fn control_job(&self, job: JobId, wish: ControlRequest) {
        self.send_message(Message::ControlJob(job, wish));
    }

    fn trouble(&self) -> Option<Problem> {
        let trouble = self.trouble.lock().unwrap_or_else(PoisonError::into_inner);
        trouble.clone()
    }
}

impl Drop for Away {
    fn drop(&mut self) {
        self.send_message(Message::End);
        let begun = Instant::now();
        while !self.thread.is_finished() && begun.elapsed() < PATIENCE {
            std::thread::sleep(Duration::from_millis(5));
        }
    }
}
