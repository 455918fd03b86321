//! Downloads a run that is trained on another machine, while it trains.
//!
//! Files are downloaded to a folder next to the runs. Once all files of a listing have arrived with the right hashes,
//! they are moved to the run's folder together, last those that mark a task as saved, so that readers always see a
//! consistent state of the run.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use crate::fetch::is_sha256;
use crate::message;
use crate::problem::{Problem, Result};
use crate::run::annotations::Annotations;
use crate::run::event::RunHeader;
use crate::run::wire::{ClientRequest, FileEntry, MAX_FILES, safe_relative_path};
use crate::serve::files::{
    NOT_COPIED, append_piece, complete_file, file_sha256, files_in_tree, relative_name,
};
use crate::store::{self, RunFolder, StoredState};

/// Folder of incomplete downloads, next to the runs.
const INCOMPLETE: &str = ".coming";
/// Interval between two listings of a running run.
const LIST_INTERVAL: Duration = Duration::from_secs(2);
/// Delay after a failure.
const RETRY_DELAY: Duration = Duration::from_secs(1);
/// Maximum size of a run in bytes.
const MAX_BYTES: u64 = 256 << 30;
/// Files that mark the run and its tasks as saved; moved last.
const MOVED_LAST: [&str; 2] = ["run.toml", "metrics.csv"];
/// Folder with the progress of an unfinished run.
const RESUME: &str = "resume";
/// Folder of a run's added tasks.
const ADDED: &str = "lessons";
/// File that marks an added task as saved.
const ADDED_TASK: &str = "/lesson.toml";

/// The current step.
enum Step {
    /// Waiting until this time.
    Wait(Instant),
    /// Listing the files; `is_final` if the run has ended, so that the listing is final.
    List { is_final: bool },
    /// Downloading files, currently the last of `remaining`.
    Download {
        is_final: bool,
        files: Vec<FileEntry>,
        remaining: Vec<FileEntry>,
        received: Vec<FileEntry>,
    },
}

/// A run that is being downloaded.
pub(super) struct Mirror {
    place: String,
    root: PathBuf,
    /// The run's name there.
    pub run: String,
    /// Its folder here.
    pub folder: PathBuf,
    /// Locked, so that no other program resumes it here.
    lock: Option<RunFolder>,
    hashes: HashMap<String, (u64, String)>,
    step: Step,
    /// Whether the run has ended there.
    has_ended: bool,
    /// Whether it is completely downloaded.
    pub is_complete: bool,
    failures: usize,
}

impl Mirror {
    /// Returns the download of the run with this name at a place.
    pub fn new(run: &str, place: &str, root: &Path) -> Result<Self> {
        let inner = safe_relative_path(run).filter(|inner| inner.iter().count() == 1);
        let inner = inner.ok_or_else(|| outside_run_problem(run))?;
        let run = inner.display().to_string();
        Ok(Self {
            place: place.to_string(),
            root: root.to_path_buf(),
            folder: store::local_folder(root, place, &run),
            run,
            lock: None,
            hashes: HashMap::new(),
            step: Step::Wait(Instant::now()),
            has_ended: false,
            is_complete: false,
            failures: 0,
        })
    }

    /// Returns whether it was completely downloaded before; a finished run does not change any more.
    pub fn was_downloaded(&self) -> bool {
        let about = store::load_annotations(&self.folder).0;
        let is_finished = |run: store::StoredRun| {
            let has_all_tasks = run.header.original_task_count() == run.header.planned_tasks();
            has_all_tasks && run.state == StoredState::Finished
        };
        about.place == self.place && store::load_run(&self.folder).is_ok_and(is_finished)
    }

    /// Returns the facts of the run as they are stored here.
    pub fn header(&self, mut header: RunHeader) -> RunHeader {
        header.run = store::run_name(&self.folder);
        header.folder.clone_from(&self.folder);
        header.about.place.clone_from(&self.place);
        header
    }

    /// Marks the run as ended: the next listing is final.
    pub fn mark_ended(&mut self) {
        self.has_ended = true;
        self.list_soon();
    }

    /// Lists the files as soon as no other step is in progress.
    pub fn list_soon(&mut self) {
        if matches!(self.step, Step::Wait(_)) {
            self.step = Step::Wait(Instant::now());
        }
    }

    /// Restarts the current step, because the connection was replaced and pending requests will not be answered.
    pub fn restart_step(&mut self) {
        self.step = Step::Wait(Instant::now());
    }

    /// Handles a failed request; returns the Problem after too many failures.
    pub fn record_failure(&mut self, problem: Problem) -> Option<Problem> {
        self.step = Step::Wait(Instant::now() + RETRY_DELAY);
        self.failures += 1;
        (self.failures >= 8).then_some(problem)
    }

