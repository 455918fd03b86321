//! Reads a packed run, which may come from someone else, so everything is checked before use.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::{self, BufReader, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use sha2::{Digest, Sha256};
use zip::ZipArchive;
use zip::result::ZipError;

use super::{FIGURES_FILE, FORMAT, MANIFEST_FILE, Manifest, PackedFile, is_run_file, redaction};
use crate::fetch::hex;
use crate::files::names::to_portable;
use crate::files::{self, sync_all, sync_folder};
use crate::message;
use crate::names::truncated_name;
use crate::problem::{Problem, Result};
use crate::run::event::RunHeader;
use crate::store::key::RunKey;
use crate::store::listing::{ListedRun, list_runs};
use crate::store::load::{load_plugin, load_run};
use crate::store::trash::unused_path;

/// Maximum unpacked size of a packed run in bytes.
const MAX_BYTES: u64 = 256 << 30;
/// Unpacked size in bytes up to which [`MAX_RATIO`] is not checked.
const UNCHECKED_BYTES: u64 = 256 << 20;
/// Maximum ratio of unpacked to packed size: tables shrink to a tenth, tensors hardly.
const MAX_RATIO: u64 = 100;
/// Maximum number of files of a run.
const MAX_FILES: usize = 100_000;
/// Prefix of the folder into which a run is being unpacked.
const UNFINISHED_PREFIX: &str = ".unpacking-";
/// Age after which such a folder counts as abandoned.
const STALE_AGE: Duration = Duration::from_secs(24 * 3600);
/// Size of the copy buffer in bytes.
const BUFFER_BYTES: usize = 1 << 18;
/// Size of the record at the end of a zip archive in bytes.
const END_RECORD_BYTES: usize = 22;

/// A packed run that was unpacked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unpacked {
    /// Its folder.
    pub folder: PathBuf,
    /// The name of an existing run that this run repeats exactly: the same experiment, class order and seed.
    pub repeats: Option<String>,
}

/// The result of extracting the files of a packed run.
#[derive(Clone, Debug)]
pub struct Extracted {
    /// The run's name.
    pub run: String,
    /// Number of files written.
    pub files: usize,
    /// Names of files that differ from the manifest.
    pub changed: Vec<String>,
}

/// Unpacks a run into a new folder below `root`, where it is then a run like any other. If it fails, nothing is left
/// behind.
///
/// # Errors
/// Returns a Problem if the file is not a packed run, is damaged or was changed, if the run already exists, or if the
/// folder cannot be written.
pub fn unpack(file: &Path, root: &Path) -> Result<Unpacked> {
    fs::create_dir_all(root)
        .map_err(|error| Problem::io("create the folder for runs", root, &error))?;
    remove_abandoned(root);
    let write_problem = |error| Problem::io("unpack the run", root, &error);
    let temp_folder = tempfile::Builder::new()
        .prefix(UNFINISHED_PREFIX)
        .tempdir_in(root)
        .map_err(write_problem)?;
    // It is one level deeper than runs, so that no list shows it yet.
    let inner = temp_folder.path().join("run");
    let extracted = extract(file, &inner)?;
    if let Some(name) = extracted.changed.first() {
        return Err(rejected(file, &format!("{name} differs from the packed file")));
    }
    // A run that cannot be loaded is refused.
    let loaded = load_run(&inner).map_err(|problem| {
        let what = format!("the packed run cannot be opened: {}", problem.what);
        Problem { what, ..problem }.at_path(file)
    })?;
    let key = RunKey::new(&redaction::redact_header(&loaded.header), &loaded.plugin);
    let mut duplicates = list_runs(root);
    duplicates.retain(|run| {
        let header = run.summary.as_ref().map(|summary| &summary.header);
        let same_order = |header: &RunHeader| header.class_order == loaded.header.class_order;
        header.is_ok_and(same_order) && redacted_key(run).as_ref() == Some(&key)
    });
    let is_same_run = |run: &&ListedRun| {
        let summary = run.summary.as_ref();
        summary.is_ok_and(|summary| summary.header.started == loaded.header.started)
    };
    if let Some(existing) = duplicates.iter().find(is_same_run) {
        return Err(Problem::new(message!("problem-run-exists", run = &existing.run))
            .at_path(&existing.folder)
            .advise(message!("advice-delete-existing-run")));
    }
    let folder = unused_path(root, &to_portable(&extracted.run), "");
    fs::rename(&inner, &folder).map_err(write_problem)?;
    sync_folder(Some(root));
    Ok(Unpacked { folder, repeats: duplicates.first().map(|run| run.run.clone()) })
}

