//! A requested table of runs: grouped by settings, sorted, and compared with other rows or published results.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use serde::Serialize;

use super::column::EXPERIMENT;
use super::{
    Cell, Column, Condition, Difference, FIGURES, PublishedComparison, Row, Spread, TableRun,
    build_row, deduplicate, group_rows, row_cell, row_names, seedless_methods, sort_by_cell,
};
use crate::message;
use crate::problem::{Problem, Result};
use crate::store::Figures;
use crate::store::groups::Progress;

/// A request for a table of runs. Columns have the names of [`Column::from_name`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TableRequest {
    /// The columns by which runs are grouped into rows; if empty, each run has its own row.
    pub by: Vec<String>,
    /// The columns to show; if empty, the usual figures.
    pub columns: Vec<String>,
    /// The column by which rows are sorted; a leading `-` sorts in descending order.
    pub sort: Option<String>,
    /// The row with which the others are compared.
    pub against: Option<ComparisonBase>,
    /// Whether published figures are shown.
    pub published: bool,
    /// Whether unfinished runs are included. Their A_N covers fewer classes.
    pub unfinished: bool,
}

/// The row with which others are compared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ComparisonBase {
    /// The row all of whose runs meet this condition.
    Condition(String),
    /// The row that contains the run in this folder; if there is none, rows are not compared.
    RowOf(PathBuf),
}

/// Rows that the caller has grouped, with their titles.
pub type GroupedRows<'a> = Vec<(String, Vec<&'a TableRun<'a>>)>;

impl TableRequest {
    /// Returns the request for a table with one row per experiment, which contains its repetitions with different class
    /// orders and seeds.
    pub fn by_experiment() -> Self {
        Self { by: vec![EXPERIMENT.into()], ..Self::default() }
    }

    /// Returns the table of these runs.
    ///
    /// # Errors
    /// Returns a Problem if a column or condition is invalid, or if the condition does not select a row. Its place is
    /// the option of `runs`.
    pub fn build<'a>(&self, runs: &'a [TableRun<'a>]) -> Result<RunTable<'a>> {
        let by = find_columns(&self.by, runs, "--by")?;
        if let Some(figure) = by.iter().find(|column| column.is_figure()) {
            let what = message!("problem-group-by-metric", figure = figure.key());
            return Err(Problem::new(what).at("--by").advise(message!("advice-group-by-setting")));
        }
        let unique_runs = deduplicate(runs).into_iter();
        let (shown, omitted): (Vec<_>, Vec<_>) =
            unique_runs.partition(|run| self.unfinished || run.progress().is_complete());
        self.build_table(group_rows(shown, &by), by, omitted, runs)
    }

    /// Returns the table of these rows; [`TableRequest::by`] is ignored.
    ///
    /// # Errors
    /// Returns the same Problems as [`TableRequest::build`].
    pub fn build_from_rows<'a>(
        &self,
        grouped: GroupedRows<'a>,
        runs: &'a [TableRun<'a>],
    ) -> Result<RunTable<'a>> {
        let rows = grouped.into_iter().filter(|(_, runs)| !runs.is_empty());
        let rows = rows.map(|(title, runs)| build_row(vec![Cell::Text(title)], runs));
        self.build_table(rows.collect(), vec![Column::RowTitle], Vec::new(), runs)
    }

    /// Sorts the rows and compares them with the base and with published results.
    fn build_table<'a>(
        &self,
        mut rows: Vec<Row<'a>>,
        by: Vec<Column>,
        omitted: Vec<&'a TableRun<'a>>,
        runs: &'a [TableRun<'a>],
    ) -> Result<RunTable<'a>> {
        let mut columns = find_columns(&self.columns, runs, "--columns")?;
        if columns.is_empty() {
            columns.extend(FIGURES.iter().take(4).map(Column::Figure));
        }
        if let Some(name) = &self.sort {
            let (name, descending) = match name.strip_prefix('-') {
                Some(name) => (name, true),
                None => (name.as_str(), false),
            };
            let column = Column::from_name(name, runs).map_err(|p| p.at("--sort"))?;
            sort_by_cell(&mut rows, descending, |row| row_cell(row, &column));
            if column.is_figure() {
                // Figures of unfinished runs cover fewer classes and cannot be ranked with the others.
                rows.sort_by_key(|row| row.unfinished.is_some());
            }
        }
        let bases = match &self.against {
            None => Vec::new(),
            Some(ComparisonBase::RowOf(folder)) => {
                let base = rows.iter().position(|row| row.contains_run(folder));
                base.into_iter().collect()
            }
            Some(ComparisonBase::Condition(text)) => {
                find_bases(&rows, text, runs).map_err(|p| p.at("--against"))?
            }
        };
        let comparisons = (0..rows.len()).map(|at| {
            let base = comparison_base(&rows, &bases, at).filter(|base| *base != at);
            let published = self.published.then(|| rows[at].compare_published());
            RowComparisons {
                against: base.and_then(|base| Difference::new(&rows[at], &rows[base])),
                not_published: published.as_ref().and_then(|p| p.as_ref().err().cloned()),
                published: published.and_then(std::result::Result::ok),
            }
        });
        Ok(RunTable {
            comparisons: comparisons.collect(),
            seedless: seedless_methods(&rows, runs),
            names: row_names(&by, &rows),
            by,
            columns,
            rows,
            bases,
            published: self.published,
            omitted,
        })
    }
}

