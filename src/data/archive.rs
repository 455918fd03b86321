//! Archives dropped instead of folders: zip, tar, tar.gz, tar.xz.
//!
//! An archive is unpacked once into the cache folder and opened as a folder from then on. Nothing leaves
//! that folder: only ordinary files and folders with plain relative names are written, links are not. Size, number and ratio are
//! bounded against bombs. Unpacking goes to a temporary name and ends in a rename, so a cut one is redone.

use std::cell::Cell;
use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{self, BufReader, Read, Seek, Write};
use std::path::{Component, Path, PathBuf};
use std::time::{Duration, SystemTime};

use sha2::{Digest, Sha256};

use super::{Found, OpenOptions, Skipped, Watch, folder, tree};
use crate::fetch::hex;
use crate::problem::{Problem, Result};

/// Most files an archive may hold.
const MOST_FILES: usize = 5_000_000;
/// Most bytes it may unpack to.
const MOST_BYTES: u64 = 500 << 30;
/// Beyond this many bytes the contents may not be more than [`RATIO`] times the archive.
const FREE_BYTES: u64 = 256 << 20;
/// Pictures hardly shrink; a thousandfold is a bomb.
const RATIO: u64 = 100;
/// Remains of cut extractions are removed after this time.
const STALE: Duration = Duration::from_secs(24 * 3600);
/// Most bytes of a tar between the contents of two entries: headers with long names.
const MOST_HEADER: u64 = 1 << 20;
/// Entries that were left out are listed up to this number.
const MOST_LISTED: usize = 100_000;
/// Ends the name of an unfinished extraction.
const UNFINISHED: &str = ".unpacking";

/// What was left out of an archive, kept beside its files (hidden, so that no walk sees it).
const LEFT_OUT: &str = ".left-out.json";

/// The folder for unpacked archives and downloads: `LAE_STUDIO_CACHE`, else the system's cache folder.
pub fn cache_folder() -> PathBuf {
    if let Some(given) = std::env::var_os("LAE_STUDIO_CACHE").filter(|given| !given.is_empty()) {
        return PathBuf::from(given);
    }
    directories::ProjectDirs::from("", "", "lae-studio").map_or_else(
        || std::env::temp_dir().join("lae-studio"),
        |dirs| dirs.cache_dir().to_path_buf(),
    )
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Zip,
    Tar,
    TarGz,
    TarXz,
}

/// Opens a file as a data set: an archive, or one of CIFAR's files in its folder.
///
/// # Errors
/// Not an archive, a damaged or hostile one, a full disk, or nothing usable inside.
pub fn open(path: &Path, options: &OpenOptions, watch: &Watch) -> Result<Found> {
    let Some(kind) = kind_of(path)? else {
        return Err(
            Problem::new("this file is neither a folder nor an archive that is read")
                .at_path(path)
                .advise("give a folder, or a .zip, .tar, .tar.gz or .tar.xz file of one"),
        );
    };
    let shelf = options
        .unpack_to
        .clone()
        .unwrap_or_else(|| cache_folder().join("unpacked"));
    let (unpacked, skipped) = unpacked(path, kind, &shelf, watch)?;
    let mut found = folder::open(&unpacked, options, watch).map_err(|mut problem| {
        problem.place = problem.place.replace(
            unpacked.to_string_lossy().as_ref(),
            path.to_string_lossy().as_ref(),
        );
        problem
    })?;
    found.skipped.extend(skipped);
    if found.name == file_name(&unpacked) {
        found.name = stem(path);
    }
    for sentence in &mut found.assumed {
        *sentence = sentence.replace(&file_name(&unpacked), &stem(path));
    }
    found.origin = path.to_string_lossy().into_owned();
    Ok(found)
}

fn file_name(path: &Path) -> String {
    path.file_name()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned()
}

/// The archive's name without its endings.
fn stem(path: &Path) -> String {
    let name = file_name(path);
    let lower = name.to_ascii_lowercase();
    [".tar.gz", ".tar.xz", ".tgz", ".txz", ".tar", ".zip"]
        .iter()
        .find(|ending| lower.ends_with(*ending))
        .map_or(name.clone(), |ending| {
            name[..name.len() - ending.len()].to_owned()
        })
}

/// What kind of archive this is, by its content.
fn kind_of(path: &Path) -> Result<Option<Kind>> {
    let mut start = [0; 512];
    let mut file = File::open(path).map_err(|error| Problem::io("open the file", path, &error))?;
    let read = read_up_to(&mut file, &mut start)
        .map_err(|error| Problem::io("read the file", path, &error))?;
    let start = &start[..read];
    Ok(
        if start.starts_with(b"PK\x03\x04") || start.starts_with(b"PK\x05\x06") {
            Some(Kind::Zip)
        } else if start.starts_with(&[0x1F, 0x8B]) {
            Some(Kind::TarGz)
        } else if start.starts_with(b"\xFD7zXZ\0") {
            Some(Kind::TarXz)
        } else if start.get(257..262) == Some(b"ustar") {
            Some(Kind::Tar)
        } else {
            None
        },
    )
}

fn read_up_to(file: &mut impl Read, buffer: &mut [u8]) -> io::Result<usize> {
    let mut filled = 0;
    while filled < buffer.len() {
        match file.read(&mut buffer[filled..])? {
            0 => break,
            read => filled += read,
        }
    }
    Ok(filled)
}

