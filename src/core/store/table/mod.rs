//! Tables of runs as people ask for them: which runs (`final > 85`), put together by any setting, sorted by any column,
//! held against others over the same class orders and seeds.

mod column;
mod condition;
mod difference;
mod figures;
mod published;
mod text;

use std::cmp::Ordering;
use std::collections::BTreeSet;

use serde::Serialize;

pub use column::{Cell, Column};
pub use condition::Condition;
pub use difference::{Difference, FEWEST_PAIRS};
pub use figures::{FIGURES, FigureSpec};
pub use published::{BesidePublished, Published};
pub use text::{Align, PLUS_MINUS, TextTable};

use super::groups::{GroupKey, kinds};
use super::json::Figures;
use super::summary::RunSummary;
use crate::run::config::{RunConfig, differences};

/// A run with its figures, which are computed once.
#[derive(Clone, Debug)]
pub struct Measured {
    /// Settings, facts and counts.
    pub run: RunSummary,
    /// What it is compared by, in percent.
    pub figures: Figures,
    group: Option<GroupKey>,
}

impl Measured {
    /// A run and its figures.
    pub fn of(run: RunSummary) -> Self {
        let figures = run.figures(&run.histories());
        let group = GroupKey::of(&run);
        Self {
            run,
            figures,
            group,
        }
    }
}

/// Runs that stand in one row.
#[derive(Debug)]
pub struct Row<'a> {
    /// What they have in common: a cell for each column that they were put together by.
    pub cells: Vec<Cell>,
    /// The runs. Of several with equal settings, class order and seed the newest.
    pub runs: Vec<&'a Measured>,
    /// Mean of their figures.
    pub mean: Figures,
    /// Sample standard deviation (n − 1) of their figures; none for one run.
    pub std: Figures,
    /// Settings in which they differ beside class order and seed, with the values: what the mean is also taken over.
    pub differ_in: Vec<Spread>,
}

impl Row<'_> {
    /// The published row that is like it, where its runs differ in nothing but class order and seed.
    pub fn beside_published(&self) -> Option<BesidePublished> {
        let first = self.runs.first().filter(|_| self.differ_in.is_empty())?;
        BesidePublished::of(
            &first.run.header,
            self.runs.len(),
            self.mean.final_accuracy?,
        )
    }
}

/// A setting with the different values that the runs of a row have.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Spread {
    /// The setting's key.
    pub key: String,
    /// Its values, each once.
    pub values: BTreeSet<String>,
}

/// Puts runs with equal cells in these columns into one row each, in the order of their first members. Runs without a
/// finished task are left out.
pub fn rows<'a>(runs: &'a [Measured], by: &[Column]) -> Vec<Row<'a>> {
    // The newest of equal ones: kinds keep one of each, and a row holds any number of kinds.
    let newest = kinds(runs, |run| run.group.as_ref()).into_iter().flatten();
    let mut rows: Vec<(Vec<Cell>, Vec<&Measured>)> = Vec::new();
    for run in newest {
        let cells: Vec<Cell> = by.iter().map(|column| column.of(run)).collect();
        match rows.iter_mut().find(|(known, _)| *known == cells) {
            Some((_, members)) => members.push(run),
            None => rows.push((cells, vec![run])),
        }
    }
    rows.into_iter()
        .map(|(cells, runs)| row(cells, runs))
        .collect()
}

fn row(cells: Vec<Cell>, runs: Vec<&Measured>) -> Row<'_> {
    let figures: Vec<&Figures> = runs.iter().map(|run| &run.figures).collect();
    let (mean, std) = Figures::mean_and_std(&figures);
    let configs = runs.iter().map(|run| &run.run.header.config);
    let configs: Vec<RunConfig> = configs.cloned().map(RunConfig::repeatable).collect();
    let differ_in = differences(&configs.iter().collect::<Vec<_>>());
    let differ_in = differ_in.into_iter().map(|(key, values)| Spread {
        key,
        values: values.into_iter().collect(),
    });
    Row {
        cells,
        mean,
        std,
        differ_in: differ_in.collect(),
        runs,
    }
}

/// Sorts by keys; what has none comes last, whichever way the others go.
pub fn sort_by_cell<T>(rows: &mut [T], descending: bool, cell: impl Fn(&T) -> Cell) {
    rows.sort_by(|a, b| match (cell(a), cell(b)) {
        (Cell::Nothing, Cell::Nothing) => Ordering::Equal,
        (Cell::Nothing, _) => Ordering::Greater,
        (_, Cell::Nothing) => Ordering::Less,
        (a, b) if descending => b.compare(&a),
        (a, b) => a.compare(&b),
    });
}
