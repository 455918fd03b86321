//! The expected hash of a weight file: the one in its entry; or else the one in the file name in the hub's own cache;
//! or else that of the first download, which is stored beside the file.

use std::path::{Path, PathBuf};

use super::entry::BackboneEntry;
use super::with_suffix;
use crate::fetch::is_sha256;
use crate::files;
use crate::files::write::write_file;
use crate::message;
use crate::problem::Result;
use crate::texts::Words;

/// The expected hash of a file.
pub(super) struct ExpectedHash {
    /// 64 lower-case hexadecimal digits.
    pub sha256: String,
    /// The file with the hash, if it is only that of the first download.
    pub record: Option<PathBuf>,
}

impl ExpectedHash {
    /// Returns the warning that the hash is only that of the first download.
    pub fn first_download_warning(&self) -> Option<Words> {
        let record = self.record.as_ref();
        record.map(|_| message!("network-hash-of-first-download").into())
    }
}

/// Returns the expected hash of an entry's weights in this file; `None` if it is unknown.
pub(super) fn expected_hash(entry: &BackboneEntry, path: &Path) -> Option<ExpectedHash> {
    let without_record = |sha256| ExpectedHash { sha256, record: None };
    if let Some(sha256) = &entry.sha256 {
        return Some(without_record(sha256.clone()));
    }
    let record = record_path(path);
    if let Some(sha256) = read_hash(&record) {
        let record = Some(record);
        return Some(ExpectedHash { sha256, record });
    }
    // The hub's tools name large files by their SHA-256.
    let blob = path.is_symlink().then(|| dunce::canonicalize(path));
    parse_hash(&blob?.ok()?.file_name()?.to_string_lossy()).map(without_record)
}

/// Stores the hash of the first download; does nothing if one is stored already.
///
/// # Errors
/// Returns a Problem if the folder cannot be written.
pub(super) fn store_hash(path: &Path, sha256: &str) -> Result<()> {
    let record = record_path(path);
    match read_hash(&record) {
        Some(_) => Ok(()),
        None => write_file(&record, format!("{sha256}\n").as_bytes()).map(drop),
    }
}

fn record_path(path: &Path) -> PathBuf {
    with_suffix(path, ".sha256")
}

/// Returns the hash in the file of a first download.
fn read_hash(record: &Path) -> Option<String> {
    parse_hash(&files::read_text(record, files::NOTE).ok()?)
}

/// Returns the SHA-256 in this text; `None` if it is not one.
fn parse_hash(text: &str) -> Option<String> {
    let text = text.trim();
    is_sha256(text).then(|| text.to_ascii_lowercase())
}
