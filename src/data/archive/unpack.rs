//! Extracts the entries of an archive into a folder, within limits.
//!
//! Nothing is written outside of the folder: only regular files with plain relative names are extracted, links are not.
//! Size, number of files and compression ratio are limited to stop archive bombs, including skipped entries. Folders
//! and empty files have no size, so their number has its own limit.

use std::collections::HashSet;
use std::fs::{self, File};
use std::io::{self, Read, Seek, Write};
use std::path::Path;

use super::names::{FolderSet, is_case_insensitive, is_name_error, is_valid_name, sanitized_path};
use super::teachable::{EntryAction, Project};
use crate::files;
use crate::message;
use crate::problem::{Problem, Result};
use crate::texts::Words;
use crate::{ProgressReporter, Skipped, tree};

/// Maximum number of files of an archive.
const MAX_FILES: usize = 5_000_000;
/// Maximum number of folders and empty files of an archive.
const MAX_EMPTY_ENTRIES: usize = 200_000;
/// Maximum unpacked size in bytes.
const MAX_UNPACKED_BYTES: u64 = 500 << 30;
/// Unpacked size in bytes up to which [`MAX_RATIO`] is not checked.
const RATIO_FREE_BYTES: u64 = 256 << 20;
/// Maximum ratio of unpacked to packed size. Images hardly shrink; a ratio of 1000 is an archive bomb.
const MAX_RATIO: u64 = 100;
/// Maximum number of skipped entries that are listed.
const MAX_SKIPPED: usize = 100_000;
/// Maximum number of characters of their names.
const MAX_NAME_CHARS: usize = 300;

/// The extraction of an archive within its limits.
pub(super) struct Unpacker<'a> {
    /// Copy buffer, shared by all entries.
    pub buffer: Vec<u8>,
    pub archive: &'a Path,
    pub output: &'a Path,
    pub packed_bytes: u64,
    pub unpacked_bytes: u64,
    pub files: usize,
    /// Number of empty entries.
    pub empty: usize,
    pub skipped: Vec<Skipped>,
    /// Remarks on the archive.
    pub remarks: Vec<Words>,
    /// Folders created so far.
    pub folders: FolderSet,
    pub progress: &'a ProgressReporter<'a>,
}

impl<'a> Unpacker<'a> {
    /// Starts to unpack an archive of `packed_bytes` bytes into a folder.
    pub fn new(
        archive: &'a Path,
        packed_bytes: u64,
        output: &'a Path,
        progress: &'a ProgressReporter<'a>,
    ) -> Self {
        Self {
            buffer: vec![0; 1 << 18],
            archive,
            output,
            packed_bytes,
            unpacked_bytes: 0,
            files: 0,
            empty: 0,
            skipped: Vec::new(),
            remarks: Vec::new(),
            folders: FolderSet::new(is_case_insensitive(output)),
            progress,
        }
    }
}

