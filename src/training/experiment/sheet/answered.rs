//! A table read back, to be looked at, and the user's own labels in a last column.

use std::path::{Path, PathBuf};

use serde::Deserialize;

use super::record;
use crate::files;
use crate::message;
use crate::problem::{Problem, Result};
use crate::store::{harmless_cell, plain_cell, write_with};

/// The column in which the user says what an image is.
const SORTED_AS: &str = "sorted_as";
/// Its value for an image that is none of the classes.
const NONE_OF_THESE: &str = "none_of_these";
/// A table with more bytes than this is none of these tables.
const MOST: u64 = 1 << 30;

/// What a table says of an image.
#[derive(Clone, Debug, PartialEq)]
pub struct AnsweredPicture {
    /// Its path from the folder.
    pub path: PathBuf,
    /// The answer; `None` for an image that cannot be read.
    pub class: Option<String>,
    /// The score of the answer.
    pub score: f32,
    /// How far the score is ahead of the next class's.
    pub ahead: f32,
    /// Whether it is none of the classes; `None` if that is not known.
    pub none_of_these: Option<bool>,
    /// From where on it is none of them.
    pub threshold: Option<f32>,
    /// Why it cannot be read.
    pub problem: Option<String>,
    /// The class that the user gave it.
    pub sorted_as: Option<String>,
}

/// A line of a table, as far as it is read.
#[derive(Deserialize)]
struct Line {
    picture: String,
    class: String,
    score: Option<f32>,
    none_of_these: Option<bool>,
    threshold: Option<f32>,
    top_2_score: Option<f32>,
    problem: String,
    #[serde(default)]
    sorted_as: String,
}

impl From<Line> for AnsweredPicture {
    fn from(line: Line) -> Self {
        let text = |cell: &str| Some(plain_cell(cell).to_string()).filter(|text| !text.is_empty());
        let score = line.score.unwrap_or_default();
        Self {
            path: plain_cell(&line.picture).into(),
            class: text(&line.class),
            score,
            ahead: score - line.top_2_score.unwrap_or_default(),
            none_of_these: line.none_of_these,
            threshold: line.threshold,
            problem: text(&line.problem),
            sorted_as: text(&line.sorted_as),
        }
    }
}

/// The value in the column of [`keep_sorted`] for an image that is none of these classes: `none_of_these`, with a `_`
/// behind it where a class has that name.
pub fn none_of_these(classes: &[String]) -> String {
    let mut mark = NONE_OF_THESE.to_string();
    while classes.contains(&mark) {
        mark.push('_');
    }
    mark
}

/// What a table says of its images, in their order there.
///
/// # Errors
/// The file cannot be read, or is no such table.
pub fn answered(csv: &Path) -> Result<Vec<AnsweredPicture>> {
    let text = text_of(csv)?;
    let mut reader = csv::Reader::from_reader(text.as_slice());
    let lines: std::result::Result<Vec<Line>, _> = reader.deserialize().collect();
    let lines = lines.map_err(|error| no_table(csv, &error))?;
    Ok(lines.into_iter().map(AnsweredPicture::from).collect())
}

/// Rewrites the table with the class that the user gave each image, in a last column; empty for one of which nothing
/// is said.
///
/// # Errors
/// The file cannot be read or written, or has another number of images.
pub fn keep_sorted(csv: &Path, sorted: &[String]) -> Result<()> {
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
    let before: Vec<String> = head
        .iter()
        .take_while(|name| *name != SORTED_AS)
        .map(str::to_string)
        .collect();
    let whole = |cells: &csv::StringRecord, last: &str| -> Vec<String> {
        let cells = cells.iter().take(before.len()).map(str::to_string);
        let last = harmless_cell(last).into_owned();
        cells.chain([last]).collect()
    };
    write_with(csv, |file| {
        let mut table = csv::Writer::from_writer(file);
        record(&mut table, csv, whole(&head, SORTED_AS))?;
        for (cells, class) in lines.iter().zip(sorted) {
            record(&mut table, csv, whole(cells, class))?;
        }
        table
            .flush()
            .map_err(|error| Problem::io("write the table", csv, &error))
    })
}

fn text_of(csv: &Path) -> Result<Vec<u8>> {
    files::read(csv, MOST).map_err(|error| Problem::io("read the table", csv, &error))
}

fn no_table(csv: &Path, error: &csv::Error) -> Problem {
    Problem::new(message!(
        "problem-no-prediction-table",
        error = error.to_string()
    ))
    .at_path(csv)
    .advise(message!("advice-predict-folder-again"))
}
