//! A run's folder: everything about a run, in files that users and other programs can read.
//! `docs/run-folder.md` describes the files.
//!
//! Next to the run folders are `queue.toml` with the queued jobs (see [`QueueFile`]), `.trash` with the deleted runs (see
//! `trash.rs`), `.cells` with the locks of running cells of grids (see `grid_cells.rs`), and `mended/` with the corrected labels
//! of datasets.
//!
//! Every file is written to a temporary name, synced and renamed, so a kill or a full disk leaves the previous file. Tasks
//! are numbered from 1 in file names and from 0 in the code.

mod added_images;
mod added_task_figures;
mod added_tasks;
mod annotations;
mod checkpoint;
mod correct_answers;
mod csv_tables;
mod dataset_files;
pub mod export;
pub mod figure;
mod figures;
mod folder;
mod grid_cells;
pub mod groups;
mod html;
mod initial_lora;
mod json;
mod key;
mod listing;
mod load;
mod pack;
mod plugin_files;
mod provenance;
mod queue;
mod record;
mod snapshot;
mod summary;
pub mod table;
mod task_metrics;
mod trash;
mod verify;
mod write_added_task;

use std::path::{Path, PathBuf};

use crate::folders;

pub use crate::files::write::{write_file, write_with};
pub use added_images::{AddedImages, MAX_ADDED_IMAGES};
pub use added_task_figures::{AddedTaskFigures, ClassGroup, added_task_figures};
pub use added_tasks::added_task_images;
pub use annotations::{
    detach_from_remote, load_annotations, local_folder, remote_name, set_annotations,
};
pub use checkpoint::{Checkpoint, load_bulk};
pub use correct_answers::CorrectPredictions;
pub use dataset_files::{
    correct_label, corrections_path, load_all_at_once, load_corrections, read_corrections,
    save_all_at_once,
};
pub use folder::RunFolder;
pub use grid_cells::{RunsByKey, is_cell_locked, lock_cell};
pub use groups::GroupKey;
pub use html::SampleImage;
pub use initial_lora::{ADAPTER_CONFIG, ADAPTER_VALUES, PetStart, START_FOLDER};
pub use json::{
    Figures, OrdersSummary, SCHEMA, Summary, TaskSummary, mean_and_spread, spread_text, summary,
    summary_of_orders,
};
pub use key::{RunKey, settings_key};
pub use listing::{
    FileStamps, ListedRun, file_stamps, find_run, list_runs, load_entry, map_parallel, start_time,
};
pub use load::{StoredRun, StoredState, load_run, snapshot_time};
pub use pack::{Extracted, PACKED_EXTENSION, Packed, Unpacked, extract, is_packed, pack, unpack};
pub use plugin_files::{PluginSave, allow_plugin, save_plugin};
pub use provenance::{BackboneFacts, Machine, Provenance, load_image_prints, load_provenance};
pub use queue::{QueueFile, machines_with_jobs};
pub use record::{contains_runs, is_run, run_folders, run_name, settings_part};
pub use snapshot::{SnapshotWriter, load_snapshot};
pub use summary::{LatestFigures, RunSummary, load_facts, summarise};
pub use write_added_task::{NewAddedTask, undo_added_task};

pub use csv_tables::{escape_formula, join_numbers, parse_numbers, unescape_formula};
pub use trash::{TrashedRun, delete_run, erase_run, list_deleted, restore_run};
pub use verify::{FileCheckResult, verify_files};

/// Settings and facts.
const RUN_FILE: &str = "run.toml";
/// The text of the plugin.
pub const PLUGIN_FILE: &str = "plugin.toml";
/// What else the run was made of, and where.
const PROVENANCE_FILE: &str = "provenance.toml";
/// A short fingerprint of every image.
const IMAGES_FILE: &str = "images.csv";
/// One row per task.
const METRICS_FILE: &str = "metrics.csv";
/// Folder of the predictions.
const CONFUSION_FOLDER: &str = "confusion";
/// Folder of the study of prompts.
const PROMPTS_FOLDER: &str = "prompts";
/// Folder of the checkpoint.
const RESUME_FOLDER: &str = "resume";
/// The checkpoint inside it.
const CHECKPOINT_FILE: &str = "checkpoint.safetensors";
/// Folder of the added tasks.
const ADDED_FOLDER: &str = "lessons";
/// The description of an added task.
const TASK_FILE: &str = "lesson.toml";
/// The list of an added task's images.
const ADDED_IMAGES_FILE: &str = "pictures.csv";
/// Folder of an added task's images.
const ADDED_IMAGES_FOLDER: &str = "pictures";
/// What the next added task needs in addition to the last snapshot.
const STATE_FILE: &str = "state.safetensors";
/// The summary of the run, without its predictions.
const SUMMARY_FILE: &str = "summary.json";
/// Name, tags and note of the run.
const ABOUT_FILE: &str = "about.toml";
/// Folder of the deleted runs, next to the others.
const TRASH_FOLDER: &str = ".trash";
/// Folder of the locks of keys, next to the runs.
const CELLS_FOLDER: &str = ".cells";

/// Returns the folder of runs: `out` if given, else the environment variable `LAE_RUNS`, else the folder for this
/// user's application data.
pub fn runs_root(out: Option<&Path>) -> PathBuf {
    if let Some(out) = out {
        return out.to_path_buf();
    }
    if let Some(path) = std::env::var_os("LAE_RUNS").filter(|path| !path.is_empty()) {
        return path.into();
    }
    folders::local_data().map_or_else(|| PathBuf::from("runs"), |folder| folder.join("runs"))
}

/// Returns the path of the snapshot after a task (from 0).
fn snapshot_file(folder: &Path, task: usize) -> PathBuf {
    folder.join(format!("task_{}.safetensors", task + 1))
}

/// Returns the path of the predictions after a task (from 0).
fn answers_file(folder: &Path, task: usize) -> PathBuf {
    folder.join(CONFUSION_FOLDER).join(format!("task_{}.csv", task + 1))
}

/// Returns the path of the study of prompts after a task (from 0).
fn slots_file(folder: &Path, task: usize) -> PathBuf {
    let name = format!("task_{}.csv", task + 1);
    folder.join(PROMPTS_FOLDER).join(name)
}

/// Returns the path of the checkpoint of a run.
fn checkpoint_file(folder: &Path) -> PathBuf {
    folder.join(RESUME_FOLDER).join(CHECKPOINT_FILE)
}
