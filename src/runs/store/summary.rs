//! The summary of a run without its answers, kept in `summary.json` of its folder: lists, Compare,
//! filters and scripts read this one file.
//!
//! It is written at the start, with every task and with every added task. It holds nothing that the other files do
//! not say: one that is missing, damaged, of another version, or made from files that have changed since is made
//! again and written next to them, where the folder can be written.

use std::path::Path;
use std::sync::LazyLock;
use std::time::UNIX_EPOCH;

use serde::{Deserialize, Serialize};

use super::correct_answers::Answered;
use super::key::{RunKey, plugin_hash, settings_key};
use super::load::{StoredRun, StoredState, load, plugin_of, state};
use super::measured::MetricsRow;
use super::record::{MOST_IMAGES, run_name};
use super::saved::report_of;
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
use crate::run::about::About;
use crate::run::config::RunConfig;
use crate::run::event::{RunHeader, TaskReport};

/// Raised when the file, or how a figure in it comes about, changes its meaning.
const VERSION: u32 = 6;

/// The settings there are, each with its default.
static SETTINGS: LazyLock<String> = LazyLock::new(|| settings_key(&RunConfig::default()));

/// The summary of a run without its answers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RunSummary {
    /// Settings and facts. The file has neither name nor place of the run, nor what people say of it.
    pub header: RunHeader,
    /// Decides which other runs repeat it.
    pub key: RunKey,
    /// SHA-256 of the PET plugin's text, in hex; empty where the method trains none.
    pub plugin_sha256: String,
    /// The rows of `metrics.csv`, those of added tasks last.
    #[serde(with = "rows")]
    rows: Vec<MetricsRow>,
    /// Right answers after each saved task.
    pub counts: Vec<TaskCounts>,
    /// More on the answers after the last of them; none while no task is saved.
    pub latest: Option<Latest>,
    /// The study of DualPrompt's prompts, where every saved task was studied.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prompt_study: Option<PromptStudy>,
    /// Highest memory use of the training process, if the system reports it.
    pub peak_memory_bytes: Option<u64>,
    /// Whether it has ended; checked again by each reader of the file.
    #[serde(skip, default = "unknown")]
    pub state: StoredState,
}

fn unknown() -> StoredState {
    StoredState::Running
}

/// The answers after the latest task.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Latest {
    /// Right answers of each expert.
    pub tallies: ByExpert<Tally>,
    /// The same of the run's answer to the images of its first task.
    pub first: Tally,
    /// The run's answer, class by class.
    pub classes: ClassCounts,
    /// Expected calibration error of the run's answer (0..=1); `None` where the scores are no probabilities, and in runs of
    /// versions that noted no scores.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub calibration_error: Option<f64>,
    /// Which images are answered rightly; `None` if it is not known which they are.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answered: Option<Answered>,
}

impl Latest {
    /// Of the answers after this task (from 0).
    fn of(header: &RunHeader, task: usize, answers: &Answers) -> Self {
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
            answered: Answered::of(header, answers),
        }
    }
}

impl RunSummary {
    /// That of a run whose answers were read.
    pub fn of(run: &StoredRun) -> Self {
        let mut summary = Self {
            header: run.header.clone(),
            key: RunKey::of(&run.header, &run.plugin),
            plugin_sha256: plugin_hash(&run.plugin),
            rows: Vec::new(),
            counts: Vec::new(),
            latest: None,
            prompt_study: run.prompt_study(),
            peak_memory_bytes: run.peak_memory_bytes,
            state: run.state,
        };
        for report in &run.reports {
            summary.count(report);
        }
        let last = run.reports.last();
        summary.latest = last.map(|last| Latest::of(&run.header, last.task, &last.answers));
        summary
    }

    /// What was measured after each saved task, without answers and study of prompts.
    pub fn reports(&self) -> Vec<TaskReport> {
        let rows = self.rows.iter();
        rows.map(|row| row.report(Answers::default(), Vec::new()))
            .collect()
    }

    /// What each expert achieved, task by task.
    pub fn histories(&self) -> Histories {
        let mut histories = Histories::default();
        for counts in &self.counts {
            histories.push_counts(counts);
        }
        histories
    }

    /// What was measured after the latest saved task, answers and all: of all files of answers the last one is read.
    ///
    /// # Errors
    /// Returns a Problem that names the missing or damaged file, or where no task is saved.
    pub fn latest_report(&self) -> Result<TaskReport> {
        let nothing =
            || Problem::new(message!("problem-no-saved-task")).at_path(&self.header.folder);
        let last = self.rows.last().ok_or_else(nothing)?;
        let home = added_tasks::home(&self.header.folder, last.task - 1);
        report_of(&home, &self.header, last)
    }

