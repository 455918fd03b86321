//! Notes next to the user's own plugin files: which of them may take the place of a built-in one, and where those
//! come from that were installed.

use std::collections::BTreeMap;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::files;

/// The file in the folder of the user's plugins.
pub const NOTES_FILE: &str = "notes.json";
/// What it is called once it cannot be read and new notes are made.
pub const UNREADABLE_NOTES: &str = "notes.unreadable.json";

/// What is noted.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct PluginNotes {
    /// Files that may take the place of a built-in plugin, by their whole paths.
    pub allowed: Vec<PathBuf>,
    /// Where files come from, by their names in the folder.
    pub installed: BTreeMap<String, Installed>,
}

/// Where an installed plugin comes from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Installed {
    /// The file it was.
    pub from: PathBuf,
    /// When it was installed: "2026-11-25 18:30".
    pub since: String,
}

impl PluginNotes {
    /// The notes in this folder; empty if they cannot be read, which allows nothing.
    pub fn read(folder: &Path) -> Self {
        Self::found(folder).unwrap_or_default()
    }

    /// The same, with empty notes if there is no file; `None` if the file cannot be read.
    pub fn found(folder: &Path) -> Option<Self> {
        match files::read_text(&folder.join(NOTES_FILE), files::TEXT) {
            Ok(text) => serde_json::from_str(&text).ok(),
            Err(error) => (error.kind() == ErrorKind::NotFound).then(Self::default),
        }
    }

    /// Whether this file may take the place of a built-in plugin.
    pub fn allows(&self, path: &Path) -> bool {
        self.allowed.contains(&whole(path))
    }

    /// Allows it.
    pub fn allow(&mut self, path: &Path) {
        let path = whole(path);
        if !self.allowed.contains(&path) {
            self.allowed.push(path);
        }
    }
}

/// A path as it is noted.
fn whole(path: &Path) -> PathBuf {
    let found = dunce::canonicalize(path).or_else(|_| std::path::absolute(path));
    found.unwrap_or_else(|_| path.to_path_buf())
}
