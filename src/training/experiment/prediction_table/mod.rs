//! Tables of predictions for all images of a folder: a row per image, for spreadsheets.
//!
//! Images are decoded in batches, one ahead of the batch being predicted. The caller computes the predictions: the
//! command line directly, the engine between two training batches.

mod columns;
mod corrections;

use std::io::Write;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use rayon::prelude::*;

use super::prefetch::process_with_prefetch;
use crate::data::ProgressReporter;
use crate::data::listing::{FolderImage, list_images};
use crate::data::loader::write_file_input;
use crate::message;
use crate::method::Answer;
use crate::problem::{Problem, Result};
use crate::run::prediction_table::PredictionTableCount;
use crate::store::{escape_formula, write_with};

pub use columns::Columns;
pub use corrections::{Assignment, PredictedImage, read_predictions, save_corrections};

/// Predicts images (network input, concatenated); returns one answer per image.
pub type PredictBatch<'a> = dyn FnMut(Vec<u8>) -> Result<Vec<Answer>> + 'a;
/// Receives the progress of the table; stops it by breaking.
pub type ReportProgress<'a> = dyn FnMut(PredictionTableCount) -> ControlFlow<()> + 'a;

/// An image of a batch: its path, and the reason if it cannot be read.
type Row = (PathBuf, Option<String>);

/// The images to predict.
#[derive(Clone, Copy, Debug)]
pub struct ImageSelection<'a> {
    /// The folder that contains them, directly or in subfolders.
    pub folder: &'a Path,
    /// Only these images, by paths relative to the folder; empty for all.
    pub only: &'a [PathBuf],
}

impl ImageSelection<'_> {
    fn list_images(&self) -> Result<Vec<FolderImage>> {
        let selected =
            self.only.iter().map(|path| FolderImage { path: path.clone(), reason: None });
        match self.only.is_empty() {
            true => list_images(self.folder, &ProgressReporter::silent()),
            false => Ok(selected.collect()),
        }
    }
}

/// Writes the table of these images, completely or not at all. Returns their number; `None` if the callback stopped it.
///
/// # Errors
/// Returns a Problem if the folder cannot be read, the table cannot be written, or `predict` fails.
pub fn write_table(
    columns: &Columns,
    selection: ImageSelection<'_>,
    csv: &Path,
    predict: &mut PredictBatch<'_>,
    report_progress: &mut ReportProgress<'_>,
) -> Result<Option<PredictionTableCount>> {
    let (folder, images) = (selection.folder, selection.list_images()?);
    if images.is_empty() {
        return Err(Problem::new(message!("problem-no-image-in-folder"))
            .at_path(folder)
            .advise(message!("advice-choose-image-folder")));
    }
    let mut count = PredictionTableCount { of: images.len(), ..PredictionTableCount::default() };
    if report_progress(count).is_break() {
        return Ok(None);
    }
    let mut stopped = false;
    let result = write_with(csv, |file| {
        let mut table = csv::Writer::from_writer(file);
        write_record(&mut table, csv, columns.header())?;
        let decode = |batch| decode_batch(columns, folder, batch);
        let flow =
            process_with_prefetch(images.chunks(columns.batch_size), decode, |(rows, inputs)| {
                let verdicts = match inputs.is_empty() {
                    true => Vec::new(),
                    false => predict(inputs)?,
                };
                write_rows(&mut table, csv, columns, rows, verdicts, &mut count)?;
                Ok(report_progress(count))
            })?;
        if flow.is_break() {
            stopped = true;
            return Err(Problem::new(message!("problem-table-stopped")));
        }
        table.flush().map_err(|error| Problem::io("write the table", csv, &error))
    });
    match result {
        Err(_) if stopped => Ok(None),
        Err(problem) => Err(problem),
        Ok(()) => Ok(Some(count)),
    }
}

/// Decodes the images of a batch on all cores.
fn decode_batch(columns: &Columns, folder: &Path, batch: &[FolderImage]) -> (Vec<Row>, Vec<u8>) {
    let decode_image = |below: &FolderImage| -> (Row, Vec<u8>) {
        let path = below.path.clone();
        if let Some(reason) = &below.reason {
            return ((path, Some(reason.english.clone())), Vec::new());
        }
        let mut input = vec![0; columns.input.bytes()];
        let full_path = folder.join(&path);
        match write_file_input(&full_path, columns.bit_depth, columns.input, &mut input) {
            Ok(()) => ((path, None), input),
            Err(problem) => ((path, Some(problem.what)), Vec::new()),
        }
    };
    let (rows, inputs): (Vec<Row>, Vec<Vec<u8>>) = batch.par_iter().map(decode_image).unzip();
    (rows, inputs.concat())
}

