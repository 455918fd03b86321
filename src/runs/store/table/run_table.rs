//! A requested table of runs: grouped by settings, sorted, compared with others.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use serde::Serialize;

use super::column::EXPERIMENT;
use super::shown::{cell_of, names};
use super::{
    BesidePublished, Cell, Column, Condition, Difference, FIGURES, Row, Spread, TableRun, counted,
    row, rows, seedless, sort_by_cell,
};
use crate::message;
use crate::problem::{Problem, Result};
use crate::store::Figures;
use crate::store::groups::Progress;

/// How a table of runs is asked for; columns by the names of [`Column::named`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TableRequest {
    /// Runs with the same values of these are in one row; without any, each run alone.
    pub by: Vec<String>,
    /// What is shown; the usual figures where there are none.
    pub columns: Vec<String>,
    /// By what the rows are sorted, with `-` before it from high to low.
    pub sort: Option<String>,
    /// What the rows are compared with.
    pub against: Option<Against>,
    /// Whether published figures are shown too.
    pub published: bool,
    /// Whether runs that are not finished have rows, too. Their A_N is that of fewer classes.
    pub unfinished: bool,
}

/// A row that others are compared with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Against {
    /// The one all of whose runs meet this condition.
    Condition(String),
    /// The one with the run in this folder; no base if no row has it.
    RowOf(PathBuf),
}

/// Rows that are given: what each is called, and its runs.
pub type GivenRows<'a> = Vec<(String, Vec<&'a TableRun<'a>>)>;

impl TableRequest {
    /// Returns the request for a table with one row for each experiment: its repetitions, which differ in class order and
    /// seed alone, have one.
    pub fn of_experiments() -> Self {
        Self {
            by: vec![EXPERIMENT.into()],
            ..Self::default()
        }
    }

    /// The table of these runs.
    ///
    /// # Errors
    /// Returns a Problem if a column or condition cannot be read, or no row is meant by the condition; its place is the
    /// option of `runs`.
    pub fn table<'a>(&self, runs: &'a [TableRun<'a>]) -> Result<RunTable<'a>> {
        let by = named(&self.by, runs, "--by")?;
        if let Some(figure) = by.iter().find(|column| column.is_figure()) {
            let what = message!("problem-group-by-metric", figure = figure.key().to_string());
            return Err(Problem::new(what)
                .at("--by")
                .advise(message!("advice-group-by-setting")));
        }
        let counted = counted(runs).into_iter();
        let (shown, left_out): (Vec<_>, Vec<_>) =
            counted.partition(|run| self.unfinished || run.progress().is_complete());
        self.filled(rows(shown, &by), by, left_out, runs)
    }

    /// Returns the table of rows that are given, whatever [`TableRequest::by`] says.
    ///
    /// # Errors
    /// As [`TableRequest::table`].
    pub fn table_of_rows<'a>(
        &self,
        given: GivenRows<'a>,
        runs: &'a [TableRun<'a>],
    ) -> Result<RunTable<'a>> {
        let rows = given.into_iter().filter(|(_, runs)| !runs.is_empty());
        let rows = rows.map(|(title, runs)| row(vec![Cell::Text(title)], runs));
        self.filled(rows.collect(), vec![Column::Given], Vec::new(), runs)
    }

    /// Sorts the rows and fills in what they are compared with.
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
                // A figure over fewer classes is no better or worse than one over all of them.
                rows.sort_by_key(|row| row.unfinished.is_some());
            }
        }
        let bases = match &self.against {
            None => Vec::new(),
            Some(Against::RowOf(folder)) => {
                let base = rows.iter().position(|row| row.holds(folder));
                base.into_iter().collect()
            }
            Some(Against::Condition(text)) => {
                bases(&rows, text, runs).map_err(|p| p.at("--against"))?
            }
        };
        let beside = (0..rows.len()).map(|at| {
            let base = base_of(&rows, &bases, at).filter(|base| *base != at);
            let published = self.published.then(|| rows[at].beside_published());
            let (published, why_none) = match published {
                None => (None, None),
                Some(Ok(published)) => (Some(published), None),
                Some(Err(why)) => (None, Some(why)),
            };
            Beside {
                against: base.and_then(|base| Difference::of(&rows[at], &rows[base])),
                published,
                not_published: why_none,
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

/// The columns of these names.
fn named(names: &[String], runs: &[TableRun<'_>], at: &str) -> Result<Vec<Column>> {
    let named = names.iter().map(|name| Column::named(name, runs));
    named.collect::<Result<_>>().map_err(|p| p.at(at))
}

impl Row<'_> {
    /// Whether the run in this folder is in it.
    fn holds(&self, folder: &Path) -> bool {
        self.runs.iter().any(|run| run.header.folder == folder)
    }
}

/// Returns the row all of whose runs meet a condition, one of each kind of images that rows are measured on. Of a finished
/// and an unfinished row the finished one is meant.
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
                return Err(Problem::new(message!(
                    "problem-several-rows-with-value",
                    text = text.to_string()
                ))
                .advise(message!("advice-narrow-row-condition")));
            }
        }
    }
    match bases.is_empty() {
        false => Ok(bases),
        true => Err(Problem::new(message!(
            "problem-no-row-with-value",
            text = text.to_string()
        ))
        .advise(message!("advice-use-value-of-columns"))),
    }
}

