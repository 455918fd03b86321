//! Name, tags and note of a run, in the file `about.toml` of its folder. The file does not affect how the run is read.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use super::ABOUT_FILE;
use super::record::{is_run, no_run_problem, run_folders, run_name};
use crate::files;
use crate::files::write::save_concurrently;
use crate::message;
use crate::problem::{Problem, Result};
use crate::run::annotations::Annotations;

/// Maximum size of the file in bytes: the longest name, tags and note with every character escaped.
const MAX_BYTES: u64 = 256 << 10;
/// First line of the file.
const PREFACE: &str = "# Name, tags and note of this run.\n";

/// Returns name, tags and note of the run in this folder, and a Problem if some of them cannot be read.
pub fn load_annotations(folder: &Path) -> (Annotations, Option<Problem>) {
    let path = folder.join(ABOUT_FILE);
    let text = match files::read_text(&path, MAX_BYTES) {
        Err(error) if error.kind() == ErrorKind::NotFound => return (Annotations::default(), None),
        other => other,
    };
    let read = text.map_err(|error| error.to_string()).and_then(|text| {
        let table: std::result::Result<toml::Table, _> = toml::from_str(&text);
        table.map_err(|error| error.message().to_string())
    });
    let (about, wrong) = match read {
        Ok(table) => parse_annotations(table),
        Err(error) => (Annotations::default(), Some(error)),
    };
    let remark = wrong.map(|wrong| {
        Problem::new(message!("problem-run-note-unreadable", wrong))
            .at_path(&path)
            .advise(message!("advice-enter-note-again"))
    });
    (about.truncated(), remark)
}

/// Returns the readable parts of the file, and what is wrong with another part.
fn parse_annotations(mut table: toml::Table) -> (Annotations, Option<String>) {
    let mut wrong = None;
    table.retain(|key, value| {
        let is_valid = match key {
            "name" | "note" | "place" | "there" => value.is_str(),
            "tags" => value.is_array(),
            // A newer version may write more keys.
            _ => true,
        };
        if !is_valid {
            wrong = Some(format!("its {key} is not a string"));
        }
        is_valid
    });
    if let Some(toml::Value::Array(tags)) = table.get_mut("tags") {
        tags.retain(toml::Value::is_str);
    }
    (table.try_into().unwrap_or_default(), wrong)
}

/// Saves name, note and tags of the run in this folder, and returns them as they are saved.
///
/// # Errors
/// Returns a Problem if a text is too long, if the folder is not a run, or if it cannot be written.
pub fn set_annotations(folder: &Path, about: &Annotations) -> Result<Annotations> {
    let mut about = about.validate()?;
    if about.place.is_empty() {
        // The user does not enter where the run was trained, so the saved place is kept.
        let saved = load_annotations(folder).0;
        (about.place, about.remote_name) = (saved.place, saved.remote_name);
    }
    if !is_run(folder) {
        return Err(no_run_problem(folder));
    }
    save_annotations(folder, &about)?;
    Ok(about)
}

/// Returns the name that the run in this folder has at the remote place where it was trained.
pub fn remote_name(folder: &Path, machine: &str) -> String {
    let about = load_annotations(folder).0;
    let local_name = run_name(folder);
    match about.remote_name.as_str() {
        // Older versions did not record the name.
        "" => local_name.strip_suffix(&format!("-{machine}")).unwrap_or(&local_name).to_string(),
        name => name.to_string(),
    }
}

/// Returns the local folder of the run that has the name `run` at the remote place: its present folder, possibly
/// renamed, or the folder to create for it.
pub fn local_folder(root: &Path, machine: &str, run: &str) -> PathBuf {
    let is_match = |folder: &PathBuf| {
        load_annotations(folder).0.place == machine && remote_name(folder, machine) == run
    };
    let default_folder = root.join(run);
    if is_match(&default_folder) {
        return default_folder;
    }
    if let Some(renamed) = run_folders(root).into_iter().find(is_match) {
        return renamed;
    }
    // The folder of another run is not used.
    let numbered = (2u32..).map(|number| format!("{run}-{machine}-{number}"));
    let names = std::iter::once(format!("{run}-{machine}")).chain(numbered);
    let mut folders =
        std::iter::once(default_folder.clone()).chain(names.map(|name| root.join(name)));
    folders.find(|folder| !is_run(folder)).unwrap_or(default_folder)
}

