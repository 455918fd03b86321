//! Exports runs as tables for papers, spreadsheets and notes, and as figures and reports.
//!
//! Runs that differ only in class order and seed share a row with mean ± sample standard deviation, as is usual in
//! publications.

use std::path::{Path, PathBuf};

use super::csv_tables::{Cell, escape_formula, table_csv};
use super::figure::RunFigure;
use super::groups::{Group, groups, no_finished_task_problem};
use super::html::{self, SampleImage};
use super::json::Summary;
use super::summary::RunSummary;
use super::table::{TableRequest, TableRun};
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
    pub const ALL: [Self; 7] =
        [Self::Csv, Self::Markdown, Self::Latex, Self::Svg, Self::Pdf, Self::Png, Self::Html];

    /// Returns the file extensions as the list that file dialogs take.
    pub fn extensions(self) -> &'static [&'static str] {
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
    pub fn extension(self) -> &'static str {
        self.extensions()[0]
    }

    /// Returns the path with this format's extension appended, unless it already has it.
    pub fn with_extension(self, path: PathBuf) -> PathBuf {
        match Self::from_path(&path).ok() == Some(self) {
            true => path,
            false => path.with_added_extension(self.extension()),
        }
    }

    /// Returns the format with the extension of this path.
    ///
    /// # Errors
    /// Returns a Problem that lists the extensions if there is no such format.
    pub fn from_path(path: &Path) -> Result<Self> {
        let extension = path.extension().unwrap_or_default().to_ascii_lowercase();
        Self::ALL.into_iter().find(|format| extension == format.extension()).ok_or_else(|| {
            Problem::new(message!("problem-extension-not-exportable"))
                .at_path(path)
                .advise(message!("advice-use-export-extension"))
        })
    }
}

/// Returns the bytes of a table, a report, or a figure of these runs; `sample_images` as in
/// [`html::render_report`]. Unfinished runs are marked.
///
/// # Errors
/// Returns a Problem if no run has a finished task, the figure cannot be made, or a table cannot be written.
pub fn export(
    runs: &[RunSummary],
    (format, figure): (Format, RunFigure),
    sample_images: &dyn Fn(&RunSummary) -> Vec<SampleImage>,
) -> Result<Vec<u8>> {
    match format {
        Format::Svg => return Ok(figure.build(runs)?.to_svg().into_bytes()),
        Format::Pdf => return figure.build(runs)?.to_pdf(),
        Format::Png => return figure.build(runs)?.to_png(),
        Format::Html => return html::render_report(runs, sample_images).map(String::into_bytes),
        Format::Csv | Format::Markdown | Format::Latex => {}
    }
    let groups = groups(runs);
    if groups.is_empty() {
        return Err(no_finished_task_problem());
    }
    if format == Format::Csv {
        return csv(&groups);
    }
    let runs: Vec<TableRun<'_>> = runs.iter().map(TableRun::new).collect();
    let request = TableRequest { unfinished: true, ..TableRequest::by_experiment() };
    Ok(request.build(&runs)?.export(format)?.into_bytes())
}

/// Returns a CSV table with a row for each measured accuracy.
fn csv(groups: &[Group]) -> Result<Vec<u8>> {
    let mut rows = Vec::new();
    for group in groups {
        for run in &group.orders.runs {
            let mut classes_seen = 0;
            for (task, figures) in run.tasks.iter().enumerate() {
                classes_seen += figures.classes.len();
                for expert in &run.experts {
                    let Some(accuracy) = figures.expert_accuracy(*expert) else {
                        continue;
                    };
                    let after = (task, classes_seen, figures.accuracy_task_given);
                    let row = csv_row((&group.label, run), after, (expert.key(), accuracy));
                    rows.push(row);
                }
            }
        }
    }
    let Some(first) = rows.first() else {
        return Ok(Vec::new());
    };
    let header = first.iter().map(|(name, _)| *name).collect();
    let cells = rows.iter().map(|row| row.each_ref().map(|(_, cell)| cell));
    table_csv(header, cells)
}

/// Returns the names and cells of a row.
fn csv_row<'a>(
    (group, run): (&'a str, &'a Summary),
    (task, classes_seen, accuracy_task_given): (usize, usize, Option<f64>),
    (expert, accuracy): (&'a str, f64),
) -> [(&'static str, Cell<'a>); 28] {
    let (config, text) = (&run.config, |text: &'a str| Cell::Text(escape_formula(text)));
    let join_words =
        |words: &[String]| Cell::Text(escape_formula(&words.join(", ")).into_owned().into());
    [
        ("run", text(&run.run)),
        ("group", text(group)),
        ("order", text(&config.order)),
        ("seed", Cell::Count(Some(config.seed))),
        ("task", Cell::count(task + 1)),
        ("classes_seen", Cell::count(classes_seen)),
        ("expert", Cell::Text(expert.into())),
        ("accuracy_percent", Cell::Real(Some(accuracy))),
        ("accuracy_task_given_percent", Cell::Real(accuracy_task_given)),
        ("seconds_of_run", Cell::Real(Some(run.seconds))),
        ("name", text(&run.about.name)),
        ("tags", join_words(&run.about.tags)),
        ("method", text(&run.method)),
        ("variant", join_words(&run.variant)),
        ("data", text(&config.data)),
        ("backbone", text(&run.backbone)),
        ("weights_sha256", text(&run.weights_sha256)),
        ("pet", text(run.pet.as_deref().unwrap_or_default())),
        ("pet_size", Cell::count(run.pet_size)),
        ("epochs", Cell::count(run.epochs)),
        ("base_lr", Cell::Real(Some(config.base_lr))),
        ("batch", Cell::count(config.batch)),
        ("device", text(&run.device)),
        ("version", text(&run.version)),
        ("state", text(&run.state)),
        ("tasks_done", Cell::count(run.tasks.len())),
        ("task_count", Cell::count(run.task_count)),
        ("measured_on", text(&run.measured_on)),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn extension_selects_the_format() {
        assert_eq!(Format::from_path(Path::new("a.TEX")).ok(), Some(Format::Latex));
        assert!(Format::from_path(Path::new("a.docx")).is_err());
    }
}
