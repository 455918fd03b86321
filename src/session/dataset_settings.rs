//! Settings that belong to a dataset: tasks, order, batch, epochs, crops. They are kept for each dataset while the
//! program runs; a new dataset gets suitable ones.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use super::Session;
use super::class_schedule::is_user_dataset;
use super::file_dialog::typed_path;
use super::grids::VaryingSettings;
use super::views::{DataView, PluginView};
use crate::data::published;
use crate::experiment::suggested_settings::{
    DatasetFacts, SuggestionNotes, apply_usual_epoch_shares, choose_backbone,
    epoch_dependent_settings, restore, suggest_settings,
};
use crate::method::{
    MethodSpec, apply_pet_defaults, apply_published_values, find_method, switch_method,
};
use crate::run::config::{RunConfig, Setting, setting};
use crate::texts::Message;

/// The state of the page Experiment that undo restores.
#[derive(Clone, Debug, PartialEq)]
pub struct SetUp {
    /// The settings.
    pub draft: RunConfig,
    /// See `Experiment::has_own_labels`.
    pub own_labels: bool,
    /// See `Experiment::with_baseline`.
    pub with_baseline: bool,
    /// See `Experiment::preset`.
    pub preset: Option<String>,
    /// The settings with several values.
    pub varying: VaryingSettings,
}

impl SetUp {
    /// Returns the set-up without the corrected labels of the dataset, which undo does not change.
    #[must_use]
    pub fn without_dataset_labels(mut self) -> Self {
        if !self.own_labels {
            self.draft.corrected.clear();
        }
        self
    }
}

/// The last settings used with each dataset.
pub(super) type SettingsByDataset = HashMap<String, RunConfig>;

/// The state of choosing settings that suit the dataset.
#[derive(Default)]
pub(super) enum SuitableSettings {
    /// The settings are the user's or the defaults.
    #[default]
    Inactive,
    /// The dataset at this location gets suitable settings once it is open.
    Due(String),
    /// The program chose the settings, for these reasons.
    Chosen(SuggestionNotes),
}

impl Session {
    /// Selects a dataset. Its last settings are restored; a new dataset gets suitable settings once it is open.
    pub fn choose_data(&mut self, location: &str) {
        let location = &dataset_location(location);
        let previous = self.experiment.draft.clone();
        self.experiment.preset = None;
        if previous.data != *location {
            self.experiment.suitable_settings =
                match self.experiment.settings_by_dataset.get(location) {
                    Some(stored) => {
                        restore(&mut self.experiment.draft, stored);
                        SuitableSettings::Inactive
                    }
                    None => SuitableSettings::Due(location.clone()),
                };
            if let Some(set) = published::find_published(&previous.data) {
                reset_published_settings(&mut self.experiment.draft, set.name);
            }
            // The corrected labels of another dataset do not apply.
            self.experiment.draft.corrected.clear();
            self.use_dataset_labels();
            self.experiment.settings_by_dataset.insert(previous.data.clone(), previous);
        }
        self.open_data(location);
        self.choose_suitable_settings();
    }

    /// Selects a dataset at start-up unless it is already selected. The settings last used with it are kept.
    pub fn select_initial_data(&mut self, location: &str) {
        if dataset_location(location) != self.experiment.draft.data {
            self.choose_data(location);
        }
    }

    /// Loads these settings unchanged, including their dataset.
    pub fn load_run_settings(&mut self, config: RunConfig) {
        let data = config.data.clone();
        self.experiment.draft = config;
        self.experiment.pet_is_due = false;
        self.experiment.preset = None;
        self.experiment.with_baseline = false;
        self.close_grid();
        self.experiment.suitable_settings = SuitableSettings::Inactive;
        self.use_dataset_labels();
        self.open_data(&data);
    }

    /// Returns whether the program will choose suitable settings once the dataset is open.
    pub fn awaits_suitable_settings(&self) -> bool {
        matches!(self.experiment.suitable_settings, SuitableSettings::Due(_))
    }

