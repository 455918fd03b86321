//! Deleted runs. They are moved to the folder `.trash` beside the runs and can be restored until they are erased.
//!
//! A run is moved by one rename, so it is always complete in one of the two places. A run to be erased is first renamed
//! to a hidden name, so an incompletely erased run is never offered for restoring.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use super::TRASH_FOLDER;
use super::listing::{ListedRun, load_entry};
use super::queue::is_queued;
use super::record::{is_run, no_run_problem, run_name};
use crate::files::sync_folder;
use crate::files::write::lock_folder;
use crate::message;
use crate::problem::{Problem, Result};

/// Prefix of the name of a run that is being erased.
const ERASED_PREFIX: &str = ".erased-";
/// Maximum number of files that are counted per run.
const MAX_COUNTED_FILES: usize = 1_000_000;

/// A deleted run.
#[derive(Clone, Debug)]
pub struct TrashedRun {
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
pub fn delete_run(folder: &Path, queue: &Path) -> Result<PathBuf> {
    let (root, folder) = split_run_path(folder)?;
    if folder.is_symlink() {
        return Err(Problem::new(message!("problem-run-is-link"))
            .at_path(&folder)
            .advise(message!("advice-delete-linked-folder")));
    }
    if !is_run(&folder) {
        return Err(no_run_problem(&folder));
    }
    if [queue, &root].iter().any(|root| is_queued(root, &folder)) {
        return Err(Problem::new(message!("problem-run-queued"))
            .at_path(&folder)
            .advise(message!("advice-remove-from-queue")));
    }
    let run_lock = lock_folder(&folder)?;
    let bin = root.join(TRASH_FOLDER);
    create_trash(&bin)?;
    let target = unused_path(&bin, &run_name(&folder), "");
    // The lock is held until the run is moved, so that no other program starts to use it. Windows cannot rename a
    // folder with an open file, so the lock is released there first; a run in use cannot be moved there either.
    let run_lock = (!cfg!(windows)).then_some(run_lock);
    std::fs::rename(&folder, &target)
        .map_err(|error| Problem::io("move the run to the trash", &folder, &error))?;
    drop(run_lock);
    sync_folder(Some(&bin));
    sync_folder(Some(&root));
    Ok(target)
}

/// Returns the deleted runs of a folder of runs, newest first; empty if there is no trash.
pub fn list_deleted(root: &Path) -> Vec<TrashedRun> {
    let bin = root.join(TRASH_FOLDER);
    if bin.is_symlink() {
        return Vec::new();
    }
    sweep(&bin);
    let entries = std::fs::read_dir(&bin).into_iter().flatten().flatten();
    let runs = entries.map(|entry| entry.path());
    let runs = runs.filter(|path| !path.is_symlink() && is_run(path));
    let mut runs: Vec<TrashedRun> =
        runs.map(|path| TrashedRun { bytes: folder_size(&path), run: load_entry(&path) }).collect();
    runs.sort_by(|a, b| b.run.run.cmp(&a.run.run));
    runs
}

/// Moves a run from the trash back to the other runs and returns its new path.
///
/// # Errors
/// Returns a Problem if the path is not a run in a trash, or if it cannot be moved.
pub fn restore_run(path: &Path) -> Result<PathBuf> {
    let (bin, root) = locate_trash(path)?;
    let folder = unused_path(&root, &run_name(path), "");
    std::fs::rename(path, &folder)
        .map_err(|error| Problem::io("move the run out of the trash", path, &error))?;
    sync_folder(Some(&root));
    sync_folder(Some(&bin));
    Ok(folder)
}

/// Deletes a run in the trash permanently. Links in it are removed; their targets are kept.
///
/// # Errors
/// Returns a Problem if the path is not a run in a trash, or if some of its files cannot be removed.
pub fn erase_run(path: &Path) -> Result<()> {
    let (bin, _) = locate_trash(path)?;
    let hidden = unused_path(&bin, &format!("{ERASED_PREFIX}{}", run_name(path)), "");
    let result = std::fs::rename(path, &hidden).and_then(|()| std::fs::remove_dir_all(&hidden));
    result.map_err(|error| Problem::io("permanently delete the run", path, &error))?;
    sync_folder(Some(&bin));
    Ok(())
}

/// Returns the folder that contains a run, and the absolute path of the run.
fn split_run_path(folder: &Path) -> Result<(PathBuf, PathBuf)> {
    let absolute =
        std::path::absolute(folder).map_err(|error| Problem::io("find the run", folder, &error))?;
    match absolute.parent() {
        Some(root) => Ok((root.to_path_buf(), absolute)),
        None => Err(no_run_problem(folder)),
    }
}

/// Returns the trash that contains a deleted run, and the folder of runs that contains the trash.
fn locate_trash(path: &Path) -> Result<(PathBuf, PathBuf)> {
    let (bin, path) = split_run_path(path)?;
    let is_trash = bin.file_name().is_some_and(|name| name == TRASH_FOLDER);
    let root = bin.parent().filter(|_| is_trash && !bin.is_symlink());
    match root {
        Some(root) if is_run(&path) && !path.is_symlink() => Ok((bin.clone(), root.to_path_buf())),
        _ => Err(Problem::new(message!("problem-no-deleted-run"))
            .at_path(path)
            .advise(message!("advice-list-deleted-runs"))),
    }
}

/// Creates the trash if it does not exist; refuses a link in its place.
fn create_trash(bin: &Path) -> Result<()> {
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

/// Returns a path in `folder` that does not exist: this name with this suffix, and a number between them if it is in
/// use.
pub(super) fn unused_path(folder: &Path, name: &str, suffix: &str) -> PathBuf {
    let first = folder.join(format!("{name}{suffix}"));
    let numbered = (2..).map(|number| folder.join(format!("{name}-{number}{suffix}")));
    let mut candidates = std::iter::once(first.clone()).chain(numbered);
    let is_unused = |path: &PathBuf| std::fs::symlink_metadata(path).is_err();
    // The search ends, because the disk is full before the numbers run out.
    candidates.find(is_unused).unwrap_or(first)
}

/// Removes runs that were being erased when the program ended.
fn sweep(bin: &Path) {
    let entries = std::fs::read_dir(bin).into_iter().flatten().flatten();
    for entry in entries {
        if entry.file_name().to_string_lossy().starts_with(ERASED_PREFIX) {
            // If the removal fails, it is tried again the next time.
            let _ = std::fs::remove_dir_all(entry.path());
        }
    }
}

/// Returns the size of all files below a folder in bytes; links are not followed.
fn folder_size(folder: &Path) -> u64 {
    let (mut bytes, mut files) = (0, 0);
    let mut folders = vec![folder.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            files += 1;
            let Ok(metadata) = entry.metadata() else {
                continue;
            };
            match metadata.is_dir() {
                true => folders.push(entry.path()),
                false => bytes += metadata.len(),
            }
            if files > MAX_COUNTED_FILES {
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
    fn deleted_runs_can_be_restored_unchanged() {
        let root = tempfile::tempdir().unwrap();
        let root_path = root.path();
        let one = run(root_path, "one");
        let trashed = delete_run(&one, root_path).unwrap();
        assert!(!one.exists() && trashed.starts_with(root_path.join(TRASH_FOLDER)));
        // A second run with the same name overwrites nothing, neither in the trash nor when it is restored.
        run(root_path, "one");
        let other = delete_run(&one, root_path).unwrap();
        assert_ne!(trashed, other);
        assert_eq!(list_deleted(root_path).len(), 2);
        assert_eq!(list_deleted(root_path)[0].bytes, 3);
        assert_eq!(restore_run(&trashed).unwrap(), one);
        assert_eq!(std::fs::read_to_string(one.join(RUN_FILE)).unwrap(), "one");
        erase_run(&other).unwrap();
        assert!(list_deleted(root_path).is_empty() && one.exists());
        // Only runs in a trash are erased or restored.
        assert!(erase_run(&one).is_err() && restore_run(&one).is_err() && one.exists());
    }

    #[test]
    fn busy_or_queued_runs_are_not_deleted() {
        let root = tempfile::tempdir().unwrap();
        let (busy, next) = (run(root.path(), "busy"), run(root.path(), "next"));
        let run_lock = crate::files::write::lock_folder(&busy).unwrap();
        let problem = delete_run(&busy, root.path()).unwrap_err();
        assert!(problem.is("problem-run-in-use"), "{problem}");
        drop(run_lock);
        let job = Job::resume(next.clone(), None, String::new());
        QueueFile::local(root.path()).save(&[&job]).unwrap();
        let problem = delete_run(&next, root.path()).unwrap_err();
        assert!(problem.is("problem-run-queued"), "{problem}");
        assert!(next.exists() && delete_run(&busy, root.path()).is_ok());
        assert!(delete_run(&root.path().join("none"), root.path()).is_err());
    }

    #[test]
    fn partly_erased_runs_are_not_listed() {
        let root = tempfile::tempdir().unwrap();
        let trashed = delete_run(&run(root.path(), "one"), root.path()).unwrap();
        let partly_erased = trashed.with_file_name(format!("{ERASED_PREFIX}one"));
        std::fs::rename(&trashed, &partly_erased).unwrap();
        assert!(list_deleted(root.path()).is_empty());
        assert!(!partly_erased.exists());
    }

    #[cfg(unix)]
    #[test]
    fn links_are_not_followed() {
        use std::os::unix::fs::symlink;
        let (root, away) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let outside = run(away.path(), "outside");
        symlink(&outside, root.path().join("link")).unwrap();
        assert!(delete_run(&root.path().join("link"), root.path()).is_err());
        let one = run(root.path(), "one");
        symlink(&outside, one.join("inner")).unwrap();
        let trashed = delete_run(&one, root.path()).unwrap();
        assert!(list_deleted(root.path())[0].bytes < 200);
        erase_run(&trashed).unwrap();
        assert!(outside.join(RUN_FILE).exists());
        // A trash that is a link is not used.
        let other = tempfile::tempdir().unwrap();
        symlink(away.path(), other.path().join(TRASH_FOLDER)).unwrap();
        let two = run(other.path(), "two");
        assert!(delete_run(&two, other.path()).is_err() && two.exists());
        assert!(list_deleted(other.path()).is_empty());
    }
}
