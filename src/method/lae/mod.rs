//! LAE: Learning, Accumulation, Ensemble (Gao et al., ICCV 2023, section 4 and Algorithm 1).
//!
//! * Learning: local cross-entropy over the current task's classes; from the second task on, the PET is frozen for some
//!   epochs while the new head is trained.
//! * Accumulation: the offline PET starts as an exact copy in the second task and then follows the online one,
//!   off ← α·off + (1 − α)·on, after every optimiser step, including frozen epochs.
//! * Ensemble: both experts share the heads; the answer is the element-wise maximum of their softmaxes.
//!
//! Each part can be switched off separately (paper Tables 5 and 6). Without Accumulation, the offline PET keeps its
//! state after the first task; without Ensemble, the offline PET answers alone; with all parts off, this is the
//! Baseline.

mod ensemble;
mod method;
mod penalty;
mod state;

use std::collections::BTreeMap;

use super::{
    ConfiguredMethod, MethodSpec, Pass, PetUse, PublishedValues, Rate, SettingKind, SettingSpec,
    Workload, real_kind, unused_settings, whole_kind,
};
use crate::message;
use crate::metrics::Expert;
use crate::problem::{Problem, Result};
use crate::run::config::Setting;
use crate::run::event::ScoreKind;

pub(super) use penalty::EwcPenalty;
pub use state::{Lae, Logits};

/// Distance between the two PETs, relative to the norm of the offline one: reported with the progress, and stored after
/// every epoch.
pub const DISTANCE: &str = "apart";

/// Distance of the online and the offline PET from their state after the first task, relative to the norm at that time.
pub const DRIFTS: [&str; 2] = ["online_drift", "offline_drift"];

/// Returns both drifts of a task; `None` for methods without them.
pub fn drifts(measurements: &BTreeMap<String, f64>) -> Option<(f64, f64)> {
    let [online, offline] = DRIFTS.map(|name| measurements.get(name).copied());
    online.zip(offline)
}

const PAPER: &str = "Gao et al., A Unified Continual Learning Framework with General Parameter-Efficient Tuning, ICCV 2023";

/// LAE.
pub const LAE: MethodSpec = MethodSpec {
    key: "lae",
    title: "LAE",
    summary: "Freezes the PET at the start of each later task, averages it in a slow offline copy, and answers with both",
    paper: PAPER,
    experts: &[Expert::ONLINE, Expert::OFFLINE, Expert::ENSEMBLE],
    scores: |chosen| {
        Ok(match chosen.flag("ensemble")? {
            true => ScoreKind::Maximum,
            // Without Ensemble, one expert's probabilities decide alone.
            false => ScoreKind::Probabilities,
        })
    },
    settings: &[
        SettingSpec {
            key: "learning",
            option: Some(""),
            title: "Learning",
            meaning: "Train new classes with a frozen PET first, to protect old knowledge",
            kind: SettingKind::Flag(true),
            ..SettingSpec::OWN
        },
        SettingSpec {
            key: "accumulation",
            option: Some(""),
            title: "Accumulation",
            meaning: "The offline PET slowly follows the online PET and retains what it learned",
            kind: SettingKind::Flag(true),
            ..SettingSpec::OWN
        },
        SettingSpec {
            key: "ensemble",
            option: Some(""),
            title: "Ensemble",
            meaning: "Both experts answer together: the larger score wins",
            kind: SettingKind::Flag(true),
            ..SettingSpec::OWN
        },
        SettingSpec {
            key: "freeze_epochs",
            option: Some("N"),
            default_text: "3, or three fifths of --epochs if fewer",
            epoch_share: Some((3, 5)),
            fix: "Freeze {}",
            title: "frozen epochs",
            meaning: "Number of epochs with a frozen PET, from the second task on",
            kind: whole_kind(3, 0, i64::MAX),
            ..SettingSpec::OWN
        },
        SettingSpec {
            key: "ema",
            option: Some("ALPHA"),
            fix: "Use the default α",
            title: "α",
            meaning: "Decay α of the moving average that forms the offline PET; 0.9999 is the paper's value, 0.999 suits short runs",
            kind: real_kind(0.999, 0.0, 1.0),
            ..SettingSpec::OWN
        },
    ],
    pet: Some(PetUse { calibration_flag: Some("learning"), ..PetUse::DEFAULT }),
    rate: Some(RATE),
    supports_single_class: true,
    published: &[
        PublishedValues::for_dataset("cifar-100", 5).with_base_lr(0.03).with_settings(LONG_MEMORY),
        PublishedValues::for_dataset("imagenet-r", 50)
            .with_base_lr(0.005)
            .with_settings(MANY_EPOCHS),
        PublishedValues::for_dataset("domainnet", 50)
            .with_base_lr(0.005)
            .with_settings(MANY_EPOCHS),
    ],
    passes: |chosen, task| {
        let frozen = match chosen.flag("learning")? && task > 0 {
            true => chosen.count("freeze_epochs")?,
            false => 0,
        };
        let epochs = 0..chosen.config.epochs;
        Ok(epochs.map(|epoch| Pass::learning(epoch < frozen)).collect())
    },
    workload: |_, task| {
        // The offline PET exists from the second task on.
        let networks = if task > 0 { 2.0 } else { 1.0 };
        Ok(Workload { networks, ..Workload::DEFAULT })
    },
    stored_values: |_, sizes| {
        Ok((2 * sizes.tasks * sizes.trained + sizes.classes * sizes.width) as f64)
    },
    check: |chosen, _| {
        let epochs = chosen.config.epochs;
        if !chosen.flag("learning")? || chosen.count("freeze_epochs")? <= epochs {
            return Ok(());
        }
        let problem = Problem::new(message!("problem-too-many-frozen-epochs"));
        Err(problem.at("--freeze-epochs").advise(message!("advice-limit-frozen-epochs")))
    },
    unused_settings: |chosen| {
        let mut unused = Vec::new();
        if !chosen.flag("learning")? {
            let reason = "unused-no-learning";
            unused.extend(unused_settings::from_keys(&["freeze_epochs"], reason));
        }
        if !chosen.flag("accumulation")? {
            let reason = "unused-no-accumulation";
            unused.extend(unused_settings::from_keys(&["ema"], reason));
        }
        Ok(unused)
    },
    build: |setup| {
        Ok(Box::new(Lae::from_setup(
            &setup,
            &LAE,
            Switches::from_chosen(&ConfiguredMethod::from_config(setup.config)?)?,
        )?))
    },
    ..MethodSpec::DEFAULT
};

