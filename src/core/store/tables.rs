//! The tables of a run's folder: `metrics.csv`, the answers and the study of prompts per task.

use std::borrow::Cow;
use std::path::Path;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::counts::counted;
use crate::metrics::{Answers, Expert, SlotCounts};
use crate::problem::{Problem, Result};
use crate::run::event::{Costs, DRIFTS, TaskReport};

/// One row of `metrics.csv`. Accuracies (0..=1) are there for readers; the answers are what the
/// program computes from. A column is empty where the run has no such expert or figure.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct MetricsRow {
    /// From 1.
    pub task: usize,
    pub images: usize,
    pub online: Option<f64>,
    pub offline: Option<f64>,
    pub ensemble: Option<f64>,
    pub seconds: f64,
    pub images_per_second: f64,
    pub online_drift: Option<f64>,
    pub offline_drift: Option<f64>,
    pub peak_memory_bytes: Option<u64>,
    // Not in runs of older versions:
    #[serde(default)]
    pub answer: Option<f64>,
    #[serde(default)]
    pub task_given: Option<f64>,
    #[serde(default)]
    pub images_seen: Option<usize>,
    #[serde(default)]
    pub training_seconds: Option<f64>,
    #[serde(default)]
    pub prediction_seconds: Option<f64>,
    #[serde(default)]
    pub stored_parameters: Option<usize>,
    #[serde(default)]
    pub kept_bytes: Option<u64>,
    #[serde(default)]
    pub unreadable: Option<usize>,
    /// Other figures of the method's own: `name=value`, separated by blanks.
    #[serde(default)]
    pub gauges: String,
    /// Mean training loss of each pass, separated by blanks.
    #[serde(default)]
    pub losses: String,
}

impl MetricsRow {
    /// The row of a report.
    pub fn new(report: &TaskReport, peak_memory_bytes: Option<u64>) -> Self {
        let (answers, costs) = (&report.answers, &report.costs);
        let accuracy = |expert| {
            let here = answers.given.contains_key(&expert);
            here.then(|| answers.accuracy(expert))
        };
        let drift = |name: &str| report.gauges.get(name).copied();
        // The others than those that have columns of their own.
        let others = report.gauges.iter();
        let others = others.filter(|(name, _)| !DRIFTS.contains(&name.as_str()));
        let others: Vec<String> = others
            .map(|(name, value)| format!("{name}={value}"))
            .collect();
        Self {
            task: report.task + 1,
            images: answers.labels.len(),
            online: accuracy(Expert::ONLINE),
            offline: accuracy(Expert::OFFLINE),
            ensemble: accuracy(Expert::ENSEMBLE),
            seconds: report.seconds,
            images_per_second: report.images_per_second,
            online_drift: drift(DRIFTS[0]),
            offline_drift: drift(DRIFTS[1]),
            peak_memory_bytes,
            answer: accuracy(Expert::ANSWER),
            task_given: answers.accuracy_task_given(),
            images_seen: Some(costs.images_seen),
            training_seconds: Some(costs.training_seconds),
            prediction_seconds: Some(costs.prediction_seconds),
            stored_parameters: Some(costs.stored_parameters),
            kept_bytes: Some(costs.kept_bytes),
            unreadable: Some(report.unreadable),
            gauges: others.join(" "),
            losses: joined(&report.losses),
        }
    }

