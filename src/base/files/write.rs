//! Writes files atomically, and locks folders.

use std::ffi::OsString;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use super::{Lock, sync_folder};
use crate::files;
use crate::message;
use crate::problem::{Problem, Result};

/// The file that is locked while a program uses a folder.
pub const LOCK_FILE: &str = "lock";
/// Ending of a file that is not complete yet.
const PARTIAL_EXTENSION: &str = "partial";
/// Maximum bytes of a file name on most file systems.
const MAX_NAME_BYTES: usize = 255;

/// Replaces a file that the user named by `bytes` atomically: writes to a temporary file beside it, syncs and renames
/// it. A link remains, and its target is replaced; a device or pipe is written to directly. Returns the number of
/// bytes.
///
/// # Errors
/// Returns a Problem if the disk is full or the folder cannot be written; an older file remains unchanged.
pub fn write_file(path: &Path, bytes: &[u8]) -> Result<u64> {
    let io = |error| save_problem(path, &error);
    write_with(path, |file| file.write_all(bytes).map_err(io))?;
    Ok(bytes.len() as u64)
}

/// Replaces a file that the user named by what `fill` writes, atomically as [`write_file`] does. A device or pipe is
/// written to directly.
///
/// # Errors
/// See [`write_file`]; also returns the Problem of `fill`. An older file remains unchanged.
pub fn write_with(path: &Path, fill: impl FnOnce(&mut dyn Write) -> Result<()>) -> Result<()> {
    let mut failed = None;
    let fill_buffered = |file: &mut File| {
        let mut buffered = BufWriter::new(file);
        match fill(&mut buffered) {
            Ok(()) => buffered.flush(),
            Err(problem) => {
                failed = Some(problem);
                Err(io::ErrorKind::Other.into())
            }
        }
    };
    let is_special = std::fs::metadata(path).is_ok_and(|metadata| !metadata.is_file());
    let result = if is_special {
        let file = OpenOptions::new().write(true).open(path);
        file.and_then(|mut file| fill_buffered(&mut file))
    } else {
        let target = dunce::canonicalize(path).unwrap_or_else(|_| path.to_path_buf());
        replace_concurrently(&target, fill_buffered)
    };
    match (result, failed) {
        (_, Some(problem)) => Err(problem),
        (Err(error), None) => Err(save_problem(path, &error)),
        (Ok(()), None) => Ok(()),
    }
}

/// Replaces a file of the program atomically, without following links: a link itself is replaced, not its target.
///
/// # Errors
/// See [`write_file`].
pub fn save_file(path: &Path, bytes: &[u8]) -> Result<u64> {
    save_with(path, |file| file.write_all(bytes))
}

/// Replaces a file as [`save_file`] does, if several programs may write it at the same time without the run's lock.
/// The last complete one remains.
///
/// # Errors
/// See [`save_file`].
pub fn save_concurrently(path: &Path, bytes: &[u8]) -> Result<()> {
    let attempt = || replace_concurrently(path, |file| file.write_all(bytes));
    let result = match attempt() {
        // A program that starts to work on a run removes all incomplete files there, including this one.
        Err(error) if error.kind() == io::ErrorKind::NotFound => attempt(),
        result => result,
    };
    result.map_err(|error| save_problem(path, &error))
}

/// Replaces a file that can be computed again, atomically but without waiting for the disk: it may be damaged after a
/// power failure.
pub fn save_unsynced(path: &Path, bytes: &[u8]) -> io::Result<()> {
    // Removes the remains of killed programs. A concurrent writer then fails, but finds this complete file.
    remove_partial_files_where(path.parent().unwrap_or(path), |partial| {
        partial.with_extension("").with_extension("") == path
    });
    rename_filled(path, create_unique(path)?, |file| file.write_all(bytes))
}

