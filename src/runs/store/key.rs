//! A run's key: it decides whether two runs repeat one experiment, or one repeats the other exactly.
//!
//! It is a hash over everything that defines figures: the settings in canonical form, the weights and the type
//! of number they were kept as, the plugin without its description, images, tasks, added tasks, and how draws are
//! kept apart, which is what a version of the program can change. Class order and seed, which repetitions differ in, are
//! hashed by themselves, the seed as far as the method draws by it. Device and cache decide no figure.

use serde::{Deserialize, Serialize};
use serde_json::json;
use sha2::{Digest, Sha256};

use crate::fetch::hex;
use crate::run::config::{Precision, RunConfig};
use crate::run::event::RunHeader;

/// What a run is known by.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct RunKey {
    /// SHA-256 over all that repetitions of one experiment share, in hex.
    pub experiment: String,
    /// SHA-256 over what they differ in: class order and seed.
    pub repetition: String,
}

impl RunKey {
    /// The key of a run with these facts and this plugin text.
    pub fn of(header: &RunHeader, plugin: &str) -> Self {
        let settings = RunConfig {
            // What it came to counts, whether it was asked for or found.
            precision: Precision::Auto,
            // Its content counts, not its place.
            pet_start: None,
            // Instead, the fingerprints of the images and the class order are compared.
            stored_names: Vec::new(),
            ..header.config.clone().repeatable()
        };
        let tasks = header.tasks.iter().map(ExactSizeIterator::len);
        let added_tasks = header
            .added_tasks
            .iter()
            .map(|added_task| &added_task.fingerprint);
        // Older runs of some methods dropped nothing.
        let draws = plugin
            .contains("dropout(")
            .then_some(header.drawing.number());
        let mut experiment = json!({
            "settings": settings,
            "tasks": tasks.collect::<Vec<_>>(),
            "weights": header.weights_sha256,
            "kept_as": header.kept_as().title(),
            "plugin": computation_hash(plugin),
            "lessons": added_tasks.collect::<Vec<_>>(),
            // Runs of before they were noted have none.
            "images": header.images,
            "draws": draws,
        });
        // Keys of runs without one are as they were before there was such a thing.
        if let (Some(start), Some(all)) = (&header.start_sha256, experiment.as_object_mut()) {
            all.insert("start".into(), json!(start));
        }
        Self {
            experiment: hash(&experiment),
            // All seeds of a method that draws nothing repeat the same run.
            repetition: hash(&json!([
                header.method.seed(&header.config).unwrap_or(0),
                header.class_order
            ])),
        }
    }
}

/// What settings are known by, as far as they are given: who asks leaves out what may differ, by
/// [`RunConfig::anywhere`] or [`RunConfig::repeatable`], and fills in the method's own.
pub fn settings_key(config: &RunConfig) -> String {
    hash(&json!(config))
}

/// SHA-256 of a plugin's text in hex; empty where there is none.
pub(super) fn plugin_hash(plugin: &str) -> String {
    match plugin {
        "" => String::new(),
        text => hex(&Sha256::digest(text)),
    }
}

/// The parts of a plugin file that only describe it.
const DESCRIPTIVE: [&str; 2] = ["description", "reference"];

/// Returns the SHA-256 of what a plugin computes, in hex: its text without comments, layout, description and
/// reference, so that a better wording does not make a run a different one. A text that is not TOML is hashed whole.
fn computation_hash(plugin: &str) -> String {
    let Ok(mut table) = plugin.parse::<toml::Table>() else {
        return plugin_hash(plugin);
    };
    table.retain(|key, _| !DESCRIPTIVE.contains(&key));
    plugin_hash(&table.to_string())
}

/// The keys of a value keep their order, so equal values have equal texts.
fn hash(value: &serde_json::Value) -> String {
    hex(&Sha256::digest(value.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_a_plugin_computes_counts() {
        let plugin = "name = \"A\"\ndescription = \"one\"\n[equations]\nout = \"x + 1\"\n";
        let reworded = "# a comment\nname = \"A\"\ndescription = \"another\"\nreference = \"b\"\n\n[equations]\nout = 'x + 1'\n";
        let changed = plugin.replace("x + 1", "x + 2");
        assert_eq!(computation_hash(plugin), computation_hash(reworded));
        assert_ne!(computation_hash(plugin), computation_hash(&changed));
        let broken = "name = ";
        assert_eq!(computation_hash(broken), plugin_hash(broken));
    }
}
