//! A connection: a child process with its streams, which a thread reads.

use std::io::{Read, Write};
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::mpsc::Sender;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use crate::console;
use crate::problem::Problem;
use crate::run::wire::{self, Frame, ServerMessage};
use crate::sync::lock;

/// Maximum number of bytes kept of the child's standard error.
const MAX_STDERR_BYTES: usize = 8 << 10;
/// Longest wait for a child to exit after its input was closed.
const EXIT_TIMEOUT: Duration = Duration::from_secs(20);

/// What a connection reports.
pub enum LinkEvent {
    /// A message.
    Message(ServerMessage, Vec<u8>),
    /// The connection has ended; with the reason, unless it ended normally.
    Ended(Option<Problem>),
}

/// A connection.
pub struct Link {
    child: Child,
    input: Option<ChildStdin>,
    stderr: Arc<Mutex<Vec<u8>>>,
}

impl Link {
    /// Starts the process; its output goes to `sender`, with the number of this connection.
    pub fn start<M: Send + 'static>(
        mut command: Command,
        sender: Sender<M>,
        wrap: impl Fn(LinkEvent) -> M + Send + 'static,
    ) -> std::io::Result<Self> {
        console::hide_for(&mut command);
        // Ctrl-C is for this program, which reports the state of the other process.
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.stderr(Stdio::piped()).spawn()?;
        let captured = Arc::<Mutex<Vec<u8>>>::default();
        if let Some(mut stderr) = child.stderr.take() {
            let captured = Arc::clone(&captured);
            std::thread::spawn(move || {
                let mut buffer = [0; 1024];
                while let Ok(length @ 1..) = stderr.read(&mut buffer) {
                    let mut captured = lock(&captured);
                    captured.extend_from_slice(&buffer[..length]);
                    let excess = captured.len().saturating_sub(MAX_STDERR_BYTES);
                    captured.drain(..excess);
                }
            });
        }
        if let Some(stdout) = child.stdout.take() {
            let mut stdout = std::io::BufReader::new(stdout);
            std::thread::spawn(move || {
                loop {
                    let event = match wire::read::<ServerMessage>(&mut stdout) {
                        Ok(Some((message, raw))) => LinkEvent::Message(message, raw),
                        Ok(None) => LinkEvent::Ended(None),
                        Err(problem) => LinkEvent::Ended(Some(problem)),
                    };
                    let ends = matches!(event, LinkEvent::Ended(_));
                    if sender.send(wrap(event)).is_err() || ends {
                        return;
                    }
                }
            });
        }
        Ok(Self { input: child.stdin.take(), child, stderr: captured })
    }

    /// Sends a frame. Errors are ignored, because the reading thread reports the end of the connection.
    pub fn send(&mut self, frame: &Frame) {
        if let Some(input) = &mut self.input {
            let _ = input.write_all(frame.as_bytes()).and_then(|()| input.flush());
        }
    }

    /// Closes the connection. Returns the exit status, as a code and in words, and the standard error. Blocks briefly.
    pub fn close(&mut self) -> (Option<i32>, String, String) {
        let status = self.end_child(Duration::from_secs(2));
        // The last output may still be in transit.
        std::thread::sleep(Duration::from_millis(20));
        let stderr = lock(&self.stderr);
        let stderr = String::from_utf8_lossy(&stderr).trim().to_string();
        let status_text =
            status.map_or_else(|| "it was lost".to_string(), |status| status.to_string());
        (status.and_then(|status| status.code()), status_text, stderr)
    }

    /// Closes the input of the child and waits until it exits; kills it after this time.
    fn end_child(&mut self, timeout: Duration) -> Option<ExitStatus> {
        let _ = self.input.take();
        let started = Instant::now();
        while matches!(self.child.try_wait(), Ok(None)) {
            if started.elapsed() > timeout {
                let _ = self.child.kill();
                break;
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        self.child.wait().ok()
    }
}

impl Drop for Link {
    /// Closes the connection: a child process saves its run; a connection to another machine is only closed.
    fn drop(&mut self) {
        self.end_child(EXIT_TIMEOUT);
    }
}
