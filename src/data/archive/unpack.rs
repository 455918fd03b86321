//! Extracts the entries of an archive into a folder, within limits.
//!
//! Nothing is written outside of the folder: only regular files with plain relative names are extracted, links are not.
//! Size, number of files and compression ratio are limited to stop archive bombs, including skipped entries. Folders
//! and empty files have no size, so their number has its own limit.

use std::collections::HashSet;
use std::fs::{self, File};
use std::io::{self, Read, Seek, Write};
use std::path::Path;

use super::names::{Folders, is_about_the_name, is_blind_to_case, plain_path};
use super::teachable::{EntryAction, Project};
use crate::files;
use crate::message;
use crate::problem::{Problem, Result};
use crate::texts::Words;
use crate::{Skipped, Watch, tree};

/// Maximum number of files of an archive.
const MOST_FILES: usize = 5_000_000;
/// Maximum number of folders and empty files of an archive.
const MOST_EMPTY: usize = 200_000;
/// Maximum unpacked size in bytes.
const MOST_BYTES: u64 = 500 << 30;
/// Unpacked size in bytes up to which [`RATIO`] is not checked.
const FREE_BYTES: u64 = 256 << 20;
/// Maximum ratio of unpacked to packed size. Images hardly shrink; a ratio of 1000 is an archive bomb.
const RATIO: u64 = 100;
/// Maximum number of skipped entries that are listed.
const MOST_LISTED: usize = 100_000;
/// Maximum number of characters of their names.
const LONGEST_LISTED: usize = 300;

/// The extraction of an archive within its limits.
pub(super) struct Unpacking<'a> {
    /// Copy buffer, shared by all entries.
    pub buffer: Vec<u8>,
    pub archive: &'a Path,
    pub into: &'a Path,
    pub packed: u64,
    pub bytes: u64,
    pub files: usize,
    /// Number of empty entries.
    pub empty: usize,
    pub skipped: Vec<Skipped>,
    /// Remarks on the archive.
    pub remarks: Vec<Words>,
    /// Folders created so far.
    pub folders: Folders,
    pub watch: &'a Watch<'a>,
}

impl<'a> Unpacking<'a> {
    /// Starts to unpack an archive of `packed` bytes into a folder.
    pub fn new(archive: &'a Path, packed: u64, into: &'a Path, watch: &'a Watch<'a>) -> Self {
        Self {
            buffer: vec![0; 1 << 18],
            archive,
            into,
            packed,
            bytes: 0,
            files: 0,
            empty: 0,
            skipped: Vec::new(),
            remarks: Vec::new(),
            folders: Folders::new(is_blind_to_case(into)),
            watch,
        }
    }
}

