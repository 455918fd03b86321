//! Downloads a run that is trained on another machine, while it trains.
//!
//! Files are downloaded to a folder next to the runs. Once all files of a listing have arrived with the right hashes,
//! they are moved to the run's folder together, last those that mark a task as saved, so that readers always see a
//! consistent state of the run.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use crate::message;
use crate::problem::{Problem, Result};
use crate::run::about::About;
use crate::run::event::RunHeader;
use crate::run::wire::{ClientRequest, FileMark, MOST_FILES, inner_path};
use crate::serve::files::{append, files_below, inner_name, settle, sha256_of};
use crate::store::{self, RunFolder, StoredState};

/// Folder of incomplete downloads, next to the runs.
const COMING: &str = ".coming";
/// Interval between two listings of a running run.
const OFTEN: Duration = Duration::from_secs(2);
/// Delay after a failure.
const LATER: Duration = Duration::from_secs(1);
/// Maximum size of a run in bytes.
const MOST_BYTES: u64 = 256 << 30;
/// Files that belong to the local copy only.
const OWN: [&str; 3] = ["lock", "summary.json", "about.toml"];
/// Files that mark the run and its tasks as saved; moved last.
const LAST: [&str; 2] = ["run.toml", "metrics.csv"];
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
    /// Listing the files; `whole` if the run has ended, so that the listing is final.
    List { whole: bool },
    /// Downloading files, currently the last of `wanted`.
    Bring {
        whole: bool,
        all: Vec<FileMark>,
        wanted: Vec<FileMark>,
        come: Vec<FileMark>,
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
    held: Option<RunFolder>,
    known: HashMap<String, (u64, String)>,
    step: Step,
    /// Whether the run has ended there.
    ended: bool,
    /// Whether it is completely downloaded.
    pub is_home: bool,
    failures: usize,
}

impl Mirror {
    /// Returns the download of the run with this name at a place.
    pub fn new(run: &str, place: &str, root: &Path) -> Result<Self> {
        let inner = inner_path(run).filter(|inner| inner.iter().count() == 1);
        let inner = inner.ok_or_else(|| refused(run))?;
        let run = inner.display().to_string();
        Ok(Self {
            place: place.to_string(),
            root: root.to_path_buf(),
            folder: store::local_folder_of(root, place, &run),
            run,
            held: None,
            known: HashMap::new(),
            step: Step::Wait(Instant::now()),
            ended: false,
            is_home: false,
            failures: 0,
        })
    }

    /// Returns whether it was completely downloaded before; a finished run does not change any more.
    pub fn was_brought(&self) -> bool {
        let about = store::about(&self.folder).0;
        let whole = |run: store::StoredRun| {
            let own = run.header.own_tasks() == run.header.planned_tasks();
            own && run.state == StoredState::Finished
        };
        about.place == self.place && store::load(&self.folder).is_ok_and(whole)
    }

    /// Returns the facts of the run as they are stored here.
    pub fn header(&self, mut header: RunHeader) -> RunHeader {
        header.run = store::run_name(&self.folder);
        header.folder.clone_from(&self.folder);
        header.about.place.clone_from(&self.place);
        header
    }

    /// Marks the run as ended: the next listing is final.
    pub fn ends(&mut self) {
        self.ended = true;
        self.soon();
    }

    /// Lists the files as soon as no other step is in progress.
    pub fn soon(&mut self) {
        if matches!(self.step, Step::Wait(_)) {
            self.step = Step::Wait(Instant::now());
        }
    }

    /// Restarts the current step, because the connection was replaced and pending requests will not be answered.
    pub fn begin_again(&mut self) {
        self.step = Step::Wait(Instant::now());
    }

    /// Handles a failed request; returns the Problem after too many failures.
    pub fn fails(&mut self, problem: Problem) -> Option<Problem> {
        self.step = Step::Wait(Instant::now() + LATER);
        self.failures += 1;
        (self.failures >= 8).then_some(problem)
    }

    /// Returns whether it waits for an answer.
    pub fn is_asking(&self) -> bool {
        !matches!(self.step, Step::Wait(_))
    }

