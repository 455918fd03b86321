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

use super::{FIGURES_FILE, FORMAT, MANIFEST_FILE, Manifest, PackedFile, is_part, redaction};
use crate::fetch::hex;
use crate::files::names::portable;
use crate::files::{self, sync_all, sync_folder};
use crate::message;
use crate::names::shortened;
use crate::problem::{Problem, Result};
use crate::run::event::RunHeader;
use crate::store::key::RunKey;
use crate::store::listing::{ListedRun, list};
use crate::store::load::{load, plugin_of};
use crate::store::trash::free;

/// Maximum unpacked size of a packed run in bytes.
const MOST_BYTES: u64 = 256 << 30;
/// Unpacked size in bytes up to which [`RATIO`] is not checked.
const FREE_BYTES: u64 = 256 << 20;
/// Maximum ratio of unpacked to packed size: tables shrink to a tenth, tensors hardly.
const RATIO: u64 = 100;
/// Maximum number of files of a run.
const MOST_FILES: usize = 100_000;
/// Prefix of the folder into which a run is being unpacked.
const UNFINISHED: &str = ".unpacking-";
/// Age after which such a folder counts as abandoned.
const STALE: Duration = Duration::from_secs(24 * 3600);
/// Size of the copy buffer in bytes.
const PIECE: usize = 1 << 18;
/// Size of the record at the end of a zip archive in bytes.
const END: usize = 22;

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
    sweep(root);
    let unwritable = |error| Problem::io("unpack the run", root, &error);
    let work = tempfile::Builder::new()
        .prefix(UNFINISHED)
        .tempdir_in(root)
        .map_err(unwritable)?;
    // It is one level deeper than runs, so that no list shows it yet.
    let inner = work.path().join("run");
    let extracted = extract(file, &inner)?;
    if let Some(name) = extracted.changed.first() {
        return Err(refused(
            file,
            &format!("{name} differs from the packed file"),
        ));
    }
    // A run that cannot be loaded is refused.
    let own = load(&inner).map_err(|problem| {
        let what = format!("the packed run cannot be opened: {}", problem.what);
        Problem { what, ..problem }.at_path(file)
    })?;
    let key = RunKey::of(&redaction::header(&own.header), &own.plugin);
    let mut alike = list(root);
    alike.retain(|run| {
        let header = run.summary.as_ref().map(|summary| &summary.header);
        let same_order = |header: &RunHeader| header.class_order == own.header.class_order;
        header.is_ok_and(same_order) && key_of(run).as_ref() == Some(&key)
    });
    let began = |run: &&ListedRun| {
        let summary = run.summary.as_ref();
        summary.is_ok_and(|summary| summary.header.started == own.header.started)
    };
    if let Some(there) = alike.iter().find(began) {
        return Err(
            Problem::new(message!("problem-run-exists", run = &there.run))
                .at_path(&there.folder)
                .advise(message!("advice-delete-existing-run")),
        );
    }
    let folder = free(root, &portable(&extracted.run));
    fs::rename(&inner, &folder).map_err(unwritable)?;
    sync_folder(Some(root));
    Ok(Unpacked {
        folder,
        repeats: alike.first().map(|run| run.run.clone()),
    })
}

/// Returns the key that a run would have if it were packed, so without paths.
fn key_of(run: &ListedRun) -> Option<RunKey> {
    let header = &run.summary.as_ref().ok()?.header;
    let plugin = plugin_of(&run.folder, header).ok()?;
    Some(RunKey::of(&redaction::header(header), &plugin))
}

/// Extracts the files of a run into a new folder, and lists those that differ from the manifest.
///
/// # Errors
/// Returns a Problem if the file is not a packed run or is damaged, or if the folder cannot be written.
pub fn extract(file: &Path, into: &Path) -> Result<Extracted> {
    let mut archive = open(file)?;
    let packed = files::length(file).unwrap_or_default();
    let manifest = manifest(&mut archive, file)?;
    check_complete(&archive, &manifest, file)?;
    bounded(&manifest, packed, file)?;
    let unwritable = |error: io::Error| Problem::io("unpack the run", into, &error);
    fs::create_dir_all(into).map_err(unwritable)?;
    let (mut changed, mut written) = (Vec::new(), Vec::new());
    let mut folders = BTreeSet::from([into.to_path_buf()]);
    for part in &manifest.files {
        let target = (part.name != FIGURES_FILE).then(|| into.join(&part.name));
        if let Some(folder) = target.as_deref().and_then(Path::parent) {
            fs::create_dir_all(folder).map_err(unwritable)?;
            folders.insert(folder.to_path_buf());
        }
        if !extract_file(&mut archive, part, target.as_deref(), file)? {
            changed.push(part.name.clone());
        }
        written.extend(target);
    }
    sync_all(&written).map_err(unwritable)?;
    folders.iter().for_each(|folder| sync_folder(Some(folder)));
    Ok(Extracted {
        run: manifest.run,
        files: written.len(),
        changed,
    })
}

type Archive = ZipArchive<BufReader<File>>;

