//! Files beside the runs, one per dataset, which is identified by its path or name: corrected labels in
//! `mended/NAME-HASH.toml`, and the user's answer whether classes are learned in stages or all at once in
//! `stages/NAME-HASH.toml`. The dataset itself is never changed.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard};
use std::time::Duration;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::data::{Correction, builtin, published, validate_corrections};
use crate::fetch::hex;
use crate::files;
use crate::files::Lock;
use crate::files::write::{LOCK_FILE, remove_partial_files, write_file};
use crate::message;
use crate::problem::{Problem, Result};
use crate::sync::lock;

/// Folder of the lists of corrected labels.
const CORRECTIONS_FOLDER: &str = "mended";
/// Folder of the answers.
const STAGES_FOLDER: &str = "stages";
/// First lines of a list.
const PREFACE: &str = "# Labels of a dataset that were corrected by hand. The data itself is unchanged.\n# An entry without a class excludes its image.\n\n";

/// How long a change waits for the change of another program.
const LOCK_TIMEOUT: Duration = Duration::from_secs(5);

/// Locked while a list is changed, in addition to the lock file, which not every file system supports.
static LIST_MUTEX: Mutex<()> = Mutex::new(());

/// The content of a list.
#[derive(Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct CorrectionList {
    /// The dataset, for readers of the file.
    data: String,
    #[serde(rename = "mended")]
    corrected: Vec<Correction>,
}

/// The content of an answer's file.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct StagesAnswer {
    /// The dataset, for readers of the file.
    data: String,
    all_at_once: bool,
}

/// Returns what identifies a dataset: its name if it is built in or published, else its absolute path.
fn dataset_id(dataset: &str) -> String {
    let dataset = dataset.trim();
    let is_name = builtin::names().any(|name| name == dataset);
    if is_name {
        return dataset.to_string();
    }
    match published::find_published(dataset) {
        Some(set) if !Path::new(dataset).exists() => set.name.to_string(),
        _ => std::path::absolute(dataset)
            .map_or_else(|_| dataset.to_string(), |path| path.to_string_lossy().into_owned()),
    }
}

/// Returns the path of the list of corrected labels of a dataset; the file may not exist.
pub fn corrections_path(root: &Path, dataset: &str) -> PathBuf {
    dataset_file(&root.join(CORRECTIONS_FOLDER), dataset)
}

/// Returns the path of the file of a dataset in a folder with one file per dataset.
fn dataset_file(folder: &Path, dataset: &str) -> PathBuf {
    let id = dataset_id(dataset);
    let name = Path::new(&id).file_stem().unwrap_or_default();
    let sanitize = |c: char| if c.is_alphanumeric() { c } else { '-' };
    let name: String = name.to_string_lossy().chars().map(sanitize).take(40).collect();
    let digest = hex(&Sha256::digest(&id));
    folder.join(format!("{name}-{}.toml", &digest[..12]))
}

/// Returns the corrected labels of a dataset; empty if nothing was corrected.
///
/// # Errors
/// Returns a Problem if the list exists but cannot be read.
pub fn load_corrections(root: &Path, dataset: &str) -> Result<Vec<Correction>> {
    let path = corrections_path(root, dataset);
    match path.exists() {
        true => read_corrections(&path),
        false => Ok(Vec::new()),
    }
}

/// Reads a list of corrected labels.
///
/// # Errors
/// Returns a Problem if the file does not exist, is not a list, or has invalid entries.
pub fn read_corrections(path: &Path) -> Result<Vec<Correction>> {
    let text = files::read_text(path, files::TEXT).map_err(|error| {
        let problem = Problem::io("read the corrected labels", path, &error);
        match error.kind() {
            ErrorKind::NotFound => problem.advise(message!("advice-give-list-or-none")),
            _ => problem,
        }
    })?;
    let list: CorrectionList = toml::from_str(&text).map_err(|error| {
        Problem::new(message!("problem-no-list-of-corrections", message = error.message()))
            .at_path(path)
            .advise(message!("advice-correct-or-move-list"))
    })?;
    validate_corrections(&list.corrected).map_err(|problem| problem.at_path(path))?;
    Ok(list.corrected)
}

