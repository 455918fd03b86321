//! Exports runs as tables for papers, spreadsheets and notes, and as figures and reports.
//!
//! Runs that differ only in class order and seed share a row with mean ± sample standard deviation, as is usual in
//! publications.

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use serde::Serialize;

use super::figure::FigureOfRuns;
use super::groups::{Group, groups, none_measured};
use super::html::{self, SamplePicture};
use super::json::Summary;
use super::summary::RunSummary;
use super::table::{TableRequest, TableRun};
use super::tables::{harmless_cell, to_csv};
use crate::message;
use crate::problem::{Problem, Result};

/// A format for exporting runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// A table with one row per run, task and expert, for spreadsheets.
    Csv,
    /// A table with one row per group of runs.
    Markdown,
    /// A table with one row per group of runs, for papers (needs the package booktabs).
    Latex,
    /// A figure as a vector drawing.
    Svg,
    /// A figure as a vector drawing, for papers.
    Pdf,
    /// A figure as a bitmap.
    Png,
    /// A self-contained report.
    Html,
}

impl Format {
    /// All formats.
    pub const ALL: [Self; 7] = [
        Self::Csv,
        Self::Markdown,
        Self::Latex,
        Self::Svg,
        Self::Pdf,
        Self::Png,
        Self::Html,
    ];

    /// Returns the file extensions as the list that file dialogs take.
    pub fn endings(self) -> &'static [&'static str] {
        match self {
            Self::Csv => &["csv"],
            Self::Markdown => &["md"],
            Self::Latex => &["tex"],
            Self::Svg => &["svg"],
            Self::Pdf => &["pdf"],
            Self::Png => &["png"],
            Self::Html => &["html"],
        }
    }

    /// Returns the file extension.
    pub fn ending(self) -> &'static str {
        self.endings()[0]
    }

    /// Returns the path with this format's extension appended, unless it already has it.
    pub fn ended(self, path: PathBuf) -> PathBuf {
        match Self::of(&path).ok() == Some(self) {
            true => path,
            false => path.with_added_extension(self.ending()),
        }
    }

    /// Returns the format with the extension of this path.
    ///
    /// # Errors
    /// Returns a Problem that lists the extensions if there is no such format.
    pub fn of(path: &Path) -> Result<Self> {
        let ending = path.extension().unwrap_or_default().to_ascii_lowercase();
        Self::ALL
            .into_iter()
            .find(|format| ending == format.ending())
            .ok_or_else(|| {
                Problem::new(message!("problem-extension-not-exportable"))
                    .at_path(path)
                    .advise(message!("advice-use-export-extension"))
            })
    }
}

/// Returns the bytes of a table, a report, or a figure of these runs; `pictures` as in [`html::report`]. Unfinished
/// runs are marked.
///
/// # Errors
/// Returns a Problem if no run has a finished task, the figure cannot be made, or a table cannot be written.
pub fn export(
    runs: &[RunSummary],
    (format, figure): (Format, FigureOfRuns),
    pictures: &dyn Fn(&RunSummary) -> Vec<SamplePicture>,
) -> Result<Vec<u8>> {
    match format {
        Format::Svg => return Ok(figure.of(runs)?.svg().into_bytes()),
        Format::Pdf => return figure.of(runs)?.pdf(),
        Format::Png => return figure.of(runs)?.png(),
        Format::Html => return html::report(runs, pictures).map(String::into_bytes),
        Format::Csv | Format::Markdown | Format::Latex => {}
    }
    let groups = groups(runs);
    if groups.is_empty() {
        return Err(none_measured());
    }
    if format == Format::Csv {
        return csv(&groups);
    }
    let runs: Vec<TableRun<'_>> = runs.iter().map(TableRun::of).collect();
    let request = TableRequest {
        unfinished: true,
        ..TableRequest::of_experiments()
    };
    Ok(request.table(&runs)?.export(format)?.into_bytes())
}

/// A row of the CSV table: one measured accuracy.
#[derive(Serialize)]
struct CsvRow<'a> {
    run: Cow<'a, str>,
    group: Cow<'a, str>,
    order: Cow<'a, str>,
    seed: u64,
    task: usize,
    classes_seen: usize,
    expert: &'a str,
    accuracy_percent: f64,
    accuracy_task_given_percent: Option<f64>,
    seconds_of_run: f64,
    name: Cow<'a, str>,
    tags: String,
    method: Cow<'a, str>,
    variant: String,
    data: Cow<'a, str>,
    backbone: Cow<'a, str>,
    weights_sha256: Cow<'a, str>,
    pet: Cow<'a, str>,
    pet_size: Option<usize>,
    epochs: usize,
    base_lr: f64,
    batch: usize,
    device: Cow<'a, str>,
    version: Cow<'a, str>,
    state: Cow<'a, str>,
    tasks_done: usize,
    task_count: usize,
    measured_on: Cow<'a, str>,
}

fn csv(groups: &[Group]) -> Result<Vec<u8>> {
    let mut rows = Vec::new();
    for group in groups {
        for run in &group.orders.runs {
            measured(&mut rows, &group.label, run);
        }
    }
    to_csv(rows)
}

/// Adds the rows of one run.
fn measured<'a>(rows: &mut Vec<CsvRow<'a>>, group: &'a str, run: &'a Summary) {
    let (config, cell) = (&run.config, harmless_cell);
    let mut classes_seen = 0;
    for (task, figures) in run.tasks.iter().enumerate() {
        classes_seen += figures.classes.len();
        for expert in &run.experts {
            let Some(accuracy_percent) = figures.of(*expert) else {
                continue;
            };
            rows.push(CsvRow {
                run: cell(&run.run),
                group: cell(group),
                order: cell(&config.order),
                seed: config.seed,
                task: task + 1,
                classes_seen,
                expert: expert.name(),
                accuracy_percent,
                accuracy_task_given_percent: figures.accuracy_task_given,
                seconds_of_run: run.seconds,
                name: cell(&run.about.name),
                tags: cell(&run.about.tags.join(", ")).into_owned(),
                method: cell(&run.method),
                variant: cell(&run.variant.join(", ")).into_owned(),
                data: cell(&config.data),
                backbone: cell(&run.backbone),
                weights_sha256: cell(&run.weights_sha256),
                pet: cell(run.pet.as_deref().unwrap_or_default()),
                pet_size: run.pet_size,
                epochs: run.epochs,
                base_lr: config.base_lr,
                batch: config.batch,
                device: cell(&run.device),
                version: cell(&run.version),
                state: cell(&run.state),
                tasks_done: run.tasks.len(),
                task_count: run.task_count,
                measured_on: cell(&run.measured_on),
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ending_names_the_format() {
        assert_eq!(Format::of(Path::new("a.TEX")).ok(), Some(Format::Latex));
        assert!(Format::of(Path::new("a.docx")).is_err());
    }
}
