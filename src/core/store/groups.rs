//! Which runs are repetitions of one experiment: the one key by which Compare, the tables and the
//! figures put runs together.
//!
//! Runs are of one kind when they share everything that defines their figures but class order and
//! seed: settings, weights and the type of number they were kept as, plugin text, images, tasks,
//! lessons, and how many of these are measured. Device and cache decide no figure. Of several runs
//! with the same order and seed the newest counts.

use std::collections::BTreeMap;

use jiff::Timestamp;
use sha2::{Digest, Sha256};

use super::load::{StoredRun, instant};
use super::summary::{OrdersSummary, summary_of_orders};
use crate::run::config::{Precision, RunConfig, differences};
use crate::run::event::RunHeader;

/// Settings that a label tells at most.
const MOST_TOLD: usize = 3;

/// What tells whether two runs are of one kind, and whether one repeats the other exactly.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kin {
    /// Hash over all that runs of one kind share.
    kind: [u8; 32],
    /// Hash over what repetitions differ in.
    repetition: [u8; 32],
    began: Option<Timestamp>,
}

impl Kin {
    /// The key of a run; none while no task is measured.
    pub fn of(run: &StoredRun) -> Option<Self> {
        if run.reports.is_empty() {
            return None;
        }
        let header = &run.header;
        let settings = RunConfig {
            // What it came to counts, whether it was asked for or found.
            precision: Precision::Auto,
            ..header.config.clone().repeatable()
        };
        let (measured, tasks) = (run.reports.len(), &header.tasks);
        let (weights, plugin) = (&header.weights_sha256, &run.plugin);
        let kept_as = header.kept_as();
        // Older runs of some methods dropped nothing.
        let drops = plugin.contains("dropout(").then_some(header.drawing);
        // Runs of before they were noted have none.
        let images = &header.images;
        let lessons = header.lessons.iter();
        let lessons: Vec<&str> = lessons.map(|lesson| lesson.fingerprint.as_str()).collect();
        let (order, seed) = (&header.class_order, header.config.seed);
        let hash = |text: String| Sha256::digest(text).into();
        Some(Self {
            kind: hash(format!(
                "{settings:?} {measured} {tasks:?} {weights} {kept_as:?} {plugin} {lessons:?} \
                 {images:?} {drops:?}"
            )),
            repetition: hash(format!("{seed} {order:?}")),
            began: instant(&header.started),
        })
    }
}

/// Sorts runs into kinds, in the order of their first members; those without a key are left out.
pub fn kinds<'a, T>(runs: &'a [T], key: impl Fn(&T) -> Option<&Kin>) -> Vec<Vec<&'a T>> {
    let mut kinds: Vec<Vec<(&Kin, &T)>> = Vec::new();
    for run in runs {
        let Some(kin) = key(run) else { continue };
        let Some(members) = kinds.iter_mut().find(|kind| kind[0].0.kind == kin.kind) else {
            kinds.push(vec![(kin, run)]);
            continue;
        };
        let same = |(other, _): &&mut (&Kin, &T)| other.repetition == kin.repetition;
        match members.iter_mut().find(same) {
            Some(older) if older.0.began < kin.began => *older = (kin, run),
            Some(_) => {}
            None => members.push((kin, run)),
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
    /// The settings of the first of them.
    pub config: RunConfig,
    /// Figures per run, their mean and spread.
    pub orders: OrdersSummary,
}

/// Sorts runs into groups; those without a finished task are left out.
pub fn groups(runs: &[StoredRun]) -> Vec<Group> {
    let keyed: Vec<(Option<Kin>, &StoredRun)> = runs.iter().map(|r| (Kin::of(r), r)).collect();
    let kinds = kinds(&keyed, |(kin, _)| kin.as_ref());
    let firsts: Vec<(&RunHeader, usize)> = kinds
        .iter()
        .map(|kind| (&kind[0].1.header, kind.len()))
        .collect();
    let group = |(kind, label): (&Vec<&(_, &StoredRun)>, String)| {
        let members: Vec<StoredRun> = kind.iter().map(|(_, run)| StoredRun::clone(run)).collect();
        Group {
            label,
            config: members[0].header.config.clone(),
            orders: summary_of_orders(&members),
        }
    };
    kinds.iter().zip(labels(&firsts)).map(group).collect()
}

/// Each kind in words, given the header of its first run and how many there are. Equal words for
/// different settings would be read as one kind; there the first settings that differ tell them
/// apart, or the run's name where that is not enough.
pub fn labels(kinds: &[(&RunHeader, usize)]) -> Vec<String> {
    let words: Vec<String> = kinds.iter().map(|kind| label(*kind)).collect();
    let with_settings = apart(&words, |twins| {
        let of = |at: &usize| kinds[*at].0.config.clone();
        let configs: Vec<RunConfig> = twins.iter().map(of).map(RunConfig::repeatable).collect();
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
