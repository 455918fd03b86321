//! A marker file that exists while a window is open. At the next start it shows whether the window closed normally.
//!
//! The file is locked, so a second window cannot create a marker. A crash, a kill or a power cut leaves the content of
//! the file; closing the window clears it.

use std::fs::File;
use std::io::{self, Read, Seek, Write};
use std::path::Path;

use crate::files;

/// The content of the file while the window is open.
const OPEN: &str = "open";

/// The locked marker file of this window.
#[derive(Debug)]
pub struct Marker(File);

impl Marker {
    /// Creates the marker. Also returns whether the previous window left its marker. `None` if another window has the
    /// marker, or if the file cannot be written, because then it is unknown how the previous window ended.
    pub fn create(file: &Path) -> Option<(Self, bool)> {
        if let Some(folder) = file.parent() {
            std::fs::create_dir_all(folder).ok()?;
        }
        let mut marker = Self(files::open_program_file(file).ok()?);
        marker.0.try_lock().ok()?;
        let mut content = String::new();
        // Content that is not text does not count as a marker.
        let read = (&mut marker.0).take(files::NOTE).read_to_string(&mut content);
        let was_left = read.is_ok() && content == OPEN;
        marker.write(OPEN).ok()?;
        Some((marker, was_left))
    }

    /// Clears the marker, when the window closes normally.
    pub fn clear(mut self) {
        // If this fails, the next start asks the user an unnecessary question.
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
mod tests {
    use super::*;

    #[test]
    fn uncleared_marker_reports_a_crash() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("deep/window.open");
        let (first, was_left) = Marker::create(&file).unwrap();
        assert!(!was_left);
        // A second window cannot create a marker while the first is open.
        assert!(Marker::create(&file).is_none());
        // Simulates a crash: the lock is released but the content stays.
        drop(first);
        let (second, was_left) = Marker::create(&file).unwrap();
        assert!(was_left);
        second.clear();
        let (_third, was_left) = Marker::create(&file).unwrap();
        assert!(!was_left);
    }
}