    /// Returns whether it waits for an answer.
    pub fn is_asking(&self) -> bool {
        !matches!(self.step, Step::Wait(_))
    }

    /// Returns the next request, if one is due.
    pub fn next_request(&mut self) -> Option<ClientRequest> {
        let Step::Wait(until) = self.step else {
            return None;
        };
        if self.is_complete || Instant::now() < until {
            return None;
        }
        self.step = Step::List { is_final: self.has_ended };
        let run = self.run.clone();
        Some(ClientRequest::Files { run })
    }

    /// Handles a listing of files; returns the next request.
    ///
    /// # Errors
    /// Returns a Problem for paths outside the folder, too many files or bytes, and a folder that cannot be written.
    pub fn receive_files(&mut self, files: Vec<FileEntry>) -> Result<Option<ClientRequest>> {
        let Step::List { is_final } = self.step else {
            return Ok(None);
        };
        let sizes = files.iter().map(|file| file.bytes);
        let bytes = sizes.fold(0, u64::saturating_add);
        if files.len() > MAX_FILES || bytes > MAX_BYTES {
            return Err(Problem::new(message!("place-run-too-large")).at(&self.run));
        }
        if !store::is_run(&self.folder) {
            // The run may have been renamed here.
            self.folder = store::local_folder(&self.root, &self.place, &self.run);
        }
        let mut remaining = Vec::new();
        for file in &files {
            let inner =
                safe_relative_path(&file.path).filter(|_| !NOT_COPIED.contains(&&*file.path));
            let inner = inner.ok_or_else(|| outside_run_problem(&file.path))?;
            if !is_sha256(&file.sha256) {
                return Err(outside_run_problem(&file.sha256));
            }
            if !self.has(&inner, file) {
                remaining.push(file.clone());
            }
        }
        self.check_local_added_tasks(&files, &remaining)?;
        // Small files first, because metrics are needed first.
        remaining.sort_by_key(|file| std::cmp::Reverse(file.bytes));
        self.step = Step::Download { is_final, files, remaining, received: Vec::new() };
        self.next_piece_request()
    }

    /// Checks that no local added task would be overwritten.
    ///
    /// # Errors
    /// Returns a Problem if the run has local added tasks, and the one there has other tasks now.
    fn check_local_added_tasks(
        &mut self,
        files: &[FileEntry],
        remaining: &[FileEntry],
    ) -> Result<()> {
        let added = format!("{ADDED}/");
        let changes =
            |file: &FileEntry| MOVED_LAST.contains(&&*file.path) || file.path.starts_with(&added);
        if !remaining.iter().any(changes) {
            return Ok(());
        }
        for path in files_in_tree(&self.folder.join(ADDED)) {
            let Some(name) = relative_name(&path, &self.folder) else {
                continue;
            };
            let remote_file = files.iter().find(|file| file.path == name);
            let is_same = remote_file.is_some_and(|file| self.has(Path::new(&name), file));
            if name.ends_with(ADDED_TASK) && !is_same {
                let place = self.place.as_str();
                let what = message!("place-run-has-added-tasks", place);
                return Err(Problem::new(what)
                    .at_path(&self.folder)
                    .advise(message!("place-run-has-added-tasks-advice")));
            }
        }
        Ok(())
    }

    fn has(&mut self, inner: &Path, file: &FileEntry) -> bool {
        let path = self.folder.join(inner);
        let bytes = std::fs::metadata(&path).map_or(u64::MAX, |metadata| metadata.len());
        if bytes != file.bytes {
            return false;
        }
        let stored = self.hashes.get(&file.path).cloned();
        let stored = stored.or_else(|| Some((bytes, file_sha256(&path).ok()?)));
        let Some(stored) = stored else { return false };
        let is_same = stored == (file.bytes, file.sha256.clone());
        self.hashes.insert(file.path.clone(), stored);
        is_same
    }

    /// Returns the path of a file until its hash is checked.
    fn incomplete_path(&self, file: &FileEntry) -> PathBuf {
        let name: String = file.path.replace('/', "_").chars().take(80).collect();
        let name = format!("{}-{name}", &file.sha256);
        self.root.join(INCOMPLETE).join(&self.run).join(name)
    }

    /// Returns the path of a checked file until all others have arrived.
    fn ready_path(&self, file: &FileEntry) -> PathBuf {
        self.incomplete_path(file).with_extension("ready")
    }

