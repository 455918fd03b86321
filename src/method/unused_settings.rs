//! Settings that have no effect given the others: SimpleCIL has no learning rate, L2P no PET, SSF no size. The window
//! disables them; the command line warns about those given as options; settings in a file are ignored silently.

use super::spec::{Chosen, UnusedSetting};
use super::task::Pass;
use crate::message;
use crate::pet::PetSpec;
use crate::run::config::{Needs, SETTINGS};
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
        Self {
            name: &pet.name,
            sized: pet.is_sized(),
        }
    }
}

impl UnusedSetting {
    fn of(key: &'static str, why: &Message) -> Self {
        Self {
            key,
            why: why.clone(),
        }
    }

    /// Returns why the setting under this key has no effect, if it is in the list.
    pub fn why<'a>(all: &'a [Self], key: &str) -> Option<&'a Message> {
        let idle = all.iter().find(|idle| idle.key == key);
        idle.map(|idle| &idle.why)
    }
}

impl Chosen<'_> {
    /// Returns the settings without effect. `pet` is the PET plugin, if it is known. Settings out of range are not
    /// listed.
    pub fn idle<'p>(&self, pet: Option<impl Into<Plugin<'p>>>) -> Vec<UnusedSetting> {
        let lacks = self.lacks(pet.map(Into::into));
        let mut idle = Vec::new();
        for spec in SETTINGS.iter().map(|setting| &setting.spec) {
            let lacking = lacks.iter().find(|(needs, _)| *needs == spec.needs);
            idle.extend(lacking.map(|(_, why)| UnusedSetting::of(spec.key, why)));
        }
        idle.extend((self.spec.idle)(self).unwrap_or_default());
        idle
    }

    /// Returns the needs of settings that this run does not meet, each with a sentence.
    fn lacks(&self, pet: Option<Plugin<'_>>) -> Vec<(Needs, Message)> {
        let title = self.title();
        let says = |id: &'static str| message!(id, title = title.clone());
        let mut lacks = Vec::new();
        if !self.trains_pet().unwrap_or(true) {
            let why = says("idle-no-plugin");
            lacks.extend([(Needs::Pet, why.clone()), (Needs::SizedPet, why)]);
        } else if let Some(pet) = pet.filter(|pet| !pet.sized) {
            let why = message!("idle-no-size", title = pet.name);
            lacks.push((Needs::SizedPet, why));
        }
        let Ok(passes) = self.kinds(0) else {
            return lacks;
        };
        let learns = passes.iter().any(Pass::learns);
        if self.spec.rate.is_none() || !learns {
            lacks.push((Needs::Steps, says("idle-no-steps")));
        }
        if !learns {
            lacks.push((Needs::Epochs, says("idle-no-epochs")));
        }
        if !passes.iter().any(|pass| pass.augment) {
            lacks.push((Needs::Augmentation, says("idle-no-augmentation")));
        }
        if !self.spec.seeded {
            lacks.push((Needs::Draws, says("idle-no-random-numbers")));
        }
        if self.spec.all_at_once {
            lacks.push((Needs::Tasks, says("idle-learns-one-task")));
        }
        lacks
    }

    /// Returns the method's title, with the setting that makes it train nothing, if any.
    fn title(&self) -> Message {
        let still = self.spec.pet.is_some() && self.trains_pet().is_ok_and(|trains| !trains);
        match still {
            true => message!("idle-with-settings", title = self.spec.title),
            false => message!("idle-method", title = self.spec.title),
        }
    }
}

/// Returns these settings of a method as settings without effect, with this reason.
pub(super) fn own(keys: &[&'static str], why: &'static str) -> Vec<UnusedSetting> {
    let why = message!(why);
    keys.iter()
        .map(|key| UnusedSetting::of(key, &why))
        .collect()
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::pet::library::PluginLibrary;
    use crate::run::config::{RunConfig, Setting};

    fn idle(method: &str, settings: &[(&str, Setting)], pet: &str) -> Vec<&'static str> {
        let settings = settings.iter().cloned();
        let config = RunConfig {
            method: method.into(),
            settings: settings.map(|(key, value)| (key.into(), value)).collect(),
            ..RunConfig::default()
        };
        let spec = PluginLibrary::with_folders(Vec::new()).get(pet).unwrap();
        let chosen = Chosen::of(&config).unwrap();
        chosen
            .idle(Some(&*spec))
            .iter()
            .map(|idle| idle.key)
            .collect()
    }

    #[test]
    fn idle_lists_settings_without_effect() {
        let none: [&str; 0] = [];
        assert_eq!(idle("lae", &[], "adapter"), none);
        assert_eq!(idle("baseline", &[], "ssf"), ["pet_size"]);
        let off = |key| (key, Setting::Flag(false));
        assert_eq!(idle("lae", &[off("learning")], "lora"), ["freeze_epochs"]);
        assert_eq!(idle("lae", &[off("accumulation")], "lora"), ["ema"]);
        let pet = [
            "pet",
            "pet_size",
            "pet_variant",
            "pet_set",
            "pet_start",
            "blocks",
        ];
        assert_eq!(idle("l2p", &[], "adapter"), pet);
        let nothing = [
            "epochs",
            "min_steps",
            "base_lr",
            "crop_scale",
            "flip",
            "label_smoothing",
        ];
        assert_eq!(
            idle("simplecil", &[], "ssf"),
            [&pet[..], &nothing, &["seed"]].concat()
        );
        let solved = [&pet[..], &nothing, &["weight_decay", "dropout"]].concat();
        assert_eq!(idle("ranpac", &[], "adapter"), solved);
        let tuned = ("first_session", Setting::Text("adapter".into()));
        assert_eq!(idle("ranpac", &[tuned], "adapter"), none);
        let whole = [&pet[..], &["classes_per_task"]].concat();
        assert_eq!(idle("joint-ft", &[], "adapter"), whole);
    }

    #[test]
    fn idle_ignores_out_of_range_settings() {
        let far = ("first_session", Setting::Whole(3));
        assert!(idle("ranpac", &[far], "adapter").is_empty());
    }
}
