//! A requested table of runs: grouped by settings, sorted, and compared with other rows or published results.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use serde::Serialize;

use super::column::EXPERIMENT;
use super::{
    BesidePublished, Cell, Column, Condition, Difference, FIGURES, Row, Spread, TableRun, cell_of,
    counted, names, row, rows, seedless, sort_by_cell,
};
use crate::message;
use crate::problem::{Problem, Result};
use crate::store::Figures;
use crate::store::groups::Progress;

/// A request for a table of runs. Columns have the names of [`Column::named`].
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
pub type GivenRows<'a> = Vec<(String, Vec<&'a TableRun<'a>>)>;

impl TableRequest {
    /// Returns the request for a table with one row per experiment, which contains its repetitions with different class
    /// orders and seeds.
    pub fn of_experiments() -> Self {
        Self {
            by: vec![EXPERIMENT.into()],
            ..Self::default()
        }
    }

    /// Returns the table of these runs.
    ///
    /// # Errors
    /// Returns a Problem if a column or condition is invalid, or if the condition does not select a row. Its place is
    /// the option of `runs`.
    pub fn table<'a>(&self, runs: &'a [TableRun<'a>]) -> Result<RunTable<'a>> {
        let by = named(&self.by, runs, "--by")?;
        if let Some(figure) = by.iter().find(|column| column.is_figure()) {
            let what = message!("problem-group-by-metric", figure = figure.key());
            return Err(Problem::new(what)
                .at("--by")
                .advise(message!("advice-group-by-setting")));
        }
        let counted = counted(runs).into_iter();
        let (shown, left_out): (Vec<_>, Vec<_>) =
            counted.partition(|run| self.unfinished || run.progress().is_complete());
        self.filled(rows(shown, &by), by, left_out, runs)
    }

    /// Returns the table of these rows; [`TableRequest::by`] is ignored.
    ///
    /// # Errors
    /// Returns the same Problems as [`TableRequest::table`].
    pub fn table_of_rows<'a>(
        &self,
        given: GivenRows<'a>,
        runs: &'a [TableRun<'a>],
    ) -> Result<RunTable<'a>> {
        let rows = given.into_iter().filter(|(_, runs)| !runs.is_empty());
        let rows = rows.map(|(title, runs)| row(vec![Cell::Text(title)], runs));
        self.filled(rows.collect(), vec![Column::Given], Vec::new(), runs)
    }

    /// Sorts the rows and compares them with the base and with published results.
    fn filled<'a>(
        &self,
        mut rows: Vec<Row<'a>>,
        by: Vec<Column>,
        left_out: Vec<&'a TableRun<'a>>,
        runs: &'a [TableRun<'a>],
    ) -> Result<RunTable<'a>> {
        let mut columns = named(&self.columns, runs, "--columns")?;
        if columns.is_empty() {
            columns.extend(FIGURES.iter().take(4).map(Column::Figure));
        }
        if let Some(name) = &self.sort {
            let (name, descending) = match name.strip_prefix('-') {
                Some(name) => (name, true),
                None => (name.as_str(), false),
            };
            let column = Column::named(name, runs).map_err(|p| p.at("--sort"))?;
            sort_by_cell(&mut rows, descending, |row| cell_of(row, &column));
            if column.is_figure() {
                // Figures of unfinished runs cover fewer classes and cannot be ranked with the others.
                rows.sort_by_key(|row| row.unfinished.is_some());
            }
        }
        let bases = match &self.against {
            None => Vec::new(),
            Some(ComparisonBase::RowOf(folder)) => {
                let base = rows.iter().position(|row| row.holds(folder));
                base.into_iter().collect()
            }
            Some(ComparisonBase::Condition(text)) => {
                bases(&rows, text, runs).map_err(|p| p.at("--against"))?
            }
        };
        let beside = (0..rows.len()).map(|at| {
            let base = base_of(&rows, &bases, at).filter(|base| *base != at);
            let published = self.published.then(|| rows[at].beside_published());
            RowComparisons {
                against: base.and_then(|base| Difference::new(&rows[at], &rows[base])),
                not_published: published.as_ref().and_then(|p| p.as_ref().err().cloned()),
                published: published.and_then(std::result::Result::ok),
            }
        });
        Ok(RunTable {
            beside: beside.collect(),
            seedless: seedless(&rows, runs),
            names: names(&by, &rows),
            by,
            columns,
            rows,
            bases,
            published: self.published,
            left_out,
        })
    }
}

/// Returns the columns with these names.
fn named(names: &[String], runs: &[TableRun<'_>], at: &str) -> Result<Vec<Column>> {
    let named = names.iter().map(|name| Column::named(name, runs));
    named.collect::<Result<_>>().map_err(|p| p.at(at))
}

impl Row<'_> {
    /// Returns whether the row contains the run in this folder.
    fn holds(&self, folder: &Path) -> bool {
        self.runs.iter().any(|run| run.header.folder == folder)
    }
}

