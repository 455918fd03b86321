//! The thread that owns every tensor and device: takes Commands, tells Events.
//!
//! Runs wait in line; predictions are served between two batches of the running one. Every job is
//! fenced: a panic in it becomes a `Failed` event and the thread lives on. The front end is woken
//! through a callback, so the engine knows no window.

use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, TryRecvError, channel};
use std::thread::JoinHandle;

use crate::experiment::predict::PredictorShelf;
use crate::experiment::{self, Outcome, Stock};
use crate::problem::{Problem, Result};
use crate::run::event::{Command, Control, Event, PredictRequest, Sink, Wish};
use crate::tensors::device_problem;

/// Wakes the front end when an event waits.
pub type Wake = Arc<dyn Fn() + Send + Sync>;

/// A handle on the engine thread. Dropping it stops the job in hand (saved) and ends the thread.
pub struct Engine {
    commands: Sender<Command>,
    events: Receiver<Event>,
    /// Pauses, resumes and stops the running job.
    pub control: Control,
    thread: Option<JoinHandle<()>>,
}

impl Engine {
    /// Starts the thread; new runs are kept under `runs_root`.
    ///
    /// # Errors
    /// A Problem when the system gives no thread.
    pub fn start(runs_root: PathBuf, wake: Wake) -> Result<Self> {
        let (commands, inbox) = channel();
        let (outbox, events) = channel();
        let control = Control::default();
        let desk = Desk {
            inbox,
            control: control.clone(),
            stock: Stock::default(),
            working: false,
            waiting: VecDeque::new(),
            predictions: VecDeque::new(),
            shelf: PredictorShelf::default(),
            outbox,
            wake,
            ending: false,
        };
        let thread = std::thread::Builder::new()
            .name("lae-engine".into())
            .spawn(move || serve(desk, &runs_root))
            .map_err(|error| Problem::new(format!("the engine thread did not start: {error}")))?;
        Ok(Self {
            commands,
            events,
            control,
            thread: Some(thread),
        })
    }

    /// Asks for something; never waits. A dead engine shows as an event, not here.
    pub fn send(&self, command: Command) {
        // The receiver lives as long as the thread; a send can only fail after Shutdown.
        let _ = self.commands.send(command);
    }

    /// The next event, if one waits; never waits itself.
    pub fn try_recv(&self) -> Option<Event> {
        self.events.try_recv().ok()
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        self.control.set(Wish::Stop);
        self.send(Command::Shutdown);
        if let Some(thread) = self.thread.take() {
            // A panic was already told as an event; there is nobody left to tell.
            let _ = thread.join();
        }
    }
}

/// The engine thread's side of the channels.
struct Desk {
    inbox: Receiver<Command>,
    control: Control,
    stock: Stock,
    /// Whether a run is at work.
    working: bool,
    waiting: VecDeque<Command>,
    predictions: VecDeque<PredictRequest>,
    shelf: PredictorShelf,
    outbox: Sender<Event>,
    wake: Wake,
    ending: bool,
}

impl Desk {
    /// Sorts one command into its line.
    fn sort(&mut self, command: Command) {
        match command {
            Command::Predict(request) => {
                // A newer stroke makes unanswered older requests worthless.
                self.predictions.retain(|old| old.run != request.run);
                self.predictions.push_back(request);
            }
            Command::Stop => self.stop(),
            Command::ForgetData => self.stock.forget_data(),
            Command::Shutdown => self.ending = true,
            other => self.waiting.push_back(other),
        }
    }

    /// The wish to stop came through the line, so it is meant for everything sent before it.
    fn stop(&mut self) {
        let forgotten = !self.waiting.is_empty();
        self.waiting.clear();
        if self.working {
            self.control.set(Wish::Stop);
        } else if forgotten {
            // It was stopped before it began.
            let run = String::new();
            self.tell(Event::Stopped { run });
        }
    }

    /// Takes in everything that waits, without waiting.
    fn take_in(&mut self) {
        loop {
            match self.inbox.try_recv() {
                Ok(command) => self.sort(command),
                Err(TryRecvError::Empty) => return,
                Err(TryRecvError::Disconnected) => {
                    self.ending = true;
                    return;
                }
            }
        }
    }

