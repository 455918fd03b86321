//! Sends the files of runs to clients, and receives datasets from them.

use std::collections::HashMap;
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::SystemTime;

use sha2::{Digest, Sha256};

use crate::fetch::{hex, is_sha256};
use crate::files;
use crate::names::truncated_name;
use crate::problem::{Problem, Result};
use crate::run::wire::{CHUNK_BYTES, FileEntry, MAX_FILES, ServerMessage, safe_relative_path};
use crate::store;
use crate::sync::lock;

/// The folder of uploaded datasets, beside the runs.
const DATA: &str = ".data";
/// Its subfolder for incomplete files.
const INCOMPLETE: &str = "coming";
/// Files in a run's folder that are not copied, because each side has its own.
pub(crate) const NOT_COPIED: [&str; 3] = ["lock", "summary.json", "about.toml"];
/// The folder with the checkpoint of a running run; not copied, because the run resumes here.
const RESUME: &str = "resume/";
/// Maximum depth of folders in a run or dataset.
const MAX_DEPTH: usize = 16;

/// Access of one client to the folder of runs.
pub(super) struct RunFiles {
    root: PathBuf,
    hashes: HashMap<PathBuf, (u64, SystemTime, String)>,
    /// Held while a piece is written, because clients that upload the same file write to one incomplete file.
    write_lock: Arc<Mutex<()>>,
}

impl RunFiles {
    pub fn new(root: &Path, write_lock: Arc<Mutex<()>>) -> Self {
        Self { root: root.to_path_buf(), hashes: HashMap::new(), write_lock }
    }

    /// Returns the files of a run, without its checkpoint if it is running.
    pub fn list_run_files(&mut self, run: &str, is_running: bool) -> Result<Vec<FileEntry>> {
        let folder = self.run_folder(run)?;
        let mut files = Vec::new();
        for path in files_in_tree(&folder) {
            let Some(name) = relative_name(&path, &folder) else {
                continue;
            };
            let file_name = name.rsplit('/').next();
            let is_partial = file_name.is_some_and(|last| last.starts_with('.'));
            if is_partial
                || NOT_COPIED.contains(&&*name)
                || (is_running && name.starts_with(RESUME))
            {
                continue;
            }
            // A file that disappeared meanwhile was replaced, or no longer belongs to the run.
            files.extend(self.hash(&path).map(|(bytes, sha256)| FileEntry {
                path: name,
                bytes,
                sha256,
            }));
        }
        Ok(files)
    }

    fn run_folder(&self, run: &str) -> Result<PathBuf> {
        let folder = self.root.join(inner_path(run)?);
        match store::is_run(&folder) {
            true => Ok(folder),
            false => Err(Problem::new(format!("there is no run named `{run}` there"))
                .at_path(folder)
                .advise("run `lae-studio runs --place NAME` to list the runs there")),
        }
    }

    fn hash(&mut self, path: &Path) -> Option<(u64, String)> {
        let metadata = std::fs::metadata(path).ok()?;
        let (bytes, time) = (metadata.len(), metadata.modified().ok()?);
        if let Some((size, stored_time, hash)) = self.hashes.get(path)
            && (*size, *stored_time) == (bytes, time)
        {
            return Some((bytes, hash.clone()));
        }
        let hash = file_sha256(path).ok()?;
        self.hashes.insert(path.to_path_buf(), (bytes, time, hash.clone()));
        Some((bytes, hash))
    }

    /// Returns a piece of a run's file, from this offset on.
    pub fn read_piece(&self, run: &str, path: &str, offset: u64) -> Result<Vec<u8>> {
        let full_path = self.run_folder(run)?.join(inner_path(path)?);
        let io = |error| Problem::io("read a file of the run", &full_path, &error);
        files::read_from(&full_path, offset, CHUNK_BYTES as u64).map_err(io)
    }

    /// Returns which of these files of a dataset are missing here.
    pub fn find_missing(
        &self,
        number: u64,
        set: String,
        files: &[FileEntry],
    ) -> Result<ServerMessage> {
        let folder = self.root.join(DATA).join(inner_path(&set)?);
        let mut missing = Vec::new();
        for (index, file) in files.iter().enumerate() {
            if !is_complete(&folder.join(inner_path(&file.path)?), file) {
                let received = files::length(&self.incomplete_path(file)?).unwrap_or(0);
                missing.push((index, received));
            }
        }
        Ok(ServerMessage::Lacks {
            number,
            set,
            folder: folder.display().to_string(),
            files: missing,
        })
    }

    /// Returns the path of a file while it is incomplete.
    fn incomplete_path(&self, file: &FileEntry) -> Result<PathBuf> {
        match is_sha256(&file.sha256) {
            true => Ok(self.root.join(DATA).join(INCOMPLETE).join(&file.sha256)),
            false => Err(outside_folder_problem(&file.sha256)),
        }
    }

    /// Writes the next piece of a dataset's file. Returns the number of bytes of the file that are here.
    pub fn write_piece(
        &self,
        set: &str,
        file: &FileEntry,
        offset: u64,
        piece: &[u8],
    ) -> Result<u64> {
        let target = self.root.join(DATA).join(inner_path(set)?).join(inner_path(&file.path)?);
        let incomplete = self.incomplete_path(file)?;
        let _guard = lock(&self.write_lock);
        if is_complete(&target, file) {
            return Ok(file.bytes);
        }
        let received = append_piece(&incomplete, offset, piece, file.bytes)?;
        if received == file.bytes {
            complete_file(&incomplete, &target, file)?;
        }
        Ok(received)
    }
}