/// Returns the base among these that a row is compared with: the one that is measured on the same images.
fn base_of(rows: &[Row<'_>], bases: &[usize], at: usize) -> Option<usize> {
    let same = |base: &&usize| rows[**base].measured_on == rows[at].measured_on;
    bases.iter().find(same).copied()
}

/// Rows of runs with their columns.
pub struct RunTable<'a> {
    pub(super) by: Vec<Column>,
    pub(super) columns: Vec<Column>,
    pub(super) rows: Vec<Row<'a>>,
    /// What each row is called.
    pub(super) names: Vec<Vec<String>>,
    /// What is shown next to each row.
    pub(super) beside: Vec<Beside>,
    /// The rows that others are compared with.
    pub(super) bases: Vec<usize>,
    pub(super) published: bool,
    /// Runs that are not finished and therefore have no row.
    left_out: Vec<&'a TableRun<'a>>,
    /// Titles of methods that draw nothing, whose runs of several seeds count once.
    pub seedless: BTreeSet<String>,
}

/// The key of the figure that only some methods have.
const CALIBRATION_ERROR: &str = "calibration_error";

/// What a row is compared with.
#[derive(Clone, Debug, Serialize)]
pub struct Beside {
    /// The difference from the row that all are compared with; `None` for that row.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub against: Option<Difference>,
    /// The published row that is like it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub published: Option<BesidePublished>,
    /// Why there is none, where published rows are asked for.
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
    beside: &'a Beside,
}

impl RunTable<'_> {
    /// The rows for scripts.
    pub fn json(&self) -> Vec<JsonRow<'_>> {
        self.both()
            .map(|(row, beside)| self.json_row(row, beside))
            .collect()
    }

    fn json_row<'s>(&'s self, row: &'s Row<'_>, beside: &'s Beside) -> JsonRow<'s> {
        let by = self.by.iter().map(Column::key).zip(&row.cells);
        JsonRow {
            by: by.collect(),
            runs: row.runs.iter().map(|run| run.header.run.as_str()).collect(),
            measured_on: row.measured_on,
            unfinished: row.unfinished,
            mean: &row.mean,
            std: &row.std,
            differ_in: row.differ_in.iter().collect(),
            beside,
        }
    }

    /// The rows.
    pub fn rows(&self) -> &[Row<'_>] {
        &self.rows
    }

    /// Each row with what is shown next to it.
    pub fn both(&self) -> impl Iterator<Item = (&Row<'_>, &Beside)> {
        self.rows.iter().zip(&self.beside)
    }

    /// Returns the number of runs that have no row because they are not finished.
    pub fn left_out(&self) -> usize {
        self.left_out.len()
    }

    /// The settings in which runs of one row differ, besides class order and seed.
    pub fn mixed(&self) -> Vec<&str> {
        let mixed = self.rows.iter().filter(|row| !row.differ_in.is_empty());
        let keys: BTreeSet<&str> = mixed
            .flat_map(|row| row.differ_in.iter().map(|spread| spread.key.as_str()))
            .collect();
        keys.into_iter().collect()
    }

    /// The places of published figures, and what differs from how one's own were made: a sentence for each row. Rows
    /// that lack them for the same reason share a sentence.
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

    /// Returns what a reader has to know of the figures, a sentence each: what means are also taken over, which runs are
    /// left out, the places of published figures.
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
                "{title} uses no random numbers: runs that differ only in the seed count as one"
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

    /// Returns why rows have no calibration error, or one of some of their runs alone, where that is a column. Rows with the
    /// same reason share a sentence.
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

/// How a run that is left out is named.
fn unfinished(run: &TableRun<'_>) -> String {
    let header = run.header;
    let name = match header.about.name.as_str() {
        "" => header.title(),
        name => name.to_string(),
    };
    format!("{name} ({}, {})", run.progress(), header.run)
}
