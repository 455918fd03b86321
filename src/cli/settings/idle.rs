//! Reports options that have no effect in combination with the others.

use super::Settings;
use crate::message;
use crate::method::{Chosen, UnusedSetting, problems};
use crate::pet::library::PluginLibrary as Plugins;
use crate::problem::{Problem, Result};
use crate::run::config::{RunConfig, Setting, SettingSpec};

impl Settings {
    /// Returns the keys that options set, each with its option.
    fn given(&self) -> Vec<(&str, String)> {
        let option = |(spec, _): (&'static SettingSpec, &Setting)| (spec.key, spec.place());
        // 0 is what a method without such a setting does anyway.
        let nothing = |(spec, value): &(&SettingSpec, &Setting)| {
            spec.of_epochs.is_some() && **value == Setting::Whole(0)
        };
        let own = self.own.iter().filter(|given| !nothing(given));
        let set = self.set_keys().map(|key| (key, format!("--set {key}")));
        let common = self.given.iter().map(option);
        common.chain(own.map(option)).chain(set).collect()
    }

    /// Returns a sentence about each option that has no effect with the method and PET. This is not an error, since
    /// the same options may be used for all methods of a comparison. Returns nothing if the settings are invalid,
    /// because that is reported instead.
    ///
    /// # Errors
    /// Returns a Problem if there is no such method, or a size is given for a PET without one.
    pub(super) fn notes_on_idle(&self, config: &RunConfig) -> Result<Vec<String>> {
        if !problems(config).is_empty() {
            return Ok(Vec::new());
        }
        let pet = Plugins::standard().get(&config.pet).ok();
        let chosen = Chosen::of(config)?;
        let idle = chosen.idle(pet.as_deref());
        let title = chosen.spec.title;
        if let Some(pet) = pet.as_deref().filter(|pet| !pet.is_sized())
            && self.given.has("pet_size")
            && chosen.trains_pet()?
        {
            let problem = Problem::new(message!("idle-no-size", title = &pet.name));
            let others: Vec<&str> = pet.choices().collect();
            return Err(problem.at("--pet-size").advise(match others.as_slice() {
                [] => "omit it".to_owned(),
                others => format!("omit it; --pet-set takes {}", others.join(", ")),
            }));
        }
        let lacks = |key: &str| {
            let has = chosen.spec.settings.iter().any(|own| own.key == key);
            self.own.has(key) && !has
        };
        let note = |(key, option): (&str, String)| {
            let why = match UnusedSetting::why(&idle, key) {
                None if lacks(key) => format!("{title} has no setting \"{key}\""),
                why => why?.to_string(),
            };
            Some(without_effect(&why, &option))
        };
        Ok(self.given().into_iter().filter_map(note).collect())
    }
}

/// Returns the option that sets this key.
pub(in crate::cli) fn option_of(key: &str) -> String {
    format!("--{}", key.replace('_', "-"))
}

/// Returns the sentence about an option that has no effect.
pub(in crate::cli) fn without_effect(why: &str, option: &str) -> String {
    format!("note: {why}, so {option} has no effect")
}
