//! Calls the system's `ssh`, explains its errors, and copies this program to a place with the same system and processor.

use std::fs::File;
use std::process::{Command, Stdio};

use crate::message;
use crate::problem::{Problem, Result};
use crate::run::config::quote_for_posix;
use crate::run::remote_machines::{RemoteMachine, ssh_command, ssh_start_problem};
use crate::texts::Message;

/// Path of the copied program relative to the folder of a place.
const COPIED: &str = ".program/lae-studio";
/// The folder of a place without a given one.
const DEFAULT_FOLDER: &str = "~/.lae-studio";

/// Returns an `ssh` command with the place's options, which runs a line of POSIX shell there.
pub fn command(place: &RemoteMachine, line: &str) -> Command {
    ssh_command(place.ssh.as_deref().unwrap_or_default(), &place.options, line)
}

/// Returns the shell command that starts the program there with these arguments; the copied program takes precedence.
pub fn script(place: &RemoteMachine, args: &[&str]) -> String {
    let (folder, program) = (path_word(folder(place)), path_word(&place.program));
    let args: Vec<String> = args.iter().map(|word| quote_for_posix(word)).collect();
    let args = args.join(" ");
    format!(
        "P={program}; C={folder}/{COPIED}; if [ -x \"$C\" ]; then P=$C; fi; exec \"$P\" {args} --out {folder}"
    )
}

/// Returns the folder of a place, as its shell expects it.
fn folder(place: &RemoteMachine) -> &str {
    place.folder.as_deref().unwrap_or(DEFAULT_FOLDER)
}

/// Returns a path as one shell word; a leading `~` remains the home folder.
fn path_word(path: &str) -> String {
    match path.strip_prefix("~/") {
        Some(rest) => format!("\"$HOME\"/{}", quote_for_posix(rest)),
        None => quote_for_posix(path),
    }
}

/// Explains why a connection failed, from the exit code and the output.
pub fn explain_failure(place: &RemoteMachine, code: Option<i32>, stderr: &str) -> Problem {
    let (name, host) = (&place.name, place.ssh.as_deref().unwrap_or_default());
    let mut lines = stderr.lines().rev().map(str::trim);
    let last = lines.find(|line| !line.is_empty()).unwrap_or_default();
    let line: String = last.chars().take(300).collect();
    let lower = stderr.to_lowercase();
    let contains = |words: &[&str]| words.iter().any(|word| lower.contains(word));
    let problem = |what: Message, remedy: Message| {
        Problem::new(what).at(format!("{name}: {line}")).advise(remedy)
    };
    // 255 means that OpenSSH itself failed.
    let Some(code) = code.filter(|code| *code != 255) else {
        return if contains(&["could not resolve"]) {
            problem(
                message!("place-host-unknown", host, place = name.as_str()),
                message!("place-host-unknown-advice"),
            )
        } else if contains(&["permission denied", "no supported authentication"]) {
            problem(
                message!("place-ssh-key-rejected", host),
                message!("place-ssh-key-rejected-advice"),
            )
        } else if contains(&["host key verification failed", "identification has changed"]) {
            problem(
                message!("place-host-key-unknown", host),
                message!("place-host-key-unknown-advice"),
            )
        } else if contains(&["connection refused", "timed out", "no route", "unreachable"]) {
            problem(
                message!("place-host-not-responding", host),
                message!("place-host-not-responding-advice"),
            )
        } else {
            problem(
                message!("place-connection-lost", place = name.as_str()),
                message!("place-run-ssh-advice"),
            )
        };
    };
    if matches!(code, 126 | 127) || contains(&["command not found", "no such file or directory"]) {
        let program = place.program.as_str();
        return problem(
            message!("place-program-not-found", program, place = name.as_str()),
            message!("place-program-not-found-advice"),
        );
    }
    if is_disk_full(stderr) {
        return problem(
            message!("place-disk-full", place = name.as_str()),
            message!("place-disk-full-advice"),
        );
    }
    problem(
        message!("place-program-exited", place = name.as_str(), code = code.to_string()),
        message!("place-program-exited-advice"),
    )
}

/// Returns whether an error message says that a disk is full.
pub(super) fn is_disk_full(stderr: &str) -> bool {
    let lower = stderr.to_lowercase();
    ["no space left", "disk quota", "quota exceeded"].iter().any(|words| lower.contains(words))
}

/// Returns whether another attempt may succeed, because the machine or the network may only be down temporarily.
pub(super) fn is_transient(problem: &Problem) -> bool {
    problem.is("place-host-not-responding") || problem.is("place-connection-lost")
}

/// Copies this program to the folder of a place, where it is used from now on.
///
/// # Errors
/// Returns a Problem if the place has another system or processor, cannot be reached, or its disk is full.
pub fn copy_program(place: &RemoteMachine) -> Result<()> {
    let kind = run_shell(place, "uname -sm", Stdio::null())?;
    let (system, processor) = (std::env::consts::OS, std::env::consts::ARCH);
    let platform = kind.to_lowercase().replace("arm64", "aarch64").replace("darwin", "macos");
    if platform.split_whitespace().ne([system, processor]) {
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
    let version = run_shell(place, &line, program.into())?;
    match version.trim().ends_with(env!("CARGO_PKG_VERSION")) {
        true => Ok(()),
        false => Err(Problem::new(message!("place-copied-program-fails"))
            .at(version.trim())
            .advise(message!("place-other-system-advice"))),
    }
}

/// Runs a shell command there; returns its output.
fn run_shell(place: &RemoteMachine, line: &str, input: Stdio) -> Result<String> {
    let mut ssh = command(place, line);
    let output = ssh.stdin(input).output().map_err(|error| ssh_start_problem(&error))?;
    match output.status.success() {
        true => Ok(String::from_utf8_lossy(&output.stdout).into_owned()),
        false => Err(explain_failure(
            place,
            output.status.code(),
            &String::from_utf8_lossy(&output.stderr),
        )),
    }
}
