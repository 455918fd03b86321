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
pub(super) struct Folders {
    /// Whether the file system ignores case.
    blind: bool,
    /// Folders by path, in lower case if the file system ignores case.
    known: HashMap<OsString, PathBuf>,
}

impl Folders {
    /// Creates an empty set of folders.
    pub fn new(blind: bool) -> Self {
        Self {
            blind,
            ..Self::default()
        }
    }

    /// Returns the number of folders.
    pub fn len(&self) -> usize {
        self.known.len()
    }

    /// Adds the folders of this path; returns whether one of them collides with another folder because only the case
    /// differs.
    pub fn has_twin(&mut self, plain: &Path) -> bool {
        for folder in plain.ancestors().skip(1) {
            let key = match self.blind {
                true => folder.to_string_lossy().to_lowercase().into(),
                false => folder.as_os_str().to_owned(),
            };
            match self.known.entry(key) {
                // The folders above it are known, too.
                Entry::Occupied(first) if first.get() == folder => return false,
                Entry::Occupied(_) => return true,
                Entry::Vacant(place) => _ = place.insert(folder.to_owned()),
            }
        }
        false
    }
}

/// Returns the path without `.` components; `None` if it is empty, not relative, or could lead outside of the folder.
pub(super) fn plain_path(name: &Path) -> Option<PathBuf> {
    let mut plain = PathBuf::new();
    for part in name.components() {
        match part {
            Component::Normal(part) if is_plain(part) => plain.push(part),
            Component::CurDir => {}
            _ => return None,
        }
    }
    (!plain.as_os_str().is_empty()).then_some(plain)
}

/// Returns whether a name is safe: names with a drive, a stream, a backslash or a NUL are not, and on Windows, neither
/// are reserved device names.
fn is_plain(part: &OsStr) -> bool {
    let odd = |byte: &u8| matches!(byte, b':' | 0 | b'\\');
    let elsewhere = part.as_encoded_bytes().iter().any(odd);
    !(elsewhere || cfg!(windows) && is_reserved(&part.to_string_lossy()))
}

/// Returns whether the file system of this new folder ignores case.
pub(super) fn is_blind_to_case(folder: &Path) -> bool {
    let [small, large] = [".case", ".CASE"].map(|name| folder.join(name));
    let made = File::create_new(&small).is_ok();
    let blind = made && large.exists();
    if made {
        // If it cannot be removed, it stays as a hidden file.
        let _ = fs::remove_file(small);
    }
    blind
}

/// Returns whether a file could not be created because of its name: too long, in use, or the name of a folder.
pub(super) fn is_about_the_name(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::InvalidFilename
            | io::ErrorKind::AlreadyExists
            | io::ErrorKind::NotADirectory
            | io::ErrorKind::IsADirectory
    )
}
