//! The rows of a grid as a table of runs: its columns, the comparison of its rows, and its file.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use super::super::output::print_message;
use super::super::runs::table_text;
use super::Args;
use super::report::{GridReport, row_table};
use crate::counts::count_with_noun;
use crate::experiment::grid::GridPlan;
use crate::experiment::sample_images;
use crate::problem::Result;
use crate::store::export::{Format, export};
use crate::store::figure::RunFigure;
use crate::store::table::{ComparisonBase, TableRequest, TableRun};
use crate::store::{self, RunSummary, StoredState};

/// Options of the table of a grid's rows.
#[derive(clap::Args)]
#[command(next_help_heading = "Table")]
pub(super) struct Options {
    /// Show these metrics, settings or facts for each row ("final,bwt,seconds")
    #[arg(long, value_name = "COLUMN,…", value_delimiter = ',', requires = "grid",
          conflicts_with_all = ["search", "slurm", "text"])]
    columns: Vec<String>,
    /// Sort the rows by this column; with a leading - in descending order ("-final")
    #[arg(long, value_name = "[-]COLUMN", allow_hyphen_values = true, requires = "grid",
          conflicts_with_all = ["search", "slurm", "text"])]
    sort: Option<String>,
    /// Compare all rows with the one whose runs match this condition, as `runs --against` does ("method = baseline")
    #[arg(long, value_name = "CONDITION", requires = "grid",
          conflicts_with_all = ["search", "slurm", "text"])]
    against: Option<String>,
    /// Add the published A_N to each row found in a paper's table
    #[arg(long, requires = "grid", conflicts_with_all = ["search", "slurm", "text"])]
    published: bool,
    /// Write the rows as a table (.csv, .md, .tex), a figure (.svg, .pdf, .png) or a report (.html)
    #[arg(long, value_name = "FILE", requires = "grid",
          conflicts_with_all = ["search", "slurm", "text"])]
    export: Option<PathBuf>,
}

impl Options {
    /// Returns whether a table with user-defined columns is requested.
    pub fn asks_for_table(&self) -> bool {
        !self.columns.is_empty() || self.sort.is_some() || self.against.is_some() || self.published
    }

    /// Checks the format of the export file before hours are spent on its content.
    ///
    /// # Errors
    /// Returns a Problem that lists the possible endings.
    pub fn check(&self) -> Result<()> {
        self.export.as_deref().map(Format::from_path).transpose().map(drop)
    }

    fn table_request(&self) -> TableRequest {
        TableRequest {
            columns: self.columns.clone(),
            sort: self.sort.clone(),
            against: self.against.clone().map(ComparisonBase::Condition),
            published: self.published,
            ..TableRequest::default()
        }
    }
}

/// Prints the results of these cells as a table and as JSON, and writes a file if requested. `listing` replaces the
/// usual table.
///
/// # Errors
/// Returns a Problem if a column or condition is invalid, or a file cannot be written.
pub(super) fn print_rows(
    args: &Args,
    plan: &GridPlan,
    cells: &[usize],
    listing: Option<String>,
) -> Result<()> {
    let options = &args.rows;
    let report = GridReport::new(plan, cells, None);
    let default_text = || listing.unwrap_or_else(|| row_table(plan, cells));
    if !options.asks_for_table() && options.export.is_none() {
        return args.json.print_results(&report, &default_text());
    }
    let selected: HashSet<usize> = cells.iter().copied().collect();
    let finished_run = |cell: &usize| {
        let run = plan.run_for(*cell).filter(|_| selected.contains(cell));
        run.filter(|run| run.state == StoredState::Finished)
    };
    let mut finished_runs: Vec<&RunSummary> = cells.iter().filter_map(finished_run).collect();
    // Several cells of a method without random numbers share one run.
    let mut folders = HashSet::new();
    finished_runs.retain(|run| folders.insert(&run.header.folder));
    let table_runs: Vec<TableRun<'_>> =
        finished_runs.iter().map(|run| TableRun::new(run)).collect();
    let rows = plan.cells.rows.iter().map(|row| {
        let runs: HashSet<&Path> = row
            .cells
            .iter()
            .filter_map(finished_run)
            .map(|run| run.header.folder.as_path())
            .collect();
        let row_runs = table_runs.iter();
        let row_runs = row_runs.filter(|run| runs.contains(run.header.folder.as_path()));
        let title = plan.cells.title(&row.title).to_string();
        (title, row_runs.collect())
    });
    let runs_table = options.table_request().build_from_rows(rows.collect(), &table_runs)?;
    let text = match options.asks_for_table() {
        true => table_text(&runs_table),
        false => default_text(),
    };
    let missing = cells.iter().filter(|cell| finished_run(cell).is_none()).count();
    if missing > 0 {
        print_message(format!(
            "omitted because unfinished: {} of this grid",
            count_with_noun(missing, "run")
        ));
    }
    if let Some(path) = &options.export {
        let bytes = match Format::from_path(path)? {
            Format::Csv | Format::Markdown | Format::Latex => {
                runs_table.export(Format::from_path(path)?)?.into_bytes()
            }
            format => {
                let runs: Vec<RunSummary> = finished_runs.iter().copied().cloned().collect();
                let should_continue = || plan.control.should_continue();
                let load_images =
                    |run: &RunSummary| sample_images(&plan.cache, run, &should_continue);
                export(&runs, (format, RunFigure::default()), &load_images)?
            }
        };
        store::write_file(path, &bytes)?;
    }
    args.json.print_results(&report, &text)
}
