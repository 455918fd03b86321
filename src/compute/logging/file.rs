//! The files of the log: `lae-studio.log` and numbered older ones. Their number and size are limited.
//!
//! Each write opens the file again, because several programs may write to the same log and rename its files.

use std::io::{self, Write};
use std::path::PathBuf;

use super::Level;
use crate::files;
use crate::problem::escape_for_terminal;

/// Size in bytes after which a new file is started.
const MAX_FILE_BYTES: u64 = 1 << 20;
/// Number of files, including the current one.
const MAX_FILES: usize = 5;
/// Largest length of a line in bytes; the rest is cut off.
const MAX_LINE_BYTES: usize = 4000;

/// The files of a log.
#[derive(Debug)]
pub struct LogFiles {
    folder: PathBuf,
    max_bytes: u64,
}

impl LogFiles {
    /// Creates the log in this folder.
    pub fn new(folder: PathBuf) -> Self {
        Self { folder, max_bytes: MAX_FILE_BYTES }
    }

    /// Returns all existing files, the newest first.
    pub fn existing(&self) -> Vec<PathBuf> {
        let paths = (0..MAX_FILES).map(|number| self.path(number));
        paths.filter(|path| files::length(path).is_ok()).collect()
    }

    fn path(&self, number: usize) -> PathBuf {
        self.folder.join(match number {
            0 => "lae-studio.log".to_string(),
            number => format!("lae-studio.{number}.log"),
        })
    }

    /// Appends lines, to a new file if the current one is full.
    ///
    /// # Errors
    /// Returns an error if the folder cannot be created, or the file cannot be written or is not a regular file.
    pub(super) fn append(&mut self, lines: &str) -> io::Result<()> {
        let path = self.path(0);
        let length = files::length(&path).unwrap_or(0);
        if length >= self.max_bytes {
            self.rotate()?;
            // If the files cannot be renamed (on Windows, while another program has one open), the current file may
            // grow to twice the size.
            if files::length(&path).is_ok_and(|length| length >= 2 * self.max_bytes) {
                return Ok(());
            }
        }
        std::fs::create_dir_all(&self.folder)?;
        files::open_to_append(&path)?.write_all(lines.as_bytes())
    }

    /// Renames every file to the next number; the last one is overwritten.
    fn rotate(&self) -> io::Result<()> {
        let lock = files::open_program_file(&self.folder.join("lock"))?;
        if lock.try_lock().is_err() {
            return Ok(()); // Another program is renaming the files.
        }
        // Another program may have renamed the files just before.
        if files::length(&self.path(0)).is_ok_and(|length| length >= self.max_bytes) {
            for number in (1..MAX_FILES).rev() {
                let (from, to) = (self.path(number - 1), self.path(number));
                if from.exists() {
                    let _ = std::fs::rename(from, to);
                }
            }
        }
        Ok(())
    }
}

/// Returns a line of the log: time, level, source, text.
pub(super) fn format_line(level: Level, source: &str, text: &str) -> String {
    let time = jiff::Zoned::now().strftime("%Y-%m-%d %H:%M:%S%.3f%:z");
    let level_name = match level {
        Level::Off | Level::Error => "ERROR",
        Level::Warn => "WARN ",
        Level::Info => "INFO ",
        Level::Debug => "DEBUG",
    };
    let text = escape_for_terminal(text.trim()).replace(['\n', '\t'], " ");
    let cut = text.char_indices().map(|(at, _)| at).find(|at| *at >= MAX_LINE_BYTES);
    let text = cut.map_or(text.as_str(), |at| &text[..at]);
    format!("{time} {level_name} {source}: {text}\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn log_rotation_bounds_file_count_and_size() {
        let folder = tempfile::tempdir().unwrap();
        let mut log_files = LogFiles { folder: folder.path().join("log"), max_bytes: 100 };
        let line = format!("{}\n", "x".repeat(49));
        for _ in 0..40 {
            log_files.append(&line).unwrap();
        }
        let paths = log_files.existing();
        assert_eq!(paths.len(), MAX_FILES);
        for path in &paths {
            assert!(std::fs::metadata(path).unwrap().len() <= 150, "{path:?}");
        }
        // While another program holds the lock, the file may grow to twice the size.
        let lock = files::open_program_file(&folder.path().join("log/lock")).unwrap();
        lock.try_lock().unwrap();
        (0..40).for_each(|_| log_files.append(&line).unwrap());
        assert_eq!(std::fs::metadata(&paths[0]).unwrap().len(), 200);
    }

    #[cfg(unix)]
    #[test]
    fn append_refuses_symlinks() {
        let folder = tempfile::tempdir().unwrap();
        let foreign = folder.path().join("foreign");
        std::fs::write(&foreign, "mine").unwrap();
        std::os::unix::fs::symlink(&foreign, folder.path().join("lae-studio.log")).unwrap();
        let mut log_files = LogFiles::new(folder.path().into());
        assert!(log_files.append("line\n").is_err());
        assert_eq!(std::fs::read(&foreign).unwrap(), b"mine");
    }

    #[test]
    fn long_lines_are_cut_at_character_boundary() {
        let text = "é".repeat(MAX_LINE_BYTES);
        let line = format_line(Level::Warn, "here", &text);
        assert!(line.contains(" WARN  here: é") && line.len() < MAX_LINE_BYTES + 80);
    }
}
