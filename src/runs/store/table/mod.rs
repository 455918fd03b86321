//! Tables of runs: filtered (`final > 85`), grouped by any setting, sorted by any column, and compared with other rows
//! over the same class orders and seeds.

mod column;
mod condition;
mod difference;
mod layout;
mod published;
mod run_table;
mod text;

use std::borrow::Cow;
use std::collections::hash_map::Entry;
use std::collections::{BTreeSet, HashMap};

use serde::Serialize;

pub use super::figures::{FIGURES, FigureSpec};
use column::EXPERIMENT;
pub use column::{Cell, Column, ColumnChoice, FACTS};
pub use condition::Condition;
pub use difference::Difference;
pub use published::PublishedComparison;
pub(super) use published::figure_text;
pub use run_table::{ComparisonBase, GroupedRows, RowComparisons, RunTable, TableRequest};
pub use text::{Align, Mark, PLUS_MINUS, TextTable};

use super::groups::{GroupKey, Kind, Progress, kinds, labels};
use super::json::Figures;
use super::key::RunKey;
use super::load::StoredState;
use super::summary::RunSummary;
use crate::run::config::{RunConfig, differences, differs, setting};
use crate::run::event::RunHeader;

/// A run as needed for tables, borrowed from its summary or from a row of a list.
#[derive(Clone, Debug)]
pub struct TableRun<'a> {
    /// Settings and facts.
    pub header: &'a RunHeader,
    /// Its metrics in percent.
    pub figures: Cow<'a, Figures>,
    /// Its state.
    pub state: StoredState,
    /// SHA-256 of the PET plugin's text, in hex; empty if it has none.
    pub plugin_sha256: &'a str,
    /// Seconds of training and testing of all tasks.
    pub seconds: f64,
    /// Identifies its repetitions; `None` while no task is measured.
    pub group: Option<Cow<'a, GroupKey>>,
}

impl<'a> TableRun<'a> {
    /// Returns a run; computes its metrics.
    pub fn new(run: &'a RunSummary) -> Self {
        Self {
            header: &run.header,
            figures: Cow::Owned(run.figures(&run.histories())),
            state: run.state,
            plugin_sha256: &run.plugin_sha256,
            seconds: run.seconds(),
            group: GroupKey::from_run(run).map(Cow::Owned),
        }
    }

    /// Returns the number of measured tasks.
    pub fn saved_tasks(&self) -> usize {
        self.group.as_ref().map_or(0, |group| group.measured)
    }

    /// Returns its progress.
    pub fn progress(&self) -> Progress {
        Progress { done: self.saved_tasks(), of: self.header.tasks.len() }
    }
}

/// The runs of a row.
#[derive(Debug)]
pub struct Row<'a> {
    /// Their common values: a cell for each column that they are grouped by.
    pub cells: Vec<Cell>,
    /// The runs; of several with equal settings, class order and seed only the newest.
    pub runs: Vec<&'a TableRun<'a>>,
    /// The progress of all of its runs; `None` if all tasks of each are measured.
    pub unfinished: Option<Progress>,
    /// Which images all of its runs are measured on: `test` or `validation`.
    pub measured_on: &'static str,
    /// Mean of their metrics.
    pub mean: Figures,
    /// Sample standard deviation (n − 1) of their metrics; empty for one run.
    pub std: Figures,
    /// Settings besides class order and seed in which they differ, with the values: the mean is also taken over these.
    pub differ_in: Vec<Spread>,
}

impl Row<'_> {
    /// Returns the matching published row.
    ///
    /// # Errors
    /// Returns the reason, in a sentence, if there is none.
    pub fn compare_published(&self) -> std::result::Result<PublishedComparison, String> {
        let keys: Vec<&str> = self.differ_in.iter().map(|s| s.key.as_str()).collect();
        let first = match self.runs.first() {
            Some(first) if keys.is_empty() => first,
            _ => return Err(format!("its runs differ in {}", keys.join(", "))),
        };
        let orders = self.runs.iter().map(|run| &run.header.class_order);
        let final_accuracy = self.mean.final_accuracy().unwrap_or(f64::NAN);
        PublishedComparison::new((first.header, first.saved_tasks()), orders, final_accuracy)
    }
}

/// A setting with its distinct values among the runs of a row.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Spread {
    /// The setting's key.
    pub key: String,
    /// Its distinct values.
    pub values: BTreeSet<String>,
}

