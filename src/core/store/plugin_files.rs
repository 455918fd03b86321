//! A person's own plugin files: saved whole or not at all, with the texts they had before, and what is noted beside them.

use std::fs;
use std::path::{Path, PathBuf};

use super::write_file;
use crate::message;
use crate::pet::library::{built_in, read_text};
use crate::pet::notes::{Installed, NOTES_FILE, PluginNotes, UNREADABLE_NOTES};
use crate::problem::{Problem, Result};

/// The folder beside plugin files that keeps their earlier texts.
const EARLIER: &str = "earlier";
/// So many earlier texts of one file are kept.
const MOST_EARLIER: usize = 100;

/// A plugin's text that is to be saved.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PluginSave {
    /// The text.
    pub text: String,
    /// The plugin's name.
    pub name: String,
    /// The file that it is saved to again; none for a new one.
    pub file: Option<PathBuf>,
    /// The file that it was installed from.
    pub from: Option<PathBuf>,
    /// Whether it may take the place of a built-in plugin.
    pub allowed: bool,
}

/// A text that a plugin file had before.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EarlierText {
    /// When it was replaced: "2026-11-25 18:30:05".
    pub until: String,
    /// The text.
    pub text: String,
}

/// Saves a plugin in the folder of a person's own; gives its file. What the file held before is kept.
///
/// # Errors
/// A Problem for a name that is a built-in plugin's and was not allowed, or where the folder cannot be written; an older
/// file stays as it was.
pub fn save_plugin(folder: &Path, save: &PluginSave) -> Result<PathBuf> {
    if let (Some(name), false) = (built_in(&save.name), save.allowed) {
        let what = message!(
            "problem-there-is-built-in-plugin-and",
            name = name.to_string()
        );
        return Err(Problem::new(what).advise(message!("try-give-this-one-another-name-or")));
    }
    fs::create_dir_all(folder)
        .map_err(|error| Problem::io("make the folder of plugins", folder, &error))?;
    let file = match &save.file {
        Some(file) => file.clone(),
        None => free_file(folder, &save.name),
    };
    keep_earlier(&file, &save.text)?;
    write_file(&file, save.text.as_bytes())?;
    if save.allowed && built_in(&save.name).is_some() {
        allow_plugin(folder, &file)?;
    }
    if let (Some(from), Some(name)) = (&save.from, file.file_name()) {
        let installed = Installed {
            from: from.clone(),
            since: now("%Y-%m-%d %H:%M"),
        };
        let name = name.to_string_lossy().into_owned();
        change_notes(folder, |notes| {
            notes.installed.insert(name, installed);
        })?;
    }
    Ok(file)
}

/// Lets a plugin file take the place of the built-in one of its name from now on; noted in the folder of a person's own.
///
/// # Errors
/// A Problem where that folder cannot be written.
pub fn allow_plugin(folder: &Path, file: &Path) -> Result<()> {
    change_notes(folder, |notes| notes.allow(file))
}

/// The texts that a plugin file had before, the newest first.
pub fn earlier_texts(file: &Path) -> Vec<EarlierText> {
    let mut found: Vec<(String, PathBuf)> = kept(file);
    found.reverse();
    let read = |(until, path): (String, PathBuf)| {
        let text = read_text(&path).ok()?;
        let (day, time) = until.split_once('_')?;
        let until = format!("{day} {}", time.get(..8)?.replace('-', ":"));
        Some(EarlierText { until, text })
    };
    found.into_iter().filter_map(read).collect()
}

fn change_notes(folder: &Path, change: impl FnOnce(&mut PluginNotes)) -> Result<()> {
    fs::create_dir_all(folder)
        .map_err(|error| Problem::io("make the folder of plugins", folder, &error))?;
    let (file, aside) = (folder.join(NOTES_FILE), folder.join(UNREADABLE_NOTES));
    let mut notes = match PluginNotes::found(folder) {
        Some(notes) => notes,
        None => {
            fs::rename(&file, &aside)
                .map_err(|error| Problem::io("put the old notes aside", &file, &error))?;
            log::warn!(
                "the notes of plugins could not be read; they lie in {UNREADABLE_NOTES} now"
            );
            PluginNotes::default()
        }
    };
    change(&mut notes);
    let text = serde_json::to_string_pretty(&notes).map_err(|error| {
        Problem::new(message!(
            "problem-notes-cannot-be-written",
            error = error.to_string()
        ))
    })?;
    write_file(&file, text.as_bytes()).map(drop)
}