    /// Tasks that are saved.
    pub fn saved(&self) -> usize {
        self.rows.len()
    }

    /// Seconds that it took, over all tasks.
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
        self.latest = Some(Latest::of(&self.header, report.task, &report.answers));
        self.prompt_study = None;
        self.peak_memory_bytes = self.peak_memory_bytes.max(peak_memory_bytes);
    }

    /// Whether all of it can belong to one run.
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
        let of_classes = |latest: &Latest| {
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

/// Rows of `metrics.csv` as the text they have there: numbers come back to the last bit.
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

/// What the file holds.
#[derive(Serialize, Deserialize)]
struct Written<S> {
    version: u32,
    made_from: Vec<Mark>,
    summary: S,
}

/// The state of a file that the summary was made from: its name, its length, and when it was written, in
/// nanoseconds; nothing of one that is not there.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Mark(String, u64, u64);

impl Mark {
    fn of(folder: &Path, name: String) -> Self {
        let about = std::fs::metadata(folder.join(&name)).ok();
        let written = about.as_ref().and_then(|about| about.modified().ok());
        let written = written.and_then(|time| time.duration_since(UNIX_EPOCH).ok());
        let nanoseconds = written.and_then(|age| u64::try_from(age.as_nanos()).ok());
        let length = about.map_or(0, |about| about.len());
        Self(name, length, nanoseconds.unwrap_or(0))
    }
}

/// State of the files of a run with this number of saved tasks. Of its answers the latest are enough: those
/// before are never written again.
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
        names.push(below(&answers_file(&added_tasks::home(folder, last), last)));
    }
    let mut marks: Vec<Mark> = names
        .into_iter()
        .map(|name| Mark::of(folder, name))
        .collect();
    // Keys hash all settings: with one more of them, those of before are others.
    marks.push(Mark(SETTINGS.clone(), 0, 0));
    marks
}

/// The summary of the run in this folder: from its file, or made from the others.
///
/// # Errors
/// Returns a Problem that names the missing or damaged file that it would be made from.
pub fn summarize(folder: &Path) -> Result<RunSummary> {
    if let Some(known) = read(folder) {
        return Ok(known);
    }
    let before = marks(folder, 0);
    let made = RunSummary::of(&load(folder)?);
    let made_from = marks(folder, made.saved());
    // Another program may have taught the run, or undone an added task, while its files were read.
    let unchanged = marks(folder, 0) == before;
    // Who works on the run writes its own.
    if unchanged && made.state != StoredState::Running {
        keep(folder, made.clone(), made_from);
    }
    Ok(made)
}

/// Settings and facts of a run with the text of its PET plugin: all that a snapshot needs to answer, and no answers
/// are read.
///
/// # Errors
/// As [`summarize`].
pub fn load_facts(folder: &Path) -> Result<(RunHeader, String)> {
    let header = summarize(folder)?.header;
    let plugin = plugin_of(folder, &header)?;
    Ok((header, plugin))
}

/// What the file says, where it can be used.
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

/// Writes the file. A run is whole without it, so no failure is reported.
fn keep(folder: &Path, mut summary: RunSummary, made_from: Vec<Mark>) {
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

/// Writes the file for who holds the run's lock: nobody else changes the other files.
fn keep_own(folder: &Path, summary: RunSummary) {
    let made_from = marks(folder, summary.saved());
    keep(folder, summary, made_from);
}

/// Makes the file again from the others. The caller holds the run's lock.
pub(super) fn renew(folder: &Path) {
    if let Ok(run) = load(folder) {
        keep_own(folder, RunSummary::of(&run));
    }
}

/// The summary of a run that is being saved, before its next task is.
pub(super) struct Saving(Option<RunSummary>);

impl Saving {
    /// What is known of the run in this folder.
    pub(super) fn begin(folder: &Path) -> Self {
        Self(read(folder))
    }

    /// Adds a saved task. Earlier tasks are read again only if the task was saved before, because the peak memory of
    /// the replaced tasks no longer counts, or if its prompts were studied, because those figures are means over all
    /// tasks.
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

/// A run that was just begun: nothing is saved of it yet.
pub(super) fn begin(folder: &Path, header: &RunHeader, plugin: &str) {
    let run = StoredRun {
        header: RunHeader {
            about: About::default(),
            ..header.clone()
        },
        plugin: plugin.to_string(),
        reports: Vec::new(),
        state: StoredState::Running,
        peak_memory_bytes: None,
    };
    keep_own(folder, RunSummary::of(&run));
}
