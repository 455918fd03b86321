//! Archives instead of folders: zip (including projects of Teachable Machine), tar, tar.gz, tar.xz, WebDataset,
//! Parquet.
//!
//! An archive is unpacked once into the cache folder and then opened as a folder. Nothing is written outside that
//! folder: only regular files and folders with plain relative names are extracted, links are not. Size, number of files
//! and compression ratio are limited. Unpacking uses a temporary name and ends with a rename, so an interrupted one is
//! repeated.

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

use super::{Found, OpenOptions, Watch, folder, foreign, lists, stopped};
use crate::files;
use crate::folders;
use crate::message;
use crate::problem::{Problem, Result};
use crate::texts::Message;
use crate::tree::{Tree, ending_of};
use cache::{UNFINISHED, identity, make_last, mark_used, sweep};
use unpack::Unpacking;

/// Memory for the dictionary of an xz file, in kB: `xz -9` needs 64 MB.
const XZ_MEMORY: u32 = 72 << 10;

/// Skipped files of an archive, stored next to its files (hidden, so that the dataset walk ignores it).
const LEFT_OUT: &str = ".left-out.json";
/// Remarks on an archive, stored in the same way.
const REMARKS: &str = ".remarks.json";

/// Returns the folder for unpacked archives and downloads: `LAE_STUDIO_CACHE`, else the system's cache folder.
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
    WebDataset,
    Parquet,
}

/// Opens a file as a dataset: an archive, or one of CIFAR's files in its folder.
///
/// # Errors
/// Returns a Problem for other files, a damaged or hostile archive, a full disk, or an archive without a dataset.
pub fn open(path: &Path, options: &OpenOptions, watch: &Watch) -> Result<Found> {
    if lists::may_be_list(path) {
        let opened = open_list(path, None, options, watch);
        // These Problems mean that a text file is not a list.
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
        let unknown = || {
            Problem::new(message!("problem-no-folder-or-archive"))
                .at_path(path)
                .advise(message!("advice-give-folder-or-archive"))
        };
        return Err(foreign::refusal(path).unwrap_or_else(unknown));
    };
    let kind = match webdataset::is_shard(path)? {
        true => ArchiveKind::WebDataset,
        false => kind,
    };
    open_packed(path, &[path.to_path_buf()], kind, options, watch)
}

/// Opens a folder of shards; `None` if it has none.
///
/// # Errors
/// Returns a Problem if a shard cannot be read, or if they have no usable dataset.
pub fn open_shards(folder: &Path, options: &OpenOptions, watch: &Watch) -> Result<Option<Found>> {
    let tree = Tree::walk(folder, watch)?;
    let shards = |ending: &str| -> Vec<PathBuf> {
        let dirs = tree.below(0).into_iter().map(|dir| &tree.dirs[dir]);
        let files = dirs.flat_map(|dir| dir.others.iter().map(|name| dir.path.join(name)));
        files
            .filter(|path| ending_of(path.as_os_str()) == ending)
            .collect()
    };
    let (parquet, tars) = (shards("parquet"), shards("tar"));
    let (files, kind) = match tars.first() {
        _ if !parquet.is_empty() => (parquet, ArchiveKind::Parquet),
        Some(first) if webdataset::is_shard(first)? => (tars, ArchiveKind::WebDataset),
        _ => return Ok(None),
    };
    open_packed(folder, &files, kind, options, watch).map(Some)
}