/// Returns the runs that count in a table, one for each experiment, class order and seed: the one with the most tasks,
/// of these the newest. Runs without a measured task do not count.
fn deduplicate<'a>(runs: &'a [TableRun<'a>]) -> Vec<&'a TableRun<'a>> {
    let newest = kinds(runs, |run| run.group.as_deref());
    let newest = newest.into_iter().flatten();
    let newest = newest.filter_map(|run| Some((run, &run.group.as_ref()?.key)));
    let mut indices: HashMap<&RunKey, usize> = HashMap::new();
    let mut selected: Vec<&TableRun<'_>> = Vec::new();
    for (run, key) in newest {
        match indices.entry(key) {
            Entry::Vacant(vacant) => {
                vacant.insert(selected.len());
                selected.push(run);
            }
            Entry::Occupied(occupied) => {
                let other = &mut selected[*occupied.get()];
                if other.saved_tasks() < run.saved_tasks() {
                    *other = run;
                }
            }
        }
    }
    selected
}

/// Returns the titles of methods in these rows that use no random numbers and have runs that differ only in the seed;
/// such runs count once.
fn seedless_methods(rows: &[Row<'_>], runs: &[TableRun<'_>]) -> BTreeSet<String> {
    let key = |run: &'_ TableRun<'_>| Some(run.group.as_ref()?.key.clone());
    let mut seeds: HashMap<Option<RunKey>, BTreeSet<u64>> = HashMap::new();
    let is_seedless = |run: &&TableRun<'_>| run.header.method.seed(&run.header.config).is_none();
    for run in runs.iter().filter(is_seedless) {
        let run_seeds = seeds.entry(key(run)).or_default();
        run_seeds.insert(run.header.config.seed);
    }
    let shown_runs = rows.iter().flat_map(|row| row.runs.iter().copied());
    let repeated =
        shown_runs.filter(|run| seeds.get(&key(run)).is_some_and(|seeds| seeds.len() > 1));
    repeated.map(|run| run.header.method.title.clone()).collect()
}

/// Groups runs with equal cells in these columns, in the order of their first members; without columns each run has its
/// own row. Runs with different progress, or measured on other images, never share a row.
fn group_rows<'a>(runs: Vec<&'a TableRun<'a>>, by: &[Column]) -> Vec<Row<'a>> {
    let mut indices: HashMap<String, usize> = HashMap::new();
    let mut rows: Vec<(Vec<Cell>, Vec<&TableRun<'_>>)> = Vec::new();
    for run in runs {
        let cells: Vec<Cell> = by.iter().map(|column| column.cell(run)).collect();
        let progress = Some(run.progress()).filter(|progress| !progress.is_complete());
        let measured_on = run.header.config.evaluation_split();
        let index = match by {
            [] => rows.len(),
            // Distinguishes numbers and texts that look alike.
            _ => *indices
                .entry(format!("{cells:?} {progress:?} {measured_on}"))
                .or_insert(rows.len()),
        };
        match rows.get_mut(index) {
            Some((_, members)) => members.push(run),
            None => rows.push((cells, vec![run])),
        }
    }
    rows.into_iter().map(|(cells, runs)| build_row(cells, runs)).collect()
}

fn build_row<'a>(cells: Vec<Cell>, runs: Vec<&'a TableRun<'a>>) -> Row<'a> {
    let figures: Vec<&Figures> = runs.iter().map(|run| &*run.figures).collect();
    let (mean, std) = Figures::mean_and_std(&figures);
    let configs = runs.iter().map(|run| &run.header.config);
    let configs: Vec<RunConfig> = configs.cloned().map(RunConfig::experiment_settings).collect();
    let property = |key: &str, value: &dyn Fn(&TableRun<'_>) -> String| {
        let values: Vec<String> = runs.iter().map(|run| value(run)).collect();
        (key.to_string(), values)
    };
    let images = |run: &TableRun<'_>| {
        let images = run.header.images.as_ref();
        images.map_or_else(String::new, |images| format!("{} {}", images.train, images.test))
    };
    // These affect results in addition to the settings.
    let others = [
        property("measured tasks", &|run| run.saved_tasks().to_string()),
        property("weight file", &|run| run.header.weights_sha256.clone()),
        property("plugin file", &|run| run.plugin_sha256.to_string()),
        property("images", &images),
    ];
    let differ_in = differences(&configs.iter().collect::<Vec<_>>());
    let differ_in = differ_in.into_iter().chain(others.into_iter().filter(differs));
    let differ_in =
        differ_in.map(|(key, values)| Spread { key, values: values.into_iter().collect() });
    let progress = runs.first().map(|run| run.progress());
    Row {
        cells,
        mean,
        std,
        unfinished: progress.filter(|progress| !progress.is_complete()),
        measured_on: runs.first().map_or("test", |run| run.header.config.evaluation_split()),
        differ_in: differ_in.collect(),
        runs,
    }
}

