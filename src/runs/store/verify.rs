//! Checks whether the files of a run are unchanged: by the hashes recorded with each task, and by comparing files that
//! contain the same numbers.

use std::path::Path;

use sha2::{Digest, Sha256};

use super::load::StoredRun;
use super::measured::{MetricsRow, read_metrics};
use super::snapshot::own_and_found;
use super::{METRICS_FILE, PLUGIN_FILE, added_tasks, answers_file, snapshot_file};
use crate::fetch::{hex, sha256_of_file};
use crate::problem::{Problem, Result};
use crate::run::check_result::{Difference, Part};

/// The result of checking a run's files.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FileCheckResult {
    /// Number of unchanged files.
    pub right: usize,
    /// The changed or unreadable files.
    pub wrong: Vec<Difference>,
    /// What cannot be checked, because older versions did not record it, as phrases.
    pub unknown: Vec<String>,
}

/// Checks the files of a loaded run; `plugin_sha256` is the recorded hash of its plugin.
///
/// # Errors
/// Returns a Problem if a `metrics.csv` cannot be read.
pub fn verify(run: &StoredRun, plugin_sha256: Option<&str>) -> Result<FileCheckResult> {
    let folder = &run.header.folder;
    let mut looked = FileCheckResult::default();
    if !run.plugin.is_empty() {
        let found = hex(&Sha256::digest(&run.plugin));
        match plugin_sha256 {
            None => looked.unknown.push("the hash of the plugin".into()),
            Some(noted) if noted == found => looked.right += 1,
            Some(noted) => {
                let message = changed(PLUGIN_FILE, noted, &found);
                looked
                    .wrong
                    .push(Difference::new(Part::Plugin, None, message));
            }
        }
    }
    let mut hashless = 0;
    for (task, report) in run.reports.iter().enumerate() {
        let home = added_tasks::task_folder(folder, task);
        let rows = read_metrics(&home.join(METRICS_FILE))?;
        let Some(row) = rows.iter().find(|row| row.task == task + 1) else {
            continue;
        };
        hashless += usize::from(row.snapshot_sha256.is_empty() || row.answers_sha256.is_empty());
        looked.files_of(folder, task, row);
        looked.figures(task, row, &MetricsRow::new(report, None));
    }
    if hashless > 0 {
        looked
            .unknown
            .push("the hashes of snapshots and answers".into());
    }
    Ok(looked)
}

fn changed(name: &str, noted: &str, found: &str) -> String {
    let short = |hash: &str| hash.chars().take(12).collect::<String>();
    let (noted, found) = (short(noted), short(found));
    format!("{name} has changed: its SHA-256 is {found}…, not {noted}…")
}

impl FileCheckResult {
    fn add(&mut self, task: usize, part: Part, message: Option<String>) {
        match message {
            None => self.right += 1,
            Some(message) => self.wrong.push(Difference::new(part, Some(task), message)),
        }
    }

    /// Checks the snapshot and the predictions of a task.
    fn files_of(&mut self, folder: &Path, task: usize, row: &MetricsRow) {
        let home = added_tasks::task_folder(folder, task);
        let hashes = [&row.snapshot_sha256, &row.answers_sha256];
        let files = [
            (Part::Snapshot, hashes[0], snapshot_file(&home, task)),
            (Part::Answer, hashes[1], answers_file(&home, task)),
        ];
        for (part, noted, path) in files {
            let name = path
                .strip_prefix(folder)
                .unwrap_or(&path)
                .display()
                .to_string();
            let compared = sha256_of_file(&path).map(|found| (found != *noted).then_some(found));
            let told = match compared {
                Err(problem) => Some(problem.what),
                // Without a recorded hash, the hash inside the snapshot is checked, which older versions wrote, too.
                Ok(_) if noted.is_empty() && part == Part::Answer => continue,
                Ok(_) if noted.is_empty() => check_own_hash(folder, task, &name),
                Ok(None) => None,
                Ok(Some(found)) => Some(changed(&name, noted, &found)),
            };
            self.add(task, part, told);
        }
    }

    /// Compares the figures in a row with those computed from the predictions.
    fn figures(&mut self, task: usize, noted: &MetricsRow, counted: &MetricsRow) {
        let (written, counted_accuracy) = (noted.accuracy(), counted.accuracy());
        let of_experts = counted_accuracy.iter().filter_map(|(expert, share)| {
            let noted = written.get(expert)?;
            Some((expert.name(), *noted, *share))
        });
        let told = noted.task_given.zip(counted.task_given);
        let told = told.map(|(noted, counted)| ("task_given", noted, counted));
        // Both are NaN if no image of earlier tasks was available.
        let same =
            |(noted, counted): (f64, f64)| noted == counted || noted.is_nan() && counted.is_nan();
        let mut all = of_experts.chain(told);
        let other = all.find(|(_, noted, counted)| !same((*noted, *counted)));
        let sentence = other.map(|(name, noted, counted)| {
            format!(
                "{METRICS_FILE} has {name} = {noted} after task {}, but the answers give {counted}",
                task + 1
            )
        });
        self.add(task, Part::Figure, sentence);
    }
}

/// Checks a snapshot against the hash that it contains; returns what is wrong, or `None`.
fn check_own_hash(folder: &Path, task: usize, name: &str) -> Option<String> {
    match own_and_found(folder, task) {
        Err(Problem { what, .. }) => Some(what),
        Ok(Some((own, found))) if own != found => Some(changed(name, &own, &found)),
        Ok(_) => None,
    }
}
