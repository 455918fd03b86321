//! Differences between runs: settings, and the files that the settings name.

use std::collections::HashMap;
use std::path::PathBuf;

use super::grids::may_vary;
use super::views::RunRow;
use super::window_terms::title_of;
use crate::method::{find_method, with_explicit_settings};
use crate::run::config::{self, RunConfig, differs, setting};
use crate::tr;

/// Returns the settings in which the runs differ, including the methods' own settings: the key and one value per run.
pub fn differences(configs: &[&RunConfig]) -> Vec<(String, Vec<String>)> {
    let complete: Vec<RunConfig> =
        configs.iter().map(|config| with_explicit_settings(config)).collect();
    config::differences(&complete.iter().collect::<Vec<_>>())
}

/// Returns title and value of the settings of a run that differ from their defaults.
pub fn non_default_settings(config: &RunConfig) -> Vec<(String, String)> {
    let method_settings = find_method(&config.method).map_or(&[][..], |spec| spec.settings);
    let title = |key: &str| {
        let spec = setting(key).map(|setting| &setting.spec);
        let spec = spec.or_else(|| method_settings.iter().find(|spec| spec.key == key));
        spec.map_or_else(|| key.to_string(), |spec| spec.title().to_string())
    };
    let first_keys = ["data", "backbone", "method"];
    let complete = with_explicit_settings(config);
    let defaults = RunConfig {
        data: String::new(),
        backbone: String::new(),
        method: String::new(),
        ..RunConfig::default()
    };
    let rows = config::differences(&[&complete, &defaults]).into_iter();
    let changed = rows.filter_map(|(key, values)| Some((key, values.into_iter().next()?)));
    let changed = changed.filter(|(_, value)| value != "–");
    let mut rows: Vec<(String, String)> = changed.collect();
    rows.sort_by_key(|(key, _)| {
        first_keys.iter().position(|name| name == key).unwrap_or(first_keys.len())
    });
    let entries = rows.into_iter();
    entries.map(|(key, value)| (title(&key), value)).collect()
}

/// The settings that distinguish a run from other runs of the same name, each with its value, by folder.
pub type DistinguishingSettings = HashMap<PathBuf, Vec<(String, String)>>;

/// Finds the settings in which runs of the same name differ, except those of the device.
pub fn distinguishing_settings<'r>(
    rows: impl Iterator<Item = &'r RunRow>,
) -> DistinguishingSettings {
    let mut groups: HashMap<String, Vec<(&RunRow, &RunConfig)>> = HashMap::new();
    for row in rows {
        if let Some(header) = &row.header {
            let run = (row, &header.config);
            groups.entry(row.title()).or_default().push(run);
        }
    }
    let mut settings = DistinguishingSettings::new();
    for runs in groups.into_values().filter(|runs| runs.len() > 1) {
        let configs: Vec<&RunConfig> = runs.iter().map(|(_, config)| *config).collect();
        let differing = differences(&configs).into_iter();
        for (key, values) in differing.filter(|(key, _)| may_vary(key)) {
            for ((row, _), value) in runs.iter().zip(values) {
                let entry = settings.entry(row.folder.clone()).or_default();
                entry.push((key.clone(), value));
            }
        }
    }
    settings
}

/// Returns settings as a note such as "Ensemble off · Epochs 5", which distinguishes runs of the same name in lists.
pub fn distinguishing_text(settings: &[(String, String)]) -> String {
    let texts = settings.iter().map(|(key, value)| match value.as_str() {
        "on" => format!("{} {}", title_of(key), tr!("experiment-on")),
        "off" => format!("{} {}", title_of(key), tr!("experiment-off")),
        value => format!("{} {value}", title_of(key)),
    });
    texts.collect::<Vec<_>>().join(" · ")
}

/// Returns weights and plugin texts that differ between the runs, by the start of their hashes, because equal settings
/// can name files that have changed. Includes the number type of the weights, whose default depends on the GPU.
pub fn file_differences(runs: &[&RunRow]) -> Vec<(String, Vec<String>)> {
    let weights = |run: &&RunRow| {
        let header = run.header.as_ref();
        header.map_or_else(String::new, |header| hash_prefix(&header.weights_sha256))
    };
    let plugin = |run: &&RunRow| plugin_text(&run.plugin_sha256);
    let precision = |run: &&RunRow| {
        let header = run.header.as_ref();
        header.map_or("", |header| header.weight_type().title()).into()
    };
    let rows = [
        ("compare-weights-hash", runs.iter().map(weights).collect()),
        ("compare-precision", runs.iter().map(precision).collect()),
        ("compare-plugin-hash", runs.iter().map(plugin).collect()),
    ];
    let titled = rows.map(|(id, values)| (tr!(id).to_string(), values));
    titled.into_iter().filter(differs).collect()
}

/// Returns the start of a plugin text's hash; "–" for a method without a PET.
fn plugin_text(sha256: &str) -> String {
    match sha256 {
        "" => "–".to_string(),
        hash => hash_prefix(hash),
    }
}

/// Returns the first 8 characters of a hash, enough to distinguish two hashes.
fn hash_prefix(hash: &str) -> String {
    hash.chars().take(8).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plugin_text_is_short_hash_or_dash() {
        assert_eq!(plugin_text(""), "–");
        assert_eq!(plugin_text(&"ab".repeat(32)).len(), 8);
    }

    #[test]
    fn non_default_settings_include_data_and_backbone() {
        let config = RunConfig { method: "baseline".into(), seed: 3, ..RunConfig::default() };
        let settings = non_default_settings(&config);
        let values: Vec<&str> = settings.iter().map(|(_, value)| value.as_str()).collect();
        assert_eq!(values, ["digits", "lae-nano", "baseline", "3"]);
    }

    #[test]
    fn lists_only_differing_settings() {
        let a = RunConfig::default();
        let b =
            RunConfig { method: "baseline".into(), train_limit: Some(5), ..RunConfig::default() };
        let rows = differences(&[&a, &b]);
        // The method, five settings that Baseline lacks, and the limit differ.
        assert_eq!(rows.len(), 7);
        let method = rows.iter().find(|(key, _)| key == "method");
        assert_eq!(
            method.map(|(_, values)| values.clone()),
            Some(vec!["lae".to_string(), "baseline".to_string()])
        );
        assert!(rows.iter().any(|(_, v)| v[0] == "–" && v[1] == "5"));
        assert!(differences(&[&a, &a]).is_empty());
    }
}
