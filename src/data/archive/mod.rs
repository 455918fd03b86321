//! Archives instead of folders: zip (including projects of Teachable Machine), tar, tar.gz, tar.xz, WebDataset,
//! Parquet.
//!
//! An archive is unpacked once into the cache folder, within the limits of `unpack`, and then opened as a folder.
//! Unpacking uses a temporary name and ends with a rename, so an interrupted one is repeated.

mod cache;
mod names;
mod parquet;
mod shards;
mod tars;
pub(super) mod teachable;
mod unpack;
mod webdataset;

use std::fs;
use std::io::{BufReader, Read};
use std::path::{Path, PathBuf};

use serde::de::DeserializeOwned;

use super::{OpenOptions, ProgressReporter, RawDataset, folder, lists, stopped, unsupported};
use crate::files;
use crate::folders;
use crate::message;
use crate::problem::{Problem, Result};
use crate::texts::Message;
use crate::tree::{Tree, file_extension};
use cache::{UNFINISHED, identity, mark_used, sweep, sync_files_below};
use unpack::Unpacker;

/// Memory for the dictionary of an xz file, in kB: `xz -9` needs 64 MB.
const XZ_MEMORY: u32 = 72 << 10;

/// Maximum bytes of an archive's name in the name of its folder. File systems allow 255, and the identity and the name
/// of a folder that [`sweep`] removes add up to 28.
const MAX_STEM_BYTES: usize = 200;

/// Skipped files of an archive, stored next to its files (hidden, so that the dataset walk ignores it).
const SKIPPED_FILE: &str = ".left-out.json";
/// Remarks on an archive, stored in the same way.
const REMARKS_FILE: &str = ".remarks.json";

