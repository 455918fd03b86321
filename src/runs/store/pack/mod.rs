//! Packed runs, `NAME.laerun.zip`: a run without its data as one file that others can open and check.
//!
//! The zip contains the run's files unchanged, preceded by `manifest.json` with the SHA-256 of each, and `figures.json`
//! for readers. Packing the same run always gives the same bytes. Paths are removed: only the last component of a
//! folder or file in the settings is kept.

mod read;
pub(super) mod redaction;
mod write;

use std::path::Path;

use serde::{Deserialize, Serialize};

use super::initial_lora::{ADAPTER_CONFIG, ADAPTER_VALUES, START_FOLDER};
use super::{
    ABOUT_FILE, ADDED_FOLDER, ADDED_IMAGES_FILE, CHECKPOINT_FILE, CONFUSION_FOLDER, IMAGES_FILE,
    METRICS_FILE, PLUGIN_FILE, PROMPTS_FOLDER, PROVENANCE_FILE, RESUME_FOLDER, RUN_FILE,
    STATE_FILE, TASK_FILE,
};

pub use read::{Extracted, Unpacked, extract, unpack};
pub use write::{Packed, pack};

/// Suffix of packed runs.
pub const PACKED_EXTENSION: &str = ".laerun.zip";

/// Hashes of all other files.
const MANIFEST_FILE: &str = "manifest.json";
/// The results of the run, as printed by `lae-studio runs --json`.
const FIGURES_FILE: &str = "figures.json";
/// Version of the format; increased when its meaning changes.
const FORMAT: u32 = 1;

/// The manifest of a packed run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Manifest {
    format: u32,
    /// The run's name.
    run: String,
    /// All other files, sorted by name.
    files: Vec<PackedFile>,
}

/// A file of a packed run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct PackedFile {
    name: String,
    bytes: u64,
    sha256: String,
}

/// Returns whether a file name is that of a packed run.
pub fn is_packed(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    name.to_lowercase().ends_with(PACKED_EXTENSION)
}

/// Returns whether a run has a file with this name (a path with `/`, relative to its folder) that is packed. Other
/// names in a file from someone else are refused, so none leads out of the run's folder.
fn is_run_file(name: &str) -> bool {
    let run_files = [RUN_FILE, PLUGIN_FILE, PROVENANCE_FILE, IMAGES_FILE, ABOUT_FILE];
    let start_file = split_folder(name).filter(|(folder, _)| *folder == START_FOLDER);
    if start_file.is_some_and(|(_, file)| [ADAPTER_CONFIG, ADAPTER_VALUES].contains(&file)) {
        return true;
    }
    if run_files.contains(&name) || split_folder(name) == Some((RESUME_FOLDER, CHECKPOINT_FILE)) {
        return true;
    }
    let added = split_folder(name).filter(|(folder, _)| *folder == ADDED_FOLDER);
    let added = added.and_then(|(_, file)| split_folder(file));
    match added.filter(|(task, _)| is_numbered(task, "")) {
        Some((_, file)) => [TASK_FILE, ADDED_IMAGES_FILE].contains(&file) || is_task_file(file),
        None => is_task_file(name),
    }
}

/// Returns whether both the run's folder and those of added tasks have such a file.
fn is_task_file(name: &str) -> bool {
    match split_folder(name) {
        Some((CONFUSION_FOLDER | PROMPTS_FOLDER, table)) => is_numbered(table, ".csv"),
        Some(_) => false,
        None => [METRICS_FILE, STATE_FILE].contains(&name) || is_numbered(name, ".safetensors"),
    }
}

fn split_folder(name: &str) -> Option<(&str, &str)> {
    name.split_once('/')
}

/// Returns whether a name is `task_N` with this suffix.
fn is_numbered(name: &str, suffix: &str) -> bool {
    let number = name.strip_prefix("task_").and_then(|rest| rest.strip_suffix(suffix));
    number.is_some_and(|number| {
        let digits = number.bytes().all(|byte| byte.is_ascii_digit());
        digits && (1..=6).contains(&number.len()) && !number.starts_with('0')
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_run_files_are_packed() {
        for name in [
            "run.toml",
            "task_12.safetensors",
            "confusion/task_1.csv",
            "resume/checkpoint.safetensors",
            "start/adapter_model.safetensors",
            "lessons/task_3/lesson.toml",
            "lessons/task_3/prompts/task_3.csv",
        ] {
            assert!(is_run_file(name), "{name}");
        }
        for name in [
            "",
            "lock",
            "summary.json",
            "../run.toml",
            "/run.toml",
            "run.toml/",
            "confusion",
            "start/other.json",
            "confusion/../task_1.csv",
            "confusion/task_01.csv",
            "confusion\\task_1.csv",
            "task_.safetensors",
            "task_1234567.safetensors",
            "lessons/lesson.toml",
            "lessons/task_3/run.toml",
            "lessons/task_3/pictures/0001.png",
            "lessons/task_3/lessons/task_4/lesson.toml",
            "C:run.toml",
        ] {
            assert!(!is_run_file(name), "{name}");
        }
        assert!(is_packed(Path::new("a/b.LAERUN.zip")) && !is_packed(Path::new("b.zip")));
    }
}
