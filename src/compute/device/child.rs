//! Child processes for work in which drivers may print, hang or crash.

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
const LIST_SUBCOMMAND: &str = "gpu-list";
/// Time limit of the list.
const LIST_TIME_LIMIT: Duration = Duration::from_secs(30);
/// Largest number of bytes that are read from a child.
pub(super) const MAX_OUTPUT_BYTES: usize = 1 << 20;
/// How long to wait for the last output of a child that has ended.
const DRAIN_TIME_LIMIT: Duration = Duration::from_secs(1);
/// Environment variable of child processes: they end when their standard input ends, which it does with their parent.
const CHILD_VARIABLE: &str = "LAE_STUDIO_CHILD";
/// The program with the self-test as a subcommand.
static PROGRAM: OnceLock<PathBuf> = OnceLock::new();

/// Sets the program that tests GPUs, which is the calling one. If it is not set, GPUs are used without a test.
pub fn set_program(path: PathBuf) {
    // Called once at the start; further calls have no effect.
    let _ = PROGRAM.set(path);
}

/// Returns this program, if it was set.
pub(super) fn program() -> Option<&'static Path> {
    PROGRAM.get().map(PathBuf::as_path)
}

/// Returns whether something else ended the test: Ctrl-C also reaches the child, and a system that is short of memory
/// or shutting down may end any process. This is no failure of the GPU.
pub(super) fn was_terminated_externally(status: ExitStatus) -> bool {
    #[cfg(unix)]
    {
        use std::os::unix::process::ExitStatusExt;
        /// SIGHUP, SIGINT, SIGQUIT, SIGKILL and SIGTERM; a crash causes SIGSEGV, SIGBUS, SIGABRT, ….
        const EXTERNAL_SIGNALS: [i32; 5] = [1, 2, 3, 9, 15];
        status.signal().is_some_and(|signal| EXTERNAL_SIGNALS.contains(&signal))
    }
    #[cfg(not(unix))]
    {
        /// The exit code on Windows of a program ended by Ctrl-C (STATUS_CONTROL_C_EXIT).
        const CONTROL_C: i32 = 0xC000_013A_u32 as i32;
        status.code() == Some(CONTROL_C)
    }
}

/// Configures a child process of this program to end with its parent (see [`end_with_parent`]) and to write its
/// result to standard output. Its standard input must stay open until it has finished.
pub fn tie_to_parent(child: &mut Command) -> &mut Command {
    child.env(CHILD_VARIABLE, "1").stdin(Stdio::piped()).stdout(Stdio::piped())
}

/// Starts the program with these arguments as a child that is tied ([`tie_to_parent`]) to this process.
pub(super) fn spawn_program(program: &Path, args: &[&str]) -> std::io::Result<Child> {
    let mut child = Command::new(program);
    tie_to_parent(console::hide_for(&mut child)).args(args).stderr(Stdio::null()).spawn()
}

/// Ends this process, if it is a child, as soon as its parent has ended, even if the parent was killed. Otherwise a
/// driver might keep the child, and the GPU, busy for minutes. Has no effect in other processes.
pub fn end_with_parent() {
    if std::env::var_os(CHILD_VARIABLE).is_none() {
        return;
    }
    // If the thread cannot be started, the process ends when its work is finished.
    let _ = std::thread::Builder::new().name("parent".into()).spawn(|| {
        // The parent never writes, so the input ends only with the parent.
        let _ = std::io::copy(&mut std::io::stdin().lock(), &mut std::io::sink());
        let _ = std::thread::Builder::new().spawn(|| {
            // A hanging driver may also prevent a normal exit.
            std::thread::sleep(Duration::from_secs(2));
            std::process::abort();
        });
        std::process::exit(1);
    });
}

