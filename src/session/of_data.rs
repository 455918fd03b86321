//! What of the settings belongs to the data set: tasks, order, batch, epochs, crops. Each data set
//! keeps its own while the program runs, and a new one gets what suits it.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use super::Session;
use super::chooser::typed_path;
use super::grids::Several;
use super::views::{BackboneView, DataView};
use crate::data::{builtin, named};
use crate::experiment::suited::{Material, of_epochs, share_epochs, suit, take_from};
use crate::method::{MethodSpec, adopt, adopt_published, named_method, usual_pet};
use crate::run::config::{RunConfig, Setting, setting};
use crate::texts::Message;

/// What is set up, as undo puts it back.
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

/// Settings of one data set.
pub(super) type Kept = HashMap<String, RunConfig>;

/// Whether the program chooses settings for the data set.
#[derive(Default)]
pub(super) enum Suiting {
    /// They are the person's, or the usual ones.
    #[default]
    Settled,
    /// The data set at this place gets some that suit it once it is open.
    Due(String),
    /// They were chosen, for what this sentence says.
    Chosen(Message),
}

impl Session {
    /// Makes this the data set of the settings. What it was used with before comes back; a data set
    /// that is new here gets settings that suit it once it is open.
    pub fn choose_data(&mut self, place: &str) {
        let place = &data_place(place);
        let left = self.experiment.draft.clone();
        self.experiment.preset = None;
        if left.data != *place {
            self.experiment.suiting = match self.experiment.kept.get(place) {
                Some(kept) => {
                    take_from(&mut self.experiment.draft, kept);
                    Suiting::Settled
                }
                None => Suiting::Due(place.clone()),
            };
            if let Some(set) = named::published(&left.data) {
                forget_published(&mut self.experiment.draft, set.name);
            }
            // The list of another data set means nothing here.
            self.experiment.draft.corrected.clear();
            self.begin_to_follow_corrected();
            self.experiment.kept.insert(left.data.clone(), left);
        }
        self.open_data(place);
        self.suit_data();
    }

    /// Makes this the data set of the first settings, unless it is already: the settings that it was last used with stay.
    pub fn begin_with(&mut self, place: &str) {
        if data_place(place) != self.experiment.draft.data {
            self.choose_data(place);
        }
    }

    /// Takes these settings as they are, their data set included.
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

    /// Whether the settings wait for their data set, which then gets some that suit it.
    pub fn is_suiting(&self) -> bool {
        matches!(self.experiment.suiting, Suiting::Due(_))
    }

    /// Puts back what was set up before, or after, a change of it: nothing is chosen for its data set.
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

    /// Gives the setting under this key, of every run or the method's own, a value; none is the usual one. A setting of
    /// every run takes no value of another kind; one of the method's own is checked with the plan.
    pub fn set(&mut self, key: &str, value: Option<Setting>) {
        // What a person says of the PET is not put right later.
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

    /// Makes this network of the table the backbone; as many blocks get a PET as is usual for it.
    pub fn choose_backbone(&mut self, name: &str) {
        let mut known = self.inventory.backbones.iter();
        if let Some(view) = known.find(|view| view.name == name) {
            self.experiment.draft.backbone.clone_from(&view.name);
            self.experiment.draft.blocks = view.shape.pet_blocks.to_string();
        }
    }

    /// Trains the PET of this plugin, in its usual size and form.
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

    /// Turns the settings to another method, with the PET and the frozen epochs that are usual for it.
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

    /// Puts the usual size and place of a PET that came with another method, by what the inventory knows: to read files
    /// here would hold the window up. What is not read yet does it later.
    pub(super) fn suit_pet(&mut self) {
        let inventory = &self.inventory;
        let is_read = !inventory.plugins.is_empty() && !inventory.backbones.is_empty();
        if is_read && std::mem::take(&mut self.experiment.pet_is_due) {
            let draft = &mut self.experiment.draft;
            let mut listed = self.inventory.backbones.iter();
            let is_chosen = |view: &&BackboneView| view.name == draft.backbone;
            let about = listed.find(is_chosen);
            let about = about.or(self.experiment.plan.backbone.as_ref().filter(is_chosen));
            let size = self.inventory.plugin_of(draft).and_then(|view| view.size);
            let shape = about.map(|view| view.shape);
            usual_pet(draft, shape, size.map(|(_, usual, _)| usual));
        }
    }

    /// Why batch, epochs and tasks are what they are, where the program chose them for this data.
    pub fn suited(&self) -> Option<&Message> {
        match &self.experiment.suiting {
            Suiting::Chosen(words) => Some(words),
            Suiting::Settled | Suiting::Due(_) => None,
        }
    }

    /// Chooses what suits a data set that was chosen and is open now.
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
        self.experiment.suiting = words.map_or(Suiting::Settled, Suiting::Chosen);
        self.experiment.planning.renew();
    }

    /// The settings with those that suit this data set, and a sentence where they are not the usual ones.
    fn suited_draft(&self, view: &DataView) -> (RunConfig, Option<Message>) {
        let material = Material {
            classes: &view.classes,
            train: &view.train,
            drawings: view.glyph_share.is_some(),
        };
        let mut draft = self.experiment.draft.clone();
        let words = suit(&mut draft, &material);
        if self.can_arrive() && self.arrival() == Some(true) {
            draft.classes_per_task = view.classes.len().to_string();
        }
        (draft, words)
    }

    /// Lets the settings suit the data set once more when it has been read again, as long as they are those that were
    /// chosen for it: its classes may be others now. What the user set stays.
    pub(super) fn suit_again(&mut self) {
        if let Some(view) = self.experiment.data.ready()
            && view.place == self.experiment.draft.data
            && self.suited_draft(view).0 == self.experiment.draft
        {
            self.experiment.suiting = Suiting::Due(view.place.clone());
        }
    }
}

/// The key of a data set that a user named: the name of one that comes along or is published, else the whole path of a
/// folder or file.
pub fn data_place(named: &str) -> String {
    let is_listed = builtin::names().any(|name| name == named);
    if named.is_empty() || is_listed || named::published(named).is_some() {
        return named.to_string();
    }
    let path = match Path::new(named) {
        whole if whole.is_absolute() => whole.to_path_buf(),
        _ => {
            let typed = typed_path(named);
            std::path::absolute(&typed).unwrap_or(typed)
        }
    };
    // Without a separator at its end.
    let path: PathBuf = path.components().collect();
    path.display().to_string()
}

/// Gives a setting of the method's own a value; the usual one needs no word in the settings.
fn set_own(draft: &mut RunConfig, key: &str, value: Option<Setting>) {
    let own = named_method(&draft.method).map_or(&[][..], |spec| spec.settings);
    let usual = own.iter().find(|spec| spec.key == key);
    let usual = usual.and_then(|spec| spec.kind.default());
    match value.filter(|value| Some(value) != usual.as_ref()) {
        Some(value) => draft.settings.insert(key.to_string(), value),
        None => draft.settings.remove(key),
    };
}

/// Puts back the rate and the own settings that the method's authors use on the data set of this name alone; what is a
/// share of the epochs goes with these.
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
