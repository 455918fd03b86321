//! Reads and writes `metrics.csv`, which has one row per task and columns for the experts of the run.

use std::path::Path;

use super::tables::{Cell, Column, damaged_table, joined, parted, table_csv};
use crate::metrics::{Answers, ByExpert, Expert, SlotCounts};
use crate::problem::Result;
use crate::run::event::{Costs, TaskReport};

/// The columns of every table, in order; columns without a value are empty. Runs of older versions lack those from
/// `answer` on. Further experts have columns after these.
const COLUMNS: [&str; 22] = [
    "task",
    "images",
    "online",
    "offline",
    "ensemble",
    "seconds",
    "images_per_second",
    "online_drift",
    "offline_drift",
    "peak_memory_bytes",
    "answer",
    "task_given",
    "images_seen",
    "training_seconds",
    "prediction_seconds",
    "stored_parameters",
    "kept_bytes",
    "unreadable",
    "gauges",
    "losses",
    "snapshot_sha256",
    "answers_sha256",
];

/// Measurements that have their own columns since format 1.
const FIRST_MEASURED: [&str; 2] = ["online_drift", "offline_drift"];

/// A row. Its accuracies (0..=1) are for readers; the program computes them from the predictions.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct MetricsRow {
    /// Number of the task, from 1.
    pub task: usize,
    pub images: usize,
    pub accuracy: ByExpert<f64>,
    pub seconds: f64,
    pub images_per_second: f64,
    pub first_measured: [Option<f64>; 2],
    pub peak_memory_bytes: Option<u64>,
    pub task_given: Option<f64>,
    pub images_seen: Option<usize>,
    pub training_seconds: Option<f64>,
    pub prediction_seconds: Option<f64>,
    pub stored_parameters: Option<usize>,
    pub kept_bytes: Option<u64>,
    pub unreadable: Option<usize>,
    /// Other measurements of the method: `name=value`, separated by spaces.
    pub measurements: String,
    /// Mean training loss of each epoch, separated by spaces.
    pub losses: String,
    /// SHA-256 of the task's saved snapshot and of its predictions, in hex; empty in runs of older versions, and in
    /// rows made from a report.
    pub sha256: [String; 2],
}

impl MetricsRow {
    /// Creates the row of a report, without hashes.
    pub fn new(report: &TaskReport, peak_memory_bytes: Option<u64>) -> Self {
        let (answers, costs) = (&report.answers, &report.costs);
        let experts = answers.given.keys().copied();
        let others = report.measurements.iter();
        let others = others.filter(|(name, _)| !FIRST_MEASURED.contains(&name.as_str()));
        let others: Vec<String> = others
            .map(|(name, value)| format!("{name}={value}"))
            .collect();
        Self {
            task: report.task + 1,
            images: answers.labels.len(),
            accuracy: experts.map(|e| (e, answers.accuracy(e))).collect(),
            seconds: report.seconds,
            images_per_second: report.images_per_second,
            first_measured: FIRST_MEASURED.map(|name| report.measurements.get(name).copied()),
            peak_memory_bytes,
            task_given: answers.accuracy_task_given(),
            images_seen: Some(costs.images_seen),
            training_seconds: Some(costs.training_seconds),
            prediction_seconds: Some(costs.prediction_seconds),
            stored_parameters: Some(costs.stored_parameters),
            kept_bytes: Some(costs.kept_bytes),
            unreadable: Some(report.unreadable),
            measurements: others.join(" "),
            losses: joined(&report.losses),
            sha256: Default::default(),
        }
    }

    /// Creates the report again from this row and the predictions.
    pub fn report(&self, answers: Answers, slots: Vec<SlotCounts>) -> TaskReport {
        let first = FIRST_MEASURED.into_iter().zip(self.first_measured);
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
            losses: parted(&self.losses),
            measurements: first.chain(others).collect(),
        }
    }

    /// Returns the cells of [`COLUMNS`].
    fn cells(&self) -> [Cell<'_>; 22] {
        let [online, offline, ensemble, answer] = Expert::FIRST.map(|expert| self.of(expert));
        let [online_drift, offline_drift] = self.first_measured.map(Cell::Real);
        let [snapshot, answers] = &self.sha256;
        [
            Cell::count(self.task),
            Cell::count(self.images),
            online,
            offline,
            ensemble,
            Cell::Real(Some(self.seconds)),
            Cell::Real(Some(self.images_per_second)),
            online_drift,
            offline_drift,
            Cell::Count(self.peak_memory_bytes),
            answer,
            Cell::Real(self.task_given),
            Cell::count(self.images_seen),
            Cell::Real(self.training_seconds),
            Cell::Real(self.prediction_seconds),
            Cell::count(self.stored_parameters),
            Cell::Count(self.kept_bytes),
            Cell::count(self.unreadable),
            Cell::Text(&self.measurements),
            Cell::Text(&self.losses),
            Cell::Text(snapshot),
            Cell::Text(answers),
        ]
    }

    fn of(&self, expert: Expert) -> Cell<'_> {
        Cell::Real(self.accuracy.get(&expert).copied())
    }
}