/// Replaces a file of the program by what `fill` writes; see [`save_file`].
///
/// # Errors
/// See [`save_file`]; also returns a Problem if `fill` fails.
pub fn save_with(path: &Path, fill: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<u64> {
    let mut length = 0;
    let filled = replace(path, |file| {
        // Tensor files are written tensor by tensor, and most tensors are small.
        let mut buffered = BufWriter::with_capacity(1 << 18, file);
        fill(&mut buffered)?;
        buffered.flush()?;
        length = buffered.get_ref().metadata()?.len();
        Ok(())
    });
    filled.map_err(|error| save_problem(path, &error))?;
    Ok(length)
}

/// Returns the Problem of a failed save.
pub fn save_problem(path: &Path, error: &io::Error) -> Problem {
    let problem = Problem::io("save", path, error);
    if problem.remedy.is_empty() {
        problem.advise(message!("advice-check-disk-and-resume"))
    } else {
        problem
    }
}

/// Replaces a file by what `fill` writes; after a failure, the older file remains. Only for files that are written
/// under a lock: the temporary file has a fixed name, so the next attempt replaces what a killed program left.
fn replace(path: &Path, fill: impl FnOnce(&mut File) -> io::Result<()>) -> io::Result<()> {
    let partial = partial_path(path, "");
    let file = create(&partial)?;
    finish(path, (partial, file), fill)
}

/// Replaces a file as [`replace`] does, with a unique temporary name, so that several writers may run at the same
/// time.
fn replace_concurrently(
    path: &Path,
    fill: impl FnOnce(&mut File) -> io::Result<()>,
) -> io::Result<()> {
    finish(path, create_unique(path)?, fill)
}

/// Creates a temporary file that no other writer uses.
fn create_unique(path: &Path) -> io::Result<(PathBuf, File)> {
    /// Distinguishes the writers of this program.
    static WRITERS: AtomicU64 = AtomicU64::new(0);
    loop {
        let number = WRITERS.fetch_add(1, Ordering::Relaxed);
        let partial = partial_path(path, &format!(".{:x}-{number}", std::process::id()));
        match File::create_new(&partial) {
            Ok(file) => return Ok((partial, file)),
            // It was left by a killed program with the same process id, or belongs to another computer.
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists && number < 1 << 20 => {}
            Err(error) => return Err(error),
        }
    }
}

/// Fills the temporary file, syncs it and renames it to its final name.
fn finish(
    path: &Path,
    partial: (PathBuf, File),
    fill: impl FnOnce(&mut File) -> io::Result<()>,
) -> io::Result<()> {
    rename_filled(path, partial, |file| {
        fill(file)?;
        file.sync_all()
    })?;
    sync_folder(path.parent());
    Ok(())
}

/// Fills the temporary file and renames it to its final name; removes it after a failure.
fn rename_filled(
    path: &Path,
    (partial, mut file): (PathBuf, File),
    fill: impl FnOnce(&mut File) -> io::Result<()>,
) -> io::Result<()> {
    let result = fill(&mut file).and_then(|()| {
        drop(file);
        // Windows does not replace a file while a virus scanner or indexer has opened it.
        let pause = Duration::from_millis(50);
        retry_while(is_sharing_violation, pause, || std::fs::rename(&partial, path))
    });
    if result.is_err() {
        // The first error is reported; this only removes the incomplete file.
        let _ = std::fs::remove_file(&partial);
    }
    result
}

/// Repeats `operation` up to twenty times while its error satisfies `is_transient`, with a pause before each attempt.
fn retry_while(
    is_transient: impl Fn(&io::Error) -> bool,
    pause: Duration,
    mut operation: impl FnMut() -> io::Result<()>,
) -> io::Result<()> {
    for _ in 0..20 {
        match operation() {
            Err(error) if is_transient(&error) => std::thread::sleep(pause),
            done => return done,
        }
    }
    operation()
}

/// Returns whether the error is "access denied", "sharing violation" or "lock violation" on Windows.
fn is_sharing_violation(error: &io::Error) -> bool {
    cfg!(windows) && matches!(error.raw_os_error(), Some(5 | 32 | 33))
}

/// Creates a new file, and replaces one that a killed program left, or a link.
fn create(path: &Path) -> io::Result<File> {
    match File::create_new(path) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            std::fs::remove_file(path)?;
            File::create_new(path)
        }
        other => other,
    }
}

/// Returns the path `NAME.partial` beside the file, with `suffix` before the extension. A name that would be too long is
/// shortened.
fn partial_path(path: &Path, suffix: &str) -> PathBuf {
    let ending = format!("{suffix}.{PARTIAL_EXTENSION}");
    let max_bytes = MAX_NAME_BYTES - ending.len();
    let name = path.file_name().unwrap_or_default();
    let mut partial = name.to_os_string();
    if name.len() > max_bytes {
        let name = name.to_string_lossy();
        partial = OsString::from(&name[..name.floor_char_boundary(max_bytes)]);
    }
    partial.push(ending);
    path.with_file_name(partial)
}

/// Removes incomplete files of killed programs. Call it only while holding the lock.
pub fn remove_partial_files(folder: &Path) {
    remove_partial_files_where(folder, |_| true);
}

fn remove_partial_files_where(folder: &Path, predicate: impl Fn(&Path) -> bool) {
    let Ok(entries) = std::fs::read_dir(folder) else {
        return;
    };
    for path in entries.flatten().map(|entry| entry.path()) {
        let is_partial = path.extension().is_some_and(|extension| extension == PARTIAL_EXTENSION);
        if is_partial && predicate(&path) {
            // A file that cannot be removed is overwritten later, or has no effect.
            let _ = std::fs::remove_file(path);
        }
    }
}

/// Locks a run's folder.
///
/// # Errors
/// Returns a Problem if another program has the lock or the folder cannot be written.
pub fn lock_folder(folder: &Path) -> Result<Lock> {
    lock_file(&folder.join(LOCK_FILE))?.ok_or_else(|| {
        Problem::new(message!("problem-run-in-use"))
            .at_path(folder)
            .advise(message!("advice-wait-or-stop-there"))
    })
}

