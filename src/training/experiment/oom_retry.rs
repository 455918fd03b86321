//! Repeats a run with a smaller micro-batch after its device ran out of memory.

use std::ops::ControlFlow;
use std::path::Path;

use super::{Changes, Outcome, ResourceCache, resume_once};
use crate::device;
use crate::fence::catch_panic_as_problem;
use crate::message;
use crate::problem::{Problem, Result};
use crate::run::diary::LoggedSink;
use crate::run::event::{Control, Event, Sink};
use crate::store::{self, RunFolder};

/// Runs a training to its end. Whenever the device runs out of memory, resumes from the last saved epoch with half
/// the micro-batch.
///
/// # Errors
/// Returns the Problem that ended the run. This includes a device that is out of memory even for one image, and a
/// device that was lost and can only be opened again by a new process.
pub(super) fn to_the_end(
    folder: &Path,
    cache: &ResourceCache,
    sink: &mut LoggedSink<'_>,
    control: &Control,
    begin: impl FnOnce(&mut LoggedSink<'_>) -> Result<Outcome>,
) -> Result<Outcome> {
    let losses = device::losses();
    // Clears the flag that earlier work may have set.
    device::take_out_of_memory();
    let mut ended = catch_panic_as_problem(|| begin(sink));
    loop {
        let problem = match ended {
            Err(problem) if problem.is("problem-device-out-of-memory") => problem,
            ended => return ended,
        };
        let lost = device::losses() > losses;
        let (run, fewer) = match reduced_micro_batch(folder, lost, problem) {
            ControlFlow::Continue(next) => next,
            ControlFlow::Break(problem) => return Err(problem),
        };
        let images = message!("count-images", n = fewer);
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
        device::tidy();
        device::take_out_of_memory();
        let changes = Changes {
            micro_batch: Some(fewer),
            ..Changes::default()
        };
        ended = catch_panic_as_problem(|| resume_once(folder, &changes, cache, sink, control));
    }
}

/// Returns the run's name and its next micro-batch size, or breaks with a Problem if this process cannot continue.
fn reduced_micro_batch(
    folder: &Path,
    lost: bool,
    problem: Problem,
) -> ControlFlow<Problem, (String, usize)> {
    let stored = RunFolder::open(folder).and_then(|lock| Ok((lock, store::load(folder)?)));
    let Ok((lock, mut stored)) = stored else {
        return ControlFlow::Break(problem);
    };
    let config = &mut stored.header.config;
    let at_once = config.micro_batch.unwrap_or(config.batch).min(config.batch);
    if at_once < 2 {
        return ControlFlow::Break(problem);
    }
    let fewer = at_once.div_ceil(2);
    if !lost {
        return ControlFlow::Continue((stored.header.run, fewer));
    }
    // Kept in the settings, so it need not be given when the run is resumed.
    config.micro_batch = Some(fewer);
    if lock.save_header(&stored.header).is_err() {
        return ControlFlow::Break(problem);
    }
    let images = message!("count-images", n = fewer);
    ControlFlow::Break(problem.at("--micro-batch").advise(message!(
        "advice-restart-with-smaller-batches",
        images,
        at_once = at_once.to_string()
    )))
}