/// Returns the text of a `metrics.csv` with these rows.
pub(super) fn metrics_csv(rows: &[MetricsRow]) -> Result<Vec<u8>> {
    let mut others: Vec<Expert> = Vec::new();
    for expert in rows.iter().flat_map(|row| row.accuracy.keys()) {
        if !Expert::FIRST.contains(expert) && !others.contains(expert) {
            others.push(*expert);
        }
    }
    let header = COLUMNS.into_iter();
    let header = header.chain(others.iter().copied().map(Expert::name));
    let rows = rows.iter().map(|row| {
        let others = others.iter().map(|expert| row.of(*expert));
        row.cells().into_iter().chain(others).collect()
    });
    table_csv(header.collect(), rows)
}

/// Reads a `metrics.csv`. Unknown columns of numbers are taken as accuracies of experts.
pub(super) fn read_metrics_csv(bytes: &[u8], path: &Path) -> Result<Vec<MetricsRow>> {
    let damaged = |error: csv::Error| damaged_table(path, &error.to_string());
    let mut reader = csv::Reader::from_reader(bytes);
    let header = reader.headers().map_err(damaged)?.clone();
    let others = header.iter().filter(|name| !COLUMNS.contains(name));
    let experts = Expert::FIRST.into_iter();
    let experts = experts.chain(others.filter_map(Expert::named));
    let experts: Vec<(Expert, Column<'_>)> = experts
        .map(|expert| (expert, Column::of(&header, expert.name(), path)))
        .collect();
    let [
        task,
        images,
        _,
        _,
        _,
        seconds,
        speed,
        first,
        second,
        peak,
        _,
        told,
        of_own @ ..,
    ] = COLUMNS.map(|name| Column::of(&header, name, path));
    let [
        seen,
        training,
        prediction,
        stored,
        kept,
        unreadable,
        measurements,
        losses,
        snapshot_sha256,
        answers_sha256,
    ] = of_own;
    let mut rows = Vec::new();
    let mut row = csv::StringRecord::new();
    while reader.read_record(&mut row).map_err(damaged)? {
        let mut accuracy = ByExpert::default();
        for (expert, column) in &experts {
            match column.number(&row) {
                Ok(share) => share.into_iter().for_each(|s| accuracy.insert(*expert, s)),
                Err(problem) if Expert::FIRST.contains(expert) => return Err(problem),
                Err(_) => {}
            }
        }
        rows.push(MetricsRow {
            task: task.needed(&row)?,
            images: images.needed(&row)?,
            accuracy,
            seconds: seconds.needed(&row)?,
            images_per_second: speed.needed(&row)?,
            first_measured: [first.number(&row)?, second.number(&row)?],
            peak_memory_bytes: peak.number(&row)?,
            task_given: told.number(&row)?,
            images_seen: seen.number(&row)?,
            training_seconds: training.number(&row)?,
            prediction_seconds: prediction.number(&row)?,
            stored_parameters: stored.number(&row)?,
            kept_bytes: kept.number(&row)?,
            unreadable: unreadable.number(&row)?,
            measurements: measurements.text(&row).to_string(),
            losses: losses.text(&row).to_string(),
            sha256: [
                hash_of(&snapshot_sha256, &row, path)?,
                hash_of(&answers_sha256, &row, path)?,
            ],
        });
    }
    Ok(rows)
}

/// Returns the hash in a column of a row; empty if there is none.
fn hash_of(column: &Column<'_>, row: &csv::StringRecord, path: &Path) -> Result<String> {
    let hash = column.text(row);
    let whole = hash.len() == 64 && hash.bytes().all(|byte| byte.is_ascii_hexdigit());
    match whole || hash.is_empty() {
        true => Ok(hash.to_string()),
        false => Err(damaged_table(path, &format!("\"{hash}\" is not a SHA-256"))),
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn row(accuracy: &[(Expert, f64)]) -> MetricsRow {
        MetricsRow {
            task: 1,
            accuracy: accuracy.iter().copied().collect(),
            ..MetricsRow::default()
        }
    }

    #[test]
    fn an_expert_of_any_name_has_a_column_and_those_of_the_format_stay_where_they_are() {
        let quick = Expert::new("quick", "Quick");
        let rows = [
            row(&[(quick, 0.5), (Expert::ANSWER, 0.25)]),
            MetricsRow {
                task: 2,
                first_measured: [Some(0.125), None],
                measurements: "a=1 b=2".into(),
                losses: "3".into(),
                ..row(&[(Expert::ANSWER, 1e-5)])
            },
        ];
        let text = metrics_csv(&rows).unwrap();
        let mut lines = std::str::from_utf8(&text).unwrap().lines();
        let header = lines.next().unwrap();
        assert_eq!(header, COLUMNS.join(",") + ",quick");
        assert_eq!(lines.next(), Some("1,0,,,,0.0,0.0,,,,0.25,,,,,,,,,,,,0.5"));
        let mut read = read_metrics_csv(&text, Path::new("")).unwrap();
        // The experts of a row are read in the order of the columns.
        read[0].accuracy = rows[0].accuracy.clone();
        assert_eq!(read, rows);
        let wrong = b"task,images,seconds,images_per_second\n1,2,,4\n";
        let problem = read_metrics_csv(wrong, Path::new("a")).unwrap_err();
        assert!(problem.what.ends_with("a row has no seconds"), "{problem}");
    }
}
