//! An engine that runs in the background without clients. It holds a lock in the folder of runs and listens on a
//! socket there.
//!
//! The socket path is relative to that folder, because socket paths are limited to about 100 bytes.

use std::fs::{File, TryLockError};
use std::io::{self, Read, Seek, Write};
use std::net::Shutdown;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, PermissionsExt};
use std::os::unix::net::{UnixListener, UnixStream};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use super::client::ClientServer;
use super::journal::Journal;
use super::make_root;
use crate::files;
use crate::problem::{Problem, Result};

/// The daemon's folder in the folder of runs.
const FOLDER: &str = ".serve";
/// Its socket.
const SOCKET: &str = ".serve/socket";
/// Its events.
const JOURNAL: &str = ".serve/journal";
/// Locked while the daemon runs; contains its process id and the name of its machine.
const LOCK: &str = ".serve/lock";
/// Test file, written to find out whether the disk is full if a daemon does not start.
const PROBE: &str = ".serve/probe";
const PROBE_BYTES: usize = 1 << 16;
/// Maximum time until a new daemon listens.
const START_TIMEOUT: Duration = Duration::from_secs(30);
/// Time after which the daemon ends without clients and work.
const IDLE_TIMEOUT: Duration = Duration::from_secs(600);
/// Interval between two updates of the lock file, which show that the daemon is alive.
const HEARTBEAT_INTERVAL: Duration = Duration::from_secs(10);
/// Time without updates after which a daemon on another machine counts as ended.
const HEARTBEAT_TIMEOUT: Duration = Duration::from_secs(60);
/// Time that a daemon waits for another one that starts at the same moment, if file locks do not work.
const TAKEOVER_DELAY: Duration = Duration::from_secs(3);

/// Connects standard input and output with the daemon of this folder, and starts it if necessary.
///
/// # Errors
/// Returns a Problem if it cannot be started.
pub fn attach(root: &Path) -> Result<()> {
    let root = enter_root(root)?;
    let socket = match UnixStream::connect(SOCKET) {
        Ok(socket) => socket,
        Err(_) => {
            ensure_no_remote_daemon(&root)?;
            start(&root)?
        }
    };
    let io = |error| Problem::io("connect to the background engine", &root, &error);
    let mut reader = socket.try_clone().map_err(io)?;
    let output_thread = std::thread::spawn(move || {
        // A line buffer would delay the end of a frame.
        let mut out = io::stdout().lock();
        let mut buffer = vec![0; 1 << 16];
        while let Ok(length @ 1..) = reader.read(&mut buffer) {
            let result = out.write_all(&buffer[..length]);
            if result.and_then(|()| out.flush()).is_err() {
                return;
            }
        }
        // The daemon has ended, so nothing more needs to be read from standard input.
        std::process::exit(0);
    });
    let _ = io::copy(&mut io::stdin().lock(), &mut &socket);
    let _ = socket.shutdown(Shutdown::Both);
    let _ = output_thread.join();
    Ok(())
}

/// Changes to the folder and creates the daemon's folder in it. Returns the folder's canonical path.
fn enter_root(root: &Path) -> Result<std::path::PathBuf> {
    let root = make_root(root)?;
    std::env::set_current_dir(&root)
        .and_then(|()| make_private(&root))
        .map_err(|error| Problem::io("access the folder of runs", &root, &error))??;
    Ok(root)
}

/// Creates the daemon's folder, or checks that only this user has access: a process that can write to it controls the
/// engine.
fn make_private(root: &Path) -> io::Result<Result<()>> {
    let mut folder = std::fs::DirBuilder::new();
    folder.recursive(true).mode(0o700).create(FOLDER)?;
    // The owner of a new file is the user as whom this process writes.
    let user = tempfile::tempfile_in(".")?.metadata()?.uid();
    let refuse = |what| {
        let advice = "remove this folder, or choose another `folder` for the place";
        let problem = Problem::new(what).at_path(root.join(FOLDER));
        Ok(Err(problem.advise(advice)))
    };
    let metadata = std::fs::symlink_metadata(FOLDER)?;
    if !metadata.is_dir() {
        return refuse("the background engine's folder is a link");
    }
    if metadata.uid() != user {
        return refuse("the background engine's folder belongs to another user");
    }
    if metadata.mode() & 0o077 == 0 {
        return Ok(Ok(()));
    }
    std::fs::set_permissions(FOLDER, std::fs::Permissions::from_mode(0o700))?;
    if std::fs::symlink_metadata(FOLDER)?.mode() & 0o077 != 0 {
        return refuse("other users can write to the background engine's folder");
    }
    for entry in std::fs::read_dir(FOLDER)? {
        if entry?.metadata()?.uid() != user {
            return refuse("the background engine's folder has files of another user");
        }
    }
    Ok(Ok(()))
}

