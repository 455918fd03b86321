//! The tables of a run's folder: `metrics.csv`, the answers and the study of prompts per task.

use std::borrow::Cow;
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::counts::counted;
use crate::metrics::{Answers, Expert, SlotCounts};
use crate::problem::{Problem, Result};
use crate::run::event::{Costs, TaskReport};

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

/// Gauges that have a column of their own.
const DRIFTS: [&str; 2] = ["online_drift", "offline_drift"];

impl MetricsRow {
    /// The row of a report.
    pub fn new(report: &TaskReport, peak_memory_bytes: Option<u64>) -> Self {
        let (answers, costs) = (&report.answers, &report.costs);
        let accuracy = |expert| {
            let here = answers.given.contains_key(&expert);
            here.then(|| answers.accuracy(expert))
        };
        let drift = |name: &str| report.gauges.get(name).copied();
        let others = report.gauges.iter();
        let others = others.filter(|(name, _)| !DRIFTS.contains(&name.as_str()));
        let others: Vec<String> = others
            .map(|(name, value)| format!("{name}={value}"))
            .collect();
        Self {
            task: report.task + 1,
            images: answers.labels.len(),
            online: accuracy(Expert::Online),
            offline: accuracy(Expert::Offline),
            ensemble: accuracy(Expert::Ensemble),
            seconds: report.seconds,
            images_per_second: report.images_per_second,
            online_drift: drift(DRIFTS[0]),
            offline_drift: drift(DRIFTS[1]),
            peak_memory_bytes,
            answer: accuracy(Expert::Answer),
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

/// One test image; the columns of experts that the run does not have are empty.
#[derive(Default, Serialize, Deserialize)]
struct AnswerRow {
    sample: usize,
    label: usize,
    online: Option<usize>,
    offline: Option<usize>,
    ensemble: Option<usize>,
    // Not in runs of older versions:
    #[serde(default)]
    answer: Option<usize>,
    #[serde(default)]
    task_given: Option<usize>,
    /// The lesson whose test picture it is, from 1; none for one of the run's own data set.
    #[serde(default)]
    lesson: Option<usize>,
    /// How certain each expert was of its class.
    #[serde(default)]
    online_certainty: Option<f32>,
    #[serde(default)]
    offline_certainty: Option<f32>,
    #[serde(default)]
    ensemble_certainty: Option<f32>,
    #[serde(default)]
    answer_certainty: Option<f32>,
}

impl AnswerRow {
    fn of(&mut self, expert: Expert) -> &mut Option<usize> {
        match expert {
            Expert::Online => &mut self.online,
            Expert::Offline => &mut self.offline,
            Expert::Ensemble => &mut self.ensemble,
            Expert::Answer => &mut self.answer,
        }
    }

    fn certainty_of(&mut self, expert: Expert) -> &mut Option<f32> {
        match expert {
            Expert::Online => &mut self.online_certainty,
            Expert::Offline => &mut self.offline_certainty,
            Expert::Ensemble => &mut self.ensemble_certainty,
            Expert::Answer => &mut self.answer_certainty,
        }
    }
}

/// The text of `confusion/task_N.csv`.
pub(super) fn answers_csv(answers: &Answers) -> Result<Vec<u8>> {
    let rows = answers.labels.iter().enumerate().map(|(i, &label)| {
        let mut row = AnswerRow {
            sample: answers.samples.get(i).copied().unwrap_or_default(),
            label,
            task_given: answers.task_given.get(i).copied(),
            lesson: Some(answers.source(i)).filter(|source| *source > 0),
            ..AnswerRow::default()
        };
        for (expert, given) in &answers.given {
            *row.of(*expert) = given.get(i).copied();
            *row.certainty_of(*expert) = answers.certainty_at(*expert, i);
        }
        row
    });
    to_csv(rows)
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
    for mut row in from_csv::<AnswerRow>(bytes, path)? {
        let mut highest = row.label.max(row.task_given.unwrap_or_default());
        for &expert in experts {
            let Some(class) = *row.of(expert) else {
                let what = format!("an image has no answer of the {} expert", expert.name());
                return Err(damaged_table(path, &what));
            };
            highest = highest.max(class);
            answers.given.entry(expert).or_default().push(class);
            if let Some(certainty) = *row.certainty_of(expert) {
                if !(0.0..=1.0).contains(&certainty) {
                    let what = format!("a certainty of {certainty} is not from 0 to 1");
                    return Err(damaged_table(path, &what));
                }
                let noted = answers.certainty.entry(expert).or_default();
                noted.push(certainty);
            }
        }
        if highest >= classes {
            return Err(damaged_table(
                path,
                &format!("it names class {highest} of {classes}"),
            ));
        }
        let source = row.lesson.unwrap_or(0);
        if source > lessons {
            return Err(damaged_table(
                path,
                &format!("it names lesson {source} of {lessons}"),
            ));
        }
        answers.samples.push(row.sample);
        answers.sources.push(source);
        answers.labels.push(row.label);
        answers.task_given.extend(row.task_given);
    }
    if answers.sources.iter().all(|source| *source == 0) {
        answers.sources.clear();
    }
    let found = answers.labels.len();
    // Noted for some pictures only, it would be read as that of others.
    answers.certainty.retain(|_, noted| noted.len() == found);
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
