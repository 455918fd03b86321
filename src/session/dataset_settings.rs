//! Settings that belong to a dataset: tasks, order, batch, epochs, crops. They are kept for each dataset while the
//! program runs; a new dataset gets suitable ones.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use super::Session;
use super::chooser::typed_path;
use super::class_schedule::is_own;
use super::grids::VaryingSettings;
use super::views::{DataView, PluginView};
use crate::data::published;
use crate::experiment::suggested_settings::{
    DatasetFacts, choose_backbone, of_epochs, restore, share_epochs, suit,
};
use crate::method::{MethodSpec, adopt, adopt_published, named_method, usual_pet};
use crate::run::config::{RunConfig, Setting, setting};
use crate::texts::Message;

/// The state of the page Experiment that undo restores.
#[derive(Clone, Debug, PartialEq)]
pub struct SetUp {
    /// The settings.
    pub draft: RunConfig,
    /// See `Experiment::beside`.
    pub beside: bool,
    /// See `Experiment::preset`.
    pub preset: Option<String>,
    /// The settings with several values.
    pub several: VaryingSettings,
}

/// The last settings used with each dataset.
pub(super) type SettingsByDataset = HashMap<String, RunConfig>;

/// The state of choosing settings that suit the dataset.
#[derive(Default)]
pub(super) enum SuitableSettings {
    /// The settings are the user's or the defaults.
    #[default]
    Settled,
    /// The dataset at this place gets suitable settings once it is open.
    Due(String),
    /// The program chose the settings, for the reasons in these messages.
    Chosen(Vec<Message>),
}

impl Session {
    /// Selects a dataset. Its last settings are restored; a new dataset gets suitable settings once it is open.
    pub fn choose_data(&mut self, place: &str) {
        let place = &data_place(place);
        let left = self.experiment.draft.clone();
        self.experiment.preset = None;
        if left.data != *place {
            self.experiment.suitable_settings = match self.experiment.settings_by_dataset.get(place)
            {
                Some(kept) => {
                    restore(&mut self.experiment.draft, kept);
                    SuitableSettings::Settled
                }
                None => SuitableSettings::Due(place.clone()),
            };
            if let Some(set) = published::published(&left.data) {
                forget_published(&mut self.experiment.draft, set.name);
            }
            // The corrected labels of another dataset do not apply.
            self.experiment.draft.corrected.clear();
            self.begin_to_follow_corrected();
            self.experiment
                .settings_by_dataset
                .insert(left.data.clone(), left);
        }
        self.open_data(place);
        self.choose_suitable_settings();
    }

    /// Selects a dataset at start-up unless it is already selected. The settings last used with it are kept.
    pub fn begin_with(&mut self, place: &str) {
        if data_place(place) != self.experiment.draft.data {
            self.choose_data(place);
        }
    }

    /// Loads these settings unchanged, including their dataset.
    pub fn load_run_settings(&mut self, config: RunConfig) {
        let data = config.data.clone();
        self.experiment.draft = config;
        self.experiment.pet_is_due = false;
        self.experiment.preset = None;
        self.experiment.beside = false;
        self.close_grid();
        self.experiment.suitable_settings = SuitableSettings::Settled;
        self.begin_to_follow_corrected();
        self.open_data(&data);
    }

    /// Returns whether the program will choose suitable settings once the dataset is open.
    pub fn awaits_suitable_settings(&self) -> bool {
        matches!(self.experiment.suitable_settings, SuitableSettings::Due(_))
    }

    /// Restores an earlier or later set-up. No settings are chosen for its dataset.
    pub fn restore_set_up(&mut self, before: SetUp) {
        let other_data = before.draft.data != self.experiment.draft.data;
        self.experiment.draft = before.draft;
        self.experiment.pet_is_due = false;
        self.experiment.beside = before.beside;
        self.experiment.preset = before.preset;
        self.experiment.grid.several = before.several;
        self.experiment.grid.opened = None;
        self.experiment.suitable_settings = SuitableSettings::Settled;
        self.follow_if_same();
        if other_data {
            let data = self.experiment.draft.data.clone();
            self.open_data(&data);
        }
    }

    /// Sets the setting with this key, common or of the method; `None` resets it to the default. A value of the wrong
    /// type is rejected for a common setting; for a setting of the method it is reported by the plan.
    pub fn set(&mut self, key: &str, value: Option<Setting>) {
        // A PET that the user set is not adjusted later.
        self.experiment.pet_is_due &= !matches!(key, "pet" | "pet_size" | "blocks");
        let draft = &mut self.experiment.draft;
        match (setting(key), value) {
            (Some(setting), Some(value)) => {
                (setting.set)(draft, value);
            }
            (Some(setting), None) => (setting.copy)(draft, &RunConfig::default()),
            (None, value) => set_own(draft, key, value),
        }
    }

    /// Selects a backbone from the table, with its default number of blocks with a PET.
    pub fn choose_backbone(&mut self, name: &str) {
        if let Some(about) = self.inventory.backbone(name) {
            choose_backbone(&mut self.experiment.draft, &about.entry);
        }
    }

    /// Selects a PET plugin, in its default size and form.
    pub fn choose_pet(&mut self, name: &str) {
        let draft = &mut self.experiment.draft;
        draft.pet = name.to_string();
        draft.pet_variant = None;
        draft.pet_set = None;
        self.experiment.pet_is_due = false;
        if let Some(plugin) = self.inventory.plugin_of(draft) {
            draft.pet_size = plugin.usual_size();
        }
    }

