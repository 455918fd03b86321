//! Checks whether the files of a run are unchanged: by the hashes recorded with each task, and by comparing files that
//! contain the same numbers.

use std::path::Path;

use sha2::{Digest, Sha256};

use super::load::StoredRun;
use super::snapshot::recorded_and_actual_hash;
use super::task_metrics::{MetricsRow, read_metrics};
use super::{METRICS_FILE, PLUGIN_FILE, added_tasks, answers_file, snapshot_file};
use crate::fetch::{hex, sha256_of_file};
use crate::problem::{Problem, Result};
use crate::run::check_result::{Difference, Part};

/// The result of checking a run's files.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FileCheckResult {
    /// Number of unchanged files.
    pub unchanged: usize,
    /// The changed or unreadable files.
    pub differences: Vec<Difference>,
    /// What cannot be checked, because older versions did not record it, as phrases.
    pub unknown: Vec<String>,
}

/// Checks the files of a loaded run; `plugin_sha256` is the recorded hash of its plugin.
///
/// # Errors
/// Returns a Problem if a `metrics.csv` cannot be read.
pub fn verify_files(run: &StoredRun, plugin_sha256: Option<&str>) -> Result<FileCheckResult> {
    let folder = &run.header.folder;
    let mut result = FileCheckResult::default();
    if !run.plugin.is_empty() {
        let actual = hex(&Sha256::digest(&run.plugin));
        match plugin_sha256 {
            None => result.unknown.push("the hash of the plugin".into()),
            Some(recorded) if recorded == actual => result.unchanged += 1,
            Some(recorded) => {
                let message = hash_mismatch(PLUGIN_FILE, recorded, &actual);
                result.differences.push(Difference::new(Part::Plugin, None, message));
            }
        }
    }
    let mut unhashed_tasks = 0;
    for (task, report) in run.reports.iter().enumerate() {
        let task_folder = added_tasks::task_folder(folder, task);
        let rows = read_metrics(&task_folder.join(METRICS_FILE))?;
        let Some(row) = rows.iter().find(|row| row.task == task + 1) else {
            continue;
        };
        unhashed_tasks +=
            usize::from(row.snapshot_sha256.is_empty() || row.answers_sha256.is_empty());
        result.check_files(folder, task, row);
        result.check_figures(task, row, &MetricsRow::new(report, None));
    }
    if unhashed_tasks > 0 {
        result.unknown.push("the hashes of snapshots and answers".into());
    }
    Ok(result)
}

fn hash_mismatch(name: &str, recorded: &str, actual: &str) -> String {
    let short = |hash: &str| hash.chars().take(12).collect::<String>();
    let (recorded, actual) = (short(recorded), short(actual));
    format!("{name} has changed: its SHA-256 is {actual}…, not {recorded}…")
}

impl FileCheckResult {
    fn add(&mut self, task: usize, part: Part, message: Option<String>) {
        match message {
            None => self.unchanged += 1,
            Some(message) => self.differences.push(Difference::new(part, Some(task), message)),
        }
    }

    /// Checks the snapshot and the predictions of a task.
    fn check_files(&mut self, folder: &Path, task: usize, row: &MetricsRow) {
        let task_folder = added_tasks::task_folder(folder, task);
        let files = [
            (Part::Snapshot, &row.snapshot_sha256, snapshot_file(&task_folder, task)),
            (Part::Answer, &row.answers_sha256, answers_file(&task_folder, task)),
        ];
        for (part, recorded, path) in files {
            let name = path.strip_prefix(folder).unwrap_or(&path).display().to_string();
            let compared =
                sha256_of_file(&path).map(|actual| (actual != *recorded).then_some(actual));
            let message = match compared {
                Err(problem) => Some(problem.what),
                // Without a recorded hash, the hash inside the snapshot is checked, which older versions wrote, too.
                Ok(_) if recorded.is_empty() && part == Part::Answer => continue,
                Ok(_) if recorded.is_empty() => check_recorded_hash(folder, task, &name),
                Ok(None) => None,
                Ok(Some(actual)) => Some(hash_mismatch(&name, recorded, &actual)),
            };
            self.add(task, part, message);
        }
    }

    /// Compares the figures in a row with those computed from the predictions.
    fn check_figures(&mut self, task: usize, recorded: &MetricsRow, computed: &MetricsRow) {
        let (recorded_accuracy, computed_accuracy) = (recorded.accuracies(), computed.accuracies());
        let expert_figures = computed_accuracy.iter().filter_map(|(expert, share)| {
            let recorded_share = recorded_accuracy.get(expert)?;
            Some((expert.key(), *recorded_share, *share))
        });
        let task_given = recorded.task_given.zip(computed.task_given);
        let task_given = task_given.map(|(recorded, computed)| ("task_given", recorded, computed));
        // Both are NaN if no image of earlier tasks was available.
        let is_same = |(recorded, computed): (f64, f64)| {
            recorded == computed || recorded.is_nan() && computed.is_nan()
        };
        let mut figures = expert_figures.chain(task_given);
        let mismatch = figures.find(|(_, recorded, computed)| !is_same((*recorded, *computed)));
        let sentence = mismatch.map(|(name, recorded, computed)| {
            format!(
                "{METRICS_FILE} has {name} = {recorded} after task {}, but the answers give {computed}",
                task + 1
            )
        });
        self.add(task, Part::Figure, sentence);
    }
}

/// Checks a snapshot against the hash that it contains; returns what is wrong, or `None`.
fn check_recorded_hash(folder: &Path, task: usize, name: &str) -> Option<String> {
    match recorded_and_actual_hash(folder, task) {
        Err(Problem { what, .. }) => Some(what),
        Ok(Some((recorded, actual))) if recorded != actual => {
            Some(hash_mismatch(name, &recorded, &actual))
        }
        Ok(_) => None,
    }
}
