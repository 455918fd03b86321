//! `predict --folder`: predicts every image of a folder into a table.

use std::io::IsTerminal;
use std::path::Path;

use serde::Serialize;

use super::End;
use super::output::{Json, pass_on, say, tell};
use super::signals::{step_of, stop_on_ctrl_c};
use crate::counts::counted;
use crate::experiment::predict::Predictor;
use crate::experiment::sheet::{self, Columns, SheetBatch, fill};
use crate::files;
use crate::problem::{Problem, Result};
use crate::run::sheet::SheetCount;

/// The JSON of a table.
#[derive(Serialize)]
struct Written {
    csv: String,
    pictures: usize,
    unreadable: usize,
    task: usize,
}

/// Refuses what cannot be written, before anything is opened.
pub(super) fn check(csv: &Path, json: &Json) -> Result<()> {
    if csv == Path::new("-") && json.json.is_some() {
        return Err(
            Problem::new("--json cannot be used with a table on standard output")
                .advise("give --csv a file, or omit --json"),
        );
    }
    Ok(())
}

/// The snapshot that predicts, and the columns of the table.
type Asked<'a> = (&'a Predictor, Columns);

/// Writes the table, to standard output when it is to go to `-`.
pub(super) fn run(asked: Asked<'_>, folder: &Path, csv: &Path, json: &Json) -> Result<End> {
    if csv == Path::new("-") {
        to_stdout(asked, folder)
    } else {
        to_file(asked, folder, csv, json)
    }
}

fn to_file(asked: Asked<'_>, folder: &Path, csv: &Path, json: &Json) -> Result<End> {
    let task = asked.0.task() + 1;
    let Some(count) = table(asked, folder, csv)? else {
        return Ok(End::Stopped);
    };
    let written = Written {
        csv: csv.display().to_string(),
        pictures: count.of,
        unreadable: count.unreadable,
        task,
    };
    let pictures = counted(count.of, "image");
    let text = format!("{pictures} classified in {}\n", csv.display());
    json.give(&written, &text)?;
    Ok(End::Done)
}

/// Whole or not at all there, too.
fn to_stdout(asked: Asked<'_>, folder: &Path) -> Result<End> {
    let unwritable = |error| Problem::io("store the table", std::env::temp_dir(), &error);
    let kept = tempfile::tempdir().map_err(unwritable)?;
    let csv = kept.path().join("table.csv");
    if table(asked, folder, &csv)?.is_none() {
        return Ok(End::Stopped);
    }
    if std::io::stdout().is_terminal() {
        // Names of files must not act on it.
        say(&files::read_text(&csv, u64::MAX).map_err(unwritable)?)?;
    } else {
        pass_on(&mut files::open(&csv).map_err(unwritable)?)?;
    }
    Ok(End::Done)
}

/// Writes the table to a file; nothing where it was stopped.
fn table(asked: Asked<'_>, folder: &Path, csv: &Path) -> Result<Option<SheetCount>> {
    let (predictor, columns) = asked;
    let control = stop_on_ctrl_c()?;
    let mut step = step_of(&control);
    let mut step = |count: SheetCount| step(count.done, count.of);
    let mut ask = |piece: SheetBatch| predictor.verdicts(&piece.seen);
    let all = sheet::Asked { folder, only: &[] };
    let Some(count) = fill(&columns, all, csv, &mut ask, &mut step)? else {
        tell("stopped; no table was written");
        return Ok(None);
    };
    if count.unreadable > 0 {
        let unreadable = counted(count.unreadable, "image");
        let lines = match count.unreadable {
            1 => "see its line for the reason",
            _ => "see their lines for the reasons",
        };
        tell(format!("{unreadable} cannot be read; {lines}"));
    }
    Ok(Some(count))
}
