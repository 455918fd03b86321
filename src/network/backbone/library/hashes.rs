//! The expected hash of a weight file: the one in its entry; or else the one in the file name in the hub's own cache;
//! or else that of the first download, which is stored beside the file.

use std::path::{Path, PathBuf};

use super::entry::BackboneEntry;
use super::suffixed;
use crate::files;
use crate::files::write::write_file;
use crate::message;
use crate::problem::Result;
use crate::texts::Words;

/// The expected hash of a file, with its source.
pub(super) struct Expected {
    /// 64 lower-case hexadecimal digits.
    pub known: String,
    by: By,
}

enum By {
    Entry,
    /// The hub, whose tools name large files by their SHA-256.
    Hub,
    /// The first download; its hash is stored in this file.
    First(PathBuf),
}

impl Expected {
    /// Returns the file with the hash of the first download, if the hash comes from there.
    pub fn place(&self) -> Option<&Path> {
        match &self.by {
            By::First(path) => Some(path),
            By::Entry | By::Hub => None,
        }
    }

    /// Returns the warning that the hash is only that of the first download.
    pub fn taken_on_trust(&self) -> Option<Words> {
        self.place()
            .map(|_| message!("network-hash-of-first-download").into())
    }
}

/// Returns the expected hash of an entry's weights in this file; `None` if it is unknown.
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

/// Stores the hash of the first download; does nothing if one is stored already.
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

/// Returns the SHA-256 in this text; `None` if it is not one.
fn hash(text: &str) -> Option<String> {
    let text = text.trim();
    let is_hash = text.len() == 64 && text.bytes().all(|b| b.is_ascii_hexdigit());
    is_hash.then(|| text.to_ascii_lowercase())
}