    fn tell(&self, event: Event) {
        // The front end may be gone already; then nobody wants the event.
        let _ = self.outbox.send(event);
        (self.wake)();
    }

    /// Answers one snapshot of the oldest request; true when there was one.
    fn predict_one(&mut self) -> bool {
        let Some(mut request) = self.predictions.pop_front() else {
            return false;
        };
        if request.tasks.is_empty() {
            return true;
        }
        let task = request.tasks.remove(0);
        let ticket = request.ticket;
        let answer = fenced(|| self.shelf.predict(&request, task, &self.stock));
        match answer {
            Ok(prediction) => {
                self.tell(Event::Predicted(Box::new(prediction)));
                if !request.tasks.is_empty() {
                    self.predictions.push_front(request);
                }
            }
            Err(problem) => self.tell(Event::NotPredicted { ticket, problem }),
        }
        true
    }
}

/// What a running job sees of the engine: a place for its events, and short jobs in between.
struct JobSink<'a> {
    desk: &'a mut Desk,
    run: String,
}

impl Sink for JobSink<'_> {
    fn event(&mut self, event: Event) {
        if let Event::Started(header) = &event {
            self.run.clone_from(&header.run);
        }
        self.desk.tell(event);
    }

    fn between_batches(&mut self) {
        self.desk.take_in();
        if self.desk.ending {
            self.desk.control.set(Wish::Stop);
        }
        // One snapshot per batch keeps training moving while a slider is played.
        self.desk.predict_one();
    }
}

/// The thread's loop.
fn serve(mut desk: Desk, runs_root: &std::path::Path) {
    loop {
        desk.take_in();
        if desk.ending {
            return;
        }
        if desk.predict_one() {
            continue;
        }
        let Some(command) = desk.waiting.pop_front() else {
            match desk.inbox.recv() {
                Ok(command) => desk.sort(command),
                Err(_) => return,
            }
            continue;
        };
        // A stop was meant for the job before this one; one for this job still lies in the line.
        if desk.control.wish() == Wish::Stop {
            desk.control.set(Wish::Run);
        }
        desk.working = true;
        run_job(&mut desk, command, runs_root);
        desk.working = false;
    }
}

/// Runs one training job to its end and tells how it ended.
fn run_job(desk: &mut Desk, command: Command, runs_root: &std::path::Path) {
    let (stock, control) = (desk.stock.clone(), desk.control.clone());
    let mut sink = JobSink {
        desk,
        run: String::new(),
    };
    let outcome = fenced(|| match &command {
        Command::Train { config } => {
            experiment::train(config, runs_root, &stock, &mut sink, &control)
        }
        Command::Resume { run } => experiment::resume(run, &stock, &mut sink, &control),
        // `sort` keeps the other commands out of this line.
        _ => Err(Problem::new("not a training job")),
    });
    let run = std::mem::take(&mut sink.run);
    let event = match outcome {
        Ok(Outcome::Finished(header)) => Event::Finished { run: header.run },
        Ok(Outcome::Stopped(header)) => Event::Stopped { run: header.run },
        Ok(Outcome::NotBegun) => Event::Stopped { run },
        Err(problem) => Event::Failed { run, problem },
    };
    sink.desk.tell(event);
    // The next job may be far away; this one's scratch memory is better free until then.
    crate::nn::release_buffers();
}

/// Runs a job; a panic inside becomes a Problem.
fn fenced<T>(job: impl FnOnce() -> Result<T>) -> Result<T> {
    catch_unwind(AssertUnwindSafe(job)).unwrap_or_else(|panic| {
        let text = panic
            .downcast_ref::<String>()
            .cloned()
            .or_else(|| panic.downcast_ref::<&str>().map(ToString::to_string))
            .unwrap_or_else(|| "unknown cause".into());
        let device = ["wgpu", "device", "memory", "buffer"];
        Err(if device.iter().any(|word| text.contains(word)) {
            device_problem(&text)
        } else {
            Problem::new(format!("an internal error ended this job: {text}"))
                .advise("what was saved is kept: continue the run; if it fails again, report it")
        })
    })
}
