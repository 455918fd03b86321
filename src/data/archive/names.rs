//! Checks which names of archive entries may become files, and which of them collide on a file system that ignores
//! case.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::io;
use std::path::{Component, Path, PathBuf};

use crate::files::names::is_reserved;

/// The folders unpacked from an archive so far.
#[derive(Default)]
pub(super) struct FolderSet {
    /// Whether the file system ignores case.
    ignores_case: bool,
    /// Folders by path, in lower case if the file system ignores case.
    paths: HashMap<OsString, PathBuf>,
}

impl FolderSet {
    /// Creates an empty set of folders.
    pub fn new(ignores_case: bool) -> Self {
        Self { ignores_case, ..Self::default() }
    }

    /// Returns the number of folders.
    pub fn len(&self) -> usize {
        self.paths.len()
    }

    /// Adds the folders of this path; returns whether one of them collides with another folder because only the case
    /// differs.
    pub fn insert_and_check_collision(&mut self, path: &Path) -> bool {
        for folder in path.ancestors().skip(1) {
            let key = match self.ignores_case {
                true => folder.to_string_lossy().to_lowercase().into(),
                false => folder.as_os_str().to_owned(),
            };
            match self.paths.entry(key) {
                // The folders above it are known, too.
                Entry::Occupied(first) if first.get() == folder => return false,
                Entry::Occupied(_) => return true,
                Entry::Vacant(entry) => _ = entry.insert(folder.to_owned()),
            }
        }
        false
    }
}

/// Returns the path without `.` components; `None` if it is empty, not relative, or leads outside of the folder. Not
/// every name in it is valid; see [`is_valid_name`].
pub(super) fn sanitized_path(name: &Path) -> Option<PathBuf> {
    let mut path = PathBuf::new();
    for part in name.components() {
        match part {
            Component::Normal(part) => path.push(part),
            Component::CurDir => {}
            _ => return None,
        }
    }
    (!path.as_os_str().is_empty()).then_some(path)
}

/// Returns whether this system can have a file of this name. No system accepts a NUL. On Windows, a colon would write a
/// stream of another file, and device names are reserved; elsewhere, colons and backslashes are usual characters.
pub(super) fn is_valid_name(name: &OsStr) -> bool {
    let bytes = name.as_encoded_bytes();
    let is_reserved_here = || bytes.contains(&b':') || is_reserved(&name.to_string_lossy());
    !(bytes.contains(&0) || cfg!(windows) && is_reserved_here())
}

/// Returns whether the file system of this new folder ignores case.
pub(super) fn is_case_insensitive(folder: &Path) -> bool {
    let [lower, upper] = [".case", ".CASE"].map(|name| folder.join(name));
    let created = File::create_new(&lower).is_ok();
    let ignores_case = created && upper.exists();
    if created {
        // If it cannot be removed, it stays as a hidden file.
        let _ = fs::remove_file(lower);
    }
    ignores_case
}

/// Returns whether a file could not be created because of its name: too long, in use, or the name of a folder.
pub(super) fn is_name_error(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::InvalidFilename
            | io::ErrorKind::AlreadyExists
            | io::ErrorKind::NotADirectory
            | io::ErrorKind::IsADirectory
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rejects_paths_outside_the_folder_and_invalid_names() {
        for name in ["", ".", "..", "/a.png", "a/../b.png", "../a.png"] {
            assert_eq!(sanitized_path(Path::new(name)), None, "{name}");
        }
        assert_eq!(sanitized_path(Path::new("./a/./b.png")), Some(PathBuf::from("a/b.png")));
        assert!(is_valid_name(OsStr::new("größte Katze.png")));
        assert!(!is_valid_name(OsStr::new("a\0b.png")));
        for name in ["2024-05-01T12:30:01.jpg", "con.png"] {
            assert_eq!(is_valid_name(OsStr::new(name)), !cfg!(windows), "{name}");
        }
    }
}