/// Checks that no daemon on another machine, which shares the folder, uses it.
fn ensure_no_remote_daemon(root: &Path) -> Result<()> {
    let Some(host) = other_active_host() else {
        return Ok(());
    };
    let this_host = local_hostname();
    Err(Problem::new(format!(
        "the background engine of this folder runs on {host}, but this machine is {this_host}"
    ))
    .at_path(root)
    .advise(format!(
        "set the host of the place to {host}, or choose another `folder`; if {host} was shut down, try again in a minute"
    )))
}

/// Returns the other machine whose daemon uses the folder; `None` if there is none.
fn other_active_host() -> Option<String> {
    let content = files::read_text(Path::new(LOCK), files::NOTE).ok()?;
    let host = content.lines().nth(1).filter(|host| *host != local_hostname())?;
    // Both times come from the file server, so the clocks of the machines do not matter.
    let now = tempfile::tempfile_in(FOLDER).and_then(|file| file.metadata());
    let [now, last] = [now, std::fs::metadata(LOCK)].map(|metadata| metadata.ok()?.modified().ok());
    let silence = now?.duration_since(last?).unwrap_or_default();
    (silence < HEARTBEAT_TIMEOUT).then(|| host.to_string())
}

fn local_hostname() -> String {
    gethostname::gethostname().to_string_lossy().into_owned()
}

fn lock_content() -> String {
    format!("{}\n{}\n", std::process::id(), local_hostname())
}

/// Writes process id and machine to the lock file; its modification time shows that the daemon is alive.
fn write_heartbeat(lock: &mut File) -> io::Result<()> {
    lock.rewind()?;
    lock.write_all(lock_content().as_bytes())?;
    lock.sync_data()
}

/// Returns whether the daemon that wrote its name into the lock may use the folder. Some network file systems have no
/// locks. There, several daemons may start at the same moment, and the last one to write its name keeps the folder.
fn owns_folder(lock: &File) -> bool {
    if !matches!(lock.try_lock(), Err(TryLockError::Error(_))) {
        return true;
    }
    std::thread::sleep(TAKEOVER_DELAY);
    // Opened again, because network file systems may cache the earlier content.
    files::read_text(Path::new(LOCK), files::NOTE)
        .is_ok_and(|content| content.starts_with(&lock_content()))
}

