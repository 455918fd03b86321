//! A table read back, and the user's corrections in it.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::write_record;
use crate::files;
use crate::message;
use crate::problem::{Problem, Result};
use crate::store::{escape_formula, unescape_formula, write_with};

/// Larger files are not tables of predictions, in bytes.
const MAX_BYTES: u64 = 1 << 30;

/// A row of a table.
#[derive(Clone, Debug, PartialEq)]
pub struct PredictedImage {
    /// Its path relative to the folder.
    pub path: PathBuf,
    /// The predicted class, or the nearest one if the prediction is none of the classes; `None` for an unreadable
    /// image.
    pub class: Option<String>,
    /// The score of the prediction.
    pub score: f32,
    /// The difference to the score of the second class.
    pub margin: f32,
    /// Whether the prediction is none of the classes; `None` if that is not known.
    pub none_of_these: Option<bool>,
    /// Why it cannot be read.
    pub problem: Option<String>,
    /// Where it belongs after corrections.
    pub assignment: Assignment,
}

/// Where an image belongs.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Assignment {
    /// This class.
    As(String),
    /// None of the classes.
    NoneOfThese,
    /// It cannot be read.
    Unreadable,
}

/// The columns that are read.
#[derive(Deserialize)]
struct TableRow {
    image: String,
    class: String,
    score: Option<f32>,
    second_score: Option<f32>,
    none_of_these: Option<bool>,
    predicted: String,
    problem: String,
}

impl TableRow {
    /// Returns the image of the row. `has_rejection` says whether the predictor could predict none of the classes.
    fn into_image(self, has_rejection: bool) -> PredictedImage {
        let text =
            |cell: &str| Some(unescape_formula(cell).to_string()).filter(|text| !text.is_empty());
        let score = self.score.unwrap_or_default();
        let (class, predicted) = (text(&self.class), text(&self.predicted));
        let is_known = has_rejection && self.none_of_these.is_some();
        let assignment = match (&class, &predicted) {
            (Some(class), _) if self.none_of_these != Some(true) => Assignment::As(class.clone()),
            (None, None) => Assignment::Unreadable,
            _ => Assignment::NoneOfThese,
        };
        PredictedImage {
            path: unescape_formula(&self.image).into(),
            score,
            margin: score - self.second_score.unwrap_or_default(),
            none_of_these: is_known.then_some(predicted.is_none() && class.is_some()),
            problem: text(&self.problem),
            assignment,
            class: predicted.or(class),
        }
    }
}

/// Reads the rows of a table.
///
/// # Errors
/// Returns a Problem if the file cannot be read, or is not such a table.
pub fn read_predictions(csv: &Path) -> Result<Vec<PredictedImage>> {
    let text = read_table(csv)?;
    let mut reader = csv::Reader::from_reader(text.as_slice());
    let rows: std::result::Result<Vec<TableRow>, _> = reader.deserialize().collect();
    let rows = rows.map_err(|error| invalid_table_problem(csv, &error))?;
    // Without a threshold, the column is empty except for the user's corrections.
    let mut readable = rows.iter().filter(|row| row.problem.is_empty());
    let has_rejection = readable.all(|row| row.none_of_these.is_some());
    Ok(rows.into_iter().map(|row| row.into_image(has_rejection)).collect())
}

/// Replaces the columns `class` and `none_of_these` by the user's corrections. The column `predicted` is unchanged.
///
/// # Errors
/// Returns a Problem if the file cannot be read or written, or has another number of images.
pub fn save_corrections(csv: &Path, assignments: &[Assignment]) -> Result<()> {
    let text = read_table(csv)?;
    let mut reader = csv::Reader::from_reader(text.as_slice());
    let headers = reader.headers().map_err(|error| invalid_table_problem(csv, &error))?.clone();
    let records: std::result::Result<Vec<csv::StringRecord>, _> = reader.records().collect();
    let records = records.map_err(|error| invalid_table_problem(csv, &error))?;
    if records.len() != assignments.len() {
        return Err(Problem::new(message!("problem-table-images-changed"))
            .at_path(csv)
            .advise(message!("advice-predict-folder-again")));
    }
    let apply_correction = |cells: &csv::StringRecord, assignment: &Assignment| -> Vec<String> {
        let cells = headers.iter().zip(cells).map(|(name, cell)| match (name, assignment) {
            ("class", Assignment::As(class)) => escape_formula(class).into_owned(),
            ("none_of_these", Assignment::As(_)) if cell == "true" => "false".into(),
            ("none_of_these", Assignment::NoneOfThese) => "true".into(),
            _ => cell.to_string(),
        });
        cells.collect()
    };
    write_with(csv, |file| {
        let mut table = csv::Writer::from_writer(file);
        write_record(&mut table, csv, headers.iter())?;
        for (cells, assignment) in records.iter().zip(assignments) {
            write_record(&mut table, csv, apply_correction(cells, assignment))?;
        }
        table.flush().map_err(|error| Problem::io("write the table", csv, &error))
    })
}

fn read_table(csv: &Path) -> Result<Vec<u8>> {
    files::read(csv, MAX_BYTES).map_err(|error| Problem::io("read the table", csv, &error))
}

fn invalid_table_problem(csv: &Path, error: &csv::Error) -> Problem {
    Problem::with_error("problem-no-prediction-table", error)
        .at_path(csv)
        .advise(message!("advice-predict-folder-again"))
}
