//! Opens the window, with its options.

use std::time::Instant;

#[cfg(all(unix, not(target_os = "macos")))]
use clap::builder::TypedValueParser;

use super::{End, Line, remote};
use crate::problem::{Problem, Result};
use crate::session::backend::EngineHost;
use crate::ui::display::DisplayChoice;
use crate::{store, ui};

pub(super) fn run(line: Line, started: Instant) -> Result<End> {
    ui::run(ui::Options {
        runs_root: store::runs_root(line.out.as_deref()),
        started,
        data: line.data.flatten(),
        frame_times: line.frame_times,
        places: line.places,
        engine: engine_of(line.engine.as_deref())?,
        place: place_of(line.engine.as_deref())?,
        #[cfg(all(unix, not(target_os = "macos")))]
        display: line.display.map_or_else(usual_display, Ok)?,
        #[cfg(not(all(unix, not(target_os = "macos"))))]
        display: DisplayChoice::Auto,
    })?;
    Ok(End::Done)
}

/// Returns where the window's engine runs: in a separate process, unless a thread is requested.
fn engine_of(word: Option<&str>) -> Result<EngineHost> {
    if word == Some("thread") {
        return Ok(EngineHost::Thread);
    }
    let program = std::env::current_exe();
    let program = program.map_err(|error| {
        Problem::new(format!(
            "the path of this program could not be determined: {error}"
        ))
    })?;
    Ok(EngineHost::Process(program))
}

/// Returns the place that is selected when the window opens.
fn place_of(word: Option<&str>) -> Result<Option<String>> {
    match word {
        None | Some("thread" | "process") => Ok(None),
        Some(name) => Ok(Some(remote::machine(name)?.name)),
    }
}

/// Returns the parser of `--display`.
#[cfg(all(unix, not(target_os = "macos")))]
pub(super) fn displays() -> impl TypedValueParser<Value = DisplayChoice> {
    super::settings::keyed(DisplayChoice::ALL)
}

/// Returns the display server that is used without `--display`.
#[cfg(all(unix, not(target_os = "macos")))]
fn usual_display() -> Result<DisplayChoice> {
    /// The environment variable that is used if `--display` is not given.
    const VARIABLE: &str = "LAE_DISPLAY";
    let said = std::env::var_os(VARIABLE).unwrap_or_default();
    let said = said.to_string_lossy();
    if said.is_empty() {
        return Ok(DisplayChoice::Auto);
    }
    DisplayChoice::named(&said).ok_or_else(|| {
        let keys = DisplayChoice::ALL.map(|(_, key)| key).join(", ");
        Problem::new(format!(
            "the environment variable {VARIABLE} has the invalid value \"{said}\""
        ))
        .advise(format!("set it to one of {keys}, or unset it"))
    })
}
