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
    pub const ALL: [(Self, &'static str); 3] = [
        (Self::Auto, "auto"),
        (Self::X11, "x11"),
        (Self::Wayland, "wayland"),
    ];

    /// Returns the choice with this name; `None` if there is no such choice.
    pub fn named(key: &str) -> Option<Self> {
        let found = Self::ALL.into_iter().find(|(_, known)| *known == key)?;
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
    let (display, wayland) = (name("DISPLAY"), name("WAYLAND_DISPLAY"));
    let greeted = match (&display, choice) {
        (Some(display), DisplayChoice::Auto | DisplayChoice::X11) => Some(x::greet(display)),
        _ => None,
    };
    if let Some(Ok(held)) = greeted {
        return Ok(Display {
            builder: Some(Box::new(|builder| {
                builder.with_x11();
            })),
            takes_files: true,
            held,
        });
    }
    let answers = || wayland.as_deref().is_some_and(wayland_answers);
    if choice != DisplayChoice::X11 && (name("WAYLAND_SOCKET").is_some() || answers()) {
        return Ok(Display::default());
    }
    Err(no_window(&match (greeted, display, wayland, choice) {
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
    Ok(Display {
        takes_files: true,
        ..Display::default()
    })
}

/// Returns whether the Wayland socket named by the environment accepts a connection.
#[cfg(all(unix, not(target_os = "macos")))]
fn wayland_answers(name: &str) -> bool {
    let folder = std::env::var_os("XDG_RUNTIME_DIR").unwrap_or_default();
    // If the name is an absolute path, `join` returns the name alone.
    let socket = std::path::Path::new(&folder).join(name);
    std::os::unix::net::UnixStream::connect(socket).is_ok()
}

#[cfg(all(unix, not(target_os = "macos")))]
fn name(variable: &str) -> Option<String> {
    let value = std::env::var_os(variable)?.to_string_lossy().into_owned();
    Some(value).filter(|value| !value.is_empty())
}

/// Returns the message of the window library without its source location.
pub(super) fn reason(told: &str) -> String {
    let words = told.rsplit_once(".rs:").map_or(told, |(_, rest)| rest);
    let words = words.trim_start_matches(|c: char| c.is_ascii_digit() || c == ':');
    words.trim().to_owned()
}

/// Returns the Problem that the window cannot be opened, with this reason.
pub(super) fn no_window(why: &str) -> Problem {
    Problem::new(format!("the window cannot be opened: {why}")).advise(
        "start it on a desktop, or use the command line: lae-studio train, resume, predict, runs, devices, plugins, data, bench",
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