    /// Restores an earlier or later set-up. No settings are chosen for its dataset.
    pub fn restore_set_up(&mut self, set_up: SetUp) {
        let other_data = set_up.draft.data != self.experiment.draft.data;
        self.experiment.draft = set_up.draft;
        self.experiment.has_own_labels = set_up.own_labels;
        self.experiment.pet_is_due = false;
        self.experiment.with_baseline = set_up.with_baseline;
        self.experiment.preset = set_up.preset;
        self.experiment.grid.varying = set_up.varying;
        self.experiment.grid.opened = None;
        self.experiment.suitable_settings = SuitableSettings::Inactive;
        self.sync_corrected_labels();
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
            (None, value) => set_method_setting(draft, key, value),
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
            draft.pet_size = plugin.default_size();
        }
    }

    /// Selects another method with its default PET and frozen epochs.
    pub fn choose_method(&mut self, spec: &'static MethodSpec) {
        let draft = &mut self.experiment.draft;
        let previous_pet = draft.pet.clone();
        switch_method(draft, spec);
        apply_usual_epoch_shares(draft);
        apply_published_values(draft, spec);
        if draft.pet != previous_pet {
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
            apply_pet_defaults(
                &mut draft,
                self.backbone(),
                size.map(|(_, default_size, _)| default_size),
            );
            self.experiment.draft = draft;
        }
    }

    /// Returns the reasons for the backbone, batch and epochs, if the program chose them for this dataset and they have
    /// an effect.
    pub fn settings_reasons(&self) -> impl Iterator<Item = &Message> {
        let notes = match &self.experiment.suitable_settings {
            SuitableSettings::Chosen(notes) => Some(notes),
            SuitableSettings::Inactive | SuitableSettings::Due(_) => None,
        };
        let has_epochs = self.experiment.why_idle("epochs").is_none();
        let training = notes.and_then(|notes| notes.training.as_ref()).filter(|_| has_epochs);
        notes.and_then(|notes| notes.backbone.as_ref()).into_iter().chain(training)
    }

    /// Chooses suitable settings for a newly selected dataset once it is open.
    pub(super) fn choose_suitable_settings(&mut self) {
        let (Some(view), SuitableSettings::Due(location)) =
            (self.experiment.data.ready(), &self.experiment.suitable_settings)
        else {
            return;
        };
        if *location != view.location || self.experiment.draft.data != view.location {
            return;
        }
        let (draft, notes) = self.suitable_draft(view);
        self.experiment.draft = draft;
        self.experiment.suitable_settings = SuitableSettings::Chosen(notes);
        self.experiment.planning.invalidate();
    }

    /// Returns the settings adapted to this dataset.
    fn suitable_draft(&self, view: &DataView) -> (RunConfig, SuggestionNotes) {
        let facts = DatasetFacts {
            classes: &view.classes,
            train: &view.train,
            image_kind: view.image_kind,
            split_into_tasks: self.all_at_once_answer() == Some(false),
        };
        let mut draft = self.experiment.draft.clone();
        let notes = suggest_settings(&mut draft, &facts);
        (draft, notes)
    }

    /// Returns whether the settings equal those that the program chooses for the open dataset.
    pub(super) fn has_suitable_settings(&self) -> bool {
        self.experiment.data.ready().is_some_and(|view| {
            view.location == self.experiment.draft.data
                && self.suitable_draft(view).0 == self.experiment.draft
        })
    }

    /// Adapts the settings to the open dataset now.
    pub(super) fn apply_suitable_settings(&mut self) {
        if let Some(view) = self.experiment.data.ready() {
            self.experiment.suitable_settings = SuitableSettings::Due(view.location.clone());
            self.choose_suitable_settings();
        }
    }

    /// Chooses suitable settings again after the dataset was read again, because its classes may have changed. Settings
    /// that the user changed are kept.
    pub(super) fn choose_suitable_settings_again(&mut self) {
        if self.has_suitable_settings() {
            let location = self.experiment.draft.data.clone();
            self.experiment.suitable_settings = SuitableSettings::Due(location);
        }
    }
}

/// Returns the key of a dataset that a user named: the name of a built-in or published dataset, otherwise the absolute
/// path.
pub fn dataset_location(name: &str) -> String {
    if name.is_empty() || !is_user_dataset(name) {
        return name.to_string();
    }
    let path = match Path::new(name) {
        path if path.is_absolute() => path.to_path_buf(),
        _ => {
            let typed = typed_path(name);
            std::path::absolute(&typed).unwrap_or(typed)
        }
    };
    // Collecting the components removes a trailing separator.
    let path: PathBuf = path.components().collect();
    path.display().to_string()
}

/// Sets a setting of the method; a default value is not stored.
fn set_method_setting(draft: &mut RunConfig, key: &str, value: Option<Setting>) {
    let settings = find_method(&draft.method).map_or(&[][..], |spec| spec.settings);
    let spec = settings.iter().find(|spec| spec.key == key);
    let default_value = spec.and_then(|spec| spec.kind.default());
    match value.filter(|value| Some(value) != default_value.as_ref()) {
        Some(value) => draft.settings.insert(key.to_string(), value),
        None => draft.settings.remove(key),
    };
}

/// Resets the learning rate and those own settings that the method's authors use only for this dataset. Settings that
/// are shares of the epochs are kept.
fn reset_published_settings(draft: &mut RunConfig, data: &str) {
    let Ok(spec) = find_method(&draft.method) else {
        return;
    };
    draft.base_lr = spec.rate.map_or(draft.base_lr, |rate| rate.base);
    let shares: Vec<&str> = epoch_dependent_settings(draft).map(|setting| setting.key).collect();
    let published = spec.published.iter().filter(|values| values.data == data);
    for (key, _) in published.flat_map(|values| values.settings) {
        if !shares.contains(key) {
            draft.settings.remove(*key);
        }
    }
}
