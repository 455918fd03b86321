//! A method's description as data: its name, experts, requirements, and settings with meaning, range and default.
//! Files, command line, checks, window and help are derived from it.

use super::{Method, Pass, Setup};
use crate::backbone::BlockShape;
use crate::backbone::architecture::Architecture;
use crate::metrics::Expert;
use crate::problem::{Problem, Result};
use crate::run::config::{RunConfig, Setting, SettingKind, SettingSpec};
use crate::run::event::ScoreKind;
use crate::texts::{Message, translate_entry};

/// The description of a method. Each method's file defines one, listed in the table [`super::METHODS`].
pub struct MethodSpec {
    /// The name on the command line.
    pub key: &'static str,
    /// The display name.
    pub title: &'static str,
    /// A one-sentence description.
    pub summary: &'static str,
    /// The publication.
    pub paper: &'static str,
    /// The experts in display order; the last one gives the run's answer.
    pub experts: &'static [Expert],
    /// The kind of scores of its answers.
    pub scores: fn(&ConfiguredMethod<'_>) -> Result<ScoreKind>,
    /// Its own settings.
    pub settings: &'static [SettingSpec],
    /// Its use of a PET plugin, if any.
    pub pet: Option<PetUse>,
    /// Its learning rate; `None` for methods without gradient steps.
    pub rate: Option<Rate>,
    /// The authors' values by dataset, if they differ from the defaults.
    pub published: &'static [PublishedValues],
    /// Whether the seed has an effect. Otherwise runs that differ only in the seed are one run.
    pub seeded: bool,
    /// Whether all classes form one task (Joint-FT).
    pub all_at_once: bool,
    /// Whether it can learn an added task of a single class by gradients, with images of the earlier classes
    /// ([`Method::measure_earlier`]).
    pub supports_single_class: bool,
    /// Whether learning another task needs more than the snapshots contain. If so, the last checkpoint of a finished
    /// run is kept for added tasks.
    pub needs_state: bool,
    /// Whether its answers are computed from features alone, so that it has a [`super::ExportedClassifier`] for other
    /// programs.
    pub is_exportable: bool,
    /// The passes over the images of a task (from 0).
    pub passes: fn(&ConfiguredMethod<'_>, usize) -> Result<Vec<Pass>>,
    /// The memory of a step in addition to the network and a PET, for a network with this number of blocks.
    pub memory: fn(&ConfiguredMethod<'_>, usize) -> Result<MemoryEstimate>,
    /// How often an image passes through the network in a task (from 0), for time estimates.
    pub workload: fn(&ConfiguredMethod<'_>, usize) -> Result<Workload>,
    /// The number of values that a run stores on disk, for estimates.
    pub stored_values: fn(&ConfiguredMethod<'_>, &RunSizes) -> Result<f64>,
    /// Checks the combination of settings before the run starts.
    pub check: fn(&ConfiguredMethod<'_>, Option<&Context<'_>>) -> Result<()>,
    /// Its own settings that have no effect given the other settings.
    pub unused_settings: fn(&ConfiguredMethod<'_>) -> Result<Vec<UnusedSetting>>,
    /// Creates the method before the first task.
    pub build: fn(Setup<'_>) -> Result<Box<dyn Method>>,
}

impl MethodSpec {
    /// The defaults of most methods: one expert, no own settings, no PET, no learning rate, no checks, one training
    /// pass per epoch. Names, paper and `build` must be set.
    pub const DEFAULT: Self = Self {
        key: "",
        title: "",
        summary: "",
        paper: "",
        experts: Expert::SINGLE,
        scores: |_| Ok(ScoreKind::Probabilities),
        settings: &[],
        pet: None,
        rate: None,
        published: &[],
        seeded: true,
        all_at_once: false,
        supports_single_class: false,
        needs_state: false,
        is_exportable: true,
        passes: |chosen, _| Ok(vec![Pass::learning(false); chosen.config.epochs]),
        memory: |_, _| Ok(MemoryEstimate::NONE),
        workload: |_, _| Ok(Workload::DEFAULT),
        stored_values: |_, sizes| {
            Ok((sizes.tasks * sizes.trained + sizes.classes * sizes.width) as f64)
        },
        check: |_, _| Ok(()),
        unused_settings: |_| Ok(Vec::new()),
        build: |_| Err(Problem::new("this method does not define how it is built")),
    };

    /// Returns the description in the language of this thread.
    pub fn summary(&self) -> &'static str {
        translate_entry("method", self.key, "summary", self.summary)
    }
}

/// A method with its settings.
#[derive(Clone, Copy)]
pub struct ConfiguredMethod<'a> {
    /// All settings of the run.
    pub config: &'a RunConfig,
    /// The method.
    pub spec: &'static MethodSpec,
}

/// A setting that has no effect.
#[derive(Clone, Debug, PartialEq)]
pub struct UnusedSetting {
    /// Its key in files: a setting of every run, or one of the method's own.
    pub key: &'static str,
    /// The reason why it has no effect.
    pub reason: Message,
}

/// How a method uses a PET plugin.
#[derive(Clone, Copy, Debug)]
pub struct PetUse {
    /// The authors' plugin; `None` for the program's default one.
    pub plugin: Option<&'static str>,
    /// The default size for a network of this width; `None` for the plugin's own default.
    pub size: Option<fn(usize) -> usize>,
    /// Whether every block has a PET by default.
    pub every_block: bool,
    /// The flag that selects the plugin's main form. If the flag is off or missing, a plugin uses its form without
    /// LAE's Learning.
    pub calibration_flag: Option<&'static str>,
    /// Whether these settings train a PET.
    pub is_trained: fn(&ConfiguredMethod<'_>) -> Result<bool>,
}

impl PetUse {
    /// The program's default PET, always trained.
    pub const DEFAULT: Self = Self {
        plugin: None,
        size: None,
        every_block: false,
        calibration_flag: None,
        is_trained: |_| Ok(true),
    };
}

/// The estimated memory that a method needs in addition to the network and a PET.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct MemoryEstimate {
    /// The first block that gradients pass through; `None` if they pass only through blocks with PETs.
    pub first_block: Option<usize>,
    /// Whether the network's own weights are trained.
    pub weights: bool,
    /// Bytes of state that depends on neither the network nor the batch.
    pub bytes: f64,
}

impl MemoryEstimate {
    /// The estimate of a method that trains only PETs.
    pub const NONE: Self = Self { first_block: None, weights: false, bytes: 0.0 };

    /// Returns the estimate for gradients from this block on.
    pub const fn from_block(block: usize) -> Self {
        Self { first_block: Some(block), ..Self::NONE }
    }
}

/// How often an image passes through the network, and the additional computations, for time estimates.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Workload {
    /// Prompt tokens that pass through all blocks in addition to the image's own.
    pub tokens: usize,
    /// Passes through the plain network for the query of an image, in training and prediction.
    pub queries: f64,
    /// Passes through other networks for a training image.
    pub teachers: f64,
    /// Number of networks that measure or predict an image.
    pub networks: f64,
    /// Additional passes for a test image in a study.
    pub study: f64,
    /// The cost of a closed form.
    pub closed_form: ClosedForm,
}

impl Workload {
    /// The workload of one network without additional computations.
    pub const DEFAULT: Self = Self {
        tokens: 0,
        queries: 0.0,
        teachers: 0.0,
        networks: 1.0,
        study: 0.0,
        closed_form: ClosedForm { per_image: 0.0, per_task: 0.0 },
    };
}

/// Multiply-add operations of a closed form.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ClosedForm {
    /// For each measured image.
    pub per_image: f64,
    /// After all images of a task.
    pub per_task: f64,
}

/// The values that determine the stored size of a run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RunSizes {
    /// Number of tasks.
    pub tasks: usize,
    /// Number of classes of all tasks.
    pub classes: usize,
    /// Length of a feature.
    pub width: usize,
    /// Number of blocks.
    pub depth: usize,
    /// Number of parameters in the PETs of one expert.
    pub trained: usize,
    /// Number of weights of the network.
    pub parameters: usize,
}

impl RunSizes {
    /// Returns the sum over all tasks of the number of classes after the task, for equal task sizes.
    pub fn classes_over_tasks(&self) -> f64 {
        self.classes as f64 * (self.tasks as f64 + 1.0) / 2.0
    }
}

/// A learning rate in the authors' convention.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rate {
    /// The rate at batch 256, or at any batch size if it is not scaled.
    pub base: f64,
    /// Whether it is proportional to the batch size.
    pub scaled: bool,
}

impl Rate {
    /// Returns a rate that the authors use at this batch size and scale with it.
    pub const fn at_batch(rate: f64, batch: usize) -> Self {
        Self { base: rate * 256.0 / batch as f64, scaled: true }
    }
}

/// The authors' values for one dataset.
#[derive(Clone, Copy, Debug)]
pub struct PublishedValues {
    /// The dataset's name.
    pub data: &'static str,
    /// Epochs per task.
    pub epochs: usize,
    /// Learning rate, as [`Rate::base`]; `None` for the method's default.
    pub base_lr: Option<f64>,
    /// Own settings that differ from the defaults.
    pub settings: &'static [(&'static str, Setting)],
}

