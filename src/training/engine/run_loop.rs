//! The loop of the engine thread: it serves requests and runs one job after the other.

use std::path::Path;
use std::sync::mpsc::RecvTimeoutError;
use std::time::Duration;

use super::EngineState;
use super::grids::{finish, run_check, run_grid};
use super::sink::JobSink;
use crate::experiment::trial::{try_backbones, try_methods, try_pet};
use crate::experiment::{self, Changes, Outcome};
use crate::panics::catch_panic_as_problem;
use crate::run::event::Event;
use crate::run::job::{Job, JobWork};
use crate::run::trial_result::Trial;

/// The processor is measured after this time without a message, when the window has started.
const IDLE: Duration = Duration::from_secs(1);

/// Runs the loop until the engine ends.
pub(super) fn serve(mut state: EngineState, runs_root: &Path) {
    state.restore();
    loop {
        state.handle_messages();
        if state.is_shutting_down {
            return;
        }
        if state.serve_next_request() {
            continue;
        }
        if let Some(job) = state.queue.pop_next() {
            execute_job(&mut state, job, runs_root);
            continue;
        }
        let next = match state.is_measured {
            false => state.inbox.recv_timeout(IDLE),
            true => state.inbox.recv().map_err(RecvTimeoutError::from),
        };
        match next {
            Ok(message) => state.handle(message),
            Err(RecvTimeoutError::Timeout) => state.measure_speed(),
            Err(RecvTimeoutError::Disconnected) => return,
        }
    }
}

/// Runs a job from beginning to end.
fn execute_job(state: &mut EngineState, job: Job, runs_root: &Path) {
    let id = job.id;
    state.running = Some(id);
    state.pending = Some(job.clone());
    state.control.begin(id);
    state.send_event(Some(id), Event::Began(id));
    // A stop that was meant for this job while it waited is still in the inbox.
    state.handle_messages();
    if state.is_shutting_down {
        return; // It stays in the queue's file.
    }
    let event = run_job(state, &job, runs_root);
    let never_started =
        matches!(&event, Event::Stopped { run } if run.is_empty() || job.restarts_from_scratch());
    if !(state.is_shutting_down && never_started) {
        state.pending = None;
    }
    state.running = None;
    state.send_event(Some(id), event);
    state.save_queue();
    // The next job may start much later, so its buffers are freed.
    crate::nn::release_buffers();
}

/// Runs the work of a job; returns the event that ends the job.
fn run_job(state: &mut EngineState, job: &Job, runs_root: &Path) -> Event {
    let (cache, control) = (state.cache.with_attachments(&job.own), state.control.clone());
    let mut sink = JobSink { state, job: job.id, name: &job.name, run: String::new() };
    let device = job.device.as_deref();
    let trial_event = |trial: Trial| Event::Tried(Box::new(trial));
    let result = catch_panic_as_problem(|| {
        let outcome = match &job.work {
            JobWork::Train(config) => {
                experiment::train(config, runs_root, &cache, &mut sink, &control)
            }
            JobWork::Resume(run) => {
                let changes = Changes { device, micro_batch: job.micro_batch };
                experiment::resume_with(run, &changes, &cache, &mut sink, &control)
            }
            JobWork::Teach { run, source } => {
                experiment::teach(run, source, device, &cache, &mut sink, &control)
            }
            JobWork::Grid(grid) => {
                return run_grid(grid, device, runs_root, &cache, (&mut sink, &control));
            }
            JobWork::Try(config) => {
                let trial = try_methods(config, &cache, &mut sink, &control)?;
                return Ok(finish(trial.map(trial_event), &mut sink));
            }
            JobWork::TryBackbones(config, others) => {
                let trial = try_backbones(config, others, &cache, &mut sink, &control)?;
                return Ok(finish(trial.map(trial_event), &mut sink));
            }
            JobWork::TryPet(config) => {
                let trial = try_pet(config, &cache, &mut sink, &control)?;
                return Ok(finish(trial.map(trial_event), &mut sink));
            }
            JobWork::Check { run, train } => {
                return run_check((run, *train), device, &cache, (&mut sink, &control));
            }
        };
        Ok(match outcome? {
            Outcome::Finished(header) => Event::Finished { run: header.run },
            Outcome::Stopped(header) => Event::Stopped { run: header.run },
            Outcome::NotStarted => Event::Stopped { run: sink.run.clone() },
        })
    });
    let run = sink.run;
    match result {
        Ok(event) => event,
        Err(problem) => {
            // The device may be unusable even if it did not report that it was lost.
            state.release_devices();
            Event::Failed { run, problem }
        }
    }
}