/// The folder of the unpacked archive, unpacking it if that has not been done.
fn unpacked(
    path: &Path,
    kind: Kind,
    shelf: &Path,
    watch: &Watch,
) -> Result<(PathBuf, Vec<Skipped>)> {
    let about =
        fs::metadata(path).map_err(|error| Problem::io("open the archive", path, &error))?;
    let target = shelf.join(format!("{}-{}", stem(path), identity(path, &about)));
    if target.is_dir() {
        let left_out = fs::read(target.join(LEFT_OUT)).unwrap_or_default();
        let skipped = serde_json::from_slice(&left_out).unwrap_or_default();
        return Ok((target, skipped));
    }
    fs::create_dir_all(shelf)
        .map_err(|error| Problem::io("make the cache folder", shelf, &error))?;
    sweep(shelf);
    let work = tempfile::Builder::new()
        .prefix("part-")
        .suffix(UNFINISHED)
        .tempdir_in(shelf)
        .map_err(|error| Problem::io("unpack the archive", shelf, &error))?;
    let mut unpacking = Unpacking {
        archive: path,
        into: work.path(),
        packed: about.len(),
        bytes: 0,
        files: 0,
        skipped: Vec::new(),
        watch,
    };
    let file = File::open(path).map_err(|error| Problem::io("open the archive", path, &error))?;
    let file = BufReader::with_capacity(1 << 18, file);
    match kind {
        Kind::Zip => unpacking.zip(file)?,
        Kind::Tar => unpacking.tar(file)?,
        Kind::TarGz => unpacking.tar(BufReader::new(flate2::read::MultiGzDecoder::new(file)))?,
        Kind::TarXz => {
            // 1 GB of dictionary at most: `xz -9` needs 64 MB.
            let xz = lzma_rust2::XzReader::new_mem_limit(file, true, 1 << 20);
            unpacking.tar(BufReader::with_capacity(1 << 18, xz))?;
        }
    }
    let skipped = unpacking.skipped;
    let left_out = serde_json::to_vec(&skipped).unwrap_or_default();
    fs::write(work.path().join(LEFT_OUT), left_out)
        .map_err(|error| Problem::io("unpack the archive", work.path(), &error))?;
    match fs::rename(work.path(), &target) {
        Ok(()) => drop(work.keep()),
        // Another program was faster.
        Err(_) if target.is_dir() => {}
        Err(error) => return Err(Problem::io("finish unpacking", &target, &error)),
    }
    Ok((target, skipped))
}

/// Tells archives of one name apart: where it lies, how long it is, when it was written.
fn identity(path: &Path, about: &fs::Metadata) -> String {
    let mut hash = Sha256::new();
    let real = path.canonicalize().unwrap_or_else(|_| path.to_path_buf());
    hash.update(real.as_os_str().as_encoded_bytes());
    hash.update(about.len().to_le_bytes());
    let written = about
        .modified()
        .ok()
        .and_then(|time| time.duration_since(SystemTime::UNIX_EPOCH).ok());
    hash.update(written.unwrap_or_default().as_nanos().to_le_bytes());
    hex(&hash.finalize()[..6])
}

/// Removes what killed programs left behind.
fn sweep(shelf: &Path) {
    let Ok(entries) = fs::read_dir(shelf) else {
        return;
    };
    for entry in entries.flatten() {
        let old = entry
            .metadata()
            .and_then(|about| about.modified())
            .is_ok_and(|time| time.elapsed().is_ok_and(|age| age > STALE));
        if old && entry.file_name().to_string_lossy().ends_with(UNFINISHED) {
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}

/// One extraction under its limits.
struct Unpacking<'a> {
    archive: &'a Path,
    into: &'a Path,
    packed: u64,
    bytes: u64,
    files: usize,
    skipped: Vec<Skipped>,
    watch: &'a Watch<'a>,
}

impl Unpacking<'_> {
    fn damaged(&self, error: &dyn std::fmt::Display) -> Problem {
        Problem::new(format!("the archive is damaged or cut off: {error}"))
            .at_path(self.archive)
            .advise("copy or download it again")
    }

    fn tar(&mut self, reader: impl Read) -> Result<()> {
        // A header is read into memory as a whole: it gets an allowance, contents are counted.
        let allowance = Cell::new(MOST_HEADER);
        let mut archive = tar::Archive::new(Allowed {
            reader,
            left: &allowance,
        });
        let mut entries = archive.entries().map_err(|error| self.damaged(&error))?;
        loop {
            allowance.set(MOST_HEADER);
            let Some(entry) = entries.next() else {
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

    fn zip(&mut self, reader: impl Read + Seek) -> Result<()> {
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
        let target = self.into.join(&plain);
        let folder = target.parent().unwrap_or(self.into);
        let made = fs::create_dir_all(folder).and_then(|()| File::create(&target));
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
        let mut buffer = vec![0; 1 << 18];
        loop {
            let read = content
                .read(&mut buffer)
                .map_err(|error| self.damaged(&error))?;
            if read == 0 {
                return Ok(());
            }
            self.bytes += read as u64;
            if self.bytes > MOST_BYTES {
                return Err(self.bomb(&format!("it unpacks to more than {} GB", MOST_BYTES >> 30)));
            }
            if self.bytes > FREE_BYTES && self.bytes / RATIO > self.packed {
                return Err(self.bomb(&format!("it unpacks to more than {RATIO} times its size")));
            }
            file.write_all(&buffer[..read])
                .map_err(|error| self.unwritable(target, &error))?;
            let megabytes = (self.bytes >> 20) as usize;
            if !self.watch.step("unpacking (MB)", megabytes, None) {
                return Err(super::stopped());
            }
        }
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

/// Names that mean a drive or a stream on Windows, or hold a NUL, are not plain.
fn is_plain(part: &OsStr) -> bool {
    !part
        .as_encoded_bytes()
        .iter()
        .any(|byte| matches!(byte, b':' | 0 | b'\\'))
}
