//! Archives instead of folders: zip (including projects of Teachable Machine), tar, tar.gz, tar.xz.
//!
//! An archive is unpacked once into the cache folder and then opened as a folder. Nothing is written outside that
//! folder: only regular files and folders with plain relative names are extracted, links are not. Size, number of files
//! and compression ratio are limited. Unpacking uses a temporary name and ends with a rename, so an interrupted one is
//! repeated.

mod names;
mod tars;
pub(super) mod teachable;
mod unpack;

use std::fs;
use std::io::BufReader;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use serde::de::DeserializeOwned;
use sha2::{Digest, Sha256};

use super::{Found, OpenOptions, Watch, folder, lists, stopped};
use crate::fetch::hex;
use crate::files;
use crate::folders;
use crate::message;
use crate::problem::{Problem, Result};
use names::{Folders, is_blind_to_case};
use unpack::Unpacking;

/// Remains of interrupted extractions are removed after this time.
const STALE: Duration = Duration::from_secs(24 * 3600);
/// Unpacked archives that were not opened for this time are removed; opening the archive unpacks it again.
const UNUSED: Duration = Duration::from_secs(60 * 24 * 3600);
/// Suffix of an unfinished extraction.
const UNFINISHED: &str = ".unpacking";

/// Memory for the dictionary of an xz file, in kB: `xz -9` needs 64 MB.
const XZ_MEMORY: u32 = 72 << 10;

/// Skipped files of an archive, stored next to its files (hidden, so that the dataset walk ignores it).
const LEFT_OUT: &str = ".left-out.json";
/// Remarks on an archive, stored in the same way.
const REMARKS: &str = ".remarks.json";
/// Rewritten whenever the unpacked archive is opened; its modification time is the last use.
const USED: &str = ".used";

