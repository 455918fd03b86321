//! The thread that owns all tensors and devices: it receives commands and sends events.
//!
//! Jobs wait in the queue, which only the engine changes and stores on disk. Other requests are served between two
//! batches of the running job (`scheduler`). A panic in a job becomes a `Failed` event, and the thread continues. A
//! callback wakes the front end, so the engine does not depend on the window.

mod features;
mod grids;
mod helper;
mod requests;
mod run_loop;
mod scheduler;
mod sink;
mod tables;

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, TryRecvError, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use crate::device;
use crate::experiment::ResourceCache;
use crate::experiment::predictor_cache::{PredictorCache, PreparedPredictor};
use crate::experiment::speed::measure_processor_speed;
use crate::panics::catch_panic_as_problem;
use crate::problem::{Problem, Result};
use crate::run::event::{Command, Control, ControlRequest, Event};
use crate::run::event_log;
use crate::run::job::{Job, JobId};
use crate::run::queue::{JobEvent, Queue, changed_job_id};
use crate::store::QueueFile;
use scheduler::{LoadPredictor, Scheduler};
use tables::{TableKind, TableRequest};

/// Called when an event is available, to wake the front end.
pub type Wake = Arc<dyn Fn() + Send + Sync>;

/// A handle on the engine thread. Dropping it stops and saves the running job, and ends the thread.
pub struct Engine {
    messages: Sender<Message>,
    events: Receiver<JobEvent>,
    /// Pauses, resumes and stops the running job.
    pub control: Control,
    thread: Option<JoinHandle<()>>,
}

impl Engine {
    /// Starts the thread; new runs are stored in `runs_root`.
    ///
    /// # Errors
    /// Returns a Problem if no thread can be started.
    pub fn start(runs_root: PathBuf, wake: Wake) -> Result<Self> {
        Self::start_with(runs_root, wake, Arc::new(PreparedPredictor::load))
    }

    /// Starts the thread with a different function for loading predictors.
    fn start_with(runs_root: PathBuf, wake: Wake, load: LoadPredictor) -> Result<Self> {
        let (messages, inbox) = channel();
        let (outbox, events) = channel();
        let control = Control::default();
        let cache = ResourceCache::default();
        let state = EngineState {
            inbox,
            control: control.clone(),
            scheduler: Scheduler::new(load, cache.clone(), messages.clone()),
            cache,
            running: None,
            pending: None,
            queue: Queue::default(),
            file: QueueFile::local(&runs_root),
            save_failure_reported: false,
            is_measured: false,
            device_errors: device::error_count(),
            outbox,
            wake,
            is_shutting_down: false,
        };
        let thread = std::thread::Builder::new()
            .name("lae-engine".into())
            .spawn(move || run_loop::serve(state, &runs_root))
            .map_err(|error| Problem::thread_not_started(&error))?;
        Ok(Self { messages, events, control, thread: Some(thread) })
    }

    /// Sends a command; never blocks. If the engine has ended, an event reports it.
    pub fn send(&self, command: Command) {
        // The receiver lives as long as the thread, so sending fails only after Shutdown.
        let _ = self.messages.send(Message::Command(command));
    }

    /// Returns the next event, if there is one; never blocks.
    pub fn try_recv(&self) -> Option<JobEvent> {
        self.events.try_recv().ok()
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        self.control.set(ControlRequest::Stop);
        self.send(Command::Shutdown);
        if let Some(thread) = self.thread.take() {
            wait_for(thread, PATIENCE);
        }
    }
}

/// Longest wait for the engine when the window closes. A driver that hangs never returns; interrupting a batch then
/// loses no more than a kill.
const PATIENCE: Duration = Duration::from_secs(15);

