//! Reading runs back: one, all below a folder, or the one a person means.

use std::io::ErrorKind;
use std::panic::catch_unwind;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::TimeZone;
use serde::{Deserialize, Serialize};

use super::about::about;
use super::file::is_locked;
use super::record::{read_run_toml, run_name};
use super::tables::{MetricsRow, damaged_table, from_csv, read_answers, read_slots};
use super::{
    METRICS_FILE, PLUGIN_FILE, RUN_FILE, answers_file, checkpoint, checkpoint_file, lessons,
    slots_file, snapshot_file,
};
use crate::files;
use crate::metrics::{Expert, History, PromptStudy};
use crate::pet;
use crate::problem::{Problem, Result, listed};
use crate::run::about::About;
use crate::run::event::{Costs, RunHeader, TaskReport};
use crate::tensors::{self, Named};

/// Whether a run has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum RunState {
    /// Every task is saved.
    Finished,
    /// Stopped or killed; it can be continued.
    Interrupted {
        /// The task in hand, from 0.
        task: usize,
        /// Finished epochs of that task.
        epoch: usize,
    },
    /// A program works on it right now.
    Running,
}

/// A run as its folder holds it.
#[derive(Clone, Debug, PartialEq)]
pub struct StoredRun {
    /// Settings and facts.
    pub header: RunHeader,
    /// The exact text of the PET plugin; empty where the method trains none.
    pub plugin: String,
    /// What was measured after each saved task.
    pub reports: Vec<TaskReport>,
    /// Whether it has ended.
    pub state: RunState,
    /// Highest memory use of the training process, where the system tells.
    pub peak_memory_bytes: Option<u64>,
}

impl StoredRun {
    /// A_i and the accuracy matrix of one expert.
    pub fn history(&self, expert: Expert) -> History {
        let mut history = History::default();
        for report in &self.reports {
            let seen = &self.header.tasks[..=report.task];
            history.push(&report.answers, expert, seen);
        }
        history
    }

    /// A_i and the accuracy matrix of the expert whose answer is the run's.
    pub fn answers(&self) -> History {
        self.history(self.header.answering())
    }

    /// The study of DualPrompt's prompts, where every saved task was studied.
    pub fn prompt_study(&self) -> Option<PromptStudy> {
        PromptStudy::of(self.reports.iter().map(|report| &report.slots[..]))
    }

    /// Seconds spent on all saved tasks.
    pub fn seconds(&self) -> f64 {
        self.reports.iter().map(|report| report.seconds).sum()
    }

    /// What all saved tasks cost: images and seconds of training summed, the rest as it was after
    /// the last one.
    pub fn costs(&self) -> Costs {
        let all = self.reports.iter().map(|report| report.costs);
        all.fold(Costs::default(), |sum, task| Costs {
            // What a damaged table says may be any number.
            images_seen: sum.images_seen.saturating_add(task.images_seen),
            training_seconds: sum.training_seconds + task.training_seconds,
            ..task
        })
    }

    /// Images per second while training, over all saved tasks.
    pub fn images_per_second(&self) -> f64 {
        let (mut images, mut seconds) = (0.0, 0.0);
        for (report, &count) in self.reports.iter().zip(&self.header.train_images) {
            if report.images_per_second > 0.0 {
                images += count as f64;
                seconds += count as f64 / report.images_per_second;
            }
        }
        if seconds > 0.0 { images / seconds } else { 0.0 }
    }
}

/// Reads a run's folder.
///
/// # Errors
/// A Problem that names the missing or damaged file.
pub fn load(folder: &Path) -> Result<StoredRun> {
    let mut header = load_header(folder)?;
    let path = folder.join(PLUGIN_FILE);
    let plugin = match header.method.uses_pet {
        true => files::read_text(&path, files::TEXT)
            .map_err(|error| Problem::io("read the run's PET plugin", &path, &error))?,
        false => String::new(),
    };
    let sized = header.method.pet_sized;
    // Older versions did not note it.
    header.method.pet_sized = Some(sized.unwrap_or_else(|| pet::is_sized(&plugin)));
    let mut rows = metrics_rows(folder, header.tasks.len())?;
    let own = rows.iter().map(|row| report_of(folder, &header, row));
    let mut reports = own.collect::<Result<Vec<_>>>()?;
    let (mut header, taught) = lessons::with_lessons(folder, header, rows.len())?;
    header.about = about(folder).0;
    for (row, report) in taught {
        rows.push(row);
        reports.push(report);
    }
    let state = if reports.len() == header.tasks.len() {
        RunState::Finished
    } else if is_locked(folder) {
        RunState::Running
    } else {
        // A checkpoint of a task that is saved by now is from before that; one of a task that there is not is damaged.
        let (task, epoch) = checkpoint::peek(&checkpoint_file(folder))
            .filter(|(task, _)| (reports.len()..header.tasks.len()).contains(task))
            .unwrap_or((reports.len(), 0));
        RunState::Interrupted { task, epoch }
    };
    Ok(StoredRun {
        header,
        plugin,
        reports,
        state,
        peak_memory_bytes: rows.iter().filter_map(|row| row.peak_memory_bytes).max(),
    })
}

