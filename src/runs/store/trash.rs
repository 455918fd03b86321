//! Deleted runs. They are moved to the folder `.trash` beside the runs and can be restored until they are erased.
//!
//! A run is moved by one rename, so it is always complete in one of the two places. A run to be erased is first renamed
//! to a hidden name, so an incompletely erased run is never offered for restoring.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use super::TRASH_FOLDER;
use super::listing::{ListedRun, entry};
use super::queue::is_queued;
use super::record::{is_run, no_run, run_name};
use crate::files::sync_folder;
use crate::files::write::lock;
use crate::message;
use crate::problem::{Problem, Result};

/// Prefix of the name of a run that is being erased.
const ERASED: &str = ".erased-";
/// Maximum number of files that are counted per run.
const MOST: usize = 1_000_000;

/// A deleted run.
#[derive(Clone, Debug)]
pub struct Deleted {
    /// The run; its folder is the one in the trash.
    pub run: ListedRun,
    /// Size of all its files.
    pub bytes: u64,
}

/// Moves a run into the trash beside it and returns its new path. `queue` is the folder whose queue may contain the
/// run.
///
/// # Errors
/// Returns a Problem if the folder is not a run, is a link, is in use, is in the queue or cannot be moved.
pub fn delete(folder: &Path, queue: &Path) -> Result<PathBuf> {
    let (root, folder) = around(folder)?;
    if folder.is_symlink() {
        return Err(Problem::new(message!("problem-run-is-link"))
            .at_path(&folder)
            .advise(message!("advice-delete-linked-folder")));
    }
    if !is_run(&folder) {
        return Err(no_run(&folder));
    }
    if [queue, &root].iter().any(|root| is_queued(root, &folder)) {
        return Err(Problem::new(message!("problem-run-queued"))
            .at_path(&folder)
            .advise(message!("advice-remove-from-queue")));
    }
    let held = lock(&folder)?;
    let bin = root.join(TRASH_FOLDER);
    own_folder(&bin)?;
    let place = free(&bin, &run_name(&folder));
    // The lock is held until the run is moved, so that no other program starts to use it. Windows cannot rename a
    // folder with an open file, so the lock is released there first; a run in use cannot be moved there either.
    let held = (!cfg!(windows)).then_some(held);
    std::fs::rename(&folder, &place)
        .map_err(|error| Problem::io("move the run to the trash", &folder, &error))?;
    drop(held);
    sync_folder(Some(&bin));
    sync_folder(Some(&root));
    Ok(place)
}

/// Returns the deleted runs of a folder of runs, newest first; empty if there is no trash.
pub fn deleted(root: &Path) -> Vec<Deleted> {
    let bin = root.join(TRASH_FOLDER);
    if bin.is_symlink() {
        return Vec::new();
    }
    sweep(&bin);
    let entries = std::fs::read_dir(&bin).into_iter().flatten().flatten();
    let runs = entries.map(|entry| entry.path());
    let runs = runs.filter(|path| !path.is_symlink() && is_run(path));
    let mut runs: Vec<Deleted> = runs
        .map(|path| Deleted {
            bytes: size(&path),
            run: entry(&path),
        })
        .collect();
    runs.sort_by(|a, b| b.run.run.cmp(&a.run.run));
    runs
}

/// Moves a run from the trash back to the other runs and returns its new path.
///
/// # Errors
/// Returns a Problem if the path is not a run in a trash, or if it cannot be moved.
pub fn restore(place: &Path) -> Result<PathBuf> {
    let (bin, root) = bin_of(place)?;
    let folder = free(&root, &run_name(place));
    std::fs::rename(place, &folder)
        .map_err(|error| Problem::io("move the run out of the trash", place, &error))?;
    sync_folder(Some(&root));
    sync_folder(Some(&bin));
    Ok(folder)
}

/// Deletes a run in the trash permanently. Links in it are removed; their targets are kept.
///
/// # Errors
/// Returns a Problem if the path is not a run in a trash, or if some of its files cannot be removed.
pub fn erase(place: &Path) -> Result<()> {
    let (bin, _) = bin_of(place)?;
    let hidden = free(&bin, &format!("{ERASED}{}", run_name(place)));
    let gone = std::fs::rename(place, &hidden).and_then(|()| std::fs::remove_dir_all(&hidden));
    gone.map_err(|error| Problem::io("permanently delete the run", place, &error))?;
    sync_folder(Some(&bin));
    Ok(())
}

/// Returns the folder that contains a run, and the absolute path of the run.
fn around(folder: &Path) -> Result<(PathBuf, PathBuf)> {
    let whole =
        std::path::absolute(folder).map_err(|error| Problem::io("find the run", folder, &error))?;
    match whole.parent() {
        Some(root) => Ok((root.to_path_buf(), whole)),
        None => Err(no_run(folder)),
    }
}

/// Returns the trash that contains a deleted run, and the folder of runs that contains the trash.
fn bin_of(place: &Path) -> Result<(PathBuf, PathBuf)> {
    let (bin, place) = around(place)?;
    let named = bin.file_name().is_some_and(|name| name == TRASH_FOLDER);
    let root = bin.parent().filter(|_| named && !bin.is_symlink());
    match root {
        Some(root) if is_run(&place) && !place.is_symlink() => {
            Ok((bin.clone(), root.to_path_buf()))
        }
        _ => Err(Problem::new(message!("problem-no-deleted-run"))
            .at_path(place)
            .advise(message!("advice-list-deleted-runs"))),
    }
}

