//! The summary of a run without its predictions, in `summary.json` of its folder. Lists, Compare, filters and scripts
//! read only this file.
//!
//! It is written at the start and after every task and added task. It contains nothing that cannot be computed from the
//! other files. If it is missing, damaged, of another version or older than the other files, it is computed again and
//! saved if the folder can be written.

use std::path::Path;
use std::sync::LazyLock;
use std::time::UNIX_EPOCH;

use serde::{Deserialize, Serialize};

use super::correct_answers::CorrectPredictions;
use super::key::{RunKey, plugin_hash, settings_key};
use super::load::{StoredRun, StoredState, load, plugin_of, state};
use super::measured::{MetricsRow, report_of};
use super::record::{MOST_IMAGES, run_name};
use super::{
    METRICS_FILE, PLUGIN_FILE, RUN_FILE, SUMMARY_FILE, TASK_FILE, added_tasks, answers_file,
};
use crate::files;
use crate::files::write::keep_unsynced;
use crate::message;
use crate::metrics::{
    Answers, ByExpert, ClassCounts, Expert, Histories, PromptStudy, Tally, TaskCounts,
    calibration_error,
};
use crate::problem::{Problem, Result};
use crate::run::config::RunConfig;
use crate::run::event::{RunHeader, TaskReport};

/// Version of the file, raised when the file or the computation of a figure changes.
const VERSION: u32 = 6;

/// The key of the default settings; it changes when a setting is added or a default changes.
static SETTINGS: LazyLock<String> = LazyLock::new(|| settings_key(&RunConfig::default()));

/// The summary of a run without its answers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RunSummary {
    /// Settings and facts. The file itself contains neither name, folder nor note of the run.
    pub header: RunHeader,
    /// The key, which decides which other runs are repetitions.
    pub key: RunKey,
    /// SHA-256 of the PET plugin's text, in hex; empty if the method trains no PET.
    pub plugin_sha256: String,
    /// The rows of `metrics.csv`; those of added tasks are last.
    #[serde(with = "rows")]
    rows: Vec<MetricsRow>,
    /// Correct predictions after each saved task.
    pub counts: Vec<TaskCounts>,
    /// More about the predictions after the latest task; `None` if no task is saved.
    pub latest: Option<LatestFigures>,
    /// The study of DualPrompt's prompts, if every saved task was studied.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prompt_study: Option<PromptStudy>,
    /// Highest memory use of the training process, if the system reports it.
    pub peak_memory_bytes: Option<u64>,
    /// Whether the run is finished; each reader of the file determines it again.
    #[serde(skip)]
    pub state: StoredState,
}

/// Figures of the predictions after the latest task.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LatestFigures {
    /// Correct predictions of each expert.
    pub tallies: ByExpert<Tally>,
    /// Correct predictions of the run for the images of its first task.
    pub first: Tally,
    /// The run's predictions by class.
    pub classes: ClassCounts,
    /// Expected calibration error of the run's predictions (0..=1); `None` if the scores are not probabilities, and for
    /// runs of versions that did not record scores.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub calibration_error: Option<f64>,
    /// Which images are classified correctly; `None` if the images are not identified.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answered: Option<CorrectPredictions>,
}

impl LatestFigures {
    /// Computes the figures of the predictions after this task (from 0).
    fn new(header: &RunHeader, task: usize, answers: &Answers) -> Self {
        let tally = |expert: &Expert| (*expert, Tally::of(answers, *expert));
        let first = header.tasks.first().cloned().unwrap_or_default();
        let seen = header.tasks.get(task).map_or(0, |task| task.end);
        Self {
            tallies: answers.given.keys().map(tally).collect(),
            first: Tally::within(answers, header.answering(), &first),
            classes: ClassCounts::of(answers, header.answering(), seen),
            calibration_error: match header.method.why_uncalibrated() {
                None => calibration_error(answers, header.answering()),
                Some(_) => None,
            },
            answered: CorrectPredictions::new(header, answers),
        }
    }
}

impl RunSummary {
    /// Computes the summary of a run whose predictions are loaded.
    pub fn of(run: &StoredRun) -> Self {
        let mut summary = Self {
            header: run.header.clone(),
            key: RunKey::of(&run.header, &run.plugin),
            plugin_sha256: plugin_hash(&run.plugin),
            rows: Vec::new(),
            counts: Vec::new(),
            latest: None,
            prompt_study: PromptStudy::of(run.reports.iter().map(|report| &report.slots[..])),
            peak_memory_bytes: run.peak_memory_bytes,
            state: run.state,
        };
        for report in &run.reports {
            summary.count(report);
        }
        let last = run.reports.last();
        summary.latest = last.map(|last| LatestFigures::new(&run.header, last.task, &last.answers));
        summary
    }

    /// Returns the measurements after each saved task, without predictions and study of prompts.
    pub fn reports(&self) -> Vec<TaskReport> {
        let rows = self.rows.iter();
        rows.map(|row| row.report(Answers::default(), Vec::new()))
            .collect()
    }

