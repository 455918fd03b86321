//! Whether the files of a run are still what was written: by the hashes that were noted with each task, and by what
//! one file says of another.

use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use super::load::StoredRun;
use super::measured::MetricsRow;
use super::saved::read_metrics;
use super::snapshot::own_and_found;
use super::{METRICS_FILE, PLUGIN_FILE, added_tasks, answers_file, snapshot_file};
use crate::fetch::{hex, sha256_of_file};
use crate::problem::{Problem, Result};

/// What is wrong with one file of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Wrong {
    /// The task (from 0) that it belongs to; `None` for the run's plugin.
    pub task: Option<usize>,
    /// What it is.
    pub part: WrongPart,
    /// What is wrong, a sentence without a full stop.
    pub told: String,
}

/// What can be wrong in a run's folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WrongPart {
    /// The plugin's text.
    Plugin,
    /// What answers after a task.
    Snapshot,
    /// The table of answers after a task.
    Answers,
    /// A number of `metrics.csv`.
    Figure,
}

/// The result of checking a run's files.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FilesLookedAt {
    /// Files that are what was written.
    pub right: usize,
    /// Those that are not.
    pub wrong: Vec<Wrong>,
    /// What older versions did not note, as phrases.
    pub unknown: Vec<String>,
}

/// Looks at the files of a run that was read; `plugin_sha256` is what was noted of its plugin.
///
/// # Errors
/// Returns a Problem if a table of figures cannot be read.
pub fn verify(run: &StoredRun, plugin_sha256: Option<&str>) -> Result<FilesLookedAt> {
    let folder = &run.header.folder;
    let mut looked = FilesLookedAt::default();
    if !run.plugin.is_empty() {
        let found = hex(&Sha256::digest(&run.plugin));
        match plugin_sha256 {
            None => looked.unknown.push("the hash of the plugin".into()),
            Some(noted) if noted == found => looked.right += 1,
            Some(noted) => looked.wrong.push(Wrong {
                task: None,
                part: WrongPart::Plugin,
                told: changed(PLUGIN_FILE, noted, &found),
            }),
        }
    }
    let mut hashless = 0;
    // The run's own tasks share a table.
    let mut table: Option<(PathBuf, Vec<MetricsRow>)> = None;
    for (task, report) in run.reports.iter().enumerate() {
        let home = added_tasks::home(folder, task);
        let known = table.take().filter(|(known, _)| *known == home);
        let (_, rows) = table.insert(match known {
            Some(known) => known,
            None => (home.clone(), read_metrics(&home.join(METRICS_FILE))?),
        });
        let Some(row) = rows.iter().find(|row| row.task == task + 1) else {
            continue;
        };
        hashless += usize::from(row.sha256.iter().any(String::is_empty));
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

impl FilesLookedAt {
    fn add(&mut self, task: usize, part: WrongPart, told: Option<String>) {
        let task = Some(task);
        match told {
            None => self.right += 1,
            Some(told) => self.wrong.push(Wrong { task, part, told }),
        }
    }

    /// Snapshot and answers of a task.
    fn files_of(&mut self, folder: &Path, task: usize, row: &MetricsRow) {
        let home = added_tasks::home(folder, task);
        let [snapshot, answers] = &row.sha256;
        let files = [
            (WrongPart::Snapshot, snapshot, snapshot_file(&home, task)),
            (WrongPart::Answers, answers, answers_file(&home, task)),
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
                // The snapshot has a hash in itself, too, which older versions noted.
                Ok(_) if noted.is_empty() && part == WrongPart::Answers => continue,
                Ok(_) if noted.is_empty() => of_itself(folder, task, &name),
                Ok(None) => None,
                Ok(Some(found)) => Some(changed(&name, noted, &found)),
            };
            self.add(task, part, told);
        }
    }

    /// The figures of a row that its answers determine as well.
    fn figures(&mut self, task: usize, noted: &MetricsRow, counted: &MetricsRow) {
        let of_experts = counted.accuracy.iter().filter_map(|(expert, share)| {
            let noted = noted.accuracy.get(expert)?;
            Some((expert.name(), *noted, *share))
        });
        let told = noted.task_given.zip(counted.task_given);
        let told = told.map(|(noted, counted)| ("task_given", noted, counted));
        // Where no image of earlier tasks was available there is no number on either side.
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
        self.add(task, WrongPart::Figure, sentence);
    }
}

/// What is wrong with a snapshot by the hash that it holds itself.
fn of_itself(folder: &Path, task: usize, name: &str) -> Option<String> {
    match own_and_found(folder, task) {
        Err(Problem { what, .. }) => Some(what),
        Ok(Some((own, found))) if own != found => Some(changed(name, &own, &found)),
        Ok(_) => None,
    }
}
