//! Finds runs that are repetitions of one experiment. Compare, tables and figures group runs in this way.
//!
//! Runs are of one kind if their keys name the same experiment (see `key.rs`) and the same number of tasks is measured.
//! Of several runs with the same class order and seed, only the newest counts.

use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::fmt;

use jiff::Timestamp;
use serde::Serialize;

use super::json::OrdersSummary;
use super::key::RunKey;
use super::listing::parse_timestamp;
use super::summary::RunSummary;
use crate::counts::count_with_noun;
use crate::message;
use crate::problem::Problem;
use crate::run::config::{RunConfig, differences};
use crate::run::event::RunHeader;

/// Maximum number of settings that a label names.
const MAX_NAMED_SETTINGS: usize = 3;

/// The progress of a run; displayed as "3 of 10 tasks".
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Progress {
    /// Number of measured tasks.
    pub done: usize,
    /// Number of tasks of the whole run.
    pub of: usize,
}

impl Progress {
    /// Returns the progress of a run.
    pub fn new(run: &RunSummary) -> Self {
        Self { done: run.saved_tasks(), of: run.header.tasks.len() }
    }

    /// Returns whether every task is measured, so that A_N covers all classes.
    pub fn is_complete(self) -> bool {
        self.done >= self.of
    }
}

impl fmt::Display for Progress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} of {}", self.done, count_with_noun(self.of, "task"))
    }
}

/// The key that decides whether two runs are of one kind, and whether one exactly repeats the other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GroupKey {
    pub(super) key: RunKey,
    /// Number of measured tasks.
    pub(super) measured: usize,
    started: Option<Timestamp>,
}

impl GroupKey {
    /// Returns the key of a run; `None` if no task is measured.
    pub fn from_run(run: &RunSummary) -> Option<Self> {
        (run.saved_tasks() > 0).then(|| Self {
            key: run.key.clone(),
            measured: run.saved_tasks(),
            started: parse_timestamp(&run.header.started),
        })
    }
}

/// Sorts runs into kinds, in the order of their first members. Runs without a key are left out.
pub fn kinds<'a, T>(runs: &'a [T], group: impl Fn(&T) -> Option<&GroupKey>) -> Vec<Vec<&'a T>> {
    let mut kinds: Vec<Vec<(&GroupKey, &T)>> = Vec::new();
    let (mut indices, mut members) = (HashMap::new(), HashMap::new());
    for run in runs {
        let Some(group) = group(run) else { continue };
        let index =
            *indices.entry((group.key.experiment.as_str(), group.measured)).or_insert_with(|| {
                kinds.push(Vec::new());
                kinds.len() - 1
            });
        let kind = &mut kinds[index];
        match members.entry((index, group.key.repetition.as_str())) {
            Entry::Vacant(vacant) => {
                vacant.insert(kind.len());
                kind.push((group, run));
            }
            Entry::Occupied(occupied) => {
                let existing = &mut kind[*occupied.get()];
                if existing.0.started < group.started {
                    *existing = (group, run);
                }
            }
        }
    }
    let into_runs = |kind: Vec<(_, &'a T)>| kind.into_iter().map(|(_, run)| run).collect();
    kinds.into_iter().map(into_runs).collect()
}

/// The runs of one kind, which share a row of a table or a line of a figure.
#[derive(Clone, Debug)]
pub struct Group {
    /// Dataset, backbone, PET and method in words.
    pub label: String,
    /// Settings and facts of the first run.
    pub header: RunHeader,
    /// Figures of each run, their mean and standard deviation.
    pub orders: OrdersSummary,
}

/// Returns the Problem for runs without any finished task.
pub fn no_finished_task_problem() -> Problem {
    Problem::new(message!("problem-no-run-with-finished-task"))
        .advise(message!("advice-export-after-first-task"))
}

