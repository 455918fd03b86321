//! Packs a run into one file.

use std::fs::File;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

use super::{FIGURES_FILE, FORMAT, MANIFEST_FILE, Manifest, PackedFile, is_run_file, redaction};
use crate::fetch::hex;
use crate::files;
use crate::files::write::{is_locked, save_problem, write_with};
use crate::message;
use crate::problem::{Problem, Result};
use crate::store::initial_lora::{ADAPTER_CONFIG, PetStart, without_model_path};
use crate::store::load::{StoredRun, load_run};
use crate::store::record::{is_run, no_run_problem};
use crate::store::summary::RunSummary;
use crate::store::{
    ADDED_FOLDER, CONFUSION_FOLDER, PROMPTS_FOLDER, RESUME_FOLDER, RUN_FILE, START_FOLDER,
    TASK_FILE, added_tasks,
};

/// Size of the copy buffer in bytes.
const BUFFER_BYTES: usize = 1 << 18;

/// The result of packing a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Packed {
    /// Number of packed files.
    pub files: usize,
    /// Size of the packed run in bytes.
    pub bytes: u64,
    /// Whether the run has images of added tasks, which are not packed.
    pub omitted_images: bool,
}

/// The content of a file in the archive.
enum Content {
    File(PathBuf),
    Text(Vec<u8>),
}

/// Packs the run in `folder`, without its dataset, into the file `target`. If it fails, `target` is unchanged.
///
/// # Errors
/// Returns a Problem if the folder is not a run, is in use or cannot be read, or if the file cannot be written.
pub fn pack(folder: &Path, target: &Path) -> Result<Packed> {
    if !is_run(folder) {
        return Err(no_run_problem(folder));
    }
    if is_locked(folder) {
        return Err(Problem::new(message!("problem-run-in-use-not-packed"))
            .at_path(folder)
            .advise(message!("advice-wait-or-stop-there")));
    }
    let run = load_run(folder)?;
    let mut contents = contents(folder, &run)?;
    contents.push((FIGURES_FILE.into(), Content::Text(figures(&run)?)));
    contents.sort_by(|(a, _), (b, _)| a.cmp(b));
    let entries = contents.iter().map(|(name, content)| hash_entry(name, content));
    let manifest = Manifest {
        format: FORMAT,
        run: run.header.run.clone(),
        files: entries.collect::<Result<_>>()?,
    };
    write_with(target, |out| write(out, &manifest, &contents, (folder, target)))?;
    Ok(Packed {
        files: contents.len(),
        bytes: files::length(target).unwrap_or_default(),
        omitted_images: !run.header.added_tasks.is_empty(),
    })
}

/// Returns the figures of the run as JSON, without paths.
fn figures(run: &StoredRun) -> Result<Vec<u8>> {
    let mut summary = RunSummary::from_run(run).for_scripts();
    summary.config = redaction::redact_settings(&run.header);
    summary.backbone.clone_from(&summary.config.backbone);
    summary.folder = String::new();
    for task in &mut summary.added_tasks {
        task.source = String::new();
    }
    serde_json::to_vec_pretty(&summary)
        .map_err(|error| Problem::with_error("problem-run-metrics-unwritten", &error))
}

/// Returns the files of a run to pack, with their names in the archive.
fn contents(folder: &Path, run: &StoredRun) -> Result<Vec<(String, Content)>> {
    let subfolders = [CONFUSION_FOLDER, PROMPTS_FOLDER, RESUME_FOLDER, START_FOLDER];
    let mut folders = vec![String::new()];
    folders.extend(subfolders.map(String::from));
    for task in added_tasks::added_task_indices(folder) {
        let subfolder = format!("{ADDED_FOLDER}/task_{}", task + 1);
        let tables = [CONFUSION_FOLDER, PROMPTS_FOLDER].map(|table| format!("{subfolder}/{table}"));
        folders.push(subfolder);
        folders.extend(tables);
    }
    let mut found = Vec::new();
    for subfolder in folders {
        collect_files(folder, &subfolder, &mut found)?;
    }
    let read = |path: &Path| {
        files::read_text(path, files::TEXT)
            .map_err(|error| Problem::io("read a file of the run", path, &error))
    };
    let has_start = folder.join(START_FOLDER).is_dir();
    let start = has_start.then(|| PetStart::for_run(&run.header).ok().flatten()).flatten();
    let content = |(name, path): (String, PathBuf)| {
        let content = match name.rsplit('/').next() {
            Some(RUN_FILE) => {
                let mut text = redaction::redact_run_toml(&read(&path)?, &run.header)?;
                // Older versions recorded the hash of the adapter with its path.
                if let (Some(recorded), Some(start)) = (&run.header.start_sha256, &start) {
                    text = text.replace(recorded, &start.sha256);
                }
                Content::Text(text.into())
            }
            Some(ADAPTER_CONFIG) => Content::Text(without_model_path(read(&path)?.into_bytes())),
            Some(TASK_FILE) => {
                Content::Text(redaction::redact_added_task_toml(&read(&path)?)?.into())
            }
            _ => Content::File(path),
        };
        Ok((name, content))
    };
    found.into_iter().map(content).collect()
}

