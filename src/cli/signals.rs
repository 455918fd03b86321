//! Handles Ctrl-C and the termination signal.

use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use super::output::tell;
use crate::counts::{count_text, counted};
use crate::problem::{Problem, Result};
use crate::run::event::{Control, ControlRequest};

/// Interval between two reports of progress over many images.
const OFTEN: Duration = Duration::from_secs(5);

/// Returns a function that gets the number of processed images and their total. It reports them occasionally, and
/// breaks once a stop is requested.
pub(super) fn step_of(control: &Control) -> impl FnMut(usize, usize) -> ControlFlow<()> {
    let mut told = Instant::now();
    move |done, of| {
        if control.request() == ControlRequest::Stop {
            return ControlFlow::Break(());
        }
        if told.elapsed() >= OFTEN {
            told = Instant::now();
            let of = counted(of, "image");
            tell(format!("{} of {of}", count_text(done)));
        }
        ControlFlow::Continue(())
    }
}

/// Returns a control that Ctrl-C and the termination signal set to Stop; a second Ctrl-C ends the program
/// immediately.
pub(super) fn stop_on_ctrl_c() -> Result<Control> {
    stop_on_signals(true)
}

/// Returns such a control; without `says`, the stop is not reported, because another program does that.
pub(super) fn stop_on_signals(says: bool) -> Result<Control> {
    let control = Control::default();
    let hand = control.clone();
    let stop = move || {
        if hand.request() == ControlRequest::Stop {
            std::process::exit(130);
        }
        hand.set(ControlRequest::Stop);
        if says {
            tell("stopping after this batch; press Ctrl-C again to quit immediately");
        }
    };
    stop_when_told_to_end(&control)?;
    ctrlc::set_handler(stop).map_err(|error| {
        Problem::new(format!(
            "the handler for Ctrl-C could not be installed: {error}"
        ))
    })?;
    Ok(control)
}

/// Sets the control to Stop on the termination signal, which a scheduler or the system sends shortly before it kills
/// the process.
#[cfg(unix)]
fn stop_when_told_to_end(control: &Control) -> Result<()> {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicBool, Ordering};

    use signal_hook::consts::SIGTERM;

    let told = |error| {
        Problem::new(format!(
            "the handler for the termination signal could not be installed: {error}"
        ))
    };
    // A flag that is polled. The other interfaces of the crate use sockets, which a program without network access
    // should not open.
    let flag = Arc::new(AtomicBool::new(false));
    signal_hook::flag::register(SIGTERM, flag.clone()).map_err(told)?;
    let hand = control.clone();
    let wait = move || {
        while !flag.load(Ordering::Relaxed) {
            std::thread::sleep(TOLD);
        }
        hand.set(ControlRequest::Stop);
        tell("termination requested: stopping after this batch");
    };
    let thread = std::thread::Builder::new().name("signals".into());
    thread.spawn(wait).map(drop).map_err(told)
}

/// Interval between two checks whether the program was asked to end.
#[cfg(unix)]
const TOLD: Duration = Duration::from_millis(50);

#[cfg(not(unix))]
fn stop_when_told_to_end(_: &Control) -> Result<()> {
    Ok(())
}
