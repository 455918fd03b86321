//! `RunFolder`: the only code that writes to a run's folder, and its lock.

use std::collections::HashMap;
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use sha2::{Digest, Sha256};

use super::checkpoint::{self, Checkpoint};
use super::csv_tables::{answers_csv, slots_csv};
use super::record::{self, no_run_problem, run_name, run_toml};
use super::snapshot::{self, SnapshotWriter};
use super::summary::{self, PendingUpdate};
use super::task_metrics::{MetricsRow, metrics_csv, read_metrics};
use super::{
    CONFUSION_FOLDER, METRICS_FILE, PLUGIN_FILE, PROMPTS_FOLDER, RESUME_FOLDER, RUN_FILE,
    STATE_FILE, added_tasks, answers_file, checkpoint_file, slots_file, snapshot_file,
};
use crate::fetch::hex;
use crate::files::Lock;
use crate::files::write::{lock_folder, remove_partial_files, save_file, save_problem, save_with};
use crate::files::{self, sync_folder};
use crate::memory;
use crate::message;
use crate::problem::{Problem, Result};
use crate::run::event::{RunHeader, TaskReport};
use crate::tensors::{self, GeneratedTensors, HostTensor, NamedTensors};

/// The folder of a run that this program works on. It is locked until this value is dropped.
#[derive(Debug)]
pub struct RunFolder {
    /// Where tasks are saved: the run's folder, or that of an added task being written.
    path: PathBuf,
    /// The first task that is saved there, from 0.
    first: usize,
    /// Holds the lock, which is released when the last copy is dropped or the program ends.
    lock: Arc<Lock>,
}

impl RunFolder {
    /// Creates a new folder in `root`, named by the time and the settings, and sets `header.run` and `header.folder`.
    ///
    /// # Errors
    /// Returns a Problem if the folder cannot be created or written.
    pub fn create(root: &Path, header: &mut RunHeader, plugin_text: &str) -> Result<Self> {
        std::fs::create_dir_all(root)
            .map_err(|error| Problem::io("create the folder for runs", root, &error))?;
        let path = create_run_folder(root, header)?;
        let folder = Self::write_initial_files(&path, header, plugin_text);
        if folder.is_err() {
            // An incomplete folder could not be resumed; the error is reported.
            let _ = std::fs::remove_dir_all(&path);
        }
        sync_folder(Some(root));
        folder
    }

    /// Writes the first files into a new folder.
    fn write_initial_files(path: &Path, header: &mut RunHeader, plugin_text: &str) -> Result<Self> {
        header.run = run_name(path);
        header.folder = path.to_path_buf();
        let folder = Self { lock: lock_folder(path)?.into(), path: path.to_path_buf(), first: 0 };
        if header.method.uses_pet {
            save_file(&folder.path.join(PLUGIN_FILE), plugin_text.as_bytes())?;
        }
        // Written last, because this file makes the folder a run.
        save_file(&folder.path.join(RUN_FILE), run_toml(header)?.as_bytes())?;
        summary::write_initial(path, header, plugin_text);
        Ok(folder)
    }

    /// Opens a run's folder to resume it.
    ///
    /// # Errors
    /// Returns a Problem if it is not a run, cannot be written, or is in use by another program.
    pub fn open(folder: &Path) -> Result<Self> {
        if !folder.join(RUN_FILE).is_file() {
            return Err(no_run_problem(folder));
        }
        let folder_lock = lock_folder(folder)?;
        // While this program waited for the lock, another one may have moved the run.
        if !folder.join(RUN_FILE).is_file() {
            return Err(no_run_problem(folder));
        }
        for subfolder in [RESUME_FOLDER, CONFUSION_FOLDER, PROMPTS_FOLDER] {
            let subfolder = folder.join(subfolder);
            reject_link(&subfolder)?;
            remove_partial_files(&subfolder);
        }
        added_tasks::remove_partial(folder);
        remove_partial_files(folder);
        Ok(Self { path: folder.to_path_buf(), first: 0, lock: folder_lock.into() })
    }

    /// Returns the same lock, with tasks from `first` (from 0) on saved in another folder.
    pub(super) fn with_destination(self, path: PathBuf, first: usize) -> Self {
        Self { path, first, ..self }
    }

    /// Returns whether an older version can resume the run with its present settings and facts.
    pub fn has_older_format(&self) -> bool {
        let text = files::read_text(&self.path.join(RUN_FILE), files::TEXT);
        text.is_ok_and(|text| record::is_older_format(&text))
    }

    /// Replaces the run's settings and facts.
    ///
    /// # Errors
    /// Returns a Problem if the folder cannot be written; the previous settings are kept.
    pub fn save_header(&self, header: &RunHeader) -> Result<()> {
        let text = run_toml(header)?;
        save_file(&self.path.join(RUN_FILE), text.as_bytes())?;
        summary::recompute(&self.path);
        Ok(())
    }

