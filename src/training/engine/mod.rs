//! The thread that owns every tensor and device: takes Commands, sends Events.
//!
//! Jobs wait in the queue, which only the engine changes and stores on disk. Other requests are served between two
//! batches of the running job (`scheduler`). A panic in a job becomes a `Failed` event, and the thread continues. A
//! callback wakes the front end, so the engine does not depend on the window.

mod cells;
mod features;
mod grids;
mod helper;
mod inside;
mod predictions;
mod scheduler;
mod searches;
mod sink;
mod tables;
mod work;

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, TryRecvError, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use crate::device;
use crate::experiment::Stock;
use crate::experiment::shelf::Prepared;
use crate::message;
use crate::problem::{Problem, Result};
use crate::run::diary;
use crate::run::event::{Command, Control, Event, Wish};
use crate::run::job::{Job, JobId};
use crate::run::queue::{JobEvent, Queue, job_of};
use crate::store::QueueFile;
use scheduler::{LoadPredictor, Scheduler};
use tables::{TableKind, TableRequest};

/// Wakes the front end when an event waits.
pub type Wake = Arc<dyn Fn() + Send + Sync>;

/// A handle on the engine thread. Dropping it stops the running job (saved) and ends the thread.
pub struct Engine {
    messages: Sender<Message>,
    events: Receiver<JobEvent>,
    /// Pauses, resumes and stops the running job.
    pub control: Control,
    thread: Option<JoinHandle<()>>,
}

impl Engine {
    /// Starts the thread; new runs are kept under `runs_root`.
    ///
    /// # Errors
    /// Returns a Problem if the system gives no thread.
    pub fn start(runs_root: PathBuf, wake: Wake) -> Result<Self> {
        Self::start_with(runs_root, wake, Arc::new(Prepared::ahead))
    }

    /// Starts the thread with a different function for loading predictors.
    fn start_with(runs_root: PathBuf, wake: Wake, load: LoadPredictor) -> Result<Self> {
        let (messages, inbox) = channel();
        let (outbox, events) = channel();
        let control = Control::default();
        let stock = Stock::default();
        let state = EngineState {
            inbox,
            control: control.clone(),
            scheduler: Scheduler::new(load, stock.clone(), messages.clone()),
            stock,
            running: None,
            pending: None,
            queue: Queue::default(),
            file: QueueFile::below(&runs_root),
            unkept: false,
            device_errors: device::errors(),
            outbox,
            wake,
            ending: false,
        };
        let thread = std::thread::Builder::new()
            .name("lae-engine".into())
            .spawn(move || work::serve(state, &runs_root))
            .map_err(|error| {
                Problem::new(message!(
                    "problem-engine-thread-not-started",
                    error = error.to_string()
                ))
            })?;
        Ok(Self {
            messages,
            events,
            control,
            thread: Some(thread),
        })
    }

    /// Asks for something; never waits. A dead engine shows as an event, not here.
    pub fn send(&self, command: Command) {
        // The receiver lives as long as the thread; a send can only fail after Shutdown.
        let _ = self.messages.send(Message::Command(command));
    }

    /// The next event, if one waits; never waits itself.
    pub fn try_recv(&self) -> Option<JobEvent> {
        self.events.try_recv().ok()
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        self.control.set(Wish::Stop);
        self.send(Command::Shutdown);
        if let Some(thread) = self.thread.take() {
            wait_for(thread, PATIENCE);
        }
    }
}

/// How long a closed window waits for the engine to come to rest. A driver that hangs never does;
/// what a batch that is cut off costs is no more than what a kill costs.
const PATIENCE: Duration = Duration::from_secs(15);

