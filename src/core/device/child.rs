//! Work that is left to a child process, where drivers may print, hang and crash as they like.

use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use super::DeviceInfo;
use super::machine::cpu;
use crate::console;

/// The subcommand that lists all devices as JSON.
const LISTING: &str = "gpu-list";
/// Longest time for the list.
const LISTING_TIME_LIMIT: Duration = Duration::from_secs(30);
/// The program that has the self-test as a subcommand.
static PROGRAM: OnceLock<PathBuf> = OnceLock::new();

/// Says which program tests GPUs: the one that calls this. Without it GPUs are used untested.
pub fn set_program(path: PathBuf) {
    // Called once, at the start; a second call changes nothing.
    let _ = PROGRAM.set(path);
}

/// That program, where one was named.
pub(super) fn program() -> Option<&'static Path> {
    PROGRAM.get().map(PathBuf::as_path)
}

/// Whether somebody ended the test: Ctrl-C reaches the child, too, and a system short of memory or
/// about to shut down ends whom it likes. None of that is the card's doing.
pub(super) fn ended_from_outside(status: ExitStatus) -> bool {
    #[cfg(unix)]
    {
        use std::os::unix::process::ExitStatusExt;
        /// SIGHUP, SIGINT, SIGQUIT, SIGKILL, SIGTERM; a crash brings SIGSEGV, SIGBUS, SIGABRT …
        const FROM_OUTSIDE: [i32; 5] = [1, 2, 3, 9, 15];
        status.signal().is_some_and(|by| FROM_OUTSIDE.contains(&by))
    }
    #[cfg(not(unix))]
    {
        /// What Windows gives for a program ended by Ctrl-C (STATUS_CONTROL_C_EXIT).
        const CONTROL_C: i32 = 0xC000_013A_u32 as i32;
        status.code() == Some(CONTROL_C)
    }
}

/// Runs the program in a child process, where drivers may print and crash as they like; gives how
/// it ended and what it said. None when it hung; an error when it could not be started.
pub(super) fn ask(
    program: &Path,
    words: &[&str],
    limit: Duration,
) -> std::result::Result<Option<(ExitStatus, String)>, String> {
    let mut child = Command::new(program);
    let child = console::hide_for(&mut child)
        .args(words)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn();
    let mut child = child.map_err(|error| format!("the test could not be started ({error})"))?;
    let end = Instant::now() + limit;
    let status = loop {
        match child.try_wait() {
            Ok(Some(status)) => break status,
            Ok(None) if Instant::now() < end => std::thread::sleep(Duration::from_millis(5)),
            _ => {
                // It hangs; whether the kill succeeds does not change the answer.
                let _ = child.kill();
                let _ = child.wait();
                return Ok(None);
            }
        }
    };
    let mut said = String::new();
    if let Some(mut stdout) = child.stdout.take() {
        // What cannot be read counts as nothing said.
        let _ = stdout.read_to_string(&mut said);
    }
    Ok(Some((status, said.trim().to_string())))
}

/// The devices as a child process lists them, so that drivers that only are looked at cannot print
/// into this program's output or take it down. None where there is no program to ask; drivers that
/// hang or crash are drivers that are not there.
pub(super) fn listed() -> Option<Vec<DeviceInfo>> {
    list_of(program()?)
}

pub(super) fn list_of(program: &Path) -> Option<Vec<DeviceInfo>> {
    let answer = ask(program, &[LISTING], LISTING_TIME_LIMIT).ok()?;
    let told = answer.and_then(|(_, text)| serde_json::from_str(&text).ok());
    Some(told.unwrap_or_else(|| vec![cpu()]))
}