    /// Row and answers make the report again.
    pub fn report(&self, answers: Answers, slots: Vec<SlotCounts>) -> TaskReport {
        let drifts = DRIFTS
            .into_iter()
            .zip([self.online_drift, self.offline_drift]);
        let drifts = drifts.filter_map(|(name, value)| Some((name.to_string(), value?)));
        let others = self.gauges.split_whitespace().filter_map(|pair| {
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
            gauges: drifts.chain(others).collect(),
        }
    }
}

/// Numbers in one cell, separated by blanks.
pub fn joined(numbers: &[f64]) -> String {
    let words: Vec<String> = numbers.iter().map(f64::to_string).collect();
    words.join(" ")
}

/// The numbers of such a cell; none where one of them is no number.
pub fn parted(cell: &str) -> Vec<f64> {
    let numbers = cell.split_whitespace().map(str::parse);
    numbers
        .collect::<std::result::Result<_, _>>()
        .unwrap_or_default()
}

/// A number in a table of answers.
#[derive(Serialize)]
#[serde(untagged)]
enum Cell {
    Count(Option<usize>),
    Share(Option<f32>),
}

/// The column of an expert's certainty.
fn certainty_column(expert: Expert) -> String {
    format!("{}_certainty", expert.name())
}

/// The text of `confusion/task_N.csv`. Every table has the columns of the known experts, empty where
/// the run has no such expert; those of others stand behind them.
pub(super) fn answers_csv(answers: &Answers) -> Result<Vec<u8>> {
    let known = Expert::KNOWN;
    let others = answers.given.keys().copied();
    let others: Vec<Expert> = others.filter(|expert| !known.contains(expert)).collect();
    let names = |experts: &[Expert]| -> Vec<String> {
        experts.iter().map(|e| e.name().to_string()).collect()
    };
    let certainties = |experts: &[Expert]| -> Vec<String> {
        experts.iter().copied().map(certainty_column).collect()
    };
    let words = |words: [&str; 2]| words.map(String::from).to_vec();
    let header = [
        words(["sample", "label"]),
        names(&known),
        words(["task_given", "lesson"]),
        certainties(&known),
        names(&others),
        certainties(&others),
    ];
    let rows = answers.labels.iter().enumerate().map(|(i, &label)| {
        let given = |&expert: &Expert| Cell::Count(answers.of(expert).get(i).copied());
        let certainty = |&expert: &Expert| Cell::Share(answers.certainty_at(expert, i));
        let mut row = vec![
            Cell::Count(Some(answers.samples.get(i).copied().unwrap_or_default())),
            Cell::Count(Some(label)),
        ];
        row.extend(known.iter().map(given));
        row.push(Cell::Count(answers.task_given.get(i).copied()));
        let lesson = Some(answers.source(i)).filter(|source| *source > 0);
        row.push(Cell::Count(lesson));
        row.extend(known.iter().map(certainty));
        row.extend(others.iter().map(given));
        row.extend(others.iter().map(certainty));
        row
    });
    let mut table = to_csv([header.concat()])?;
    table.extend(to_csv(rows)?);
    Ok(table)
}

/// A column of a table: its name, and where it stands in a row, if there is one.
struct Column<'a> {
    path: &'a Path,
    name: String,
    at: Option<usize>,
}

impl Column<'_> {
    /// The number that a row has there; none where it is empty or there is no such column.
    fn number<T: FromStr>(&self, row: &csv::StringRecord) -> Result<Option<T>> {
        let (name, cell) = (&self.name, self.at.and_then(|at| row.get(at)));
        let cell = cell.unwrap_or_default();
        if cell.is_empty() {
            return Ok(None);
        }
        let wrong = || damaged_table(self.path, &format!("\"{cell}\" is no {name}"));
        cell.parse().map(Some).map_err(|_| wrong())
    }

    /// The number of a column that may not be empty.
    fn needed(&self, row: &csv::StringRecord) -> Result<usize> {
        let missing = || damaged_table(self.path, &format!("an image has no {}", self.name));
        self.number(row)?.ok_or_else(missing)
    }
}

/// Reads `confusion/task_N.csv`; there must be `images` rows, each with an answer of every expert,
/// with classes below `classes` and from no more than so many lessons.
pub(super) fn read_answers(
    bytes: &[u8],
    path: &Path,
    experts: &[Expert],
    (images, classes, lessons): (usize, usize, usize),
) -> Result<Answers> {
    let mut answers = Answers::default();
    let damaged = |error: csv::Error| damaged_table(path, &error.to_string());
    let mut reader = csv::Reader::from_reader(bytes);
    let header = reader.headers().map_err(damaged)?.clone();
    let column = |name: &str| Column {
        path,
        name: name.to_string(),
        at: header.iter().position(|known| known == name),
    };
    let [samples, labels, given_tasks, lesson] =
        ["sample", "label", "task_given", "lesson"].map(column);
    let of = |expert: &Expert| {
        let certainty = column(&certainty_column(*expert));
        (*expert, column(expert.name()), certainty)
    };
    let of_experts: Vec<_> = experts.iter().map(of).collect();
    let mut row = csv::StringRecord::new();
    while reader.read_record(&mut row).map_err(damaged)? {
        let label = labels.needed(&row)?;
        let task_given = given_tasks.number::<usize>(&row)?;
        let mut highest = label.max(task_given.unwrap_or_default());
        for (expert, given, certainty) in &of_experts {
            let Some(class) = given.number(&row)? else {
                let what = format!("an image has no answer of the {} expert", expert.name());
                return Err(damaged_table(path, &what));
            };
            highest = highest.max(class);
            answers.given.or_default(*expert).push(class);
            if let Some(certainty) = certainty.number::<f32>(&row)? {
                if !(0.0..=1.0).contains(&certainty) {
                    let what = format!("a certainty of {certainty} is not from 0 to 1");
                    return Err(damaged_table(path, &what));
                }
                answers.certainty.or_default(*expert).push(certainty);
            }
        }
        if highest >= classes {
            return Err(damaged_table(
                path,
                &format!("it names class {highest} of {classes}"),
            ));
        }
        let source = lesson.number(&row)?.unwrap_or(0);
        if source > lessons {
            return Err(damaged_table(
                path,
                &format!("it names lesson {source} of {lessons}"),
            ));
        }
        answers.samples.push(samples.needed(&row)?);
        answers.sources.push(source);
        answers.labels.push(label);
        answers.task_given.extend(task_given);
    }
    if answers.sources.iter().all(|source| *source == 0) {
        answers.sources.clear();
    }
    let found = answers.labels.len();
    // Noted for some pictures only, it would be read as that of others.
    answers.certainty.retain(|noted| noted.len() == found);
    if found == images {
        Ok(answers)
    } else {
        let what = format!("it holds {found} of {}", counted(images, "image"));
        Err(damaged_table(path, &what))
    }
}