/// Opens the archive. If the number of entries differs from the number of names, two entries have the same name, and it
/// is refused.
fn open(path: &Path) -> Result<Archive> {
    let unread = |error: &io::Error| Problem::io("open the packed run", path, error);
    let mut file = files::open(path).map_err(|error| unread(&error))?;
    let mut end = [0; END];
    let read = file
        .seek(SeekFrom::End(-(END as i64)))
        .and_then(|_| file.read_exact(&mut end))
        .and_then(|()| file.rewind());
    if read.is_err() || !end.starts_with(b"PK\x05\x06") {
        return Err(refused(
            path,
            "it is incomplete, or not a file from `lae-studio pack`",
        ));
    }
    let listed = u16::from_le_bytes([end[10], end[11]]);
    let archive = files::open_zip(BufReader::with_capacity(PIECE, file))
        .map_err(|error| damaged(path, &error))?;
    let told_elsewhere = listed == u16::MAX;
    if !told_elsewhere && usize::from(listed) != archive.len() {
        return Err(refused(path, "two of its files have the same name"));
    }
    Ok(archive)
}

/// Reads the manifest of a packed run.
fn manifest(archive: &mut Archive, path: &Path) -> Result<Manifest> {
    let entry = match archive.by_name(MANIFEST_FILE) {
        Err(ZipError::FileNotFound) => {
            return Err(refused(
                path,
                "it is not a packed run: it has no manifest.json",
            ));
        }
        other => other.map_err(|error| damaged(path, &error))?,
    };
    let mut text = Vec::new();
    let read = entry.take(files::TEXT + 1).read_to_end(&mut text);
    read.map_err(|error| damaged(path, &error))?;
    if text.len() as u64 > files::TEXT {
        return Err(refused(path, "its manifest is too long"));
    }
    let manifest: Manifest = serde_json::from_slice(&text)
        .map_err(|error| refused(path, &format!("its manifest cannot be read: {error}")))?;
    if manifest.format > FORMAT {
        return Err(Problem::new(message!("problem-packed-by-newer-version"))
            .at_path(path)
            .advise(message!("advice-use-newer-version")));
    }
    Ok(manifest)
}

/// Checks whether the archive contains exactly the files in the manifest, each only once, and only files of a run.
fn check_complete(archive: &Archive, manifest: &Manifest, path: &Path) -> Result<()> {
    let mut named = BTreeSet::from([MANIFEST_FILE]);
    for part in &manifest.files {
        if part.name != FIGURES_FILE && !is_part(&part.name) {
            return Err(foreign(path, &part.name));
        }
        if !named.insert(&part.name) {
            let why = format!("its manifest lists {} twice", part.name);
            return Err(refused(path, &why));
        }
    }
    let there: BTreeSet<Cow<'_, str>> = archive
        .file_names()
        .collect::<std::result::Result<_, _>>()
        .map_err(|error| damaged(path, &error))?;
    if let Some(name) = there.iter().find(|name| !named.contains(&***name)) {
        return Err(match is_part(name) {
            true => refused(path, &format!("its manifest does not list {name}")),
            false => foreign(path, name),
        });
    }
    match named.iter().find(|name| !there.contains(**name)) {
        Some(missing) => Err(refused(path, &format!("{missing} is missing"))),
        None => Ok(()),
    }
}

/// Refuses a run that would fill the disk.
fn bounded(manifest: &Manifest, packed: u64, path: &Path) -> Result<()> {
    let sizes = manifest.files.iter().map(|part| part.bytes);
    let bytes = sizes.fold(0, u64::saturating_add);
    if manifest.files.len() > MOST_FILES || bytes > MOST_BYTES {
        return Err(refused(path, "it is too large"));
    }
    if bytes > FREE_BYTES && bytes / RATIO > packed {
        let why = format!("it unpacks to more than {RATIO} times its size");
        return Err(refused(path, &why));
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
    let mut entry = archive
        .by_name(&part.name)
        .map_err(|error| damaged(path, &error))?;
    if !entry.is_file() || entry.is_symlink() {
        let why = format!("{} is a link or a folder", part.name);
        return Err(refused(path, &why));
    }
    let unwritable =
        |error: io::Error| Problem::io("unpack the run", target.unwrap_or(path), &error);
    let mut out = target.map(create).transpose().map_err(unwritable)?;
    let (mut hash, mut left) = (Sha256::new(), part.bytes);
    let mut piece = vec![0; PIECE];
    loop {
        let read = match entry.read(&mut piece) {
            Ok(0) => break,
            Ok(read) => read,
            Err(error) => return Err(damaged(path, &format!("{}: {error}", part.name))),
        };
        if read as u64 > left {
            let why = format!("{} is longer than stated in its manifest", part.name);
            return Err(refused(path, &why));
        }
        left -= read as u64;
        hash.update(&piece[..read]);
        if let Some(out) = &mut out {
            out.write_all(&piece[..read]).map_err(unwritable)?;
        }
    }
    Ok(left == 0 && hex(&hash.finalize()) == part.sha256)
}

fn create(path: &Path) -> io::Result<File> {
    File::create_new(path)
}

fn foreign(path: &Path, name: &str) -> Problem {
    refused(path, &format!("{} is not a file of a run", shortened(name)))
}

fn refused(path: &Path, why: &str) -> Problem {
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
fn sweep(root: &Path) {
    for path in fs::read_dir(root)
        .into_iter()
        .flatten()
        .flatten()
        .map(|entry| entry.path())
    {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let written = fs::symlink_metadata(&path).and_then(|about| about.modified());
        let old = written.is_ok_and(|time| time.elapsed().is_ok_and(|age| age > STALE));
        if name.starts_with(UNFINISHED) && old && !path.is_symlink() {
            // If the removal fails, it is tried again the next time.
            let _ = fs::remove_dir_all(path);
        }
    }
}
