//! Options that have no effect beside the others.

use super::{FREEZE_EPOCHS, NOTHING_FROZEN, Settings};
use crate::method::Chosen;
use crate::pet::library::Library as Plugins;
use crate::problem::Result;
use crate::run::config::RunConfig;

impl Settings {
    /// The keys that options give, each with its option.
    fn given(&self) -> Vec<(&str, String)> {
        let options = [
            ("classes_per_task", self.classes_per_task.is_some()),
            ("crop_scale", self.crop_scale.is_some()),
            ("flip", self.flip.is_some()),
            ("pet", self.pet.is_some()),
            ("pet_size", self.pet_size.is_some()),
            ("pet_variant", self.pet_variant.is_some()),
            ("blocks", self.blocks.is_some()),
            ("epochs", self.epochs.is_some()),
            (FREEZE_EPOCHS, self.freeze_epochs.is_some_and(|n| n != 0)),
            ("ema", self.ema.is_some()),
            ("base_lr", self.base_lr.is_some()),
        ];
        let options = options.into_iter().filter(|(_, given)| *given);
        let options = options.map(|(key, _)| (key, format!("--{}", key.replace('_', "-"))));
        let own = self.set.iter().filter_map(|text| text.split_once('='));
        let own = own.map(|(key, _)| (key.trim(), format!("--set {}", key.trim())));
        options.chain(own).collect()
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
        let of_all = self.given().into_iter().filter_map(|(key, option)| {
            let idle = idle.iter().find(|idle| idle.key == key)?;
            Some((idle.why.clone(), option))
        });
        let title = chosen.spec.title;
        let own = self.own_options();
        let foreign = own.iter().filter(|(key, _, value)| {
            !chosen.spec.settings.iter().any(|own| own.key == *key) && *value != NOTHING_FROZEN
        });
        let foreign = foreign.map(|(key, option, _)| {
            let why = format!("{title} has no setting \"{key}\"");
            (why, (*option).to_string())
        });
        let both = of_all.chain(foreign);
        let notes = both.map(|(why, option)| format!("note: {why}, so {option} has no effect"));
        Ok(notes.collect())
    }
}