    /// Returns the next request, if one is due.
    pub fn due(&mut self) -> Option<ClientRequest> {
        let Step::Wait(until) = self.step else {
            return None;
        };
        if self.is_home || Instant::now() < until {
            return None;
        }
        self.step = Step::List { whole: self.ended };
        let run = self.run.clone();
        Some(ClientRequest::Files { run })
    }

    /// Handles a listing of files; returns the next request.
    ///
    /// # Errors
    /// Returns a Problem for paths outside the folder, too many files or bytes, and a folder that cannot be written.
    pub fn receive_files(&mut self, all: Vec<FileMark>) -> Result<Option<ClientRequest>> {
        let Step::List { whole } = self.step else {
            return Ok(None);
        };
        let sizes = all.iter().map(|mark| mark.bytes);
        let bytes = sizes.fold(0, u64::saturating_add);
        if all.len() > MOST_FILES || bytes > MOST_BYTES {
            return Err(Problem::new(message!("place-run-too-large")).at(&self.run));
        }
        if !store::is_run(&self.folder) {
            // The run may have been renamed here.
            self.folder = store::local_folder_of(&self.root, &self.place, &self.run);
        }
        let mut wanted = Vec::new();
        for mark in &all {
            let inner = inner_path(&mark.path).filter(|_| !OWN.contains(&&*mark.path));
            let inner = inner.ok_or_else(|| refused(&mark.path))?;
            if mark.sha256.len() != 64 || !mark.sha256.bytes().all(|b| b.is_ascii_hexdigit()) {
                return Err(refused(&mark.sha256));
            }
            if !self.has(&inner, mark) {
                wanted.push(mark.clone());
            }
        }
        self.check_local_added_tasks(&all, &wanted)?;
        // Small files first, because metrics are needed first.
        wanted.sort_by_key(|mark| std::cmp::Reverse(mark.bytes));
        self.step = Step::Bring {
            whole,
            all,
            wanted,
            come: Vec::new(),
        };
        self.next()
    }

    /// Checks that no local added task would be overwritten.
    ///
    /// # Errors
    /// Returns a Problem if the run has local added tasks, and the one there has other tasks now.
    fn check_local_added_tasks(&mut self, all: &[FileMark], wanted: &[FileMark]) -> Result<()> {
        let added = format!("{ADDED}/");
        let changes =
            |mark: &FileMark| LAST.contains(&&*mark.path) || mark.path.starts_with(&added);
        if !wanted.iter().any(changes) {
            return Ok(());
        }
        for path in files_below(&self.folder.join(ADDED)) {
            let Some(name) = inner_name(&path, &self.folder) else {
                continue;
            };
            let there = all.iter().find(|mark| mark.path == name);
            let same = there.is_some_and(|mark| self.has(Path::new(&name), mark));
            if name.ends_with(ADDED_TASK) && !same {
                let place = self.place.as_str();
                let what = message!("place-run-has-added-tasks", place);
                return Err(Problem::new(what)
                    .at_path(&self.folder)
                    .advise(message!("place-run-has-added-tasks-advice")));
            }
        }
        Ok(())
    }

    fn has(&mut self, inner: &Path, mark: &FileMark) -> bool {
        let path = self.folder.join(inner);
        let bytes = std::fs::metadata(&path).map_or(u64::MAX, |about| about.len());
        if bytes != mark.bytes {
            return false;
        }
        let known = self.known.get(&mark.path).cloned();
        let known = known.or_else(|| Some((bytes, sha256_of(&path).ok()?)));
        let Some(known) = known else { return false };
        let same = known == (mark.bytes, mark.sha256.clone());
        self.known.insert(mark.path.clone(), known);
        same
    }

    /// Returns the path of a file until its hash is checked.
    fn coming(&self, mark: &FileMark) -> PathBuf {
        let name: String = mark.path.replace('/', "_").chars().take(80).collect();
        let name = format!("{}-{name}", &mark.sha256);
        self.root.join(COMING).join(&self.run).join(name)
    }

    /// Returns the path of a checked file until all others have arrived.
    fn ready(&self, mark: &FileMark) -> PathBuf {
        self.coming(mark).with_extension("ready")
    }

