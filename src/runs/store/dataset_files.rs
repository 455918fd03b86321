//! Files beside the runs, one per dataset, which is identified by its path or name: corrected labels in
//! `mended/NAME-HASH.toml`, and the user's answer whether classes are learned in stages or all at once in
//! `stages/NAME-HASH.toml`. The dataset itself is never changed.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::data::{Correction, builtin, check_corrected, published};
use crate::fetch::hex;
use crate::files;
use crate::files::Lock;
use crate::files::write::sweep;
use crate::files::write::{LOCK_FILE, write_file};
use crate::message;
use crate::problem::{Problem, Result};

/// Folder of the lists of corrected labels.
const FOLDER: &str = "mended";
/// Folder of the answers.
const STAGES: &str = "stages";
/// First lines of a list.
const PREFACE: &str = "# Labels of a dataset that were corrected by hand. The data itself is unchanged.\n# An entry without a class excludes its image.\n\n";

/// How long a change waits for the change of another program.
const PATIENCE: Duration = Duration::from_secs(5);

/// Locked while a list is changed, in addition to the lock file, which not every file system supports.
static ONE: Mutex<()> = Mutex::new(());

/// The content of a list.
#[derive(Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Written {
    /// The dataset, for readers of the file.
    data: String,
    #[serde(rename = "mended")]
    corrected: Vec<Correction>,
}

/// The content of an answer's file.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Answer {
    /// The dataset, for readers of the file.
    data: String,
    all_at_once: bool,
}

/// Returns what identifies a dataset: its name if it is built in or published, else its absolute path.
fn origin(place: &str) -> String {
    let place = place.trim();
    let is_name = builtin::names().any(|name| name == place);
    if is_name {
        return place.to_string();
    }
    match published::published(place) {
        Some(set) if !Path::new(place).exists() => set.name.to_string(),
        _ => std::path::absolute(place).map_or_else(
            |_| place.to_string(),
            |path| path.to_string_lossy().into_owned(),
        ),
    }
}

/// Returns the path of the list of corrected labels of the dataset at `place`; the file may not exist.
pub fn corrected_file(root: &Path, place: &str) -> PathBuf {
    file_of(&root.join(FOLDER), place)
}

/// Returns the path of the file of the dataset at `place` in a folder with one file per dataset.
fn file_of(folder: &Path, place: &str) -> PathBuf {
    let origin = origin(place);
    let name = Path::new(&origin).file_stem().unwrap_or_default();
    let tame = |c: char| if c.is_alphanumeric() { c } else { '-' };
    let name: String = name.to_string_lossy().chars().map(tame).take(40).collect();
    let print = hex(&Sha256::digest(&origin));
    folder.join(format!("{name}-{}.toml", &print[..12]))
}

/// Returns the corrected labels of the dataset at `place`; empty if nothing was corrected.
///
/// # Errors
/// Returns a Problem if the list exists but cannot be read.
pub fn corrected(root: &Path, place: &str) -> Result<Vec<Correction>> {
    let path = corrected_file(root, place);
    match path.exists() {
        true => read_corrected(&path),
        false => Ok(Vec::new()),
    }
}

/// Reads a list of corrected labels.
///
/// # Errors
/// Returns a Problem if the file does not exist, is not a list, or has invalid entries.
pub fn read_corrected(path: &Path) -> Result<Vec<Correction>> {
    let text = files::read_text(path, files::TEXT).map_err(|error| {
        let problem = Problem::io("read the corrected labels", path, &error);
        match error.kind() {
            ErrorKind::NotFound => problem.advise(message!("advice-give-list-or-none")),
            _ => problem,
        }
    })?;
    let written: Written = toml::from_str(&text).map_err(|error| {
        Problem::new(message!(
            "problem-no-list-of-corrections",
            message = error.message()
        ))
        .at_path(path)
        .advise(message!("advice-correct-or-move-list"))
    })?;
    check_corrected(&written.corrected).map_err(|problem| problem.at_path(path))?;
    Ok(written.corrected)
}

/// Changes the label of one image in the list of a dataset; removes the entry if the image is back in its original
/// class. Returns the new list.
///
/// # Errors
/// Returns a Problem if the list cannot be read or written.
pub fn correct_label(root: &Path, place: &str, change: Correction) -> Result<Vec<Correction>> {
    let _held = alone(root)?;
    let mut list = corrected(root, place)?;
    let before = list.iter().position(|known| known.is_about(&change));
    // The original class is kept when a label is corrected again.
    let was = before.map_or(&change.was, |at| &list[at].was).clone();
    let back = change.class.as_ref() == Some(&was);
    let change = Correction { was, ..change };
    match (before, back) {
        (Some(at), true) => drop(list.remove(at)),
        (Some(at), false) => list[at] = change,
        (None, true) => {}
        (None, false) => list.push(change),
    }
    save(root, place, &list)?;
    Ok(list)
}

/// Keeps other programs and threads from changing lists; otherwise, one of two simultaneous changes would be lost. A
/// poisoned mutex is used anyway, because a panic cannot leave a list half written.
fn alone(root: &Path) -> Result<(MutexGuard<'static, ()>, Lock)> {
    let one = ONE.lock().unwrap_or_else(PoisonError::into_inner);
    let folder = root.join(FOLDER);
    std::fs::create_dir_all(&folder)
        .map_err(|error| Problem::io("create the folder of corrected labels", &folder, &error))?;
    let path = folder.join(LOCK_FILE);
    let held = files::lock_own(&path, PATIENCE)
        .map_err(|error| Problem::io("change the corrected labels", &path, &error))?;
    let held = held.ok_or_else(|| {
        Problem::new(message!("problem-corrected-labels-locked"))
            .at_path(&folder)
            .advise(message!("advice-retry-when-finished"))
    })?;
    sweep(&folder);
    Ok((one, held))
}

