//! The incomplete file of a download.

use std::fs::{self, File};
use std::io::{Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use super::{Downloaded, ExpectedFile, HASH_MISMATCH_ID, hash_rest, hex};
use crate::files;
use crate::message;
use crate::problem::{Problem, Result};

/// The incomplete file, locked against other programs.
pub(super) struct PartialFile {
    pub path: PathBuf,
    pub tag_path: PathBuf,
    pub file: File,
    pub length: u64,
    pub hash: Sha256,
}

impl PartialFile {
    pub fn open(to: &Path) -> Result<Self> {
        let sibling = |suffix: &str| {
            let mut name = to.as_os_str().to_owned();
            name.push(suffix);
            PathBuf::from(name)
        };
        let path = sibling(".part");
        let mut file = files::open_program_file(&path)
            .map_err(|error| Problem::io("write the download", &path, &error))?;
        if let Err(fs::TryLockError::WouldBlock) = file.try_lock() {
            return Err(Problem::new(message!("problem-file-downloaded-elsewhere"))
                .at_path(to)
                .advise(message!("advice-wait-then-try-again")));
        }
        let mut hash = Sha256::new();
        let length = hash_rest(&mut file, &mut hash)
            .map_err(|error| Problem::io("read the unfinished download", &path, &error))?;
        Ok(Self { path, tag_path: sibling(".part.tag"), file, length, hash })
    }

    /// Discards what was received, because the server has another version or cannot resume.
    pub fn restart(&mut self) -> std::io::Result<()> {
        self.file.set_len(0)?;
        self.file.seek(SeekFrom::Start(0))?;
        self.length = 0;
        self.hash = Sha256::new();
        Ok(())
    }

    pub fn append(&mut self, bytes: &[u8]) -> std::io::Result<()> {
        self.file.write_all(bytes).inspect_err(|_| {
            // A full disk may have written only a part, so the file is cut to the hashed length.
            let _ = self.file.set_len(self.length);
            let _ = self.file.seek(SeekFrom::Start(self.length));
        })?;
        self.hash.update(bytes);
        self.length += bytes.len() as u64;
        Ok(())
    }

    pub fn tag(&self) -> Option<String> {
        files::read_text(&self.tag_path, files::NOTE).ok().filter(|tag| !tag.is_empty())
    }

    /// Checks length and hash, then renames the file to its final name.
    pub fn finish(self, to: &Path, url: &str, expected_file: &ExpectedFile) -> Result<Downloaded> {
        let sha256 = hex(&self.hash.clone().finalize());
        let mismatch = match (&expected_file.sha256, expected_file.size) {
            (Some(expected), _) if *expected != sha256 => {
                Some(message!(HASH_MISMATCH_ID, sha256 = &sha256, expected))
            }
            (_, Some(size)) if size != self.length => Some(message!(
                "problem-downloaded-length-mismatch",
                length = self.length.to_string(),
                size = size.to_string()
            )),
            _ => None,
        };
        if let Some(what) = mismatch {
            let _ = fs::remove_file(&self.path);
            let _ = fs::remove_file(&self.tag_path);
            return Err(Problem::new(what)
                .at(url)
                .advise(message!("advice-redownload-then-manually")));
        }
        self.file
            .sync_all()
            .and_then(|()| fs::rename(&self.path, to))
            .map_err(|error| Problem::io("finish the download", to, &error))?;
        files::sync_folder(to.parent());
        let _ = fs::remove_file(&self.tag_path);
        Ok(Downloaded { path: to.to_path_buf(), sha256, bytes: self.length })
    }
}
