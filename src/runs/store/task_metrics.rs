//! Reads and writes the measurements of a task: its row of `metrics.csv`, which has columns for the experts of the run,
//! with its predictions and its study of prompts.

use std::io::ErrorKind;
use std::path::Path;
use std::sync::LazyLock;

use serde::{Deserialize, Serialize};

use super::csv_tables::{
    damaged_table, join_numbers, parse_numbers, read_answers, read_slots, table_csv, to_csv,
    unreadable_row, unreadable_table,
};
use super::{answers_file, slots_file};
use crate::fetch::is_sha256;
use crate::files;
use crate::metrics::{ByExpert, Expert, Predictions, SlotCounts};
use crate::problem::{Problem, Result};
use crate::run::event::{Costs, RunHeader, TaskReport};

/// Measurements that have their own columns since format 1.
const LEGACY_MEASUREMENTS: [&str; 2] = ["online_drift", "offline_drift"];

/// The names of the columns of every table; those of further experts follow.
static COLUMNS: LazyLock<Vec<String>> = LazyLock::new(|| {
    let table = to_csv([MetricsRow::default()]).unwrap_or_default();
    let table = String::from_utf8_lossy(&table);
    let header = table.lines().next().unwrap_or_default();
    header.split(',').map(String::from).collect()
});

/// A row. Its accuracies (0..=1) are for readers; the program computes them from the predictions. Runs of older versions
/// lack the columns from `answer` on; columns without a value are empty.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct MetricsRow {
    /// Number of the task, from 1.
    pub task: usize,
    images: usize,
    online: Option<f64>,
    offline: Option<f64>,
    ensemble: Option<f64>,
    pub seconds: f64,
    images_per_second: f64,
    online_drift: Option<f64>,
    offline_drift: Option<f64>,
    pub peak_memory_bytes: Option<u64>,
    answer: Option<f64>,
    pub task_given: Option<f64>,
    images_seen: Option<usize>,
    training_seconds: Option<f64>,
    prediction_seconds: Option<f64>,
    stored_parameters: Option<usize>,
    kept_bytes: Option<u64>,
    unreadable: Option<usize>,
    /// Other measurements of the method: `name=value`, separated by spaces.
    #[serde(default, rename = "gauges")]
    measurements: String,
    /// Mean training loss of each epoch, separated by spaces.
    #[serde(default)]
    losses: String,
    /// SHA-256 of the task's saved snapshot, in hex; empty in runs of older versions, and in rows made from a report.
    #[serde(default)]
    pub snapshot_sha256: String,
    /// SHA-256 of the task's predictions.
    #[serde(default)]
    pub answers_sha256: String,
    /// Accuracies of experts without a column of every table.
    #[serde(skip)]
    others: ByExpert<f64>,
}

impl MetricsRow {
    /// Creates the row of a report, without hashes.
    pub fn new(report: &TaskReport, peak_memory_bytes: Option<u64>) -> Self {
        let (answers, costs) = (&report.answers, &report.costs);
        let accuracy = |expert| {
            let has_expert = answers.given.contains_key(&expert);
            has_expert.then(|| answers.accuracy(expert))
        };
        let [online, offline, ensemble, answer] = Expert::FORMAT_1.map(accuracy);
        let [online_drift, offline_drift] =
            LEGACY_MEASUREMENTS.map(|name| report.measurements.get(name).copied());
        let others = answers.given.keys().copied();
        let others = others.filter(|expert| !Expert::FORMAT_1.contains(expert));
        let measurements = report.measurements.iter();
        let measurements =
            measurements.filter(|(name, _)| !LEGACY_MEASUREMENTS.contains(&name.as_str()));
        let measurements: Vec<String> =
            measurements.map(|(name, value)| format!("{name}={value}")).collect();
        Self {
            task: report.task + 1,
            images: answers.labels.len(),
            online,
            offline,
            ensemble,
            seconds: report.seconds,
            images_per_second: report.images_per_second,
            online_drift,
            offline_drift,
            peak_memory_bytes,
            answer,
            task_given: answers.accuracy_task_given(),
            images_seen: Some(costs.images_seen),
            training_seconds: Some(costs.training_seconds),
            prediction_seconds: Some(costs.prediction_seconds),
            stored_parameters: Some(costs.stored_parameters),
            kept_bytes: Some(costs.kept_bytes),
            unreadable: Some(report.unreadable),
            measurements: measurements.join(" "),
            losses: join_numbers(&report.losses),
            others: others.map(|e| (e, answers.accuracy(e))).collect(),
            ..Self::default()
        }
    }

    /// Returns the accuracy of each expert.
    pub fn accuracies(&self) -> ByExpert<f64> {
        let first = [self.online, self.offline, self.ensemble, self.answer];
        let first = Expert::FORMAT_1.into_iter().zip(first);
        let first = first.filter_map(|(expert, accuracy)| Some((expert, accuracy?)));
        first.chain(self.others.iter().copied()).collect()
    }

    /// Creates the report again from this row and the predictions.
    pub fn to_report(&self, answers: Predictions, slots: Vec<SlotCounts>) -> TaskReport {
        let first = [self.online_drift, self.offline_drift];
        let first = LEGACY_MEASUREMENTS.into_iter().zip(first);
        let first = first.filter_map(|(name, value)| Some((name.to_string(), value?)));
        let others = self.measurements.split_whitespace().filter_map(|pair| {
            let (name, value) = pair.split_once('=')?;
            Some((name.to_string(), value.parse().ok()?))
        });
        TaskReport {
            task: self.task.saturating_sub(1),
            answers,
            slots,
            seconds: self.seconds,
            images_per_second: self.images_per_second,
            unreadable: self.unreadable.unwrap_or_default(),
            costs: Costs {
                images_seen: self.images_seen.unwrap_or_default(),
                training_seconds: self.training_seconds.unwrap_or_default(),
                prediction_seconds: self.prediction_seconds.unwrap_or_default(),
                stored_parameters: self.stored_parameters.unwrap_or_default(),
                kept_bytes: self.kept_bytes.unwrap_or_default(),
            },
            losses: parse_numbers(&self.losses),
            measurements: first.chain(others).collect(),
        }
    }
}

