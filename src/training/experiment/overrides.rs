//! Settings given over a base, by options or a grid's file: what follows from them for those that are
//! not given.

use super::suggested_settings::of_epochs;
use crate::backbone::library::Description;
use crate::method::{Chosen, adopt, adopt_published, named_method, usual_pet};
use crate::problem::Result;
use crate::run::config::{RunConfig, Setting};

/// Turns settings to another method; those of a preset take what its authors use on its data.
///
/// # Errors
/// There is no such method.
pub fn turn_to(config: &mut RunConfig, method: &str, of_preset: bool) -> Result<()> {
    if method == config.method {
        return Ok(());
    }
    let spec = named_method(method)?;
    adopt(config, spec);
    if of_preset {
        adopt_published(config, spec);
    }
    Ok(())
}

/// In a task too short for them, own settings that are a share of the epochs keep it, unless they are given.
pub fn shorten(before: &RunConfig, config: &mut RunConfig, given: impl Fn(&str) -> bool) {
    for setting in of_epochs(config) {
        let part = Chosen::of(before).and_then(|chosen| chosen.count(setting.key));
        let Some(part) = part.ok().filter(|_| !given(setting.key)) else {
            continue;
        };
        // What a file freezes of its own epochs is meant.
        let fewer_now = config.epochs < before.epochs;
        if fewer_now && part >= config.epochs && part < before.epochs {
            let fewer = part * config.epochs / before.epochs.max(1);
            let value = Setting::Whole(fewer as i64);
            config.settings.insert(setting.key.into(), value);
        }
    }
}

/// The settings with the epochs, and the least steps of a task, halved so often.
pub fn halved(config: &RunConfig, halvings: u32) -> RunConfig {
    let halvings = halvings.min(usize::BITS - 1);
    let mut short = RunConfig {
        epochs: (config.epochs >> halvings).max(1),
        min_steps: config.min_steps >> halvings,
        ..config.clone()
    };
    shorten(config, &mut short, |_| false);
    short
}

/// Puts the usual size and blocks of the PET, where they are not given, for this backbone and a plugin with this size of
/// its own.
pub fn usual_network(
    base: &RunConfig,
    config: &mut RunConfig,
    about: Option<&Description>,
    own_size: Option<usize>,
    given: impl Fn(&str) -> bool,
) {
    let before = config.clone();
    usual_pet(config, about, own_size);
    let same_pet = !given("pet") && config.pet == base.pet;
    if given("pet_size") || same_pet {
        config.pet_size = before.pet_size;
    }
    if given("blocks") {
        config.blocks = before.blocks;
    }
}