/// Waits for a thread to end, at most this long; returns whether it has ended.
fn wait_for(thread: JoinHandle<()>, patience: Duration) -> bool {
    let start = Instant::now();
    while !thread.is_finished() {
        if start.elapsed() > patience {
            return false;
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    // A panic was already reported as an event.
    let _ = thread.join();
    true
}

/// A message in the inbox of the engine thread.
enum Message {
    /// A command of the front end.
    Command(Command),
    /// A helper thread has a result for the scheduler.
    Wake,
}

/// The state of the engine thread.
struct EngineState {
    inbox: Receiver<Message>,
    control: Control,
    cache: ResourceCache,
    running: Option<JobId>,
    /// The running job while its run has no folder yet, and an added task until it ends: only the queue file records
    /// them.
    pending: Option<Job>,
    queue: Queue,
    file: QueueFile,
    /// Whether a failure to save the queue was reported.
    save_failure_reported: bool,
    /// Whether the speed of the processor was measured.
    is_measured: bool,
    scheduler: Scheduler,
    /// Number of device errors that were handled.
    device_errors: usize,
    outbox: Sender<JobEvent>,
    wake: Wake,
    is_shutting_down: bool,
}

impl EngineState {
    /// Handles one message of the inbox.
    fn handle(&mut self, message: Message) {
        match message {
            Message::Command(command) => self.dispatch(command),
            Message::Wake => {}
        }
    }

    /// Adds a command to its queue.
    fn dispatch(&mut self, command: Command) {
        event_log::log_command(&command);
        match command {
            Command::Predict(request) => self.scheduler.add(request),
            Command::Inside(request) => {
                self.scheduler.resources.features.forget_failures();
                self.scheduler.add(request);
            }
            Command::Sheet(request) => {
                let kind = TableKind::PredictionTable(*request);
                self.scheduler.add(TableRequest::new(kind));
            }
            Command::Doubts(request) => {
                let kind = TableKind::LabelCheck(request);
                self.scheduler.add(TableRequest::new(kind));
            }
            Command::StopSheet(ticket) => self.scheduler.cancel(ticket),
            Command::Queue(job) => {
                let event = self.queue.insert(*job, usize::MAX);
                self.report_queue_changes([event]);
            }
            Command::Move { job, place } => {
                let events = self.queue.move_to(job, place);
                self.report_queue_changes(events);
            }
            Command::Hold(held) => {
                let events = self.queue.set_held(held);
                self.report_queue_changes(events);
            }
            Command::Release(job) => {
                let events = self.queue.release(job);
                self.report_queue_changes(events);
            }
            Command::Stop(job) => self.stop(job),
            Command::ForgetData => {
                self.cache.forget_data();
                self.scheduler.resources.features.clear();
            }
            Command::Shutdown => self.is_shutting_down = true,
        }
    }

    /// Stops the running job, or removes a job from the queue. Ignores jobs that have ended.
    fn stop(&mut self, job: JobId) {
        if self.running == Some(job) {
            self.control.set(ControlRequest::Stop);
        } else if self.queue.remove(job).is_some() {
            self.report_queue_changes([Event::Removed(job)]);
        }
    }

    /// Reports changes of the queue and saves it.
    fn report_queue_changes(&mut self, events: impl IntoIterator<Item = Event>) {
        for event in events {
            self.send_event(changed_job_id(&event), event);
        }
        self.save_queue();
    }

    /// Saves the queue to disk. A failure is reported once, because the jobs still run.
    fn save_queue(&mut self) {
        let jobs: Vec<&Job> = self.pending.iter().chain(self.queue.jobs()).collect();
        let saved = self.file.save(&jobs);
        let already_reported = std::mem::replace(&mut self.save_failure_reported, saved.is_err());
        if let Err(problem) = saved
            && !already_reported
        {
            self.send_remark(problem);
        }
    }

    /// Restores the queue of an earlier process, on hold: the user may not want its jobs to start, especially if one of
    /// them caused a crash.
    fn restore(&mut self) {
        let (jobs, problem) = self.file.load();
        let jobs = jobs.into_iter();
        let events: Vec<Event> = jobs.map(|job| self.queue.insert(job, usize::MAX)).collect();
        // Saved once, because a file with only some of the jobs would lose the others if the process is killed.
        if !events.is_empty() {
            self.report_queue_changes(events);
        }
        if let Some(problem) = problem {
            self.send_remark(problem);
        }
    }

    /// Handles all messages in the inbox, without blocking.
    fn handle_messages(&mut self) {
        loop {
            match self.inbox.try_recv() {
                Ok(message) => self.handle(message),
                Err(TryRecvError::Empty) => return,
                Err(TryRecvError::Disconnected) => {
                    self.is_shutting_down = true;
                    return;
                }
            }
        }
    }

    /// Reports a Problem that concerns no run.
    fn send_remark(&self, problem: Problem) {
        let run = String::new();
        self.send_event(None, Event::Remark { run, problem });
    }

    fn send_event(&self, job: Option<JobId>, event: Event) {
        event_log::log_engine_event(job, &event);
        // If the front end has ended, nobody needs the event.
        let _ = self.outbox.send(JobEvent { job, event });
        (self.wake)();
    }

    /// Drops everything on a device that was lost or out of memory, wherever the error occurred.
    fn handle_device_errors(&mut self) {
        let device_errors = device::error_count();
        if std::mem::replace(&mut self.device_errors, device_errors) != device_errors {
            self.release_devices();
        }
    }

    /// Drops everything on a device.
    fn release_devices(&mut self) {
        self.scheduler.resources.predictors = PredictorCache::default();
        self.cache.forget_backbones();
    }

    /// Measures the speed of the processor.
    fn measure_speed(&mut self) {
        self.is_measured = true;
        // Without a speed, times are guessed.
        if let Ok(speed) = catch_panic_as_problem(measure_processor_speed) {
            self.send_event(None, Event::Speed(speed));
        }
        crate::nn::release_buffers();
    }

    /// Computes one piece of a request other than training. Returns whether there was one.
    fn serve_next_request(&mut self) -> bool {
        self.handle_device_errors();
        let worked = self.scheduler.run_next_step();
        while let Some(event) = self.scheduler.events.pop_front() {
            self.send_event(None, event);
        }
        worked
    }
}

#[cfg(test)]
mod tests;
