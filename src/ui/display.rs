//! Where the window is shown: whether there is a display, and which of two answers.

use std::env;

use eframe::EventLoopBuilderHook;

use crate::problem::{Problem, Result};

/// Without a display the window library would fail with a riddle.
pub fn there() -> Result<()> {
    let unix = cfg!(all(unix, not(target_os = "macos")));
    if unix && !set("DISPLAY") && !set("WAYLAND_DISPLAY") {
        return Err(no_window("neither DISPLAY nor WAYLAND_DISPLAY is set"));
    }
    Ok(())
}

/// Chooses X where the variables name both and Wayland does not answer, as after a session that
/// left its variable behind; the window library would take Wayland and give up.
#[cfg(all(unix, not(target_os = "macos")))]
pub fn builder() -> Option<EventLoopBuilderHook> {
    use winit::platform::x11::EventLoopBuilderExtX11;
    if set("DISPLAY") && set("WAYLAND_DISPLAY") && !set("WAYLAND_SOCKET") && !wayland_answers() {
        return Some(Box::new(|builder| {
            builder.with_x11();
        }));
    }
    None
}

/// The window library's own choice.
#[cfg(not(all(unix, not(target_os = "macos"))))]
pub fn builder() -> Option<EventLoopBuilderHook> {
    None
}

/// Whether somebody listens where the variables say.
#[cfg(all(unix, not(target_os = "macos")))]
fn wayland_answers() -> bool {
    let name = env::var_os("WAYLAND_DISPLAY").unwrap_or_default();
    let folder = env::var_os("XDG_RUNTIME_DIR").unwrap_or_default();
    // An absolute name stands for itself.
    let socket = std::path::Path::new(&folder).join(name);
    std::os::unix::net::UnixStream::connect(socket).is_ok()
}

fn set(name: &str) -> bool {
    env::var_os(name).is_some_and(|value| !value.is_empty())
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
