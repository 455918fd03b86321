//! Sends the files of runs to clients, and receives datasets from them.

use std::collections::HashMap;
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

use sha2::{Digest, Sha256};

use crate::fetch::hex;
use crate::files;
use crate::names::shortened;
use crate::problem::{Problem, Result};
use crate::run::wire::{FileMark, MOST_FILES, PIECE, ServerMessage, inner_path};
use crate::store;

/// The folder of uploaded datasets, beside the runs.
const DATA: &str = ".data";
/// Its subfolder for incomplete files.
const COMING: &str = "coming";
/// Files in a run's folder that are not copied, because each side has its own.
const NOT_CARRIED: [&str; 3] = ["lock", "summary.json", "about.toml"];
/// The folder with the checkpoint of a running run; not copied, because the run resumes here.
const RESUME: &str = "resume/";
/// Maximum depth of folders in a run or dataset.
const DEEPEST: usize = 16;

/// Access of one client to the folder of runs.
pub(super) struct RunFiles {
    root: PathBuf,
    hashes: HashMap<PathBuf, (u64, SystemTime, String)>,
    /// Held while a piece is written, because clients that upload the same file write to one incomplete file.
    writes: Arc<Mutex<()>>,
}

impl RunFiles {
    pub fn below(root: &Path, writes: Arc<Mutex<()>>) -> Self {
        Self {
            root: root.to_path_buf(),
            hashes: HashMap::new(),
            writes,
        }
    }

    /// Returns the files of a run, without its checkpoint if it is running.
    pub fn of_run(&mut self, run: &str, at_work: bool) -> Result<Vec<FileMark>> {
        let folder = self.run_folder(run)?;
        let mut marks = Vec::new();
        for path in files_below(&folder) {
            let Some(name) = inner_name(&path, &folder) else {
                continue;
            };
            let last = name.rsplit('/').next();
            let partial = last.is_some_and(|last| last.starts_with('.'));
            if partial || NOT_CARRIED.contains(&&*name) || (at_work && name.starts_with(RESUME)) {
                continue;
            }
            // A file that disappeared meanwhile was replaced, or no longer belongs to the run.
            marks.extend(self.hash(&path).map(|(bytes, sha256)| FileMark {
                path: name,
                bytes,
                sha256,
            }));
        }
        Ok(marks)
    }

    fn run_folder(&self, run: &str) -> Result<PathBuf> {
        let inner = inner_path(run).ok_or_else(|| leads_out(run))?;
        let folder = self.root.join(inner);
        match store::is_run(&folder) {
            true => Ok(folder),
            false => Err(Problem::new("the run does not exist there").at_path(folder)),
        }
    }

    fn hash(&mut self, path: &Path) -> Option<(u64, String)> {
        let about = std::fs::metadata(path).ok()?;
        let (bytes, time) = (about.len(), about.modified().ok()?);
        if let Some((size, then, hash)) = self.hashes.get(path)
            && (*size, *then) == (bytes, time)
        {
            return Some((bytes, hash.clone()));
        }
        let hash = sha256_of(path).ok()?;
        self.hashes
            .insert(path.to_path_buf(), (bytes, time, hash.clone()));
        Some((bytes, hash))
    }

    /// Returns a piece of a run's file, from the offset `from` on.
    pub fn piece(&self, run: &str, path: &str, from: u64) -> Result<Vec<u8>> {
        let inner = inner_path(path).ok_or_else(|| leads_out(path))?;
        let whole = self.run_folder(run)?.join(inner);
        let io = |error| Problem::io("read a file of the run", &whole, &error);
        files::read_from(&whole, from, PIECE as u64).map_err(io)
    }

    /// Returns which of these files of a dataset are missing here.
    pub fn missing(&self, number: u64, set: String, marks: &[FileMark]) -> Result<ServerMessage> {
        let inner = inner_path(&set).ok_or_else(|| leads_out(&set))?;
        let folder = self.root.join(DATA).join(inner);
        let mut lacks = Vec::new();
        for (index, mark) in marks.iter().enumerate() {
            let inner = inner_path(&mark.path).ok_or_else(|| leads_out(&mark.path))?;
            if !is_there(&folder.join(inner), mark) {
                let coming = files::length(&self.coming(mark)?).unwrap_or(0);
                lacks.push((index, coming));
            }
        }
        Ok(ServerMessage::Lacks {
            number,
            set,
            folder: folder.display().to_string(),
            files: lacks,
        })
    }

    /// Returns the path of a file while it is incomplete.
    fn coming(&self, mark: &FileMark) -> Result<PathBuf> {
        let is_hash = mark.sha256.len() == 64 && mark.sha256.bytes().all(|b| b.is_ascii_hexdigit());
        match is_hash {
            true => Ok(self.root.join(DATA).join(COMING).join(&mark.sha256)),
            false => Err(leads_out(&mark.sha256)),
        }
    }

