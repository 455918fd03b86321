//! The folder of unpacked archives: how they are identified, when they are complete, and when they are removed.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use sha2::{Digest, Sha256};

use super::{file_name, stopped};
use crate::fetch::hex;
use crate::files;
use crate::problem::{Problem, Result};

/// Remains of interrupted extractions are removed after this time.
const STALE_AGE: Duration = Duration::from_secs(24 * 3600);
/// Unpacked archives that were not opened for this time are removed; opening the archive unpacks it again.
const UNUSED_AGE: Duration = Duration::from_secs(60 * 24 * 3600);
/// Suffix of an unfinished extraction.
pub(super) const UNFINISHED: &str = ".unpacking";

/// Rewritten whenever the unpacked archive is opened; its modification time is the last use.
const USED_MARKER: &str = ".used";

/// Syncs all files of a folder, before the folder is renamed to mark it as complete. `on_synced` receives the number of
/// files synced since its last call, and returns false to stop.
pub(super) fn sync_files_below(
    folder: &Path,
    on_synced: &mut dyn FnMut(usize) -> bool,
) -> Result<()> {
    let io_problem = |error| Problem::io("store the unpacked files", folder, &error);
    let (mut file_paths, mut subfolders) = (Vec::new(), Vec::new());
    for entry in fs::read_dir(folder).map_err(io_problem)? {
        let entry = entry.map_err(io_problem)?;
        match entry.file_type().map_err(io_problem)?.is_dir() {
            true => subfolders.push(entry.path()),
            false => file_paths.push(entry.path()),
        }
    }
    // Called for each folder, so that stopping also works in an archive of empty folders.
    if !on_synced(0) {
        return Err(stopped());
    }
    for chunk in file_paths.chunks(1024) {
        files::sync_all(chunk).map_err(io_problem)?;
        if !on_synced(chunk.len()) {
            return Err(stopped());
        }
    }
    subfolders.iter().try_for_each(|path| sync_files_below(path, on_synced))?;
    files::sync_folder(Some(folder));
    Ok(())
}

/// Returns an identifier of archives, from their folders, lengths and modification times; and their length.
pub(super) fn identity(sources: &[PathBuf]) -> Result<(String, u64)> {
    let mut hash = Sha256::new();
    let mut length = 0;
    for path in sources {
        let metadata =
            fs::metadata(path).map_err(|error| Problem::io("open the archive", path, &error))?;
        let real = dunce::canonicalize(path).unwrap_or_else(|_| path.clone());
        hash.update(real.as_os_str().as_encoded_bytes());
        hash.update(metadata.len().to_le_bytes());
        length += metadata.len();
        let modified = metadata
            .modified()
            .ok()
            .and_then(|time| time.duration_since(SystemTime::UNIX_EPOCH).ok());
        hash.update(modified.unwrap_or_default().as_nanos().to_le_bytes());
    }
    Ok((hex(&hash.finalize()[..6]), length))
}

/// Marks an unpacked archive as used. If that fails, it is only removed earlier.
pub(super) fn mark_used(unpacked: &Path) {
    let _ = fs::write(unpacked.join(USED_MARKER), "");
}

/// Removes remains of killed programs, and unpacked archives that have not been used for long.
pub(super) fn sweep(cache: &Path) {
    let Ok(entries) = fs::read_dir(cache) else {
        return;
    };
    let is_older = |path: &Path, than: Duration| {
        let modified = fs::metadata(path).and_then(|metadata| metadata.modified());
        modified.is_ok_and(|time| time.elapsed().is_ok_and(|age| age > than))
    };
    for path in entries.flatten().map(|entry| entry.path()) {
        if path.extension().is_some_and(|extension| *extension == UNFINISHED[1..]) {
            if is_older(&path, STALE_AGE) {
                let _ = fs::remove_dir_all(path);
            }
            continue;
        }
        // Older versions of the program did not write this marker.
        let marker = path.join(USED_MARKER);
        let marker = if marker.exists() { &marker } else { &path };
        if path.is_dir() && !path.is_symlink() && is_older(marker, UNUSED_AGE) {
            // Renamed first, so that a half-deleted folder is not taken for a complete one.
            let name = format!("gone-{}{UNFINISHED}", file_name(&path));
            let trash = path.with_file_name(name);
            if fs::rename(&path, &trash).is_ok() {
                let _ = fs::remove_dir_all(trash);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sweep_removes_only_long_unused_entries() {
        let cache = tempfile::tempdir().unwrap();
        let days = |days: u64| SystemTime::now() - Duration::from_secs(days * 24 * 3600);
        let make = |name: &str, folder: u64, mark: Option<u64>| {
            let path = cache.path().join(name);
            fs::create_dir(&path).unwrap();
            if let Some(age) = mark {
                mark_used(&path);
                let file = fs::File::open(path.join(USED_MARKER)).unwrap();
                file.set_modified(days(age)).unwrap();
            }
            let opened = fs::File::open(&path).unwrap();
            opened.set_modified(days(folder)).unwrap();
        };
        make("used-1", 300, Some(1));
        make("unused-2", 300, Some(61));
        make("older-3", 59, None);
        make("oldest-4", 61, None);
        make("part-a.unpacking", 2, None);
        make("part-b.unpacking", 0, None);
        sweep(cache.path());
        let mut left: Vec<String> = fs::read_dir(cache.path())
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        left.sort();
        assert_eq!(left, ["older-3", "part-b.unpacking", "used-1"]);
    }
}
