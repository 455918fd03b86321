//! Writing an archive's entries into a folder, within limits.
//!
//! Nothing leaves the folder: only ordinary files with plain relative names are written, links are not. Size, number and
//! ratio are bounded against bombs, what is left out included.

use std::cell::Cell;
use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{self, Read, Seek, Write};
use std::path::{Component, Path, PathBuf};

use crate::data::{Skipped, Watch, stopped, tree};
use crate::problem::{Problem, Result};

/// Most files an archive may hold.
const MOST_FILES: usize = 5_000_000;
/// Most bytes it may unpack to.
const MOST_BYTES: u64 = 500 << 30;
/// Beyond this many bytes the contents may not be more than [`RATIO`] times the archive.
const FREE_BYTES: u64 = 256 << 20;
/// Pictures hardly shrink; a thousandfold is a bomb.
const RATIO: u64 = 100;
/// Most bytes of a tar between the contents of two entries: headers with long names.
const MOST_HEADER: u64 = 1 << 20;
/// Entries that were left out are listed up to this number.
const MOST_LISTED: usize = 100_000;
/// Their names are kept up to this number of letters.
const LONGEST_LISTED: usize = 300;

/// One extraction under its limits.
pub(super) struct Unpacking<'a> {
    /// What passes from an entry to its file; one for all entries.
    pub buffer: Vec<u8>,
    pub archive: &'a Path,
    pub into: &'a Path,
    pub packed: u64,
    pub bytes: u64,
    pub files: usize,
    pub skipped: Vec<Skipped>,
    pub watch: &'a Watch<'a>,
}

impl Unpacking<'_> {
    fn damaged(&self, error: &dyn std::fmt::Display) -> Problem {
        Problem::new(format!("the archive is damaged or cut off: {error}"))
            .at_path(self.archive)
            .advise("copy or download it again")
    }

    /// Unpacks a tar.
    pub fn tar(&mut self, reader: impl Read) -> Result<()> {
        // A header is read into memory as a whole: it gets an allowance, contents are counted.
        let allowance = Cell::new(MOST_HEADER);
        let mut archive = tar::Archive::new(Allowed {
            reader,
            left: &allowance,
        });
        let mut entries = archive.entries().map_err(|error| self.damaged(&error))?;
        loop {
            allowance.set(MOST_HEADER);
            let entry = entries.next();
            // Headers count as well: one of a few bytes in the archive may hold a name of 1 MB.
            self.unpacked(MOST_HEADER - allowance.get())?;
            let Some(entry) = entry else {
                return Ok(());
            };
            let mut entry = entry.map_err(|error| self.damaged(&error))?;
            allowance.set(u64::MAX);
            self.count()?;
            self.tar_entry(&mut entry)?;
            // What nobody wanted of it has to be read as well, within the same limits.
            self.copy(&mut entry, &mut io::sink(), Path::new(""))?;
        }
    }

    fn tar_entry(&mut self, entry: &mut tar::Entry<'_, impl Read>) -> Result<()> {
        let kind = entry.header().entry_type();
        let name = entry
            .path()
            .map_err(|error| self.damaged(&error))?
            .into_owned();
        if kind.is_dir() || kind.is_pax_global_extensions() {
            return Ok(());
        }
        if !kind.is_file() && !kind.is_contiguous() {
            self.skip(&name, "a link or special file in the archive");
            return Ok(());
        }
        self.file(&name, entry)
    }

    /// Counts one entry of any kind.
    fn count(&mut self) -> Result<()> {
        self.files += 1;
        if self.files > MOST_FILES {
            return Err(self.bomb(&format!("it holds more than {MOST_FILES} files")));
        }
        Ok(())
    }

    /// Unpacks a zip.
    pub fn zip(&mut self, reader: impl Read + Seek) -> Result<()> {
        let mut archive = zip::ZipArchive::new(reader).map_err(|error| self.damaged(&error))?;
        for index in 0..archive.len() {
            let mut entry = match archive.by_index(index) {
                Ok(entry) => entry,
                Err(zip::result::ZipError::UnsupportedArchive(why)) => {
                    return Err(Problem::new(format!("this kind of zip is not read: {why}"))
                        .at_path(self.archive)
                        .advise("unpack it and give the folder"));
                }
                Err(error) => return Err(self.damaged(&error)),
            };
            self.count()?;
            if entry.is_dir() {
                continue;
            }
            let name = entry.name().map_err(|error| self.damaged(&error))?;
            let name = PathBuf::from(name.replace('\\', "/"));
            if entry.is_symlink() {
                self.skip(&name, "a link or special file in the archive");
                continue;
            }
            self.file(&name, &mut entry)?;
        }
        Ok(())
    }

    fn skip(&mut self, name: &Path, reason: &str) {
        if self.skipped.len() == MOST_LISTED {
            return;
        }
        let mut name = name.to_string_lossy().into_owned();
        if let Some((cut, _)) = name.char_indices().nth(LONGEST_LISTED) {
            name.truncate(cut);
            name.push('…');
        }
        self.skipped.push(Skipped {
            path: self.archive.join(name),
            reason: reason.to_owned(),
        });
    }

    /// Writes one file, if its name is a plain one and the limits allow it.
    fn file(&mut self, name: &Path, content: &mut impl Read) -> Result<()> {
        let Some(plain) = plain_path(name) else {
            self.skip(name, "its path leads out of the archive");
            return Ok(());
        };
        if plain.iter().any(tree::is_hidden) {
            return Ok(());
        }
        // Folders below that would not be looked into.
        if plain.iter().count() > tree::DEEPEST + 1 {
            self.skip(name, "folders are nested too deeply");
            return Ok(());
        }
        let target = self.into.join(&plain);
        let folder = target.parent().unwrap_or(self.into);
        // A name that is there already is not written twice: it may be the same one in other letters.
        let made = fs::create_dir_all(folder).and_then(|()| File::create_new(&target));
        let mut file = match made {
            Ok(file) => file,
            Err(error) if is_about_the_name(&error) => {
                self.skip(name, "no file can have this name here");
                return Ok(());
            }
            Err(error) => return Err(self.unwritable(&target, &error)),
        };
        self.copy(content, &mut file, &target)
    }

    fn copy(
        &mut self,
        content: &mut impl Read,
        file: &mut impl Write,
        target: &Path,
    ) -> Result<()> {
        loop {
            let read = content
                .read(&mut self.buffer)
                .map_err(|error| self.damaged(&error))?;
            if read == 0 {
                return Ok(());
            }
            self.unpacked(read as u64)?;
            file.write_all(&self.buffer[..read])
                .map_err(|error| self.unwritable(target, &error))?;
            let megabytes = (self.bytes >> 20) as usize;
            if !self.watch.step("unpacking (MB)", megabytes, None) {
                return Err(stopped());
            }
        }
    }

    /// Counts bytes that came out of the archive.
    fn unpacked(&mut self, bytes: u64) -> Result<()> {
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
        let mut problem = Problem::io("unpack the archive", path, error);
        if problem.remedy.contains("disk space") {
            problem.remedy =
                "free some disk space, or set LAE_STUDIO_CACHE to a folder on another disk"
                    .to_owned();
        }
        problem
    }

    fn bomb(&self, why: &str) -> Problem {
        Problem::new(format!("the archive was refused: {why}"))
            .at_path(self.archive)
            .advise("if it is meant to be like that, unpack it by hand and give the folder")
    }
}

