//! What draws the window.
//!
//! On Linux Vulkan is asked alone: to load the drivers of OpenGL beside it takes a third of the time to
//! the first frame, and hardly anybody needs them. Where Vulkan cannot draw (no driver, a card that
//! cannot show anything on this display, a driver that fails) the program starts itself once more with
//! OpenGL alone, since a process can begin with a window only once. `WGPU_BACKEND` decides otherwise.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use eframe::egui_wgpu::WgpuSetup;
use eframe::wgpu::Backends;
use eframe::{AppCreator, Error, NativeOptions, WgpuConfiguration};

use super::display;
use crate::logging;
use crate::problem::{Problem, Result};

/// Says to the second start what to draw with.
const SECOND: &str = "LAE_STUDIO_DRAW";
/// Its value.
const OPENGL: &str = "opengl";

/// Which interfaces are asked, and how frames are shown.
pub fn options() -> WgpuConfiguration {
    let mut options = NativeOptions::default().wgpu_options;
    if let (WgpuSetup::CreateNew(setup), None) = (&mut options.wgpu_setup, Backends::from_env()) {
        setup.instance_descriptor.backends = match () {
            () if is_second() => Backends::GL,
            () if may_try_again() => Backends::PRIMARY,
            () => Backends::PRIMARY | Backends::GL,
        };
    }
    options
}

/// How an attempt to draw the window ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// The window was open, and was closed.
    Closed,
    /// Nothing drew it, and there is another way: [`start_again`].
    Undrawn,
}

/// Opens the window and stays until it is closed.
///
/// # Errors
/// A Problem when there is no display, or nothing to draw with.
///
/// # Panics
/// As the window does once it is open.
pub fn tried(options: NativeOptions, create: AppCreator<'_>) -> Result<Ended> {
    let again = may_try_again();
    let opened = Arc::new(AtomicBool::new(false));
    let seen = opened.clone();
    let create: AppCreator<'_> = Box::new(move |cc| {
        logging::say_panics(true);
        seen.store(true, Ordering::Relaxed);
        create(cc)
    });
    // A driver that fails now says so in the log alone, while there is another way.
    logging::say_panics(!again);
    let ended = catch_unwind(AssertUnwindSafe(|| {
        eframe::run_native("LAE Studio", options, create)
    }));
    logging::say_panics(true);
    let before_opening = !opened.load(Ordering::Relaxed);
    match ended {
        Ok(Ok(())) => Ok(Ended::Closed),
        Ok(Err(Error::Wgpu(error))) => {
            tracing::warn!("nothing draws the window: {error}");
            if again {
                return Ok(Ended::Undrawn);
            }
            Err(no_driver())
        }
        Ok(Err(error)) => Err(display::no_window(&display::reason(&error.to_string()))),
        Err(_) if again && before_opening => Ok(Ended::Undrawn),
        Err(panic) => resume_unwind(panic),
    }
}

/// Whether this is the second start.
fn is_second() -> bool {
    std::env::var_os(SECOND).is_some_and(|with| with == OPENGL)
}

/// Whether there is another way to draw that would need a new start.
fn may_try_again() -> bool {
    cfg!(target_os = "linux") && !is_second() && Backends::from_env().is_none()
}

/// Puts a new start of the program in place of this one; comes back only where that fails.
#[cfg(target_os = "linux")]
pub fn start_again() -> Problem {
    use std::os::unix::process::CommandExt;
    tracing::info!("the program starts again, to draw through OpenGL");
    logging::finish();
    let Ok(program) = std::env::current_exe() else {
        return no_driver();
    };
    let mut second = std::process::Command::new(program);
    second.args(std::env::args_os().skip(1)).env(SECOND, OPENGL);
    // Mesa tells on standard error what it looked for and did not find.
    if std::env::var_os("EGL_LOG_LEVEL").is_none() {
        second.env("EGL_LOG_LEVEL", "fatal");
    }
    let error = second.exec();
    tracing::warn!("it does not start again: {error}");
    no_driver()
}

/// Elsewhere everything was asked at once.
#[cfg(not(target_os = "linux"))]
pub fn start_again() -> Problem {
    no_driver()
}

fn no_driver() -> Problem {
    let (through, remedy) = match () {
        () if cfg!(target_os = "macos") => ("Metal", "update macOS"),
        () if cfg!(windows) => (
            "Direct3D 12, Vulkan or OpenGL",
            "install the graphics driver of the card's maker",
        ),
        () => (
            "Vulkan or OpenGL",
            "install one (Debian and Ubuntu: mesa-vulkan-drivers)",
        ),
    };
    display::no_window(&format!("no graphics driver draws here through {through}"))
        .advise(format!("{remedy}, or work without a window: lae-studio train, resume, predict, runs, devices, plugins, data, bench"))
}