/// Runs this process at a lower priority than the window that started it, so that the window responds quickly. On an
/// idle machine, the speed does not change.
///
/// On Linux, this affects the calling thread and threads that it starts later, so it must be called before any are
/// started.
pub fn lower_priority() {
    #[cfg(unix)]
    {
        /// Added to the nice value: a busy process of normal priority gets about nine times the CPU time of this one.
        const NICE_INCREMENT: libc::c_int = 10;
        #[allow(unsafe_code, reason = "it takes a number; a refusal changes nothing")]
        unsafe {
            libc::nice(NICE_INCREMENT);
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

/// Runs the program in a child process, where drivers may print and crash; returns its exit status and its output (at
/// most [`MAX_OUTPUT_BYTES`] bytes). `None` if it exceeded the time limit; an error if it could not be started.
pub(super) fn run_child(
    program: &Path,
    args: &[&str],
    limit: Duration,
) -> std::result::Result<Option<(ExitStatus, String)>, String> {
    let child = spawn_program(program, args);
    let mut child = child.map_err(|error| format!("the test could not be started ({error})"))?;
    // The output is read continuously, because a child blocks while its pipe is full, and would seem to hang.
    let chunks = child.stdout.take().map(spawn_reader);
    let mut output = Vec::new();
    let mut read_chunk = |timeout: Duration| match &chunks {
        Some(chunks) => match chunks.recv_timeout(timeout) {
            Ok(chunk) => {
                output.extend_from_slice(&chunk);
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
                if !read_chunk(Duration::from_millis(5)) {
                    std::thread::sleep(Duration::from_millis(5));
                }
            }
            _ => {
                // The child hangs; whether it can be killed does not change the result.
                let _ = child.kill();
                let _ = child.wait();
                return Ok(None);
            }
        }
    };
    // The last output may still be in the pipe. The wait is limited, because a process that the child started may
    // keep the pipe open forever.
    let end = Instant::now() + DRAIN_TIME_LIMIT;
    while Instant::now() < end && read_chunk(Duration::from_millis(5)) {}
    let text = String::from_utf8_lossy(&output);
    Ok(Some((status, text.trim().to_string())))
}

/// Returns the output of a child in chunks, read by a thread that ends with it. Output beyond
/// [`MAX_OUTPUT_BYTES`] is discarded.
fn spawn_reader(mut stdout: ChildStdout) -> Receiver<Vec<u8>> {
    let (sender, receiver) = channel();
    std::thread::spawn(move || {
        let (mut buffer, mut remaining) = (vec![0; 1 << 16], MAX_OUTPUT_BYTES);
        while let Ok(length @ 1..) = stdout.read(&mut buffer) {
            let length_kept = length.min(remaining);
            remaining -= length_kept;
            if length_kept > 0 && sender.send(buffer[..length_kept].to_vec()).is_err() {
                return;
            }
        }
    });
    receiver
}

/// Returns the devices as listed by a child process, so that drivers can neither print to this program's output nor
/// crash it. `None` if no program is set. If the child hangs or crashes, only the CPU is listed.
pub(super) fn list_in_child() -> Option<Vec<DeviceInfo>> {
    list_with(program()?)
}

pub(super) fn list_with(program: &Path) -> Option<Vec<DeviceInfo>> {
    let answer = run_child(program, &[LIST_SUBCOMMAND], LIST_TIME_LIMIT).ok()?;
    let devices = answer.and_then(|(_, text)| serde_json::from_str(&text).ok());
    Some(devices.unwrap_or_else(|| vec![cpu()]))
}

#[cfg(all(test, unix))]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn run_shell(script: &str, limit: Duration) -> Option<(ExitStatus, String)> {
        run_child(Path::new("/bin/sh"), &["-c", script], limit).unwrap()
    }

    #[test]
    fn large_child_output_does_not_block() {
        let script = "yes driver | head -c 300000; echo end";
        let (status, output) = run_shell(script, Duration::from_secs(20)).unwrap();
        assert!(status.success() && output.ends_with("end"), "{}", output.len());
        let (status, output) = run_shell("yes | head -c 9000000", Duration::from_secs(20)).unwrap();
        assert!(status.success() && output.len() <= MAX_OUTPUT_BYTES);
    }

    #[test]
    fn background_processes_of_child_are_not_awaited() {
        let start_time = Instant::now();
        let (status, output) = run_shell("echo done; sleep 20 &", Duration::from_secs(20)).unwrap();
        assert!(status.success() && output == "done", "{output}");
        assert!(start_time.elapsed() < Duration::from_secs(15));
    }
}