/// Returns whether a file of a dataset is complete. It gets its final name only after its hash was checked.
fn is_complete(target: &Path, file: &FileEntry) -> bool {
    files::length(target).is_ok_and(|bytes| bytes == file.bytes)
}

/// Writes a piece at an offset of an incomplete file with a final size of `size` bytes. Returns the number of
/// bytes that are here. If this is less than `offset`, earlier pieces are missing, and nothing is written. Existing
/// bytes are overwritten but never truncated, so that two clients may upload the same file at once.
pub(crate) fn append_piece(incomplete: &Path, offset: u64, piece: &[u8], size: u64) -> Result<u64> {
    let io = |error| Problem::io("write the copied file", incomplete, &error);
    if let Some(folder) = incomplete.parent() {
        std::fs::create_dir_all(folder).map_err(io)?;
    }
    let end = offset + piece.len() as u64;
    if end > size {
        return Err(Problem::new("a copied file is longer than announced").at_path(incomplete));
    }
    let mut file = files::open_program_file(incomplete).map_err(io)?;
    let received = file.metadata().map_err(io)?.len();
    if offset > received {
        return Ok(received);
    }
    file.seek(SeekFrom::Start(offset)).map_err(io)?;
    file.write_all(piece).map_err(io)?;
    Ok(received.max(end))
}

/// Renames a complete file to its final name if its hash is right; removes it otherwise.
pub(crate) fn complete_file(incomplete: &Path, target: &Path, file: &FileEntry) -> Result<()> {
    let io = |error| Problem::io("store the copied file", target, &error);
    let is_intact = file_sha256(incomplete).is_ok_and(|hash| hash == file.sha256);
    if !is_intact {
        let _ = std::fs::remove_file(incomplete);
        return Err(Problem::new("a file changed while it was copied").at_path(target));
    }
    files::sync_all(&[incomplete.to_path_buf()]).map_err(io)?;
    if let Some(folder) = target.parent() {
        std::fs::create_dir_all(folder).map_err(io)?;
    }
    std::fs::rename(incomplete, target).map_err(io)
}

/// Returns the SHA-256 of a file as hexadecimal digits.
pub(crate) fn file_sha256(path: &Path) -> std::io::Result<String> {
    let mut file = files::open(path)?;
    let mut hash = Sha256::new();
    let mut buffer = vec![0; CHUNK_BYTES];
    loop {
        match file.read(&mut buffer)? {
            0 => return Ok(hex(&hash.finalize())),
            n => hash.update(&buffer[..n]),
        }
    }
}

/// Returns the identifier of a dataset: the hash of its list of files.
pub(crate) fn dataset_id(files: &[FileEntry]) -> String {
    let line = |file: &FileEntry| format!("{} {} {}\n", file.sha256, file.bytes, file.path);
    let mut lines: Vec<String> = files.iter().map(line).collect();
    lines.sort_unstable();
    hex(&Sha256::digest(lines.concat()))[..32].to_string()
}

/// Returns all regular files in a folder and its subfolders. Links are not followed.
pub(crate) fn files_in_tree(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![(folder.to_path_buf(), 0)];
    while let Some((folder, depth)) = folders.pop() {
        let Ok(entries) = std::fs::read_dir(folder) else {
            continue;
        };
        for entry in entries.flatten() {
            let Ok(kind) = entry.file_type() else {
                continue;
            };
            if kind.is_dir() && depth < MAX_DEPTH {
                folders.push((entry.path(), depth + 1));
            } else if kind.is_file() && found.len() < MAX_FILES {
                found.push(entry.path());
            }
        }
    }
    found.sort();
    found
}

/// Returns the path of a file relative to a folder, separated by `/`; `None` if it is not valid Unicode.
pub(crate) fn relative_name(path: &Path, folder: &Path) -> Option<String> {
    let inner = path.strip_prefix(folder).ok()?;
    let parts: Option<Vec<&str>> = inner.iter().map(|part| part.to_str()).collect();
    Some(parts?.join("/"))
}

/// Returns a relative path that stays in its folder.
///
/// # Errors
/// Returns a Problem if the path leads out of the folder.
fn inner_path(path: &str) -> Result<PathBuf> {
    safe_relative_path(path).ok_or_else(|| outside_folder_problem(path))
}

/// Returns the Problem of a path that leads out of its folder, which no correct client sends.
fn outside_folder_problem(path: &str) -> Problem {
    Problem::new("the file is outside of its folder")
        .at(truncated_name(path))
        .advise("use the same version of this program on both sides")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn concurrent_uploads_of_same_file_all_complete() {
        let root = tempfile::tempdir().unwrap();
        let run_files = RunFiles::new(root.path(), Arc::default());
        let bytes: Vec<u8> = (0..10).collect();
        let file =
            FileEntry { path: "a/file".into(), bytes: 10, sha256: hex(&Sha256::digest(&bytes)) };
        let put = |set, piece: std::ops::Range<usize>| {
            run_files.write_piece(set, &file, piece.start as u64, &bytes[piece]).unwrap()
        };
        // A second upload of the same file starts over; nothing is truncated.
        assert_eq!((put("one", 0..4), put("one", 4..8)), (4, 8));
        assert_eq!(put("two", 0..4), 8);
        assert_eq!(put("one", 8..10), 10);
        // The first upload has moved the file, so the second one learns that its earlier pieces are missing.
        assert_eq!(put("two", 4..8), 0);
        assert_eq!((put("two", 0..8), put("two", 8..10)), (8, 10));
        // A late client finds the complete file.
        assert_eq!(put("two", 0..4), 10);
        for set in ["one", "two"] {
            let file = root.path().join(DATA).join(set).join("a/file");
            assert_eq!(std::fs::read(file).unwrap(), bytes);
        }
    }
}
