//! Reads and writes the tables of a run's folder: predictions and study of prompts per task.

use std::borrow::Cow;
use std::fmt::Display;
use std::path::Path;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::counts::count_with_noun;
use crate::message;
use crate::metrics::{Expert, Predictions, SlotCounts};
use crate::problem::{Problem, Result};

/// Returns numbers as the text of one cell, separated by spaces.
pub fn join_numbers(numbers: &[f64]) -> String {
    let words: Vec<String> = numbers.iter().map(f64::to_string).collect();
    words.join(" ")
}

/// Returns the numbers in a cell written by [`join_numbers`]; empty if one of them is invalid.
pub fn parse_numbers(cell: &str) -> Vec<f64> {
    let numbers = cell.split_whitespace().map(str::parse);
    numbers.collect::<std::result::Result<_, _>>().unwrap_or_default()
}

/// A cell of a table.
#[derive(Serialize)]
#[serde(untagged)]
pub(super) enum Cell<'a> {
    Count(Option<u64>),
    Share(Option<f32>),
    Real(Option<f64>),
    Text(Cow<'a, str>),
}

impl Cell<'_> {
    /// Returns a cell with a count, or an empty cell for `None`.
    pub fn count(number: impl Into<Option<usize>>) -> Self {
        Self::Count(number.into().map(|number| number as u64))
    }
}

/// Returns a header and rows as CSV.
pub(super) fn table_csv<R: Serialize>(
    header: Vec<&str>,
    rows: impl IntoIterator<Item = R>,
) -> Result<Vec<u8>> {
    let mut table = write_csv([header], false)?;
    table.extend(write_csv(rows, false)?);
    Ok(table)
}

/// Returns the name of the column with the certainties of an expert.
fn certainty_column(expert: Expert) -> String {
    format!("{}_certainty", expert.key())
}

/// Returns the text of `confusion/task_N.csv`. Every table has the columns of the known experts, which are empty if the
/// run lacks the expert. Columns of other experts follow.
pub(super) fn answers_csv(answers: &Predictions) -> Result<Vec<u8>> {
    let standard_experts = Expert::FORMAT_1;
    let others = answers.given.keys().copied();
    let others: Vec<Expert> = others.filter(|expert| !standard_experts.contains(expert)).collect();
    let names =
        |experts: &[Expert]| -> Vec<&str> { experts.iter().copied().map(Expert::key).collect() };
    let [standard_certainties, other_certainties] = [&standard_experts[..], &others]
        .map(|experts| -> Vec<String> { experts.iter().copied().map(certainty_column).collect() });
    let header = [
        vec!["sample", "label"],
        names(&standard_experts),
        vec!["task_given", "lesson"],
        standard_certainties.iter().map(String::as_str).collect(),
        names(&others),
        other_certainties.iter().map(String::as_str).collect(),
    ];
    let rows = answers.labels.iter().enumerate().map(|(i, &label)| {
        let prediction = |&expert: &Expert| Cell::count(answers.for_expert(expert).get(i).copied());
        let certainty = |&expert: &Expert| Cell::Share(answers.certainty_at(expert, i));
        let mut row = vec![
            Cell::count(answers.samples.get(i).copied().unwrap_or_default()),
            Cell::count(label),
        ];
        row.extend(standard_experts.iter().map(prediction));
        row.push(Cell::count(answers.task_given.get(i).copied()));
        let added_task = Some(answers.source(i)).filter(|source| *source > 0);
        row.push(Cell::count(added_task));
        row.extend(standard_experts.iter().map(certainty));
        row.extend(others.iter().map(prediction));
        row.extend(others.iter().map(certainty));
        row
    });
    table_csv(header.concat(), rows)
}

/// A column of a table: its name, and its index in a row if the table has it.
pub(super) struct Column<'a> {
    path: &'a Path,
    name: &'a str,
    index: Option<usize>,
}

impl<'a> Column<'a> {
    /// Finds the column with this name in a table with this header.
    pub fn find(header: &csv::StringRecord, name: &'a str, path: &'a Path) -> Self {
        let index = header.iter().position(|column| column == name);
        Self { path, name, index }
    }

