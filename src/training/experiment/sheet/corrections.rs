//! A table read back, and the user's corrections in it.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::record;
use crate::files;
use crate::message;
use crate::problem::{Problem, Result};
use crate::store::{harmless_cell, plain_cell, write_with};

/// Larger files are not tables of predictions, in bytes.
const LARGEST: u64 = 1 << 30;

/// A row of a table.
#[derive(Clone, Debug, PartialEq)]
pub struct AnsweredPicture {
    /// Its path relative to the folder.
    pub path: PathBuf,
    /// The predicted class, or the nearest one if the prediction is none of the classes; `None` for an unreadable
    /// image.
    pub class: Option<String>,
    /// The score of the prediction.
    pub score: f32,
    /// The difference to the score of the second class.
    pub ahead: f32,
    /// Whether the prediction is none of the classes; `None` if that is not known.
    pub none_of_these: Option<bool>,
    /// Why it cannot be read.
    pub problem: Option<String>,
    /// Where it belongs after corrections.
    pub sorted: Sorted,
}

/// Where an image belongs.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Sorted {
    /// This class.
    As(String),
    /// None of the classes.
    NoneOfThese,
    /// It cannot be read.
    Unreadable,
}

/// The columns that are read.
#[derive(Deserialize)]
struct Line {
    image: String,
    class: String,
    score: Option<f32>,
    second_score: Option<f32>,
    none_of_these: Option<bool>,
    predicted: String,
    problem: String,
}

impl From<Line> for AnsweredPicture {
    fn from(line: Line) -> Self {
        let text = |cell: &str| Some(plain_cell(cell).to_string()).filter(|text| !text.is_empty());
        let score = line.score.unwrap_or_default();
        let (class, predicted) = (text(&line.class), text(&line.predicted));
        let is_known = line.none_of_these.is_some();
        let sorted = match (&class, &predicted) {
            (Some(class), _) if line.none_of_these != Some(true) => Sorted::As(class.clone()),
            (None, None) => Sorted::Unreadable,
            _ => Sorted::NoneOfThese,
        };
        Self {
            path: plain_cell(&line.image).into(),
            score,
            ahead: score - line.second_score.unwrap_or_default(),
            none_of_these: is_known.then_some(predicted.is_none() && class.is_some()),
            problem: text(&line.problem),
            sorted,
            class: predicted.or(class),
        }
    }
}

/// Reads the rows of a table.
///
/// # Errors
/// Returns a Problem if the file cannot be read, or is not such a table.
pub fn answered(csv: &Path) -> Result<Vec<AnsweredPicture>> {
    let text = text_of(csv)?;
    let mut reader = csv::Reader::from_reader(text.as_slice());
    let lines: std::result::Result<Vec<Line>, _> = reader.deserialize().collect();
    let lines = lines.map_err(|error| no_table(csv, &error))?;
    Ok(lines.into_iter().map(AnsweredPicture::from).collect())
}

/// Replaces the columns `class` and `none_of_these` by the user's corrections. The column `predicted` is unchanged.
///
/// # Errors
/// Returns a Problem if the file cannot be read or written, or has another number of images.
pub fn keep_sorted(csv: &Path, sorted: &[Sorted]) -> Result<()> {
    let text = text_of(csv)?;
    let mut reader = csv::Reader::from_reader(text.as_slice());
    let head = reader
        .headers()
        .map_err(|error| no_table(csv, &error))?
        .clone();
    let lines: std::result::Result<Vec<csv::StringRecord>, _> = reader.records().collect();
    let lines = lines.map_err(|error| no_table(csv, &error))?;
    if lines.len() != sorted.len() {
        return Err(Problem::new(message!("problem-table-images-changed"))
            .at_path(csv)
            .advise(message!("advice-predict-folder-again")));
    }
    let corrected = |cells: &csv::StringRecord, sorted: &Sorted| -> Vec<String> {
        let cells = head
            .iter()
            .zip(cells)
            .map(|(name, cell)| match (name, sorted) {
                ("class", Sorted::As(class)) => harmless_cell(class).into_owned(),
                ("none_of_these", Sorted::As(_)) if cell == "true" => "false".into(),
                ("none_of_these", Sorted::NoneOfThese) => "true".into(),
                _ => cell.to_string(),
            });
        cells.collect()
    };
    write_with(csv, |file| {
        let mut table = csv::Writer::from_writer(file);
        record(&mut table, csv, head.iter())?;
        for (cells, sorted) in lines.iter().zip(sorted) {
            record(&mut table, csv, corrected(cells, sorted))?;
        }
        table
            .flush()
            .map_err(|error| Problem::io("write the table", csv, &error))
    })
}

fn text_of(csv: &Path) -> Result<Vec<u8>> {
    files::read(csv, LARGEST).map_err(|error| Problem::io("read the table", csv, &error))
}

fn no_table(csv: &Path, error: &csv::Error) -> Problem {
    Problem::with_error("problem-no-prediction-table", error)
        .at_path(csv)
        .advise(message!("advice-predict-folder-again"))
}
