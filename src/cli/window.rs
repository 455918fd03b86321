//! Opens the window, with its options.

use std::time::Instant;

#[cfg(all(unix, not(target_os = "macos")))]
use clap::builder::TypedValueParser;

use super::{Cli, CommandOutcome, remote};
use crate::problem::{Problem, Result};
use crate::session::backend::EngineHost;
use crate::ui::display::DisplayChoice;
use crate::{store, ui};

pub(super) fn run(cli: Cli, started: Instant) -> Result<CommandOutcome> {
    let runs_root = store::runs_root(cli.out.as_deref());
    ui::run(ui::Options {
        // The engine's process resolves relative paths in another folder.
        runs_root: std::path::absolute(&runs_root).unwrap_or(runs_root),
        started,
        data: cli.data.flatten(),
        frame_times: cli.frame_times,
        print_positions: cli.places,
        engine: engine_host(cli.engine.as_deref())?,
        place: initial_place(cli.engine.as_deref())?,
        #[cfg(all(unix, not(target_os = "macos")))]
        display: cli.display.map_or_else(default_display, Ok)?,
        #[cfg(not(all(unix, not(target_os = "macos"))))]
        display: DisplayChoice::Auto,
    })?;
    Ok(CommandOutcome::Done)
}

/// Returns where the window's engine runs: in a separate process, unless a thread is requested.
fn engine_host(engine: Option<&str>) -> Result<EngineHost> {
    if engine == Some("thread") {
        return Ok(EngineHost::Thread);
    }
    let program = std::env::current_exe();
    let program = program.map_err(|error| {
        Problem::new(format!("the path of this program could not be determined: {error}"))
    })?;
    Ok(EngineHost::Process(program))
}

/// Returns the place that is selected when the window opens.
fn initial_place(engine: Option<&str>) -> Result<Option<String>> {
    match engine {
        None | Some("thread" | "process") => Ok(None),
        Some(name) => Ok(Some(remote::find_machine(name)?.name)),
    }
}

/// Returns the parser of `--display`.
#[cfg(all(unix, not(target_os = "macos")))]
pub(super) fn displays() -> impl TypedValueParser<Value = DisplayChoice> {
    super::settings::keyed(DisplayChoice::ALL)
}

/// Returns the display server that is used without `--display`.
#[cfg(all(unix, not(target_os = "macos")))]
fn default_display() -> Result<DisplayChoice> {
    /// The environment variable that is used if `--display` is not given.
    const VARIABLE: &str = "LAE_DISPLAY";
    let value = std::env::var_os(VARIABLE).unwrap_or_default();
    let value = value.to_string_lossy();
    if value.is_empty() {
        return Ok(DisplayChoice::Auto);
    }
    DisplayChoice::from_name(&value).ok_or_else(|| {
        let keys = DisplayChoice::ALL.map(|(_, key)| key).join(", ");
        Problem::new(format!("the environment variable {VARIABLE} has the invalid value `{value}`"))
            .advise(format!("set it to one of {keys}, or unset it"))
    })
}
