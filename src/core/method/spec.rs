//! What a method says of itself, as data: its name, who answers, its settings with meaning, range
//! and default, what it needs. File, command line, checks, window and help are made from it.

use super::{Method, Pass, Setup};
use crate::backbone::BlockShape;
use crate::backbone::architecture::Architecture;
use crate::metrics::Expert;
use crate::problem::{Problem, Result};
use crate::run::config::{RunConfig, Setting, SettingSpec};
use crate::run::event::Scores;
use crate::texts::{Message, of_list};

/// A method: each method's file has one, and in the table [`super::METHODS`].
pub struct MethodSpec {
    /// The name on the command line.
    pub key: &'static str,
    /// The name people read.
    pub title: &'static str,
    /// What it does, in a sentence.
    pub summary: &'static str,
    /// Where it was published.
    pub paper: &'static str,
    /// Who answers, in the order they are shown; the last one's answer is the run's.
    pub experts: &'static [Expert],
    /// What the scores of its answers are.
    pub scores: fn(&Chosen<'_>) -> Result<Scores>,
    /// Its own settings.
    pub settings: &'static [SettingSpec],
    /// What it trains of a PET plugin, if any.
    pub pet: Option<PetUse>,
    /// Its learning rate; `None` for methods without gradient steps.
    pub rate: Option<Rate>,
    /// The authors' values by data set, where they differ from the defaults.
    pub published: &'static [PublishedValues],
    /// Whether the seed decides anything. Runs of several seeds are one run without that.
    pub seeded: bool,
    /// Whether all classes come as one task (Joint-FT).
    pub all_at_once: bool,
    /// Whether another task needs more than the snapshots hold: then the last checkpoint of a
    /// finished run is kept for its added tasks.
    pub needs_state: bool,
    /// Whether its answers are made of features alone, so it has a [`super::Recipe`] for other programs.
    pub has_recipe: bool,
    /// The passes over the images of a task (from 0).
    pub passes: fn(&Chosen<'_>, usize) -> Result<Vec<Pass>>,
    /// What a step takes beside the network and a PET, for a network of this number of blocks.
    pub memory: fn(&Chosen<'_>, usize) -> Result<MemoryEstimate>,
    /// How often an image passes through the network in a task (from 0), for estimates of time.
    pub workload: fn(&Chosen<'_>, usize) -> Result<Workload>,
    /// Numbers that a run leaves on the disk, for estimates.
    pub stored: fn(&Chosen<'_>, &RunSizes) -> Result<f64>,
    /// Says what does not fit together, before the start.
    pub check: fn(&Chosen<'_>, Option<&Context<'_>>) -> Result<()>,
    /// Those of its own settings that have no effect beside the others.
    pub idle: fn(&Chosen<'_>) -> Result<Vec<Idle>>,
    /// Before the first task.
    pub build: fn(Setup<'_>) -> Result<Box<dyn Method>>,
}

impl MethodSpec {
    /// What most methods say: one expert, no settings, PET or rate of their own, nothing to check; a pass that learns for
    /// each epoch. Names, paper and `build` are a method's own.
    pub const USUAL: Self = Self {
        key: "",
        title: "",
        summary: "",
        paper: "",
        experts: Expert::ALONE,
        scores: |_| Ok(Scores::Probabilities),
        settings: &[],
        pet: None,
        rate: None,
        published: &[],
        seeded: true,
        all_at_once: false,
        needs_state: false,
        has_recipe: true,
        passes: |chosen, _| Ok(vec![Pass::learning(false); chosen.config.epochs]),
        memory: |_, _| Ok(MemoryEstimate::NONE),
        workload: |_, _| Ok(Workload::USUAL),
        stored: |_, sizes| Ok((sizes.tasks * sizes.trained + sizes.classes * sizes.width) as f64),
        check: |_, _| Ok(()),
        idle: |_| Ok(Vec::new()),
        build: |_| Err(Problem::new("this method does not say how it is built")),
    };

    /// What it does, in the language of this thread.
    pub fn summary(&self) -> &'static str {
        of_list("method", self.key, "summary", self.summary)
    }
}

/// A method with the settings chosen for it.
#[derive(Clone, Copy)]
pub struct Chosen<'a> {
    /// All settings of the run.
    pub config: &'a RunConfig,
    /// The method.
    pub spec: &'static MethodSpec,
}

/// A setting that has no effect.
#[derive(Clone, Debug, PartialEq)]
pub struct Idle {
    /// Its key in files: a setting of every run, or one of the method's own.
    pub key: &'static str,
    /// Why.
    pub why: Message,
}

/// What a method trains of a PET plugin.
#[derive(Clone, Copy, Debug)]
pub struct PetUse {
    /// The authors' plugin; `None` if the project's usual one serves.
    pub plugin: Option<&'static str>,
    /// The usual size for a network of this width; `None` for the plugin's own default.
    pub size: Option<fn(usize) -> usize>,
    /// Whether every block carries one by default.
    pub every_block: bool,
    /// The flag that switches the plugin's main form on; without it, or where there is none, a
    /// plugin takes the form it has without LAE's Learning.
    pub calibrated_by: Option<&'static str>,
    /// Whether these settings train a PET at all.
    pub when: fn(&Chosen<'_>) -> Result<bool>,
}

impl PetUse {
    /// The project's usual PET, always.
    pub const USUAL: Self = Self {
        plugin: None,
        size: None,
        every_block: false,
        calibrated_by: None,
        when: |_| Ok(true),
    };
}

/// The memory that a method needs for its own sake.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct MemoryEstimate {
    /// The first block that gradients pass through; `None` if they pass through those of PETs
    /// alone.
    pub first_block: Option<usize>,
    /// Whether the network's own weights are trained.
    pub weights: bool,
    /// Bytes of state that grows with neither the network nor the batch.
    pub bytes: f64,
}

impl MemoryEstimate {
    /// That of a method whose PETs are all it trains.
    pub const NONE: Self = Self {
        first_block: None,
        weights: false,
        bytes: 0.0,
    };

    /// Gradients from this block on.
    pub const fn from_block(block: usize) -> Self {
        Self {
            first_block: Some(block),
            ..Self::NONE
        }
    }
}

/// How often an image passes through the network, and what is computed beside that.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Workload {
    /// Tokens of prompts that go through all blocks beside the image's own.
    pub tokens: usize,
    /// Passes through the plain network for the query of an image, whether it is learned from or answered.
    pub queries: f64,
    /// Passes through other networks for an image that is learned from.
    pub teachers: f64,
    /// Networks that measure or answer an image.
    pub networks: f64,
    /// Further passes for a test image that is studied.
    pub study: f64,
    /// What a closed form takes.
    pub closed_form: ClosedForm,
}

impl Workload {
    /// One network and nothing beside it.
    pub const USUAL: Self = Self {
        tokens: 0,
        queries: 0.0,
        teachers: 0.0,
        networks: 1.0,
        study: 0.0,
        closed_form: ClosedForm {
            each: 0.0,
            whole: 0.0,
        },
    };
}

/// Multiplications and additions of a closed form.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ClosedForm {
    /// For each image that is measured.
    pub each: f64,
    /// After all images of a task.
    pub whole: f64,
}

/// What decides how much a run stores.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RunSizes {
    /// Number of tasks.
    pub tasks: usize,
    /// Classes of all of them.
    pub classes: usize,
    /// Length of a feature.
    pub width: usize,
    /// Number of blocks.
    pub depth: usize,
    /// Numbers in the PETs of one expert.
    pub trained: usize,
    /// Weights of the network.
    pub parameters: usize,
}

impl RunSizes {
    /// The classes known after each task, summed over the tasks, with equal shares for all.
    pub fn classes_over_tasks(&self) -> f64 {
        self.classes as f64 * (self.tasks as f64 + 1.0) / 2.0
    }
}

/// A learning rate as its authors state it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rate {
    /// At batch 256, or at any batch where it is not scaled.
    pub base: f64,
    /// Whether it grows in proportion to the batch.
    pub scaled: bool,
}

impl Rate {
    /// A rate that its authors use at some batch and scale with it.
    pub const fn at_batch(rate: f64, batch: usize) -> Self {
        Self {
            base: rate * 256.0 / batch as f64,
            scaled: true,
        }
    }
}

/// The authors' values for one data set.
#[derive(Clone, Copy, Debug)]
pub struct PublishedValues {
    /// The data set's name.
    pub data: &'static str,
    /// Epochs per task.
    pub epochs: usize,
    /// Learning rate, as [`Rate::base`]; `None` for the method's usual one.
    pub base_lr: Option<f64>,
    /// Own settings that differ from the defaults.
    pub settings: &'static [(&'static str, Setting)],
}

impl PublishedValues {
    /// This number of epochs on a data set, all else as usual.
    pub const fn on(data: &'static str, epochs: usize) -> Self {
        Self {
            data,
            epochs,
            base_lr: None,
            settings: &[],
        }
    }

    /// The same at this rate.
    pub const fn at(self, base_lr: f64) -> Self {
        Self {
            base_lr: Some(base_lr),
            ..self
        }
    }

    /// The same with these own settings.
    pub const fn with(self, settings: &'static [(&'static str, Setting)]) -> Self {
        Self { settings, ..self }
    }
}

/// What a run is based on, known before any weight is read.
#[derive(Clone, Copy, Debug)]
pub struct Context<'a> {
    /// The backbone's family and dimensions.
    pub architecture: &'a Architecture,
    /// One shape per block.
    pub blocks: &'a [BlockShape],
    /// Number of tasks.
    pub tasks: usize,
    /// Classes of all of them.
    pub classes: usize,
}
