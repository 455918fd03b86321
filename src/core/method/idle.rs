//! Settings that have no effect beside the others: SimpleCIL has no learning rate, L2P no PET, SSF no size. The window
//! greys them out; the command line tells of those that a person asked for by name; what merely stands in a file is left
//! alone.

use super::spec::{Chosen, Idle};
use super::task::{Pass, PassWork};
use crate::pet::PetSpec;
use crate::run::config::{Needs, SETTINGS};

/// What of a PET plugin decides which settings have an effect.
#[derive(Clone, Copy, Debug)]
pub struct Plugin<'a> {
    /// What people call it.
    pub name: &'a str,
    /// Whether it has a size to be chosen.
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

impl Idle {
    fn of(key: &'static str, why: impl Into<String>) -> Self {
        Self {
            key,
            why: why.into(),
        }
    }

    /// Why the setting under this key has no effect, where it is one of these.
    pub fn why<'a>(all: &'a [Self], key: &str) -> Option<&'a str> {
        let idle = all.iter().find(|idle| idle.key == key);
        idle.map(|idle| idle.why.as_str())
    }
}

impl Chosen<'_> {
    /// The settings that have no effect beside the others, with this PET plugin where it is known. Of settings out of
    /// range nothing is said.
    pub fn idle<'p>(&self, pet: Option<impl Into<Plugin<'p>>>) -> Vec<Idle> {
        let lacks = self.lacks(pet.map(Into::into));
        let mut idle = Vec::new();
        for spec in SETTINGS.iter().map(|setting| &setting.spec) {
            let lacking = lacks.iter().find(|(needs, _)| *needs == spec.needs);
            idle.extend(lacking.map(|(_, why)| Idle::of(spec.key, why.as_str())));
        }
        idle.extend((self.spec.idle)(self).unwrap_or_default());
        idle
    }

    /// What a run does not do that settings need, each in a sentence.
    fn lacks(&self, pet: Option<Plugin<'_>>) -> Vec<(Needs, String)> {
        let title = self.title();
        let mut lacks = Vec::new();
        if !self.trains_pet().unwrap_or(true) {
            let why = format!("{title} trains no PET plugin");
            lacks.extend([(Needs::Pet, why.clone()), (Needs::SizedPet, why)]);
        } else if let Some(pet) = pet.filter(|pet| !pet.sized) {
            lacks.push((Needs::SizedPet, format!("{} has no size", pet.name)));
        }
        let Ok(passes) = self.kinds(0) else {
            return lacks;
        };
        let learning = |pass: &Pass| matches!(pass.work, PassWork::Learn { .. });
        let learns = passes.iter().any(learning);
        if self.spec.rate.is_none() || !learns {
            lacks.push((Needs::Steps, format!("{title} takes no gradient steps")));
        }
        if !learns {
            lacks.push((Needs::Epochs, format!("{title} learns in no epochs")));
        }
        if !passes.iter().any(|pass| pass.augment) {
            let why = format!("{title} looks at training pictures as at test pictures");
            lacks.push((Needs::Augmentation, why));
        }
        if self.spec.all_at_once {
            lacks.push((
                Needs::Tasks,
                format!("{title} learns all classes as one task"),
            ));
        }
        lacks
    }

    /// The method's name with what makes it train nothing, where that is one of its settings.
    fn title(&self) -> String {
        let still = self.spec.pet.is_some() && self.trains_pet().is_ok_and(|trains| !trains);
        match still {
            true => format!("{} with these settings", self.spec.title),
            false => self.spec.title.to_string(),
        }
    }
}

/// A method's own settings of which these have no effect, for this reason.
pub(super) fn own(keys: &[&'static str], why: &str) -> Vec<Idle> {
    keys.iter().map(|key| Idle::of(key, why)).collect()
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
    fn what_a_method_cannot_use_is_named() {
        let none: [&str; 0] = [];
        assert_eq!(idle("lae", &[], "adapter"), none);
        assert_eq!(idle("baseline", &[], "ssf"), ["pet_size"]);
        let off = |key| (key, Setting::Flag(false));
        assert_eq!(idle("lae", &[off("learning")], "lora"), ["freeze_epochs"]);
        assert_eq!(idle("lae", &[off("accumulation")], "lora"), ["ema"]);
        let pet = ["pet", "pet_size", "pet_variant", "pet_set", "blocks"];
        assert_eq!(idle("l2p", &[], "adapter"), pet);
        let nothing = [
            "epochs",
            "min_steps",
            "base_lr",
            "crop_scale",
            "flip",
            "label_smoothing",
        ];
        assert_eq!(idle("simplecil", &[], "ssf"), [&pet[..], &nothing].concat());
        let solved = [&pet[..], &nothing, &["weight_decay", "dropout"]].concat();
        assert_eq!(idle("ranpac", &[], "adapter"), solved);
        let tuned = ("first_session", Setting::Text("adapter".into()));
        assert_eq!(idle("ranpac", &[tuned], "adapter"), none);
        let whole = [&pet[..], &["classes_per_task"]].concat();
        assert_eq!(idle("joint-ft", &[], "adapter"), whole);
    }

    #[test]
    fn settings_out_of_range_are_for_the_checks() {
        let far = ("first_session", Setting::Whole(3));
        assert!(idle("ranpac", &[far], "adapter").is_empty());
    }
}
