//! The engine as a separate process: it receives commands and sends events in frames (`run::wire`).
//!
//! `journal` numbers and keeps the engine's events, so that a client that was disconnected gets those it missed;
//! `record` stores the journal of a daemon on disk; `client` serves one client; `files` sends files of runs and receives
//! datasets. [`stdio`] serves its parent process and ends with it; `daemon` also runs without clients, which connect
//! through a socket in the folder of runs.

mod client;
#[cfg(unix)]
pub mod daemon;
pub(crate) mod files;
mod journal;
mod record;

use std::hash::{BuildHasher, RandomState};
use std::path::{Path, PathBuf};

use crate::problem::{Problem, Result};
use client::ClientServer;
use journal::Journal;

/// Serves one client on standard input and output. When the input closes, saves the current run and returns.
///
/// # Errors
/// Returns a Problem if the engine does not start.
pub fn stdio(root: &Path) -> Result<()> {
    let root = make_root(root)?;
    let journal = Journal::start(&root, None)?;
    let server = ClientServer::new(journal.clone(), &root, true);
    server.serve(std::io::stdin().lock(), std::io::stdout());
    drop(server);
    journal.shut_down();
    Ok(())
}

/// Returns the canonical path of the folder, which is created if it does not exist.
pub(crate) fn make_root(root: &Path) -> Result<PathBuf> {
    let io = |error| Problem::io("store runs in this folder", root, &error);
    std::fs::create_dir_all(root).map_err(io)?;
    dunce::canonicalize(root).map_err(io)
}

/// Returns a random number that identifies this process.
pub(crate) fn random_instance_id() -> u64 {
    RandomState::new().hash_one(std::process::id()).max(1)
}