/// Changes the label of one image in the list of a dataset; removes the entry if the image is back in its original
/// class. Returns the new list.
///
/// # Errors
/// Returns a Problem if the list cannot be read or written.
pub fn correct_label(root: &Path, dataset: &str, change: Correction) -> Result<Vec<Correction>> {
    let _lock = lock_lists(root)?;
    let mut list = load_corrections(root, dataset)?;
    let existing = list.iter().position(|correction| correction.is_same_image(&change));
    // The original class is kept when a label is corrected again.
    let was = existing.map_or(&change.was, |index| &list[index].was).clone();
    let is_restored = change.class.as_ref() == Some(&was);
    let change = Correction { was, ..change };
    match (existing, is_restored) {
        (Some(index), true) => drop(list.remove(index)),
        (Some(index), false) => list[index] = change,
        (None, true) => {}
        (None, false) => list.push(change),
    }
    save_corrections(root, dataset, &list)?;
    Ok(list)
}

/// Keeps other programs and threads from changing lists; otherwise, one of two simultaneous changes would be lost. A
/// poisoned mutex is used anyway, because a panic cannot leave a list half written.
fn lock_lists(root: &Path) -> Result<(MutexGuard<'static, ()>, Lock)> {
    let mutex_guard = lock(&LIST_MUTEX);
    let folder = root.join(CORRECTIONS_FOLDER);
    std::fs::create_dir_all(&folder)
        .map_err(|error| Problem::io("create the folder of corrected labels", &folder, &error))?;
    let path = folder.join(LOCK_FILE);
    let file_lock = files::lock_program_file(&path, LOCK_TIMEOUT)
        .map_err(|error| Problem::io("change the corrected labels", &path, &error))?;
    let file_lock = file_lock.ok_or_else(|| {
        Problem::new(message!("problem-corrected-labels-locked"))
            .at_path(&folder)
            .advise(message!("advice-retry-when-finished"))
    })?;
    remove_partial_files(&folder);
    Ok((mutex_guard, file_lock))
}

fn save_corrections(root: &Path, dataset: &str, list: &[Correction]) -> Result<()> {
    validate_corrections(list)?;
    let path = corrections_path(root, dataset);
    let content = CorrectionList { data: dataset_id(dataset), corrected: list.to_vec() };
    let text = toml::to_string_pretty(&content)
        .map_err(|error| Problem::with_error("problem-corrected-labels-unwritten", &error))?;
    write_file(&path, format!("{PREFACE}{text}").as_bytes()).map(drop)
}

/// Returns whether the classes of a dataset are learned all at once; `None` if the user has not answered.
///
/// # Errors
/// Returns a Problem if the file exists but cannot be read.
pub fn load_all_at_once(root: &Path, dataset: &str) -> Result<Option<bool>> {
    let path = dataset_file(&root.join(STAGES_FOLDER), dataset);
    if !path.exists() {
        return Ok(None);
    }
    let text = files::read_text(&path, files::TEXT)
        .map_err(|error| Problem::io("read how classes are learned", &path, &error))?;
    let answer: StagesAnswer = toml::from_str(&text).map_err(|error| {
        Problem::new(message!("problem-arrival-file-invalid", message = error.message()))
            .at_path(&path)
            .advise(message!("advice-move-file-and-answer"))
    })?;
    Ok(Some(answer.all_at_once))
}

