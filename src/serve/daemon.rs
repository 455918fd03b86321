//! An engine that goes on without readers: it holds a lock in the folder of runs and listens on a socket there.
//!
//! The socket is named from that folder on, since the name of a socket may have no more than about 100 bytes.

use std::io::{self, Write};
use std::net::Shutdown;
use std::os::unix::fs::DirBuilderExt;
use std::os::unix::net::{UnixListener, UnixStream};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use super::desk::Desk;
use super::journal::Journal;
use super::whole;
use crate::files;
use crate::problem::{Problem, Result};

/// What belongs to the daemon in the folder of runs.
const FOLDER: &str = ".serve";
/// Its socket.
const SOCKET: &str = ".serve/socket";
/// What it told.
const JOURNAL: &str = ".serve/journal";
/// Held while it lives; holds its process number.
const LOCK: &str = ".serve/lock";
/// Written to see whether anything can be, where a daemon does not start.
const PROBE: &str = ".serve/probe";
const PROBE_BYTES: usize = 1 << 16;
/// How long a daemon may take to listen.
const STARTS: Duration = Duration::from_secs(30);
/// Without readers and work it ends after so long.
const IDLE: Duration = Duration::from_secs(600);

/// Connects standard input and output with the daemon of this folder, which is started where there is none.
///
/// # Errors
/// A Problem when it cannot be started.
pub fn attach(root: &Path) -> Result<()> {
    let root = enter(root)?;
    let socket = match UnixStream::connect(SOCKET) {
        Ok(socket) => socket,
        Err(_) => start(&root)?,
    };
    let io = |error| Problem::io("reach the program at work there", &root, &error);
    let mut hears = socket.try_clone().map_err(io)?;
    let ends = socket.try_clone().map_err(io)?;
    let mut says = socket;
    let answers = std::thread::spawn(move || {
        // Line buffers would hold back the end of a frame.
        let mut out = io::stdout().lock();
        let mut piece = vec![0; 1 << 16];
        while let Ok(length @ 1..) = io::Read::read(&mut hears, &mut piece) {
            if out
                .write_all(&piece[..length])
                .and_then(|()| out.flush())
                .is_err()
            {
                return;
            }
        }
        // The daemon is gone: nobody waits for more to be said.
        std::process::exit(0);
    });
    let _ = io::copy(&mut io::stdin().lock(), &mut says);
    let _ = ends.shutdown(Shutdown::Both);
    let _ = answers.join();
    Ok(())
}

/// Works in the folder, and makes what belongs to the daemon.
fn enter(root: &Path) -> Result<std::path::PathBuf> {
    let root = whole(root)?;
    let io = |error| Problem::io("work in the folder of runs", &root, &error);
    std::env::set_current_dir(&root).map_err(io)?;
    let mut folder = std::fs::DirBuilder::new();
    // Nobody else may ask for anything.
    folder
        .recursive(true)
        .mode(0o700)
        .create(FOLDER)
        .map_err(io)?;
    Ok(root)
}

/// Starts a daemon and waits until it listens.
fn start(root: &Path) -> Result<UnixStream> {
    let io = |error| Problem::io("start the program that stays at work", root, &error);
    let program = std::env::current_exe().map_err(io)?;
    let mut daemon = Command::new(program);
    daemon.args(["serve", "--daemon", "--out"]).arg(root);
    daemon.stdin(Stdio::null()).stdout(Stdio::null());
    daemon.stderr(Stdio::null());
    // In a group of its own it is not ended with the connection.
    let mut daemon = daemon.process_group(0).spawn().map_err(io)?;
    let begun = Instant::now();
    loop {
        if let Ok(socket) = UnixStream::connect(SOCKET) {
            return Ok(socket);
        }
        let ended = daemon.try_wait().ok().flatten();
        if begun.elapsed() > STARTS || ended.is_some_and(|status| !status.success()) {
            // Most often the disk is full, or the folder another person's.
            let room = std::fs::write(PROBE, [0; PROBE_BYTES]);
            let _ = std::fs::remove_file(PROBE);
            room.map_err(io)?;
            return Err(
                Problem::new("the program that stays at work there did not start")
                    .at_path(root)
                    .advise("its log lies in the folder log beside the runs"),
            );
        }
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// Serves readers through the socket until nobody needs it any more. Does nothing where another one does so already.
///
/// # Errors
/// A Problem when the folder cannot be written or the engine does not start.
pub fn run(root: &Path) -> Result<()> {
    let root = enter(root)?;
    let io = |error| Problem::io("listen in the folder of runs", &root, &error);
    let lock = files::lock_own(Path::new(LOCK), Duration::ZERO).map_err(io)?;
    let Some(mut lock) = lock else { return Ok(()) };
    let noted = lock
        .set_len(0)
        .and_then(|()| writeln!(lock, "{}", std::process::id()));
    noted.map_err(io)?;
    let _ = std::fs::remove_file(SOCKET);
    let journal = Journal::start(&root, Some(Path::new(JOURNAL)))?;
    let desk = Desk::new(journal.clone(), &root, false);
    let listener = UnixListener::bind(SOCKET).map_err(io)?;
    let readers = Arc::new(AtomicUsize::new(0));
    let served = Arc::clone(&readers);
    let accepts = std::thread::Builder::new()
        .name("readers".into())
        .spawn(move || {
            for socket in listener.incoming().flatten() {
                let (desk, readers) = (desk.clone(), Arc::clone(&served));
                readers.fetch_add(1, Ordering::SeqCst);
                std::thread::spawn(move || {
                    if let Ok(output) = socket.try_clone() {
                        desk.serve(&socket, output);
                    }
                    let _ = socket.shutdown(Shutdown::Both);
                    readers.fetch_sub(1, Ordering::SeqCst);
                });
            }
        });
    accepts.map_err(|error| Problem::new(format!("no thread starts: {error}")))?;
    let mut needed = Instant::now();
    while needed.elapsed() < IDLE {
        if readers.load(Ordering::SeqCst) > 0 || journal.is_busy() {
            needed = Instant::now();
        }
        std::thread::sleep(Duration::from_millis(500));
    }
    // Who connects in this moment finds no socket and starts another one, which waits for no lock.
    let _ = std::fs::remove_file(SOCKET);
    drop(lock);
    Ok(())
}
