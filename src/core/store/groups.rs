//! Which runs are repetitions of one experiment: how Compare, the tables and the figures put runs
//! together.
//!
//! Runs are of one kind when their keys name one experiment (see `key.rs`) and as many tasks are measured. Of
//! several runs with the same order and seed the newest counts.

use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, HashMap};

use jiff::Timestamp;

use super::json::OrdersSummary;
use super::key::RunKey;
use super::listing::instant;
use super::summary::RunSummary;
use crate::message;
use crate::problem::Problem;
use crate::run::config::{RunConfig, differences};
use crate::run::event::RunHeader;

/// Settings that a label tells at most.
const MOST_TOLD: usize = 3;

/// What tells whether two runs are of one kind, and whether one repeats the other exactly.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GroupKey {
    pub(super) key: RunKey,
    /// Tasks that are measured.
    pub(super) measured: usize,
    began: Option<Timestamp>,
}

impl GroupKey {
    /// That of a run; none while no task is measured.
    pub fn of(run: &RunSummary) -> Option<Self> {
        (run.saved() > 0).then(|| Self {
            key: run.key.clone(),
            measured: run.saved(),
            began: instant(&run.header.started),
        })
    }
}

/// Sorts runs into kinds, in the order of their first members; those without a key are left out.
pub fn kinds<'a, T>(runs: &'a [T], group: impl Fn(&T) -> Option<&GroupKey>) -> Vec<Vec<&'a T>> {
    let mut kinds: Vec<Vec<(&GroupKey, &T)>> = Vec::new();
    let (mut places, mut members) = (HashMap::new(), HashMap::new());
    for run in runs {
        let Some(group) = group(run) else { continue };
        let place = *places
            .entry((group.key.experiment.as_str(), group.measured))
            .or_insert_with(|| {
                kinds.push(Vec::new());
                kinds.len() - 1
            });
        let kind = &mut kinds[place];
        match members.entry((place, group.key.repetition.as_str())) {
            Entry::Vacant(vacant) => {
                vacant.insert(kind.len());
                kind.push((group, run));
            }
            Entry::Occupied(known) => {
                let older = &mut kind[*known.get()];
                if older.0.began < group.began {
                    *older = (group, run);
                }
            }
        }
    }
    let runs_of = |kind: Vec<(_, &'a T)>| kind.into_iter().map(|(_, run)| run).collect();
    kinds.into_iter().map(runs_of).collect()
}

/// Runs of one kind, for a row of a table or a line of a figure.
#[derive(Clone, Debug)]
pub struct Group {
    /// Data set, backbone, PET and method in words.
    pub label: String,
    /// Settings and facts of the first of them.
    pub header: RunHeader,
    /// Figures per run, their mean and spread.
    pub orders: OrdersSummary,
}

/// What is said where there is nothing to show.
pub(super) fn none_measured() -> Problem {
    Problem::new(message!("problem-none-of-these-runs-has-finished"))
        .advise(message!("try-export-run-once-its-first-task"))
}

/// Sorts runs into groups; those without a finished task are left out.
pub fn groups(runs: &[RunSummary]) -> Vec<Group> {
    let keyed: Vec<(Option<GroupKey>, &RunSummary)> =
        runs.iter().map(|r| (GroupKey::of(r), r)).collect();
    let kinds = kinds(&keyed, |(group, _)| group.as_ref());
    let firsts: Vec<(&RunHeader, usize)> = kinds
        .iter()
        .map(|kind| (&kind[0].1.header, kind.len()))
        .collect();
    let group = |(kind, label): (&Vec<&(_, &RunSummary)>, String)| Group {
        label,
        header: kind[0].1.header.clone(),
        orders: OrdersSummary::of(kind.iter().map(|(_, run)| run.for_scripts()).collect()),
    };
    kinds.iter().zip(labels(&firsts)).map(group).collect()
}

/// Each kind in words, given the header of its first run and how many there are. Equal words for
/// different settings would be read as one kind; there the first settings that differ tell them
/// apart, or the run's name where that is not enough.
pub fn labels(kinds: &[(&RunHeader, usize)]) -> Vec<String> {
    let words: Vec<String> = kinds.iter().map(|kind| label(*kind)).collect();
    let with_settings = apart(&words, |twins| {
        let config = |at: &usize| kinds[*at].0.config.clone();
        let configs: Vec<RunConfig> = twins
            .iter()
            .map(config)
            .map(RunConfig::repeatable)
            .collect();
        let rows = differences(&configs.iter().collect::<Vec<_>>());
        let told = |at: usize| {
            let rows = rows.iter().take(MOST_TOLD);
            let told: Vec<String> = rows.map(|(key, v)| format!("{key} {}", v[at])).collect();
            told.join(", ")
        };
        (0..twins.len()).map(told).collect()
    });
    apart(&with_settings, |twins| {
        twins.iter().map(|at| kinds[*at].0.run.clone()).collect()
    })
}

/// Adds to words that stand there more than once what tells these apart, given their places.
fn apart(words: &[String], told: impl Fn(&[usize]) -> Vec<String>) -> Vec<String> {
    let mut places: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (at, words) in words.iter().enumerate() {
        places.entry(words).or_default().push(at);
    }
    let mut labels = words.to_vec();
    for twins in places.into_values().filter(|twins| twins.len() > 1) {
        for (at, told) in twins.iter().zip(told(&twins)) {
            if !told.is_empty() {
                labels[*at] += &format!(" ({told})");
            }
        }
    }
    labels
}

/// What a run is called that is alone of its kind and has a name, else its settings in words.
fn label((header, runs): (&RunHeader, usize)) -> String {
    if runs == 1 && !header.about.name.is_empty() {
        return header.about.name.clone();
    }
    let variant = header.method.variant.iter();
    variant.fold(header.title(), |label, words| format!("{label}, {words}"))
}
