//! Writing a file so it is either complete or absent, and locking a folder.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use super::{Lock, sync_folder};
use crate::files;
use crate::message;
use crate::problem::{Problem, Result};

/// The file that is locked while a program works on a folder.
pub const LOCK_FILE: &str = "lock";
/// Ending of a file that is being written.
const PARTIAL: &str = "partial";

/// Replaces a file that the user named by `bytes` in one step: written beside it, synced, renamed.
/// A link stays and its target is replaced; a device or pipe is written into. Returns the number of
/// bytes.
///
/// # Errors
/// Returns a Problem if the disk is full or the folder cannot be written; an older file stays as it was.
pub fn write_file(path: &Path, bytes: &[u8]) -> Result<u64> {
    let io = |error| save_problem(path, &error);
    write_with(path, |file| file.write_all(bytes).map_err(io))?;
    Ok(bytes.len() as u64)
}

/// Replaces a file that the user named by what `fill` writes, in one step as [`write_file`] does. A
/// device or pipe is written into.
///
/// # Errors
/// As [`write_file`], or `fill` fails; an older file stays as it was.
pub fn write_with(path: &Path, fill: impl FnOnce(&mut dyn Write) -> Result<()>) -> Result<()> {
    let mut failed = None;
    let all = |file: &mut File| {
        let mut buffered = BufWriter::new(file);
        match fill(&mut buffered) {
            Ok(()) => buffered.flush(),
            Err(problem) => {
                failed = Some(problem);
                Err(io::ErrorKind::Other.into())
            }
        }
    };
    let special = std::fs::metadata(path).is_ok_and(|about| !about.is_file());
    let written = if special {
        let file = OpenOptions::new().write(true).open(path);
        file.and_then(|mut file| all(&mut file))
    } else {
        let target = dunce::canonicalize(path).unwrap_or_else(|_| path.to_path_buf());
        replace_apart(&target, all)
    };
    match (written, failed) {
        (_, Some(problem)) => Err(problem),
        (Err(error), None) => Err(save_problem(path, &error)),
        (Ok(()), None) => Ok(()),
    }
}

/// Replaces a file that the program keeps for itself, in the same way, but follows no link: what
/// is at `path` is replaced, not what it leads to.
///
/// # Errors
/// As [`write_file`].
pub fn keep_file(path: &Path, bytes: &[u8]) -> Result<u64> {
    keep_with(path, |file| file.write_all(bytes))
}

/// As [`keep_file`] for a file that several programs may write at once, each without the run's lock: the
/// last one's stays, whole.
///
/// # Errors
/// As [`keep_file`].
pub fn keep_apart(path: &Path, bytes: &[u8]) -> Result<()> {
    let keep = || replace_apart(path, |file| file.write_all(bytes));
    let kept = match keep() {
        // Who begins to work on a run sweeps what is unfinished there, this as well.
        Err(error) if error.kind() == io::ErrorKind::NotFound => keep(),
        kept => kept,
    };
    kept.map_err(|error| save_problem(path, &error))
}

/// Replaces a file that can be made again from others, whole or not at all but without waiting for the disk:
/// after a power cut it may be damaged.
pub fn keep_unsynced(path: &Path, bytes: &[u8]) -> io::Result<()> {
    // What a killed program left. Who is still writing there fails, but finds this file in place.
    sweep_where(path.parent().unwrap_or(path), |left| {
        left.with_extension("").with_extension("") == path
    });
    let (partial, mut file) = create_apart(path)?;
    let written = file.write_all(bytes).and_then(|()| {
        drop(file);
        patiently(|| std::fs::rename(&partial, path))
    });
    if written.is_err() {
        let _ = std::fs::remove_file(&partial);
    }
    written
}

