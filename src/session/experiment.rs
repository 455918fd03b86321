//! What the page Experiment shows: the settings being edited, their data set, and what they come to.

use std::collections::HashMap;
use std::sync::Arc;

use super::grids::GridOnPage;
use super::of_data::{Kept, SetUp, Suiting};
use super::planning::Planning;
use super::trials::Trying;
use super::views::{DataView, Fetch, PlanView};
use crate::method::Idle;
use crate::run::config::RunConfig;
use crate::texts::Message;

/// The set-up of the next run.
pub struct Experiment {
    /// The settings being edited.
    pub draft: RunConfig,
    /// The place where runs are trained; none for this computer.
    pub place: Option<String>,
    /// Whether Baseline is to be trained beside the settings, and both be compared.
    pub beside: bool,
    /// The preset that the settings were taken from, by name; they may have been changed since.
    pub preset: Option<String>,
    /// The settings with several values, or the grid that was opened.
    pub grid: GridOnPage,
    /// The data set of the settings.
    pub data: Fetch<Arc<DataView>>,
    /// What the settings come to; kept until a newer one is there.
    pub plan: PlanView,
    /// Whether methods are tried on the data set, and what came of it.
    pub trying: Trying,
    /// Whether classes are learned all at once, as answered in this window, by data set.
    pub(super) arrivals: HashMap<String, bool>,
    /// The settings that have no effect beside the others.
    pub(super) idle: Vec<Idle>,
    pub(super) planning: Planning,
    /// The settings that other data sets were used with.
    pub(super) kept: Kept,
    pub(super) suiting: Suiting,
    /// Whether the PET of the settings gets its usual size and place once it is known what there is.
    pub(super) pet_is_due: bool,
}

impl Experiment {
    /// A set-up that begins with these settings.
    pub(super) fn of(draft: RunConfig) -> Self {
        Self {
            draft,
            place: None,
            beside: false,
            preset: None,
            grid: GridOnPage::default(),
            data: Fetch::Nothing,
            plan: PlanView::default(),
            trying: Trying::default(),
            arrivals: HashMap::new(),
            idle: Vec::new(),
            planning: Planning::default(),
            kept: Kept::new(),
            suiting: Suiting::default(),
            pet_is_due: false,
        }
    }

    /// Why the setting under this key has no effect, where it has none.
    pub fn why_idle(&self, key: &str) -> Option<String> {
        Idle::why(&self.idle, key).map(Message::said)
    }

    /// What is set up now.
    pub fn set_up(&self) -> SetUp {
        SetUp {
            draft: self.draft.clone(),
            beside: self.beside,
            preset: self.preset.clone(),
            several: self.grid.several.clone(),
        }
    }

    /// Whether just this is set up.
    pub fn is(&self, set_up: &SetUp) -> bool {
        let same = self.beside == set_up.beside && self.preset == set_up.preset;
        same && self.draft == set_up.draft && self.grid.several == set_up.several
    }
}