/// Writes the rows of a batch.
fn write_rows<W: Write>(
    table: &mut csv::Writer<W>,
    csv: &Path,
    columns: &Columns,
    rows: Vec<Row>,
    verdicts: Vec<Answer>,
    count: &mut PredictionTableCount,
) -> Result<()> {
    let mut verdicts = verdicts.into_iter();
    for (path, reason) in rows {
        let cells = match reason {
            Some(reason) => {
                count.unreadable += 1;
                columns.error_cells(&reason)
            }
            None => {
                let verdict = verdicts.next();
                let verdict =
                    verdict.ok_or_else(|| Problem::new(message!("problem-too-few-predictions")))?;
                columns.prediction_cells(&verdict)
            }
        };
        count.done += 1;
        let path = escape_formula(&path.to_string_lossy()).into_owned();
        write_record(table, csv, std::iter::once(path).chain(cells))?;
    }
    Ok(())
}

fn write_record<W: Write>(
    table: &mut csv::Writer<W>,
    csv: &Path,
    cells: impl IntoIterator<Item = impl AsRef<[u8]>>,
) -> Result<()> {
    table.write_record(cells).map_err(|error| {
        let error = match error.into_kind() {
            csv::ErrorKind::Io(error) => error,
            other => std::io::Error::other(format!("{other:?}")),
        };
        Problem::io("write the table", csv, &error)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::transform::InputSpec;
    use crate::metrics::Expert;

    fn columns() -> Columns {
        Columns {
            experts: vec![Expert::ANSWER],
            classes: vec!["=cmd".into(), "b".into()],
            input: InputSpec::new(8, 1.0),
            bit_depth: 16,
            batch_size: 2,
            threshold: Some(-2.5),
            all_columns: true,
        }
    }

    fn predict(inputs: &[u8]) -> Vec<Answer> {
        inputs.chunks(8 * 8 * 3).map(|_| Answer::from_logits(Expert::ANSWER, &[2.0, 0.0])).collect()
    }

    fn folder(names: &[&str]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        for name in names {
            let image = image::RgbImage::new(9, 9);
            image.save(folder.path().join(name)).unwrap();
        }
        folder
    }

    fn select_all(folder: &Path) -> ImageSelection<'_> {
        ImageSelection { folder, only: &[] }
    }

    fn write_all(folder: &Path, csv: &Path) -> (Result<Option<PredictionTableCount>>, Vec<usize>) {
        let mut batch_sizes = Vec::new();
        let mut predict_batch = |inputs: Vec<u8>| {
            let answers = predict(&inputs);
            batch_sizes.push(answers.len());
            Ok(answers)
        };
        let result =
            write_table(&columns(), select_all(folder), csv, &mut predict_batch, &mut |_| {
                ControlFlow::Continue(())
            });
        (result, batch_sizes)
    }

    #[test]
    fn every_image_has_row_and_formulas_are_escaped() {
        let images = folder(&["+a.png", "b.png", "c.png", "e.png"]);
        std::fs::write(images.path().join("d.png"), "no picture").unwrap();
        let csv = images.path().join("table.csv");
        let (count, batch_sizes) = write_all(images.path(), &csv);
        let count = count.unwrap().unwrap();
        assert_eq!((count.done, count.unreadable, count.of), (5, 1, 5));
        assert_eq!(batch_sizes, [2, 1, 1]);
        let text = std::fs::read_to_string(&csv).unwrap();
        let rows: Vec<&str> = text.lines().collect();
        assert_eq!(rows.len(), 6);
        assert!(rows[0].starts_with(
            "image,class,score,second_class,second_score,none_of_these,predicted,problem,decided_by,"
        ));
        let (prediction, score_cells) = ("'=cmd,0.880797,b,0.119203,true,,", "-2.1269,-2.5000");
        let start = format!("'+a.png,{prediction},answer,{score_cells},'=cmd,0.880797,-2.1269,");
        assert!(rows[1].starts_with(&start), "{}", rows[1]);
        assert!(rows[4].starts_with("d.png,,") && rows[4].len() > 40, "{}", rows[4]);
        let cells = |row: &str| row.matches(',').count();
        assert!(rows.iter().all(|row| cells(row) == cells(rows[0])), "{text}");
    }

    #[test]
    fn only_selected_images_are_predicted_and_corrections_are_saved() {
        let images = folder(&["a.png", "b.png", "=c.png"]);
        let csv = images.path().join("table.csv");
        let only = ["=c.png".into(), "a.png".into()];
        let selection = ImageSelection { folder: images.path(), only: &only };
        let mut predict_batch = |inputs: Vec<u8>| Ok(predict(&inputs));
        let mut keep_going = |_| ControlFlow::Continue(());
        let count = write_table(&columns(), selection, &csv, &mut predict_batch, &mut keep_going);
        assert_eq!(count.unwrap().unwrap().done, 2);
        let rows = read_predictions(&csv).unwrap();
        assert_eq!((rows[0].path.as_path(), rows.len()), (Path::new("=c.png"), 2));
        assert_eq!(rows[0].class.as_deref(), Some("=cmd"));
        assert_eq!(rows[0].none_of_these, Some(true));
        assert!(
            (rows[0].margin - 0.761_594).abs() < 1e-5
                && rows[0].assignment == Assignment::NoneOfThese
        );
        let assignments =
            [Assignment::As("=cmd".into()), Assignment::As("b".into()), Assignment::NoneOfThese];
        for pair in assignments.windows(2) {
            save_corrections(&csv, pair).unwrap();
            for (before, after) in rows.iter().zip(read_predictions(&csv).unwrap()) {
                assert!(pair.contains(&after.assignment), "{:?}", after.assignment);
                // The prediction remains.
                assert_eq!(after.none_of_these, before.none_of_these);
            }
        }
        let text = std::fs::read_to_string(&csv).unwrap();
        assert_eq!(text.lines().nth(1).unwrap().split(',').nth(1), Some("b"));
        assert!(save_corrections(&csv, &assignments[..1]).is_err());
    }

    #[test]
    fn none_of_these_is_empty_without_threshold() {
        let verdict = Answer::from_logits(Expert::ANSWER, &[2.0, 0.0]);
        let cells_for = |threshold| {
            let columns = Columns { threshold, ..columns() };
            let at = columns.header().iter().position(|head| head == "none_of_these");
            // The path precedes the cells.
            let cells = columns.prediction_cells(&verdict);
            cells[at.unwrap() - 1..][..2].to_vec()
        };
        assert_eq!(cells_for(None), ["", "'=cmd"]);
        assert_eq!(cells_for(Some(-2.0)), ["false", "'=cmd"]);
        assert_eq!(cells_for(Some(-2.5)), ["true", ""]);
    }

    #[test]
    fn corrections_leave_unknown_rejections_unknown() {
        let folder = tempfile::tempdir().unwrap();
        let csv = folder.path().join("table.csv");
        let head = "image,class,score,second_score,none_of_these,predicted,problem";
        std::fs::write(&csv, format!("{head}\na.png,b,0.9,0.1,,b,\nc.png,b,0.9,0.1,,b,\n"))
            .unwrap();
        for first in [Assignment::NoneOfThese, Assignment::As("b".into())] {
            let assignments = [first, Assignment::As("b".into())];
            save_corrections(&csv, &assignments).unwrap();
            let rows = read_predictions(&csv).unwrap();
            for (row, assignment) in rows.iter().zip(assignments) {
                assert_eq!((row.none_of_these, &row.assignment), (None, &assignment));
            }
        }
    }

    #[test]
    fn second_class_differs_from_predicted_class() {
        let mut verdict = Answer::from_logits(Expert::ANSWER, &[2.0, 0.0]);
        verdict.predictions[0].class = 1;
        let cells = columns().prediction_cells(&verdict);
        assert_eq!(cells[..4], ["b", "0.119203", "'=cmd", "0.880797"]);
    }

    #[test]
    fn stopped_or_failed_table_preserves_old_file() {
        let images = folder(&["a.png", "b.png", "c.png"]);
        let elsewhere = tempfile::tempdir().unwrap();
        let csv = elsewhere.path().join("table.csv");
        std::fs::write(&csv, "older").unwrap();
        let mut stop = |count: PredictionTableCount| match count.done {
            0 => ControlFlow::Continue(()),
            _ => ControlFlow::Break(()),
        };
        let selection = select_all(images.path());
        let mut predict_batch = |inputs: Vec<u8>| Ok(predict(&inputs));
        let result = write_table(&columns(), selection, &csv, &mut predict_batch, &mut stop);
        assert_eq!(result.unwrap(), None);
        let mut keep_going = |_| ControlFlow::Continue(());
        let failed = write_table(
            &columns(),
            selection,
            &csv,
            &mut |_| Err(Problem::new("lost")),
            &mut keep_going,
        );
        assert_eq!(failed.unwrap_err().what, "lost");
        assert_eq!(std::fs::read_to_string(&csv).unwrap(), "older");
        assert_eq!(std::fs::read_dir(elsewhere.path()).unwrap().count(), 1);
        // If the table cannot be created, nothing is predicted.
        let nowhere = elsewhere.path().join("no/table.csv");
        let (result, batch_sizes) = write_all(images.path(), &nowhere);
        assert!(result.is_err() && batch_sizes.is_empty());
        assert!(write_all(elsewhere.path(), &csv).0.unwrap_err().is("problem-no-image-in-folder"));
    }
}
