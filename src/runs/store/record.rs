//! Reads and writes `run.toml`, which contains the settings and facts of a run, and detects which folders are runs.

use std::ops::Range;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::{METRICS_FILE, RUN_FILE};
use crate::counts::count_with_noun;
use crate::data::Fingerprints;
use crate::message;
use crate::metrics::Expert;
use crate::names::compose;
use crate::nn::WeightType;
use crate::pet::StreamScheme;
use crate::problem::{Problem, Result, line_and_column};
use crate::run::annotations::Annotations;
use crate::run::config::{RunConfig, Setting};
use crate::run::event::{MethodFacts, RunHeader, ScoreKind};

/// The header of the table that follows the settings.
const FACTS_HEADER: &str = "[facts]";
/// Version of the file format, raised when files change their meaning. Since version 2 a snapshot contains only what is
/// new since the previous snapshot.
const FORMAT: u32 = 2;
/// First lines of `run.toml`.
pub(super) const PREFACE: &str = "# A run of LAE Studio. The settings have the names of the options of `lae-studio train`;\n# `lae-studio train --config run.toml` repeats the run.\n";

/// Maximum number of images of a run's dataset.
pub(super) const MAX_IMAGES: usize = 1 << 30;

/// The content of `[facts]`.
#[derive(Serialize, Deserialize)]
struct Facts {
    format: u32,
    started: String,
    version: String,
    device: String,
    /// Absent on the CPU, and in runs of older versions.
    #[serde(alias = "card_variant", skip_serializing_if = "Option::is_none")]
    gpu_weights: Option<WeightType>,
    /// How random draws of a PET are separated (see [`StreamScheme`]); absent in runs of older versions.
    draws: Option<u32>,
    weights_sha256: String,
    /// Absent if the PET starts from random values.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    start_sha256: Option<String>,
    input_size: usize,
    trained_parameters: usize,
    frozen_parameters: usize,
    task_sizes: Vec<usize>,
    train_images: Vec<usize>,
    test_images: Vec<usize>,
    class_order: Vec<String>,
    images: Option<Fingerprints>,
    /// Absent in runs of older versions, which had only LAE and its Baseline.
    method: Option<MethodFacts>,
}

/// The part of a `run.toml` that contains the facts.
#[derive(Serialize, Deserialize)]
struct WithFacts {
    facts: Facts,
}

/// Returns the settings in the text of a `run.toml`, without `[facts]`; a text without facts is returned completely.
pub fn settings_part(text: &str) -> &str {
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        if line.trim_end() == FACTS_HEADER {
            return &text[..start];
        }
        start += line.len();
    }
    text
}

/// Returns the text of `run.toml`.
pub(super) fn run_toml(header: &RunHeader) -> Result<String> {
    let facts = Facts {
        format: FORMAT,
        started: header.started.clone(),
        version: header.version.clone(),
        device: header.device.clone(),
        gpu_weights: header.gpu_weights,
        draws: Some(header.drawing.number()),
        weights_sha256: header.weights_sha256.clone(),
        start_sha256: header.start_sha256.clone(),
        input_size: header.input_size,
        trained_parameters: header.trained_parameters,
        frozen_parameters: header.frozen_parameters,
        task_sizes: header.tasks.iter().map(ExactSizeIterator::len).collect(),
        train_images: header.train_images.clone(),
        test_images: header.test_images.clone(),
        class_order: header.class_order.clone(),
        images: header.images.clone(),
        method: Some(header.method.clone()),
    };
    let settings = header.config.to_toml()?;
    let facts = toml::to_string(&WithFacts { facts })
        .map_err(|error| Problem::with_error("problem-run-metadata-unwritten", &error))?;
    Ok(format!("{PREFACE}{settings}\n{facts}"))
}

/// Returns whether an older version wrote this `run.toml`; it could not read what this version saves.
pub(super) fn is_older_format(text: &str) -> bool {
    toml::from_str::<WithFacts>(text).is_ok_and(|file| file.facts.format < FORMAT)
}

