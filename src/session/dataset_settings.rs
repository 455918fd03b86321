//! Settings that belong to the dataset: tasks, order, batch, epochs, crops. Each dataset keeps its own while the
//! program runs, and a new one gets suitable ones.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use super::Session;
use super::chooser::typed_path;
use super::class_schedule::is_own;
use super::grids::Several;
use super::views::DataView;
use crate::data::published;
use crate::experiment::suggested_settings::{
    DatasetFacts, choose_backbone, of_epochs, restore, share_epochs, suit,
};
use crate::method::{MethodSpec, adopt, adopt_published, named_method, usual_pet};
use crate::run::config::{RunConfig, Setting, setting};
use crate::texts::Message;

/// A set-up, as undo restores it.
#[derive(Clone, Debug, PartialEq)]
pub struct SetUp {
    /// The settings.
    pub draft: RunConfig,
    /// As `Experiment::beside`.
    pub beside: bool,
    /// As `Experiment::preset`.
    pub preset: Option<String>,
    /// The settings with several values.
    pub several: Several,
}

/// Settings of datasets.
pub(super) type Kept = HashMap<String, RunConfig>;

/// Whether the program chooses settings for the dataset.
#[derive(Default)]
pub(super) enum Suiting {
    /// They are the user's, or the defaults.
    #[default]
    Settled,
    /// The dataset at this place gets suitable ones once it is open.
    Due(String),
    /// They were chosen, for the reasons in these messages.
    Chosen(Vec<Message>),
}

impl Session {
    /// Selects a dataset. Its last settings are restored; a new dataset gets suitable settings once it is open.
    pub fn choose_data(&mut self, place: &str) {
        let place = &data_place(place);
        let left = self.experiment.draft.clone();
        self.experiment.preset = None;
        if left.data != *place {
            self.experiment.suiting = match self.experiment.kept.get(place) {
                Some(kept) => {
                    restore(&mut self.experiment.draft, kept);
                    Suiting::Settled
                }
                None => Suiting::Due(place.clone()),
            };
            if let Some(set) = published::published(&left.data) {
                forget_published(&mut self.experiment.draft, set.name);
            }
            // The list of another dataset does not apply here.
            self.experiment.draft.corrected.clear();
            self.begin_to_follow_corrected();
            self.experiment.kept.insert(left.data.clone(), left);
        }
        self.open_data(place);
        self.suit_data();
    }

    /// Selects a dataset at start-up unless it is already selected; the settings last used with it are kept.
    pub fn begin_with(&mut self, place: &str) {
        if data_place(place) != self.experiment.draft.data {
            self.choose_data(place);
        }
    }

    /// Loads these settings unchanged, including their dataset.
    pub fn take_up(&mut self, config: RunConfig) {
        let data = config.data.clone();
        self.experiment.draft = config;
        self.experiment.pet_is_due = false;
        self.experiment.preset = None;
        self.experiment.beside = false;
        self.close_grid();
        self.experiment.suiting = Suiting::Settled;
        self.begin_to_follow_corrected();
        self.open_data(&data);
    }

    /// Returns whether the settings wait for their dataset, which then gets suitable ones.
    pub fn is_suiting(&self) -> bool {
        matches!(self.experiment.suiting, Suiting::Due(_))
    }

    /// Restores an earlier or later set-up; nothing is chosen for its dataset.
    pub fn put_back(&mut self, before: SetUp) {
        let other_data = before.draft.data != self.experiment.draft.data;
        self.experiment.draft = before.draft;
        self.experiment.pet_is_due = false;
        self.experiment.beside = before.beside;
        self.experiment.preset = before.preset;
        self.experiment.grid.several = before.several;
        self.experiment.grid.opened = None;
        self.experiment.suiting = Suiting::Settled;
        self.follow_if_same();
        if other_data {
            let data = self.experiment.draft.data.clone();
            self.open_data(&data);
        }
    }