    /// Returns the text in this column of a row; empty if there is no such column.
    pub fn text<'r>(&self, row: &'r csv::StringRecord) -> &'r str {
        self.index.and_then(|index| row.get(index)).unwrap_or_default()
    }

    /// Returns the number in this column of a row; `None` if the cell is empty or there is no such column.
    pub fn number<T: FromStr>(&self, row: &csv::StringRecord) -> Result<Option<T>> {
        let (name, cell) = (self.name, self.text(row));
        if cell.is_empty() {
            return Ok(None);
        }
        let invalid = || damaged_table(self.path, &format!("`{cell}` is not a valid {name}"));
        cell.parse().map(Some).map_err(|_| invalid())
    }

    /// Returns the number in this column of a row; an empty cell is a Problem.
    pub fn required_number<T: FromStr>(&self, row: &csv::StringRecord) -> Result<T> {
        let missing = || damaged_table(self.path, &format!("a row has no {}", self.name));
        self.number(row)?.ok_or_else(missing)
    }
}

/// Reads `confusion/task_N.csv`. It must have `images` rows, each with a prediction of every expert, classes below
/// `classes`, and at most `added_tasks` added tasks.
pub(super) fn read_answers(
    bytes: &[u8],
    path: &Path,
    experts: &[Expert],
    (images, classes, added_tasks): (usize, usize, usize),
) -> Result<Predictions> {
    let mut answers = Predictions::default();
    let damaged = |error: csv::Error| unreadable_table(&error, path);
    let mut reader = csv::Reader::from_reader(bytes);
    let header = reader.headers().map_err(damaged)?.clone();
    let column = |name| Column::find(&header, name, path);
    let [samples, labels, given_tasks, added_task] =
        ["sample", "label", "task_given", "lesson"].map(column);
    let certainties: Vec<String> = experts.iter().copied().map(certainty_column).collect();
    let names = experts.iter().zip(&certainties);
    let expert_columns: Vec<_> = names
        .map(|(expert, certainty)| (*expert, column(expert.key()), column(certainty)))
        .collect();
    let mut row = csv::StringRecord::new();
    while reader.read_record(&mut row).map_err(damaged)? {
        let label: usize = labels.required_number(&row)?;
        let task_given = given_tasks.number::<usize>(&row)?;
        let mut highest = label.max(task_given.unwrap_or_default());
        for (expert, prediction, certainty) in &expert_columns {
            let Some(class) = prediction.number(&row)? else {
                let what = format!("an image has no answer of the {} expert", expert.key());
                return Err(damaged_table(path, &what));
            };
            highest = highest.max(class);
            answers.given.or_default(*expert).push(class);
            if let Some(certainty) = certainty.number::<f32>(&row)? {
                if !(0.0..=1.0).contains(&certainty) {
                    let what = format!("a confidence of {certainty} is not between 0 and 1");
                    return Err(damaged_table(path, &what));
                }
                answers.certainty.or_default(*expert).push(certainty);
            }
        }
        if highest >= classes {
            return Err(damaged_table(path, &format!("it refers to class {highest} of {classes}")));
        }
        let source = added_task.number(&row)?.unwrap_or(0);
        if source > added_tasks {
            return Err(damaged_table(
                path,
                &format!("it refers to added task {source} of {added_tasks}"),
            ));
        }
        answers.samples.push(samples.required_number(&row)?);
        answers.sources.push(source);
        answers.labels.push(label);
        answers.task_given.extend(task_given);
    }
    if answers.sources.iter().all(|source| *source == 0) {
        answers.sources.clear();
    }
    let found = answers.labels.len();
    // Certainties are matched to images by index, so an incomplete list is dropped.
    answers.certainty.retain(|values| values.len() == found);
    if found == images {
        Ok(answers)
    } else {
        let what = format!("it contains {found} of {}", count_with_noun(images, "image"));
        Err(damaged_table(path, &what))
    }
}

/// The test images of one task (from 1) and their selections of one prompt slot (from 1).
#[derive(Serialize, Deserialize)]
struct SlotRow {
    task: usize,
    slot: usize,
    images: usize,
    chosen: usize,
    right: usize,
}

/// Returns the text of `prompts/task_N.csv`.
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

