//! An engine in another process: a child process, or one that runs on another machine through `ssh`.
//!
//! [`Remote`] sends requests and returns events; one thread writes and another one reads, so no method blocks. A lost
//! connection is restored ([`Peer::Ssh`]) and unacknowledged messages are sent again. A child that dies is reported and
//! started again with the next command ([`Peer::Child`]). A run that is trained on another machine is downloaded while
//! it trains (`download`), and its end is reported once the download is complete.

mod download;
mod link;
mod ssh;
mod upload;
mod worker;

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use crate::message;
use crate::problem::{Problem, Result};
use crate::run::event::{Command, ControlRequest};
use crate::run::job::JobId;
use crate::run::queue::JobEvent;
use crate::run::remote_machines::RemoteMachine;
use crate::run::wire::{ClientRequest, Hello, ServerMessage};
use crate::store;
use worker::Message;

pub use ssh::{command, copy_program, explain_failure, script};

/// Called when an event arrives.
pub type Wake = Arc<dyn Fn() + Send + Sync>;

/// The other side of a connection.
#[derive(Clone, Debug)]
#[allow(clippy::large_enum_variant, reason = "there are few of them")]
pub enum Peer {
    /// Another process of this program, as a child.
    Child {
        /// The program.
        program: PathBuf,
        /// Folder of the runs.
        root: PathBuf,
    },
    /// The program on another machine.
    Ssh {
        /// The machine.
        place: RemoteMachine,
        /// Local folder of the runs.
        root: PathBuf,
    },
}

impl Peer {
    /// Returns the program on this machine; its runs are copied to the local folder `root`.
    pub fn from_machine(place: &RemoteMachine, root: &Path) -> Self {
        Self::Ssh { place: place.clone(), root: root.to_path_buf() }
    }

    /// Returns the name shown to users.
    pub fn name(&self) -> &str {
        match self {
            Self::Child { .. } => "the engine's process",
            Self::Ssh { place, .. } => &place.name,
        }
    }

    /// Returns the local folder of the runs.
    pub fn root(&self) -> &Path {
        match self {
            Self::Child { root, .. } | Self::Ssh { root, .. } => root,
        }
    }
}

/// The results of requests.
#[derive(Debug)]
pub enum RemoteEvent {
    /// The engine sent an event.
    Event(Box<JobEvent>),
    /// The engine is connected, for the first time or again.
    Connected(Hello),
    /// The connection was lost and is being restored.
    Disconnected(Problem),
    /// The engine cannot be reached, or was lost together with its queue.
    Lost(Problem),
    /// All events from before the connection have arrived.
    CaughtUp,
    /// A run with this name was downloaded to this folder.
    RunDownloaded(String, PathBuf),
    /// The run with this name there could not be downloaded.
    DownloadFailed(String, Problem),
    /// A request failed.
    RequestFailed(Problem),
    /// A response about runs or files.
    Response(ServerMessage),
}

/// A handle on an engine in another process. Dropping it ends a child process, which saves its run first; an engine on
/// another machine keeps running.
pub struct Remote {
    messages: Sender<Message>,
    events: Receiver<RemoteEvent>,
    /// The thread, if dropping has to wait for it.
    thread: Option<JoinHandle<()>>,
}

/// Maximum time until a place responds to a check.
const RESPONSE_TIMEOUT: Duration = Duration::from_secs(60);
/// Longest wait for a child process to save its current run.
const SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(20);

impl Drop for Remote {
    fn drop(&mut self) {
        let _ = self.messages.send(Message::End);
        let end = Instant::now() + SHUTDOWN_TIMEOUT;
        let is_running = |thread: &JoinHandle<()>| !thread.is_finished();
        while self.thread.as_ref().is_some_and(is_running) && Instant::now() < end {
            std::thread::sleep(Duration::from_millis(5));
        }
    }
}

impl Remote {
    /// Creates the handle. The other process is started with the first command, or immediately with `connect_now`.
    ///
    /// # Errors
    /// Returns a Problem if no thread can be started.
    pub fn start(peer: Peer, connect_now: bool, wake: Wake) -> Result<Self> {
        let (messages, inbox) = channel();
        let (outbox, events) = channel();
        let self_sender = messages.clone();
        let is_child = matches!(peer, Peer::Child { .. });
        let work = move || worker::run_worker(peer, connect_now, &inbox, self_sender, outbox, wake);
        let thread = std::thread::Builder::new().name("remote".into()).spawn(work);
        let thread = thread.map_err(|error| Problem::thread_not_started(&error))?;
        let thread = is_child.then_some(thread);
        Ok(Self { messages, events, thread })
    }

