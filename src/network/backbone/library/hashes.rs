//! The expected hash of a weight file: the one its entry gives; else the one that the hub's own tools
//! name its bytes by; else that of the first download, which is kept beside the file for good.

use std::path::{Path, PathBuf};

use super::entry::BackboneEntry;
use super::suffixed;
use crate::files;
use crate::files::write::write_file;
use crate::message;
use crate::problem::Result;
use crate::texts::Words;

/// A hash that a file should have, and who says so.
pub(super) struct Expected {
    /// 64 lower-case hexadecimal digits.
    pub known: String,
    by: By,
}

enum By {
    Entry,
    /// The hub, whose tools keep large files under their SHA-256.
    Hub,
    /// The first download, kept in this file.
    First(PathBuf),
}

impl Expected {
    /// Where the hash of the first download is kept, if it is that one.
    pub fn place(&self) -> Option<&Path> {
        match &self.by {
            By::First(path) => Some(path),
            By::Entry | By::Hub => None,
        }
    }

    /// The warning about a hash that nobody else vouches for.
    pub fn taken_on_trust(&self) -> Option<Words> {
        self.place()
            .map(|_| message!("network-hash-of-first-download").into())
    }
}

/// What the weights of an entry in this file should be, as far as anybody says.
pub(super) fn expected(entry: &BackboneEntry, path: &Path) -> Option<Expected> {
    if let Some(known) = &entry.sha256 {
        return Some(Expected {
            known: known.clone(),
            by: By::Entry,
        });
    }
    let record = record_of(path);
    if let Some(known) = files::read_text(&record, files::NOTE)
        .ok()
        .and_then(|t| hash(&t))
    {
        return Some(Expected {
            known,
            by: By::First(record),
        });
    }
    let blob = path
        .is_symlink()
        .then(|| dunce::canonicalize(path).ok())
        .flatten()?;
    let known = hash(&blob.file_name()?.to_string_lossy())?;
    Some(Expected { known, by: By::Hub })
}

/// Keeps the hash of the first download; a later one leaves it.
///
/// # Errors
/// Returns a Problem if the folder cannot be written.
pub(super) fn keep(path: &Path, sha256: &str) -> Result<()> {
    let record = record_of(path);
    let kept = files::read_text(&record, files::NOTE).ok();
    if kept.and_then(|text| hash(&text)).is_some() {
        return Ok(());
    }
    write_file(&record, format!("{sha256}\n").as_bytes()).map(drop)
}

fn record_of(path: &Path) -> PathBuf {
    suffixed(path, ".sha256")
}

/// The SHA-256 that this text is, if it is one.
fn hash(text: &str) -> Option<String> {
    let text = text.trim();
    let is_hash = text.len() == 64 && text.bytes().all(|b| b.is_ascii_hexdigit());
    is_hash.then(|| text.to_ascii_lowercase())
}
