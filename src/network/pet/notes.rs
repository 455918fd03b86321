//! Notes stored next to the user's plugin files: which of them may replace a built-in plugin, and where installed
//! ones come from.

use std::collections::BTreeMap;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::files;

/// File name of the notes in the folder of the user's plugins.
pub const NOTES_FILE: &str = "notes.json";
/// New name of a notes file that cannot be read, when new notes are written.
pub const UNREADABLE_NOTES: &str = "notes.unreadable.json";

/// The notes of a plugin folder.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct PluginNotes {
    /// Full paths of the files that may replace a built-in plugin.
    pub allowed: Vec<PathBuf>,
    /// The origin of installed files, by file name.
    pub installed: BTreeMap<String, Installed>,
}

/// The origin of an installed plugin.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Installed {
    /// The file it was copied from.
    pub from: PathBuf,
    /// Time of installation: "2026-11-25 18:30".
    pub since: String,
}

impl PluginNotes {
    /// Reads the notes of this folder; empty (nothing is allowed) if they cannot be read.
    pub fn read(folder: &Path) -> Self {
        Self::try_read(folder).unwrap_or_default()
    }

    /// Reads the notes of this folder; empty if there is no file, `None` if the file cannot be read.
    pub fn try_read(folder: &Path) -> Option<Self> {
        match files::read_text(&folder.join(NOTES_FILE), files::TEXT) {
            Ok(text) => serde_json::from_str(&text).ok(),
            Err(error) => (error.kind() == ErrorKind::NotFound).then(Self::default),
        }
    }

    /// Returns whether this file may replace a built-in plugin.
    pub fn allows(&self, path: &Path) -> bool {
        self.allowed.contains(&canonical_path(path))
    }

    /// Allows this file to replace a built-in plugin.
    pub fn allow(&mut self, path: &Path) {
        let path = canonical_path(path);
        if !self.allowed.contains(&path) {
            self.allowed.push(path);
        }
    }
}

/// Returns the canonical path, or the absolute one if the file does not exist.
fn canonical_path(path: &Path) -> PathBuf {
    let resolved = dunce::canonicalize(path).or_else(|_| std::path::absolute(path));
    resolved.unwrap_or_else(|_| path.to_path_buf())
}