/// Reads the text of a `run.toml`. The name of the run is that of `folder`; Problems name `path`.
pub(super) fn read_run_toml(text: &str, folder: &Path, path: &Path) -> Result<RunHeader> {
    let damaged = |what: String| {
        Problem::new(what).at_path(path).advise(message!("advice-restore-damaged-file"))
    };
    let mut config = RunConfig::from_toml(settings_part(text), &path.display().to_string())?;
    let facts = toml::from_str::<WithFacts>(text).map_err(|error| {
        let line = error.span().map_or(0, |span| line_and_column(text, span.start).0);
        damaged(format!("the run's facts cannot be read, line {line}: {}", error.message()))
    })?;
    let mut facts = facts.facts;
    let stored_names = std::mem::take(&mut facts.class_order);
    facts.class_order = stored_names.iter().cloned().map(compose).collect();
    if stored_names != facts.class_order {
        config.stored_names = stored_names;
    }
    let drawing = StreamScheme::from_number(facts.draws);
    let (Some(drawing), ..=FORMAT) = (drawing, facts.format) else {
        return Err(Problem::new(message!("problem-run-newer-version"))
            .at_path(path)
            .advise(message!("advice-use-newer-version")));
    };
    let classes = facts.class_order.len();
    let tasks = task_ranges(&facts.task_sizes, classes).ok_or_else(|| {
        damaged(format!(
            "the task sizes do not add up to the {} of the class order",
            count_with_noun(classes, "class")
        ))
    })?;
    if [facts.train_images.len(), facts.test_images.len()] != [tasks.len(); 2] {
        return Err(damaged(format!(
            "the numbers of images do not match {}",
            count_with_noun(tasks.len(), "task")
        )));
    }
    // Checked for overflow, because many functions add these numbers up.
    let totals = [&facts.train_images, &facts.test_images].map(|counts| {
        let sum = counts.iter().try_fold(0usize, |sum, n| sum.checked_add(*n));
        sum.filter(|sum| *sum <= MAX_IMAGES)
    });
    if totals.contains(&None) {
        return Err(damaged("it has more images than a dataset can have".into()));
    }
    let mut method = facts.method.unwrap_or_else(|| older_method(&config));
    method.scores = method.scores.or_else(|| older_scores(&config));
    // Of the methods whose older runs did not record it, only SimpleCIL uses no random numbers.
    method.seeded = method.seeded.or(Some(config.method != "simplecil"));
    Ok(RunHeader {
        run: run_name(folder),
        about: Annotations::default(),
        folder: folder.to_path_buf(),
        method,
        config,
        class_order: facts.class_order,
        tasks,
        train_images: facts.train_images,
        test_images: facts.test_images,
        device: facts.device,
        gpu_weights: facts.gpu_weights,
        drawing,
        input_size: facts.input_size,
        trained_parameters: facts.trained_parameters,
        frozen_parameters: facts.frozen_parameters,
        weights_sha256: facts.weights_sha256,
        start_sha256: facts.start_sha256,
        images: facts.images,
        added_tasks: Vec::new(),
        started: facts.started,
        version: facts.version,
    })
}

/// Returns the range of classes of each task; `None` if a task has no class or the sizes do not add up to `classes`.
fn task_ranges(sizes: &[usize], classes: usize) -> Option<Vec<Range<usize>>> {
    let mut first = 0usize;
    let mut range = |size: &usize| {
        let end = first.checked_add(*size).filter(|end| *end <= classes)?;
        let range = std::mem::replace(&mut first, end)..end;
        (!range.is_empty()).then_some(range)
    };
    let tasks: Vec<_> = sizes.iter().map(&mut range).collect::<Option<_>>()?;
    (first == classes).then_some(tasks)
}

/// Returns the facts that older versions did not write: their methods were LAE and its Baseline, each with three
/// experts.
fn older_method(config: &RunConfig) -> MethodFacts {
    let is_off = |key: &str| config.settings.get(key) == Some(&Setting::Flag(false));
    let parts = [
        ("learning", "no Learning"),
        ("accumulation", "no Accumulation"),
        ("ensemble", "no Ensemble"),
    ];
    let variant = parts.into_iter().filter(|(key, _)| is_off(key));
    MethodFacts {
        title: if config.method == "lae" { "LAE" } else { "Baseline" }.to_string(),
        variant: variant.map(|(_, words)| words.to_string()).collect(),
        experts: vec![Expert::ONLINE, Expert::OFFLINE, Expert::ENSEMBLE],
        uses_pet: true,
        pet_sized: None,
        seeded: Some(true),
        scores: None,
    }
}

/// Returns the kind of scores of methods whose older runs did not record it.
fn older_scores(config: &RunConfig) -> Option<ScoreKind> {
    let ensemble = config.settings.get("ensemble") != Some(&Setting::Flag(false));
    match config.method.as_str() {
        "lae" if ensemble => Some(ScoreKind::Maximum),
        "lae" | "baseline" | "seq-ft" | "joint-ft" | "l2p" | "dualprompt" | "coda-prompt"
        | "ewc" => Some(ScoreKind::Probabilities),
        "simplecil" | "aper" | "ease" | "icarl" => Some(ScoreKind::Cosines),
        "ranpac" => Some(ScoreKind::Regression),
        "esn" => Some(ScoreKind::Votes),
        _ => None,
    }
}

/// Returns the name of a run, which is that of its folder.
pub fn run_name(folder: &Path) -> String {
    folder
        .file_name()
        .map_or_else(|| folder.display().to_string(), |name| name.to_string_lossy().into_owned())
}

/// Returns whether a folder is a run, intact or damaged.
pub fn is_run(folder: &Path) -> bool {
    folder.join(RUN_FILE).exists() || folder.join(METRICS_FILE).exists()
}

/// Returns the folders directly below `root` that are runs, intact or damaged; empty if `root` does not exist.
pub fn run_folders(root: &Path) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(root) else {
        return Vec::new();
    };
    let paths = entries.flatten().map(|entry| entry.path());
    paths.filter(|path| is_run(path)).collect()
}

/// Returns whether there is a run directly below this folder.
pub fn contains_runs(root: &Path) -> bool {
    !run_folders(root).is_empty()
}

/// Returns the Problem for a folder that is not a run.
pub(super) fn no_run_problem(folder: &Path) -> Problem {
    Problem::new(message!("problem-folder-without-run"))
        .at_path(folder)
        .advise(message!("advice-list-runs"))
}
