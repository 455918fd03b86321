//! A run's folder: everything about a run, in files that people and other programs can read.
//!
//! | file | holds |
//! |---|---|
//! | `run.toml` | the settings, and under `[facts]` class order, tasks, weights' hash, device, versions, and how draws are kept apart |
//! | `plugin.toml` | the exact text of the PET plugin |
//! | `start/` | the adapter that its PET starts from, where it does |
//! | `provenance.toml` | what else the run was made of, and where it was computed |
//! | `images.csv` | a short fingerprint of every image |
//! | `metrics.csv` | one row per task; the row is what makes a task count as saved |
//! | `confusion/task_N.csv` | every test image after task N: label and each expert's answer |
//! | `prompts/task_N.csv` | where slots of prompts are studied: choices and right answers by slot |
//! | `task_N.safetensors` | what answers after task N, as far as it is new since task N − 1 (see `snapshot/mod.rs`) |
//! | `resume/checkpoint.safetensors` | the state of training; gone when the run is finished |
//! | `state.safetensors` | what an added task needs beyond the last snapshot, where the method needs more |
//! | `lessons/task_N/` | an added task that the finished run was taught as task N (see `added_tasks.rs`) |
//! | `summary.json` | what lists show of the run, made from the files above and again whenever they have changed |
//! | `about.toml` | name, tags and note that people gave it; none unless they did |
//! | `lock` | held by the program that works on the run |
//!
//! Beside the run folders `queue.toml` keeps what waits to be trained (see [`QueueFile`]), `.trash`
//! the runs that were deleted (see `trash.rs`), `.cells` who is at work on which run of a grid (see `cells.rs`),
//! and `mended/` the labels of data sets that were corrected by hand.
//!
//! Every file is written under another name, synced and renamed, so a kill or a full disk at any
//! moment leaves what was there before. Tasks count from 1 in file names and from 0 in the code.

mod about;
mod added_task_figures;
mod added_tasks;
mod answered;
mod arrival;
mod cells;
mod checkpoint;
mod corrected;
pub mod export;
pub mod figure;
mod folder;
pub mod groups;
mod hashed;
mod html;
mod json;
mod key;
mod listing;
mod load;
mod measured;
mod pack;
mod pictures;
mod place;
mod plugin_files;
mod provenance;
mod queue;
mod record;
mod saved;
mod snapshot;
mod spread;
mod start;
mod summary;
pub mod table;
mod tables;
mod taught;
mod trash;
mod verify;

use std::path::{Path, PathBuf};

use crate::folders;

pub use crate::files::write::{write_file, write_with};
pub use about::{about, forget_place, home_of, name_there, set_about};
pub use added_task_figures::{AddedFigures, ClassGroup, added_task_figures};
pub use added_tasks::added_task_pictures;
pub use answered::Answered;
pub use arrival::{all_at_once, keep_all_at_once};
pub use cells::{CellLock, RunsByKey, is_cell_locked, lock_cell};
pub use checkpoint::{Checkpoint, load_bulk};
pub use corrected::{correct_label, corrected, corrected_file, read_corrected};
pub use folder::RunFolder;
pub use groups::GroupKey;
pub use html::SamplePicture;
pub use json::{Figures, OrdersSummary, SCHEMA, Summary, TaskSummary, summary, summary_of_orders};
pub use key::{RunKey, settings_key};
pub use listing::{Glance, ListedRun, began, entry, find, glance, list, on_all_cores};
pub use load::{StoredRun, StoredState, load, snapshot_time};
pub use pack::{Extracted, PACKED_ENDING, Packed, Unpacked, extract, is_packed, pack, unpack};
pub use pictures::{AddedPictures, MOST_PICTURES};
pub use place::{holds_runs, is_run, run_folders};
pub use plugin_files::{PluginSave, allow_plugin, save_plugin};
pub use provenance::{BackboneFacts, Machine, Provenance, image_prints, provenance};
pub use queue::{QueueFile, places_at_work};
pub use record::{run_name, settings_part};
pub use snapshot::{SnapshotWriter, load_snapshot};
pub use spread::{mean_and_spread, spread_text};
pub use start::{ADAPTER_CONFIG, ADAPTER_VALUES, PetStart, START_FOLDER};
pub use summary::{Latest, RunSummary, load_facts, summarize};
pub use taught::{NewAddedTask, undo_added_task};

pub use tables::{harmless_cell, joined, parted, plain_cell};
pub use trash::{Deleted, delete, deleted, erase, restore};
pub use verify::{FilesLookedAt, Wrong, WrongPart, verify};

/// Settings and facts.
const RUN_FILE: &str = "run.toml";
/// The plugin's text.
pub const PLUGIN_FILE: &str = "plugin.toml";
/// What else the run was made of, and where.
const PROVENANCE_FILE: &str = "provenance.toml";
/// A short fingerprint of every image.
const IMAGES_FILE: &str = "images.csv";
/// One row per task.
const METRICS_FILE: &str = "metrics.csv";
/// Folder of the answers.
const CONFUSION_FOLDER: &str = "confusion";
/// Folder of the study of prompts.
const PROMPTS_FOLDER: &str = "prompts";
/// Folder of the checkpoint.
const RESUME_FOLDER: &str = "resume";
/// The checkpoint inside it.
const CHECKPOINT_FILE: &str = "checkpoint.safetensors";
/// Folder of the added tasks.
const ADDED_FOLDER: &str = "lessons";
/// What an added task taught.
const TASK_FILE: &str = "lesson.toml";
/// The list of an added task's images.
const PICTURES_FILE: &str = "pictures.csv";
/// Folder of an added task's images.
const PICTURES_FOLDER: &str = "pictures";
/// What the next added task needs beyond the last snapshot.
const STATE_FILE: &str = "state.safetensors";
/// The summary of the run, without its answers.
const SUMMARY_FILE: &str = "summary.json";
/// What people say of the run.
const ABOUT_FILE: &str = "about.toml";
/// Folder of the deleted runs, beside the others.
const TRASH_FOLDER: &str = ".trash";
/// Folder of the locks of keys, beside the runs.
const CELLS_FOLDER: &str = ".cells";

/// Where runs are kept: `out` if given, else the environment variable `LAE_RUNS`, else the folder
/// for this user's application data.
pub fn runs_root(out: Option<&Path>) -> PathBuf {
    if let Some(out) = out {
        return out.to_path_buf();
    }
    if let Some(path) = std::env::var_os("LAE_RUNS").filter(|path| !path.is_empty()) {
        return path.into();
    }
    folders::local_data().map_or_else(|| PathBuf::from("runs"), |folder| folder.join("runs"))
}

/// The snapshot after a task (from 0).
fn snapshot_file(folder: &Path, task: usize) -> PathBuf {
    folder.join(format!("task_{}.safetensors", task + 1))
}

/// The answers after a task (from 0).
fn answers_file(folder: &Path, task: usize) -> PathBuf {
    folder
        .join(CONFUSION_FOLDER)
        .join(format!("task_{}.csv", task + 1))
}

/// The study of prompts after a task (from 0).
fn slots_file(folder: &Path, task: usize) -> PathBuf {
    let name = format!("task_{}.csv", task + 1);
    folder.join(PROMPTS_FOLDER).join(name)
}

/// The checkpoint of a run.
fn checkpoint_file(folder: &Path) -> PathBuf {
    folder.join(RESUME_FOLDER).join(CHECKPOINT_FILE)
}
