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
const TURN: &str = "LAE_STUDIO_DRAW";

/// The interfaces of this system in the order in which they are tried, with their names for a restart.
const WAYS: &[(&str, Backends)] = match () {
    () if cfg!(target_os = "linux") => &[("vulkan", Backends::VULKAN), ("opengl", Backends::GL)],
    () if cfg!(windows) => &[
        ("direct3d", Backends::DX12),
        ("vulkan", Backends::VULKAN),
        ("opengl", Backends::GL),
    ],
    () => &[("any", Backends::PRIMARY.union(Backends::GL))],
};

/// Returns the options of the renderer with the selected interface.
pub fn options() -> WgpuConfiguration {
    let mut options = NativeOptions::default().wgpu_options;
    if let (WgpuSetup::CreateNew(setup), None) = (&mut options.wgpu_setup, Backends::from_env()) {
        setup.instance_descriptor.backends = WAYS[turn()].1;
    }
    options
}

/// The result of an attempt to open the window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WindowEnd {
    /// The window was opened and closed.
    Closed,
    /// The window could not be drawn, but another interface can be tried with [`start_again`].
    Undrawn,
}

/// Opens the window and returns when it is closed.
///
/// # Errors
/// Returns a Problem if there is no display or no working graphics interface.
///
/// # Panics
/// Panics if the window panics after it has opened.
pub fn tried(options: NativeOptions, create: AppCreator<'_>) -> Result<WindowEnd> {
    let again = next().is_some();
    let opened = Arc::new(AtomicBool::new(false));
    let seen = opened.clone();
    let create: AppCreator<'_> = Box::new(move |cc| {
        logging::log_panics(true);
        seen.store(true, Ordering::Relaxed);
        create(cc)
    });
    // As long as another interface can be tried, a failing driver is reported only in the log.
    logging::log_panics(!again);
    let ended = catch_unwind(AssertUnwindSafe(|| {
        eframe::run_native("LAE Studio", options, create)
    }));
    logging::log_panics(true);
    let before_opening = !opened.load(Ordering::Relaxed);
    match ended {
        Ok(Ok(())) => Ok(WindowEnd::Closed),
        Ok(Err(Error::Wgpu(error))) => {
            tracing::warn!("the window cannot be drawn: {error}");
            if again {
                return Ok(WindowEnd::Undrawn);
            }
            Err(no_driver())
        }
        Ok(Err(error)) => Err(display::no_window(&display::reason(&error.to_string()))),
        Err(_) if again && before_opening => Ok(WindowEnd::Undrawn),
        Err(panic) => resume_unwind(panic),
    }
}

/// Returns the index of the interface that this process uses.
fn turn() -> usize {
    let named = std::env::var_os(TURN);
    let position = |named| WAYS.iter().position(|(name, _)| named == *name);
    named.and_then(position).unwrap_or(0)
}

/// Returns the name of the next interface to try, if there is one.
fn next() -> Option<&'static str> {
    let next = WAYS.get(turn() + 1).map(|(name, _)| *name);
    next.filter(|_| Backends::from_env().is_none())
}

/// Replaces this process by a new start of the program with the next interface. Returns only if that fails.
pub fn start_again() -> Problem {
    let (Some(with), Ok(program)) = (next(), std::env::current_exe()) else {
        return no_driver();
    };
    tracing::info!("the program restarts to draw with {with}");
    logging::finish();
    let mut start = Command::new(program);
    start.args(std::env::args_os().skip(1)).env(TURN, with);
    // Otherwise Mesa would print the drivers that it did not find to standard error.
    if std::env::var_os("EGL_LOG_LEVEL").is_none() {
        start.env("EGL_LOG_LEVEL", "fatal");
    }
    let error = give_way_to(start);
    tracing::warn!("the program cannot restart: {error}");
    no_driver()
}

#[cfg(unix)]
fn give_way_to(mut start: Command) -> io::Error {
    use std::os::unix::process::CommandExt;
    start.exec()
}

/// Waits for the new process and returns its exit code, because this system cannot replace a process.
#[cfg(not(unix))]
fn give_way_to(mut start: Command) -> io::Error {
    if console::is_own() {
        let start = console::hide_for(&mut start);
        start
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
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

fn no_driver() -> Problem {
    let (through, remedy) = match () {
        () if cfg!(target_os = "macos") => ("Metal", "update macOS"),
        () if cfg!(windows) => (
            "Direct3D 12, Vulkan or OpenGL",
            "install the GPU manufacturer's driver",
        ),
        () => (
            "Vulkan or OpenGL",
            "install one (Debian and Ubuntu: mesa-vulkan-drivers)",
        ),
    };
    display::no_window(&format!("no working graphics driver was found for {through}"))
        .advise(format!("{remedy}, or use the command line: lae-studio train, resume, predict, runs, devices, plugins, data, bench"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_way_to_draw_has_its_turn_once() {
        let mut names: Vec<_> = WAYS.iter().map(|(name, _)| *name).collect();
        names.dedup();
        assert_eq!(names.len(), WAYS.len());
        let mut asked = Backends::empty();
        for (_, backends) in WAYS {
            assert!(!asked.intersects(*backends));
            asked |= *backends;
        }
    }
}
