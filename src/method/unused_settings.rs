//! Settings that have no effect given the others: SimpleCIL has no learning rate, L2P no PET, SSF no size. The window
//! disables them; the command line warns about those given as options; settings in a file are ignored silently.

use super::spec::{ConfiguredMethod, UnusedSetting};
use super::task::Pass;
use crate::message;
use crate::pet::PetSpec;
use crate::run::config::{Requirement, SETTINGS};
use crate::texts::Message;

/// The properties of a PET plugin that determine which settings have an effect.
#[derive(Clone, Copy, Debug)]
pub struct Plugin<'a> {
    /// Its title.
    pub name: &'a str,
    /// Whether it has an adjustable size.
    pub sized: bool,
}

impl<'a> From<&'a PetSpec> for Plugin<'a> {
    fn from(pet: &'a PetSpec) -> Self {
        Self { name: &pet.name, sized: pet.is_sized() }
    }
}

impl UnusedSetting {
    fn new(key: &'static str, reason: &Message) -> Self {
        Self { key, reason: reason.clone() }
    }

    /// Returns why the setting under this key has no effect, if it is in the list.
    pub fn reason_for<'a>(settings: &'a [Self], key: &str) -> Option<&'a Message> {
        let unused = settings.iter().find(|setting| setting.key == key);
        unused.map(|setting| &setting.reason)
    }
}

impl ConfiguredMethod<'_> {
    /// Returns the settings without effect. `pet` is the PET plugin, if it is known. Settings out of range are not
    /// listed.
    pub fn unused_settings<'p>(&self, pet: Option<impl Into<Plugin<'p>>>) -> Vec<UnusedSetting> {
        let unmet_needs = self.unmet_needs(pet.map(Into::into));
        let mut unused = Vec::new();
        for spec in SETTINGS.iter().map(|setting| &setting.spec) {
            let unmet = unmet_needs.iter().find(|(needs, _)| *needs == spec.needs);
            unused.extend(unmet.map(|(_, reason)| UnusedSetting::new(spec.key, reason)));
        }
        unused.extend((self.spec.unused_settings)(self).unwrap_or_default());
        unused
    }

    /// Returns the needs of settings that this run does not meet, each with a sentence.
    fn unmet_needs(&self, pet: Option<Plugin<'_>>) -> Vec<(Requirement, Message)> {
        let title = self.title();
        let describe = |id: &'static str| message!(id, title = title.clone());
        let mut unmet_needs = Vec::new();
        if !self.trains_pet().unwrap_or(true) {
            let reason = describe("unused-no-plugin");
            unmet_needs
                .extend([(Requirement::Pet, reason.clone()), (Requirement::SizedPet, reason)]);
        } else if let Some(pet) = pet.filter(|pet| !pet.sized) {
            let reason = message!("unused-no-size", title = pet.name);
            unmet_needs.push((Requirement::SizedPet, reason));
        }
        let Ok(passes) = self.default_passes(0) else {
            return unmet_needs;
        };
        let learns = passes.iter().any(Pass::is_learning);
        if self.spec.rate.is_none() || !learns {
            unmet_needs.push((Requirement::Steps, describe("unused-no-steps")));
        }
        if !learns {
            unmet_needs.push((Requirement::Epochs, describe("unused-no-epochs")));
        }
        if !passes.iter().any(|pass| pass.augment) {
            unmet_needs.push((Requirement::Augmentation, describe("unused-no-augmentation")));
        }
        if !self.spec.seeded {
            unmet_needs.push((Requirement::Draws, describe("unused-no-random-numbers")));
        }
        if self.spec.all_at_once {
            unmet_needs.push((Requirement::Tasks, describe("unused-learns-one-task")));
        }
        unmet_needs
    }

    /// Returns the method's title, with the setting that makes it train nothing, if any.
    fn title(&self) -> Message {
        let trains_nothing =
            self.spec.pet.is_some() && self.trains_pet().is_ok_and(|trains| !trains);
        match trains_nothing {
            true => message!("unused-with-settings", title = self.spec.title),
            false => message!("unused-method", title = self.spec.title),
        }
    }
}

/// Returns these settings of a method as settings without effect, with this reason.
pub(super) fn from_keys(keys: &[&'static str], why: &'static str) -> Vec<UnusedSetting> {
    let why = message!(why);
    keys.iter().map(|key| UnusedSetting::new(key, &why)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pet::library::PluginLibrary;
    use crate::run::config::{RunConfig, Setting};

    fn unused_keys(method: &str, settings: &[(&str, Setting)], pet: &str) -> Vec<&'static str> {
        let settings = settings.iter().cloned();
        let config = RunConfig {
            method: method.into(),
            settings: settings.map(|(key, value)| (key.into(), value)).collect(),
            ..RunConfig::default()
        };
        let spec = PluginLibrary::with_folders(Vec::new()).get(pet).unwrap();
        let chosen = ConfiguredMethod::from_config(&config).unwrap();
        chosen.unused_settings(Some(&*spec)).iter().map(|setting| setting.key).collect()
    }

    #[test]
    fn unused_settings_lists_settings_without_effect() {
        let no_keys: [&str; 0] = [];
        assert_eq!(unused_keys("lae", &[], "adapter"), no_keys);
        assert_eq!(unused_keys("baseline", &[], "ssf"), ["pet_size"]);
        let off = |key| (key, Setting::Flag(false));
        assert_eq!(unused_keys("lae", &[off("learning")], "lora"), ["freeze_epochs"]);
        assert_eq!(unused_keys("lae", &[off("accumulation")], "lora"), ["ema"]);
        let pet = ["pet", "pet_size", "pet_variant", "pet_set", "pet_start", "blocks"];
        assert_eq!(unused_keys("l2p", &[], "adapter"), pet);
        let nothing = ["epochs", "min_steps", "base_lr", "crop_scale", "flip", "label_smoothing"];
        assert_eq!(unused_keys("simplecil", &[], "ssf"), [&pet[..], &nothing, &["seed"]].concat());
        let solved = [&pet[..], &nothing, &["weight_decay", "dropout"]].concat();
        assert_eq!(unused_keys("ranpac", &[], "adapter"), solved);
        let tuned = ("first_session", Setting::Text("adapter".into()));
        assert_eq!(unused_keys("ranpac", &[tuned], "adapter"), no_keys);
        let expected = [&pet[..], &["classes_per_task"]].concat();
        assert_eq!(unused_keys("joint-ft", &[], "adapter"), expected);
    }

    #[test]
    fn unused_settings_ignores_out_of_range_settings() {
        let invalid = ("first_session", Setting::Whole(3));
        assert!(unused_keys("ranpac", &[invalid], "adapter").is_empty());
    }
}