/// Sorts rows by the cell that `cell` returns; empty cells come last in both directions.
fn sort_by_cell<T>(rows: &mut [T], descending: bool, cell: impl Fn(&T) -> Cell) {
    rows.sort_by(|a, b| {
        let [a, b] = [cell(a), cell(b)];
        let order = match descending {
            true => b.compare(&a),
            false => a.compare(&b),
        };
        let empty = |cell: Cell| cell == Cell::Nothing;
        empty(a).cmp(&empty(b)).then(order)
    });
}

/// Returns the value of a row in a column: the mean of a figure, or the value that all of its runs share.
fn row_cell(row: &Row<'_>, column: &Column) -> Cell {
    if column.is_figure() {
        let mean = column.figure(&row.mean);
        return mean.map_or(Cell::Nothing, Cell::Number);
    }
    let mut cells = row.runs.iter().map(|run| column.cell(run));
    let first = cells.next().unwrap_or(Cell::Nothing);
    let others: Vec<Cell> = cells.collect();
    let is_measured = matches!(column, Column::Fact(fact) if setting(fact.key).is_none());
    match (others.iter().all(|cell| *cell == first), &first) {
        (true, _) => first,
        // Numeric facts, such as seconds, are averaged like figures; those with the name of a setting are not.
        (false, Cell::Number(number)) if is_measured => {
            let numbers = others.iter().filter_map(|cell| match cell {
                Cell::Number(number) => Some(*number),
                _ => None,
            });
            let all: Vec<f64> = numbers.chain([*number]).collect();
            Cell::Number(all.iter().sum::<f64>() / all.len() as f64)
        }
        (false, _) => Cell::Text("several".into()),
    }
}

/// Returns the display names of each row: the values by which its runs are grouped, or the run's name. Different values
/// that would look alike are shown in their raw form.
fn row_names(by: &[Column], rows: &[Row<'_>]) -> Vec<Vec<String>> {
    let run = |row: &Row<'_>| row.runs.iter().map(|run| run.header.run.clone()).collect();
    if by.is_empty() {
        return rows.iter().map(run).collect();
    }
    let mut names: Vec<Vec<String>> = vec![Vec::new(); rows.len()];
    for (index, column) in by.iter().enumerate() {
        let texts: Vec<String> = match column.key() == EXPERIMENT {
            true => experiment_labels(rows),
            false => rows.iter().map(|row| display_text(row, column)).collect(),
        };
        for (row, text) in texts.iter().enumerate() {
            let cell = &rows[row].cells[index];
            let mut others = texts.iter().zip(rows);
            let alike = others.any(|(other, row)| other == text && row.cells[index] != *cell);
            names[row].push(match alike {
                true => cell.to_string(),
                false => text.clone(),
            });
        }
    }
    names
}

/// Returns a label for each row, which contains the repetitions of an experiment.
fn experiment_labels(rows: &[Row<'_>]) -> Vec<String> {
    let kinds = rows.iter().filter_map(|row| {
        let first = row.runs.first()?;
        Some(Kind { header: first.header, runs: row.runs.len(), progress: first.progress() })
    });
    labels(&kinds.collect::<Vec<_>>())
}

/// Returns the display text of a row's cell that is not a figure.
fn display_text(row: &Row<'_>, column: &Column) -> String {
    let cell = match column {
        Column::RowTitle => row.cells.first().cloned().unwrap_or(Cell::Nothing),
        column => row_cell(row, column),
    };
    let first = row.runs.first();
    let matching_run = first.filter(|run| column.cell(run) == cell);
    match (&cell, matching_run) {
        // Settings are shown in full.
        (Cell::Number(number), _)
            if matches!(column, Column::Fact(_))
                && number.fract() != 0.0
                && (number.abs() >= 1.0 || column.key() == "seconds") =>
        {
            format!("{number:.1}")
        }
        (cell, Some(run)) => column.display_text(cell, run),
        (cell, None) => cell.to_string(),
    }
}
