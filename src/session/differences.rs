//! Differences between runs: settings, and the files that the settings name.

use std::collections::HashMap;
use std::path::PathBuf;

use super::grids::may_vary;
use super::plain::title_of;
use super::views::RunRow;
use crate::method::{filled, named_method};
use crate::run::config::{self, RunConfig, differs, setting};
use crate::tr;

/// Returns the settings in which the runs differ, including the methods' own settings: the key and one value per run.
pub fn differences(configs: &[&RunConfig]) -> Vec<(String, Vec<String>)> {
    let whole: Vec<RunConfig> = configs.iter().map(|config| filled(config)).collect();
    config::differences(&whole.iter().collect::<Vec<_>>())
}

/// Returns title and value of the settings of a run that differ from their defaults.
pub fn own_settings(config: &RunConfig) -> Vec<(String, String)> {
    let of_method = named_method(&config.method).map_or(&[][..], |spec| spec.settings);
    let title = |key: &str| {
        let spec = setting(key).map(|setting| &setting.spec);
        let spec = spec.or_else(|| of_method.iter().find(|spec| spec.key == key));
        spec.map_or_else(|| key.to_string(), |spec| spec.title().to_string())
    };
    let named = ["data", "backbone", "method"];
    let whole = filled(config);
    let unlike = RunConfig {
        data: String::new(),
        backbone: String::new(),
        method: String::new(),
        ..RunConfig::default()
    };
    let rows = config::differences(&[&whole, &unlike]).into_iter();
    let given = rows.filter_map(|(key, values)| Some((key, values.into_iter().next()?)));
    let given = given.filter(|(_, value)| value != "–");
    let mut rows: Vec<(String, String)> = given.collect();
    rows.sort_by_key(|(key, _)| {
        named
            .iter()
            .position(|name| name == key)
            .unwrap_or(named.len())
    });
    let told = rows.into_iter();
    told.map(|(key, value)| (title(&key), value)).collect()
}

/// The settings that distinguish a run from other runs of the same name, each with its value, by folder.
pub type DistinguishingSettings = HashMap<PathBuf, Vec<(String, String)>>;

/// Finds the settings in which runs of the same name differ, except those of the device.
pub fn distinguishing_settings<'r>(
    rows: impl Iterator<Item = &'r RunRow>,
) -> DistinguishingSettings {
    let mut alike: HashMap<String, Vec<(&RunRow, &RunConfig)>> = HashMap::new();
    for row in rows {
        if let Some(header) = &row.header {
            let run = (row, &header.config);
            alike.entry(row.title()).or_default().push(run);
        }
    }
    let mut settings = DistinguishingSettings::new();
    for runs in alike.into_values().filter(|runs| runs.len() > 1) {
        let configs: Vec<&RunConfig> = runs.iter().map(|(_, config)| *config).collect();
        let told = differences(&configs).into_iter();
        for (key, values) in told.filter(|(key, _)| may_vary(key)) {
            for ((row, _), value) in runs.iter().zip(values) {
                let of_run = settings.entry(row.folder.clone()).or_default();
                of_run.push((key.clone(), value));
            }
        }
    }
    settings
}

/// Returns settings as a note such as "Ensemble off · Epochs 5", which distinguishes runs of the same name in lists.
pub fn distinguishing_text(told: &[(String, String)]) -> String {
    let words = told.iter().map(|(key, value)| match value.as_str() {
        "on" => format!("{} {}", title_of(key), tr!("experiment-on")),
        "off" => format!("{} {}", title_of(key), tr!("experiment-off")),
        value => format!("{} {value}", title_of(key)),
    });
    words.collect::<Vec<_>>().join(" · ")
}

/// Returns weights and plugin texts that differ between the runs, by the start of their hashes, because equal settings
/// can name files that have changed. Includes the number type of the weights, whose default depends on the GPU.
pub fn other_texts(runs: &[&RunRow]) -> Vec<(String, Vec<String>)> {
    let weights = |run: &&RunRow| {
        let header = run.header.as_ref();
        header.map_or_else(String::new, |header| begins(&header.weights_sha256))
    };
    let plugin = |run: &&RunRow| plugin_text(&run.plugin_sha256);
    let kept_as = |run: &&RunRow| {
        let header = run.header.as_ref();
        header.map_or("", |header| header.kept_as().title()).into()
    };
    let rows = [
        ("compare-weights-hash", runs.iter().map(weights).collect()),
        ("compare-precision", runs.iter().map(kept_as).collect()),
        ("compare-plugin-hash", runs.iter().map(plugin).collect()),
    ];
    let named = rows.map(|(id, values)| (tr!(id).to_string(), values));
    named.into_iter().filter(differs).collect()
}

/// Returns the start of a plugin text's hash; "–" for a method without a PET.
fn plugin_text(sha256: &str) -> String {
    match sha256 {
        "" => "–".to_string(),
        hash => begins(hash),
    }
}

/// Returns the first 8 characters of a hash, enough to distinguish two hashes.
fn begins(hash: &str) -> String {
    hash.chars().take(8).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_without_a_pet_has_no_plugin_file() {
        assert_eq!(plugin_text(""), "–");
        assert_eq!(plugin_text(&"ab".repeat(32)).len(), 8);
    }

    #[test]
    fn a_run_tells_what_it_was_trained_with() {
        let config = RunConfig {
            method: "baseline".into(),
            seed: 3,
            ..RunConfig::default()
        };
        let told = own_settings(&config);
        let values: Vec<&str> = told.iter().map(|(_, value)| value.as_str()).collect();
        assert_eq!(values, ["digits", "lae-nano", "baseline", "3"]);
    }

    #[test]
    fn only_the_settings_that_differ_are_listed() {
        let a = RunConfig::default();
        let b = RunConfig {
            method: "baseline".into(),
            train_limit: Some(5),
            ..RunConfig::default()
        };
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