    fn next(&mut self) -> Result<Option<ClientRequest>> {
        loop {
            let Step::Bring { wanted, .. } = &self.step else {
                return Ok(None);
            };
            let Some(mark) = wanted.last().cloned() else {
                return self.place().map(|()| None);
            };
            if !self.ready(&mark).is_file() {
                let from = std::fs::metadata(self.coming(&mark)).map_or(0, |about| about.len());
                let (run, path) = (self.run.clone(), mark.path);
                return Ok(Some(ClientRequest::Piece { run, path, from }));
            }
            if let Step::Bring { wanted, come, .. } = &mut self.step {
                come.extend(wanted.pop());
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
        let Step::Bring { wanted, .. } = &self.step else {
            return Ok(None);
        };
        let Some(mark) = wanted.last().filter(|mark| mark.path == path).cloned() else {
            return Ok(None);
        };
        let coming = self.coming(&mark);
        let end = from.saturating_add(piece.len() as u64);
        if (piece.is_empty() && from < mark.bytes) || end > mark.bytes {
            let _ = std::fs::remove_file(&coming);
            return Err(Problem::new(message!("place-file-changed-while-copying")).at(path));
        }
        if append(&coming, from, piece, mark.bytes)? == mark.bytes {
            settle(&coming, &self.ready(&mark), &mark)?;
        }
        self.next()
    }

    /// Moves all files to the run's folder.
    fn place(&mut self) -> Result<()> {
        let now = Step::Wait(Instant::now() + OFTEN);
        let Step::Bring {
            whole,
            all,
            mut come,
            ..
        } = std::mem::replace(&mut self.step, now)
        else {
            return Ok(());
        };
        if !come.is_empty() && self.held.is_none() && store::is_run(&self.folder) {
            self.held = Some(RunFolder::open(&self.folder)?);
        }
        come.sort_by_key(|mark| LAST.contains(&&*mark.path) || mark.path.ends_with(ADDED_TASK));
        for mark in &come {
            let target = self.folder.join(&mark.path);
            let io = |error| Problem::io("store a file of a run", &target, &error);
            if let Some(folder) = target.parent() {
                std::fs::create_dir_all(folder).map_err(io)?;
            }
            std::fs::rename(self.ready(mark), &target).map_err(io)?;
            let known = (mark.bytes, mark.sha256.clone());
            self.known.insert(mark.path.clone(), known);
        }
        self.sweep(&all);
        self.note()?;
        self.failures = 0;
        if whole {
            let _ = std::fs::remove_dir_all(self.root.join(COMING).join(&self.run));
            // Fails while another run is being downloaded.
            let _ = std::fs::remove_dir(self.root.join(COMING));
            self.held = None;
            self.is_home = true;
        } else if self.ended {
            self.soon();
        }
        Ok(())
    }

    /// Removes the checkpoint if the run there no longer has one. Other files that the run there does not have were
    /// added here and are kept.
    fn sweep(&self, all: &[FileMark]) {
        let resume = self.folder.join(RESUME);
        for path in files_below(&resume) {
            let name = inner_name(&path, &self.folder);
            if !all.iter().any(|mark| Some(&mark.path) == name.as_ref()) {
                let _ = std::fs::remove_file(path);
            }
        }
        let _ = std::fs::remove_dir(resume);
    }

    /// Records where the run was trained, and prevents other programs from resuming it.
    fn note(&mut self) -> Result<()> {
        if !store::is_run(&self.folder) {
            return Ok(());
        }
        let about = store::about(&self.folder).0;
        if (&about.place, &about.remote_name) != (&self.place, &self.run) {
            let (place, there) = (self.place.clone(), self.run.clone());
            let about = About {
                place,
                remote_name: there,
                ..about
            };
            store::set_about(&self.folder, &about)?;
        }
        if self.held.is_none() && !self.ended {
            self.held = Some(RunFolder::open(&self.folder)?);
        }
        Ok(())
    }
}

fn refused(path: &str) -> Problem {
    Problem::new(message!("place-file-outside-run"))
        .at(crate::names::shortened(path))
        .advise(message!("place-file-outside-run-advice"))
}