    /// Returns the accuracies of each expert, task by task.
    pub fn histories(&self) -> Histories {
        let mut histories = Histories::default();
        for counts in &self.counts {
            histories.push_counts(counts);
        }
        histories
    }

    /// Returns the measurements after the latest saved task, with its predictions, which are read from disk.
    ///
    /// # Errors
    /// Returns a Problem if no task is saved, or one that names the missing or damaged file.
    pub fn latest_report(&self) -> Result<TaskReport> {
        let nothing =
            || Problem::new(message!("problem-no-saved-task")).at_path(&self.header.folder);
        let last = self.rows.last().ok_or_else(nothing)?;
        let home = added_tasks::task_folder(&self.header.folder, last.task - 1);
        report_of(&home, &self.header, last)
    }

    /// Returns the number of saved tasks.
    pub fn saved(&self) -> usize {
        self.rows.len()
    }

    /// Returns the duration of all tasks in seconds.
    pub fn seconds(&self) -> f64 {
        self.rows.iter().map(|row| row.seconds).sum()
    }

    fn count(&mut self, report: &TaskReport) {
        let tasks = self.header.tasks.get(..=report.task);
        let tasks = tasks.unwrap_or(&self.header.tasks);
        self.counts.push(TaskCounts::of(&report.answers, tasks));
        self.rows.push(MetricsRow::new(report, None));
    }

    /// Adds the measurements of the next task.
    fn push(&mut self, report: &TaskReport, peak_memory_bytes: Option<u64>) {
        self.count(report);
        self.latest = Some(LatestFigures::new(
            &self.header,
            report.task,
            &report.answers,
        ));
        self.prompt_study = None;
        self.peak_memory_bytes = self.peak_memory_bytes.max(peak_memory_bytes);
    }

    /// Returns whether the parts of the summary are consistent with each other.
    fn is_sound(&self) -> bool {
        let header = &self.header;
        let (tasks, saved) = (&header.tasks, self.rows.len());
        let mut first = 0;
        let one_by_one = tasks.iter().all(|task| {
            let follows = task.start == first && task.end > task.start;
            first = task.end;
            follows
        });
        let counted = |images: &[usize]| {
            let sum = images.iter().try_fold(0usize, |sum, n| sum.checked_add(*n));
            images.len() == tasks.len() && sum.is_some_and(|sum| sum <= MOST_IMAGES)
        };
        let of_classes = |latest: &LatestFigures| {
            let seen = saved.checked_sub(1).and_then(|last| tasks.get(last));
            seen.is_some_and(|last| latest.classes.is_of(last.end))
        };
        let in_order = |(at, row): (usize, &MetricsRow)| row.task == at + 1;
        let of_tasks = |(at, counts): (usize, &TaskCounts)| {
            let experts = header.method.experts.iter();
            counts.is_of(at + 1) && counts.right.keys().eq(experts)
        };
        one_by_one
            && first == header.class_order.len()
            && counted(&header.train_images)
            && counted(&header.test_images)
            && header.added_tasks.len() <= tasks.len()
            && saved <= tasks.len()
            && self.counts.len() == saved
            && self.latest.is_some() == (saved > 0)
            && self.latest.as_ref().is_none_or(of_classes)
            && self.rows.iter().enumerate().all(in_order)
            && self.counts.iter().enumerate().all(of_tasks)
    }
}

/// Stores the rows of `metrics.csv` as the text of that file, which preserves numbers exactly.
mod rows {
    use std::path::Path;

    use serde::{Deserialize, Deserializer, Serialize, Serializer, de, ser};

    use crate::store::measured::{MetricsRow, metrics_csv, read_metrics_csv};