/// Returns the rows all of whose runs meet a condition: one for each kind of images on which rows are measured. A
/// finished row is preferred to an unfinished one.
fn bases(rows: &[Row<'_>], text: &str, runs: &[TableRun<'_>]) -> Result<Vec<usize>> {
    let conditions = Condition::read(text, runs)?;
    let meets = |row: &Row<'_>| {
        let mut runs = row.runs.iter();
        runs.all(|run| conditions.iter().all(|condition| condition.holds(run)))
    };
    let mut meant: Vec<usize> = (0..rows.len()).filter(|&at| meets(&rows[at])).collect();
    meant.sort_by_key(|&at| rows[at].unfinished.is_some());
    let mut bases: Vec<usize> = Vec::new();
    for at in meant {
        let known = base_of(rows, &bases, at);
        match known.map(|known| rows[known].unfinished == rows[at].unfinished) {
            None => bases.push(at),
            Some(false) => {}
            Some(true) => {
                return Err(
                    Problem::new(message!("problem-several-rows-with-value", text))
                        .advise(message!("advice-narrow-row-condition")),
                );
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
fn base_of(rows: &[Row<'_>], bases: &[usize], at: usize) -> Option<usize> {
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
    pub(super) beside: Vec<RowComparisons>,
    /// The indices of the rows with which others are compared.
    pub(super) bases: Vec<usize>,
    pub(super) published: bool,
    /// Unfinished runs without a row.
    left_out: Vec<&'a TableRun<'a>>,
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
    pub published: Option<BesidePublished>,
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
    pub fn json(&self) -> Vec<JsonRow<'_>> {
        let rows = self.both().map(|(row, beside)| JsonRow {
            by: self.by.iter().map(Column::key).zip(&row.cells).collect(),
            runs: row.runs.iter().map(|run| run.header.run.as_str()).collect(),
            measured_on: row.measured_on,
            unfinished: row.unfinished,
            mean: &row.mean,
            std: &row.std,
            differ_in: row.differ_in.iter().collect(),
            beside,
        });
        rows.collect()
    }

    /// Returns the rows.
    pub fn rows(&self) -> &[Row<'_>] {
        &self.rows
    }

    /// Returns each row with its comparisons.
    pub fn both(&self) -> impl Iterator<Item = (&Row<'_>, &RowComparisons)> {
        self.rows.iter().zip(&self.beside)
    }

    /// Returns the number of unfinished runs without a row.
    pub fn left_out(&self) -> usize {
        self.left_out.len()
    }

    /// Returns the settings besides class order and seed in which runs of one row differ.
    pub fn mixed(&self) -> Vec<&str> {
        let mixed = self.rows.iter().filter(|row| !row.differ_in.is_empty());
        let keys: BTreeSet<&str> = mixed
            .flat_map(|row| row.differ_in.iter().map(|spread| spread.key.as_str()))
            .collect();
        keys.into_iter().collect()
    }

    /// Returns a sentence for each row with the source of its published figures and the differences of the experiments.
    /// Rows without published figures for the same reason share a sentence.
    pub fn sources(&self) -> Vec<String> {
        let mut lines = Vec::new();
        let mut without: Vec<(&str, Vec<String>)> = Vec::new();
        for ((_, beside), names) in self.both().zip(&self.names) {
            let name = names.join(", ");
            if let Some(why) = &beside.not_published {
                match without.iter_mut().find(|(known, _)| known == why) {
                    Some((_, rows)) => rows.push(name),
                    None => without.push((why, vec![name])),
                }
                continue;
            }
            let Some(beside) = &beside.published else {
                continue;
            };
            lines.push(format!("{name}: published as {}", beside.words()));
        }
        let without = without.into_iter();
        lines.extend(without.map(|(why, rows)| format!("{}: {why}", rows.join("; "))));
        lines
    }

    /// Returns notes on the figures, one sentence each: what means are taken over, which runs are omitted, and the
    /// sources of published figures.
    pub fn notes(&self) -> Vec<String> {
        let mut notes = Vec::new();
        let mixed = self.mixed();
        if !mixed.is_empty() {
            notes.push(format!(
                "means include runs that differ in {}",
                mixed.join(", ")
            ));
        }
        notes.extend(self.seedless.iter().map(|title| {
            format!(
                "{title} uses no random numbers: runs that differ only in the seed are counted once"
            )
        }));
        let left_out: Vec<String> = self.left_out.iter().map(|run| unfinished(run)).collect();
        if !left_out.is_empty() {
            notes.push(format!(
                "omitted because unfinished: {}",
                left_out.join("; ")
            ));
        }
        notes.extend(self.uncalibrated());
        notes.extend(self.sources());
        notes
    }

    /// Returns why rows or some of their runs have no calibration error, if that is a column. Rows with the same reason
    /// share a sentence.
    fn uncalibrated(&self) -> Vec<String> {
        let shown = |column: &Column| column.key() == CALIBRATION_ERROR;
        if !self.columns.iter().any(shown) {
            return Vec::new();
        }
        let mut rows_by_reason: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for (row, names) in self.rows.iter().zip(&self.names) {
            let reasons = row.runs.iter().filter_map(|run| {
                let method = &run.header.method;
                let why = method.why_uncalibrated()?;
                Some(format!("no calibration error for {}: {why}", method.title))
            });
            for reason in reasons.collect::<BTreeSet<_>>() {
                let rows = rows_by_reason.entry(reason).or_default();
                rows.push(names.join(", "));
            }
        }
        let notes = rows_by_reason.into_iter();
        notes
            .map(|(reason, rows)| format!("{}: {reason}", rows.join("; ")))
            .collect()
    }
}

/// Returns the text that describes an omitted run.
fn unfinished(run: &TableRun<'_>) -> String {
    let header = run.header;
    let name = header.name_or_title();
    format!("{name} ({}, {})", run.progress(), header.run)
}
