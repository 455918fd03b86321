//! Where the window is shown: whether there is a display, and which of two answers.

#[cfg(all(unix, not(target_os = "macos")))]
mod x;

use eframe::EventLoopBuilderHook;

use crate::problem::{Problem, Result};

/// A display that was found.
#[derive(Default)]
pub struct Display {
    /// How the window library is told which one.
    pub builder: Option<EventLoopBuilderHook>,
    /// The connection that found it, to be let go once the window has its own.
    #[cfg(all(unix, not(target_os = "macos")))]
    pub held: Option<x11rb::rust_connection::RustConnection>,
    /// Elsewhere nobody has to be asked.
    #[cfg(not(all(unix, not(target_os = "macos"))))]
    pub held: Option<()>,
}

/// Finds the display. Without one the window library would fail with a riddle. Where the variables
/// name two and Wayland does not answer, as after a session that left its variable behind, it is X:
/// the library would take Wayland and give up.
///
/// # Errors
/// A Problem that says which variable names nobody.
#[cfg(all(unix, not(target_os = "macos")))]
pub fn find() -> Result<Display> {
    use winit::platform::x11::EventLoopBuilderExtX11;
    let wayland = name("WAYLAND_DISPLAY");
    if name("WAYLAND_SOCKET").is_some() || wayland.as_deref().is_some_and(wayland_answers) {
        return Ok(Display::default());
    }
    match (name("DISPLAY"), wayland) {
        (Some(display), _) => {
            let held = x::greet(&display).map_err(|why| no_window(&format!("{why} {display}")))?;
            Ok(Display {
                builder: Some(Box::new(|builder| {
                    builder.with_x11();
                })),
                held,
            })
        }
        (None, Some(wayland)) => Err(no_window(&format!(
            "no Wayland desktop answers at {wayland}"
        ))),
        (None, None) => Err(no_window("neither DISPLAY nor WAYLAND_DISPLAY is set")),
    }
}

/// The system's only display.
#[cfg(not(all(unix, not(target_os = "macos"))))]
pub fn find() -> Result<Display> {
    Ok(Display::default())
}

/// Whether somebody listens where the variables say.
#[cfg(all(unix, not(target_os = "macos")))]
fn wayland_answers(name: &str) -> bool {
    let folder = std::env::var_os("XDG_RUNTIME_DIR").unwrap_or_default();
    // An absolute name stands for itself.
    let socket = std::path::Path::new(&folder).join(name);
    std::os::unix::net::UnixStream::connect(socket).is_ok()
}

#[cfg(all(unix, not(target_os = "macos")))]
fn name(variable: &str) -> Option<String> {
    let value = std::env::var_os(variable)?.to_string_lossy().into_owned();
    Some(value).filter(|value| !value.is_empty())
}

/// What the window library says, without the place in its own source that it puts before it.
pub fn reason(told: &str) -> String {
    let words = told.rsplit_once(".rs:").map_or(told, |(_, rest)| rest);
    let words = words.trim_start_matches(|c: char| c.is_ascii_digit() || c == ':');
    words.trim().to_owned()
}

pub fn no_window(why: &str) -> Problem {
    Problem::new(format!("the window cannot be opened: {why}")).advise(
        "start it on a desktop, or work without a window: lae-studio train, resume, predict, runs, devices, plugins, data, bench",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reason_names_no_source_file() {
        let told = "winit EventLoopError: os error at /src/linux/mod.rs:788: No connection";
        assert_eq!(reason(told), "No connection");
        assert_eq!(reason("no adapter: none found"), "no adapter: none found");
    }
}
