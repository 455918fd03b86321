//! `predict --folder`: predicts every image of a folder into a table.

use std::io::IsTerminal;
use std::path::Path;

use serde::Serialize;

use super::CommandOutcome;
use super::output::{JsonOutput, check_output_file, copy_to_stdout, print_message, print_text};
use super::signals::{progress_reporter, stop_on_ctrl_c};
use crate::counts::count_with_noun;
use crate::data::IMAGE_EXTENSIONS;
use crate::experiment::predict::Predictor;
use crate::experiment::prediction_table::{self, Columns, write_table};
use crate::files;
use crate::problem::{Problem, Result};
use crate::run::prediction_table::PredictionTableCount;
use crate::session::image_folder::{check_new, copy_by_class};

/// The JSON output.
#[derive(Serialize)]
struct TableReport {
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
pub(super) struct TablePaths<'a> {
    /// The folder of the images.
    pub folder: &'a Path,
    /// The table; `-` for standard output.
    pub csv: &'a Path,
    /// The folder into which the images are copied by class.
    pub copy_to: Option<&'a Path>,
}

impl TablePaths<'_> {
    /// Checks that the folder can be read and everything can be written before anything is opened.
    pub fn check(&self, json: &JsonOutput) -> Result<()> {
        if self.csv == Path::new("-") && json.json.is_some() {
            return Err(Problem::new("--json cannot be used with a table on standard output")
                .advise("give --csv a file, or omit --json"));
        }
        std::fs::read_dir(self.folder)
            .map_err(|error| Problem::io("read the folder", self.folder, &error))?;
        if self.csv != Path::new("-") {
            check_output_file(self.csv, "--csv")?;
            let is_image = self.csv.extension().is_some_and(|extension| {
                let extension = extension.to_string_lossy().to_ascii_lowercase();
                IMAGE_EXTENSIONS.contains(&extension.as_str())
            });
            if is_image && self.csv.exists() {
                return Err(Problem::new("the table would replace this image")
                    .at_path(self.csv)
                    .advise("give --csv another file"));
            }
        }
        self.copy_to.map_or(Ok(()), check_new)
    }

    /// Writes the table (to standard output for `-`), and copies the images.
    pub fn run(&self, loaded: LoadedPredictor<'_>, json: &JsonOutput) -> Result<CommandOutcome> {
        match self.csv == Path::new("-") {
            true => self.write_to_stdout(loaded),
            false => self.write_to_file(loaded, json),
        }
    }

    fn write_to_file(
        &self,
        loaded: LoadedPredictor<'_>,
        json: &JsonOutput,
    ) -> Result<CommandOutcome> {
        let task = loaded.0.task() + 1;
        let csv = self.csv.display();
        let Some(count) = self.write_csv(loaded, self.csv)? else {
            return Ok(CommandOutcome::Stopped);
        };
        let copied = self.copy_images(self.csv)?;
        let report = TableReport {
            csv: csv.to_string(),
            pictures: count.of,
            unreadable: count.unreadable,
            task,
            copied,
        };
        let classified = count_with_noun(count.of - count.unreadable, "image");
        json.print_results(&report, &format!("{classified} classified in {csv}\n"))?;
        Ok(outcome(count))
    }

    /// Writes the complete table to standard output, or nothing if it was stopped or failed.
    fn write_to_stdout(&self, loaded: LoadedPredictor<'_>) -> Result<CommandOutcome> {
        let to_problem = |error| Problem::io("store the table", std::env::temp_dir(), &error);
        let temp_dir = tempfile::tempdir().map_err(to_problem)?;
        let csv = temp_dir.path().join("table.csv");
        let Some(count) = self.write_csv(loaded, &csv)? else {
            return Ok(CommandOutcome::Stopped);
        };
        self.copy_images(&csv)?;
        if std::io::stdout().is_terminal() {
            // Control characters in file names must not reach the terminal.
            print_text(&files::read_text(&csv, u64::MAX).map_err(to_problem)?)?;
        } else {
            copy_to_stdout(&mut files::open(&csv).map_err(to_problem)?)?;
        }
        Ok(outcome(count))
    }

    /// Copies the images of a table by class, if requested; returns their number.
    fn copy_images(&self, csv: &Path) -> Result<Option<usize>> {
        let Some(to) = self.copy_to else {
            return Ok(None);
        };
        let rows = prediction_table::read_predictions(csv)?.into_iter();
        let copies: Vec<_> = rows.map(|row| (self.folder.join(row.path), row.assignment)).collect();
        let copied = copy_by_class(&copies, to)?;
        print_message(format!("{} copied to {}", count_with_noun(copied, "image"), to.display()));
        Ok(Some(copied))
    }

    /// Writes the table to a file; `None` if it was stopped.
    fn write_csv(
        &self,
        (predictor, columns): LoadedPredictor<'_>,
        csv: &Path,
    ) -> Result<Option<PredictionTableCount>> {
        let control = stop_on_ctrl_c()?;
        let mut step = progress_reporter(&control);
        let mut step = |count: PredictionTableCount| step(count.done, count.of);
        let mut predict = |pixels: Vec<u8>| predictor.predict_batch(&pixels);
        let all = prediction_table::ImageSelection { folder: self.folder, only: &[] };
        let Some(count) = write_table(&columns, all, csv, &mut predict, &mut step)? else {
            print_message("stopped; no table was written");
            return Ok(None);
        };
        if count.unreadable > 0 {
            let unreadable = count_with_noun(count.unreadable, "image");
            let lines = match count.unreadable {
                1 => "see its line for the reason",
                _ => "see their lines for the reasons",
            };
            print_message(format!("{unreadable} cannot be read; {lines}"));
        }
        Ok(Some(count))
    }
}

/// Returns the outcome: failed if no image could be read.
fn outcome(count: PredictionTableCount) -> CommandOutcome {
    CommandOutcome::from_success(count.unreadable < count.of)
}
