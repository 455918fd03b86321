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
    /// The place where runs are trained; `None` for this computer.
    pub place: Option<String>,
    /// Whether Baseline is trained in addition and both runs are compared.
    pub beside: bool,
    /// The preset that the settings were loaded from, by name; they may have changed since.
    pub preset: Option<String>,
    /// The settings with several values, or the opened grid.
    pub grid: GridOnPage,
    /// The current dataset.
    pub data: Fetch<Arc<DataView>>,
    /// The plan of the settings; kept until a newer one is ready.
    pub plan: PlanView,
    /// Whether methods are being tried on the dataset, and the result.
    pub trying: TrialState,
    /// The state of trying backbones on the dataset, and the result.
    pub trying_backbones: TrialState,
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
        UnusedSetting::why(&self.idle, key).map(Message::said)
    }

    /// Returns the current set-up.
    pub fn set_up(&self) -> SetUp {
        SetUp {
            draft: self.draft.clone(),
            beside: self.beside,
            preset: self.preset.clone(),
            several: self.grid.several.clone(),
        }
    }

    /// Returns whether the current set-up equals this one.
    pub fn is(&self, set_up: &SetUp) -> bool {
        let same = self.beside == set_up.beside && self.preset == set_up.preset;
        same && self.draft == set_up.draft && self.grid.several == set_up.several
    }
}
