//! The interface between the session and the engine. In tests, recorded events replace the engine.

use std::collections::VecDeque;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard};

use crate::engine::Engine;
use crate::problem::Problem;
use crate::remote::{Remote, RemoteEvent};
use crate::run::event::{Command, Control, ControlRequest, Event};
use crate::run::job::{Job, JobId};
use crate::run::queue::{JobEvent, Queue, changed_job_id};
use crate::sync::lock;

/// Where the engine runs.
#[derive(Clone, Debug, Default)]
pub enum EngineHost {
    /// On a thread of this process.
    #[default]
    Thread,
    /// In a child process of this program, so that a crashing driver does not end the window.
    Process(PathBuf),
}

/// An engine: accepts commands and returns events without blocking the caller.
pub trait Backend {
    /// Sends a command.
    fn send(&mut self, command: Command);
    /// Returns the next event, if there is one.
    fn try_recv(&mut self) -> Option<JobEvent>;
    /// Pauses, resumes or stops the running job.
    fn control_running(&self, request: ControlRequest);
    /// Pauses, resumes or stops this job if it is running. A stop is also sent as a command, which is read later.
    fn control_job(&self, job: JobId, request: ControlRequest);
    /// Returns why the engine cannot be reached at the moment; `None` if it can be reached.
    fn connection_problem(&self) -> Option<Problem> {
        None
    }
}

/// The engine on a thread of this process.
impl Backend for Engine {
    fn send(&mut self, command: Command) {
        Engine::send(self, command);
    }

    fn try_recv(&mut self) -> Option<JobEvent> {
        Engine::try_recv(self)
    }

    fn control_running(&self, request: ControlRequest) {
        self.control.set(request);
    }

    fn control_job(&self, job: JobId, request: ControlRequest) {
        self.control.set_for(job, request);
    }
}

/// The engine in a child process.
impl Backend for Remote {
    fn send(&mut self, command: Command) {
        Remote::send(self, command);
    }

    /// Returns the next event. An error of the connection to the process becomes a remark.
    fn try_recv(&mut self) -> Option<JobEvent> {
        let mut events = std::iter::from_fn(|| Remote::try_recv(self));
        events.find_map(|event| {
            let problem = match event {
                RemoteEvent::Event(event) => return Some(*event),
                RemoteEvent::Disconnected(problem)
                | RemoteEvent::Lost(problem)
                | RemoteEvent::DownloadFailed(_, problem)
                | RemoteEvent::RequestFailed(problem) => problem,
                RemoteEvent::Connected(_)
                | RemoteEvent::CaughtUp
                | RemoteEvent::RunDownloaded(..)
                | RemoteEvent::Response(_) => return None,
            };
            let run = String::new();
            let event = Event::Remark { run, problem };
            Some(JobEvent { job: None, event })
        })
    }

    fn control_running(&self, request: ControlRequest) {
        Remote::control_running(self, request);
    }

    fn control_job(&self, job: JobId, request: ControlRequest) {
        Remote::control_job(self, job, request);
    }
}

/// A backend that replays recorded events and records the commands it gets. Jobs start and wait as with the engine; an
/// event that ends a run starts the next one.
#[derive(Clone, Default)]
pub struct RecordedBackend {
    state: Arc<Mutex<State>>,
    control: Control,
}

#[derive(Default)]
struct State {
    events: VecDeque<JobEvent>,
    commands: Vec<Command>,
    queue: Queue,
    running_job: Option<JobId>,
}

impl State {
    fn push_events(&mut self, events: impl IntoIterator<Item = Event>) {
        let job_events =
            events.into_iter().map(|event| JobEvent { job: changed_job_id(&event), event });
        self.events.extend(job_events);
    }

    fn start_next_job(&mut self) {
        if self.running_job.is_none()
            && let Some(job) = self.queue.pop_next()
        {
            self.running_job = Some(job.id);
            self.push_events([Event::Began(job.id)]);
        }
    }

    fn handle_command(&mut self, command: &Command) {
        let events: Vec<Event> = match command {
            Command::Queue(job) => vec![self.queue.insert(Job::clone(job), usize::MAX)],
            Command::Stop(job) => {
                let removed = self.queue.remove(*job);
                removed.map(|_| Event::Removed(*job)).into_iter().collect()
            }
            Command::Move { job, place } => self.queue.move_to(*job, *place).into_iter().collect(),
            Command::Hold(held) => self.queue.set_held(*held),
            Command::Release(job) => self.queue.release(*job).into_iter().collect(),
            Command::Predict(_)
            | Command::Inside(_)
            | Command::Sheet(_)
            | Command::Doubts(_)
            | Command::StopSheet(_)
            | Command::ForgetData
            | Command::Shutdown => Vec::new(),
        };
        self.push_events(events);
        self.start_next_job();
    }

    fn push(&mut self, event: Event) {
        let ends = event.ends_job();
        let has_no_job = matches!(
            event,
            Event::Predicted(_)
                | Event::NotPredicted { .. }
                | Event::Inside(_)
                | Event::NotInside { .. }
                | Event::Sheet { .. }
                | Event::Doubts { .. }
        );
        if has_no_job {
            self.events.push_back(JobEvent { job: None, event });
            return;
        }
        // Tests can send events of a run that was not requested.
        let job = Some(*self.running_job.get_or_insert_with(JobId::generate));
        self.events.push_back(JobEvent { job, event });
        if ends {
            self.running_job = None;
            self.start_next_job();
        }
    }
}

impl RecordedBackend {
    fn state(&self) -> MutexGuard<'_, State> {
        lock(&self.state)
    }

    /// Adds an event. It belongs to the current job, unless it is an event without a job.
    pub fn push(&self, event: Event) {
        self.state().push(event);
    }

    /// Returns all commands received so far.
    pub fn commands(&self) -> Vec<Command> {
        self.state().commands.clone()
    }

    /// Returns the last request for the running job: pause, resume or stop.
    pub fn last_request(&self) -> ControlRequest {
        self.control.request()
    }
}

impl Backend for RecordedBackend {
    fn send(&mut self, command: Command) {
        let mut state = self.state();
        state.handle_command(&command);
        state.commands.push(command);
    }

    fn try_recv(&mut self) -> Option<JobEvent> {
        self.state().events.pop_front()
    }

    fn control_running(&self, request: ControlRequest) {
        self.control.set(request);
    }

    fn control_job(&self, _: JobId, request: ControlRequest) {
        self.control.set(request);
    }
}