/// A file that does not exist yet, named after the plugin.
fn free_file(folder: &Path, name: &str) -> PathBuf {
    let letters = name.trim().chars().map(|letter| match letter {
        letter if letter.is_ascii_alphanumeric() => letter.to_ascii_lowercase(),
        _ => '-',
    });
    let letters: String = letters.collect();
    let letters = letters.trim_matches('-');
    let stem = if letters.is_empty() {
        "plugin"
    } else {
        letters
    };
    let mut file = folder.join(format!("{stem}.toml"));
    let mut number = 2;
    while file.exists() {
        file = folder.join(format!("{stem}-{number}.toml"));
        number += 1;
    }
    file
}

/// Keeps what a file holds now, where that is another text.
fn keep_earlier(file: &Path, text: &str) -> Result<()> {
    let Ok(before) = read_text(file) else {
        return Ok(());
    };
    let (Some(folder), Some(stem)) = (file.parent(), file.file_stem()) else {
        return Ok(());
    };
    if before == text {
        return Ok(());
    }
    let folder = folder.join(EARLIER);
    fs::create_dir_all(&folder)
        .map_err(|error| Problem::io("keep the earlier text", &folder, &error))?;
    let stem = stem.to_string_lossy();
    let time = now("%Y-%m-%d_%H-%M-%S-%3f");
    // Two within a millisecond are told apart by a number, in their order.
    let numbered = (1..).map(|number| format!("{time}-{number:04}"));
    let names = std::iter::once(time.clone()).chain(numbered);
    let mut paths = names.map(|name| folder.join(format!("{stem}.{name}.toml")));
    if let Some(path) = paths.find(|path| !path.exists()) {
        write_file(&path, before.as_bytes())?;
    }
    let known = kept(file);
    let surplus = known.len().saturating_sub(MOST_EARLIER);
    for (_, old) in known.into_iter().take(surplus) {
        // One that stays is one too many, no more.
        let _ = fs::remove_file(old);
    }
    Ok(())
}

/// The files of earlier texts with their times, the oldest first.
fn kept(file: &Path) -> Vec<(String, PathBuf)> {
    let (Some(folder), Some(stem)) = (file.parent(), file.file_stem()) else {
        return Vec::new();
    };
    let before = format!("{}.", stem.to_string_lossy());
    let entries = fs::read_dir(folder.join(EARLIER)).into_iter().flatten();
    let own = |entry: fs::DirEntry| {
        let name = entry.file_name().to_string_lossy().into_owned();
        let time = name.strip_prefix(&before)?.strip_suffix(".toml")?;
        // "a.b.toml" is another file than "a.toml".
        (!time.contains('.')).then_some(())?;
        Some((time.to_owned(), entry.path()))
    };
    let mut found: Vec<(String, PathBuf)> = entries.flatten().filter_map(own).collect();
    found.sort();
    found
}

fn now(format: &str) -> String {
    jiff::Zoned::now().strftime(format).to_string()
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn every_text_that_a_file_had_is_kept_however_quickly_they_follow() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("mine.toml");
        let save = |file: &Path, text: &str| {
            let save = PluginSave {
                text: text.into(),
                name: "Mine".into(),
                file: Some(file.to_path_buf()),
                ..PluginSave::default()
            };
            save_plugin(folder.path(), &save).unwrap()
        };
        let other = folder.path().join("mine.b.toml");
        save(&other, "old");
        save(&other, "new");
        for number in 0..30 {
            save(&file, &format!("text {number}"));
        }
        let kept: Vec<String> = earlier_texts(&file)
            .into_iter()
            .map(|old| old.text)
            .collect();
        let wanted: Vec<String> = (0..29)
            .rev()
            .map(|number| format!("text {number}"))
            .collect();
        assert_eq!(kept, wanted);
        assert_eq!(earlier_texts(&other).len(), 1);
    }

    #[test]
    fn notes_that_cannot_be_read_are_kept_beside_the_new_ones() {
        let folder = tempfile::tempdir().unwrap();
        let (old, aside) = (
            folder.path().join(NOTES_FILE),
            folder.path().join(UNREADABLE_NOTES),
        );
        fs::write(&old, "{\"allowed\": 7}").unwrap();
        let file = folder.path().join("mine.toml");
        allow_plugin(folder.path(), &file).unwrap();
        assert_eq!(fs::read_to_string(&aside).unwrap(), "{\"allowed\": 7}");
        assert!(PluginNotes::read(folder.path()).allows(&file));
        // Sound ones stay where they are.
        allow_plugin(folder.path(), &folder.path().join("other.toml")).unwrap();
        assert_eq!(fs::read_to_string(&aside).unwrap(), "{\"allowed\": 7}");
        assert!(PluginNotes::read(folder.path()).allows(&file));
    }
}
