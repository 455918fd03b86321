//! Numbers and stores the engine's events for clients that connect and disconnect.

use std::collections::{HashSet, VecDeque};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use super::random_instance_id;
use super::record::{Outgoing, Record, continue_record};
use crate::engine::Engine;
use crate::problem::{Problem, Result};
use crate::run::event::Event;
use crate::run::grid::CellState;
use crate::run::job::JobId;
use crate::run::queue::JobEvent;
use crate::run::wire::{Frame, Hello, ServerMessage, with_relative_runs};
use crate::sync::lock;

/// Maximum number of bytes of stored events; progress events are removed first.
const MAX_BYTES: usize = 64 << 20;

/// The engine and its events.
#[derive(Clone)]
pub struct Journal {
    engine: Arc<Mutex<Engine>>,
    backlog: Arc<Mutex<EventBacklog>>,
    /// Random number that identifies the journal.
    pub instance: u64,
}

struct Entry {
    number: u64,
    is_transient: bool,
    frame: Outgoing,
}

#[derive(Default)]
struct EventBacklog {
    entries: VecDeque<Entry>,
    bytes: usize,
    last: u64,
    clients: Vec<Sender<Outgoing>>,
    /// Jobs that are running or will start by themselves.
    busy: HashSet<JobId>,
    /// The run being trained.
    current_run: Option<String>,
    /// Ids of all reported jobs.
    jobs: HashSet<JobId>,
    /// The file of the journal; `None` for a process that ends with its client.
    record: Option<Record>,
}

impl Journal {
    /// Starts the engine and a thread that stores its events. With `file`, the events are also stored there, and the
    /// journal continues with the events of an earlier process.
    pub fn start(root: &Path, file: Option<&Path>) -> Result<Self> {
        let (backlog, instance) = EventBacklog::restore(root, file);
        let (notifier, notifications) = channel();
        let wake = move || {
            // At the end, the receiver has been dropped.
            let _ = notifier.send(());
        };
        let engine = Engine::start(root.to_path_buf(), Arc::new(wake))?;
        let engine = Arc::new(Mutex::new(engine));
        let backlog = Arc::new(Mutex::new(backlog));
        let (weak_engine, event_backlog) = (Arc::downgrade(&engine), Arc::clone(&backlog));
        let root: PathBuf = root.to_path_buf();
        let pump = move || {
            while notifications.recv().is_ok() {
                let Some(engine) = weak_engine.upgrade() else {
                    return;
                };
                let next = || lock(&engine).try_recv();
                while let Some(event) = next() {
                    lock(&event_backlog).append_event(event, &root);
                }
            }
        };
        let thread = std::thread::Builder::new().name("journal".into());
        let started = thread.spawn(pump);
        started.map_err(|error| Problem::thread_not_started(&error))?;
        Ok(Self { engine, backlog, instance })
    }

    /// Calls `f` with the engine.
    pub fn with_engine<T>(&self, f: impl FnOnce(&Engine) -> T) -> T {
        f(&lock(&self.engine))
    }

    /// Sends a client the events that it missed, and all later ones.
    pub fn subscribe(&self, instance: u64, number: u64, client: Sender<Outgoing>) {
        let last_seen = if instance == self.instance { number } else { 0 };
        let mut backlog = lock(&self.backlog);
        let mut missed = backlog.entries.iter().filter(|entry| entry.number > last_seen);
        if missed.all(|entry| client.send(Arc::clone(&entry.frame)).is_ok()) {
            backlog.clients.push(client);
        }
    }

    /// Ends the engine, which saves the current run.
    pub fn shut_down(self) {
        // The event thread may hold the engine for a moment; only the last owner waits for its end.
        while Arc::strong_count(&self.engine) > 1 {
            std::thread::sleep(Duration::from_millis(1));
        }
    }

    /// Returns whether this job was already reported, by this process or an earlier one.
    pub fn has_job(&self, job: JobId) -> bool {
        lock(&self.backlog).jobs.contains(&job)
    }