impl Unpacking<'_> {
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
    pub fn count(&mut self, bytes: u64) -> Result<()> {
        self.files += 1;
        self.empty += usize::from(bytes == 0);
        if self.files > MOST_FILES {
            return Err(self.bomb(&format!("it contains more than {MOST_FILES} files")));
        }
        self.empty_enough()?;
        self.check_continue()
    }

    /// Checks the number of folders and empty files, which have no size but take as long as other files.
    fn empty_enough(&self) -> Result<()> {
        if self.empty + self.folders.len() > MOST_EMPTY {
            return Err(self.too_many_empty());
        }
        Ok(())
    }

    /// Checks the names of all entries before any folder is created, because creating and removing too many folders
    /// takes minutes.
    fn foresee<'n>(&self, names: impl Iterator<Item = &'n [u8]>) -> Result<()> {
        let mut folders = HashSet::new();
        for name in names {
            let end = name.iter().rposition(|byte| matches!(byte, b'/' | b'\\'));
            folders.extend(end.map(|end| &name[..end]));
            if folders.len() > MOST_EMPTY {
                return Err(self.too_many_empty());
            }
        }
        Ok(())
    }

    fn too_many_empty(&self) -> Problem {
        self.bomb(&format!(
            "it contains more than {MOST_EMPTY} folders and empty files"
        ))
    }

    fn check_continue(&self) -> Result<()> {
        let megabytes = (self.bytes >> 20) as usize;
        self.watch
            .report(message!("doing-unpacking"), megabytes, None)
    }

    /// Extracts a zip.
    pub fn zip(&mut self, reader: impl Read + Seek) -> Result<()> {
        let mut archive = files::open_zip(reader).map_err(|error| self.damaged(&error))?;
        self.foresee(archive.file_names_raw())?;
        let mut project = Project::of(&mut archive, self.archive)?;
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
            self.count(entry.size())?;
            if entry.is_dir() {
                continue;
            }
            let name = entry.name().map_err(|error| self.damaged(&error))?;
            let name = name.replace('\\', "/");
            if entry.is_symlink() {
                self.skip(name.as_ref(), message!("skip-archive-link"));
                continue;
            }
            match project.as_mut().map(|project| project.place(&name)) {
                None => self.file(name.as_ref(), &mut entry)?,
                Some(EntryAction::File(place)) => self.file(&place, &mut entry)?,
                Some(EntryAction::Aside) => {}
                Some(EntryAction::Left(reason)) => self.skip(name.as_ref(), reason),
                Some(EntryAction::TooMany) => return Err(self.bomb("it has thousands of classes")),
            }
        }
        self.remarks = project.map_or_else(Vec::new, |project| project.remarks());
        Ok(())
    }

    pub fn skip(&mut self, name: &Path, reason: impl Into<Words>) {
        if self.skipped.len() == MOST_LISTED {
            return;
        }
        let mut name = name.to_string_lossy().into_owned();
        if let Some((cut, _)) = name.char_indices().nth(LONGEST_LISTED) {
            name.truncate(cut);
            name.push('…');
        }
        self.skipped
            .push(Skipped::new(self.archive.join(name), reason));
    }

    /// Writes a file, if its name is plain and the limits are kept.
    pub fn file(&mut self, name: &Path, content: &mut impl Read) -> Result<()> {
        let Some(plain) = plain_path(name) else {
            self.skip(name, message!("skip-leads-out"));
            return Ok(());
        };
        if plain.iter().any(tree::is_hidden) {
            return Ok(());
        }
        // The dataset walk does not enter deeper folders.
        if plain.iter().count() > tree::DEEPEST + 1 {
            self.skip(name, message!("skip-too-deep"));
            return Ok(());
        }
        if self.folders.has_twin(&plain) {
            self.skip(name, message!("skip-name-twin"));
            return Ok(());
        }
        self.empty_enough()?;
        let target = self.into.join(&plain);
        let folder = target.parent().unwrap_or(self.into);
        // An existing file is never overwritten: its name may be equal except for the case.
        let made = fs::create_dir_all(folder).and_then(|()| File::create_new(&target));
        let mut file = match made {
            Ok(file) => file,
            Err(error) if is_about_the_name(&error) => {
                self.skip(name, message!("skip-name-impossible"));
                return Ok(());
            }
            Err(error) => return Err(self.unwritable(&target, &error)),
        };
        self.copy(content, &mut file, &target)
    }

    pub fn copy(
        &mut self,
        content: &mut impl Read,
        file: &mut impl Write,
        target: &Path,
    ) -> Result<()> {
        loop {
            let read = content
                .read(&mut self.buffer)
                .map_err(|error| self.unreadable(&error))?;
            if read == 0 {
                return Ok(());
            }
            self.unpacked(read as u64)?;
            file.write_all(&self.buffer[..read])
                .map_err(|error| self.unwritable(target, &error))?;
            self.check_continue()?;
        }
    }

    /// Counts unpacked bytes, and returns a Problem if a limit is exceeded.
    pub fn unpacked(&mut self, bytes: u64) -> Result<()> {
        self.bytes += bytes;
        if self.bytes > MOST_BYTES {
            return Err(self.bomb(&format!("it unpacks to more than {} GB", MOST_BYTES >> 30)));
        }
        if self.bytes > FREE_BYTES && self.bytes / RATIO > self.packed {
            return Err(self.bomb(&format!("it unpacks to more than {RATIO} times its size")));
        }
        Ok(())
    }

    fn unwritable(&self, path: &Path, error: &io::Error) -> Problem {
        let problem = Problem::io("unpack the archive", path, error);
        match problem.mentions("advice-free-disk-space") {
            true => problem.advise(message!("advice-free-space-for-cache")),
            false => problem,
        }
    }

    fn bomb(&self, why: &str) -> Problem {
        Problem::new(message!("problem-archive-rejected", why))
            .at_path(self.archive)
            .advise(message!("advice-unpack-if-intended"))
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use std::path::PathBuf;

    use super::*;
    use crate::texts::Message;

    /// Returns an extraction before its first entry.
    fn unpacking<'a>(into: &'a Path, watch: &'a Watch<'a>) -> Unpacking<'a> {
        Unpacking {
            folders: Folders::default(),
            ..Unpacking::new(Path::new("birds.zip"), 100, into, watch)
        }
    }

    #[test]
    fn limits_folder_count_and_stops_on_request() {
        let folder = tempfile::tempdir().unwrap();
        let watch = Watch::none();
        let mut few_left = Unpacking {
            empty: MOST_EMPTY - 4,
            ..unpacking(folder.path(), &watch)
        };
        few_left
            .file(Path::new("a/b/1.png"), &mut &b"x"[..])
            .unwrap();
        few_left
            .file(Path::new("a/b/2.png"), &mut &b"x"[..])
            .unwrap();
        let deep = few_left.file(Path::new("a/b/c/d/1.png"), &mut &b"x"[..]);
        let problem = deep.unwrap_err();
        assert!(problem.is("problem-archive-rejected"), "{problem}");
        assert!(problem.what.contains("200000 folders"), "{problem}");
        assert!(!folder.path().join("a/b/c").exists());

        let calls = std::sync::atomic::AtomicUsize::new(0);
        let step = |_: Message, _: usize, _: Option<usize>| {
            calls.fetch_add(1, std::sync::atomic::Ordering::Relaxed) < 9
        };
        let watch = Watch::new(&step);
        let mut stopped = unpacking(folder.path(), &watch);
        assert!((0..9).all(|_| stopped.count(0).is_ok()));
        let problem = stopped.count(0).unwrap_err();
        assert!(problem.is("problem-opening-dataset-stopped"), "{problem}");
    }

    #[test]
    fn foresee_limits_folders_before_creating_any() {
        let folder = tempfile::tempdir().unwrap();
        let watch = Watch::none();
        let unpacking = unpacking(folder.path(), &watch);
        let names = |folders: usize| -> Vec<String> {
            let each = (0..folders).flat_map(|n| [format!("{n}/a.png"), format!("{n}/b.png")]);
            each.chain(["c.png".into()]).collect()
        };
        let foreseen = |names: &[String]| unpacking.foresee(names.iter().map(String::as_bytes));
        assert!(foreseen(&names(MOST_EMPTY)).is_ok());
        let problem = foreseen(&names(MOST_EMPTY + 1)).unwrap_err();
        assert!(problem.is("problem-archive-rejected"), "{problem}");
        assert!(problem.what.contains("200000 folders"), "{problem}");
    }

    #[test]
    fn skips_case_conflicts_on_case_insensitive_systems() {
        let folder = tempfile::tempdir().unwrap();
        let unpack = |blind: bool| {
            let into = folder.path().join(blind.to_string());
            let watch = Watch::none();
            let mut unpacking = Unpacking {
                folders: Folders::new(blind),
                ..unpacking(&into, &watch)
            };
            for name in ["a/Tit/1.png", "a/tit/2.png", "A/tit/3.png", "a/Tit/4.png"] {
                unpacking.file(Path::new(name), &mut &b"x"[..]).unwrap();
            }
            let skipped = unpacking.skipped.iter().map(|one| one.path.clone());
            let skipped: Vec<PathBuf> = skipped.collect();
            (skipped, into)
        };
        let (skipped, into) = unpack(true);
        let names = ["birds.zip/a/tit/2.png", "birds.zip/A/tit/3.png"];
        assert_eq!(skipped, names.map(PathBuf::from));
        assert!(into.join("a/Tit/1.png").exists() && into.join("a/Tit/4.png").exists());
        let here = is_blind_to_case(folder.path());
        assert!(here || unpack(false).0.is_empty());
        assert!(!folder.path().join(".case").exists());
    }
}