    /// Selects another method with its default PET and frozen epochs.
    pub fn choose_method(&mut self, spec: &'static MethodSpec) {
        let draft = &mut self.experiment.draft;
        let before = draft.pet.clone();
        adopt(draft, spec);
        share_epochs(draft);
        adopt_published(draft, spec);
        if draft.pet != before {
            self.experiment.pet_is_due = true;
            self.adjust_pet();
        }
    }

    /// Sets the default size and blocks of a PET that came with another method. If the plugins and backbones are not
    /// listed yet, this is done later, because reading files here would block the window.
    pub(super) fn adjust_pet(&mut self) {
        let inventory = &self.inventory;
        let is_read = !inventory.plugins.is_empty() && !inventory.backbones.is_empty();
        if is_read && std::mem::take(&mut self.experiment.pet_is_due) {
            let mut draft = self.experiment.draft.clone();
            let size = inventory.plugin_of(&draft).and_then(PluginView::size);
            usual_pet(&mut draft, self.backbone(), size.map(|(_, usual, _)| usual));
            self.experiment.draft = draft;
        }
    }

    /// Returns the reasons for the backbone, batch and epochs, if the program chose them for this dataset.
    pub fn suited(&self) -> &[Message] {
        match &self.experiment.suitable_settings {
            SuitableSettings::Chosen(words) => words,
            SuitableSettings::Settled | SuitableSettings::Due(_) => &[],
        }
    }

    /// Chooses suitable settings for a newly selected dataset once it is open.
    pub(super) fn choose_suitable_settings(&mut self) {
        let (Some(view), SuitableSettings::Due(place)) = (
            self.experiment.data.ready(),
            &self.experiment.suitable_settings,
        ) else {
            return;
        };
        if *place != view.place || self.experiment.draft.data != view.place {
            return;
        }
        let (draft, words) = self.suitable_draft(view);
        self.experiment.draft = draft;
        self.experiment.suitable_settings = SuitableSettings::Chosen(words);
        self.experiment.planning.renew();
    }

    /// Returns the settings adapted to this dataset, and a sentence for each setting that is not the default.
    fn suitable_draft(&self, view: &DataView) -> (RunConfig, Vec<Message>) {
        let material = DatasetFacts {
            classes: &view.classes,
            train: &view.train,
            looks: view.looks,
            in_stages: self.all_at_once_answer() == Some(false),
        };
        let mut draft = self.experiment.draft.clone();
        let words = suit(&mut draft, &material);
        (draft, words)
    }

    /// Returns whether the settings equal those that the program chooses for the open dataset.
    pub(super) fn has_suitable_settings(&self) -> bool {
        self.experiment.data.ready().is_some_and(|view| {
            view.place == self.experiment.draft.data
                && self.suitable_draft(view).0 == self.experiment.draft
        })
    }

    /// Adapts the settings to the open dataset now.
    pub(super) fn apply_suitable_settings(&mut self) {
        if let Some(view) = self.experiment.data.ready() {
            self.experiment.suitable_settings = SuitableSettings::Due(view.place.clone());
            self.choose_suitable_settings();
        }
    }

    /// Chooses suitable settings again after the dataset was read again, because its classes may have changed. Settings
    /// that the user changed are kept.
    pub(super) fn choose_suitable_settings_again(&mut self) {
        if self.has_suitable_settings() {
            let place = self.experiment.draft.data.clone();
            self.experiment.suitable_settings = SuitableSettings::Due(place);
        }
    }
}

/// Returns the key of a dataset that a user named: the name of a built-in or published dataset, otherwise the absolute
/// path.
pub fn data_place(named: &str) -> String {
    if named.is_empty() || !is_own(named) {
        return named.to_string();
    }
    let path = match Path::new(named) {
        whole if whole.is_absolute() => whole.to_path_buf(),
        _ => {
            let typed = typed_path(named);
            std::path::absolute(&typed).unwrap_or(typed)
        }
    };
    // Collecting the components removes a trailing separator.
    let path: PathBuf = path.components().collect();
    path.display().to_string()
}

/// Sets a setting of the method; a default value is not stored.
fn set_own(draft: &mut RunConfig, key: &str, value: Option<Setting>) {
    let own = named_method(&draft.method).map_or(&[][..], |spec| spec.settings);
    let usual = own.iter().find(|spec| spec.key == key);
    let usual = usual.and_then(|spec| spec.kind.default());
    match value.filter(|value| Some(value) != usual.as_ref()) {
        Some(value) => draft.settings.insert(key.to_string(), value),
        None => draft.settings.remove(key),
    };
}

/// Resets the learning rate and those own settings that the method's authors use only for this dataset. Settings that
/// are shares of the epochs are kept.
fn forget_published(draft: &mut RunConfig, data: &str) {
    let Ok(spec) = named_method(&draft.method) else {
        return;
    };
    draft.base_lr = spec.rate.map_or(draft.base_lr, |rate| rate.base);
    let shares: Vec<&str> = of_epochs(draft).map(|setting| setting.key).collect();
    let published = spec.published.iter().filter(|values| values.data == data);
    for (key, _) in published.flat_map(|values| values.settings) {
        if !shares.contains(key) {
            draft.settings.remove(*key);
        }
    }
}