/// Returns the columns with these names.
fn find_columns(names: &[String], runs: &[TableRun<'_>], option: &str) -> Result<Vec<Column>> {
    let columns = names.iter().map(|name| Column::from_name(name, runs));
    columns.collect::<Result<_>>().map_err(|p| p.at(option))
}

impl Row<'_> {
    /// Returns whether the row contains the run in this folder.
    fn contains_run(&self, folder: &Path) -> bool {
        self.runs.iter().any(|run| run.header.folder == folder)
    }
}

/// Returns the rows all of whose runs meet a condition: one for each kind of images on which rows are measured. A
/// finished row is preferred to an unfinished one.
fn find_bases(rows: &[Row<'_>], text: &str, runs: &[TableRun<'_>]) -> Result<Vec<usize>> {
    let conditions = Condition::parse(text, runs)?;
    let is_match = |row: &Row<'_>| {
        let mut runs = row.runs.iter();
        runs.all(|run| conditions.iter().all(|condition| condition.matches(run)))
    };
    let mut matching: Vec<usize> = (0..rows.len()).filter(|&at| is_match(&rows[at])).collect();
    matching.sort_by_key(|&at| rows[at].unfinished.is_some());
    let mut bases: Vec<usize> = Vec::new();
    for at in matching {
        let existing = comparison_base(rows, &bases, at);
        match existing.map(|existing| rows[existing].unfinished == rows[at].unfinished) {
            None => bases.push(at),
            Some(false) => {}
            Some(true) => {
                return Err(Problem::new(message!("problem-several-rows-with-value", text))
                    .advise(message!("advice-narrow-row-condition")));
            }
        }
    }
    match bases.is_empty() {
        false => Ok(bases),
        true => Err(Problem::new(message!("problem-no-row-with-value", text))
            .advise(message!("advice-use-value-of-columns"))),
    }
}

/// Returns the base with which a row is compared: the one measured on the same images.
fn comparison_base(rows: &[Row<'_>], bases: &[usize], at: usize) -> Option<usize> {
    let same = |base: &&usize| rows[**base].measured_on == rows[at].measured_on;
    bases.iter().find(same).copied()
}

/// A table of runs.
pub struct RunTable<'a> {
    pub(super) by: Vec<Column>,
    pub(super) columns: Vec<Column>,
    pub(super) rows: Vec<Row<'a>>,
    /// The name of each row: the text of each column by which runs are grouped.
    pub(super) names: Vec<Vec<String>>,
    /// The comparisons of each row.
    pub(super) comparisons: Vec<RowComparisons>,
    /// The indices of the rows with which others are compared.
    pub(super) bases: Vec<usize>,
    pub(super) published: bool,
    /// Unfinished runs without a row.
    omitted: Vec<&'a TableRun<'a>>,
    /// Titles of methods that use no random numbers and whose runs with different seeds count once.
    pub seedless: BTreeSet<String>,
}

/// The key of the only figure that not all methods have.
const CALIBRATION_ERROR: &str = "calibration_error";

/// The comparisons of a row.
#[derive(Clone, Debug, Serialize)]
pub struct RowComparisons {
    /// The difference from the base; `None` for the base.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub against: Option<Difference>,
    /// The matching published row.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub published: Option<PublishedComparison>,
    /// Why there is no published row, if published rows are requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub not_published: Option<String>,
}

/// A row of the JSON.
#[derive(Serialize)]
pub struct JsonRow<'a> {
    by: BTreeMap<String, &'a Cell>,
    runs: Vec<&'a str>,
    measured_on: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    unfinished: Option<Progress>,
    mean: &'a Figures,
    std: &'a Figures,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    differ_in: Vec<&'a Spread>,
    #[serde(flatten)]
    beside: &'a RowComparisons,
}