/// The folder for unpacked archives and downloads: `LAE_STUDIO_CACHE`, else the system's cache folder.
pub fn cache_folder() -> PathBuf {
    if let Some(given) = std::env::var_os("LAE_STUDIO_CACHE").filter(|given| !given.is_empty()) {
        return PathBuf::from(given);
    }
    folders::cache().unwrap_or_else(|| std::env::temp_dir().join("lae-studio"))
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ArchiveKind {
    Zip,
    Tar,
    TarGz,
    TarXz,
}

/// Opens a file as a dataset: an archive, or one of CIFAR's files in its folder.
///
/// # Errors
/// Returns a Problem for other files, a damaged or hostile archive, a full disk, or an archive without a dataset.
pub fn open(path: &Path, options: &OpenOptions, watch: &Watch) -> Result<Found> {
    if lists::may_be_list(path) {
        let opened = open_list(path, None, options, watch);
        // Text files that are never lists.
        const ELSE: [&str; 3] = [
            "problem-list-names-no-image",
            "problem-folder-without-images",
            "problem-folder-empty",
        ];
        let is_other = |problem: &Problem| ELSE.iter().any(|id| problem.is(id));
        if !opened.as_ref().is_err_and(is_other) || lists::is_named_as_list(path) {
            return opened;
        }
    }
    let Some(kind) = kind_of(path)? else {
        return Err(Problem::new(message!("problem-no-folder-or-archive"))
            .at_path(path)
            .advise(message!("advice-give-folder-or-archive")));
    };
    let shelf = options
        .unpack_to
        .clone()
        .unwrap_or_else(|| cache_folder().join("unpacked"));
    let unpacked = unpacked(path, kind, &shelf, watch)?;
    let mut found = folder::open(&unpacked, None, options, watch).map_err(|mut problem| {
        problem.place = problem.place.replace(
            unpacked.to_string_lossy().as_ref(),
            path.to_string_lossy().as_ref(),
        );
        problem
    })?;
    found.skipped.extend(kept(&unpacked, LEFT_OUT));
    found.assumed.splice(0..0, kept(&unpacked, REMARKS));
    if found.name == file_name(&unpacked) {
        found.name = stem(path);
    }
    for sentence in &mut found.assumed {
        *sentence = sentence.replaced(&file_name(&unpacked), &stem(path));
    }
    found.origin = path.to_string_lossy().into_owned();
    Ok(found)
}

/// Opens the dataset that a list describes, by this column if one is given.
///
/// # Errors
/// Returns a Problem if the list names no image of its folder, or there is no usable dataset.
pub fn open_list(
    path: &Path,
    column: Option<&str>,
    options: &OpenOptions,
    watch: &Watch,
) -> Result<Found> {
    let path = dunce::canonicalize(path).unwrap_or_else(|_| path.to_path_buf());
    let wanted = lists::Wanted {
        path: &path,
        column,
    };
    let mut problem = None;
    for folder in lists::folders_of(&path) {
        match folder::open(&folder, Some(wanted), options, watch) {
            Ok(mut found) => {
                let remark = message!("remark-folder-as-dataset", file = file_name(&path));
                found.assumed.push(remark.into());
                return Ok(found);
            }
            Err(other) => problem = problem.or(Some(other)),
        }
    }
    Err(problem
        .unwrap_or_else(|| Problem::new(message!("problem-list-names-no-image")).at_path(&path)))
}

fn file_name(path: &Path) -> String {
    path.file_name()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned()
}

/// Returns the archive's name without its extensions.
fn stem(path: &Path) -> String {
    let name = file_name(path);
    let lower = name.to_ascii_lowercase();
    [".tar.gz", ".tar.xz", ".tgz", ".txz", ".tar", ".zip", ".tm"]
        .iter()
        .find(|ending| lower.ends_with(*ending))
        .map_or(name.clone(), |ending| {
            name[..name.len() - ending.len()].to_owned()
        })
}

/// Returns the kind of archive, detected by its content.
fn kind_of(path: &Path) -> Result<Option<ArchiveKind>> {
    let start =
        files::read_start(path, 512).map_err(|error| Problem::io("read the file", path, &error))?;
    Ok(
        if start.starts_with(b"PK\x03\x04") || start.starts_with(b"PK\x05\x06") {
            Some(ArchiveKind::Zip)
        } else if start.starts_with(&[0x1F, 0x8B]) {
            Some(ArchiveKind::TarGz)
        } else if start.starts_with(b"\xFD7zXZ\0") {
            Some(ArchiveKind::TarXz)
        } else if start.get(257..262) == Some(b"ustar") {
            Some(ArchiveKind::Tar)
        } else {
            None
        },
    )
}

/// Returns the folder of the unpacked archive, which is unpacked first if necessary.
fn unpacked(path: &Path, kind: ArchiveKind, shelf: &Path, watch: &Watch) -> Result<PathBuf> {
    let about =
        fs::metadata(path).map_err(|error| Problem::io("open the archive", path, &error))?;
    let target = shelf.join(format!("{}-{}", stem(path), identity(path, &about)));
    if target.is_dir() {
        mark_used(&target);
        return Ok(target);
    }
    fs::create_dir_all(shelf)
        .map_err(|error| Problem::io("create the cache folder", shelf, &error))?;
    sweep(shelf);
    let work = tempfile::Builder::new()
        .prefix("part-")
        .suffix(UNFINISHED)
        .tempdir_in(shelf)
        .map_err(|error| Problem::io("unpack the archive", shelf, &error))?;
    let mut unpacking = Unpacking {
        buffer: vec![0; 1 << 18],
        archive: path,
        into: work.path(),
        packed: about.len(),
        bytes: 0,
        files: 0,
        empty: 0,
        skipped: Vec::new(),
        remarks: Vec::new(),
        folders: Folders::new(is_blind_to_case(work.path())),
        watch,
    };
    let file = files::open(path).map_err(|error| Problem::io("open the archive", path, &error))?;
    let file = BufReader::with_capacity(1 << 18, file);
    match kind {
        ArchiveKind::Zip => unpacking.zip(file)?,
        ArchiveKind::Tar => unpacking.tar(file)?,
        ArchiveKind::TarGz => {
            unpacking.tar(BufReader::new(flate2::read::MultiGzDecoder::new(file)))?;
        }
        ArchiveKind::TarXz => {
            let xz = lzma_rust2::XzReader::new_mem_limit(file, true, XZ_MEMORY);
            unpacking.tar(BufReader::with_capacity(1 << 18, xz))?;
        }
    }
    // These files store message ids: keep the ids of the messages in this folder.
    let left_out = serde_json::to_vec(&unpacking.skipped).unwrap_or_default();
    let remarks = serde_json::to_vec(&unpacking.remarks).unwrap_or_default();
    for (name, bytes) in [(LEFT_OUT, left_out), (REMARKS, remarks)] {
        fs::write(work.path().join(name), bytes)
            .map_err(|error| Problem::io("unpack the archive", work.path(), &error))?;
    }
    let mut kept = 0;
    make_last(work.path(), &mut |files| {
        kept += files;
        watch.step(message!("doing-saving-files"), kept, None)
    })?;
    match fs::rename(work.path(), &target) {
        Ok(()) => {
            drop(work.keep());
            files::sync_folder(Some(shelf));
        }
        // Another program was faster.
        Err(_) if target.is_dir() => {}
        Err(error) => return Err(Problem::io("finish unpacking", &target, &error)),
    }
    mark_used(&target);
    Ok(target)
}

/// Syncs all files of a folder before it gets its final name, which marks it as complete. `step` receives the number of
/// further files; it stops by returning false.
fn make_last(folder: &Path, step: &mut dyn FnMut(usize) -> bool) -> Result<()> {
    let wrong = |error| Problem::io("store the unpacked files", folder, &error);
    let (mut here, mut below) = (Vec::new(), Vec::new());
    for entry in fs::read_dir(folder).map_err(wrong)? {
        let entry = entry.map_err(wrong)?;
        match entry.file_type().map_err(wrong)?.is_dir() {
            true => below.push(entry.path()),
            false => here.push(entry.path()),
        }
    }
    // An archive that has only empty folders is reported as well.
    if !step(0) {
        return Err(stopped());
    }
    for some in here.chunks(1024) {
        files::sync_all(some).map_err(wrong)?;
        if !step(some.len()) {
            return Err(stopped());
        }
    }
    below.iter().try_for_each(|path| make_last(path, step))?;
    files::sync_folder(Some(folder));
    Ok(())
}

/// Reads what was stored when an archive was unpacked.
fn kept<T: DeserializeOwned>(unpacked: &Path, name: &str) -> Vec<T> {
    let bytes = files::read(&unpacked.join(name), files::TABLE).unwrap_or_default();
    serde_json::from_slice(&bytes).unwrap_or_default()
}

/// Returns an identifier of an archive: its folder, length and modification time.
fn identity(path: &Path, about: &fs::Metadata) -> String {
    let mut hash = Sha256::new();
    let real = dunce::canonicalize(path).unwrap_or_else(|_| path.to_path_buf());
    hash.update(real.as_os_str().as_encoded_bytes());
    hash.update(about.len().to_le_bytes());
    let written = about
        .modified()
        .ok()
        .and_then(|time| time.duration_since(SystemTime::UNIX_EPOCH).ok());
    hash.update(written.unwrap_or_default().as_nanos().to_le_bytes());
    hex(&hash.finalize()[..6])
}

/// Marks an unpacked archive as used. If that fails, it is only removed earlier.
fn mark_used(unpacked: &Path) {
    let _ = fs::write(unpacked.join(USED), "");
}

/// Removes remains of killed programs, and unpacked archives that have not been used for long.
fn sweep(shelf: &Path) {
    let Ok(entries) = fs::read_dir(shelf) else {
        return;
    };
    let older = |path: &Path, than: Duration| {
        let written = fs::metadata(path).and_then(|about| about.modified());
        written.is_ok_and(|time| time.elapsed().is_ok_and(|age| age > than))
    };
    for path in entries.flatten().map(|entry| entry.path()) {
        if path
            .extension()
            .is_some_and(|ending| *ending == UNFINISHED[1..])
        {
            if older(&path, STALE) {
                let _ = fs::remove_dir_all(path);
            }
            continue;
        }
        // Older versions of the program did not write this marker.
        let mark = path.join(USED);
        let mark = if mark.exists() { &mark } else { &path };
        if path.is_dir() && !path.is_symlink() && older(mark, UNUSED) {
            // Renamed first, so that a half-deleted folder is not taken for a complete one.
            let name = format!("gone-{}{UNFINISHED}", file_name(&path));
            let gone = path.with_file_name(name);
            if fs::rename(&path, &gone).is_ok() {
                let _ = fs::remove_dir_all(gone);
            }
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn only_what_nobody_opened_for_long_is_swept() {
        let shelf = tempfile::tempdir().unwrap();
        let days = |days: u64| SystemTime::now() - Duration::from_secs(days * 24 * 3600);
        let make = |name: &str, folder: u64, mark: Option<u64>| {
            let path = shelf.path().join(name);
            fs::create_dir(&path).unwrap();
            if let Some(age) = mark {
                mark_used(&path);
                let file = fs::File::open(path.join(USED)).unwrap();
                file.set_modified(days(age)).unwrap();
            }
            let opened = fs::File::open(&path).unwrap();
            opened.set_modified(days(folder)).unwrap();
        };
        make("used-1", 300, Some(1));
        make("unused-2", 300, Some(61));
        make("older-3", 59, None);
        make("oldest-4", 61, None);
        make("part-a.unpacking", 2, None);
        make("part-b.unpacking", 0, None);
        sweep(shelf.path());
        let mut left: Vec<String> = fs::read_dir(shelf.path())
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        left.sort();
        assert_eq!(left, ["older-3", "part-b.unpacking", "used-1"]);
    }
}