    pub(super) fn serialize<S: Serializer>(rows: &[MetricsRow], to: S) -> Result<S::Ok, S::Error> {
        let table = metrics_csv(rows).map_err(ser::Error::custom)?;
        String::from_utf8_lossy(&table).serialize(to)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(
        from: D,
    ) -> Result<Vec<MetricsRow>, D::Error> {
        let table = String::deserialize(from)?;
        read_metrics_csv(table.as_bytes(), Path::new("")).map_err(de::Error::custom)
    }
}

/// The content of the file.
#[derive(Serialize, Deserialize)]
struct Written<S> {
    version: u32,
    made_from: Vec<Mark>,
    summary: S,
}

/// The state of a file from which the summary was computed: its name, its length in bytes and its modification time in
/// nanoseconds; the numbers are 0 if it does not exist.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Mark(String, u64, u64);

impl Mark {
    fn new(folder: &Path, name: String) -> Self {
        let about = std::fs::metadata(folder.join(&name)).ok();
        let written = about.as_ref().and_then(|about| about.modified().ok());
        let written = written.and_then(|time| time.duration_since(UNIX_EPOCH).ok());
        let nanoseconds = written.and_then(|age| u64::try_from(age.as_nanos()).ok());
        let length = about.map_or(0, |about| about.len());
        Self(name, length, nanoseconds.unwrap_or(0))
    }
}

/// Returns the state of the files of a run with this number of saved tasks. Only the latest predictions are included,
/// because earlier ones are never written again.
fn marks(folder: &Path, saved: usize) -> Vec<Mark> {
    let mut names = [RUN_FILE, PLUGIN_FILE, METRICS_FILE]
        .map(String::from)
        .to_vec();
    let below = |path: &Path| {
        let path = path.strip_prefix(folder).unwrap_or(path);
        path.to_string_lossy().into_owned()
    };
    for task in added_tasks::tasks(folder) {
        let added_task = added_tasks::added_task_folder(folder, task);
        names.extend([TASK_FILE, METRICS_FILE].map(|name| below(&added_task.join(name))));
    }
    if let Some(last) = saved.checked_sub(1) {
        names.push(below(&answers_file(
            &added_tasks::task_folder(folder, last),
            last,
        )));
    }
    let mut marks: Vec<Mark> = names
        .into_iter()
        .map(|name| Mark::new(folder, name))
        .collect();
    // Keys are hashes of all settings, so adding a setting changes all of them.
    marks.push(Mark(SETTINGS.clone(), 0, 0));
    marks
}

/// Returns the summary of the run in this folder: from `summary.json` if it is current, else computed from the other
/// files.
///
/// # Errors
/// Returns a Problem that names the missing or damaged file that is needed to compute it.
pub fn summarize(folder: &Path) -> Result<RunSummary> {
    if let Some(known) = read(folder) {
        return Ok(known);
    }
    let before = marks(folder, 0);
    let made = RunSummary::of(&load(folder)?);
    let made_from = marks(folder, made.saved());
    // Another program may have added or undone a task while the files were read.
    let unchanged = marks(folder, 0) == before;
    // The program that works on the run writes the summary itself.
    if unchanged && made.state != StoredState::Running {
        save_summary(folder, made.clone(), made_from);
    }
    Ok(made)
}

/// Returns settings and facts of a run with the text of its PET plugin. This is all that predicting with a snapshot
/// needs; no predictions are read.
///
/// # Errors
/// Returns the same Problems as [`summarize`], and one if the plugin cannot be read.
pub fn load_facts(folder: &Path) -> Result<(RunHeader, String)> {
    let header = summarize(folder)?.header;
    let plugin = plugin_of(folder, &header)?;
    Ok((header, plugin))
}

/// Returns the summary in the file if it is current and consistent.
fn read(folder: &Path) -> Option<RunSummary> {
    let bytes = files::read(&folder.join(SUMMARY_FILE), files::TABLE).ok()?;
    let written: Written<RunSummary> = serde_json::from_slice(&bytes).ok()?;
    let mut summary = written.summary;
    let current = written.version == VERSION
        && summary.is_sound()
        && written.made_from == marks(folder, summary.saved());
    if !current {
        return None;
    }
    summary.header.run = run_name(folder);
    summary.header.folder = folder.to_path_buf();
    summary.state = state(folder, summary.saved(), summary.header.tasks.len());
    Some(summary)
}

/// Writes the summary. Failures are ignored, because a run is complete without it.
fn save_summary(folder: &Path, mut summary: RunSummary, made_from: Vec<Mark>) {
    let header = &mut summary.header;
    (header.run, header.folder, header.about) = Default::default();
    let written = Written {
        version: VERSION,
        made_from,
        summary,
    };
    if let Ok(text) = serde_json::to_vec(&written) {
        let _ = keep_unsynced(&folder.join(SUMMARY_FILE), &text);
    }
}

/// Writes the summary for the caller, who holds the run's lock, so that no other program changes the files.
fn keep_own(folder: &Path, summary: RunSummary) {
    let made_from = marks(folder, summary.saved());
    save_summary(folder, summary, made_from);
}

/// Computes the summary from the other files and writes it. The caller holds the run's lock.
pub(super) fn renew(folder: &Path) {
    if let Ok(run) = load(folder) {
        keep_own(folder, RunSummary::of(&run));
    }
}

/// The summary of a run as it was before the task that is being saved.
pub(super) struct Saving(Option<RunSummary>);

impl Saving {
    /// Reads the summary of the run in this folder.
    pub(super) fn begin(folder: &Path) -> Self {
        Self(read(folder))
    }

    /// Adds a saved task. All tasks are read again only in two cases: if the task was saved before, because the peak
    /// memory of replaced tasks no longer counts, or if its prompts were studied, because those figures are means over
    /// all tasks.
    pub(super) fn end(self, folder: &Path, report: &TaskReport, peak: Option<u64>) {
        match self.0 {
            Some(mut known) if report.slots.is_empty() && report.task == known.saved() => {
                known.push(report, peak);
                keep_own(folder, known);
            }
            _ => renew(folder),
        }
    }
}

/// Writes the summary of a run that has just begun and has no saved tasks.
pub(super) fn begin(folder: &Path, header: &RunHeader, plugin: &str) {
    let run = StoredRun {
        header: header.clone(),
        plugin: plugin.to_string(),
        reports: Vec::new(),
        state: StoredState::Running,
        peak_memory_bytes: None,
    };
    keep_own(folder, RunSummary::of(&run));
}
