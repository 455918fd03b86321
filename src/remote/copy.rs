//! Copies this program to a place with the same system and processor.

use std::fs::File;
use std::process::Stdio;

use super::ssh::{COPIED, command, folder, path_word, reason};
use crate::message;
use crate::problem::{Problem, Result};
use crate::run::places::{RemoteMachine, no_ssh};

/// Copies this program to the folder of a place, where it is used from now on.
///
/// # Errors
/// Returns a Problem if the place has another system or processor, cannot be reached, or its disk is full.
pub fn copy_program(place: &RemoteMachine) -> Result<()> {
    let kind = ask(place, "uname -sm", Stdio::null())?;
    let (system, processor) = (std::env::consts::OS, std::env::consts::ARCH);
    let fits = kind
        .to_lowercase()
        .replace("arm64", "aarch64")
        .replace("darwin", "macos");
    if fits.split_whitespace().ne([system, processor]) {
        return Err(Problem::new(message!(
            "place-other-system",
            place = place.name.as_str(),
            kind = kind.trim(),
            system = system,
            processor = processor
        ))
        .advise(message!("place-other-system-advice")));
    }
    let program = std::env::current_exe().and_then(File::open);
    let program = program.map_err(|error| {
        Problem::new(message!(
            "place-own-program-unreadable",
            error = error.to_string()
        ))
    })?;
    let target = format!("{}/{COPIED}", path_word(folder(place)));
    // Renamed only when complete, so that a running program keeps its old file.
    let line = format!(
        "set -e; T={target}; mkdir -p \"$(dirname \"$T\")\"; cat > \"$T.coming\"; chmod 755 \"$T.coming\"; \
         \"$T.coming\" --version; mv \"$T.coming\" \"$T\""
    );
    let version = ask(place, &line, program.into())?;
    match version.trim().ends_with(env!("CARGO_PKG_VERSION")) {
        true => Ok(()),
        false => Err(Problem::new(message!("place-copied-program-fails"))
            .at(version.trim())
            .advise(message!("place-other-system-advice"))),
    }
}

/// Runs a shell command there; returns its output.
fn ask(place: &RemoteMachine, line: &str, input: Stdio) -> Result<String> {
    let mut ssh = command(place, line);
    let output = ssh.stdin(input).output().map_err(|error| no_ssh(&error))?;
    match output.status.success() {
        true => Ok(String::from_utf8_lossy(&output.stdout).into_owned()),
        false => Err(reason(
            place,
            output.status.code(),
            &String::from_utf8_lossy(&output.stderr),
        )),
    }
}