/// Locks a file, and creates it if it does not exist; returns `None` if another program has the lock.
///
/// # Errors
/// Returns a Problem if the file cannot be opened.
pub fn lock_file(path: &Path) -> Result<Option<Lock>> {
    // A program that only lists runs holds the lock for a moment.
    const LOCK_TIMEOUT: Duration = Duration::from_millis(200);
    files::lock_program_file(path, LOCK_TIMEOUT)
        .map_err(|error| Problem::io("access this folder", path, &error))
}

/// Returns whether a program, which may be this one, holds the lock of a run's folder.
pub fn is_locked(folder: &Path) -> bool {
    is_file_locked(&folder.join(LOCK_FILE))
}

/// Returns whether a program holds the lock of this file.
pub fn is_file_locked(path: &Path) -> bool {
    files::open(path).is_ok_and(|file| {
        let is_locked = matches!(file.try_lock_shared(), Err(TryLockError::WouldBlock));
        // A child process may have a copy of the open file, which would keep the lock; see [`Lock`].
        let _ = file.unlock();
        is_locked
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn full_disk_preserves_previous_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("metrics.csv");
        write_file(&path, b"old").unwrap();
        let full = replace(&path, |file| {
            file.write_all(b"ne")?;
            Err(io::ErrorKind::StorageFull.into())
        });
        let problem = save_problem(&path, &full.unwrap_err());
        assert!(problem.mentions("advice-free-disk-space"), "{problem}");
        assert_eq!(std::fs::read(&path).unwrap(), b"old");
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn concurrent_writes_never_leave_partial_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("list.csv");
        write_file(&path, b"old").unwrap();
        // One writer has written its first half when another one finishes; then the first one continues.
        write_with(&path, |out| {
            out.write_all(&[b'a'; 1 << 20]).unwrap();
            write_file(&path, b"other")?;
            assert_eq!(std::fs::read(&path).unwrap(), b"other");
            out.write_all(&[b'b'; 1 << 20]).unwrap();
            Ok(())
        })
        .unwrap();
        let written = std::fs::read(&path).unwrap();
        assert!(written.len() == 2 << 20 && written[0] == b'a' && written.ends_with(b"b"));
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
        // With many concurrent writers, a reader always sees one complete file.
        let write = |letter: u8| {
            for length in 1..200 {
                write_file(&path, &vec![letter; 1000 * length]).unwrap();
                let read = std::fs::read(&path).unwrap();
                assert!(read.len().is_multiple_of(1000) && read.iter().all(|b| *b == read[0]));
            }
        };
        write_file(&path, &[b'a'; 1000]).unwrap();
        std::thread::scope(|scope| {
            for letter in [b'a', b'b', b'c'] {
                scope.spawn(move || write(letter));
            }
        });
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn writes_files_with_long_names() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["x".repeat(250), "猫".repeat(83)] {
            let path = folder.path().join(name);
            write_file(&path, b"written").unwrap();
            save_file(&path, b"saved").unwrap();
            assert_eq!(std::fs::read(&path).unwrap(), b"saved");
        }
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 2);
        let short = partial_path(Path::new("a/summary.json"), ".5f-2");
        assert_eq!(short, Path::new("a/summary.json.5f-2.partial"));
    }

    #[test]
    fn save_unsynced_removes_stale_partial_files() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("summary.json");
        for left in ["summary.json.5f-2.partial", "checkpoint.partial"] {
            std::fs::write(folder.path().join(left), "half").unwrap();
        }
        save_unsynced(&path, b"all").unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), b"all");
        // The other file belongs to the program that has the lock.
        assert!(folder.path().join("checkpoint.partial").exists());
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 2);
    }

    #[test]
    fn retries_only_transient_errors() {
        let attempts = |failures: usize, kind: io::ErrorKind| {
            let mut calls = 0;
            let passing = |error: &io::Error| error.kind() == io::ErrorKind::ResourceBusy;
            let done = retry_while(passing, Duration::ZERO, || {
                calls += 1;
                if calls > failures { Ok(()) } else { Err(kind.into()) }
            });
            (calls, done.is_ok())
        };
        assert_eq!(attempts(3, io::ErrorKind::ResourceBusy), (4, true));
        assert_eq!(attempts(usize::MAX, io::ErrorKind::ResourceBusy), (21, false));
        assert_eq!(attempts(3, io::ErrorKind::StorageFull), (1, false));
    }

    #[test]
    fn lock_is_exclusive_per_folder() {
        let folder = tempfile::tempdir().unwrap();
        assert!(!is_locked(folder.path()));
        let guard = lock_folder(folder.path()).unwrap();
        assert!(is_locked(folder.path()));
        assert!(lock_folder(folder.path()).unwrap_err().is("problem-run-in-use"));
        drop(guard);
        assert!(!is_locked(folder.path()));
        lock_folder(folder.path()).unwrap();
    }

    #[test]
    fn cleanup_removes_only_partial_files() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("a.csv.partial"), "x").unwrap();
        std::fs::write(folder.path().join("a.csv"), "x").unwrap();
        remove_partial_files(folder.path());
        assert!(folder.path().join("a.csv").exists());
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    }
}
