//! The state of the page Experiment: the settings being edited, their dataset and the plan.

use std::collections::HashMap;
use std::sync::Arc;

use super::compare::LastStart;
use super::dataset_settings::{SetUp, SettingsByDataset, SuitableSettings};
use super::grids::GridOnPage;
use super::planning::Planning;
use super::trials::TrialState;
use super::views::{DataView, Fetch, PlanView};
use crate::method::UnusedSetting;
use crate::run::config::RunConfig;
use crate::texts::Message;

/// The set-up of the next run.
#[derive(Default)]
pub struct Experiment {
    /// The settings being edited.
    pub draft: RunConfig,
    /// The remote machine that trains runs; `None` for this computer.
    pub machine: Option<String>,
    /// Whether the settings keep their own corrected labels instead of using those of their dataset.
    pub has_own_labels: bool,
    /// Whether Baseline is trained in addition and both runs are compared.
    pub with_baseline: bool,
    /// The preset that the settings were loaded from, by name; they may have changed since.
    pub preset: Option<String>,
    /// The settings with several values, or the opened grid.
    pub grid: GridOnPage,
    /// The current dataset.
    pub data: Fetch<Arc<DataView>>,
    /// The plan of the settings; kept until a newer one is ready.
    pub plan: PlanView,
    /// Whether methods are being tried on the dataset, and the result.
    pub trial: TrialState,
    /// The state of trying backbones on the dataset, and the result.
    pub backbone_trial: TrialState,
    /// The user's answers in this window whether classes are learned all at once, by dataset.
    pub(super) all_at_once_answers: HashMap<String, bool>,
    /// The settings that have no effect.
    pub(super) idle: Vec<UnusedSetting>,
    pub(super) planning: Planning,
    /// The last start of runs.
    pub(super) started: Option<LastStart>,
    /// The settings last used with other datasets.
    pub(super) settings_by_dataset: SettingsByDataset,
    pub(super) suitable_settings: SuitableSettings,
    /// Whether the PET's default size and blocks must still be set once the backbone is known.
    pub(super) pet_is_due: bool,
}

impl Experiment {
    /// Returns why the setting with this key has no effect; `None` if it has an effect.
    pub fn why_idle(&self, key: &str) -> Option<String> {
        UnusedSetting::reason_for(&self.idle, key).map(Message::translated)
    }

    /// Returns the current set-up.
    pub fn set_up(&self) -> SetUp {
        SetUp {
            draft: self.draft.clone(),
            own_labels: self.has_own_labels,
            with_baseline: self.with_baseline,
            preset: self.preset.clone(),
            varying: self.grid.varying.clone(),
        }
    }

    /// Returns whether the current set-up equals this one.
    pub fn matches_set_up(&self, set_up: &SetUp) -> bool {
        let is_same = self.with_baseline == set_up.with_baseline
            && self.preset == set_up.preset
            && self.has_own_labels == set_up.own_labels;
        is_same && self.draft == set_up.draft && self.grid.varying == set_up.varying
    }
}