    fn next_piece_request(&mut self) -> Result<Option<ClientRequest>> {
        loop {
            let Step::Download { remaining, .. } = &self.step else {
                return Ok(None);
            };
            let Some(file) = remaining.last().cloned() else {
                return self.move_into_place().map(|()| None);
            };
            if !self.ready_path(&file).is_file() {
                let from = std::fs::metadata(self.incomplete_path(&file))
                    .map_or(0, |metadata| metadata.len());
                let (run, path) = (self.run.clone(), file.path);
                return Ok(Some(ClientRequest::Piece { run, path, from }));
            }
            if let Step::Download { remaining, received, .. } = &mut self.step {
                received.extend(remaining.pop());
            }
        }
    }

    /// Handles a part of the requested file; returns the next request.
    ///
    /// # Errors
    /// Returns a Problem if the disk is full, or the file has changed meanwhile.
    pub fn receive_piece(
        &mut self,
        path: &str,
        from: u64,
        piece: &[u8],
    ) -> Result<Option<ClientRequest>> {
        let Step::Download { remaining, .. } = &self.step else {
            return Ok(None);
        };
        let Some(file) = remaining.last().filter(|file| file.path == path).cloned() else {
            return Ok(None);
        };
        let incomplete = self.incomplete_path(&file);
        let end = from.saturating_add(piece.len() as u64);
        if (piece.is_empty() && from < file.bytes) || end > file.bytes {
            let _ = std::fs::remove_file(&incomplete);
            return Err(Problem::new(message!("place-file-changed-while-copying")).at(path));
        }
        if append_piece(&incomplete, from, piece, file.bytes)? == file.bytes {
            complete_file(&incomplete, &self.ready_path(&file), &file)?;
        }
        self.next_piece_request()
    }

    /// Moves all files to the run's folder.
    fn move_into_place(&mut self) -> Result<()> {
        let wait = Step::Wait(Instant::now() + LIST_INTERVAL);
        let Step::Download { is_final, files, mut received, .. } =
            std::mem::replace(&mut self.step, wait)
        else {
            return Ok(());
        };
        if !received.is_empty() && self.lock.is_none() && store::is_run(&self.folder) {
            self.lock = Some(RunFolder::open(&self.folder)?);
        }
        received.sort_by_key(|file| {
            MOVED_LAST.contains(&&*file.path) || file.path.ends_with(ADDED_TASK)
        });
        for file in &received {
            let target = self.folder.join(&file.path);
            let io = |error| Problem::io("store a file of a run", &target, &error);
            if let Some(folder) = target.parent() {
                std::fs::create_dir_all(folder).map_err(io)?;
            }
            std::fs::rename(self.ready_path(file), &target).map_err(io)?;
            let stored = (file.bytes, file.sha256.clone());
            self.hashes.insert(file.path.clone(), stored);
        }
        self.remove_stale_checkpoint(&files);
        self.record_origin()?;
        self.failures = 0;
        if is_final {
            let _ = std::fs::remove_dir_all(self.root.join(INCOMPLETE).join(&self.run));
            // Fails while another run is being downloaded.
            let _ = std::fs::remove_dir(self.root.join(INCOMPLETE));
            self.lock = None;
            self.is_complete = true;
        } else if self.has_ended {
            self.list_soon();
        }
        Ok(())
    }

    /// Removes the checkpoint if the run there no longer has one. Other files that the run there does not have were
    /// added here and are kept.
    fn remove_stale_checkpoint(&self, files: &[FileEntry]) {
        let resume = self.folder.join(RESUME);
        for path in files_in_tree(&resume) {
            let name = relative_name(&path, &self.folder);
            if !files.iter().any(|file| Some(&file.path) == name.as_ref()) {
                let _ = std::fs::remove_file(path);
            }
        }
        let _ = std::fs::remove_dir(resume);
    }

    /// Records where the run was trained, and prevents other programs from resuming it.
    fn record_origin(&mut self) -> Result<()> {
        if !store::is_run(&self.folder) {
            return Ok(());
        }
        let about = store::load_annotations(&self.folder).0;
        if (&about.place, &about.remote_name) != (&self.place, &self.run) {
            let (place, remote_name) = (self.place.clone(), self.run.clone());
            let about = Annotations { place, remote_name, ..about };
            store::set_annotations(&self.folder, &about)?;
        }
        if self.lock.is_none() && !self.has_ended {
            self.lock = Some(RunFolder::open(&self.folder)?);
        }
        Ok(())
    }
}

fn outside_run_problem(path: &str) -> Problem {
    Problem::new(message!("place-file-outside-run"))
        .at(crate::names::truncated_name(path))
        .advise(message!("place-file-outside-run-advice"))
}
