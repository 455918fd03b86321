//! The engine as a separate process: it takes commands and sends events in frames (`run::wire`).
//!
//! `journal` keeps the engine's events, with numbers, so a reader who was away gets what it missed; `record` keeps
//! that of a daemon on disk; `desk` serves
//! one reader; `files` hands out the files of runs and takes in data sets. [`stdio`] serves its parent and ends with it;
//! `daemon` runs without readers, and those come and go through a socket in the folder of runs.

#[cfg(unix)]
pub mod daemon;
mod desk;
pub(crate) mod files;
mod journal;
mod record;

use std::hash::{BuildHasher, RandomState};
use std::path::{Path, PathBuf};

use crate::problem::{Problem, Result};
use desk::Desk;
use journal::Journal;

/// Serves one reader on standard input and output, and ends, with the run at work saved, when the input does.
///
/// # Errors
/// Returns a Problem if the engine does not start.
pub fn stdio(root: &Path) -> Result<()> {
    let root = whole(root)?;
    let journal = Journal::start(&root, None)?;
    let desk = Desk::new(journal.clone(), &root, true);
    desk.serve(std::io::stdin().lock(), std::io::stdout());
    drop(desk);
    journal.end();
    Ok(())
}

/// The folder by its whole path, made where there is none.
fn whole(root: &Path) -> Result<PathBuf> {
    let io = |error| Problem::io("store runs in this folder", root, &error);
    std::fs::create_dir_all(root).map_err(io)?;
    dunce::canonicalize(root).map_err(io)
}

/// A number that no other process has.
pub(crate) fn lot() -> u64 {
    RandomState::new().hash_one(std::process::id()).max(1)
}