    /// Returns the lock, to hold it longer.
    pub(super) fn lock(&self) -> Arc<Lock> {
        self.lock.clone()
    }

    /// Returns the path of the folder.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Saves the measurements and the complete snapshot after a task; returns the number of bytes written. Reports of
    /// the same task and of later ones are replaced.
    ///
    /// # Errors
    /// Returns a Problem if the disk is full or the folder cannot be written; tasks saved before are kept.
    pub fn save_task(&self, report: &TaskReport, snapshot: &NamedTensors) -> Result<u64> {
        let metadata = snapshot::complete_metadata(report.task, snapshot)?;
        self.write_task(report, snapshot, metadata)
    }

    /// Saves a task like [`RunFolder::save_task`], but only the parts of the snapshot that are new since the previous
    /// task.
    ///
    /// # Errors
    /// Returns the same Problems as [`RunFolder::save_task`].
    pub fn save_task_incremental(
        &self,
        report: &TaskReport,
        mut snapshot: NamedTensors,
        writer: &mut SnapshotWriter,
    ) -> Result<u64> {
        let metadata = writer.strip_unchanged(&self.path, report.task, &mut snapshot)?;
        self.write_task(report, &snapshot, metadata)
    }

    fn write_task(
        &self,
        report: &TaskReport,
        snapshot: &NamedTensors,
        metadata: HashMap<String, String>,
    ) -> Result<u64> {
        // An added task is not part of the run until it is complete.
        let summary = (self.first == 0).then(|| PendingUpdate::start(&self.path));
        let path = snapshot_file(&self.path, report.task);
        let mut hash = Sha256::new();
        let mut bytes_written = save_with(&path, |out| {
            let out = &mut HashingWriter(out, &mut hash);
            tensors::write(out, snapshot, GeneratedTensors::new(), metadata)
        })?;
        let answers = answers_csv(&report.answers)?;
        create_folder(&self.path.join(CONFUSION_FOLDER))?;
        bytes_written += save_file(&answers_file(&self.path, report.task), &answers)?;
        if !report.slots.is_empty() {
            create_folder(&self.path.join(PROMPTS_FOLDER))?;
            let slots = slots_csv(&report.slots)?;
            bytes_written += save_file(&slots_file(&self.path, report.task), &slots)?;
        }
        // The row is written last, because it marks the task as saved.
        let path = self.path.join(METRICS_FILE);
        let mut rows = read_metrics(&path)?;
        rows.retain(|row| row.task <= report.task);
        if self.first + rows.len() != report.task {
            return Err(Problem::new(message!(
                "problem-task-unsaved",
                task = (report.task + 1).to_string(),
                rows = (self.first + rows.len()).to_string()
            ))
            .at_path(&path));
        }
        let peak = memory::run_peak_bytes();
        let mut row = MetricsRow::new(report, peak);
        row.snapshot_sha256 = hex(&hash.finalize());
        row.answers_sha256 = hex(&Sha256::digest(&answers));
        rows.push(row);
        bytes_written += save_file(&path, &metrics_csv(&rows)?)?;
        if let Some(summary) = summary {
            summary.finish(&self.path, report, peak);
        }
        Ok(bytes_written)
    }

    /// Replaces the checkpoint; `bulk` are further tensors of the method, generated while they are written. Returns the
    /// number of bytes written.
    ///
    /// # Errors
    /// Returns a Problem if the disk is full or the folder cannot be written; the previous checkpoint is kept.
    pub fn save_checkpoint(
        &self,
        checkpoint: &Checkpoint,
        bulk: GeneratedTensors<'_>,
    ) -> Result<u64> {
        create_folder(&self.path.join(RESUME_FOLDER))?;
        let path = checkpoint_file(&self.path);
        save_with(&path, |out| checkpoint.write(bulk, out))
    }

    /// Returns the checkpoint; `None` if none was saved.
    ///
    /// # Errors
    /// Returns a Problem if the file exists but cannot be read.
    pub fn load_checkpoint(&self) -> Result<Option<Checkpoint>> {
        let path = checkpoint_file(&self.path);
        match path.exists() {
            true => Checkpoint::load(&path).map(Some),
            false => Ok(None),
        }
    }

    /// Returns the task of the checkpoint, from 0, and the number of its finished epochs; `None` if no checkpoint can
    /// be read.
    pub fn checkpointed(&self) -> Option<(usize, usize)> {
        checkpoint::read_position(&checkpoint_file(&self.path))
    }

