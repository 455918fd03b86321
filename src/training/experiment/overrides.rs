//! Applies settings over a base (from options or a grid's file) and adjusts those that are not given.

use super::suggested_settings::epoch_dependent_settings;
use crate::backbone::library::Description;
use crate::method::{ConfiguredMethod, apply_published_values, find_method};
use crate::problem::Result;
use crate::run::config::{RunConfig, Setting};

/// Changes the settings to another method. Settings of a preset take the values that the method's authors use on its
/// dataset.
///
/// # Errors
/// Returns a Problem if there is no such method.
pub fn set_method(config: &mut RunConfig, method: &str, from_preset: bool) -> Result<()> {
    if method == config.method {
        return Ok(());
    }
    let spec = find_method(method)?;
    crate::method::switch_method(config, spec);
    if from_preset {
        apply_published_values(config, spec);
    }
    Ok(())
}

/// Scales method settings that count epochs (for example frozen epochs) with the new number of epochs, if they would
/// no longer fit into a task; given settings remain.
pub fn scale_epoch_settings(
    before: &RunConfig,
    config: &mut RunConfig,
    is_given: impl Fn(&str) -> bool,
) {
    for setting in epoch_dependent_settings(config) {
        let count =
            ConfiguredMethod::from_config(before).and_then(|chosen| chosen.count(setting.key));
        let Some(part) = count.ok().filter(|_| !is_given(setting.key)) else {
            continue;
        };
        // A file that sets both the epochs and such a setting means what it says.
        let has_fewer_epochs = config.epochs < before.epochs;
        if has_fewer_epochs && part >= config.epochs && part < before.epochs {
            let scaled = part * config.epochs / before.epochs.max(1);
            let value = Setting::Whole(scaled as i64);
            config.settings.insert(setting.key.into(), value);
        }
    }
}

/// Returns the settings with the epochs and the minimum steps per task halved `halvings` times.
pub fn with_halved_epochs(config: &RunConfig, halvings: u32) -> RunConfig {
    let halvings = halvings.min(usize::BITS - 1);
    let mut shortened = RunConfig {
        epochs: (config.epochs >> halvings).max(1),
        min_steps: config.min_steps >> halvings,
        ..config.clone()
    };
    scale_epoch_settings(config, &mut shortened, |_| false);
    shortened
}

/// Returns the settings with the epochs halved this many times, measured on this share of the training images if they
/// give none.
pub fn with_validation(config: &RunConfig, halvings: u32, share: f64) -> RunConfig {
    let mut shortened = with_halved_epochs(config, halvings);
    if shortened.validation_share == 0.0 {
        shortened.validation_share = share;
    }
    shortened
}

/// Sets PET size and blocks to the usual values for this backbone and for a plugin with default size `plugin_size`,
/// where they are not given.
pub fn fill_pet_defaults(
    base: &RunConfig,
    config: &mut RunConfig,
    description: Option<&Description>,
    plugin_size: Option<usize>,
    is_given: impl Fn(&str) -> bool,
) {
    let before = config.clone();
    crate::method::apply_pet_defaults(config, description, plugin_size);
    let same_pet = !is_given("pet") && config.pet == base.pet;
    if is_given("pet_size") || same_pet {
        config.pet_size = before.pet_size;
    }
    if is_given("blocks") {
        config.blocks = before.blocks;
    }
}
