//! Where the window is shown: whether there is a display, and which of two answers.

#[cfg(all(unix, not(target_os = "macos")))]
mod x;

use eframe::EventLoopBuilderHook;

use crate::problem::{Problem, Result};

/// Which display the window is opened on, where a desktop has two.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DisplayChoice {
    /// X where a server answers, else Wayland: the window library takes no dropped files on Wayland.
    #[default]
    Auto,
    /// X alone.
    X11,
    /// Wayland alone.
    Wayland,
}

impl DisplayChoice {
    /// All of them, each with its key on the command line.
    pub const ALL: [(Self, &'static str); 3] = [
        (Self::Auto, "auto"),
        (Self::X11, "x11"),
        (Self::Wayland, "wayland"),
    ];

    /// The choice of this key; `None` if there is no such choice.
    pub fn named(key: &str) -> Option<Self> {
        let found = Self::ALL.into_iter().find(|(_, known)| *known == key)?;
        Some(found.0)
    }
}

/// A display that was found.
#[derive(Default)]
pub struct Display {
    /// Tells the window library which display to take; `None` for its own choice.
    pub builder: Option<EventLoopBuilderHook>,
    /// Whether files can be dropped on the window.
    pub takes_files: bool,
    /// The connection that found it, to be let go once the window has its own.
    #[cfg(all(unix, not(target_os = "macos")))]
    pub held: Option<x11rb::rust_connection::RustConnection>,
    /// Elsewhere nobody has to be asked.
    #[cfg(not(all(unix, not(target_os = "macos"))))]
    pub held: Option<()>,
}

/// Finds the display. It is looked for here because the window library reports a missing one without the variable that
/// named it, prefers Wayland, on which it takes no dropped files, and gives up where Wayland is named but does not answer.
///
/// # Errors
/// A Problem that says which variable names a display that does not answer.
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
        (_, _, Some(wayland), _) => format!("no Wayland desktop answers at {wayland}"),
        (.., DisplayChoice::Wayland) => "WAYLAND_DISPLAY is not set".into(),
        (.., DisplayChoice::Auto) => "neither DISPLAY nor WAYLAND_DISPLAY is set".into(),
    }))
}

/// The system's only display.
#[cfg(not(all(unix, not(target_os = "macos"))))]
pub fn find(_: DisplayChoice) -> Result<Display> {
    Ok(Display {
        takes_files: true,
        ..Display::default()
    })
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
pub(super) fn reason(told: &str) -> String {
    let words = told.rsplit_once(".rs:").map_or(told, |(_, rest)| rest);
    let words = words.trim_start_matches(|c: char| c.is_ascii_digit() || c == ':');
    words.trim().to_owned()
}

/// The Problem of a window that cannot be opened for this reason.
pub(super) fn no_window(why: &str) -> Problem {
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
