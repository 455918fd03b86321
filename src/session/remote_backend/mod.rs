//! Jobs on a remote machine. They are sent there with the files that they need, followed, and recorded on the
//! local disk, so that the next window can follow them too. A separate thread does all the work; the window's thread
//! only exchanges messages with it.

mod worker;

use std::path::Path;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use super::Wake;
use super::backend::Backend;
use crate::problem::{Problem, Result};
use crate::run::event::{Command, ControlRequest};
use crate::run::job::JobId;
use crate::run::queue::JobEvent;
use crate::run::remote_machines::RemoteMachine;
use crate::sync::lock;
use worker::{Message, Worker};

/// How long the window waits at exit until its requests are recorded.
const EXIT_TIMEOUT: Duration = Duration::from_secs(2);

/// The session's handle of a remote machine.
pub(super) struct RemoteBackend {
    messages: Sender<Message>,
    events: Receiver<JobEvent>,
    connection_problem: Arc<Mutex<Option<Problem>>>,
    thread: JoinHandle<()>,
}

impl RemoteBackend {
    /// Prepares a connection to a machine, and connects at once if jobs were left there. Runs are copied into `root`.
    pub fn start(machine: RemoteMachine, root: &Path, wake: Wake) -> Result<Self> {
        let (messages, inbox) = channel();
        let (outbox, events) = channel();
        let connection_problem = Arc::<Mutex<Option<Problem>>>::default();
        let root = root.to_path_buf();
        let (sender, thread_problem) = (messages.clone(), Arc::clone(&connection_problem));
        let run_worker = move || {
            // A failure is reported when a run is copied back.
            let _ = std::fs::create_dir_all(&root);
            let root = dunce::canonicalize(&root).unwrap_or(root);
            let own_problem = Arc::clone(&thread_problem);
            match Worker::new(machine, root, sender, outbox, own_problem, wake) {
                Ok(worker) => worker.run(&inbox),
                Err(problem) => *lock(&thread_problem) = Some(problem),
            }
        };
        let thread = std::thread::Builder::new().name("remote".into()).spawn(run_worker);
        let thread = thread.map_err(|error| Problem::thread_not_started(&error))?;
        Ok(Self { messages, events, connection_problem, thread })
    }

    fn send_message(&self, message: Message) {
        // The thread ends when this handle is dropped.
        let _ = self.messages.send(message);
    }
}

impl Backend for RemoteBackend {
    fn send(&mut self, command: Command) {
        self.send_message(Message::Command(command));
    }

    fn try_recv(&mut self) -> Option<JobEvent> {
        self.events.try_recv().ok()
    }

    fn control_running(&self, request: ControlRequest) {
        self.send_message(Message::ControlRunning(request));
    }

    fn control_job(&self, job: JobId, request: ControlRequest) {
        self.send_message(Message::ControlJob(job, request));
    }

    fn connection_problem(&self) -> Option<Problem> {
        lock(&self.connection_problem).clone()
    }
}

impl Drop for RemoteBackend {
    fn drop(&mut self) {
        self.send_message(Message::End);
        let end = Instant::now() + EXIT_TIMEOUT;
        while !self.thread.is_finished() && Instant::now() < end {
            std::thread::sleep(Duration::from_millis(5));
        }
    }
}