    /// Returns whether a job is running or will start by itself.
    pub fn is_busy(&self) -> bool {
        !lock(&self.backlog).busy.is_empty()
    }

    /// Returns whether this run is being trained.
    pub fn is_training(&self, run: &str) -> bool {
        lock(&self.backlog).current_run.as_deref() == Some(run)
    }
}

impl EventBacklog {
    /// Returns the events of an earlier process, and the number that identifies the journal.
    fn restore(root: &Path, file: Option<&Path>) -> (Self, u64) {
        let mut backlog = Self::default();
        let Some(file) = file else {
            return (backlog, random_instance_id());
        };
        let (mut record, events) =
            continue_record(file, Hello::new(root.to_path_buf(), random_instance_id()));
        for (number, event) in events {
            backlog.jobs.extend(event.job);
            backlog.last = number;
            let event = Box::new(event);
            if let Ok(frame) = Frame::new(ServerMessage::Event { number, event }, &[]) {
                backlog.push(number, false, Arc::new(frame));
            }
        }
        backlog.last = backlog.last.max(record.number_base);
        record.write_all(backlog.entries.iter().map(|entry| &entry.frame));
        let instance = record.hello.instance;
        backlog.record = Some(record);
        (backlog, instance)
    }

    fn append_event(&mut self, job_event: JobEvent, root: &Path) {
        self.update_state(&job_event);
        self.last += 1;
        self.jobs.extend(job_event.job);
        let has_job = job_event.job.is_some();
        let is_transient = matches!(job_event.event, Event::Progress { .. } | Event::Phase { .. });
        let event = Box::new(with_relative_runs(remove_non_finite(job_event), root));
        let number = self.last;
        let frame = Frame::new(ServerMessage::Event { number, event }, &[]);
        // A client must learn of an event that is too large for a frame, so that it does not wait for it.
        let refuse = |problem| Frame::new(ServerMessage::Refused { number: 0, problem }, &[]);
        let frame = frame.or_else(refuse);
        let Ok(frame) = frame.map(Arc::new) else {
            return;
        };
        self.clients.retain(|client| client.send(Arc::clone(&frame)).is_ok());
        if let Some(record) = self.record.as_mut().filter(|_| has_job && !is_transient) {
            let entries = self.entries.iter().filter(|entry| !entry.is_transient);
            record.append(&frame, entries.map(|entry| &entry.frame).chain([&frame]));
        }
        self.push(number, is_transient, frame);
    }

    fn push(&mut self, number: u64, is_transient: bool, frame: Outgoing) {
        self.bytes += frame.as_bytes().len();
        self.entries.push_back(Entry { number, is_transient, frame });
        while self.bytes > MAX_BYTES {
            let oldest = self.entries.iter().position(|entry| entry.is_transient);
            let Some(removed) = self.entries.remove(oldest.unwrap_or(0)) else {
                return;
            };
            self.bytes -= removed.frame.as_bytes().len();
        }
    }

    fn update_state(&mut self, job_event: &JobEvent) {
        let Some(id) = job_event.job else { return };
        match &job_event.event {
            Event::Queued { job, .. } if job.held => drop(self.busy.remove(&id)),
            Event::Queued { .. } | Event::Began(_) => drop(self.busy.insert(id)),
            Event::Started(header) => self.current_run = Some(header.run.clone()),
            Event::Cell { standing, .. } if *standing != CellState::AtWork => {
                self.current_run = None;
            }
            Event::Removed(_) => drop(self.busy.remove(&id)),
            event if event.ends_job() => {
                self.busy.remove(&id);
                self.current_run = None;
            }
            _ => {}
        }
    }
}

/// Removes losses and measurements that are not finite, because JSON cannot represent them.
fn remove_non_finite(mut job_event: JobEvent) -> JobEvent {
    if let Event::Progress { progress, .. } = &mut job_event.event {
        progress.losses.retain(|loss| loss.is_finite());
        progress.measured.retain(|_, value| value.is_finite());
    }
    job_event
}