    /// Connects immediately; the caller waits for events itself.
    ///
    /// # Errors
    /// Returns a Problem if no thread can be started.
    pub fn connect(peer: Peer) -> Result<Self> {
        Self::start(peer, true, Arc::new(|| {}))
    }

    /// Sends a command; never blocks.
    pub fn send(&self, command: Command) {
        self.queue_request(ClientRequest::Command(Box::new(command)), Vec::new());
    }

    /// Sends a control request (such as pause or stop) for the current job.
    pub fn control_running(&self, control: ControlRequest) {
        self.queue_request(ClientRequest::ControlRunning(control), Vec::new());
    }

    /// Sends a control request for this job, if it is the current one.
    pub fn control_job(&self, job: JobId, control: ControlRequest) {
        self.queue_request(ClientRequest::ControlJob(job, control), Vec::new());
    }

    /// Requests the names of the runs there.
    pub fn list(&self) {
        self.queue_request(ClientRequest::Runs, Vec::new());
    }

    /// Downloads an existing run; if `job` is training it, until its end.
    pub fn fetch_run(&self, run: &str, job: Option<JobId>) {
        let _ = self.messages.send(Message::FetchRun(run.to_string(), job));
    }

    /// Downloads the run of a job that an earlier process requested, once it is reported.
    pub fn expect(&self, job: JobId) {
        let _ = self.messages.send(Message::Expect(job));
    }

    fn queue_request(&self, request: ClientRequest, raw: Vec<u8>) {
        // The thread ends only together with this handle.
        let _ = self.messages.send(Message::ClientRequest(request, raw));
    }

    /// Returns the next event, if there is any.
    pub fn try_recv(&self) -> Option<RemoteEvent> {
        self.events.try_recv().ok()
    }

    /// Waits for the next event; `None` after this time.
    ///
    /// # Errors
    /// Returns a Problem if the thread has ended.
    pub fn recv(&self, timeout: Duration) -> Result<Option<RemoteEvent>> {
        match self.events.recv_timeout(timeout) {
            Ok(event) => Ok(Some(event)),
            Err(RecvTimeoutError::Timeout) => Ok(None),
            Err(RecvTimeoutError::Disconnected) => {
                Err(Problem::new(message!("place-internal-error")))
            }
        }
    }
}

/// The response of a place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RemoteStatus {
    /// The program there, with its version and machine.
    pub hello: Hello,
    /// Number of runs there that were not downloaded.
    pub missing_runs: usize,
}

/// Checks which program responds at a place; runs are stored in the local folder `root`. Blocks.
///
/// # Errors
/// Returns a Problem if no program responds, or one of another version.
pub fn check(place: &RemoteMachine, root: &Path) -> Result<RemoteStatus> {
    let remote = Remote::connect(Peer::from_machine(place, root))?;
    let (end, mut greeting) = (Instant::now() + RESPONSE_TIMEOUT, None);
    while Instant::now() < end {
        match remote.recv(Duration::from_millis(200))? {
            Some(RemoteEvent::Connected(hello)) => {
                greeting = Some(hello);
                remote.list();
            }
            Some(RemoteEvent::Response(ServerMessage::Runs(remote_runs))) => {
                if let Some(hello) = greeting {
                    let missing_runs = count_missing_runs(&place.name, &remote_runs, root);
                    return Ok(RemoteStatus { hello, missing_runs });
                }
            }
            Some(RemoteEvent::Lost(problem)) => return Err(problem),
            _ => {}
        }
    }
    Err(Problem::new(message!("place-not-responding", place = place.name.as_str()))
        .advise(message!("place-run-ssh-advice")))
}

/// Returns how many of these runs were not downloaded.
fn count_missing_runs(place: &str, remote_runs: &[String], root: &Path) -> usize {
    let local_runs = store::run_folders(root).into_iter();
    let local_runs = local_runs.filter(|folder| store::load_annotations(folder).0.place == place);
    let local_runs: HashSet<String> =
        local_runs.map(|folder| store::remote_name(&folder, place)).collect();
    remote_runs.iter().filter(|run| !local_runs.contains(*run)).count()
}
