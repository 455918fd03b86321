//! Options that have no effect beside the others.

use super::{NOTHING_FROZEN, Settings};
use crate::method::lae::LAE;
use crate::method::{Chosen, SettingSpec};
use crate::pet::library::Library as Plugins;
use crate::problem::Result;
use crate::run::config::RunConfig;

impl Settings {
    /// The keys that options give, each with its option.
    fn given(&self) -> Vec<(&str, String)> {
        let common = [
            ("classes_per_task", self.classes_per_task.is_some()),
            ("crop_scale", self.crop_scale.is_some()),
            ("flip", self.flip.is_some()),
            ("pet", self.pet.is_some()),
            ("pet_size", self.pet_size.is_some()),
            ("pet_variant", self.pet_variant.is_some()),
            ("blocks", self.blocks.is_some()),
            ("epochs", self.epochs.is_some()),
            ("base_lr", self.base_lr.is_some()),
        ];
        let common = common.into_iter().filter(|(_, given)| *given);
        let common = common.map(|(key, _)| (key, option_of(key)));
        let own = self.own_options().into_iter();
        let own = own.filter(|(.., value)| *value != NOTHING_FROZEN);
        let own = own.map(|(key, option, _)| (key, option.to_string()));
        let set = self.set.iter().filter_map(|text| text.split_once('='));
        let set = set.map(|(key, _)| (key.trim(), format!("--set {}", key.trim())));
        common.chain(own).chain(set).collect()
    }

    /// A sentence on each option that has no effect with the method and PET. They are no mistake: one line of options
    /// serves all methods that are compared.
    ///
    /// # Errors
    /// There is no such method.
    pub(super) fn notes_on_idle(&self, config: &RunConfig) -> Result<Vec<String>> {
        let pet = Plugins::standard().get(&config.pet).ok();
        let chosen = Chosen::of(config)?;
        let idle = chosen.idle(pet.as_deref());
        let title = chosen.spec.title;
        let note = |(key, option): (&str, String)| {
            let has = |settings: &[SettingSpec]| settings.iter().any(|own| own.key == key);
            let why = idle.iter().find(|idle| idle.key == key);
            let why = match why.map(|idle| idle.why.clone()) {
                None if has(LAE.settings) && !has(chosen.spec.settings) => {
                    format!("{title} has no setting \"{key}\"")
                }
                why => why?,
            };
            Some(without_effect(&why, &option))
        };
        Ok(self.given().into_iter().filter_map(note).collect())
    }
}

/// The option that gives the setting of this key.
pub(in crate::cli) fn option_of(key: &str) -> String {
    format!("--{}", key.replace('_', "-"))
}

/// The sentence on an option that has no effect.
pub(in crate::cli) fn without_effect(why: &str, option: &str) -> String {
    format!("note: {why}, so {option} has no effect")
}
