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

use super::start::{ADAPTER_CONFIG, ADAPTER_VALUES, START_FOLDER};
use super::{
    ABOUT_FILE, ADDED_FOLDER, CHECKPOINT_FILE, CONFUSION_FOLDER, IMAGES_FILE, METRICS_FILE,
    PICTURES_FILE, PLUGIN_FILE, PROMPTS_FOLDER, PROVENANCE_FILE, RESUME_FOLDER, RUN_FILE,
    STATE_FILE, TASK_FILE,
};

pub use read::{Extracted, Unpacked, extract, unpack};
pub use write::{Packed, pack};

/// Suffix of packed runs.
pub const PACKED_ENDING: &str = ".laerun.zip";

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
    name.to_lowercase().ends_with(PACKED_ENDING)
}

/// Returns whether a run has a file with this name (a path with `/`, relative to its folder) that is packed. Other
/// names in a file from someone else are refused, so none leads out of the run's folder.
fn is_part(name: &str) -> bool {
    let of_run = [
        RUN_FILE,
        PLUGIN_FILE,
        PROVENANCE_FILE,
        IMAGES_FILE,
        ABOUT_FILE,
    ];
    let of_start = folder_and(name).filter(|(folder, _)| *folder == START_FOLDER);
    if of_start.is_some_and(|(_, file)| [ADAPTER_CONFIG, ADAPTER_VALUES].contains(&file)) {
        return true;
    }
    if of_run.contains(&name) || folder_and(name) == Some((RESUME_FOLDER, CHECKPOINT_FILE)) {
        return true;
    }
    let added = folder_and(name).filter(|(folder, _)| *folder == ADDED_FOLDER);
    let added = added.and_then(|(_, below)| folder_and(below));
    match added.filter(|(task, _)| numbered(task, "")) {
        Some((_, below)) => [TASK_FILE, PICTURES_FILE].contains(&below) || is_of_tasks(below),
        None => is_of_tasks(name),
    }
}

/// Returns whether both the run's folder and those of added tasks have such a file.
fn is_of_tasks(name: &str) -> bool {
    match folder_and(name) {
        Some((CONFUSION_FOLDER | PROMPTS_FOLDER, table)) => numbered(table, ".csv"),
        Some(_) => false,
        None => [METRICS_FILE, STATE_FILE].contains(&name) || numbered(name, ".safetensors"),
    }
}

fn folder_and(name: &str) -> Option<(&str, &str)> {
    name.split_once('/')
}

/// Returns whether a name is `task_N` with this suffix.
fn numbered(name: &str, ending: &str) -> bool {
    let number = name
        .strip_prefix("task_")
        .and_then(|rest| rest.strip_suffix(ending));
    number.is_some_and(|number| {
        let digits = number.bytes().all(|byte| byte.is_ascii_digit());
        digits && (1..=6).contains(&number.len()) && !number.starts_with('0')
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_files_that_a_run_has_are_parts_of_it() {
        for name in [
            "run.toml",
            "task_12.safetensors",
            "confusion/task_1.csv",
            "resume/checkpoint.safetensors",
            "start/adapter_model.safetensors",
            "lessons/task_3/lesson.toml",
            "lessons/task_3/prompts/task_3.csv",
        ] {
            assert!(is_part(name), "{name}");
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
            assert!(!is_part(name), "{name}");
        }
        assert!(is_packed(Path::new("a/b.LAERUN.zip")) && !is_packed(Path::new("b.zip")));
    }
}