/// The naive baseline: LAE with all parts off.
pub const BASELINE: MethodSpec = MethodSpec {
    key: "baseline",
    title: "Baseline",
    summary: "Trains the same PET task after task, without protection against forgetting",
    paper: PAPER,
    experts: &[Expert::ONLINE],
    pet: Some(PetUse::DEFAULT),
    rate: Some(RATE),
    supports_single_class: true,
    published: &[
        PublishedValues::for_dataset("cifar-100", 5).with_base_lr(0.03),
        PublishedValues::for_dataset("imagenet-r", 50).with_base_lr(0.005),
        PublishedValues::for_dataset("domainnet", 50).with_base_lr(0.005),
    ],
    build: |setup| Ok(Box::new(Lae::from_setup(&setup, &BASELINE, Switches::NONE)?)),
    ..MethodSpec::DEFAULT
};

/// A third of the paper's rate for CIFAR-100: better on the small embedded datasets.
pub(super) const RATE: Rate = Rate { base: 0.01, scaled: true };
const LONG_MEMORY: &[(&str, Setting)] = &[("ema", Setting::Real(0.9999))];
const MANY_EPOCHS: &[(&str, Setting)] =
    &[("ema", Setting::Real(0.9999)), ("freeze_epochs", Setting::Whole(30))];

/// Which of LAE's three parts are on (paper Tables 5 and 6).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Switches {
    /// Frozen epochs, and the calibrated form of a PET that has such a form.
    pub learning: bool,
    /// The offline PET follows the online one by a moving average.
    pub accumulation: bool,
    /// Both experts answer together.
    pub ensemble: bool,
}

impl Switches {
    /// All parts on: LAE.
    pub const ALL: Self = Self { learning: true, accumulation: true, ensemble: true };
    /// All parts off: the Baseline.
    pub const NONE: Self = Self { learning: false, accumulation: false, ensemble: false };

    /// Returns the parts selected in settings of LAE.
    ///
    /// # Errors
    /// Returns a Problem for settings of another method.
    pub fn from_chosen(chosen: &ConfiguredMethod<'_>) -> Result<Self> {
        Ok(Self {
            learning: chosen.flag("learning")?,
            accumulation: chosen.flag("accumulation")?,
            ensemble: chosen.flag("ensemble")?,
        })
    }
}

/// The settings of LAE, in addition to backbone and PET.
#[derive(Clone, Copy, Debug)]
pub struct LaeSettings {
    /// Which parts are on.
    pub switches: Switches,
    /// α of the moving average.
    pub ema: f64,
    /// Adam's learning rate.
    pub learning_rate: f64,
    /// Seed of the heads' initial values.
    pub seed: u64,
}
