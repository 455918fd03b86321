//! What of the settings belongs to the data set: tasks, order, batch, epochs, crops. Each data set
//! keeps its own while the program runs, and a new one gets what suits it.

use std::collections::HashMap;

use super::Session;
use crate::data::named;
use crate::experiment::suited::{Material, suit, take_from};
use crate::method::named_method;
use crate::run::config::RunConfig;

/// Settings of one data set.
pub(super) type Kept = HashMap<String, RunConfig>;

impl Session {
    /// Makes this the data set of the settings. What it was used with before comes back; a data set
    /// that is new here gets settings that suit it once it is open.
    pub fn choose_data(&mut self, place: &str) {
        let left = self.draft.clone();
        self.preset = None;
        if left.data != place {
            match self.kept.get(place) {
                Some(kept) => take_from(&mut self.draft, &kept.clone()),
                None => self.unsuited = Some(place.to_string()),
            }
            if named::published(&left.data).is_some() {
                // The authors' rate and memory are for that data alone.
                self.draft.base_lr = usual_rate(&self.draft);
                self.draft.settings.remove("ema");
            }
            // The list of another data set means nothing here.
            self.draft.mended.clear();
            self.begin_to_follow_mended();
            self.kept.insert(left.data.clone(), left);
            self.suited = None;
        }
        self.open_data(place);
        self.suit_data();
    }

    /// Takes these settings as they are, their data set included.
    pub fn take_up(&mut self, config: RunConfig) {
        let data = config.data.clone();
        self.draft = config;
        self.preset = None;
        self.beside = false;
        self.unsuited = None;
        self.suited = None;
        self.begin_to_follow_mended();
        self.open_data(&data);
    }

    /// Why batch, epochs and tasks are what they are, where the program chose them for this data.
    pub fn suited(&self) -> Option<&str> {
        self.suited.as_deref()
    }

    /// Chooses what suits a data set that was chosen and is open now.
    pub(super) fn suit_data(&mut self) {
        let Some(view) = self.data.ready() else {
            return;
        };
        if self.unsuited.as_ref() != Some(&view.place) || self.draft.data != view.place {
            return;
        }
        self.unsuited = None;
        let material = Material {
            classes: &view.classes,
            train: &view.train,
            drawings: view.glyph_share.is_some(),
        };
        self.suited = suit(&mut self.draft, &material);
        self.planned = None;
    }
}

/// The method's usual learning rate.
fn usual_rate(draft: &RunConfig) -> f64 {
    let rate = named_method(&draft.method).ok().and_then(|spec| spec.rate);
    rate.map_or(draft.base_lr, |rate| rate.base)
}
