//! Repeats a run with a smaller micro-batch after its device ran out of memory.

use std::ops::ControlFlow;
use std::path::Path;

use super::{Changes, Outcome, ResourceCache, resume_once};
use crate::device;
use crate::message;
use crate::panics::catch_panic_as_problem;
use crate::problem::{Problem, Result};
use crate::run::event::{Control, Event, Sink};
use crate::run::event_log::LoggedSink;
use crate::store::{self, RunFolder};

/// Runs a training to its end. Whenever the device runs out of memory, resumes from the last saved epoch with half
/// the micro-batch; `changes` are those with which it was started.
///
/// # Errors
/// Returns the Problem that ended the run. This includes a device that is out of memory even for one image, and a
/// device that was lost and can only be opened again by a new process.
pub(super) fn run_with_retries(
    folder: &Path,
    changes: &Changes<'_>,
    cache: &ResourceCache,
    sink: &mut LoggedSink<'_>,
    control: &Control,
    start: impl FnOnce(&mut LoggedSink<'_>) -> Result<Outcome>,
) -> Result<Outcome> {
    let losses = device::lost_count();
    let mut changes = *changes;
    // Clears the flag that earlier work may have set.
    device::take_out_of_memory();
    let mut result = catch_panic_as_problem(|| start(sink));
    loop {
        let problem = match result {
            Err(problem) if problem.is("problem-device-out-of-memory") => problem,
            ended => return ended,
        };
        let lost = device::lost_count() > losses;
        let (run, micro_batch) = match reduced_micro_batch(folder, &changes, lost, problem) {
            ControlFlow::Continue(next) => next,
            ControlFlow::Break(problem) => return Err(problem),
        };
        let images = message!("count-images", n = micro_batch);
        let what = message!(
            "problem-continues-with-fewer-images",
            out_of_memory = message!("problem-device-out-of-memory"),
            images
        );
        let problem = Problem::new(what)
            .at("--micro-batch")
            .advise(message!("advice-continues-from-last-epoch"));
        sink.event(Event::Remark { run, problem });
        // Weights and tensors may be incomplete, since writes failed while the memory was full.
        cache.forget_backbones();
        device::free_unused_memory();
        device::take_out_of_memory();
        changes.micro_batch = Some(micro_batch);
        result = catch_panic_as_problem(|| resume_once(folder, &changes, cache, sink, control));
    }
}

/// Returns the run's name and its next micro-batch size, or breaks with a Problem if this process cannot continue.
fn reduced_micro_batch(
    folder: &Path,
    changes: &Changes<'_>,
    lost: bool,
    problem: Problem,
) -> ControlFlow<Problem, (String, usize)> {
    let stored_run = RunFolder::open(folder).and_then(|lock| Ok((lock, store::load_run(folder)?)));
    let Ok((lock, mut stored_run)) = stored_run else {
        return ControlFlow::Break(problem);
    };
    let config = &mut stored_run.header.config;
    // The run records changes only once it has resumed, which may not have happened.
    let current = changes.micro_batch.or(config.micro_batch);
    let current = current.unwrap_or(config.batch).min(config.batch);
    if current < 2 {
        return ControlFlow::Break(problem);
    }
    let smaller = current.div_ceil(2);
    if !lost {
        return ControlFlow::Continue((stored_run.header.run, smaller));
    }
    // Kept in the settings, so it need not be given when the run is resumed.
    config.micro_batch = Some(smaller);
    if lock.save_header(&stored_run.header).is_err() {
        return ControlFlow::Break(problem);
    }
    let images = message!("count-images", n = smaller);
    ControlFlow::Break(problem.at("--micro-batch").advise(message!(
        "advice-restart-with-smaller-batches",
        images,
        at_once = current.to_string()
    )))
}
