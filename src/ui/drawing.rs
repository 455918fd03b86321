//! Selects the graphics interface of the window.
//!
//! Only one interface is tried at a time. Loading the OpenGL drivers in addition to the Vulkan drivers would take a
//! third of the time to the first frame, and they are rarely needed. If an interface fails (no driver, a GPU that
//! cannot present on this display, a driver error), the program restarts with the next one, because a process can start
//! its window only once. `WGPU_BACKEND` overrides this.

use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::process::Command;
#[cfg(not(unix))]
use std::process::Stdio;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use eframe::egui_wgpu::WgpuSetup;
use eframe::wgpu::Backends;
use eframe::{AppCreator, Error, NativeOptions, WgpuConfiguration};

use super::display;
#[cfg(not(unix))]
use crate::console;
use crate::logging;
use crate::problem::{Problem, Result};

/// The environment variable that selects the interface of a restarted program.
const INTERFACE_VARIABLE: &str = "LAE_STUDIO_DRAW";

/// The interfaces of this system in the order in which they are tried, with their names for a restart.
const INTERFACES: &[(&str, Backends)] = match () {
    () if cfg!(target_os = "linux") => &[("vulkan", Backends::VULKAN), ("opengl", Backends::GL)],
    () if cfg!(windows) => {
        &[("direct3d", Backends::DX12), ("vulkan", Backends::VULKAN), ("opengl", Backends::GL)]
    }
    () => &[("any", Backends::PRIMARY.union(Backends::GL))],
};

/// Returns the options of the renderer with the selected interface.
pub fn options() -> WgpuConfiguration {
    let mut options = NativeOptions::default().wgpu_options;
    if let (WgpuSetup::CreateNew(setup), None) = (&mut options.wgpu_setup, Backends::from_env()) {
        setup.instance_descriptor.backends = INTERFACES[interface_index()].1;
    }
    options
}

/// The result of an attempt to open the window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WindowOutcome {
    /// The window was opened and closed.
    Closed,
    /// The window could not be drawn, but another interface can be tried with [`restart`].
    DrawingFailed,
}

/// Opens the window and returns when it is closed.
///
/// # Errors
/// Returns a Problem if there is no display or no working graphics interface.
///
/// # Panics
/// Panics if the window panics after it has opened.
pub fn open_window(options: NativeOptions, create: AppCreator<'_>) -> Result<WindowOutcome> {
    let can_retry = next_interface().is_some();
    let opened = Arc::new(AtomicBool::new(false));
    let opened_flag = opened.clone();
    let create: AppCreator<'_> = Box::new(move |cc| {
        logging::set_print_panics(true);
        opened_flag.store(true, Ordering::Relaxed);
        create(cc)
    });
    // As long as another interface can be tried, a failing driver is reported only in the log.
    logging::set_print_panics(!can_retry);
    let result =
        catch_unwind(AssertUnwindSafe(|| eframe::run_native("LAE Studio", options, create)));
    logging::set_print_panics(true);
    let before_opening = !opened.load(Ordering::Relaxed);
    match result {
        Ok(Ok(())) => Ok(WindowOutcome::Closed),
        Ok(Err(Error::Wgpu(error))) => {
            tracing::warn!("the window cannot be drawn: {error}");
            if can_retry {
                return Ok(WindowOutcome::DrawingFailed);
            }
            Err(no_driver_problem())
        }
        Ok(Err(error)) => {
            Err(display::no_window_problem(&display::strip_source_location(&error.to_string())))
        }
        Err(_) if can_retry && before_opening => Ok(WindowOutcome::DrawingFailed),
        Err(panic) => resume_unwind(panic),
    }
}

/// Returns the index of the interface that this process uses.
fn interface_index() -> usize {
    let value = std::env::var_os(INTERFACE_VARIABLE);
    let position = |value| INTERFACES.iter().position(|(name, _)| value == *name);
    value.and_then(position).unwrap_or(0)
}

/// Returns the name of the next interface to try, if there is one.
fn next_interface() -> Option<&'static str> {
    let next = INTERFACES.get(interface_index() + 1).map(|(name, _)| *name);
    next.filter(|_| Backends::from_env().is_none())
}

/// Replaces this process by a new start of the program with the next interface. Returns only if that fails.
pub fn restart() -> Problem {
    let (Some(interface), Ok(program)) = (next_interface(), std::env::current_exe()) else {
        return no_driver_problem();
    };
    tracing::info!("the program restarts to draw with {interface}");
    logging::finish();
    let mut command = Command::new(program);
    command.args(std::env::args_os().skip(1)).env(INTERFACE_VARIABLE, interface);
    // Otherwise Mesa would print the drivers that it did not find to standard error.
    if std::env::var_os("EGL_LOG_LEVEL").is_none() {
        command.env("EGL_LOG_LEVEL", "fatal");
    }
    let error = replace_process(command);
    tracing::warn!("the program cannot restart: {error}");
    no_driver_problem()
}

#[cfg(unix)]
fn replace_process(mut start: Command) -> io::Error {
    use std::os::unix::process::CommandExt;
    start.exec()
}

/// Waits for the new process and returns its exit code, because this system cannot replace a process.
#[cfg(not(unix))]
fn replace_process(mut start: Command) -> io::Error {
    if console::is_own() {
        let start = console::hide_for(&mut start);
        start.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    }
    let started = start.spawn();
    if started.is_ok() {
        console::close_own();
    }
    match started.and_then(|mut started| started.wait()) {
        Ok(ended) => std::process::exit(ended.code().unwrap_or(1)),
        Err(error) => error,
    }
}

fn no_driver_problem() -> Problem {
    let (api, remedy) = match () {
        () if cfg!(target_os = "macos") => ("Metal", "update macOS"),
        () if cfg!(windows) => {
            ("Direct3D 12, Vulkan or OpenGL", "install the GPU manufacturer's driver")
        }
        () => ("Vulkan or OpenGL", "install one (Debian and Ubuntu: mesa-vulkan-drivers)"),
    };
    display::no_window_problem(&format!("no working graphics driver was found for {api}"))
        .advise(format!("{remedy}, or use the command line: lae-studio train, resume, predict, runs, devices, plugins, data, bench"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn interfaces_are_unique() {
        let mut names: Vec<_> = INTERFACES.iter().map(|(name, _)| *name).collect();
        names.dedup();
        assert_eq!(names.len(), INTERFACES.len());
        let mut seen = Backends::empty();
        for (_, backends) in INTERFACES {
            assert!(!seen.intersects(*backends));
            seen |= *backends;
        }
    }
}