    /// Sets the setting under this key, common or of the method; `None` for the default. A common setting rejects a
    /// value of another type; one of the method is checked with the plan.
    pub fn set(&mut self, key: &str, value: Option<Setting>) {
        // The PET that a user set is not adjusted later.
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

    /// Selects another method, with its default PET and frozen epochs.
    pub fn choose_method(&mut self, spec: &'static MethodSpec) {
        let draft = &mut self.experiment.draft;
        let before = draft.pet.clone();
        adopt(draft, spec);
        share_epochs(draft);
        adopt_published(draft, spec);
        if draft.pet != before {
            self.experiment.pet_is_due = true;
            self.suit_pet();
        }
    }

    /// Sets the default size and position of a PET that came with another method, from what the inventory knows;
    /// reading files here would block the window. If it is not read yet, this happens later.
    pub(super) fn suit_pet(&mut self) {
        let inventory = &self.inventory;
        let is_read = !inventory.plugins.is_empty() && !inventory.backbones.is_empty();
        if is_read && std::mem::take(&mut self.experiment.pet_is_due) {
            let mut draft = self.experiment.draft.clone();
            let size = inventory.plugin_of(&draft).and_then(|view| view.size);
            usual_pet(&mut draft, self.backbone(), size.map(|(_, usual, _)| usual));
            self.experiment.draft = draft;
        }
    }

    /// Returns why backbone, batch and epochs have their values, if the program chose them for this data.
    pub fn suited(&self) -> &[Message] {
        match &self.experiment.suiting {
            Suiting::Chosen(words) => words,
            Suiting::Settled | Suiting::Due(_) => &[],
        }
    }

    /// Chooses suitable settings for a newly selected dataset that is now open.
    pub(super) fn suit_data(&mut self) {
        let (Some(view), Suiting::Due(place)) =
            (self.experiment.data.ready(), &self.experiment.suiting)
        else {
            return;
        };
        if *place != view.place || self.experiment.draft.data != view.place {
            return;
        }
        let (draft, words) = self.suited_draft(view);
        self.experiment.draft = draft;
        self.experiment.suiting = Suiting::Chosen(words);
        self.experiment.planning.renew();
    }

    /// Returns the settings adapted to this dataset, and a sentence for each that is not the default.
    fn suited_draft(&self, view: &DataView) -> (RunConfig, Vec<Message>) {
        let material = DatasetFacts {
            classes: &view.classes,
            train: &view.train,
            looks: view.looks,
            in_stages: self.arrival() == Some(false),
        };
        let mut draft = self.experiment.draft.clone();
        let words = suit(&mut draft, &material);
        (draft, words)
    }

    /// Returns whether the settings are the ones that the program chooses for the open dataset.
    pub(super) fn has_suited_settings(&self) -> bool {
        self.experiment.data.ready().is_some_and(|view| {
            view.place == self.experiment.draft.data
                && self.suited_draft(view).0 == self.experiment.draft
        })
    }

    /// Adapts the settings to the open dataset now.
    pub(super) fn suit_now(&mut self) {
        if let Some(view) = self.experiment.data.ready() {
            self.experiment.suiting = Suiting::Due(view.place.clone());
            self.suit_data();
        }
    }

    /// Adapts the settings again when the dataset was read again, as long as they are the ones chosen for it, because
    /// its classes may have changed. The user's own settings stay.
    pub(super) fn suit_again(&mut self) {
        if self.has_suited_settings() {
            let place = self.experiment.draft.data.clone();
            self.experiment.suiting = Suiting::Due(place);
        }
    }
}

/// Returns the key of a dataset that a user named: the name of a built-in or published one, else the full path of a
/// folder or file.
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
    // Without a trailing separator.
    let path: PathBuf = path.components().collect();
    path.display().to_string()
}

/// Sets a setting of the method; the default is not stored.
fn set_own(draft: &mut RunConfig, key: &str, value: Option<Setting>) {
    let own = named_method(&draft.method).map_or(&[][..], |spec| spec.settings);
    let usual = own.iter().find(|spec| spec.key == key);
    let usual = usual.and_then(|spec| spec.kind.default());
    match value.filter(|value| Some(value) != usual.as_ref()) {
        Some(value) => draft.settings.insert(key.to_string(), value),
        None => draft.settings.remove(key),
    };
}

/// Resets the learning rate and own settings that the method's authors use for the dataset of this name only, and with
/// the epochs what is a share of them.
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
