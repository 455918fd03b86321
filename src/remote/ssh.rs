//! Calls the system's `ssh`, explains its errors, and copies this program to a place with the same system and processor.

use std::fs::File;
use std::process::{Command, Stdio};

use crate::message;
use crate::problem::{Problem, Result};
use crate::run::config::posix_word;
use crate::run::places::{RemoteMachine, no_ssh, ssh};
use crate::texts::Message;

/// Path of the copied program relative to the folder of a place.
const COPIED: &str = ".program/lae-studio";
/// The folder of a place without a given one.
const USUAL: &str = "~/.lae-studio";

/// Returns an `ssh` command with the place's options, which runs a line of POSIX shell there.
pub fn command(place: &RemoteMachine, line: &str) -> Command {
    ssh(
        place.ssh.as_deref().unwrap_or_default(),
        &place.options,
        line,
    )
}

/// Returns the shell command that starts the program there with these arguments; the copied program takes precedence.
pub fn script(place: &RemoteMachine, words: &[&str]) -> String {
    let (folder, program) = (path_word(folder(place)), path_word(&place.program));
    let words: Vec<String> = words.iter().map(|word| posix_word(word)).collect();
    let words = words.join(" ");
    format!(
        "P={program}; C={folder}/{COPIED}; if [ -x \"$C\" ]; then P=$C; fi; exec \"$P\" {words} --out {folder}"
    )
}

/// Returns the folder of a place, as its shell expects it.
fn folder(place: &RemoteMachine) -> &str {
    place.folder.as_deref().unwrap_or(USUAL)
}

/// Returns a path as one shell word; a leading `~` remains the home folder.
fn path_word(path: &str) -> String {
    match path.strip_prefix("~/") {
        Some(rest) => format!("\"$HOME\"/{}", posix_word(rest)),
        None => posix_word(path),
    }
}

/// Explains why a connection failed, from the exit code and the output.
pub fn reason(place: &RemoteMachine, code: Option<i32>, said: &str) -> Problem {
    let (name, host) = (&place.name, place.ssh.as_deref().unwrap_or_default());
    let mut lines = said.lines().rev().map(str::trim);
    let last = lines.find(|line| !line.is_empty()).unwrap_or_default();
    let line: String = last.chars().take(300).collect();
    let lower = said.to_lowercase();
    let has = |words: &[&str]| words.iter().any(|word| lower.contains(word));
    let told = |what: Message, remedy: Message| {
        Problem::new(what)
            .at(format!("{name}: {line}"))
            .advise(remedy)
    };
    if code == Some(255) || code.is_none() {
        return if has(&["could not resolve"]) {
            told(
                message!("place-host-unknown", host, place = name.as_str()),
                message!("place-host-unknown-advice"),
            )
        } else if has(&["permission denied", "no supported authentication"]) {
            told(
                message!("place-ssh-key-rejected", host),
                message!("place-ssh-key-rejected-advice"),
            )
        } else if has(&["host key verification failed", "identification has changed"]) {
            told(
                message!("place-host-key-unknown", host),
                message!("place-host-key-unknown-advice"),
            )
        } else if has(&["connection refused", "timed out", "no route", "unreachable"]) {
            told(
                message!("place-host-not-responding", host),
                message!("place-host-not-responding-advice"),
            )
        } else {
            told(
                message!("place-connection-lost", place = name.as_str()),
                message!("place-run-ssh-advice"),
            )
        };
    }
    if code == Some(127)
        || code == Some(126)
        || has(&["command not found", "no such file or directory"])
    {
        let program = place.program.as_str();
        return told(
            message!("place-program-not-found", program, place = name.as_str()),
            message!("place-program-not-found-advice"),
        );
    }
    if is_full(said) {
        return told(
            message!("place-disk-full", place = name.as_str()),
            message!("place-disk-full-advice"),
        );
    }
    let ended = match code {
        Some(code) => message!(
            "place-program-exited",
            place = name.as_str(),
            code = code.to_string()
        ),
        None => message!("place-program-killed", place = name.as_str()),
    };
    told(ended, message!("place-program-exited-advice"))
}

/// Returns whether an error message says that a disk is full.
pub(super) fn is_full(said: &str) -> bool {
    let lower = said.to_lowercase();
    ["no space left", "disk quota", "quota exceeded"]
        .iter()
        .any(|words| lower.contains(words))
}

/// Returns whether another attempt may succeed, because the machine or the network may only be down temporarily.
pub(super) fn may_pass(problem: &Problem) -> bool {
    problem.is("place-host-not-responding") || problem.is("place-connection-lost")
}

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
            system,
            processor
        ))
        .advise(message!("place-other-system-advice")));
    }
    let program = std::env::current_exe().and_then(File::open);
    let program =
        program.map_err(|error| Problem::with_error("place-own-program-unreadable", &error))?;
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
