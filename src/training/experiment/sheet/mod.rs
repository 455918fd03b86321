//! Tables of predictions for all images of a folder: a line per image, for spreadsheets.
//!
//! Images are decoded in batches, one ahead of the batch being predicted. The caller computes the predictions: the
//! command line directly, the engine between two training batches.

mod columns;
mod corrections;

use std::io::Write;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use rayon::prelude::*;

use super::prefetch::one_ahead;
use crate::data::Watch;
use crate::data::listing::{Below, pictures_below};
use crate::data::loader::input_of;
use crate::message;
use crate::method::Answer;
use crate::problem::{Problem, Result};
use crate::run::sheet::SheetCount;
use crate::store::{harmless_cell, write_with};

pub use columns::Columns;
pub use corrections::{AnsweredPicture, Sorted, answered, keep_sorted};

/// Predicts images (network input, concatenated); returns one answer per image.
pub type Ask<'a> = dyn FnMut(Vec<u8>) -> Result<Vec<Answer>> + 'a;
/// Receives the progress of the table; stops it by breaking.
pub type Step<'a> = dyn FnMut(SheetCount) -> ControlFlow<()> + 'a;

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
    fn pictures(&self) -> Result<Vec<Below>> {
        let named = self.only.iter().map(|path| Below {
            path: path.clone(),
            reason: None,
        });
        match self.only.is_empty() {
            true => pictures_below(self.folder, &Watch::none()),
            false => Ok(named.collect()),
        }
    }
}

/// Writes the table of these images, completely or not at all. Returns their number; `None` if `step` stopped it.
///
/// # Errors
/// Returns a Problem if the folder cannot be read, the table cannot be written, or `ask` fails.
pub fn fill(
    columns: &Columns,
    asked: ImageSelection<'_>,
    csv: &Path,
    ask: &mut Ask<'_>,
    step: &mut Step<'_>,
) -> Result<Option<SheetCount>> {
    let (folder, pictures) = (asked.folder, asked.pictures()?);
    if pictures.is_empty() {
        return Err(Problem::new(message!("problem-no-image-in-folder"))
            .at_path(folder)
            .advise(message!("advice-choose-image-folder")));
    }
    let mut count = SheetCount {
        of: pictures.len(),
        ..SheetCount::default()
    };
    if step(count).is_break() {
        return Ok(None);
    }
    let mut stopped = false;
    let written = write_with(csv, |file| {
        let mut table = csv::Writer::from_writer(file);
        record(&mut table, csv, columns.head())?;
        let ready = |piece| decoded(columns, folder, piece);
        let ended = one_ahead(pictures.chunks(columns.piece), ready, |(rows, seen)| {
            let verdicts = match seen.is_empty() {
                true => Vec::new(),
                false => ask(seen)?,
            };
            lines(&mut table, csv, columns, rows, verdicts, &mut count)?;
            Ok(step(count))
        })?;
        if ended.is_break() {
            stopped = true;
            return Err(Problem::new(message!("problem-table-stopped")));
        }
        table
            .flush()
            .map_err(|error| Problem::io("write the table", csv, &error))
    });
    match written {
        Err(_) if stopped => Ok(None),
        Err(problem) => Err(problem),
        Ok(()) => Ok(Some(count)),
    }
}

/// Decodes the images of a batch on all cores.
fn decoded(columns: &Columns, folder: &Path, piece: &[Below]) -> (Vec<Row>, Vec<u8>) {
    let row = |below: &Below| -> (Row, Vec<u8>) {
        let path = below.path.clone();
        if let Some(reason) = &below.reason {
            return ((path, Some(reason.english.clone())), Vec::new());
        }
        let mut seen = vec![0; columns.input.bytes()];
        let path_there = folder.join(&path);
        match input_of(&path_there, columns.bit_depth, columns.input, &mut seen) {
            Ok(()) => ((path, None), seen),
            Err(problem) => ((path, Some(problem.what)), Vec::new()),
        }
    };
    let (rows, seen): (Vec<Row>, Vec<Vec<u8>>) = piece.par_iter().map(row).unzip();
    (rows, seen.concat())
}

