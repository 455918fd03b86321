//! `predict --folder`: predicts every image of a folder into a table.

use std::io::IsTerminal;
use std::path::Path;

use serde::Serialize;

use super::End;
use super::output::{Json, pass_on, say, tell};
use super::signals::{step_of, stop_on_ctrl_c};
use crate::counts::counted;
use crate::experiment::predict::Predictor;
use crate::experiment::sheet::{self, Columns, fill};
use crate::files;
use crate::problem::{Problem, Result};
use crate::run::sheet::SheetCount;
use crate::session::image_folder::{check_new, copy_by_class};

/// The JSON output.
#[derive(Serialize)]
struct Written {
    csv: String,
    pictures: usize,
    unreadable: usize,
    task: usize,
    /// Number of images copied into folders, if that was requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    copied: Option<usize>,
}

/// The snapshot that predicts, and the columns of the table.
type LoadedPredictor<'a> = (&'a Predictor, Columns);

/// The images to predict, and the files to write.
pub(super) struct SheetPaths<'a> {
    /// The folder of the images.
    pub folder: &'a Path,
    /// The table; `-` for standard output.
    pub csv: &'a Path,
    /// The folder into which the images are copied by class.
    pub copy_to: Option<&'a Path>,
}

impl SheetPaths<'_> {
    /// Checks that everything can be written before anything is opened.
    pub fn check(&self, json: &Json) -> Result<()> {
        if self.csv == Path::new("-") && json.json.is_some() {
            return Err(
                Problem::new("--json cannot be used with a table on standard output")
                    .advise("give --csv a file, or omit --json"),
            );
        }
        self.copy_to.map_or(Ok(()), check_new)
    }

    /// Writes the table (to standard output for `-`), and copies the images.
    pub fn run(&self, asked: LoadedPredictor<'_>, json: &Json) -> Result<End> {
        match self.csv == Path::new("-") {
            true => self.to_stdout(asked),
            false => self.to_file(asked, json),
        }
    }

    fn to_file(&self, asked: LoadedPredictor<'_>, json: &Json) -> Result<End> {
        let task = asked.0.task() + 1;
        let csv = self.csv.display();
        let Some(count) = self.table(asked, self.csv)? else {
            return Ok(End::Stopped);
        };
        let copied = self.copy(self.csv)?;
        let written = Written {
            csv: csv.to_string(),
            pictures: count.of,
            unreadable: count.unreadable,
            task,
            copied,
        };
        let pictures = counted(count.of, "image");
        let text = format!("{pictures} classified in {csv}\n");
        json.finish(&written, &text)
    }

    /// Writes the complete table to standard output, or nothing if it was stopped or failed.
    fn to_stdout(&self, asked: LoadedPredictor<'_>) -> Result<End> {
        let unwritable = |error| Problem::io("store the table", std::env::temp_dir(), &error);
        let kept = tempfile::tempdir().map_err(unwritable)?;
        let csv = kept.path().join("table.csv");
        if self.table(asked, &csv)?.is_none() {
            return Ok(End::Stopped);
        }
        self.copy(&csv)?;
        if std::io::stdout().is_terminal() {
            // Control characters in file names must not reach the terminal.
            say(&files::read_text(&csv, u64::MAX).map_err(unwritable)?)?;
        } else {
            pass_on(&mut files::open(&csv).map_err(unwritable)?)?;
        }
        Ok(End::Done)
    }

    /// Copies the images of a table by class, if requested; returns their number.
    fn copy(&self, csv: &Path) -> Result<Option<usize>> {
        let Some(to) = self.copy_to else {
            return Ok(None);
        };
        let rows = sheet::answered(csv)?.into_iter();
        let copies: Vec<_> = rows
            .map(|row| (self.folder.join(row.path), row.sorted))
            .collect();
        let copied = copy_by_class(&copies, to)?;
        tell(format!(
            "{} copied to {}",
            counted(copied, "image"),
            to.display()
        ));
        Ok(Some(copied))
    }

    /// Writes the table to a file; `None` if it was stopped.
    fn table(
        &self,
        (predictor, columns): LoadedPredictor<'_>,
        csv: &Path,
    ) -> Result<Option<SheetCount>> {
        let control = stop_on_ctrl_c()?;
        let mut step = step_of(&control);
        let mut step = |count: SheetCount| step(count.done, count.of);
        let mut ask = |seen: Vec<u8>| predictor.predict_batch(&seen);
        let all = sheet::ImageSelection {
            folder: self.folder,
            only: &[],
        };
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
}