/// The same with what `fill` writes.
///
/// # Errors
/// As [`keep_file`], or `fill` fails.
pub fn keep_with(path: &Path, fill: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<u64> {
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

/// The Problem of a failed save.
pub fn save_problem(path: &Path, error: &io::Error) -> Problem {
    let problem = Problem::io("save", path, error);
    if problem.remedy.is_empty() {
        problem.advise(message!("advice-check-disk-and-resume"))
    } else {
        problem
    }
}

/// Replaces a file by what `fill` writes; on failure the older file stays. For files that only who holds
/// a lock writes: its unfinished file has one name, so a next try replaces what a killed program left.
fn replace(path: &Path, fill: impl FnOnce(&mut File) -> io::Result<()>) -> io::Result<()> {
    let partial = partial_path(path, "");
    let made = create(&partial)?;
    finish(path, (&partial, made), fill)
}

/// The same for files that anybody may write at the same time.
fn replace_apart(path: &Path, fill: impl FnOnce(&mut File) -> io::Result<()>) -> io::Result<()> {
    let (partial, made) = create_apart(path)?;
    finish(path, (&partial, made), fill)
}

/// An unfinished file that no other writer has.
fn create_apart(path: &Path) -> io::Result<(PathBuf, File)> {
    /// Distinguishes the writers of this program.
    static WRITERS: AtomicU64 = AtomicU64::new(0);
    loop {
        let number = WRITERS.fetch_add(1, Ordering::Relaxed);
        let partial = partial_path(path, &format!(".{:x}-{number}", std::process::id()));
        match File::create_new(&partial) {
            Ok(made) => return Ok((partial, made)),
            // Left by a program of the same number that was killed, or another machine's.
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists && number < 1 << 20 => {}
            Err(error) => return Err(error),
        }
    }
}

/// Fills the unfinished file, syncs it and gives it its name.
fn finish(
    path: &Path,
    (partial, mut file): (&Path, File),
    fill: impl FnOnce(&mut File) -> io::Result<()>,
) -> io::Result<()> {
    let written = (|| {
        fill(&mut file)?;
        file.sync_all()?;
        drop(file);
        patiently(|| std::fs::rename(partial, path))
    })();
    if written.is_err() {
        // The error that is reported is the first one; this only tidies up.
        let _ = std::fs::remove_file(partial);
        return written;
    }
    sync_folder(path.parent());
    Ok(())
}

/// Tries again for a second what a virus scanner or an indexer hinders on Windows, where a file
/// cannot be replaced while anybody has it open.
fn patiently(act: impl FnMut() -> io::Result<()>) -> io::Result<()> {
    again_while(is_hindered, Duration::from_millis(50), act)
}

/// Tries up to twenty times more while an error is of this kind, with a pause before each.
fn again_while(
    is_passing: impl Fn(&io::Error) -> bool,
    pause: Duration,
    mut act: impl FnMut() -> io::Result<()>,
) -> io::Result<()> {
    for _ in 0..20 {
        match act() {
            Err(error) if is_passing(&error) => std::thread::sleep(pause),
            done => return done,
        }
    }
    act()
}

/// "Access denied", "sharing violation", "lock violation".
fn is_hindered(error: &io::Error) -> bool {
    cfg!(windows) && matches!(error.raw_os_error(), Some(5 | 32 | 33))
}

/// Makes a new file in place of one that a killed program left, or of a link.
fn create(path: &Path) -> io::Result<File> {
    match File::create_new(path) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            std::fs::remove_file(path)?;
            File::create_new(path)
        }
        other => other,
    }
}

/// `NAME.partial` beside the file, with something before the ending.
fn partial_path(path: &Path, own: &str) -> PathBuf {
    let mut name = path.as_os_str().to_os_string();
    name.push(own);
    name.push(".");
    name.push(PARTIAL);
    name.into()
}

/// Removes what a killed program left half-written. Call it only while holding the lock.
pub fn sweep(folder: &Path) {
    sweep_where(folder, |_| true);
}