/// The test images of a task (from 1) and a slot of prompts (from 1).
#[derive(Serialize, Deserialize)]
struct SlotRow {
    task: usize,
    slot: usize,
    images: usize,
    chosen: usize,
    right: usize,
}

/// The text of `prompts/task_N.csv`.
pub(super) fn slots_csv(slots: &[SlotCounts]) -> Result<Vec<u8>> {
    let rows = slots.iter().enumerate().flat_map(|(task, counts)| {
        let pairs = counts.chosen.iter().zip(&counts.right).enumerate();
        pairs.map(move |(slot, (&chosen, &right))| SlotRow {
            task: task + 1,
            slot: slot + 1,
            images: counts.images,
            chosen,
            right,
        })
    });
    to_csv(rows)
}

/// Reads `prompts/task_N.csv` of so many tasks.
pub(super) fn read_slots(bytes: &[u8], path: &Path, tasks: usize) -> Result<Vec<SlotCounts>> {
    let rows = from_csv::<SlotRow>(bytes, path)?;
    let damaged = || damaged_table(path, &format!("its rows are not {tasks} × {tasks} slots"));
    if rows.len() != tasks * tasks {
        return Err(damaged());
    }
    let one = |(task, rows): (usize, &[SlotRow])| {
        let mut counts = SlotCounts::none(0);
        for (slot, row) in rows.iter().enumerate() {
            let most = row.chosen.max(row.right);
            if (row.task, row.slot) != (task + 1, slot + 1) || most > row.images {
                return Err(damaged());
            }
            counts.images = row.images;
            counts.chosen.push(row.chosen);
            counts.right.push(row.right);
        }
        Ok(counts)
    };
    rows.chunks(tasks).enumerate().map(one).collect()
}

/// Rows as CSV with a header line.
pub(super) fn to_csv<R: Serialize>(rows: impl IntoIterator<Item = R>) -> Result<Vec<u8>> {
    let failed = |error: String| Problem::new(format!("a table cannot be written: {error}"));
    let mut writer = csv::Writer::from_writer(Vec::new());
    for row in rows {
        writer.serialize(row).map_err(|e| failed(e.to_string()))?;
    }
    writer.into_inner().map_err(|e| failed(e.to_string()))
}

/// Text for a cell of a table that people open in a spreadsheet. One that begins like a formula is
/// begun with an apostrophe, so that it is shown and not worked out.
pub fn harmless_cell(text: &str) -> Cow<'_, str> {
    match text.starts_with(['=', '+', '-', '@', '\t', '\r', '\n']) {
        true => Cow::Owned(format!("'{text}")),
        false => Cow::Borrowed(text),
    }
}

/// Rows of a CSV with a header line.
pub(super) fn from_csv<R: for<'a> Deserialize<'a>>(bytes: &[u8], path: &Path) -> Result<Vec<R>> {
    let mut reader = csv::Reader::from_reader(bytes);
    let rows: std::result::Result<Vec<R>, _> = reader.deserialize().collect();
    rows.map_err(|error| damaged_table(path, &error.to_string()))
}

/// A table of a run that cannot be read.
pub(super) fn damaged_table(path: &Path, why: &str) -> Problem {
    Problem::new(format!("this table of the run is damaged: {why}"))
        .at_path(path)
        .advise("restore it from a copy, or train the run again")
}
