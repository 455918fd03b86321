//! Tables of runs for papers, spreadsheets and notes, and a figure of their accuracy over tasks.
//!
//! Runs that differ only in class order and seed are in one row, as mean ± sample standard
//! deviation; that is how the field reports several class orders.

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

/// What can be written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// One line per run, task and expert, for spreadsheets.
    Csv,
    /// One row per group of runs.
    Markdown,
    /// The same for a paper (needs the package booktabs).
    Latex,
    /// A figure, as a drawing.
    Svg,
    /// The same for a paper.
    Pdf,
    /// The same as an image of pixels.
    Png,
    /// A report with all of it, one file.
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

    /// The same as the list that dialogs of files take.
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

    /// The ending of its files.
    pub fn ending(self) -> &'static str {
        self.endings()[0]
    }

    /// The path with this format's ending where it has none, or that of another one.
    pub fn ended(self, path: PathBuf) -> PathBuf {
        match Self::of(&path).ok() == Some(self) {
            true => path,
            false => path.with_added_extension(self.ending()),
        }
    }

    /// The format that a file's ending names.
    ///
    /// # Errors
    /// Returns a Problem that lists the endings.
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

/// The bytes of a table, a report, or the figure of these runs; `pictures` as [`html::report`] takes them. Runs that are
/// not finished are marked.
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

/// One measured accuracy.
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
