//! The interface between the session and the engine. In tests, recorded events replace the engine.

use std::collections::VecDeque;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::problem::Problem;
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
        match command {
            Command::Queue(job) => {
                let told = self.queue.put(Job::clone(job), usize::MAX);
                self.changed([told]);
            }
            Command::Stop(job) if self.queue.take(*job).is_some() => {
                self.changed([Event::Removed(*job)]);
            }
            Command::Move { job, place } => {
                let told = self.queue.shift(*job, *place);
                self.changed(told);
            }
            Command::Hold(held) => {
                let told = self.queue.hold(*held);
                self.changed(told);
            }
            Command::Release(job) => {
                let told = self.queue.release(*job);
                self.changed(told);
            }
            Command::Stop(_)
            | Command::Predict(_)
            | Command::Inside(_)
            | Command::Sheet(_)
            | Command::Doubts(_)
            | Command::StopSheet(_)
            | Command::ForgetData
            | Command::Shutdown => {}
        }
        self.begin();
    }

    fn push(&mut self, event: Event) {
        let ends = matches!(
            event,
            Event::Finished { .. } | Event::Stopped { .. } | Event::Failed { .. }
        );
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
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
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