/// Returns the text of a `metrics.csv` with these rows.
pub(super) fn metrics_csv(rows: &[MetricsRow]) -> Result<Vec<u8>> {
    let mut others: Vec<Expert> = Vec::new();
    for expert in rows.iter().flat_map(|row| row.others.keys()) {
        if !others.contains(expert) {
            others.push(*expert);
        }
    }
    let header = COLUMNS.iter().map(String::as_str);
    let header = header.chain(others.iter().copied().map(Expert::key));
    let rows = rows.iter().map(|row| {
        let others = others.iter().map(|expert| row.others.get(expert));
        (row, others.collect::<Vec<_>>())
    });
    table_csv(header.collect(), rows)
}

/// Reads a `metrics.csv`. Unknown columns of numbers are taken as accuracies of experts.
pub(super) fn read_metrics_csv(bytes: &[u8], path: &Path) -> Result<Vec<MetricsRow>> {
    let damaged = |error: csv::Error| unreadable_table(&error, path);
    let mut reader = csv::Reader::from_reader(bytes);
    let header = reader.headers().map_err(damaged)?.clone();
    let others = header.iter().enumerate();
    let others = others.filter(|(_, name)| !COLUMNS.iter().any(|column| column == name));
    let others: Vec<(usize, Expert)> =
        others.filter_map(|(index, name)| Some((index, Expert::from_key(name)?))).collect();
    let mut rows = Vec::new();
    let mut record = csv::StringRecord::new();
    while reader.read_record(&mut record).map_err(damaged)? {
        let mut row: MetricsRow = record
            .deserialize(Some(&header))
            .map_err(|error| unreadable_row(&error, &header, &record, path))?;
        for hash in [&row.snapshot_sha256, &row.answers_sha256] {
            if !is_sha256(hash) && !hash.is_empty() {
                return Err(damaged_table(path, &format!("`{hash}` is not a SHA-256")));
            }
        }
        for (index, expert) in &others {
            if let Some(Ok(share)) = record.get(*index).map(str::parse) {
                row.others.insert(*expert, share);
            }
        }
        rows.push(row);
    }
    Ok(rows)
}

/// Returns the measurements of a row, with the predictions in this folder.
pub(super) fn load_report(
    folder: &Path,
    header: &RunHeader,
    row: &MetricsRow,
) -> Result<TaskReport> {
    let task = row.task - 1;
    let path = answers_file(folder, task);
    let bytes = files::read(&path, files::TABLE)
        .map_err(|error| Problem::io("read the answers of a task", &path, &error))?;
    let limits = (row.images, header.tasks[task].end, header.added_tasks.len());
    let answers = read_answers(&bytes, &path, &header.method.experts, limits)?;
    let path = slots_file(folder, task);
    let slots = match files::read(&path, files::TABLE) {
        Ok(bytes) => read_slots(&bytes, &path, row.task)?,
        Err(error) if error.kind() == ErrorKind::NotFound => Vec::new(),
        Err(error) => return Err(Problem::io("read the study of prompts", &path, &error)),
    };
    Ok(row.to_report(answers, slots))
}

/// Returns the rows of a `metrics.csv`; empty if the file does not exist.
pub(super) fn read_metrics(path: &Path) -> Result<Vec<MetricsRow>> {
    match files::read(path, files::TABLE) {
        Ok(bytes) => read_metrics_csv(&bytes, path),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(Vec::new()),
        Err(error) => Err(Problem::io("read the run's metrics", path, &error)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn additional_experts_get_trailing_columns() {
        let quick = Expert::new("quick", "Quick");
        let rows = [
            MetricsRow {
                task: 1,
                answer: Some(0.25),
                others: [(quick, 0.5)].into_iter().collect(),
                ..MetricsRow::default()
            },
            MetricsRow {
                task: 2,
                online_drift: Some(0.125),
                answer: Some(1e-5),
                measurements: "a=1 b=2".into(),
                losses: "3".into(),
                ..MetricsRow::default()
            },
        ];
        let text = metrics_csv(&rows).unwrap();
        let mut lines = std::str::from_utf8(&text).unwrap().lines();
        let header = lines.next().unwrap();
        assert_eq!(header, COLUMNS.join(",") + ",quick");
        assert_eq!(lines.next(), Some("1,0,,,,0.0,0.0,,,,0.25,,,,,,,,,,,,0.5"));
        assert_eq!(read_metrics_csv(&text, Path::new("")).unwrap(), rows);
        let wrong = b"task,images,seconds,images_per_second\n1,2,,4\n";
        let problem = read_metrics_csv(wrong, Path::new("a")).unwrap_err();
        assert!(problem.is("problem-run-table-damaged"), "{problem}");
        assert!(problem.what.ends_with("no seconds"), "{problem}");
        let longer = b"task,images\n1,2,3\n";
        let problem = read_metrics_csv(longer, Path::new("a")).unwrap_err();
        assert!(problem.what.ends_with("3 instead of 2 cells (line 2)"), "{problem}");
    }
}