fn sweep_where(folder: &Path, which: impl Fn(&Path) -> bool) {
    let Ok(entries) = std::fs::read_dir(folder) else {
        return;
    };
    for path in entries.flatten().map(|entry| entry.path()) {
        let is_partial = path.extension().is_some_and(|ending| ending == PARTIAL);
        if is_partial && which(&path) {
            // A leftover that cannot be removed is overwritten or stays without effect.
            let _ = std::fs::remove_file(path);
        }
    }
}

/// Takes the lock of a run's folder.
///
/// # Errors
/// Returns a Problem if another program holds it or the folder cannot be written.
pub fn lock(folder: &Path) -> Result<Lock> {
    lock_file(&folder.join(LOCK_FILE))?.ok_or_else(|| {
        Problem::new(message!("problem-run-in-use"))
            .at_path(folder)
            .advise(message!("advice-wait-or-stop-there"))
    })
}

/// Takes the lock of a file, which is created if it does not exist; `None` if another program holds it.
///
/// # Errors
/// Returns a Problem if the file cannot be opened.
pub fn lock_file(path: &Path) -> Result<Option<Lock>> {
    // A program that only lists runs holds the lock for a moment.
    const MOMENT: Duration = Duration::from_millis(200);
    files::lock_own(path, MOMENT).map_err(|error| Problem::io("access this folder", path, &error))
}

/// Returns whether a program, which may be this one, holds the lock of a run's folder.
pub fn is_locked(folder: &Path) -> bool {
    is_file_locked(&folder.join(LOCK_FILE))
}

/// Returns whether a program holds the lock of this file.
pub fn is_file_locked(path: &Path) -> bool {
    files::open(path).is_ok_and(|file| {
        let is_locked = matches!(file.try_lock_shared(), Err(TryLockError::WouldBlock));
        // For the same reason as `Lock` does.
        let _ = file.unlock();
        is_locked
    })
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn a_disk_that_fills_up_half_way_leaves_the_older_file() {
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
    fn two_that_write_one_file_at_once_never_leave_half_of_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("list.csv");
        write_file(&path, b"old").unwrap();
        // One writes its first half; meanwhile another one is done; then the first continues.
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
        // And many at once: a reader sees the whole of one of them.
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
    fn what_a_killed_program_left_of_a_file_that_can_be_made_again_is_swept_with_the_next_one() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("summary.json");
        for left in ["summary.json.5f-2.partial", "checkpoint.partial"] {
            std::fs::write(folder.path().join(left), "half").unwrap();
        }
        keep_unsynced(&path, b"all").unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), b"all");
        // The other file is somebody's who holds the lock.
        assert!(folder.path().join("checkpoint.partial").exists());
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 2);
    }

    #[test]
    fn what_passes_is_tried_again_and_what_stays_is_told() {
        let tried = |hindered: usize, kind: io::ErrorKind| {
            let mut times = 0;
            let passing = |error: &io::Error| error.kind() == io::ErrorKind::ResourceBusy;
            let done = again_while(passing, Duration::ZERO, || {
                times += 1;
                if times > hindered {
                    Ok(())
                } else {
                    Err(kind.into())
                }
            });
            (times, done.is_ok())
        };
        assert_eq!(tried(3, io::ErrorKind::ResourceBusy), (4, true));
        assert_eq!(tried(usize::MAX, io::ErrorKind::ResourceBusy), (21, false));
        assert_eq!(tried(3, io::ErrorKind::StorageFull), (1, false));
    }

    #[test]
    fn one_folder_has_one_owner() {
        let folder = tempfile::tempdir().unwrap();
        assert!(!is_locked(folder.path()));
        let held = lock(folder.path()).unwrap();
        assert!(is_locked(folder.path()));
        assert!(lock(folder.path()).unwrap_err().is("problem-run-in-use"));
        drop(held);
        assert!(!is_locked(folder.path()));
        lock(folder.path()).unwrap();
    }

    #[test]
    fn leftovers_are_swept_and_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("a.csv.partial"), "x").unwrap();
        std::fs::write(folder.path().join("a.csv"), "x").unwrap();
        sweep(folder.path());
        assert!(folder.path().join("a.csv").exists());
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    }
}
