//! Settings that have no effect beside the others: SimpleCIL has no learning rate, L2P no PET, SSF no size. The window
//! greys them out; the command line tells of those that a person asked for by name; what merely stands in a file is left
//! alone.

use super::chosen::Chosen;
use super::task::Work;
use crate::pet::PetSpec;
use crate::problem::Result;

/// The settings of a PET.
const OF_PET: [&str; 4] = ["pet", "pet_size", "pet_variant", "blocks"];

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

/// A setting that has no effect.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Idle {
    /// Its key in files: a setting of every run, or one of the method's own.
    pub key: &'static str,
    /// Why.
    pub why: String,
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
        let mut idle = self.idle_of_pet(pet.map(Into::into));
        idle.extend(self.idle_of_training().unwrap_or_default());
        idle.extend((self.spec.idle)(self).unwrap_or_default());
        idle
    }

    fn idle_of_pet(&self, pet: Option<Plugin<'_>>) -> Vec<Idle> {
        if self.trains_pet().unwrap_or(true) {
            let sizeless = pet.filter(|pet| !pet.sized);
            let why = |pet: Plugin<'_>| format!("{} has no size", pet.name);
            return Vec::from_iter(sizeless.map(|pet| Idle::of("pet_size", why(pet))));
        }
        let why = format!("{} trains no PET plugin", self.title());
        OF_PET.map(|key| Idle::of(key, &*why)).into()
    }

    /// Settings of steps that are not taken.
    fn idle_of_training(&self) -> Result<Vec<Idle>> {
        let title = self.title();
        let passes = self.passes(0)?;
        let learns = passes
            .iter()
            .any(|pass| matches!(pass.work, Work::Learn { .. }));
        let mut idle = Vec::new();
        if self.spec.rate.is_none() || !learns {
            idle.push(Idle::of(
                "base_lr",
                format!("{title} takes no gradient steps"),
            ));
        }
        if !learns {
            idle.push(Idle::of("epochs", format!("{title} learns in no epochs")));
        }
        if !passes.iter().any(|pass| pass.augment) {
            let why = format!("{title} looks at training pictures as at test pictures");
            idle.extend(["crop_scale", "flip"].map(|key| Idle::of(key, &*why)));
        }
        if self.spec.all_at_once {
            let why = format!("{title} learns all classes as one task");
            idle.push(Idle::of("classes_per_task", why));
        }
        Ok(idle)
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
    use crate::pet::library::Library;
    use crate::run::config::{RunConfig, Setting};

    fn idle(method: &str, settings: &[(&str, Setting)], pet: &str) -> Vec<&'static str> {
        let settings = settings.iter().cloned();
        let config = RunConfig {
            method: method.into(),
            settings: settings.map(|(key, value)| (key.into(), value)).collect(),
            ..RunConfig::default()
        };
        let spec = Library::with_folders(Vec::new()).get(pet).unwrap();
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
        let pet = ["pet", "pet_size", "pet_variant", "blocks"];
        assert_eq!(idle("l2p", &[], "adapter"), pet);
        let nothing = ["base_lr", "epochs", "crop_scale", "flip"];
        assert_eq!(idle("simplecil", &[], "ssf"), [pet, nothing].concat());
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