/// Opens an archive, or a folder of shards (`files`).
fn open_packed(
    path: &Path,
    files: &[PathBuf],
    kind: ArchiveKind,
    options: &OpenOptions,
    watch: &Watch,
) -> Result<Found> {
    let cache = options
        .unpack_to
        .clone()
        .unwrap_or_else(|| cache_folder().join("unpacked"));
    let unpacked = unpacked(path, files, kind, &cache, watch)?;
    let mut found = folder::open(&unpacked, None, options, watch).map_err(|mut problem| {
        problem.place = problem.place.replace(
            unpacked.to_string_lossy().as_ref(),
            path.to_string_lossy().as_ref(),
        );
        problem
    })?;
    found.skipped.extend(kept(&unpacked, LEFT_OUT));
    if matches!(kind, ArchiveKind::WebDataset | ArchiveKind::Parquet) {
        // The folders of these archives are the shards, so this remark does not apply.
        let is_of_folders = |message: &Message| message.is("remark-lists-override-folders");
        let remarks = &mut found.assumed;
        remarks.retain(|remark| !remark.message.as_ref().is_some_and(is_of_folders));
    }
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
    let wanted = lists::ListChoice {
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
    [
        ".tar.gz", ".tar.xz", ".tgz", ".txz", ".tar", ".zip", ".tm", ".parquet",
    ]
    .iter()
    .find(|ending| lower.ends_with(*ending))
    .map_or(name.clone(), |ending| {
        name[..name.len() - ending.len()].to_owned()
    })
}

/// Returns the kind of archive, detected by its content.
fn kind_of(path: &Path) -> Result<Option<ArchiveKind>> {
    /// Offsets, bytes there, and the kinds that these identify.
    const MARKS: [(usize, &[u8], ArchiveKind); 6] = [
        (0, b"PK\x03\x04", ArchiveKind::Zip),
        (0, b"PK\x05\x06", ArchiveKind::Zip),
        (0, b"\x1F\x8B", ArchiveKind::TarGz),
        (0, b"\xFD7zXZ\0", ArchiveKind::TarXz),
        (257, b"ustar", ArchiveKind::Tar),
        (0, b"PAR1", ArchiveKind::Parquet),
    ];
    let start =
        files::read_start(path, 512).map_err(|error| Problem::io("read the file", path, &error))?;
    let has = |at: usize, mark: &[u8]| start.get(at..).is_some_and(|rest| rest.starts_with(mark));
    let mut known = MARKS.into_iter().filter(|(at, mark, _)| has(*at, mark));
    Ok(known.next().map(|(.., kind)| kind))
}

/// Returns the content of a tar, unpacked if it is compressed; `None` for another file.
fn tar_reader(path: &Path) -> Result<Option<Box<dyn Read>>> {
    let kind = kind_of(path)?;
    let file = files::open(path).map_err(|error| Problem::io("open the archive", path, &error))?;
    let file = BufReader::with_capacity(1 << 18, file);
    Ok(match kind {
        Some(ArchiveKind::Tar) => Some(Box::new(file)),
        Some(ArchiveKind::TarGz) => Some(Box::new(flate2::read::MultiGzDecoder::new(file))),
        Some(ArchiveKind::TarXz) => Some(Box::new(lzma_rust2::XzReader::new_mem_limit(
            file, true, XZ_MEMORY,
        ))),
        _ => None,
    })
}

/// Returns the folder of the unpacked archive, or of all shards (`files`) of a folder. They are unpacked first if
/// necessary.
fn unpacked(
    path: &Path,
    files: &[PathBuf],
    kind: ArchiveKind,
    cache: &Path,
    watch: &Watch,
) -> Result<PathBuf> {
    let mut sources = files.to_vec();
    if kind == ArchiveKind::WebDataset {
        sources.extend(webdataset::class_names(path));
    }
    let (identity, packed) = identity(&sources)?;
    let target = cache.join(format!("{}-{identity}", stem(path)));
    if target.is_dir() {
        mark_used(&target);
        return Ok(target);
    }
    fs::create_dir_all(cache)
        .map_err(|error| Problem::io("create the cache folder", cache, &error))?;
    sweep(cache);
    let work = tempfile::Builder::new()
        .prefix("part-")
        .suffix(UNFINISHED)
        .tempdir_in(cache)
        .map_err(|error| Problem::io("unpack the archive", cache, &error))?;
    let mut unpacking = Unpacking::new(path, packed, work.path(), watch);
    match kind {
        ArchiveKind::Zip => {
            let file = files::open(path);
            let file = file.map_err(|error| Problem::io("open the archive", path, &error))?;
            unpacking.zip(BufReader::with_capacity(1 << 18, file))?;
        }
        ArchiveKind::WebDataset => unpacking.webdataset(path, files)?,
        ArchiveKind::Parquet => unpacking.parquet(path, files)?,
        _ => {
            if let Some(reader) = tar_reader(path)? {
                unpacking.tar(BufReader::with_capacity(1 << 18, reader))?;
            }
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
fn kept<T: DeserializeOwned>(unpacked: &Path, name: &str) -> Vec<T> {
    let bytes = files::read(&unpacked.join(name), files::TABLE).unwrap_or_default();
    serde_json::from_slice(&bytes).unwrap_or_default()
}