/// Starts a daemon and waits until it listens.
fn start(root: &Path) -> Result<UnixStream> {
    let io = |error| Problem::io("start the background engine", root, &error);
    let program = std::env::current_exe().map_err(io)?;
    let mut daemon = Command::new(program);
    daemon.args(["serve", "--daemon", "--out"]).arg(root);
    daemon.stdin(Stdio::null()).stdout(Stdio::null());
    daemon.stderr(Stdio::null());
    // In its own process group, the daemon does not end with the connection.
    let mut daemon = daemon.process_group(0).spawn().map_err(io)?;
    let started = Instant::now();
    loop {
        if let Ok(socket) = UnixStream::connect(SOCKET) {
            return Ok(socket);
        }
        let exit_status = daemon.try_wait().ok().flatten();
        if exit_status.is_some() {
            // It gave way to another daemon that started at the same moment, perhaps on another machine.
            ensure_no_remote_daemon(root)?;
        }
        if started.elapsed() > START_TIMEOUT || exit_status.is_some_and(|status| !status.success())
        {
            // Usually the disk is full, or the folder belongs to another user.
            let probe = std::fs::write(PROBE, [0; PROBE_BYTES]);
            let _ = std::fs::remove_file(PROBE);
            probe.map_err(io)?;
            return Err(Problem::new("the background engine did not start")
                .at_path(root)
                .advise("see its log in the folder log next to the runs"));
        }
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// Serves clients through the socket until it is no longer needed. Returns immediately if another daemon already does
/// this.
///
/// # Errors
/// Returns a Problem if the folder is not writable or the engine does not start.
pub fn run(root: &Path) -> Result<()> {
    let root = enter_root(root)?;
    let io = |error| Problem::io("open a socket in the folder of runs", &root, &error);
    let lock = files::lock_program_file(Path::new(LOCK), Duration::ZERO).map_err(io)?;
    let Some(mut lock) = lock else { return Ok(()) };
    ensure_no_remote_daemon(&root)?;
    lock.set_len(0).and_then(|()| write_heartbeat(&mut lock)).map_err(io)?;
    if !owns_folder(&lock) {
        return Ok(());
    }
    let _ = std::fs::remove_file(SOCKET);
    let journal = Journal::start(&root, Some(Path::new(JOURNAL)))?;
    let server = ClientServer::new(journal.clone(), &root, false);
    let listener = UnixListener::bind(SOCKET).map_err(io)?;
    let client_count = Arc::new(AtomicUsize::new(0));
    let thread_client_count = Arc::clone(&client_count);
    let thread = std::thread::Builder::new().name("readers".into());
    let acceptor = thread.spawn(move || accept(&listener, &server, &thread_client_count));
    acceptor.map_err(|error| Problem::thread_not_started(&error))?;
    let (mut last_needed, mut last_heartbeat) = (Instant::now(), Instant::now());
    loop {
        if client_count.load(Ordering::SeqCst) > 0 || journal.is_busy() {
            last_needed = Instant::now();
        }
        if last_needed.elapsed() >= IDLE_TIMEOUT {
            break;
        }
        if last_heartbeat.elapsed() > HEARTBEAT_INTERVAL {
            last_heartbeat = Instant::now();
            // The daemon continues even if the disk is full.
            let _ = write_heartbeat(&mut lock);
        }
        std::thread::sleep(Duration::from_millis(500));
    }
    // A client that connects now finds no socket and starts a new daemon, which can take the lock.
    let _ = std::fs::remove_file(SOCKET);
    let _ = lock.set_len(0);
    drop(lock);
    Ok(())
}

/// Serves each connection in its own thread.
fn accept(listener: &UnixListener, server: &ClientServer, client_count: &Arc<AtomicUsize>) {
    for socket in listener.incoming() {
        let Ok(socket) = socket else {
            // The process has no file descriptors left until a client disconnects.
            std::thread::sleep(Duration::from_millis(100));
            continue;
        };
        let (server, client_count) = (server.clone(), Arc::clone(client_count));
        let serve = move || {
            if let Ok(output) = socket.try_clone() {
                let client_count = &client_count;
                server.serve(CountedInput { socket: &socket, client_count, guard: None }, output);
            }
            let _ = socket.shutdown(Shutdown::Both);
        };
        // Without a thread, the connection is closed and the client tries again.
        let _ = std::thread::Builder::new().spawn(serve);
    }
}

/// What a client sends. The client is counted from its first message on, because one of another version sends none and
/// must not keep the daemon alive.
struct CountedInput<'a> {
    socket: &'a UnixStream,
    client_count: &'a Arc<AtomicUsize>,
    guard: Option<ClientGuard>,
}

impl Read for CountedInput<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let length = self.socket.read(buffer)?;
        if length > 0 {
            self.guard.get_or_insert_with(|| ClientGuard::new(self.client_count));
        }
        Ok(length)
    }
}

/// A client being served; decreases the count when it is dropped, even after a panic.
struct ClientGuard(Arc<AtomicUsize>);

impl ClientGuard {
    fn new(client_count: &Arc<AtomicUsize>) -> Self {
        client_count.fetch_add(1, Ordering::SeqCst);
        Self(Arc::clone(client_count))
    }
}

impl Drop for ClientGuard {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn client_is_counted_from_its_first_message_on() {
        let client_count = Arc::new(AtomicUsize::new(0));
        let (mut client, socket) = UnixStream::pair().unwrap();
        let mut input = CountedInput { socket: &socket, client_count: &client_count, guard: None };
        let mut buffer = [0; 4];
        for _ in 0..2 {
            client.write_all(b"ab").unwrap();
            assert_eq!(input.read(&mut buffer).unwrap(), 2);
            assert_eq!(client_count.load(Ordering::SeqCst), 1);
        }
        drop(input);
        assert_eq!(client_count.load(Ordering::SeqCst), 0);
        drop(client);
        let mut input = CountedInput { socket: &socket, client_count: &client_count, guard: None };
        assert_eq!(input.read(&mut buffer).unwrap(), 0);
        assert!(input.guard.is_none());
    }

    #[test]
    fn panicking_client_is_no_longer_counted() {
        let client_count = Arc::new(AtomicUsize::new(0));
        let guard = ClientGuard::new(&client_count);
        assert_eq!(client_count.load(Ordering::SeqCst), 1);
        let client = std::thread::spawn(move || {
            let _guard = guard;
            panic!("a reader's panic, which the test is about");
        });
        assert!(client.join().is_err());
        assert_eq!(client_count.load(Ordering::SeqCst), 0);
    }
}