/// Returns the folder for unpacked archives and downloads: `LAE_STUDIO_CACHE`, else the system's cache folder.
pub fn cache_folder() -> PathBuf {
    if let Some(folder) = std::env::var_os("LAE_STUDIO_CACHE").filter(|given| !given.is_empty()) {
        return PathBuf::from(folder);
    }
    folders::cache().unwrap_or_else(|| std::env::temp_dir().join("lae-studio"))
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ArchiveKind {
    Zip,
    Tar,
    TarGz,
    TarXz,
    WebDataset,
    Parquet,
}

/// Opens a file as a dataset: an archive, or a list of images.
///
/// # Errors
/// Returns a Problem for other files, a damaged or hostile archive, a full disk, or an archive without a dataset.
pub fn open(path: &Path, options: &OpenOptions, progress: &ProgressReporter) -> Result<RawDataset> {
    if lists::may_be_list(path) {
        let opened = open_list(path, None, options, progress);
        // These Problems mean that a text file is not a list.
        const NOT_A_LIST: [&str; 3] = [
            "problem-list-names-no-image",
            "problem-folder-without-images",
            "problem-folder-empty",
        ];
        let is_not_a_list = |problem: &Problem| NOT_A_LIST.iter().any(|id| problem.is(id));
        if !opened.as_ref().is_err_and(is_not_a_list) || lists::is_named_like_list(path) {
            return opened;
        }
    }
    let Some(kind) = detect_kind(path)? else {
        let unknown = || {
            Problem::new(message!("problem-no-folder-or-archive"))
                .at_path(path)
                .advise(message!("advice-give-folder-or-archive"))
        };
        return Err(unsupported::unsupported_problem(path).unwrap_or_else(unknown));
    };
    let kind = match webdataset::is_shard(path)? {
        true => ArchiveKind::WebDataset,
        false => kind,
    };
    open_unpacked(path, &[path.to_path_buf()], kind, options, progress)
}

/// Opens a folder of shards; `None` if it has none.
///
/// # Errors
/// Returns a Problem if a shard cannot be read, or if they have no usable dataset.
pub fn open_shards(
    folder: &Path,
    options: &OpenOptions,
    progress: &ProgressReporter,
) -> Result<Option<RawDataset>> {
    let tree = Tree::walk(folder, progress)?;
    let shards = |extension: &str| -> Vec<PathBuf> {
        let dirs = tree.folders_below(0).into_iter().map(|dir| &tree.dirs[dir]);
        let files = dirs.flat_map(|dir| dir.others.iter().map(|name| dir.path.join(name)));
        files.filter(|path| file_extension(path.as_os_str()) == extension).collect()
    };
    let (parquet, tars) = (shards("parquet"), shards("tar"));
    let (files, kind) = match tars.first() {
        _ if !parquet.is_empty() => (parquet, ArchiveKind::Parquet),
        Some(first) if webdataset::is_shard(first)? => (tars, ArchiveKind::WebDataset),
        _ => return Ok(None),
    };
    open_unpacked(folder, &files, kind, options, progress).map(Some)
}

/// Opens an archive, or a folder of shards (`files`).
fn open_unpacked(
    path: &Path,
    files: &[PathBuf],
    kind: ArchiveKind,
    options: &OpenOptions,
    progress: &ProgressReporter,
) -> Result<RawDataset> {
    let cache = options.unpack_to.clone().unwrap_or_else(|| cache_folder().join("unpacked"));
    let unpacked = unpack_archive(path, files, kind, &cache, progress)?;
    let mut found = folder::open(&unpacked, None, options, progress).map_err(|mut problem| {
        problem.place = problem
            .place
            .replace(unpacked.to_string_lossy().as_ref(), path.to_string_lossy().as_ref());
        problem
    })?;
    found.skipped.extend(read_stored(&unpacked, SKIPPED_FILE));
    if matches!(kind, ArchiveKind::WebDataset | ArchiveKind::Parquet) {
        // The folders of these archives are the shards, so this remark does not apply.
        let is_of_folders = |message: &Message| message.is("remark-lists-override-folders");
        let remarks = &mut found.assumed;
        remarks.retain(|remark| !remark.message.as_ref().is_some_and(is_of_folders));
    }
    found.assumed.splice(0..0, read_stored(&unpacked, REMARKS_FILE));
    if found.name == file_name(&unpacked) {
        found.name = archive_stem(path);
    }
    for sentence in &mut found.assumed {
        *sentence = sentence.replace_name(&file_name(&unpacked), &archive_stem(path));
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
    progress: &ProgressReporter,
) -> Result<RawDataset> {
    let path = dunce::canonicalize(path).unwrap_or_else(|_| path.to_path_buf());
    let choice = lists::ListChoice { path: &path, column };
    let mut problem = None;
    for folder in lists::candidate_folders(&path) {
        match folder::open(&folder, Some(choice), options, progress) {
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
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

/// Returns the archive's name without its extensions.
fn archive_stem(path: &Path) -> String {
    let name = file_name(path);
    let lower = name.to_ascii_lowercase();
    [".tar.gz", ".tar.xz", ".tgz", ".txz", ".tar", ".zip", ".tm", ".parquet"]
        .iter()
        .find(|extension| lower.ends_with(*extension))
        .map_or(name.clone(), |extension| name[..name.len() - extension.len()].to_owned())
}

/// Returns the name of the folder for an unpacked archive.
fn folder_name(stem: &str, identity: &str) -> String {
    format!("{}-{identity}", &stem[..stem.floor_char_boundary(MAX_STEM_BYTES)])
}

/// Returns the kind of archive, detected by its content.
fn detect_kind(path: &Path) -> Result<Option<ArchiveKind>> {
    /// Offsets, bytes there, and the kinds that these identify.
    const SIGNATURES: [(usize, &[u8], ArchiveKind); 6] = [
        (0, b"PK\x03\x04", ArchiveKind::Zip),
        (0, b"PK\x05\x06", ArchiveKind::Zip),
        (0, b"\x1F\x8B", ArchiveKind::TarGz),
        (0, b"\xFD7zXZ\0", ArchiveKind::TarXz),
        (257, b"ustar", ArchiveKind::Tar),
        (0, b"PAR1", ArchiveKind::Parquet),
    ];
    let start =
        files::read_start(path, 512).map_err(|error| Problem::io("read the file", path, &error))?;
    let has = |at: usize, signature: &[u8]| {
        start.get(at..).is_some_and(|rest| rest.starts_with(signature))
    };
    let mut matching = SIGNATURES.into_iter().filter(|(at, signature, _)| has(*at, signature));
    Ok(matching.next().map(|(.., kind)| kind))
}

/// Returns the content of a tar, unpacked if it is compressed; `None` for another file.
fn open_tar(path: &Path) -> Result<Option<Box<dyn Read>>> {
    let kind = detect_kind(path)?;
    let file = files::open(path).map_err(|error| Problem::io("open the archive", path, &error))?;
    let file = BufReader::with_capacity(1 << 18, file);
    Ok(match kind {
        Some(ArchiveKind::Tar) => Some(Box::new(file)),
        Some(ArchiveKind::TarGz) => Some(Box::new(flate2::read::MultiGzDecoder::new(file))),
        Some(ArchiveKind::TarXz) => {
            Some(Box::new(lzma_rust2::XzReader::new_mem_limit(file, true, XZ_MEMORY)))
        }
        _ => None,
    })
}

/// Returns the folder of the unpacked archive, or of all shards (`files`) of a folder. They are unpacked first if
/// necessary.
fn unpack_archive(
    path: &Path,
    files: &[PathBuf],
    kind: ArchiveKind,
    cache: &Path,
    progress: &ProgressReporter,
) -> Result<PathBuf> {
    let mut sources = files.to_vec();
    if kind == ArchiveKind::WebDataset {
        sources.extend(webdataset::class_names_file(path));
    }
    let (identity, packed) = identity(&sources)?;
    let target = cache.join(folder_name(&archive_stem(path), &identity));
    if target.is_dir() {
        mark_used(&target);
        return Ok(target);
    }
    fs::create_dir_all(cache)
        .map_err(|error| Problem::io("create the cache folder", cache, &error))?;
    sweep(cache);
    let work_folder = tempfile::Builder::new()
        .prefix("part-")
        .suffix(UNFINISHED)
        .tempdir_in(cache)
        .map_err(|error| Problem::io("unpack the archive", cache, &error))?;
    let mut unpacker = Unpacker::new(path, packed, work_folder.path(), progress);
    match kind {
        ArchiveKind::Zip => {
            let file = files::open(path);
            let file = file.map_err(|error| Problem::io("open the archive", path, &error))?;
            unpacker.unpack_zip(BufReader::with_capacity(1 << 18, file))?;
        }
        ArchiveKind::WebDataset => unpacker.unpack_webdataset(path, files)?,
        ArchiveKind::Parquet => unpacker.unpack_parquet(path, files)?,
        _ => {
            if let Some(reader) = open_tar(path)? {
                unpacker.unpack_tar(BufReader::with_capacity(1 << 18, reader))?;
            }
        }
    }
    // These files store message ids: keep the ids of the messages in this folder.
    let left_out = serde_json::to_vec(&unpacker.skipped).unwrap_or_default();
    let remarks = serde_json::to_vec(&unpacker.remarks).unwrap_or_default();
    for (name, bytes) in [(SKIPPED_FILE, left_out), (REMARKS_FILE, remarks)] {
        fs::write(work_folder.path().join(name), bytes)
            .map_err(|error| Problem::io("unpack the archive", work_folder.path(), &error))?;
    }
    let mut synced = 0;
    sync_files_below(work_folder.path(), &mut |files| {
        synced += files;
        progress.notify(message!("doing-saving-files"), synced, None)
    })?;
    match fs::rename(work_folder.path(), &target) {
        Ok(()) => {
            drop(work_folder.keep());
            files::sync_folder(Some(cache));
        }
        // Another program was faster.
        Err(_) if target.is_dir() => {}
        Err(error) => return Err(Problem::io("finish unpacking", &target, &error)),
    }
    mark_used(&target);
    Ok(target)
}

/// Reads what was stored when an archive was unpacked.
fn read_stored<T: DeserializeOwned>(unpacked: &Path, name: &str) -> Vec<T> {
    let bytes = files::read(&unpacked.join(name), files::TABLE).unwrap_or_default();
    serde_json::from_slice(&bytes).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folder_names_of_long_archives_are_shortened() {
        let identity = "0123456789ab";
        assert_eq!(folder_name("birds v1.2", identity), "birds v1.2-0123456789ab");
        for stem in ["x".repeat(250), "猫".repeat(83)] {
            let name = folder_name(&stem, identity);
            assert!(name.ends_with("-0123456789ab") && name.len() > 200, "{name}");
            assert!(format!("gone-{name}{UNFINISHED}").len() <= 255, "{name}");
        }
    }
}