impl RunTable<'_> {
    /// Returns the rows for scripts.
    pub fn to_json_rows(&self) -> Vec<JsonRow<'_>> {
        let rows = self.rows_with_comparisons().map(|(row, comparisons)| JsonRow {
            by: self.by.iter().map(Column::key).zip(&row.cells).collect(),
            runs: row.runs.iter().map(|run| run.header.run.as_str()).collect(),
            measured_on: row.measured_on,
            unfinished: row.unfinished,
            mean: &row.mean,
            std: &row.std,
            differ_in: row.differ_in.iter().collect(),
            beside: comparisons,
        });
        rows.collect()
    }

    /// Returns the rows.
    pub fn rows(&self) -> &[Row<'_>] {
        &self.rows
    }

    /// Returns each row with its comparisons.
    pub fn rows_with_comparisons(&self) -> impl Iterator<Item = (&Row<'_>, &RowComparisons)> {
        self.rows.iter().zip(&self.comparisons)
    }

    /// Returns the number of unfinished runs without a row.
    pub fn omitted_count(&self) -> usize {
        self.omitted.len()
    }

    /// Returns the settings besides class order and seed in which runs of one row differ.
    pub fn mixed_settings(&self) -> Vec<&str> {
        let mixed = self.rows.iter().filter(|row| !row.differ_in.is_empty());
        let keys: BTreeSet<&str> =
            mixed.flat_map(|row| row.differ_in.iter().map(|spread| spread.key.as_str())).collect();
        keys.into_iter().collect()
    }

    /// Returns a sentence for each row with the source of its published figures and the differences of the experiments.
    /// Rows without published figures for the same reason share a sentence.
    pub fn published_sources(&self) -> Vec<String> {
        let mut sentences = Vec::new();
        let mut unmatched: Vec<(&str, Vec<String>)> = Vec::new();
        for ((_, comparisons), names) in self.rows_with_comparisons().zip(&self.names) {
            let name = names.join(", ");
            if let Some(why) = &comparisons.not_published {
                match unmatched.iter_mut().find(|(reason, _)| reason == why) {
                    Some((_, rows)) => rows.push(name),
                    None => unmatched.push((why, vec![name])),
                }
                continue;
            }
            let Some(comparison) = &comparisons.published else {
                continue;
            };
            sentences.push(format!("{name}: published as {}", comparison.description()));
        }
        let unmatched = unmatched.into_iter();
        sentences.extend(unmatched.map(|(why, rows)| format!("{}: {why}", rows.join("; "))));
        sentences
    }

    /// Returns notes on the figures, one sentence each: what means are taken over, which runs are omitted, and the
    /// sources of published figures.
    pub fn notes(&self) -> Vec<String> {
        let mut notes = Vec::new();
        let mixed = self.mixed_settings();
        if !mixed.is_empty() {
            notes.push(format!("means include runs that differ in {}", mixed.join(", ")));
        }
        notes.extend(self.seedless.iter().map(|title| {
            format!(
                "{title} uses no random numbers: runs that differ only in the seed are counted once"
            )
        }));
        let omitted: Vec<String> =
            self.omitted.iter().map(|run| describe_unfinished(run)).collect();
        if !omitted.is_empty() {
            notes.push(format!("omitted because unfinished: {}", omitted.join("; ")));
        }
        notes.extend(self.uncalibrated_notes());
        notes.extend(self.published_sources());
        notes
    }

    /// Returns why rows or some of their runs have no calibration error, if that is a column. Rows with the same reason
    /// share a sentence.
    fn uncalibrated_notes(&self) -> Vec<String> {
        let is_calibration_error = |column: &Column| column.key() == CALIBRATION_ERROR;
        if !self.columns.iter().any(is_calibration_error) {
            return Vec::new();
        }
        let mut rows_by_reason: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for (row, names) in self.rows.iter().zip(&self.names) {
            let reasons = row.runs.iter().filter_map(|run| {
                let method = &run.header.method;
                let why = method.uncalibrated_reason()?;
                Some(format!("no calibration error for {}: {why}", method.title))
            });
            for reason in reasons.collect::<BTreeSet<_>>() {
                let rows = rows_by_reason.entry(reason).or_default();
                rows.push(names.join(", "));
            }
        }
        let notes = rows_by_reason.into_iter();
        notes.map(|(reason, rows)| format!("{}: {reason}", rows.join("; "))).collect()
    }
}

/// Returns the text that describes an omitted run.
fn describe_unfinished(run: &TableRun<'_>) -> String {
    let header = run.header;
    let name = header.name_or_title();
    format!("{name} ({}, {})", run.progress(), header.run)
}