/// Sorts runs into groups. Runs without a finished task are left out.
pub fn groups(runs: &[RunSummary]) -> Vec<Group> {
    let keyed: Vec<(Option<GroupKey>, &RunSummary)> =
        runs.iter().map(|r| (GroupKey::from_run(r), r)).collect();
    let kinds = kinds(&keyed, |(group, _)| group.as_ref());
    let first_runs: Vec<Kind<'_>> = kinds
        .iter()
        .map(|kind| Kind {
            header: &kind[0].1.header,
            runs: kind.len(),
            progress: Progress::new(kind[0].1),
        })
        .collect();
    let group = |(kind, label): (&Vec<&(_, &RunSummary)>, String)| Group {
        label,
        header: kind[0].1.header.clone(),
        orders: OrdersSummary::new(kind.iter().map(|(_, run)| run.for_scripts()).collect()),
    };
    kinds.iter().zip(labels(&first_runs)).map(group).collect()
}

/// The facts about runs of one kind that a label may show.
#[derive(Clone, Copy, Debug)]
pub(super) struct Kind<'a> {
    /// Settings and facts of the first run.
    pub header: &'a RunHeader,
    /// Number of runs.
    pub runs: usize,
    /// The progress of each run.
    pub progress: Progress,
}

/// Returns a label for each kind: method and PET in words, with the dataset if the kinds differ in it.
///
/// Kinds with equal words are distinguished by the first settings that differ, or by the run's name if that is not
/// enough.
pub(super) fn labels(kinds: &[Kind<'_>]) -> Vec<String> {
    let data: HashSet<&str> = kinds.iter().map(|k| k.header.config.data.as_str()).collect();
    let words: Vec<String> = kinds.iter().map(|kind| label(kind, data.len() > 1)).collect();
    let with_settings = disambiguate(&words, |duplicates| {
        let config = |index: &usize| kinds[*index].header.config.clone();
        let configs: Vec<RunConfig> =
            duplicates.iter().map(config).map(RunConfig::experiment_settings).collect();
        let rows = differences(&configs.iter().collect::<Vec<_>>());
        let describe = |index: usize| {
            let rows = rows.iter().take(MAX_NAMED_SETTINGS);
            let settings: Vec<String> =
                rows.map(|(key, v)| format!("{key} {}", v[index])).collect();
            settings.join(", ")
        };
        (0..duplicates.len()).map(describe).collect()
    });
    disambiguate(&with_settings, |duplicates| {
        duplicates.iter().map(|index| kinds[*index].header.run.clone()).collect()
    })
}

/// Appends to words that occur more than once the text that distinguishes them; `describe` returns it for indices.
fn disambiguate(words: &[String], describe: impl Fn(&[usize]) -> Vec<String>) -> Vec<String> {
    let mut indices: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (index, words) in words.iter().enumerate() {
        indices.entry(words).or_default().push(index);
    }
    let mut labels = words.to_vec();
    for duplicates in indices.into_values().filter(|twins| twins.len() > 1) {
        for (index, description) in duplicates.iter().zip(describe(&duplicates)) {
            if !description.is_empty() {
                labels[*index] += &format!(" ({description})");
            }
        }
    }
    labels
}

/// Returns the name of a run if it is the only one of its kind and has a name, else its settings in words. Unfinished
/// runs, and runs measured on validation images, are marked.
fn label(kind: &Kind<'_>, with_data: bool) -> String {
    let header = kind.header;
    let mut label = match (kind.runs, header.about.name.as_str()) {
        (1, name) if !name.is_empty() => match header.config.evaluation_split() {
            "test" => name.to_string(),
            measured_on => format!("{name} · on {measured_on} images"),
        },
        _ => {
            let title = match with_data {
                true => header.title(),
                false => header.title_without_dataset(),
            };
            let variant = header.method.variant.iter();
            variant.fold(title, |label, words| format!("{label}, {words}"))
        }
    };
    if !kind.progress.is_complete() {
        label += &format!(", {}", kind.progress);
    }
    label
}