impl Unpacker<'_> {
    pub fn damaged(&self, error: &dyn std::fmt::Display) -> Problem {
        Problem::with_error("problem-archive-damaged", error)
            .at_path(self.archive)
            .advise(message!("advice-copy-or-download-again"))
    }

    pub fn unreadable(&self, error: &io::Error) -> Problem {
        if error.kind() != io::ErrorKind::OutOfMemory {
            return self.damaged(error);
        }
        Problem::new(message!("problem-archive-memory-limit"))
            .at_path(self.archive)
            .advise(message!("advice-unpack-or-compress-less"))
    }

    /// Counts an entry of `bytes` bytes, and returns a Problem if a limit is exceeded or the user stopped.
    pub fn count_entry(&mut self, bytes: u64) -> Result<()> {
        self.files += 1;
        self.empty += usize::from(bytes == 0);
        if self.files > MAX_FILES {
            return Err(self.rejected(&format!("it contains more than {MAX_FILES} files")));
        }
        self.check_empty_entries()?;
        self.check_continue()
    }

    /// Checks the number of folders and empty files, which have no size but take as long as other files.
    fn check_empty_entries(&self) -> Result<()> {
        if self.empty + self.folders.len() > MAX_EMPTY_ENTRIES {
            return Err(self.too_many_empty());
        }
        Ok(())
    }

    /// Checks the names of all entries before any folder is created, because creating and removing too many folders
    /// takes minutes.
    fn check_folder_count<'n>(&self, names: impl Iterator<Item = &'n [u8]>) -> Result<()> {
        let mut folders = HashSet::new();
        for name in names {
            let end = name.iter().rposition(|byte| matches!(byte, b'/' | b'\\'));
            folders.extend(end.map(|end| &name[..end]));
            if folders.len() > MAX_EMPTY_ENTRIES {
                return Err(self.too_many_empty());
            }
        }
        Ok(())
    }

    fn too_many_empty(&self) -> Problem {
        self.rejected(&format!("it contains more than {MAX_EMPTY_ENTRIES} folders and empty files"))
    }

    fn check_continue(&self) -> Result<()> {
        let megabytes = (self.unpacked_bytes >> 20) as usize;
        self.progress.report(message!("doing-unpacking"), megabytes, None)
    }

    /// Extracts a zip.
    pub fn unpack_zip(&mut self, reader: impl Read + Seek) -> Result<()> {
        let mut archive = files::open_zip(reader).map_err(|error| self.damaged(&error))?;
        self.check_folder_count(archive.file_names_raw())?;
        let mut project = Project::detect(&mut archive, self.archive)?;
        for index in 0..archive.len() {
            let mut entry = match archive.by_index(index) {
                Ok(entry) => entry,
                Err(zip::result::ZipError::UnsupportedArchive(why)) => {
                    return Err(Problem::new(message!("problem-zip-kind-unsupported", why))
                        .at_path(self.archive)
                        .advise(message!("advice-unpack-and-give-folder")));
                }
                Err(error) => return Err(self.damaged(&error)),
            };
            self.count_entry(entry.size())?;
            if entry.is_dir() {
                continue;
            }
            let name = entry.name().map_err(|error| self.damaged(&error))?;
            let name = name.replace('\\', "/");
            if entry.is_symlink() {
                self.skip(name.as_ref(), message!("skip-archive-link"));
                continue;
            }
            match project.as_mut().map(|project| project.action_for(&name)) {
                None => _ = self.write_file(name.as_ref(), &mut entry)?,
                Some(EntryAction::File(path)) => _ = self.write_file(&path, &mut entry)?,
                Some(EntryAction::Ignore) => {}
                Some(EntryAction::Skip(reason)) => self.skip(name.as_ref(), reason),
                Some(EntryAction::TooMany) => {
                    return Err(self.rejected("it has thousands of classes"));
                }
            }
        }
        self.remarks = project.map_or_else(Vec::new, |project| project.remarks());
        Ok(())
    }

    pub fn skip(&mut self, name: &Path, reason: impl Into<Words>) {
        if self.skipped.len() == MAX_SKIPPED {
            return;
        }
        let mut name = name.to_string_lossy().into_owned();
        if let Some((cut, _)) = name.char_indices().nth(MAX_NAME_CHARS) {
            name.truncate(cut);
            name.push('…');
        }
        self.skipped.push(Skipped::new(self.archive.join(name), reason));
    }

    /// Writes a file, if its name is plain and the limits are kept; returns whether it was written.
    pub fn write_file(&mut self, name: &Path, content: &mut impl Read) -> Result<bool> {
        let Some(plain) = sanitized_path(name) else {
            self.skip(name, message!("skip-leads-out"));
            return Ok(false);
        };
        if plain.iter().any(tree::is_hidden) {
            return Ok(false);
        }
        if !plain.iter().all(is_valid_name) {
            self.skip(name, message!("skip-name-impossible"));
            return Ok(false);
        }
        // The dataset walk does not enter deeper folders.
        if plain.iter().count() > tree::MAX_DEPTH + 1 {
            self.skip(name, message!("skip-too-deep"));
            return Ok(false);
        }
        if self.folders.insert_and_check_collision(&plain) {
            self.skip(name, message!("skip-name-twin"));
            return Ok(false);
        }
        self.check_empty_entries()?;
        let target = self.output.join(&plain);
        let folder = target.parent().unwrap_or(self.output);
        // An existing file is never overwritten: its name may be equal except for the case.
        let created = fs::create_dir_all(folder).and_then(|()| File::create_new(&target));
        let mut file = match created {
            Ok(file) => file,
            Err(error) if is_name_error(&error) => {
                self.skip(name, message!("skip-name-impossible"));
                return Ok(false);
            }
            Err(error) => return Err(self.write_problem(&target, &error)),
        };
        self.copy_content(content, &mut file, &target)?;
        Ok(true)
    }

    pub fn copy_content(
        &mut self,
        content: &mut impl Read,
        file: &mut impl Write,
        target: &Path,
    ) -> Result<()> {
        loop {
            let length = content.read(&mut self.buffer).map_err(|error| self.unreadable(&error))?;
            if length == 0 {
                return Ok(());
            }
            self.count_bytes(length as u64)?;
            file.write_all(&self.buffer[..length])
                .map_err(|error| self.write_problem(target, &error))?;
            self.check_continue()?;
        }
    }

    /// Counts unpacked bytes, and returns a Problem if a limit is exceeded.
    pub fn count_bytes(&mut self, bytes: u64) -> Result<()> {
        self.unpacked_bytes += bytes;
        if self.unpacked_bytes > MAX_UNPACKED_BYTES {
            return Err(
                self.rejected(&format!("it unpacks to more than {} GB", MAX_UNPACKED_BYTES >> 30))
            );
        }
        if self.unpacked_bytes > RATIO_FREE_BYTES
            && self.unpacked_bytes / MAX_RATIO > self.packed_bytes
        {
            return Err(
                self.rejected(&format!("it unpacks to more than {MAX_RATIO} times its size"))
            );
        }
        Ok(())
    }

    fn write_problem(&self, path: &Path, error: &io::Error) -> Problem {
        let problem = Problem::io("unpack the archive", path, error);
        match problem.mentions("advice-free-disk-space") {
            true => problem.advise(message!("advice-free-space-for-cache")),
            false => problem,
        }
    }

    fn rejected(&self, why: &str) -> Problem {
        Problem::new(message!("problem-archive-rejected", why))
            .at_path(self.archive)
            .advise(message!("advice-unpack-if-intended"))
    }
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;
    use crate::texts::Message;

    /// Returns an extraction before its first entry.
    fn new_unpacker<'a>(output: &'a Path, progress: &'a ProgressReporter<'a>) -> Unpacker<'a> {
        Unpacker {
            folders: FolderSet::default(),
            ..Unpacker::new(Path::new("birds.zip"), 100, output, progress)
        }
    }

    #[test]
    fn limits_folder_count_and_stops_on_request() {
        let folder = tempfile::tempdir().unwrap();
        let progress = ProgressReporter::silent();
        let mut nearly_full =
            Unpacker { empty: MAX_EMPTY_ENTRIES - 4, ..new_unpacker(folder.path(), &progress) };
        nearly_full.write_file(Path::new("a/b/1.png"), &mut &b"x"[..]).unwrap();
        nearly_full.write_file(Path::new("a/b/2.png"), &mut &b"x"[..]).unwrap();
        let deep = nearly_full.write_file(Path::new("a/b/c/d/1.png"), &mut &b"x"[..]);
        let problem = deep.unwrap_err();
        assert!(problem.is("problem-archive-rejected"), "{problem}");
        assert!(problem.what.contains("200000 folders"), "{problem}");
        assert!(!folder.path().join("a/b/c").exists());

        let calls = std::sync::atomic::AtomicUsize::new(0);
        let step = |_: Message, _: usize, _: Option<usize>| {
            calls.fetch_add(1, std::sync::atomic::Ordering::Relaxed) < 9
        };
        let progress = ProgressReporter::new(&step);
        let mut stopped = new_unpacker(folder.path(), &progress);
        assert!((0..9).all(|_| stopped.count_entry(0).is_ok()));
        let problem = stopped.count_entry(0).unwrap_err();
        assert!(problem.is("problem-opening-dataset-stopped"), "{problem}");
    }

    #[test]
    fn rejects_too_many_folders_before_creating_any() {
        let folder = tempfile::tempdir().unwrap();
        let progress = ProgressReporter::silent();
        let unpacker = new_unpacker(folder.path(), &progress);
        let names = |folders: usize| -> Vec<String> {
            let each = (0..folders).flat_map(|n| [format!("{n}/a.png"), format!("{n}/b.png")]);
            each.chain(["c.png".into()]).collect()
        };
        let check =
            |names: &[String]| unpacker.check_folder_count(names.iter().map(String::as_bytes));
        assert!(check(&names(MAX_EMPTY_ENTRIES)).is_ok());
        let problem = check(&names(MAX_EMPTY_ENTRIES + 1)).unwrap_err();
        assert!(problem.is("problem-archive-rejected"), "{problem}");
        assert!(problem.what.contains("200000 folders"), "{problem}");
    }

    #[test]
    fn skips_case_conflicts_on_case_insensitive_systems() {
        let folder = tempfile::tempdir().unwrap();
        let unpack = |ignores_case: bool| {
            let output = folder.path().join(ignores_case.to_string());
            let progress = ProgressReporter::silent();
            let mut unpacker = Unpacker {
                folders: FolderSet::new(ignores_case),
                ..new_unpacker(&output, &progress)
            };
            for name in ["a/Tit/1.png", "a/tit/2.png", "A/tit/3.png", "a/Tit/4.png"] {
                unpacker.write_file(Path::new(name), &mut &b"x"[..]).unwrap();
            }
            let skipped = unpacker.skipped.iter().map(|file| file.path.clone());
            let skipped: Vec<PathBuf> = skipped.collect();
            (skipped, output)
        };
        let (skipped, output) = unpack(true);
        let names = ["birds.zip/a/tit/2.png", "birds.zip/A/tit/3.png"];
        assert_eq!(skipped, names.map(PathBuf::from));
        assert!(output.join("a/Tit/1.png").exists() && output.join("a/Tit/4.png").exists());
        let here = is_case_insensitive(folder.path());
        assert!(here || unpack(false).0.is_empty());
        assert!(!folder.path().join(".case").exists());
    }
}