/// Returns the key that a run would have if it were packed, so without paths.
fn redacted_key(run: &ListedRun) -> Option<RunKey> {
    let header = &run.summary.as_ref().ok()?.header;
    let plugin = load_plugin(&run.folder, header).ok()?;
    Some(RunKey::new(&redaction::redact_header(header), &plugin))
}

/// Extracts the files of a run into a new folder, and lists those that differ from the manifest.
///
/// # Errors
/// Returns a Problem if the file is not a packed run or is damaged, or if the folder cannot be written.
pub fn extract(file: &Path, destination: &Path) -> Result<Extracted> {
    let mut archive = open(file)?;
    let packed_bytes = files::length(file).unwrap_or_default();
    let manifest = manifest(&mut archive, file)?;
    check_complete(&archive, &manifest, file)?;
    check_size(&manifest, packed_bytes, file)?;
    let write_problem = |error: io::Error| Problem::io("unpack the run", destination, &error);
    fs::create_dir_all(destination).map_err(write_problem)?;
    let (mut changed, mut written_files) = (Vec::new(), Vec::new());
    let mut folders = BTreeSet::from([destination.to_path_buf()]);
    for part in &manifest.files {
        let target = (part.name != FIGURES_FILE).then(|| destination.join(&part.name));
        if let Some(folder) = target.as_deref().and_then(Path::parent) {
            fs::create_dir_all(folder).map_err(write_problem)?;
            folders.insert(folder.to_path_buf());
        }
        if !extract_file(&mut archive, part, target.as_deref(), file)? {
            changed.push(part.name.clone());
        }
        written_files.extend(target);
    }
    sync_all(&written_files).map_err(write_problem)?;
    folders.iter().for_each(|folder| sync_folder(Some(folder)));
    Ok(Extracted { run: manifest.run, files: written_files.len(), changed })
}

type Archive = ZipArchive<BufReader<File>>;

/// Opens the archive. If the number of entries differs from the number of names, two entries have the same name, and it
/// is refused.
fn open(path: &Path) -> Result<Archive> {
    let open_problem = |error: &io::Error| Problem::io("open the packed run", path, error);
    let mut file = files::open(path).map_err(|error| open_problem(&error))?;
    let mut end = [0; END_RECORD_BYTES];
    let result = file
        .seek(SeekFrom::End(-(END_RECORD_BYTES as i64)))
        .and_then(|_| file.read_exact(&mut end))
        .and_then(|()| file.rewind());
    if result.is_err() || !end.starts_with(b"PK\x05\x06") {
        return Err(rejected(path, "it is incomplete, or not a file from `lae-studio pack`"));
    }
    let entry_count = u16::from_le_bytes([end[10], end[11]]);
    let archive = files::open_zip(BufReader::with_capacity(BUFFER_BYTES, file))
        .map_err(|error| damaged(path, &error))?;
    let is_zip64 = entry_count == u16::MAX;
    if !is_zip64 && usize::from(entry_count) != archive.len() {
        return Err(rejected(path, "two of its files have the same name"));
    }
    Ok(archive)
}

/// Reads the manifest of a packed run.
fn manifest(archive: &mut Archive, path: &Path) -> Result<Manifest> {
    let entry = match archive.by_name(MANIFEST_FILE) {
        Err(ZipError::FileNotFound) => {
            return Err(rejected(path, "it is not a packed run: it has no manifest.json"));
        }
        other => other.map_err(|error| damaged(path, &error))?,
    };
    let mut text = Vec::new();
    let result = entry.take(files::TEXT + 1).read_to_end(&mut text);
    result.map_err(|error| damaged(path, &error))?;
    if text.len() as u64 > files::TEXT {
        return Err(rejected(path, "its manifest is too long"));
    }
    let manifest: Manifest = serde_json::from_slice(&text).map_err(|error| {
        rejected(path, &format!("its manifest is damaged in line {}", error.line()))
    })?;
    if manifest.format > FORMAT {
        return Err(Problem::new(message!("problem-packed-by-newer-version"))
            .at_path(path)
            .advise(message!("advice-use-newer-version")));
    }
    Ok(manifest)
}

