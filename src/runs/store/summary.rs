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
use super::load::{StoredRun, StoredState, load_plugin, load_run, read_state};
use super::record::{MAX_IMAGES, run_name};
use super::task_metrics::{MetricsRow, load_report};
use super::{
    METRICS_FILE, PLUGIN_FILE, RUN_FILE, SUMMARY_FILE, TASK_FILE, added_tasks, answers_file,
};
use crate::files;
use crate::files::write::save_unsynced;
use crate::message;
use crate::metrics::{
    ByExpert, ClassCounts, Expert, Histories, Predictions, PromptStudy, Tally, TaskCounts,
    calibration_error,
};
use crate::problem::{Problem, Result};
use crate::run::config::RunConfig;
use crate::run::event::{RunHeader, TaskReport};

/// Version of the file, raised when the file or the computation of a figure changes.
const VERSION: u32 = 6;

/// The key of the default settings; it changes when a setting is added or a default changes.
static DEFAULT_SETTINGS_KEY: LazyLock<String> =
    LazyLock::new(|| settings_key(&RunConfig::default()));

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
    fn new(header: &RunHeader, task: usize, answers: &Predictions) -> Self {
        let tally = |expert: &Expert| (*expert, Tally::new(answers, *expert));
        let first = header.tasks.first().cloned().unwrap_or_default();
        let class_count = header.tasks.get(task).map_or(0, |task| task.end);
        Self {
            tallies: answers.given.keys().map(tally).collect(),
            first: Tally::within(answers, header.answering_expert(), &first),
            classes: ClassCounts::new(answers, header.answering_expert(), class_count),
            calibration_error: match header.method.uncalibrated_reason() {
                None => calibration_error(answers, header.answering_expert()),
                Some(_) => None,
            },
            answered: CorrectPredictions::new(header, answers),
        }
    }
}

impl RunSummary {
    /// Computes the summary of a run whose predictions are loaded.
    pub fn from_run(run: &StoredRun) -> Self {
        let mut summary = Self {
            header: run.header.clone(),
            key: RunKey::new(&run.header, &run.plugin),
            plugin_sha256: plugin_hash(&run.plugin),
            rows: Vec::new(),
            counts: Vec::new(),
            latest: None,
            prompt_study: PromptStudy::from_counts(
                run.reports.iter().map(|report| &report.slots[..]),
            ),
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
        rows.map(|row| row.to_report(Predictions::default(), Vec::new())).collect()
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
        let no_task =
            || Problem::new(message!("problem-no-saved-task")).at_path(&self.header.folder);
        let last = self.rows.last().ok_or_else(no_task)?;
        let task_folder = added_tasks::task_folder(&self.header.folder, last.task - 1);
        load_report(&task_folder, &self.header, last)
    }

    /// Returns the number of saved tasks.
    pub fn saved_tasks(&self) -> usize {
        self.rows.len()
    }

    /// Returns the duration of all tasks in seconds.
    pub fn seconds(&self) -> f64 {
        self.rows.iter().map(|row| row.seconds).sum()
    }

    fn count(&mut self, report: &TaskReport) {
        let tasks = self.header.tasks.get(..=report.task);
        let tasks = tasks.unwrap_or(&self.header.tasks);
        let mut counts = TaskCounts::new(&report.answers, tasks);
        if report.answers.labels.is_empty() {
            // Predictions without images name no experts.
            let none_correct = |expert: &Expert| (*expert, vec![0; counts.images.len()]);
            counts.right = self.header.method.experts.iter().map(none_correct).collect();
        }
        self.counts.push(counts);
        self.rows.push(MetricsRow::new(report, None));
    }

    /// Adds the measurements of the next task.
    fn push(&mut self, report: &TaskReport, peak_memory_bytes: Option<u64>) {
        self.count(report);
        self.latest = Some(LatestFigures::new(&self.header, report.task, &report.answers));
        self.prompt_study = None;
        self.peak_memory_bytes = self.peak_memory_bytes.max(peak_memory_bytes);
    }

    /// Returns whether the parts of the summary are consistent with each other.
    fn is_consistent(&self) -> bool {
        let header = &self.header;
        let (tasks, saved) = (&header.tasks, self.rows.len());
        let mut first = 0;
        let are_tasks_contiguous = tasks.iter().all(|task| {
            let follows = task.start == first && task.end > task.start;
            first = task.end;
            follows
        });
        let has_valid_counts = |images: &[usize]| {
            let sum = images.iter().try_fold(0usize, |sum, n| sum.checked_add(*n));
            images.len() == tasks.len() && sum.is_some_and(|sum| sum <= MAX_IMAGES)
        };
        let matches_classes = |latest: &LatestFigures| {
            let last_task = saved.checked_sub(1).and_then(|last| tasks.get(last));
            last_task.is_some_and(|last| latest.classes.is_valid_for(last.end))
        };
        let is_in_order = |(index, row): (usize, &MetricsRow)| row.task == index + 1;
        let matches_tasks = |(index, counts): (usize, &TaskCounts)| {
            let experts = header.method.experts.iter();
            counts.is_valid_for(index + 1) && counts.right.keys().eq(experts)
        };
        are_tasks_contiguous
            && first == header.class_order.len()
            && has_valid_counts(&header.train_images)
            && has_valid_counts(&header.test_images)
            && header.added_tasks.len() <= tasks.len()
            && saved <= tasks.len()
            && self.counts.len() == saved
            && self.latest.is_some() == (saved > 0)
            && self.latest.as_ref().is_none_or(matches_classes)
            && self.rows.iter().enumerate().all(is_in_order)
            && self.counts.iter().enumerate().all(matches_tasks)
    }
}

/// Stores the rows of `metrics.csv` as the text of that file, which preserves numbers exactly.
mod rows {
    use std::path::Path;