/// Whether a file could not be made because of its name: too long, or one that is a folder's.
fn is_about_the_name(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::InvalidFilename
            | io::ErrorKind::AlreadyExists
            | io::ErrorKind::NotADirectory
            | io::ErrorKind::IsADirectory
    )
}

/// A reader that may give so many bytes more.
struct Allowed<'a, R> {
    reader: R,
    left: &'a Cell<u64>,
}

impl<R: Read> Read for Allowed<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let left = self.left.get();
        if left == 0 {
            return Err(io::Error::other("the header of an entry is too long"));
        }
        let most = buffer
            .len()
            .min(usize::try_from(left).unwrap_or(usize::MAX));
        let read = self.reader.read(&mut buffer[..most])?;
        self.left.set(left - read as u64);
        Ok(read)
    }
}

/// A relative path of plain names only; `None` for anything that could lead elsewhere.
fn plain_path(name: &Path) -> Option<PathBuf> {
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
    !(elsewhere || cfg!(windows) && is_reserved(part))
}

/// Whether Windows takes a name for something else than a file of this name: a device whatever its
/// ending, or the same name without the dots and spaces at its end.
fn is_reserved(part: &OsStr) -> bool {
    let name = part.to_string_lossy().to_ascii_uppercase();
    let stem = name.split('.').next().unwrap_or_default().trim_end();
    let numbered = ["COM", "LPT"].iter().any(|device| {
        let number = stem
            .strip_prefix(device)
            .map(|rest| rest.chars().collect::<Vec<_>>());
        matches!(number.as_deref(), Some(['0'..='9' | '¹' | '²' | '³']))
    });
    numbered
        || ["CON", "PRN", "AUX", "NUL", "CONIN$", "CONOUT$"].contains(&stem)
        || name.ends_with(['.', ' '])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_devices_are_known() {
        let reserved = |name: &str| is_reserved(OsStr::new(name));
        for name in [
            "con.png", "NUL", "Com1.jpg", "lpt9.a.b", "aux .png", "a.png.", "a.png ",
        ] {
            assert!(reserved(name), "{name}");
        }
        for name in [
            "cone.png",
            "com.png",
            "com10.png",
            "auxiliary",
            "猫.png",
            ".png",
        ] {
            assert!(!reserved(name), "{name}");
        }
    }
}
