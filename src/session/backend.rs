//! The seam between the session and the engine, so that recorded events can stand in for it.

use std::collections::VecDeque;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::problem::Problem;
use crate::run::event::{Command, Control, Event, Wish};
use crate::run::job::{Job, JobId};
use crate::run::queue::{JobEvent, Queue, job_of};

/// Where the engine works.
#[derive(Clone, Debug, Default)]
pub enum Whose {
    /// On a thread of this process.
    #[default]
    Thread,
    /// In a process of its own, which is this program: a driver that crashes ends that and no window.
    Process(PathBuf),
}

/// Whatever trains and predicts: takes commands, tells events, never makes the caller wait.
pub trait Backend {
    /// Hands a command over.
    fn send(&mut self, command: Command);
    /// The next event, if one is there.
    fn try_recv(&mut self) -> Option<JobEvent>;
    /// What the person wants of the job at work.
    fn wish(&self, wish: Wish);
    /// The same of this job alone, if it is at work. A stop is told by the command as well, which is read later.
    fn wish_for(&self, job: JobId, wish: Wish);
    /// Why it cannot be reached at the moment, if so.
    fn trouble(&self) -> Option<Problem> {
        None
    }
}

/// A backend that plays recorded events back and remembers what it was asked. Jobs begin and wait
/// as the engine would have it; an event that ends a run lets the next one begin.
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
        // Tests may tell of a run that nobody asked for.
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

    /// Adds an event to be told, of the run at work unless it belongs to none.
    pub fn push(&self, event: Event) {
        self.state().push(event);
    }

    /// What was asked so far.
    pub fn asked(&self) -> Vec<Command> {
        self.state().asked.clone()
    }

    /// The person's present wish.
    pub fn wished(&self) -> Wish {
        self.control.wish()
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

    fn wish(&self, wish: Wish) {
        self.control.set(wish);
    }

    fn wish_for(&self, _: JobId, wish: Wish) {
        self.control.set(wish);
    }
}