    /// Returns a tensor from the bulk of the checkpoint.
    ///
    /// # Errors
    /// Returns a Problem if it is missing or cannot be read.
    pub fn load_bulk(&self, name: &str) -> Result<HostTensor> {
        checkpoint::load_bulk(&checkpoint_file(&self.path), name)
    }

    /// Saves what the next added task needs in addition to the snapshot; returns the number of bytes written.
    ///
    /// # Errors
    /// Returns a Problem if the disk is full or the folder cannot be written.
    pub fn save_state(&self, state: &Checkpoint, bulk: GeneratedTensors<'_>) -> Result<u64> {
        save_with(&self.path.join(STATE_FILE), |out| state.write(bulk, out))
    }

    /// Returns what the next task needs in addition to the snapshot of `task` (from 0), with the file that contains its
    /// bulk tensors; `None` if it was not kept.
    ///
    /// # Errors
    /// Returns a Problem if the file exists but cannot be read.
    pub fn load_state(&self, task: usize) -> Result<Option<(Checkpoint, PathBuf)>> {
        let state_path = added_tasks::task_folder(&self.path, task).join(STATE_FILE);
        // A program that was killed just before the end of the run left the checkpoint.
        for path in [state_path, checkpoint_file(&self.path)] {
            if path.exists() {
                let state = Checkpoint::load(&path)?;
                if state.task == task {
                    return Ok(Some((state, path)));
                }
            }
        }
        Ok(None)
    }

    /// Finishes the run: removes the checkpoint, unless added tasks need it. (A run is finished when every task is
    /// saved.)
    ///
    /// # Errors
    /// Returns a Problem if the folder cannot be written.
    pub fn finish(&self, keep_state: bool) -> Result<()> {
        let resume = self.path.join(RESUME_FOLDER);
        let checkpoint = checkpoint_file(&self.path);
        if keep_state && checkpoint.exists() {
            let state = self.path.join(STATE_FILE);
            std::fs::rename(&checkpoint, &state).map_err(|error| save_problem(&state, &error))?;
        }
        match std::fs::remove_dir_all(&resume) {
            Err(error) if error.kind() != ErrorKind::NotFound => {
                Err(Problem::io("remove the checkpoint of the finished run", &resume, &error)
                    .advise(message!("advice-delete-folder-manually")))
            }
            _ => {
                sync_folder(Some(&self.path));
                Ok(())
            }
        }
    }
}

/// Creates a folder inside a run's folder if it does not exist. The run's own folder is not created again: if a user
/// renamed it, the run would be divided between two folders. Links are refused, because writing or deleting there would
/// affect other files.
pub(super) fn create_folder(path: &Path) -> Result<()> {
    reject_link(path)?;
    match std::fs::create_dir(path) {
        Err(error) if error.kind() != ErrorKind::AlreadyExists => Err(save_problem(path, &error)),
        _ => Ok(()),
    }
}

/// Returns a Problem if the path is a link.
fn reject_link(path: &Path) -> Result<()> {
    if !path.is_symlink() {
        return Ok(());
    }
    Err(Problem::new(message!("problem-run-folder-is-link"))
        .at_path(path)
        .advise(message!("advice-replace-link-with-folder")))
}

/// Creates the folder of a new run, such as `2026-11-21_09-30-12_digits-lae-adapter5`. If the name is in use, a number
/// is appended.
fn create_run_folder(root: &Path, header: &RunHeader) -> Result<PathBuf> {
    let time = jiff::Zoned::now().strftime("%Y-%m-%d_%H-%M-%S").to_string();
    let name = format!("{time}_{}", short_title(header));
    let mut number = 1;
    loop {
        let path =
            if number == 1 { root.join(&name) } else { root.join(format!("{name}-{number}")) };
        match std::fs::create_dir(&path) {
            Ok(()) => return Ok(path),
            Err(error) if error.kind() == ErrorKind::AlreadyExists && number < 10_000 => {
                number += 1;
            }
            Err(error) => return Err(Problem::io("create the run's folder", &path, &error)),
        }
    }
}

/// Returns dataset, method and PET as a file name of at most 40 characters that every file system supports.
fn short_title(header: &RunHeader) -> String {
    let mut title = format!("{}-{}", header.config.dataset_name(), header.config.method);
    if let Some(pet) = header.method.pet(&header.config) {
        title += &format!("-{}", pet.replace(' ', ""));
    }
    let sanitize = |c: char| if c.is_alphanumeric() { c } else { '-' };
    title.chars().map(sanitize).take(40).collect()
}

/// A writer that passes bytes to the inner writer and adds them to a SHA-256 hash.
struct HashingWriter<'a>(&'a mut dyn Write, &'a mut Sha256);

impl Write for HashingWriter<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.0.write(bytes)?;
        self.1.update(&bytes[..written]);
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}
