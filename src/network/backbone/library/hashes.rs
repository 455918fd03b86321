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

/// The expected hash of a file.
pub(super) struct Expected {
    /// 64 lower-case hexadecimal digits.
    pub known: String,
    /// The file with the hash, if it is only that of the first download.
    pub record: Option<PathBuf>,
}

impl Expected {
    /// Returns the warning that the hash is only that of the first download.
    pub fn taken_on_trust(&self) -> Option<Words> {
        let record = self.record.as_ref();
        record.map(|_| message!("network-hash-of-first-download").into())
    }
}

/// Returns the expected hash of an entry's weights in this file; `None` if it is unknown.
pub(super) fn expected(entry: &BackboneEntry, path: &Path) -> Option<Expected> {
    let without_record = |known| Expected {
        known,
        record: None,
    };
    if let Some(known) = &entry.sha256 {
        return Some(without_record(known.clone()));
    }
    let record = record_of(path);
    if let Some(known) = stored(&record) {
        let record = Some(record);
        return Some(Expected { known, record });
    }
    // The hub's tools name large files by their SHA-256.
    let blob = path.is_symlink().then(|| dunce::canonicalize(path));
    hash(&blob?.ok()?.file_name()?.to_string_lossy()).map(without_record)
}

/// Stores the hash of the first download; does nothing if one is stored already.
///
/// # Errors
/// Returns a Problem if the folder cannot be written.
pub(super) fn keep(path: &Path, sha256: &str) -> Result<()> {
    let record = record_of(path);
    match stored(&record) {
        Some(_) => Ok(()),
        None => write_file(&record, format!("{sha256}\n").as_bytes()).map(drop),
    }
}

fn record_of(path: &Path) -> PathBuf {
    suffixed(path, ".sha256")
}

/// Returns the hash in the file of a first download.
fn stored(record: &Path) -> Option<String> {
    hash(&files::read_text(record, files::NOTE).ok()?)
}

/// Returns the SHA-256 in this text; `None` if it is not one.
fn hash(text: &str) -> Option<String> {
    let text = text.trim();
    let is_hash = text.len() == 64 && text.bytes().all(|b| b.is_ascii_hexdigit());
    is_hash.then(|| text.to_ascii_lowercase())
}
