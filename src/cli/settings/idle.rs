//! Options and keys of a file that have no effect beside the others.

use std::path::Path;

use super::{FREEZE_EPOCHS, NOTHING_FROZEN, Settings};
use crate::experiment::all_at_once;
use crate::files;
use crate::method::{Chosen, Idle, named_method};
use crate::pet::library::Library as Plugins;
use crate::problem::{Problem, Result};
use crate::run::config::{RunConfig, Setting};
use crate::store;

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

    /// Refuses options that have no effect, all at once. Gives a sentence on each that belongs to what methods are
    /// compared on: the same words serve another method.
    pub(super) fn refuse_idle(&self, config: &RunConfig) -> Result<Vec<String>> {
        let idle = idle(config)?;
        let (mut problems, mut notes) = (Vec::new(), Vec::new());
        for (key, option) in self.given() {
            match idle.iter().find(|idle| idle.key == key) {
                None => {}
                Some(idle) if idle.common => {
                    notes.push(format!("note: {}, so {option} has no effect", idle.why));
                }
                Some(idle) => problems.push(idle.problem(option)),
            }
        }
        all_at_once(problems)?;
        Ok(notes)
    }
}

/// The settings that have no effect with the PET plugin that these name.
fn idle(config: &RunConfig) -> Result<Vec<Idle>> {
    let pet = Plugins::standard().get(&config.pet).ok();
    Ok(Chosen::of(config)?.idle(pet.as_deref()))
}

/// Settings of a file: those of `run.toml`, whose facts about a run are left out. In a file that somebody wrote, what
/// has no effect is refused; a run's own names all settings, also those that its method does not have.
pub(super) fn read_config(path: &Path) -> Result<RunConfig> {
    let text = files::read_text(path, files::TEXT)
        .map_err(|error| Problem::io("read the settings", path, &error))?;
    let place = path.display().to_string();
    let settings = store::settings_part(&text);
    let config = RunConfig::from_toml(settings, &place)?;
    if settings.len() == text.len() {
        refuse_written(&text, &config, &place)?;
    }
    Ok(config)
}

/// Refuses keys of a file without effect, unless they hold what is usual.
fn refuse_written(text: &str, config: &RunConfig, place: &str) -> Result<()> {
    // The text was read as settings already.
    let written: toml::Table = text.parse().unwrap_or_default();
    let usual = toml::Table::try_from(RunConfig::default()).unwrap_or_default();
    let own = written.get("settings").and_then(toml::Value::as_table);
    let unusual = |key: &str| {
        let here = written
            .get(key)
            .filter(|value| usual.get(key) != Some(value));
        here.is_some() || own.is_some_and(|own| own.contains_key(key))
    };
    let at = |key: &str| format!("{place}, {key}");
    let idle = idle(config)?;
    let mut problems: Vec<Problem> = idle
        .iter()
        .filter(|idle| !idle.common && unusual(idle.key))
        .map(|idle| idle.problem(at(idle.key)))
        .collect();
    problems.extend(dropped(&written, config)?.map(|problem| problem.at(place)));
    all_at_once(problems)
}

/// LAE's settings at the top level of a file for another method: older files of Baseline hold them as they were usual.
fn dropped(written: &toml::Table, config: &RunConfig) -> Result<Option<Problem>> {
    let spec = named_method(&config.method)?;
    for key in ["learning", "accumulation", "ensemble", FREEZE_EPOCHS, "ema"] {
        let known = spec.settings.iter().any(|setting| setting.key == key);
        let value = match written.get(key) {
            Some(toml::Value::Boolean(false)) => Setting::Flag(false),
            Some(toml::Value::Integer(n)) => Setting::Whole(*n),
            Some(toml::Value::Float(x)) => Setting::Real(*x),
            _ => continue,
        };
        if !known && value != NOTHING_FROZEN {
            let mut config = config.clone();
            return Ok(crate::method::set(&mut config, &format!("{key}={value}")).err());
        }
    }
    Ok(None)
}
