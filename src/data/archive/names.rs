//! Which names of an archive's entries become files, and which are one file here although they are two there.

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
    /// Whether names that differ in capitals alone are one file here.
    blind: bool,
    /// By their paths; in small letters where names are blind to capitals.
    known: HashMap<OsString, PathBuf>,
}

impl Folders {
    /// None yet.
    pub fn new(blind: bool) -> Self {
        Self {
            blind,
            ..Self::default()
        }
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.known.len()
    }

    /// Notes the folders of this path; whether one of them would be another one's here.
    pub fn has_twin(&mut self, plain: &Path) -> bool {
        for folder in plain.ancestors().skip(1) {
            let key = match self.blind {
                true => folder.to_string_lossy().to_lowercase().into(),
                false => folder.as_os_str().to_owned(),
            };
            match self.known.entry(key) {
                // So are those above it.
                Entry::Occupied(first) if first.get() == folder => return false,
                Entry::Occupied(_) => return true,
                Entry::Vacant(place) => _ = place.insert(folder.to_owned()),
            }
        }
        false
    }
}

/// A relative path of plain names only; `None` for anything that could lead elsewhere.
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

/// Names that mean a drive or a stream on Windows, or hold a NUL, are not plain; on Windows itself
/// neither are those that mean a device there.
fn is_plain(part: &OsStr) -> bool {
    let odd = |byte: &u8| matches!(byte, b':' | 0 | b'\\');
    let elsewhere = part.as_encoded_bytes().iter().any(odd);
    !(elsewhere || cfg!(windows) && is_reserved(&part.to_string_lossy()))
}

/// Whether names that differ in capitals alone are one file in this folder.
pub(super) fn is_blind_to_case(folder: &Path) -> bool {
    let [small, large] = [".case", ".CASE"].map(|name| folder.join(name));
    let made = File::create_new(&small).is_ok();
    let blind = made && large.exists();
    if made {
        // The folder is new; what stays of it is hidden.
        let _ = fs::remove_file(small);
    }
    blind
}

/// Whether a file could not be made because of its name: too long, or one that is a folder's.
pub(super) fn is_about_the_name(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::InvalidFilename
            | io::ErrorKind::AlreadyExists
            | io::ErrorKind::NotADirectory
            | io::ErrorKind::IsADirectory
    )
}