/// Waits for a thread to end, but not longer than this; true when it has.
fn wait_for(thread: JoinHandle<()>, patience: Duration) -> bool {
    let begun = Instant::now();
    while !thread.is_finished() {
        if begun.elapsed() > patience {
            return false;
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    // A panic was already reported as an event; there is nobody left to report to.
    let _ = thread.join();
    true
}

/// What is in the engine thread's inbox.
enum Message {
    /// Something is asked.
    Command(Command),
    /// A helper thread has a result for the scheduler.
    Wake,
}

/// The engine thread's side of the channels.
struct EngineState {
    inbox: Receiver<Message>,
    control: Control,
    stock: Stock,
    running: Option<JobId>,
    /// The job at work while its run has no folder, and an added task as long as it lasts: only the
    /// queue's file knows of it.
    pending: Option<Job>,
    queue: Queue,
    file: QueueFile,
    /// Whether it was reported that the queue cannot be saved.
    unkept: bool,
    scheduler: Scheduler,
    /// How many errors of devices were followed already.
    device_errors: usize,
    outbox: Sender<JobEvent>,
    wake: Wake,
    ending: bool,
}

impl EngineState {
    /// Handles one message of the inbox.
    fn handle(&mut self, message: Message) {
        match message {
            Message::Command(command) => self.sort(command),
            Message::Wake => {}
        }
    }

    /// Sorts one command into its queue.
    fn sort(&mut self, command: Command) {
        diary::asked(&command);
        match command {
            Command::Predict(request) => self.scheduler.add(request),
            Command::Inside(request) => self.scheduler.add(request),
            Command::Sheet(request) => {
                let kind = TableKind::Sheet(*request);
                self.scheduler.add(TableRequest::new(kind));
            }
            Command::Doubts(request) => {
                let kind = TableKind::Doubts(request);
                self.scheduler.add(TableRequest::new(kind));
            }
            Command::StopSheet(ticket) => self.scheduler.cancel(ticket),
            Command::Queue(job) => {
                let told = self.queue.put(*job, usize::MAX);
                self.changed([told]);
            }
            Command::Move { job, place } => {
                let told = self.queue.shift(job, place);
                self.changed(told);
            }
            Command::Hold(held) => {
                let told = self.queue.hold(held);
                self.changed(told);
            }
            Command::Release(job) => {
                let told = self.queue.release(job);
                self.changed(told);
            }
            Command::Stop(job) => self.stop(job),
            Command::ForgetData => {
                self.stock.forget_data();
                self.scheduler.resources.features.clear();
            }
            Command::Shutdown => self.ending = true,
        }
    }

    /// Stops the job at work, or takes one out of the queue. One that has ended meanwhile is left.
    fn stop(&mut self, job: JobId) {
        if self.running == Some(job) {
            self.control.set(Wish::Stop);
        } else if self.queue.take(job).is_some() {
            self.changed([Event::Removed(job)]);
        }
    }

    /// Reports changes of the queue and saves it.
    fn changed(&mut self, events: impl IntoIterator<Item = Event>) {
        for event in events {
            self.tell(job_of(&event), event);
        }
        self.keep();
    }

    /// Saves the queue to disk; a failure is reported once, because the jobs still run.
    fn keep(&mut self) {
        let jobs: Vec<&Job> = self.pending.iter().chain(self.queue.jobs()).collect();
        let kept = self.file.save(&jobs);
        let known = std::mem::replace(&mut self.unkept, kept.is_err());
        if let Err(problem) = kept
            && !known
        {
            let run = String::new();
            self.tell(None, Event::Remark { run, problem });
        }
    }

    /// Takes up the queue that an earlier program left. Nothing begins by itself: who opens the
    /// program again may not want that, least of all if one of these jobs brought it down.
    fn restore(&mut self) {
        let (jobs, problem) = self.file.load();
        for job in jobs {
            let told = self.queue.put(job, usize::MAX);
            self.changed([told]);
        }
        if let Some(problem) = problem {
            let run = String::new();
            self.tell(None, Event::Remark { run, problem });
        }
    }

    /// Takes in everything that waits, without waiting.
    fn take_in(&mut self) {
        loop {
            match self.inbox.try_recv() {
                Ok(message) => self.handle(message),
                Err(TryRecvError::Empty) => return,
                Err(TryRecvError::Disconnected) => {
                    self.ending = true;
                    return;
                }
            }
        }
    }

    fn tell(&self, job: Option<JobId>, event: Event) {
        diary::of_engine(job, &event);
        // The front end may be gone already; then nobody wants the event.
        let _ = self.outbox.send(JobEvent { job, event });
        (self.wake)();
    }

    /// Drops what is on a device that was lost or full, wherever that was noticed.
    fn follow_device_errors(&mut self) {
        let device_errors = device::errors();
        if std::mem::replace(&mut self.device_errors, device_errors) != device_errors {
            self.let_go();
        }
    }

    /// Drops what is on a device.
    fn let_go(&mut self) {
        self.scheduler.drop_predictors();
        self.stock.forget_backbones();
    }

    /// Computes one piece of a request other than training. Returns whether there was one.
    fn serve_one(&mut self) -> bool {
        self.follow_device_errors();
        let worked = self.scheduler.run_one();
        while let Some(event) = self.scheduler.events.pop_front() {
            self.tell(None, event);
        }
        worked
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests;