/// Checks whether the archive contains exactly the files in the manifest, each only once, and only files of a run.
fn check_complete(archive: &Archive, manifest: &Manifest, path: &Path) -> Result<()> {
    let mut expected = BTreeSet::from([MANIFEST_FILE]);
    for part in &manifest.files {
        if part.name != FIGURES_FILE && !is_run_file(&part.name) {
            return Err(foreign_file(path, &part.name));
        }
        if !expected.insert(&part.name) {
            let why = format!("its manifest lists {} twice", part.name);
            return Err(rejected(path, &why));
        }
    }
    let present: BTreeSet<Cow<'_, str>> = archive
        .file_names()
        .collect::<std::result::Result<_, _>>()
        .map_err(|error| damaged(path, &error))?;
    if let Some(name) = present.iter().find(|name| !expected.contains(&***name)) {
        return Err(match is_run_file(name) {
            true => rejected(path, &format!("its manifest does not list {name}")),
            false => foreign_file(path, name),
        });
    }
    match expected.iter().find(|name| !present.contains(**name)) {
        Some(missing) => Err(rejected(path, &format!("{missing} is missing"))),
        None => Ok(()),
    }
}

/// Refuses a run that would fill the disk.
fn check_size(manifest: &Manifest, packed_bytes: u64, path: &Path) -> Result<()> {
    let sizes = manifest.files.iter().map(|part| part.bytes);
    let bytes = sizes.fold(0, u64::saturating_add);
    if manifest.files.len() > MAX_FILES || bytes > MAX_BYTES {
        return Err(rejected(path, "it is too large"));
    }
    if bytes > UNCHECKED_BYTES && bytes / MAX_RATIO > packed_bytes {
        let why = format!("it unpacks to more than {MAX_RATIO} times its size");
        return Err(rejected(path, &why));
    }
    Ok(())
}

/// Extracts one file and returns whether it matches the manifest. Never writes more bytes than the manifest states.
fn extract_file(
    archive: &mut Archive,
    part: &PackedFile,
    target: Option<&Path>,
    path: &Path,
) -> Result<bool> {
    let mut entry = archive.by_name(&part.name).map_err(|error| damaged(path, &error))?;
    if !entry.is_file() || entry.is_symlink() {
        let why = format!("{} is a link or a folder", part.name);
        return Err(rejected(path, &why));
    }
    let write_problem =
        |error: io::Error| Problem::io("unpack the run", target.unwrap_or(path), &error);
    let mut out = target.map(File::create_new).transpose().map_err(write_problem)?;
    let (mut hash, mut remaining) = (Sha256::new(), part.bytes);
    let mut buffer = vec![0; BUFFER_BYTES];
    loop {
        let read = match entry.read(&mut buffer) {
            Ok(0) => break,
            Ok(read) => read,
            Err(error) => return Err(damaged(path, &format!("{}: {error}", part.name))),
        };
        if read as u64 > remaining {
            let why = format!("{} is longer than stated in its manifest", part.name);
            return Err(rejected(path, &why));
        }
        remaining -= read as u64;
        hash.update(&buffer[..read]);
        if let Some(out) = &mut out {
            out.write_all(&buffer[..read]).map_err(write_problem)?;
        }
    }
    Ok(remaining == 0 && hex(&hash.finalize()) == part.sha256)
}

fn foreign_file(path: &Path, name: &str) -> Problem {
    rejected(path, &format!("{} is not a file of a run", truncated_name(name)))
}

fn rejected(path: &Path, why: &str) -> Problem {
    Problem::new(message!("problem-packed-run-rejected", why))
        .at_path(path)
        .advise(message!("advice-get-packed-run-again"))
}

fn damaged(path: &Path, error: &dyn std::fmt::Display) -> Problem {
    Problem::with_error("problem-packed-run-damaged", error)
        .at_path(path)
        .advise(message!("advice-copy-or-download-again"))
}

/// Removes folders left behind by killed programs.
fn remove_abandoned(root: &Path) {
    for path in fs::read_dir(root).into_iter().flatten().flatten().map(|entry| entry.path()) {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let modified = fs::symlink_metadata(&path).and_then(|metadata| metadata.modified());
        let is_stale = modified.is_ok_and(|time| time.elapsed().is_ok_and(|age| age > STALE_AGE));
        if name.starts_with(UNFINISHED_PREFIX) && is_stale && !path.is_symlink() {
            // If the removal fails, it is tried again the next time.
            let _ = fs::remove_dir_all(path);
        }
    }
}