fn save(root: &Path, place: &str, list: &[Correction]) -> Result<()> {
    check_corrected(list)?;
    let path = corrected_file(root, place);
    let written = Written {
        data: origin(place),
        corrected: list.to_vec(),
    };
    let text = toml::to_string_pretty(&written)
        .map_err(|error| Problem::with_error("problem-corrected-labels-unwritten", &error))?;
    write_file(&path, format!("{PREFACE}{text}").as_bytes()).map(drop)
}

/// Returns whether the classes of the dataset at `place` are learned all at once; `None` if the user has not answered.
///
/// # Errors
/// Returns a Problem if the file exists but cannot be read.
pub fn all_at_once(root: &Path, place: &str) -> Result<Option<bool>> {
    let path = file_of(&root.join(STAGES), place);
    if !path.exists() {
        return Ok(None);
    }
    let text = files::read_text(&path, files::TEXT)
        .map_err(|error| Problem::io("read how classes are learned", &path, &error))?;
    let answer: Answer = toml::from_str(&text).map_err(|error| {
        Problem::new(message!(
            "problem-arrival-file-invalid",
            message = error.message()
        ))
        .at_path(&path)
        .advise(message!("advice-move-file-and-answer"))
    })?;
    Ok(Some(answer.all_at_once))
}

/// Saves the answer for the dataset at `place`.
///
/// # Errors
/// Returns a Problem if it cannot be written.
pub fn save_all_at_once(root: &Path, place: &str, all_at_once: bool) -> Result<()> {
    let folder = root.join(STAGES);
    std::fs::create_dir_all(&folder)
        .map_err(|error| Problem::io("create the folder of these answers", &folder, &error))?;
    let answer = Answer {
        data: origin(place),
        all_at_once,
    };
    let text = toml::to_string_pretty(&answer)
        .map_err(|error| Problem::with_error("problem-answer-unwritten", &error))?;
    write_file(&file_of(&folder, place), text.as_bytes()).map(drop)
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
    fn labels_are_corrected_changed_and_taken_back_for_one_data_set_alone() {
        let change = correct_cat;
        let root = tempfile::tempdir().unwrap();
        let correction = |change| correct_label(root.path(), "digits", change).unwrap();
        assert_eq!(corrected(root.path(), "digits").unwrap(), []);
        assert_eq!(correction(change("a.png", Some("dog"))).len(), 1);
        assert_eq!(correction(change("b.png", None)).len(), 2);
        let again = Correction {
            was: "dog".into(),
            ..change("a.png", Some("cow"))
        };
        let list = correction(again);
        assert_eq!((list.len(), list[0].was.as_str()), (2, "cat"));
        assert_eq!(corrected(root.path(), "digits").unwrap(), list);
        assert_eq!(corrected(root.path(), "letters").unwrap(), []);
        assert_eq!(correction(change("a.png", Some("cat"))).len(), 1);
        assert_eq!(correction(change("b.png", Some("cat"))), []);
        let text = std::fs::read_to_string(corrected_file(root.path(), "digits")).unwrap();
        assert!(text.contains("digits"), "{text}");
    }

    #[test]
    fn a_change_waits_for_another_programs_and_none_is_lost() {
        let change = correct_cat;
        let root = tempfile::tempdir().unwrap();
        let folder = root.path().join(FOLDER);
        std::fs::create_dir(&folder).unwrap();
        // Another program is changing the list: it has read it and then writes it with one more entry.
        let other = files::lock_own(&folder.join(LOCK_FILE), PATIENCE).unwrap();
        let place = root.path().to_path_buf();
        let waiting = std::thread::spawn(move || {
            correct_label(&place, "digits", change("mine.png", Some("dog"))).unwrap()
        });
        std::thread::sleep(Duration::from_millis(100));
        assert!(!waiting.is_finished());
        save(root.path(), "digits", &[change("other.png", None)]).unwrap();
        drop(other);
        assert_eq!(waiting.join().unwrap().len(), 2);
        assert_eq!(corrected(root.path(), "digits").unwrap().len(), 2);
    }

    #[test]
    fn a_list_that_is_none_is_told() {
        let root = tempfile::tempdir().unwrap();
        let path = root.path().join("list.toml");
        assert!(
            read_corrected(&path)
                .unwrap_err()
                .what
                .contains("corrected")
        );
        std::fs::write(&path, "[[mended]]\npicture = \"a\"\n").unwrap();
        let problem = read_corrected(&path).unwrap_err();
        assert!(problem.is("problem-no-list-of-corrections"), "{problem}");
    }

    #[test]
    fn an_answer_is_kept_for_its_data_set_alone_and_can_be_changed() {
        let root = tempfile::tempdir().unwrap();
        let of = |place: &str| all_at_once(root.path(), place).unwrap();
        assert_eq!(of("/birds"), None);
        save_all_at_once(root.path(), "/birds", true).unwrap();
        assert_eq!((of("/birds"), of("/other/birds")), (Some(true), None));
        save_all_at_once(root.path(), "/birds", false).unwrap();
        assert_eq!(of("/birds"), Some(false));
        let path = file_of(&root.path().join(STAGES), "/birds");
        std::fs::write(path, "?").unwrap();
        let problem = all_at_once(root.path(), "/birds").unwrap_err();
        assert!(problem.is("problem-arrival-file-invalid"), "{problem}");
    }
}