/// Writes the lines of a batch.
fn lines<W: Write>(
    table: &mut csv::Writer<W>,
    csv: &Path,
    columns: &Columns,
    rows: Vec<Row>,
    verdicts: Vec<Answer>,
    count: &mut SheetCount,
) -> Result<()> {
    let mut verdicts = verdicts.into_iter();
    for (path, reason) in rows {
        let cells = match reason {
            Some(reason) => {
                count.unreadable += 1;
                columns.unanswered(&reason)
            }
            None => {
                let verdict = verdicts.next();
                let verdict =
                    verdict.ok_or_else(|| Problem::new(message!("problem-too-few-predictions")))?;
                columns.answered(&verdict)
            }
        };
        count.done += 1;
        let path = harmless_cell(&path.to_string_lossy()).into_owned();
        record(table, csv, std::iter::once(path).chain(cells))?;
    }
    Ok(())
}

fn record<W: Write>(
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
            piece: 2,
            threshold: Some(-2.5),
            all: true,
        }
    }

    fn predict(seen: &[u8]) -> Vec<Answer> {
        seen.chunks(8 * 8 * 3)
            .map(|_| Answer::alone(Expert::ANSWER, &[2.0, 0.0]))
            .collect()
    }

    fn folder(pictures: &[&str]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        for name in pictures {
            let picture = image::RgbImage::new(9, 9);
            picture.save(folder.path().join(name)).unwrap();
        }
        folder
    }

    fn all(folder: &Path) -> ImageSelection<'_> {
        ImageSelection { folder, only: &[] }
    }

    fn filled(folder: &Path, csv: &Path) -> (Result<Option<SheetCount>>, Vec<usize>) {
        let mut asked = Vec::new();
        let mut ask = |seen: Vec<u8>| {
            let answers = predict(&seen);
            asked.push(answers.len());
            Ok(answers)
        };
        let ended = fill(&columns(), all(folder), csv, &mut ask, &mut |_| {
            ControlFlow::Continue(())
        });
        (ended, asked)
    }

    #[test]
    fn every_picture_has_a_line_and_no_cell_is_a_formula() {
        let pictures = folder(&["+a.png", "b.png", "c.png", "e.png"]);
        std::fs::write(pictures.path().join("d.png"), "no picture").unwrap();
        let csv = pictures.path().join("table.csv");
        let (count, asked) = filled(pictures.path(), &csv);
        let count = count.unwrap().unwrap();
        assert_eq!((count.done, count.unreadable, count.of), (5, 1, 5));
        assert_eq!(asked, [2, 1, 1]);
        let text = std::fs::read_to_string(&csv).unwrap();
        let rows: Vec<&str> = text.lines().collect();
        assert_eq!(rows.len(), 6);
        assert!(rows[0].starts_with(
            "image,class,score,second_class,second_score,none_of_these,predicted,problem,decided_by,"
        ));
        let (said, strange) = ("'=cmd,0.880797,b,0.119203,true,,", "-2.1269,-2.5000");
        let start = format!("'+a.png,{said},answer,{strange},'=cmd,0.880797,-2.1269,");
        assert!(rows[1].starts_with(&start), "{}", rows[1]);
        assert!(
            rows[4].starts_with("d.png,,") && rows[4].len() > 40,
            "{}",
            rows[4]
        );
        let cells = |row: &str| row.matches(',').count();
        assert!(
            rows.iter().all(|row| cells(row) == cells(rows[0])),
            "{text}"
        );
    }

    #[test]
    fn chosen_pictures_alone_are_answered_and_sorted_by_a_person() {
        let pictures = folder(&["a.png", "b.png", "=c.png"]);
        let csv = pictures.path().join("table.csv");
        let only = ["=c.png".into(), "a.png".into()];
        let asked = ImageSelection {
            folder: pictures.path(),
            only: &only,
        };
        let mut answer = |seen: Vec<u8>| Ok(predict(&seen));
        let mut on = |_| ControlFlow::Continue(());
        let count = fill(&columns(), asked, &csv, &mut answer, &mut on);
        assert_eq!(count.unwrap().unwrap().done, 2);
        let read = answered(&csv).unwrap();
        assert_eq!(
            (read[0].path.as_path(), read.len()),
            (Path::new("=c.png"), 2)
        );
        assert_eq!(read[0].class.as_deref(), Some("=cmd"));
        assert_eq!(read[0].none_of_these, Some(true));
        assert!((read[0].ahead - 0.761_594).abs() < 1e-5 && read[0].sorted == Sorted::NoneOfThese);
        let sorted = [
            Sorted::As("=cmd".into()),
            Sorted::As("b".into()),
            Sorted::NoneOfThese,
        ];
        for pair in sorted.windows(2) {
            keep_sorted(&csv, pair).unwrap();
            for (was, now) in read.iter().zip(answered(&csv).unwrap()) {
                assert!(pair.contains(&now.sorted), "{:?}", now.sorted);
                // The prediction remains.
                assert_eq!(now.none_of_these, was.none_of_these);
            }
        }
        let text = std::fs::read_to_string(&csv).unwrap();
        assert_eq!(text.lines().nth(1).unwrap().split(',').nth(1), Some("b"));
        assert!(keep_sorted(&csv, &sorted[..1]).is_err());
    }

    #[test]
    fn without_a_threshold_nobody_says_what_is_none_of_these() {
        let verdict = Answer::alone(Expert::ANSWER, &[2.0, 0.0]);
        let strange = |threshold| {
            let columns = Columns {
                threshold,
                ..columns()
            };
            let at = columns
                .head()
                .iter()
                .position(|head| head == "none_of_these");
            // The path precedes the cells.
            let cells = columns.answered(&verdict);
            cells[at.unwrap() - 1..][..2].to_vec()
        };
        assert_eq!(strange(None), ["", "'=cmd"]);
        assert_eq!(strange(Some(-2.0)), ["false", "'=cmd"]);
        assert_eq!(strange(Some(-2.5)), ["true", ""]);
    }

    #[test]
    fn what_is_stopped_or_fails_leaves_the_older_table() {
        let pictures = folder(&["a.png", "b.png", "c.png"]);
        let elsewhere = tempfile::tempdir().unwrap();
        let csv = elsewhere.path().join("table.csv");
        std::fs::write(&csv, "older").unwrap();
        let mut stop = |count: SheetCount| match count.done {
            0 => ControlFlow::Continue(()),
            _ => ControlFlow::Break(()),
        };
        let asked = all(pictures.path());
        let mut answer = |seen: Vec<u8>| Ok(predict(&seen));
        let ended = fill(&columns(), asked, &csv, &mut answer, &mut stop);
        assert_eq!(ended.unwrap(), None);
        let mut on = |_| ControlFlow::Continue(());
        let failed = fill(
            &columns(),
            asked,
            &csv,
            &mut |_| Err(Problem::new("lost")),
            &mut on,
        );
        assert_eq!(failed.unwrap_err().what, "lost");
        assert_eq!(std::fs::read_to_string(&csv).unwrap(), "older");
        assert_eq!(std::fs::read_dir(elsewhere.path()).unwrap().count(), 1);
        // If the table cannot be created, nothing is predicted.
        let nowhere = elsewhere.path().join("no/table.csv");
        let (ended, asked) = filled(pictures.path(), &nowhere);
        assert!(ended.is_err() && asked.is_empty());
        assert!(
            filled(elsewhere.path(), &csv)
                .0
                .unwrap_err()
                .is("problem-no-image-in-folder")
        );
    }
}
