//! Work that is left to a child process, where drivers may print, hang and crash as they like.

use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, ExitStatus, Stdio};
use std::sync::OnceLock;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use super::DeviceInfo;
use super::machine::cpu;
use crate::console;

/// The subcommand that lists all devices as JSON.
const LISTING: &str = "gpu-list";
/// Longest time for the list.
const LISTING_TIME_LIMIT: Duration = Duration::from_secs(30);
/// Most bytes of what a child says.
pub(super) const MOST: usize = 1 << 20;
/// How long the end of its words is waited for once it has ended.
const LAST_WORDS: Duration = Duration::from_secs(1);
/// Set for children: their input ends when the program that started them does.
const PARENT: &str = "LAE_STUDIO_CHILD";
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
/// about to shut down may end any process. None of that is the GPU's fault.
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

/// Makes a child process of this program end with this one, see [`end_with_parent`], and write what it found to its
/// standard output. Its input has to stay open until it is done.
pub fn tied(child: &mut Command) -> &mut Command {
    child
        .env(PARENT, "1")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
}

/// Starts the program with these words as a child that is [`tied`] to this one.
pub(super) fn start(program: &Path, words: &[&str]) -> std::io::Result<Child> {
    let mut child = Command::new(program);
    tied(console::hide_for(&mut child))
        .args(words)
        .stderr(Stdio::null())
        .spawn()
}

/// In a child: ends it as soon as the program that started it is gone, even one that was killed. A
/// driver may keep it busy for minutes, with a GPU that another one could use. In any other process
/// this does nothing.
pub fn end_with_parent() {
    if std::env::var_os(PARENT).is_none() {
        return;
    }
    // Without a thread it ends when it is done.
    let _ = std::thread::Builder::new().name("parent".into()).spawn(|| {
        // Nothing is ever sent: the input ends with the process at its other end.
        let _ = std::io::copy(&mut std::io::stdin().lock(), &mut std::io::sink());
        let _ = std::thread::Builder::new().spawn(|| {
            // A driver that hangs may hang at the end, too.
            std::thread::sleep(Duration::from_secs(2));
            std::process::abort();
        });
        std::process::exit(1);
    });
}

/// Runs this process at a lower priority than the window that started it, so that the window gets the processor first
/// when something is clicked. An idle machine computes as fast as before.
///
/// On Linux it holds for the calling thread and those that it starts, so it is to be called before any of them.
pub fn lower_priority() {
    #[cfg(unix)]
    {
        /// Added to the nice value: a busy process of the usual priority gets about nine times the time of this one.
        const NICER: libc::c_int = 10;
        #[allow(unsafe_code, reason = "it takes a number; a refusal changes nothing")]
        unsafe {
            libc::nice(NICER);
        }
    }
    #[cfg(windows)]
    {
        use windows_sys::Win32::System::Threading::{
            BELOW_NORMAL_PRIORITY_CLASS, GetCurrentProcess, SetPriorityClass,
        };
        #[allow(
            unsafe_code,
            reason = "the handle is this process's own; a refusal changes nothing"
        )]
        unsafe {
            SetPriorityClass(GetCurrentProcess(), BELOW_NORMAL_PRIORITY_CLASS);
        }
    }
}

/// Runs the program in a child process, where drivers may print and crash as they like; returns how
/// it ended and what it said, as far as anybody would want to read it. None when it hung; an error
/// when it could not be started.
pub(super) fn ask(
    program: &Path,
    words: &[&str],
    limit: Duration,
) -> std::result::Result<Option<(ExitStatus, String)>, String> {
    let child = start(program, words);
    let mut child = child.map_err(|error| format!("the test could not be started ({error})"))?;
    // Read while it runs: a child whose pipe is full waits, and would look as if it hung.
    let pieces = child.stdout.take().map(pieces_of);
    let mut said = Vec::new();
    let mut hear = |patience: Duration| match &pieces {
        Some(pieces) => match pieces.recv_timeout(patience) {
            Ok(piece) => {
                said.extend_from_slice(&piece);
                true
            }
            Err(RecvTimeoutError::Timeout) => true,
            Err(RecvTimeoutError::Disconnected) => false,
        },
        None => false,
    };
    let end = Instant::now() + limit;
    let status = loop {
        match child.try_wait() {
            Ok(Some(status)) => break status,
            Ok(None) if Instant::now() < end => {
                if !hear(Duration::from_millis(5)) {
                    std::thread::sleep(Duration::from_millis(5));
                }
            }
            _ => {
                // It hangs; whether the kill succeeds does not change the answer.
                let _ = child.kill();
                let _ = child.wait();
                return Ok(None);
            }
        }
    };
    // What it said last is on the way; something that it left running may hold the pipe for ever.
    let end = Instant::now() + LAST_WORDS;
    while Instant::now() < end && hear(Duration::from_millis(5)) {}
    let said = String::from_utf8_lossy(&said);
    Ok(Some((status, said.trim().to_string())))
}

/// What a child says, piece by piece, read by a thread that ends with it. Beyond [`MOST`] it is read
/// and forgotten.
fn pieces_of(mut stdout: ChildStdout) -> Receiver<Vec<u8>> {
    let (sender, receiver) = channel();
    std::thread::spawn(move || {
        let (mut buffer, mut left) = (vec![0; 1 << 16], MOST);
        while let Ok(length @ 1..) = stdout.read(&mut buffer) {
            let kept = length.min(left);
            left -= kept;
            if kept > 0 && sender.send(buffer[..kept].to_vec()).is_err() {
                return;
            }
        }
    });
    receiver
}

/// The devices as a child process lists them, so that drivers that only are looked at cannot print
/// into this program's output or take it down. `None` if there is no program to ask; drivers that
/// hang or crash are drivers that are not there.
pub(super) fn listed() -> Option<Vec<DeviceInfo>> {
    list_of(program()?)
}

pub(super) fn list_of(program: &Path) -> Option<Vec<DeviceInfo>> {
    let answer = ask(program, &[LISTING], LISTING_TIME_LIMIT).ok()?;
    let told = answer.and_then(|(_, text)| serde_json::from_str(&text).ok());
    Some(told.unwrap_or_else(|| vec![cpu()]))
}

#[cfg(all(test, unix))]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn asked(script: &str, limit: Duration) -> Option<(ExitStatus, String)> {
        ask(Path::new("/bin/sh"), &["-c", script], limit).unwrap()
    }

    #[test]
    fn a_child_that_says_more_than_a_pipe_holds_does_not_hang() {
        let talk = "yes driver | head -c 300000; echo end";
        let (status, said) = asked(talk, Duration::from_secs(20)).unwrap();
        assert!(status.success() && said.ends_with("end"), "{}", said.len());
        let (status, said) = asked("yes | head -c 9000000", Duration::from_secs(20)).unwrap();
        assert!(status.success() && said.len() <= MOST);
    }

    #[test]
    fn what_a_child_leaves_running_is_not_waited_for() {
        let began = Instant::now();
        let (status, said) = asked("echo done; sleep 20 &", Duration::from_secs(20)).unwrap();
        assert!(status.success() && said == "done", "{said}");
        assert!(began.elapsed() < Duration::from_secs(15));
    }
}