    use serde::{Deserialize, Deserializer, Serialize, Serializer, de, ser};

    use crate::store::task_metrics::{MetricsRow, metrics_csv, read_metrics_csv};

    pub(super) fn serialize<S: Serializer>(
        rows: &[MetricsRow],
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        let table = metrics_csv(rows).map_err(ser::Error::custom)?;
        String::from_utf8_lossy(&table).serialize(serializer)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Vec<MetricsRow>, D::Error> {
        let table = String::deserialize(deserializer)?;
        read_metrics_csv(table.as_bytes(), Path::new("")).map_err(de::Error::custom)
    }
}

/// The content of the file.
#[derive(Serialize, Deserialize)]
struct SummaryFile<S> {
    version: u32,
    made_from: Vec<FileState>,
    summary: S,
}

/// The state of a file from which the summary was computed: its name, its length in bytes and its modification time in
/// nanoseconds; the numbers are 0 if it does not exist.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
struct FileState(String, u64, u64);

impl FileState {
    fn new(folder: &Path, name: String) -> Self {
        let metadata = std::fs::metadata(folder.join(&name)).ok();
        let modified = metadata.as_ref().and_then(|metadata| metadata.modified().ok());
        let modified = modified.and_then(|time| time.duration_since(UNIX_EPOCH).ok());
        let nanoseconds = modified.and_then(|age| u64::try_from(age.as_nanos()).ok());
        let length = metadata.map_or(0, |metadata| metadata.len());
        Self(name, length, nanoseconds.unwrap_or(0))
    }
}

/// Returns the state of the files of a run with this number of saved tasks. Only the latest predictions are included,
/// because earlier ones are never written again.
fn file_states(folder: &Path, saved: usize) -> Vec<FileState> {
    let mut names = [RUN_FILE, PLUGIN_FILE, METRICS_FILE].map(String::from).to_vec();
    let relative_name = |path: &Path| {
        let path = path.strip_prefix(folder).unwrap_or(path);
        path.to_string_lossy().into_owned()
    };
    for task in added_tasks::added_task_indices(folder) {
        let added_task = added_tasks::added_task_folder(folder, task);
        names.extend([TASK_FILE, METRICS_FILE].map(|name| relative_name(&added_task.join(name))));
    }
    if let Some(last) = saved.checked_sub(1) {
        names.push(relative_name(&answers_file(&added_tasks::task_folder(folder, last), last)));
    }
    let mut states: Vec<FileState> =
        names.into_iter().map(|name| FileState::new(folder, name)).collect();
    // Keys are hashes of all settings, so adding a setting changes all of them.
    states.push(FileState(DEFAULT_SETTINGS_KEY.clone(), 0, 0));
    states
}

/// Returns the summary of the run in this folder: from `summary.json` if it is current, else computed from the other
/// files.
///
/// # Errors
/// Returns a Problem that names the missing or damaged file that is needed to compute it.
pub fn summarise(folder: &Path) -> Result<RunSummary> {
    if let Some(cached) = read_current(folder) {
        return Ok(cached);
    }
    let before = file_states(folder, 0);
    let computed = RunSummary::from_run(&load_run(folder)?);
    let sources = file_states(folder, computed.saved_tasks());
    // Another program may have added or undone a task while the files were read.
    let unchanged = file_states(folder, 0) == before;
    // The program that works on the run writes the summary itself.
    if unchanged && computed.state != StoredState::Running {
        save_summary(folder, computed.clone(), sources);
    }
    Ok(computed)
}

/// Returns settings and facts of a run with the text of its PET plugin. This is all that predicting with a snapshot
/// needs; no predictions are read.
///
/// # Errors
/// Returns the same Problems as [`summarise`], and one if the plugin cannot be read.
pub fn load_facts(folder: &Path) -> Result<(RunHeader, String)> {
    let header = summarise(folder)?.header;
    let plugin = load_plugin(folder, &header)?;
    Ok((header, plugin))
}

/// Returns the summary in the file if it is current and consistent.
fn read_current(folder: &Path) -> Option<RunSummary> {
    let bytes = files::read(&folder.join(SUMMARY_FILE), files::TABLE).ok()?;
    let file: SummaryFile<RunSummary> = serde_json::from_slice(&bytes).ok()?;
    let mut summary = file.summary;
    let is_current = file.version == VERSION
        && summary.is_consistent()
        && file.made_from == file_states(folder, summary.saved_tasks());
    if !is_current {
        return None;
    }
    summary.header.run = run_name(folder);
    summary.header.folder = folder.to_path_buf();
    summary.state = read_state(folder, summary.saved_tasks(), summary.header.tasks.len());
    Some(summary)
}

/// Writes the summary. Failures are ignored, because a run is complete without it.
fn save_summary(folder: &Path, mut summary: RunSummary, sources: Vec<FileState>) {
    let header = &mut summary.header;
    (header.run, header.folder, header.about) = Default::default();
    let file = SummaryFile { version: VERSION, made_from: sources, summary };
    if let Ok(text) = serde_json::to_vec(&file) {
        let _ = save_unsynced(&folder.join(SUMMARY_FILE), &text);
    }
}

/// Writes the summary for the caller, who holds the run's lock, so that no other program changes the files.
fn save_current(folder: &Path, summary: RunSummary) {
    let sources = file_states(folder, summary.saved_tasks());
    save_summary(folder, summary, sources);
}

/// Computes the summary from the other files and writes it. The caller holds the run's lock.
pub(super) fn recompute(folder: &Path) {
    if let Ok(run) = load_run(folder) {
        save_current(folder, RunSummary::from_run(&run));
    }
}

/// The summary of a run as it was before the task that is being saved.
pub(super) struct PendingUpdate(Option<RunSummary>);

impl PendingUpdate {
    /// Reads the summary of the run in this folder.
    pub(super) fn start(folder: &Path) -> Self {
        Self(read_current(folder))
    }

    /// Adds a saved task. All tasks are read again only in two cases: if the task was saved before, because the peak
    /// memory of replaced tasks no longer counts, or if its prompts were studied, because those figures are means over
    /// all tasks.
    pub(super) fn finish(self, folder: &Path, report: &TaskReport, peak: Option<u64>) {
        match self.0 {
            Some(mut summary)
                if report.slots.is_empty() && report.task == summary.saved_tasks() =>
            {
                summary.push(report, peak);
                save_current(folder, summary);
            }
            _ => recompute(folder),
        }
    }
}

/// Writes the summary of a run that has just begun and has no saved tasks.
pub(super) fn write_initial(folder: &Path, header: &RunHeader, plugin: &str) {
    let run = StoredRun {
        header: header.clone(),
        plugin: plugin.to_string(),
        reports: Vec::new(),
        state: StoredState::Running,
        peak_memory_bytes: None,
    };
    save_current(folder, RunSummary::from_run(&run));
}
