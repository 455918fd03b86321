//! Reports options that have no effect in combination with the others.

use super::Settings;
use crate::message;
use crate::method::{ConfiguredMethod, UnusedSetting, problems};
use crate::pet::library::PluginLibrary as Plugins;
use crate::problem::{Problem, Result};
use crate::run::config::{RunConfig, Setting, SettingSpec};

impl Settings {
    /// Returns the keys that options set, each with its option.
    fn given_options(&self) -> Vec<(&str, String)> {
        let option = |(spec, _): (&'static SettingSpec, &Setting)| (spec.key, spec.cli_usage());
        // 0 is what a method without such a setting does anyway.
        let is_no_op = |(spec, value): &(&SettingSpec, &Setting)| {
            spec.epoch_share.is_some() && **value == Setting::Whole(0)
        };
        let method_settings = self.own.iter().filter(|setting| !is_no_op(setting));
        let set = self.set_keys().map(|key| (key, format!("--set {key}")));
        let common = self.given.iter().map(option);
        common.chain(method_settings.map(option)).chain(set).collect()
    }

    /// Returns a sentence about each option that has no effect with the method and PET. This is not an error, since
    /// the same options may be used for all methods of a comparison. Returns nothing if the settings are invalid,
    /// because that is reported instead.
    ///
    /// # Errors
    /// Returns a Problem if there is no such method, or a size is given for a PET without one.
    pub(super) fn notes_on_unused(&self, config: &RunConfig) -> Result<Vec<String>> {
        if !problems(config).is_empty() {
            return Ok(Vec::new());
        }
        let pet = Plugins::standard().get(&config.pet).ok();
        let chosen = ConfiguredMethod::from_config(config)?;
        let unused = chosen.unused_settings(pet.as_deref());
        let title = chosen.spec.title;
        if let Some(pet) = pet.as_deref().filter(|pet| !pet.is_sized())
            && self.given.has("pet_size")
            && chosen.trains_pet()?
        {
            let problem = Problem::new(message!("unused-no-size", title = &pet.name));
            let others: Vec<&str> = pet.adjustable_names().collect();
            return Err(problem.at("--pet-size").advise(match others.as_slice() {
                [] => "omit it".to_owned(),
                others => format!("omit it; --pet-set takes {}", others.join(", ")),
            }));
        }
        let is_missing = |key: &str| {
            let is_supported = chosen.spec.settings.iter().any(|spec| spec.key == key);
            self.own.has(key) && !is_supported
        };
        let note = |(key, option): (&str, String)| {
            let why = match UnusedSetting::reason_for(&unused, key) {
                None if is_missing(key) => format!("{title} has no setting `{key}`"),
                why => why?.to_string(),
            };
            Some(no_effect_note(&why, &option))
        };
        Ok(self.given_options().into_iter().filter_map(note).collect())
    }
}

/// Returns the option that sets this key.
pub(in crate::cli) fn option_name(key: &str) -> String {
    format!("--{}", key.replace('_', "-"))
}

/// Returns the sentence about an option that has no effect.
pub(in crate::cli) fn no_effect_note(why: &str, option: &str) -> String {
    format!("note: {why}, so {option} has no effect")
}
