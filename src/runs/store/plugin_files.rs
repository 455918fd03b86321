//! A user's plugin files: written completely or not at all, with notes stored next to them.

use std::fs;
use std::path::{Path, PathBuf};

use super::trash::unused_path;
use super::write_file;
use crate::message;
use crate::pet::library::built_in;
use crate::pet::notes::{Installed, NOTES_FILE, PluginNotes, UNREADABLE_NOTES};
use crate::problem::{Problem, Result};

/// A plugin to be saved.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PluginSave {
    /// The text.
    pub text: String,
    /// The plugin's name.
    pub name: String,
    /// The file to overwrite; `None` for a new file.
    pub file: Option<PathBuf>,
    /// The file from which it was installed.
    pub source: Option<PathBuf>,
    /// Whether it may replace a built-in plugin of the same name.
    pub allow_replace: bool,
}

/// Saves a plugin in the user's plugin folder and returns its file.
///
/// # Errors
/// Returns a Problem if its name is that of a built-in plugin and replacing is not allowed, or if the folder cannot be
/// written; an existing file is then unchanged.
pub fn save_plugin(folder: &Path, save: &PluginSave) -> Result<PathBuf> {
    if let (Some(name), false) = (built_in(&save.name), save.allow_replace) {
        let what = message!("problem-built-in-plugin-name", name);
        return Err(Problem::new(what).advise(message!("advice-rename-or-replace-plugin")));
    }
    fs::create_dir_all(folder)
        .map_err(|error| Problem::io("create the folder of plugins", folder, &error))?;
    let file = match &save.file {
        Some(file) => file.clone(),
        None => new_plugin_path(folder, &save.name),
    };
    write_file(&file, save.text.as_bytes())?;
    if save.allow_replace && built_in(&save.name).is_some() {
        allow_plugin(folder, &file)?;
    }
    if let (Some(source), Some(name)) = (&save.source, file.file_name()) {
        let since = jiff::Zoned::now().strftime("%Y-%m-%d %H:%M").to_string();
        let installed = Installed { from: source.clone(), since };
        let name = name.to_string_lossy().into_owned();
        update_notes(folder, |notes| {
            notes.installed.insert(name, installed);
        })?;
    }
    Ok(file)
}

/// Allows a plugin file to replace the built-in plugin of the same name. This is recorded in the user's plugin folder.
///
/// # Errors
/// Returns a Problem if that folder cannot be written.
pub fn allow_plugin(folder: &Path, file: &Path) -> Result<()> {
    update_notes(folder, |notes| notes.allow(file))
}

fn update_notes(folder: &Path, change: impl FnOnce(&mut PluginNotes)) -> Result<()> {
    fs::create_dir_all(folder)
        .map_err(|error| Problem::io("create the folder of plugins", folder, &error))?;
    let (file, backup) = (folder.join(NOTES_FILE), folder.join(UNREADABLE_NOTES));
    let mut notes = match PluginNotes::try_read(folder) {
        Some(notes) => notes,
        None => {
            fs::rename(&file, &backup)
                .map_err(|error| Problem::io("move the old notes aside", &file, &error))?;
            log::warn!("the plugin notes could not be read; they were moved to {UNREADABLE_NOTES}");
            PluginNotes::default()
        }
    };
    change(&mut notes);
    let text = serde_json::to_string_pretty(&notes)
        .map_err(|error| Problem::with_error("problem-notes-unwritten", &error))?;
    write_file(&file, text.as_bytes()).map(drop)
}

/// Returns the path of a new file named after the plugin.
fn new_plugin_path(folder: &Path, name: &str) -> PathBuf {
    let slug = name.trim().chars().map(|letter| match letter {
        letter if letter.is_ascii_alphanumeric() => letter.to_ascii_lowercase(),
        _ => '-',
    });
    let slug: String = slug.collect();
    let slug = slug.trim_matches('-');
    let stem = if slug.is_empty() { "plugin" } else { slug };
    unused_path(folder, stem, ".toml")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unreadable_notes_are_backed_up() {
        let folder = tempfile::tempdir().unwrap();
        let (old, backup) = (folder.path().join(NOTES_FILE), folder.path().join(UNREADABLE_NOTES));
        fs::write(&old, "{\"allowed\": 7}").unwrap();
        let file = folder.path().join("mine.toml");
        allow_plugin(folder.path(), &file).unwrap();
        assert_eq!(fs::read_to_string(&backup).unwrap(), "{\"allowed\": 7}");
        assert!(PluginNotes::read(folder.path()).allows(&file));
        // Readable notes stay in place.
        allow_plugin(folder.path(), &folder.path().join("other.toml")).unwrap();
        assert_eq!(fs::read_to_string(&backup).unwrap(), "{\"allowed\": 7}");
        assert!(PluginNotes::read(folder.path()).allows(&file));
    }
}
