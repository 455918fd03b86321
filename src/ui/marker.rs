//! A mark on disk that a window is open, so that the next start knows whether it ended well.
//!
//! The mark is held under a lock: a second window beside the first finds it taken and makes none.
//! A crash, a kill or a power cut leaves it; closing the window wipes it.

use std::fs::File;
use std::io::{self, Read, Seek, Write};
use std::path::Path;

use crate::files;

/// What stands in the file while the window is open.
const OPEN: &str = "open";

/// The mark of this window.
#[derive(Debug)]
pub struct Marker(File);

impl Marker {
    /// Marks in this file that a window is open; says whether the one before it left its mark.
    /// None while another window holds it, or where nothing can be written: then nothing is known.
    pub fn set(file: &Path) -> Option<(Self, bool)> {
        if let Some(folder) = file.parent() {
            std::fs::create_dir_all(folder).ok()?;
        }
        let mut marker = Self(files::open_own(file).ok()?);
        marker.0.try_lock().ok()?;
        let mut before = String::new();
        // Something else than text is no mark.
        let read = (&mut marker.0)
            .take(files::NOTE)
            .read_to_string(&mut before);
        let left = read.is_ok() && before == OPEN;
        marker.write(OPEN).ok()?;
        Some((marker, left))
    }

    /// Wipes the mark: the window ends well.
    pub fn wipe(mut self) {
        // What cannot be wiped costs the person one question at the next start.
        let _ = self.write("");
    }

    fn write(&mut self, text: &str) -> io::Result<()> {
        self.0.set_len(0)?;
        self.0.rewind()?;
        self.0.write_all(text.as_bytes())?;
        self.0.sync_all()
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn a_mark_that_was_not_wiped_tells_of_a_crash() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("deep/window.open");
        let (first, left) = Marker::set(&file).unwrap();
        assert!(!left);
        // A second window beside the first knows nothing.
        assert!(Marker::set(&file).is_none());
        // As after a crash: the lock is gone, the mark is not.
        drop(first);
        let (second, left) = Marker::set(&file).unwrap();
        assert!(left);
        second.wipe();
        let (_third, left) = Marker::set(&file).unwrap();
        assert!(!left);
    }
}