/// Records that the run in this folder is resumed locally and is no longer the copy of a remote run.
///
/// # Errors
/// Returns a Problem if its folder cannot be written.
pub fn detach_from_remote(folder: &Path) -> Result<()> {
    let about = load_annotations(folder).0;
    match about.place.is_empty() {
        true => Ok(()),
        false => save_annotations(
            folder,
            &Annotations { place: String::new(), remote_name: String::new(), ..about },
        ),
    }
}

fn save_annotations(folder: &Path, about: &Annotations) -> Result<()> {
    let path = folder.join(ABOUT_FILE);
    if about.is_empty() {
        return match std::fs::remove_file(&path) {
            Err(error) if error.kind() != ErrorKind::NotFound => {
                Err(Problem::io("remove the run's name", &path, &error))
            }
            _ => Ok(()),
        };
    }
    let text = toml::to_string(about)
        .map_err(|error| Problem::with_error("problem-not-written", &error))?;
    // The run's lock is not needed, because a run can be renamed while it is in use.
    save_concurrently(&path, format!("{PREFACE}{text}").as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::RUN_FILE;

    fn run() -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join(RUN_FILE), "").unwrap();
        folder
    }

    fn sample() -> Annotations {
        Annotations {
            name: "First = \"try\"".into(),
            tags: vec!["thesis".into(), "猫".into()],
            note: "two\nlines".into(),
            ..Annotations::default()
        }
    }

    #[test]
    fn annotations_are_saved_and_removed_when_empty() {
        let run = run();
        assert_eq!(load_annotations(run.path()), (Annotations::default(), None));
        assert_eq!(set_annotations(run.path(), &sample()).unwrap(), sample());
        assert_eq!(load_annotations(run.path()), (sample(), None));
        set_annotations(run.path(), &Annotations::default()).unwrap();
        set_annotations(run.path(), &Annotations::default()).unwrap();
        assert_eq!(std::fs::read_dir(run.path()).unwrap().count(), 1);
        let none = tempfile::tempdir().unwrap();
        assert!(set_annotations(none.path(), &sample()).is_err());
    }

    #[test]
    fn damaged_files_lose_only_the_damaged_parts() {
        let run = run();
        let write = |text: &[u8]| std::fs::write(run.path().join(ABOUT_FILE), text).unwrap();
        write(b"name = \"kept\"\ntags = 7\nlater = true\n");
        let (loaded, remark) = load_annotations(run.path());
        assert_eq!(loaded.name, "kept");
        let remark = remark.unwrap();
        assert!(remark.is("problem-run-note-unreadable"), "{remark}");
        assert!(remark.what.contains("its tags"), "{remark}");
        for text in [&b"name = "[..], b"\xff\xfe", &vec![b'#'; MAX_BYTES as usize + 1]] {
            write(text);
            let (none, remark) = load_annotations(run.path());
            assert!(none.is_empty());
            assert!(remark.unwrap().is("problem-run-note-unreadable"));
        }
        // A damaged file can be replaced.
        set_annotations(run.path(), &sample()).unwrap();
        assert_eq!(load_annotations(run.path()), (sample(), None));
    }

    #[test]
    fn foreign_text_is_truncated_and_escaped() {
        let run = run();
        let name = format!("\\u001b{}", "x".repeat(500));
        let text = format!("name = \"{name}\"\n");
        std::fs::write(run.path().join(ABOUT_FILE), text).unwrap();
        let (read, remark) = load_annotations(run.path());
        assert!(read.name.starts_with("\\u{1b}xx") && remark.is_none());
        assert!(read.validate().is_ok());
    }

    #[cfg(unix)]
    #[test]
    fn links_are_not_followed() {
        let (run, other) = (run(), tempfile::tempdir().unwrap());
        let target = other.path().join("precious");
        std::fs::write(&target, "mine").unwrap();
        std::os::unix::fs::symlink(&target, run.path().join(ABOUT_FILE)).unwrap();
        set_annotations(run.path(), &sample()).unwrap();
        assert_eq!(std::fs::read_to_string(&target).unwrap(), "mine");
        assert_eq!(load_annotations(run.path()).0, sample());
    }
}