/// Saves the answer for a dataset.
///
/// # Errors
/// Returns a Problem if it cannot be written.
pub fn save_all_at_once(root: &Path, dataset: &str, all_at_once: bool) -> Result<()> {
    let folder = root.join(STAGES_FOLDER);
    std::fs::create_dir_all(&folder)
        .map_err(|error| Problem::io("create the folder of these answers", &folder, &error))?;
    let answer = StagesAnswer { data: dataset_id(dataset), all_at_once };
    let text = toml::to_string_pretty(&answer)
        .map_err(|error| Problem::with_error("problem-answer-unwritten", &error))?;
    write_file(&dataset_file(&folder, dataset), text.as_bytes()).map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns a correction of an image of the class cat.
    fn correct_cat(picture: &str, class: Option<&str>) -> Correction {
        Correction {
            picture: picture.into(),
            sha256: "ab".repeat(32),
            was: "cat".into(),
            class: class.map(Into::into),
        }
    }

    #[test]
    fn corrections_are_saved_changed_and_removed_per_dataset() {
        let change = correct_cat;
        let root = tempfile::tempdir().unwrap();
        let correct = |change| correct_label(root.path(), "digits", change).unwrap();
        assert_eq!(load_corrections(root.path(), "digits").unwrap(), []);
        assert_eq!(correct(change("a.png", Some("dog"))).len(), 1);
        assert_eq!(correct(change("b.png", None)).len(), 2);
        let second_change = Correction { was: "dog".into(), ..change("a.png", Some("cow")) };
        let list = correct(second_change);
        assert_eq!((list.len(), list[0].was.as_str()), (2, "cat"));
        assert_eq!(load_corrections(root.path(), "digits").unwrap(), list);
        assert_eq!(load_corrections(root.path(), "letters").unwrap(), []);
        assert_eq!(correct(change("a.png", Some("cat"))).len(), 1);
        assert_eq!(correct(change("b.png", Some("cat"))), []);
        let text = std::fs::read_to_string(corrections_path(root.path(), "digits")).unwrap();
        assert!(text.contains("digits"), "{text}");
    }

    #[test]
    fn concurrent_changes_are_not_lost() {
        let change = correct_cat;
        let root = tempfile::tempdir().unwrap();
        let folder = root.path().join(CORRECTIONS_FOLDER);
        std::fs::create_dir(&folder).unwrap();
        // Another program is changing the list: it has read it and then writes it with one more entry.
        let other = files::lock_program_file(&folder.join(LOCK_FILE), LOCK_TIMEOUT).unwrap();
        let root_path = root.path().to_path_buf();
        let waiting = std::thread::spawn(move || {
            correct_label(&root_path, "digits", change("mine.png", Some("dog"))).unwrap()
        });
        std::thread::sleep(Duration::from_millis(100));
        assert!(!waiting.is_finished());
        save_corrections(root.path(), "digits", &[change("other.png", None)]).unwrap();
        drop(other);
        assert_eq!(waiting.join().unwrap().len(), 2);
        assert_eq!(load_corrections(root.path(), "digits").unwrap().len(), 2);
    }

    #[test]
    fn invalid_lists_are_reported() {
        let root = tempfile::tempdir().unwrap();
        let path = root.path().join("list.toml");
        assert!(read_corrections(&path).unwrap_err().what.contains("corrected"));
        std::fs::write(&path, "[[mended]]\npicture = \"a\"\n").unwrap();
        let problem = read_corrections(&path).unwrap_err();
        assert!(problem.is("problem-no-list-of-corrections"), "{problem}");
    }

    #[test]
    fn all_at_once_choice_is_saved_per_dataset() {
        let root = tempfile::tempdir().unwrap();
        let answer_for = |dataset: &str| load_all_at_once(root.path(), dataset).unwrap();
        assert_eq!(answer_for("/birds"), None);
        save_all_at_once(root.path(), "/birds", true).unwrap();
        assert_eq!((answer_for("/birds"), answer_for("/other/birds")), (Some(true), None));
        save_all_at_once(root.path(), "/birds", false).unwrap();
        assert_eq!(answer_for("/birds"), Some(false));
        let path = dataset_file(&root.path().join(STAGES_FOLDER), "/birds");
        std::fs::write(path, "?").unwrap();
        let problem = load_all_at_once(root.path(), "/birds").unwrap_err();
        assert!(problem.is("problem-arrival-file-invalid"), "{problem}");
    }
}
