//! Tables, figures and reports of runs, written to a file.

use std::path::PathBuf;
use std::sync::Arc;

use super::Session;
use super::progress::Progress;
use crate::problem::Problem;
use crate::store::export::Format;
use crate::tr;

/// Returns the default file name, which contains the current time.
pub(super) fn file_name(what: &str, format: Format) -> String {
    let day = jiff::Zoned::now().strftime("%Y-%m-%d_%H-%M-%S").to_string();
    format!("{what}-{day}.{}", format.ending())
}

/// A requested export.
#[derive(Clone, Debug)]
pub struct ResultsExport {
    /// The folders of the runs, each with whether a report may open its dataset to show images.
    pub runs: Vec<(PathBuf, bool)>,
    /// The format.
    pub format: Format,
    /// The path.
    pub to: PathBuf,
}

impl Session {
    /// Writes a table, figure or report of the dialog's runs to this path. The extension of the format is appended if
    /// it is missing. A report is then opened in the browser.
    pub fn export_results(&mut self, format: Format, to: PathBuf) {
        let to = format.ended(to);
        let runs = std::mem::take(&mut self.compare.to_export);
        let runs = runs.into_iter().map(|folder| {
            let header = self.header_of(&folder);
            let may_open = header.is_some_and(|header| !self.asks_before_opening(&header.config));
            (folder, may_open)
        });
        let export = ResultsExport {
            runs: runs.collect(),
            format,
            to,
        };
        let progress = Arc::new(Progress::default());
        self.exports.push(progress.clone());
        let path = export.to.clone();
        self.task(
            move |sources| sources.disk().export_results(&export, &progress),
            move |session, left_out| {
                session
                    .exports
                    .retain(|export| Arc::strong_count(export) > 1);
                match left_out {
                    Ok(left_out) => session.notify_exported_results(format, path, left_out),
                    Err(problem) => session.notify(problem, true),
                }
            },
        );
    }

    /// Reports that the file was written, and the number of runs that could not be read.
    fn notify_exported_results(&mut self, format: Format, path: PathBuf, left_out: usize) {
        let mut told = Problem::new(match format {
            Format::Html => tr!("story-report-saved"),
            Format::Svg | Format::Pdf | Format::Png => tr!("story-figure-saved"),
            _ => tr!("story-table-saved"),
        });
        if left_out > 0 {
            told = told.advise(tr!("story-runs-left-out", n = left_out));
        }
        self.notify(told.at_path(&path), false);
        if format == Format::Html {
            self.task_or_notify(move |sources| sources.disk().show_page(&path), |_, ()| {});
        }
    }
}