/// Creates the trash if it does not exist; refuses a link in its place.
fn own_folder(bin: &Path) -> Result<()> {
    if bin.is_symlink() {
        return Err(Problem::new(message!("problem-trash-is-link"))
            .at_path(bin)
            .advise(message!("advice-remove-trash-link")));
    }
    match std::fs::create_dir(bin) {
        Err(error) if error.kind() != ErrorKind::AlreadyExists => {
            Err(Problem::io("create the trash folder", bin, &error))
        }
        _ => Ok(()),
    }
}

/// Returns a path in `folder` that does not exist: this name, with a number appended if it is in use.
pub(super) fn free(folder: &Path, name: &str) -> PathBuf {
    let numbered = (2..).map(|number| folder.join(format!("{name}-{number}")));
    let mut all = std::iter::once(folder.join(name)).chain(numbered);
    let vacant = |path: &PathBuf| std::fs::symlink_metadata(path).is_err();
    // The search ends, because the disk is full before the numbers run out.
    all.find(vacant).unwrap_or_else(|| folder.join(name))
}

/// Removes runs that were being erased when the program ended.
fn sweep(bin: &Path) {
    let entries = std::fs::read_dir(bin).into_iter().flatten().flatten();
    for entry in entries {
        if entry.file_name().to_string_lossy().starts_with(ERASED) {
            // If the removal fails, it is tried again the next time.
            let _ = std::fs::remove_dir_all(entry.path());
        }
    }
}

/// Returns the size of all files below a folder in bytes; links are not followed.
fn size(folder: &Path) -> u64 {
    let (mut bytes, mut files) = (0, 0);
    let mut folders = vec![folder.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            files += 1;
            let Ok(about) = entry.metadata() else {
                continue;
            };
            match about.is_dir() {
                true => folders.push(entry.path()),
                false => bytes += about.len(),
            }
            if files > MOST {
                return bytes;
            }
        }
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::job::Job;
    use crate::store::{QueueFile, RUN_FILE};

    fn run(root: &Path, name: &str) -> PathBuf {
        let folder = root.join(name);
        std::fs::create_dir(&folder).unwrap();
        std::fs::write(folder.join(RUN_FILE), name).unwrap();
        folder
    }

    #[test]
    fn a_run_goes_into_the_trash_and_comes_back_as_it_was() {
        let root = tempfile::tempdir().unwrap();
        let at = root.path();
        let one = run(at, "one");
        let place = delete(&one, at).unwrap();
        assert!(!one.exists() && place.starts_with(at.join(TRASH_FOLDER)));
        // A second run with the same name overwrites nothing, neither in the trash nor when it is restored.
        run(at, "one");
        let other = delete(&one, at).unwrap();
        assert_ne!(place, other);
        assert_eq!(deleted(at).len(), 2);
        assert_eq!(deleted(at)[0].bytes, 3);
        assert_eq!(restore(&place).unwrap(), one);
        assert_eq!(std::fs::read_to_string(one.join(RUN_FILE)).unwrap(), "one");
        erase(&other).unwrap();
        assert!(deleted(at).is_empty() && one.exists());
        // Only runs in a trash are erased or restored.
        assert!(erase(&one).is_err() && restore(&one).is_err() && one.exists());
    }

    #[test]
    fn a_run_at_work_or_in_the_queue_stays() {
        let root = tempfile::tempdir().unwrap();
        let (busy, next) = (run(root.path(), "busy"), run(root.path(), "next"));
        let held = crate::files::write::lock(&busy).unwrap();
        let problem = delete(&busy, root.path()).unwrap_err();
        assert!(problem.is("problem-run-in-use"), "{problem}");
        drop(held);
        let job = Job::resume(next.clone(), None, String::new());
        QueueFile::below(root.path()).save(&[&job]).unwrap();
        let problem = delete(&next, root.path()).unwrap_err();
        assert!(problem.is("problem-run-queued"), "{problem}");
        assert!(next.exists() && delete(&busy, root.path()).is_ok());
        assert!(delete(&root.path().join("none"), root.path()).is_err());
    }

    #[test]
    fn what_was_being_erased_is_never_offered() {
        let root = tempfile::tempdir().unwrap();
        let place = delete(&run(root.path(), "one"), root.path()).unwrap();
        let half = place.with_file_name(format!("{ERASED}one"));
        std::fs::rename(&place, &half).unwrap();
        assert!(deleted(root.path()).is_empty());
        assert!(!half.exists());
    }

    #[cfg(unix)]
    #[test]
    fn nothing_follows_a_link_out_of_the_folder() {
        use std::os::unix::fs::symlink;
        let (root, away) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let outside = run(away.path(), "outside");
        symlink(&outside, root.path().join("link")).unwrap();
        assert!(delete(&root.path().join("link"), root.path()).is_err());
        let one = run(root.path(), "one");
        symlink(&outside, one.join("inner")).unwrap();
        let place = delete(&one, root.path()).unwrap();
        assert!(deleted(root.path())[0].bytes < 200);
        erase(&place).unwrap();
        assert!(outside.join(RUN_FILE).exists());
        // A trash that is a link is not used.
        let other = tempfile::tempdir().unwrap();
        symlink(away.path(), other.path().join(TRASH_FOLDER)).unwrap();
        let two = run(other.path(), "two");
        assert!(delete(&two, other.path()).is_err() && two.exists());
        assert!(deleted(other.path()).is_empty());
    }
}
