//! A marker file for an open window, which shows the next start whether the window closed normally.
//!
//! The file is locked: a second window finds it locked and creates none. A crash, a kill or a power cut leaves its
//! content; closing the window clears it.

use std::fs::File;
use std::io::{self, Read, Seek, Write};
use std::path::Path;

use crate::files;

/// Content of the file while the window is open.
const OPEN: &str = "open";

/// The marker of this window.
#[derive(Debug)]
pub struct Marker(File);

impl Marker {
    /// Creates the marker. Returns whether the previous window left its own; `None` while another window holds it, or
    /// if nothing can be written, because then this is unknown.
    pub fn set(file: &Path) -> Option<(Self, bool)> {
        if let Some(folder) = file.parent() {
            std::fs::create_dir_all(folder).ok()?;
        }
        let mut marker = Self(files::open_own(file).ok()?);
        marker.0.try_lock().ok()?;
        let mut before = String::new();
        // Content that is not text is no marker.
        let read = (&mut marker.0)
            .take(files::NOTE)
            .read_to_string(&mut before);
        let left = read.is_ok() && before == OPEN;
        marker.write(OPEN).ok()?;
        Some((marker, left))
    }

    /// Clears the marker when the window closes normally.
    pub fn wipe(mut self) {
        // If this fails, the next start asks one unnecessary question.
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
        // A second window learns nothing.
        assert!(Marker::set(&file).is_none());
        // As after a crash: the lock is gone, the marker is not.
        drop(first);
        let (second, left) = Marker::set(&file).unwrap();
        assert!(left);
        second.wipe();
        let (_third, left) = Marker::set(&file).unwrap();
        assert!(!left);
    }
}
