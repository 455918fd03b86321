//! Handles Ctrl-C and the termination signal.

use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use super::output::print_message;
use crate::counts::{count_with_noun, format_count};
use crate::problem::{Problem, Result};
use crate::run::event::{Control, ControlRequest};

/// Interval between two reports of progress over many images.
const REPORT_INTERVAL: Duration = Duration::from_secs(5);

/// Returns a function that gets the number of processed images and their total. It reports them occasionally, and
/// breaks once a stop is requested.
pub(super) fn progress_reporter(control: &Control) -> impl FnMut(usize, usize) -> ControlFlow<()> {
    let mut last_report = Instant::now();
    move |done, total| {
        if !control.should_continue() {
            return ControlFlow::Break(());
        }
        if last_report.elapsed() >= REPORT_INTERVAL {
            last_report = Instant::now();
            let total_text = count_with_noun(total, "image");
            print_message(format!("{} of {total_text}", format_count(done)));
        }
        ControlFlow::Continue(())
    }
}

/// Returns a control that Ctrl-C and the termination signal set to Stop; a second Ctrl-C ends the program
/// immediately.
pub(super) fn stop_on_ctrl_c() -> Result<Control> {
    stop_on_signals(true)
}

/// Returns such a control; without `prints_message`, the stop is not reported, because another program does that.
pub(super) fn stop_on_signals(prints_message: bool) -> Result<Control> {
    let control = Control::default();
    let handler_control = control.clone();
    let stop = move || {
        if !handler_control.should_continue() {
            std::process::exit(130);
        }
        handler_control.set(ControlRequest::Stop);
        if prints_message {
            print_message("stopping after this batch; press Ctrl-C again to quit immediately");
        }
    };
    stop_on_termination_signal(&control)?;
    ctrlc::set_handler(stop).map_err(|error| {
        Problem::new(format!("the handler for Ctrl-C could not be installed: {error}"))
    })?;
    Ok(control)
}

/// Sets the control to Stop on the termination signal, which a scheduler or the system sends shortly before it kills
/// the process.
#[cfg(unix)]
fn stop_on_termination_signal(control: &Control) -> Result<()> {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicBool, Ordering};

    use signal_hook::consts::SIGTERM;

    let to_problem = |error| {
        Problem::new(format!(
            "the handler for the termination signal could not be installed: {error}"
        ))
    };
    // A flag that is polled. The other interfaces of the crate use sockets, which a program without network access
    // should not open.
    let flag = Arc::new(AtomicBool::new(false));
    signal_hook::flag::register(SIGTERM, flag.clone()).map_err(to_problem)?;
    let thread_control = control.clone();
    let wait = move || {
        while !flag.load(Ordering::Relaxed) {
            std::thread::sleep(SIGNAL_POLL_INTERVAL);
        }
        thread_control.set(ControlRequest::Stop);
        print_message("termination requested: stopping after this batch");
    };
    let thread = std::thread::Builder::new().name("signals".into());
    thread.spawn(wait).map(drop).map_err(to_problem)
}

/// Interval between two checks whether the program was asked to end.
#[cfg(unix)]
const SIGNAL_POLL_INTERVAL: Duration = Duration::from_millis(50);

#[cfg(not(unix))]
fn stop_on_termination_signal(_: &Control) -> Result<()> {
    Ok(())
}
