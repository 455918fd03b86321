//! The interface between the session and the engine. In tests, recorded events replace the engine.

use std::collections::VecDeque;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::engine::Engine;
use crate::problem::Problem;
use crate::remote::{News, Remote};
use crate::run::event::{Command, Control, ControlRequest, Event};
use crate::run::job::{Job, JobId};
use crate::run::queue::{JobEvent, Queue, job_of};

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
    fn control_running(&self, wish: ControlRequest);
    /// Pauses, resumes or stops this job if it is running. A stop is also sent as a command, which is read later.
    fn control_job(&self, job: JobId, wish: ControlRequest);
    /// Returns why the engine cannot be reached at the moment; `None` if it can be reached.
    fn trouble(&self) -> Option<Problem> {
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

    fn control_running(&self, wish: ControlRequest) {
        self.control.set(wish);
    }

    fn control_job(&self, job: JobId, wish: ControlRequest) {
        self.control.set_for(job, wish);
    }
}

/// The engine in a child process.
impl Backend for Remote {
    fn send(&mut self, command: Command) {
        Remote::send(self, command);
    }

    /// Returns the next event. An error of the connection to the process becomes a remark.
    fn try_recv(&mut self) -> Option<JobEvent> {
        let mut news = std::iter::from_fn(|| Remote::try_recv(self));
        news.find_map(|news| {
            let problem = match news {
                News::Event(told) => return Some(*told),
                News::Broken(problem) | News::Lost(problem) | News::Refused(problem) => problem,
                News::Here(_) | News::Caught | News::Home(..) | News::Answer(_) => return None,
            };
            let run = String::new();
            let event = Event::Remark { run, problem };
            Some(JobEvent { job: None, event })
        })
    }

    fn control_running(&self, wish: ControlRequest) {
        Remote::control_running(self, wish);
    }

    fn control_job(&self, job: JobId, wish: ControlRequest) {
        Remote::control_job(self, job, wish);
    }
}

/// A backend that replays recorded events and records the commands it gets. Jobs start and wait as with the engine; an
/// event that ends a run starts the next one.
#[derive(Clone, Default)]
pub struct Recorded {
    state: Arc<Mutex<State>>,
    control: Control,
}

#[derive(Default)]
struct State {
    events: VecDeque<JobEvent>,
    asked: Vec<Command>,
    queue: Queue,
    running_job: Option<JobId>,
}

impl State {
    fn changed(&mut self, events: impl IntoIterator<Item = Event>) {
        let told = events.into_iter().map(|event| JobEvent {
            job: job_of(&event),
            event,
        });
        self.events.extend(told);
    }

    fn begin(&mut self) {
        if self.running_job.is_none()
            && let Some(job) = self.queue.begin()
        {
            self.running_job = Some(job.id);
            self.changed([Event::Began(job.id)]);
        }
    }

    fn take(&mut self, command: &Command) {
        let told: Vec<Event> = match command {
            Command::Queue(job) => vec![self.queue.put(Job::clone(job), usize::MAX)],
            Command::Stop(job) => {
                let removed = self.queue.take(*job);
                removed.map(|_| Event::Removed(*job)).into_iter().collect()
            }
            Command::Move { job, place } => self.queue.shift(*job, *place).into_iter().collect(),
            Command::Hold(held) => self.queue.hold(*held),
            Command::Release(job) => self.queue.release(*job).into_iter().collect(),
            Command::Predict(_)
            | Command::Inside(_)
            | Command::Sheet(_)
            | Command::Doubts(_)
            | Command::StopSheet(_)
            | Command::ForgetData
            | Command::Shutdown => Vec::new(),
        };
        self.changed(told);
        self.begin();
    }

    fn push(&mut self, event: Event) {
        let ends = event.ends_job();
        let free = matches!(
            event,
            Event::Predicted(_)
                | Event::NotPredicted { .. }
                | Event::Inside(_)
                | Event::NotInside { .. }
                | Event::Sheet { .. }
                | Event::Doubts { .. }
        );
        if free {
            self.events.push_back(JobEvent { job: None, event });
            return;
        }
        // Tests can send events of a run that was not requested.
        let job = Some(*self.running_job.get_or_insert_with(JobId::fresh));
        self.events.push_back(JobEvent { job, event });
        if ends {
            self.running_job = None;
            self.begin();
        }
    }
}

impl Recorded {
    fn state(&self) -> MutexGuard<'_, State> {
        lock(&self.state)
    }

    /// Adds an event. It belongs to the current job, unless it is an event without a job.
    pub fn push(&self, event: Event) {
        self.state().push(event);
    }

    /// Returns all commands received so far.
    pub fn asked(&self) -> Vec<Command> {
        self.state().asked.clone()
    }

    /// Returns the last request for the running job: pause, resume or stop.
    pub fn wished(&self) -> ControlRequest {
        self.control.request()
    }
}

impl Backend for Recorded {
    fn send(&mut self, command: Command) {
        let mut state = self.state();
        state.take(&command);
        state.asked.push(command);
    }

    fn try_recv(&mut self) -> Option<JobEvent> {
        self.state().events.pop_front()
    }

    fn control_running(&self, wish: ControlRequest) {
        self.control.set(wish);
    }

    fn control_job(&self, _: JobId, wish: ControlRequest) {
        self.control.set(wish);
    }
}

/// Locks a mutex whose value is consistent whenever the lock is free.
pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