/// What was measured after a task, with the answers that lie in this folder.
pub(super) fn report_of(folder: &Path, header: &RunHeader, row: &MetricsRow) -> Result<TaskReport> {
    let task = row.task - 1;
    let path = answers_file(folder, task);
    let bytes = files::read(&path, files::TABLE)
        .map_err(|error| Problem::io("read the answers of a task", &path, &error))?;
    let most = (row.images, header.tasks[task].end, header.lessons.len());
    let answers = read_answers(&bytes, &path, &header.method.experts, most)?;
    let path = slots_file(folder, task);
    let slots = match files::read(&path, files::TABLE) {
        Ok(bytes) => read_slots(&bytes, &path, row.task)?,
        Err(error) if error.kind() == ErrorKind::NotFound => Vec::new(),
        Err(error) => return Err(Problem::io("read the study of prompts", &path, &error)),
    };
    Ok(row.report(answers, slots))
}

/// Reads the settings and facts of a run and nothing else.
fn load_header(folder: &Path) -> Result<RunHeader> {
    let path = folder.join(RUN_FILE);
    let text = match files::read_text(&path, files::TEXT) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Err(no_run(folder)),
        other => other.map_err(|error| Problem::io("read the run's settings", &path, &error))?,
    };
    read_run_toml(&text, folder, &path)
}

/// The rows of `metrics.csv`, one per saved task, in order.
fn metrics_rows(folder: &Path, tasks: usize) -> Result<Vec<MetricsRow>> {
    let path = folder.join(METRICS_FILE);
    let rows = read_metrics(&path)?;
    let in_order = rows.iter().enumerate().all(|(i, row)| row.task == i + 1);
    if in_order && rows.len() <= tasks {
        Ok(rows)
    } else {
        Err(damaged_table(&path, "its rows are not tasks 1, 2, …"))
    }
}

/// The rows of a `metrics.csv`; none where there is no such file.
pub(super) fn read_metrics(path: &Path) -> Result<Vec<MetricsRow>> {
    match files::read(path, files::TABLE) {
        Ok(bytes) => from_csv(&bytes, path),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(Vec::new()),
        Err(error) => Err(Problem::io("read the run's metrics", path, &error)),
    }
}

/// What answers after a task (from 0): the tensors of the method's snapshot.
///
/// # Errors
/// A Problem when the snapshot is missing or cannot be read.
pub fn load_snapshot(folder: &Path, task: usize) -> Result<Named> {
    let path = snapshot_file(&lessons::home(folder, task), task);
    let doing = format!("read the snapshot of task {}", task + 1);
    tensors::load(&path, &doing).map(|(tensors, _)| tensors)
}

/// When the snapshot of a task (from 0) was written; none where that cannot be told.
pub fn snapshot_time(folder: &Path, task: usize) -> Option<SystemTime> {
    let path = snapshot_file(&lessons::home(folder, task), task);
    std::fs::metadata(path).ok()?.modified().ok()
}

/// One entry of a list of runs.
#[derive(Clone, Debug)]
pub struct Listed {
    /// The run's name.
    pub run: String,
    /// Its folder.
    pub folder: PathBuf,
    /// What people say of it.
    pub about: About,
    /// What cannot be read of that.
    pub remark: Option<Problem>,
    /// What it holds, or why it cannot be read.
    pub stored: Result<StoredRun>,
}

/// The list entry of one run's folder. Whatever is in it, the other runs are listed, too.
pub fn entry(folder: &Path) -> Listed {
    let stored = catch_unwind(|| load(folder)).unwrap_or_else(|_| {
        Err(Problem::new("reading this run failed inside the program")
            .at_path(folder)
            .advise("move its folder away; the other runs are not affected"))
    });
    let (about, remark) = about(folder);
    Listed {
        run: run_name(folder),
        folder: folder.to_path_buf(),
        about,
        remark,
        stored,
    }
}

/// All runs below a folder, newest first; damaged ones with their Problem. A folder that does not
/// exist holds none.
pub fn list(root: &Path) -> Vec<Listed> {
    list_of(&[root])
}

