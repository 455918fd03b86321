//! Keys of runs, which decide whether two runs are repetitions of one experiment or exact duplicates.
//!
//! A key is a hash of everything that affects the results: the settings in canonical form, the weights and their number
//! format, the plugin without its description, images, tasks, added tasks, and how random draws are separated (which
//! versions of the program may change). Class order and seed, in which repetitions differ, are hashed separately; the
//! seed only if the method uses random numbers. Device and cache do not affect results.

use serde::{Deserialize, Serialize};
use serde_json::json;
use sha2::{Digest, Sha256};

use crate::fetch::hex;
use crate::run::config::{Precision, RunConfig};
use crate::run::event::RunHeader;

/// The key of a run.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct RunKey {
    /// SHA-256, in hex, of everything that repetitions of one experiment share.
    pub experiment: String,
    /// SHA-256, in hex, of class order and seed.
    pub repetition: String,
}

impl RunKey {
    /// Returns the key of a run with this header and this plugin text.
    pub fn new(header: &RunHeader, plugin: &str) -> Self {
        let settings = RunConfig {
            // The number format in use counts, not the one requested.
            precision: Precision::Auto,
            // The content of the adapter counts, not its path.
            pet_start: None,
            // Instead, the fingerprints of the images and the class order are compared.
            stored_names: Vec::new(),
            ..header.config.clone().experiment_settings()
        };
        let tasks = header.tasks.iter().map(ExactSizeIterator::len);
        let added_tasks = header.added_tasks.iter().map(|added_task| &added_task.fingerprint);
        // Older runs of some methods applied no dropout.
        let draws = plugin.contains("dropout(").then_some(header.drawing.number());
        let mut experiment = json!({
            "settings": settings,
            "tasks": tasks.collect::<Vec<_>>(),
            "weights": header.weights_sha256,
            "kept_as": header.weight_type().title(),
            "plugin": computation_hash(plugin),
            "lessons": added_tasks.collect::<Vec<_>>(),
            // Absent in runs made before they were recorded.
            "images": header.images,
            "draws": draws,
        });
        // Added only if present, so that keys of runs without an adapter stay the same.
        if let (Some(start), Some(object)) = (&header.start_sha256, experiment.as_object_mut()) {
            object.insert("start".into(), json!(start));
        }
        Self {
            experiment: hash(&experiment),
            // Without random numbers, runs with any seed are the same run.
            repetition: hash(&json!([
                header.method.seed(&header.config).unwrap_or(0),
                header.class_order
            ])),
        }
    }
}

/// Returns the key of settings. The caller removes what may differ with [`RunConfig::without_execution_settings`] or
/// [`RunConfig::experiment_settings`], and adds the method's defaults.
pub fn settings_key(config: &RunConfig) -> String {
    hash(&json!(config))
}

/// Returns the SHA-256 of a plugin's text in hex; empty if there is none.
pub(super) fn plugin_hash(plugin: &str) -> String {
    match plugin {
        "" => String::new(),
        text => hex(&Sha256::digest(text)),
    }
}

/// The parts of a plugin file that only describe it.
const DESCRIPTIVE_KEYS: [&str; 2] = ["description", "reference"];

/// Returns the SHA-256, in hex, of what a plugin computes: its text without comments, layout, description and
/// reference, so that rewording does not change the key. A text that is not TOML is hashed completely.
fn computation_hash(plugin: &str) -> String {
    let Ok(mut table) = plugin.parse::<toml::Table>() else {
        return plugin_hash(plugin);
    };
    table.retain(|key, _| !DESCRIPTIVE_KEYS.contains(&key));
    plugin_hash(&table.to_string())
}

/// Returns the SHA-256 of a JSON value in hex. Equal values give equal texts, because keys keep their order.
fn hash(value: &serde_json::Value) -> String {
    hex(&Sha256::digest(value.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn computation_hash_ignores_names_and_comments() {
        let plugin = "name = \"A\"\ndescription = \"one\"\n[equations]\nout = \"x + 1\"\n";
        let reworded = "# a comment\nname = \"A\"\ndescription = \"another\"\nreference = \"b\"\n\n[equations]\nout = 'x + 1'\n";
        let changed = plugin.replace("x + 1", "x + 2");
        assert_eq!(computation_hash(plugin), computation_hash(reworded));
        assert_ne!(computation_hash(plugin), computation_hash(&changed));
        let broken = "name = ";
        assert_eq!(computation_hash(broken), plugin_hash(broken));
    }
}
