//! The system's `ssh`: how it is called, and what its failures mean.

use std::process::Command;

use crate::problem::Problem;
use crate::run::places::Place;

/// Where the program is copied below the folder of a place.
pub(super) const COPIED: &str = ".program/lae-studio";
/// The folder of a place that names none.
const USUAL: &str = "~/.lae-studio";

/// `ssh` with the place's options, to run a line of shell there.
pub fn command(place: &Place, line: &str) -> Command {
    let mut ssh = Command::new("ssh");
    ssh.args(["-T", "-o", "BatchMode=yes", "-o", "ConnectTimeout=20"]);
    // A connection that carries nothing any more is noticed within a minute.
    ssh.args([
        "-o",
        "ServerAliveInterval=15",
        "-o",
        "ServerAliveCountMax=3",
    ]);
    ssh.args(&place.options).arg("--");
    ssh.arg(place.ssh.as_deref().unwrap_or_default()).arg(line);
    ssh
}

/// The line of shell that starts the program there with these words: the copied one where there is one.
pub fn script(place: &Place, words: &[&str]) -> String {
    let (folder, program) = (quoted(folder(place)), quoted(&place.program));
    let words: Vec<String> = words.iter().map(|word| quoted(word)).collect();
    let words = words.join(" ");
    format!(
        "P={program}; C={folder}/{COPIED}; if [ -x \"$C\" ]; then P=$C; fi; exec \"$P\" {words} --out {folder}"
    )
}

/// The folder of a place, as its shell is to take it.
pub(super) fn folder(place: &Place) -> &str {
    place.folder.as_deref().unwrap_or(USUAL)
}

/// Text as one word of a shell; a `~` in front stays the home folder.
pub(super) fn quoted(text: &str) -> String {
    let quote = |text: &str| format!("'{}'", text.replace('\'', r"'\''"));
    match text.strip_prefix("~/") {
        Some(rest) => format!("\"$HOME\"/{}", quote(rest)),
        None => quote(text),
    }
}

/// What a connection that did not come about means.
pub fn reason(place: &Place, code: Option<i32>, said: &str) -> Problem {
    let (name, host) = (&place.name, place.ssh.as_deref().unwrap_or_default());
    let line = last_line(said);
    let lower = said.to_lowercase();
    let has = |words: &[&str]| words.iter().any(|word| lower.contains(word));
    let told = |what: String, remedy: &str| {
        Problem::new(what)
            .at(format!("{name}: {line}"))
            .advise(remedy)
    };
    if code == Some(255) || code.is_none() {
        return if has(&["could not resolve"]) {
            told(
                format!("the host {host} of {name} is not known"),
                "check `ssh` of this place in places.toml, and the host in ~/.ssh/config",
            )
        } else if has(&["permission denied", "no supported authentication"]) {
            told(
                format!("{host} does not let this key in"),
                "`ssh` must get in without a password: add the key to ssh-agent, or to authorized_keys there",
            )
        } else if has(&["host key verification failed", "identification has changed"]) {
            told(
                format!("the key of the host {host} is not known, or another one than before"),
                "log in once with `ssh` and look at the key before you accept it",
            )
        } else if has(&["connection refused", "timed out", "no route", "unreachable"]) {
            told(
                format!("{host} does not answer"),
                "check that the machine is on, and the port in `options` of this place",
            )
        } else {
            told(
                format!("the connection to {name} broke"),
                "try `ssh` to this host by hand",
            )
        };
    }
    if code == Some(127)
        || code == Some(126)
        || has(&["command not found", "no such file or directory"])
    {
        return told(
            format!("there is no program {} at {name}", place.program),
            "install it there, give its path as `program` in places.toml, or copy this one with `lae-studio places --copy NAME`",
        );
    }
    if is_full(said) {
        return told(format!("the disk of {name} is full"), MAKE_ROOM);
    }
    let code = code.map_or_else(|| "a signal".into(), |code| format!("code {code}"));
    told(
        format!("the program at {name} ended with {code}"),
        "try its command there by hand",
    )
}

/// What to do about a full disk there.
pub(super) const MAKE_ROOM: &str =
    "free some space there, or choose another `folder` for this place; what was saved is kept";

/// Whether the system said that a disk is full.
pub(super) fn is_full(said: &str) -> bool {
    let lower = said.to_lowercase();
    ["no space left", "disk quota", "quota exceeded"]
        .iter()
        .any(|words| lower.contains(words))
}

/// Whether trying again may help: the machine or the network is away.
pub(super) fn may_pass(problem: &Problem) -> bool {
    problem.what.ends_with("does not answer") || problem.what.ends_with("broke")
}

fn last_line(said: &str) -> String {
    let mut lines = said.lines().rev().map(str::trim);
    lines
        .find(|line| !line.is_empty())
        .unwrap_or_default()
        .chars()
        .take(300)
        .collect()
}