    /// Writes the next piece of a dataset's file. Returns the number of bytes of the file that are here.
    pub fn put(&self, set: &str, mark: &FileMark, from: u64, piece: &[u8]) -> Result<u64> {
        let inner = inner_path(&mark.path).ok_or_else(|| leads_out(&mark.path))?;
        let set = inner_path(set).ok_or_else(|| leads_out(set))?;
        let coming = self.coming(mark)?;
        let target = self.root.join(DATA).join(set).join(inner);
        let _writes = self.writes.lock().unwrap_or_else(PoisonError::into_inner);
        if is_there(&target, mark) {
            return Ok(mark.bytes);
        }
        let there = append(&coming, from, piece, mark.bytes)?;
        if there == mark.bytes {
            settle(&coming, &target, mark)?;
        }
        Ok(there)
    }
}

/// Returns whether a file of a dataset is complete. It gets its final name only after its hash was checked.
fn is_there(target: &Path, mark: &FileMark) -> bool {
    files::length(target).is_ok_and(|bytes| bytes == mark.bytes)
}

/// Writes a piece at the offset `from` of an incomplete file with a final size of `most` bytes. Returns the number of
/// bytes that are here. If this is less than `from`, earlier pieces are missing, and nothing is written. Existing
/// bytes are overwritten but never truncated, so that two clients may upload the same file at once.
pub(crate) fn append(coming: &Path, from: u64, piece: &[u8], most: u64) -> Result<u64> {
    let io = |error| Problem::io("write the copied file", coming, &error);
    if let Some(folder) = coming.parent() {
        std::fs::create_dir_all(folder).map_err(io)?;
    }
    let end = from + piece.len() as u64;
    if end > most {
        return Err(Problem::new("a copied file is longer than announced").at_path(coming));
    }
    let mut file = files::open_own(coming).map_err(io)?;
    let there = file.metadata().map_err(io)?.len();
    if from > there {
        return Ok(there);
    }
    file.seek(SeekFrom::Start(from)).map_err(io)?;
    file.write_all(piece).map_err(io)?;
    Ok(there.max(end))
}

/// Renames a complete file to its final name if its hash is right; removes it otherwise.
pub(crate) fn settle(coming: &Path, target: &Path, mark: &FileMark) -> Result<()> {
    let io = |error| Problem::io("store the copied file", target, &error);
    let is_whole = sha256_of(coming).is_ok_and(|hash| hash == mark.sha256);
    if !is_whole {
        let _ = std::fs::remove_file(coming);
        return Err(Problem::new("a file changed while it was copied").at_path(target));
    }
    files::sync_all(&[coming.to_path_buf()]).map_err(io)?;
    if let Some(folder) = target.parent() {
        std::fs::create_dir_all(folder).map_err(io)?;
    }
    std::fs::rename(coming, target).map_err(io)
}

/// Returns the SHA-256 of a file as hexadecimal digits.
pub(crate) fn sha256_of(path: &Path) -> std::io::Result<String> {
    let mut file = files::open(path)?;
    let mut hash = Sha256::new();
    let mut piece = vec![0; PIECE];
    loop {
        match file.read(&mut piece)? {
            0 => return Ok(hex(&hash.finalize())),
            n => hash.update(&piece[..n]),
        }
    }
}

/// Returns the identifier of a dataset: the hash of its list of files.
pub(crate) fn set_of(marks: &[FileMark]) -> String {
    let line = |mark: &FileMark| format!("{} {} {}\n", mark.sha256, mark.bytes, mark.path);
    let mut lines: Vec<String> = marks.iter().map(line).collect();
    lines.sort_unstable();
    hex(&Sha256::digest(lines.concat()))[..32].to_string()
}

/// Returns all regular files in a folder and its subfolders. Links are not followed.
pub(crate) fn files_below(folder: &Path) -> Vec<PathBuf> {
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
            if kind.is_dir() && depth < DEEPEST {
                folders.push((entry.path(), depth + 1));
            } else if kind.is_file() && found.len() < MOST_FILES {
                found.push(entry.path());
            }
        }
    }
    found.sort();
    found
}

/// Returns the path of a file relative to a folder, separated by `/`; `None` if it is not valid Unicode.
pub(crate) fn inner_name(path: &Path, folder: &Path) -> Option<String> {
    let inner = path.strip_prefix(folder).ok()?;
    let parts: Option<Vec<&str>> = inner.iter().map(|part| part.to_str()).collect();
    Some(parts?.join("/"))
}

/// Returns the Problem of a path that leads out of its folder, which no correct client sends.
fn leads_out(path: &str) -> Problem {
    Problem::new("the file is outside of its folder")
        .at(shortened(path))
        .advise("use the same version of this program on both sides")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn readers_that_bring_the_same_file_at_once_all_end_with_it() {
        let root = tempfile::tempdir().unwrap();
        let shelf = RunFiles::below(root.path(), Arc::default());
        let bytes: Vec<u8> = (0..10).collect();
        let mark = FileMark {
            path: "a/file".into(),
            bytes: 10,
            sha256: hex(&Sha256::digest(&bytes)),
        };
        let put = |set, piece: std::ops::Range<usize>| {
            shelf
                .put(set, &mark, piece.start as u64, &bytes[piece])
                .unwrap()
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