/// Reads `prompts/task_N.csv` with this number of tasks.
pub(super) fn read_slots(bytes: &[u8], path: &Path, tasks: usize) -> Result<Vec<SlotCounts>> {
    let rows = from_csv::<SlotRow>(bytes, path)?;
    let damaged = || damaged_table(path, &format!("its rows do not form {tasks} × {tasks} slots"));
    if rows.len() != tasks * tasks {
        return Err(damaged());
    }
    let counts = |(task, rows): (usize, &[SlotRow])| {
        let mut counts = SlotCounts::zeros(0);
        for (slot, row) in rows.iter().enumerate() {
            let max_count = row.chosen.max(row.right);
            if (row.task, row.slot) != (task + 1, slot + 1) || max_count > row.images {
                return Err(damaged());
            }
            counts.images = row.images;
            counts.chosen.push(row.chosen);
            counts.right.push(row.right);
        }
        Ok(counts)
    };
    rows.chunks(tasks).enumerate().map(counts).collect()
}

/// Returns rows as CSV with a header line of the names of their fields.
pub(super) fn to_csv<R: Serialize>(rows: impl IntoIterator<Item = R>) -> Result<Vec<u8>> {
    write_csv(rows, true)
}

fn write_csv<R: Serialize>(rows: impl IntoIterator<Item = R>, header: bool) -> Result<Vec<u8>> {
    let failed = |error: &dyn Display| Problem::with_error("problem-run-table-unwritten", error);
    let mut writer = csv::WriterBuilder::new().has_headers(header).from_writer(Vec::new());
    for row in rows {
        writer.serialize(row).map_err(|error| failed(&error))?;
    }
    writer.into_inner().map_err(|error| failed(&error))
}

/// Returns text for a cell that a spreadsheet program does not evaluate: text that starts like a formula gets a leading
/// apostrophe.
pub fn escape_formula(text: &str) -> Cow<'_, str> {
    match text.starts_with(['=', '+', '-', '@', '\t', '\r', '\n']) {
        true => Cow::Owned(format!("'{text}")),
        false => Cow::Borrowed(text),
    }
}

/// Returns the original text of a cell written by [`escape_formula`].
pub fn unescape_formula(cell: &str) -> &str {
    let plain = cell.strip_prefix('\'');
    let unescaped = plain.filter(|plain| matches!(escape_formula(plain), Cow::Owned(_)));
    unescaped.unwrap_or(cell)
}

/// Reads the rows of a CSV with a header line.
pub(super) fn from_csv<R: for<'a> Deserialize<'a>>(bytes: &[u8], path: &Path) -> Result<Vec<R>> {
    let mut reader = csv::Reader::from_reader(bytes);
    let rows: std::result::Result<Vec<R>, _> = reader.deserialize().collect();
    rows.map_err(|error| unreadable_table(&error, path))
}

/// Returns the Problem for a table that the CSV library cannot read.
pub(super) fn unreadable_table(error: &csv::Error, path: &Path) -> Problem {
    let why = match error.kind() {
        csv::ErrorKind::UnequalLengths { expected_len, len, .. } => {
            format!("a row has {len} instead of {expected_len} cells")
        }
        csv::ErrorKind::Utf8 { .. } => "a row is not UTF-8 text".into(),
        _ => "a row has a missing or invalid cell".into(),
    };
    match error.position() {
        Some(position) => damaged_table(path, &format!("{why} (line {})", position.line())),
        None => damaged_table(path, &why),
    }
}

/// Returns the Problem for a row that cannot be deserialised, with the cell that is wrong.
pub(super) fn unreadable_row(
    error: &csv::Error,
    header: &csv::StringRecord,
    row: &csv::StringRecord,
    path: &Path,
) -> Problem {
    let index = match error.kind() {
        csv::ErrorKind::Deserialize { err, .. } => err.field().map(|field| field as usize),
        _ => None,
    };
    let cell = index.and_then(|index| Some((header.get(index)?, row.get(index)?)));
    let why = match cell {
        Some((name, "")) => format!("a row has no {name}"),
        Some((name, cell)) => format!("`{cell}` is not a valid {name}"),
        None => return unreadable_table(error, path),
    };
    damaged_table(path, &why)
}

/// Returns the Problem for an unreadable table of a run.
pub(super) fn damaged_table(path: &Path, why: &str) -> Problem {
    Problem::new(message!("problem-run-table-damaged", why))
        .at_path(path)
        .advise(message!("advice-restore-or-train-again"))
}