/// Adds the files to pack in `subfolder` of a run (with `/` between names), if it exists. Links are skipped.
fn collect_files(run: &Path, subfolder: &str, found: &mut Vec<(String, PathBuf)>) -> Result<()> {
    let folder = run.join(subfolder);
    if !folder.is_dir() || !subfolder.is_empty() && folder.is_symlink() {
        return Ok(());
    }
    let open_problem = |error| Problem::io("open the run's folder", &folder, &error);
    for entry in std::fs::read_dir(&folder).map_err(open_problem)? {
        let entry = entry.map_err(open_problem)?;
        let is_file = entry.file_type().map_err(open_problem)?.is_file();
        let Ok(file_name) = entry.file_name().into_string() else {
            continue;
        };
        let name = match subfolder {
            "" => file_name,
            subfolder => format!("{subfolder}/{file_name}"),
        };
        if is_file && is_run_file(&name) {
            found.push((name, entry.path()));
        }
    }
    Ok(())
}

impl Content {
    fn open(&self) -> Result<Box<dyn Read + '_>> {
        match self {
            Self::Text(bytes) => Ok(Box::new(bytes.as_slice())),
            Self::File(path) => {
                let file: File = files::open(path)
                    .map_err(|error| Problem::io("read a file of the run", path, &error))?;
                Ok(Box::new(file))
            }
        }
    }

    fn read_problem(&self, error: &io::Error) -> Problem {
        match self {
            Self::Text(_) => Problem::with_error("problem-run-unreadable", error),
            Self::File(path) => Problem::io("read a file of the run", path, error),
        }
    }

    /// Passes all bytes to `sink`, in pieces.
    fn stream_to(&self, mut sink: impl FnMut(&[u8]) -> Result<()>) -> Result<()> {
        let mut source = self.open()?;
        let mut buffer = vec![0; BUFFER_BYTES];
        loop {
            match source.read(&mut buffer).map_err(|error| self.read_problem(&error))? {
                0 => return Ok(()),
                read => sink(&buffer[..read])?,
            }
        }
    }
}

fn hash_entry(name: &str, content: &Content) -> Result<PackedFile> {
    let (mut hash, mut bytes) = (Sha256::new(), 0);
    content.stream_to(|chunk| {
        hash.update(chunk);
        bytes += chunk.len() as u64;
        Ok(())
    })?;
    Ok(PackedFile { name: name.to_string(), bytes, sha256: hex(&hash.finalize()) })
}

/// Writes the archive: the manifest, then all files in the order of the manifest.
fn write(
    out: &mut dyn Write,
    manifest: &Manifest,
    contents: &[(String, Content)],
    (folder, target): (&Path, &Path),
) -> Result<()> {
    let zip_problem = |error: zip::result::ZipError| match error {
        zip::result::ZipError::Io(error) => save_problem(target, &error),
        other => Problem::new(message!("problem-run-not-packed-why", other = other.to_string()))
            .at_path(target),
    };
    let io_problem = |error| save_problem(target, &error);
    let mut archive = ZipWriter::new_stream(out);
    let text = serde_json::to_vec_pretty(manifest)
        .map_err(|error| Problem::with_error("problem-run-not-packed", &error))?;
    archive.start_file(MANIFEST_FILE, options(MANIFEST_FILE, 0)).map_err(zip_problem)?;
    archive.write_all(&text).map_err(io_problem)?;
    for ((name, content), expected) in contents.iter().zip(&manifest.files) {
        archive.start_file(name.as_str(), options(name, expected.bytes)).map_err(zip_problem)?;
        let mut hash = Sha256::new();
        content.stream_to(|chunk| {
            hash.update(chunk);
            archive.write_all(chunk).map_err(io_problem)
        })?;
        if hex(&hash.finalize()) != expected.sha256 {
            let what = message!("problem-run-changed-while-packing", name);
            return Err(Problem::new(what).at_path(folder).advise(message!("advice-pack-again")));
        }
    }
    archive.finish().map(drop).map_err(zip_problem)
}

/// Returns options without time and platform, so that equal runs give equal archives. Tensors are stored uncompressed,
/// because they hardly shrink.
fn options(name: &str, bytes: u64) -> SimpleFileOptions {
    let method = match name.ends_with(".safetensors") {
        true => CompressionMethod::Stored,
        false => CompressionMethod::Deflated,
    };
    SimpleFileOptions::default()
        .compression_method(method)
        .last_modified_time(zip::DateTime::default())
        .unix_permissions(0o644)
        .large_file(bytes > u64::from(u32::MAX) / 2)
}
