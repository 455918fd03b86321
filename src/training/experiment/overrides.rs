//! Applies settings over a base (from options or a grid's file) and adjusts those that are not given.

use super::suggested_settings::of_epochs;
use crate::backbone::library::Description;
use crate::method::{Chosen, adopt, adopt_published, named_method, usual_pet};
use crate::problem::Result;
use crate::run::config::{RunConfig, Setting};

/// Changes the settings to another method. Settings of a preset take the values that the method's authors use on its
/// dataset.
///
/// # Errors
/// Returns a Problem if there is no such method.
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

/// Scales method settings that count epochs (for example frozen epochs) with the new number of epochs, if they would
/// no longer fit into a task; given settings remain.
pub fn shorten(before: &RunConfig, config: &mut RunConfig, given: impl Fn(&str) -> bool) {
    for setting in of_epochs(config) {
        let part = Chosen::of(before).and_then(|chosen| chosen.count(setting.key));
        let Some(part) = part.ok().filter(|_| !given(setting.key)) else {
            continue;
        };
        // A file that sets both the epochs and such a setting means what it says.
        let fewer_now = config.epochs < before.epochs;
        if fewer_now && part >= config.epochs && part < before.epochs {
            let fewer = part * config.epochs / before.epochs.max(1);
            let value = Setting::Whole(fewer as i64);
            config.settings.insert(setting.key.into(), value);
        }
    }
}

/// Returns the settings with the epochs and the minimum steps per task halved `halvings` times.
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

/// Returns the settings with the epochs halved this many times, measured on this share of the training images if they
/// give none.
pub fn held_out(config: &RunConfig, halvings: u32, share: f64) -> RunConfig {
    let mut short = halved(config, halvings);
    if short.validation_share == 0.0 {
        short.validation_share = share;
    }
    short
}

/// Sets PET size and blocks to the usual values for this backbone and for a plugin with default size `own_size`,
/// where they are not given.
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