impl PublishedValues {
    /// Returns a number of epochs on a dataset, with defaults otherwise.
    pub const fn for_dataset(data: &'static str, epochs: usize) -> Self {
        Self { data, epochs, base_lr: None, settings: &[] }
    }

    /// Returns the values with this learning rate.
    pub const fn with_base_lr(self, base_lr: f64) -> Self {
        Self { base_lr: Some(base_lr), ..self }
    }

    /// Returns the values with these own settings.
    pub const fn with_settings(self, settings: &'static [(&'static str, Setting)]) -> Self {
        Self { settings, ..self }
    }
}

/// Returns the kind of a whole number between `least` and `most`.
pub(crate) const fn whole_kind(default: i64, least: i64, most: i64) -> SettingKind {
    SettingKind::Whole { default, min: least, max: most }
}

/// Returns the kind of a number between `least` and `most`.
pub(crate) const fn real_kind(default: f64, least: f64, most: f64) -> SettingKind {
    SettingKind::Real { default, min: least, max: most }
}

/// The properties of a run that are known before any weight is read.
#[derive(Clone, Copy, Debug)]
pub struct Context<'a> {
    /// The backbone's family and dimensions.
    pub architecture: &'a Architecture,
    /// The shape of each block.
    pub blocks: &'a [BlockShape],
    /// Number of tasks.
    pub tasks: usize,
    /// Number of classes of all tasks.
    pub classes: usize,
}
