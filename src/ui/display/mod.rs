//! Finds the display for the window: whether there is one, and which of two displays responds.

#[cfg(all(unix, not(target_os = "macos")))]
mod x;

use eframe::EventLoopBuilderHook;

use crate::problem::{Problem, Result};

/// The display to use if a desktop has two.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DisplayChoice {
    /// X if an X server responds, otherwise Wayland, because the window library does not support dropped files on
    /// Wayland.
    #[default]
    Auto,
    /// Only X.
    X11,
    /// Only Wayland.
    Wayland,
}

impl DisplayChoice {
    /// All choices, each with its name on the command line.
    pub const ALL: [(Self, &'static str); 3] =
        [(Self::Auto, "auto"), (Self::X11, "x11"), (Self::Wayland, "wayland")];

    /// Returns the choice with this name; `None` if there is no such choice.
    pub fn from_name(key: &str) -> Option<Self> {
        let found = Self::ALL.into_iter().find(|(_, choice_name)| *choice_name == key)?;
        Some(found.0)
    }
}

/// A display that was found.
#[derive(Default)]
pub struct Display {
    /// Selects the display in the window library; `None` for its own choice.
    pub builder: Option<EventLoopBuilderHook>,
    /// Whether the window library supports dropped files on the display.
    pub takes_files: bool,
    /// The connection that was used for the check. It is released once the window has its own connection.
    #[cfg(all(unix, not(target_os = "macos")))]
    pub held: Option<x11rb::rust_connection::RustConnection>,
    /// Other systems need no connection.
    #[cfg(not(all(unix, not(target_os = "macos"))))]
    pub held: Option<()>,
}

/// Finds the display. The window library does not name the variable of a missing display, prefers Wayland, where it
/// does not support dropped files, and fails if Wayland is set but does not respond. This search avoids that.
///
/// # Errors
/// Returns a Problem that names the variable of a display that does not respond.
#[cfg(all(unix, not(target_os = "macos")))]
pub fn find(choice: DisplayChoice) -> Result<Display> {
    use winit::platform::x11::EventLoopBuilderExtX11;
    let (display, wayland) = (env_var("DISPLAY"), env_var("WAYLAND_DISPLAY"));
    let x_connection = match (&display, choice) {
        (Some(display), DisplayChoice::Auto | DisplayChoice::X11) => Some(x::connect(display)),
        _ => None,
    };
    if let Some(Ok(held)) = x_connection {
        return Ok(Display {
            builder: Some(Box::new(|builder| {
                builder.with_x11();
            })),
            takes_files: true,
            held,
        });
    }
    let responds = || wayland.as_deref().is_some_and(wayland_responds);
    if choice != DisplayChoice::X11 && (env_var("WAYLAND_SOCKET").is_some() || responds()) {
        return Ok(Display::default());
    }
    Err(no_window_problem(&match (x_connection, display, wayland, choice) {
        (Some(Err(why)), Some(display), ..) => format!("{why} {display}"),
        (.., DisplayChoice::X11) => "DISPLAY is not set".into(),
        (_, _, Some(wayland), _) => format!("no Wayland desktop is responding at {wayland}"),
        (.., DisplayChoice::Wayland) => "WAYLAND_DISPLAY is not set".into(),
        (.., DisplayChoice::Auto) => "neither DISPLAY nor WAYLAND_DISPLAY is set".into(),
    }))
}

/// Returns the system's only display.
#[cfg(not(all(unix, not(target_os = "macos"))))]
pub fn find(_: DisplayChoice) -> Result<Display> {
    Ok(Display { takes_files: true, ..Display::default() })
}

/// Returns whether the Wayland socket named by the environment accepts a connection.
#[cfg(all(unix, not(target_os = "macos")))]
fn wayland_responds(name: &str) -> bool {
    let folder = std::env::var_os("XDG_RUNTIME_DIR").unwrap_or_default();
    // If the name is an absolute path, `join` returns the name alone.
    let socket = std::path::Path::new(&folder).join(name);
    std::os::unix::net::UnixStream::connect(socket).is_ok()
}

#[cfg(all(unix, not(target_os = "macos")))]
fn env_var(variable: &str) -> Option<String> {
    let value = std::env::var_os(variable)?.to_string_lossy().into_owned();
    Some(value).filter(|value| !value.is_empty())
}

/// Returns the message of the window library without its source location.
pub(super) fn strip_source_location(message: &str) -> String {
    let text = message.rsplit_once(".rs:").map_or(message, |(_, rest)| rest);
    let text = text.trim_start_matches(|c: char| c.is_ascii_digit() || c == ':');
    text.trim().to_owned()
}

/// Returns the Problem that the window cannot be opened, with this reason.
pub(super) fn no_window_problem(why: &str) -> Problem {
    Problem::new(format!("the window cannot be opened: {why}")).advise(
        "start it on a desktop, or use the command line: lae-studio train, resume, predict, runs, devices, plugins, data, bench",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn message_has_no_source_location() {
        let message = "winit EventLoopError: os error at /src/linux/mod.rs:788: No connection";
        assert_eq!(strip_source_location(message), "No connection");
        assert_eq!(strip_source_location("no adapter: none found"), "no adapter: none found");
    }
}