/// All runs below these folders, newest first, whichever they lie in.
pub fn list_of(roots: &[&Path]) -> Vec<Listed> {
    let folders = roots.iter().flat_map(|root| run_folders(root));
    let mut runs: Vec<Listed> = folders.map(|path| entry(&path)).collect();
    let header = |entry: &Listed| {
        entry
            .stored
            .as_ref()
            .ok()
            .map(|run| run.header.started.clone())
    };
    runs.sort_by_cached_key(|entry| {
        let began = began(&entry.run, header(entry).as_deref());
        std::cmp::Reverse((began, entry.run.clone()))
    });
    runs
}

/// When a run began: as its header says, else as its name does, which begins with the local time.
/// A run without either counts as older than all others.
fn began(name: &str, started: Option<&str>) -> Option<Timestamp> {
    started.and_then(instant).or_else(|| {
        let time = DateTime::strptime("%Y-%m-%d_%H-%M-%S", name.get(..19)?).ok()?;
        Some(time.to_zoned(TimeZone::system()).ok()?.timestamp())
    })
}

/// A header's time; none for text that is no time.
pub(super) fn instant(time: &str) -> Option<Timestamp> {
    time.parse().ok()
}

/// The folders below `root` that are runs, whole or damaged.
fn run_folders(root: &Path) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(root) else {
        return Vec::new();
    };
    let paths = entries.flatten().map(|entry| entry.path());
    paths.filter(|path| is_run(path)).collect()
}

/// Whether a folder is a run, whole or damaged.
pub fn is_run(folder: &Path) -> bool {
    folder.join(RUN_FILE).exists() || folder.join(METRICS_FILE).exists()
}

/// Whether there is a run below this folder.
pub fn holds_runs(root: &Path) -> bool {
    !run_folders(root).is_empty()
}

/// The folder of the run a person means: a run's folder, a folder with a single run in it, a
/// run's name below `root` (or how it begins), what people call it, or `latest`, the one that began
/// last.
///
/// # Errors
/// A Problem that lists what there is.
pub fn find(root: &Path, wanted: &str) -> Result<PathBuf> {
    let path = Path::new(wanted);
    if is_run(path) {
        return Ok(path.to_path_buf());
    }
    if let [only] = run_folders(path).as_slice() {
        return Ok(only.clone());
    }
    let folders = run_folders(root);
    let mut names: Vec<String> = folders.iter().map(|path| run_name(path)).collect();
    names.sort_unstable_by(|a, b| b.cmp(a));
    let newest = (wanted == "latest").then(|| newest(&folders)).flatten();
    let fitting: Vec<&String> = match &newest {
        Some(name) => vec![name],
        None => names.iter().filter(|n| n.starts_with(wanted)).collect(),
    };
    let called: Vec<String> = match fitting.is_empty() {
        true => called(&folders, wanted),
        false => Vec::new(),
    };
    let fitting = match fitting.is_empty() {
        true => called.iter().collect(),
        false => fitting,
    };
    match fitting.as_slice() {
        [only] => Ok(root.join(only)),
        several if several.iter().any(|name| *name == wanted) => Ok(root.join(wanted)),
        [] if path.exists() => Err(no_run(path)),
        [] => {
            let remedy = if names.is_empty() {
                format!("there are no runs in {} yet", root.display())
            } else {
                format!("there are {}", listed(&names, 5))
            };
            Err(Problem::new(format!("no run is called \"{wanted}\""))
                .at_path(root)
                .advise(remedy))
        }
        several => Err(
            Problem::new(format!("\"{wanted}\" could be {} runs", several.len()))
                .at_path(root)
                .advise(format!("write more of the name: {}", listed(several, 5))),
        ),
    }
}

/// The names of the runs that people call so.
fn called(folders: &[PathBuf], wanted: &str) -> Vec<String> {
    let so = |folder: &&PathBuf| about(folder).0.name == wanted;
    folders
        .iter()
        .filter(so)
        .map(|path| run_name(path))
        .collect()
}

/// The name of the run that began last, which need not be the last by name: folders can be renamed.
fn newest(folders: &[PathBuf]) -> Option<String> {
    let when = |folder: &PathBuf| {
        let name = run_name(folder);
        let header = load_header(folder).ok();
        (
            began(&name, header.as_ref().map(|h| h.started.as_str())),
            name,
        )
    };
    folders.iter().map(when).max().map(|(_, name)| name)
}

/// A folder that holds no run.
pub(super) fn no_run(folder: &Path) -> Problem {
    Problem::new("this folder holds no run (it has no run.toml)")
        .at_path(folder)
        .advise("`lae-studio runs` lists the runs there are")
}
