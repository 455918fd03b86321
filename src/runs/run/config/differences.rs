//! Compares settings.

use std::collections::BTreeSet;

use super::{RunConfig, SETTINGS};
use crate::data::short_corrected;

/// Returns the settings that differ: each key with one value per config.
pub fn differences(configs: &[&RunConfig]) -> Vec<(String, Vec<String>)> {
    let row = |key: &str, value: &dyn Fn(&RunConfig) -> Option<String>| {
        let shown = |config: &&RunConfig| value(config).unwrap_or_else(|| "–".into());
        (key.to_string(), configs.iter().map(shown).collect())
    };
    let common = SETTINGS.iter().map(|setting| {
        let value = |config: &RunConfig| (setting.get)(config).map(|value| value.to_string());
        row(setting.spec.key, &value)
    });
    let own: BTreeSet<&String> = configs.iter().flat_map(|c| c.settings.keys()).collect();
    let own = own.into_iter().map(|key| {
        let value = |config: &RunConfig| config.settings.get(key).map(ToString::to_string);
        row(key, &value)
    });
    // The complete list would be too long.
    let corrected = |config: &RunConfig| {
        let any = !config.corrected.is_empty();
        any.then(|| short_corrected(&config.corrected))
    };
    let all = common.chain(own).chain([row("mended", &corrected)]);
    all.filter(differs).collect()
}

/// Returns whether these values are not all equal.
pub fn differs((_, values): &(String, Vec<String>)) -> bool {
    values.windows(2).any(|pair| pair[0] != pair[1])
}
