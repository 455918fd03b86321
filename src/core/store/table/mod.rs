//! Tables of runs as people ask for them: which runs (`final > 85`), put together by any setting, sorted by any column,
//! held against others over the same class orders and seeds.

mod column;
mod condition;
mod difference;
mod figures;
mod published;
mod run_table;
mod text;

use std::borrow::Cow;
use std::cmp::Ordering;
use std::collections::hash_map::Entry;
use std::collections::{BTreeSet, HashMap, HashSet};

use serde::Serialize;

pub use column::{Cell, Choice, Column};
pub use condition::Condition;
pub use difference::Difference;
pub use figures::{FIGURES, FigureSpec};
pub use published::BesidePublished;
pub use run_table::{Against, Beside, RunTable, TableRequest};
pub use text::{Align, PLUS_MINUS, TextTable};

use super::groups::{GroupKey, kinds};
use super::json::Figures;
use super::key::RunKey;
use super::load::StoredState;
use super::summary::RunSummary;
use crate::run::config::{RunConfig, differences, differs};
use crate::run::event::RunHeader;

/// A run as tables read it, borrowed from its summary or from a row of a list.
#[derive(Clone, Debug)]
pub struct Measured<'a> {
    /// Settings and facts.
    pub header: &'a RunHeader,
    /// What it is compared by, in percent.
    pub figures: Cow<'a, Figures>,
    /// Whether it has ended.
    pub state: StoredState,
    /// SHA-256 of the PET plugin's text, in hex; empty where it has none.
    pub plugin_sha256: &'a str,
    /// Seconds that it took, over all tasks.
    pub seconds: f64,
    /// By what it is told which runs repeat it; none while no task is measured.
    pub group: Option<Cow<'a, GroupKey>>,
}

impl<'a> Measured<'a> {
    /// A run, whose figures are computed here.
    pub fn of(run: &'a RunSummary) -> Self {
        Self {
            header: &run.header,
            figures: Cow::Owned(run.figures(&run.histories())),
            state: run.state,
            plugin_sha256: &run.plugin_sha256,
            seconds: run.seconds(),
            group: GroupKey::of(run).map(Cow::Owned),
        }
    }

    /// Tasks that are measured.
    pub fn saved(&self) -> usize {
        self.group.as_ref().map_or(0, |group| group.measured)
    }
}

/// Runs that stand in one row.
#[derive(Debug)]
pub struct Row<'a> {
    /// What they have in common: a cell for each column that they were put together by.
    pub cells: Vec<Cell>,
    /// The runs. Of several with equal settings, class order and seed the newest.
    pub runs: Vec<&'a Measured<'a>>,
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
        let orders = self
            .runs
            .iter()
            .map(|run| run.header.class_order.as_slice());
        let orders: HashSet<&[String]> = orders.collect();
        BesidePublished::of(
            (first.header, first.saved()),
            orders.len(),
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

/// Puts runs with equal cells in these columns into one row each, in the order of their first members; without columns
/// each run stands alone. Runs without a finished task are left out, and of runs with equal settings, class order and seed
/// the one with most tasks counts, of these the newest.
pub fn rows<'a>(runs: &'a [Measured<'a>], by: &[Column]) -> Vec<Row<'a>> {
    let newest = kinds(runs, |run| run.group.as_deref());
    let newest = newest.into_iter().flatten();
    let newest = newest.filter_map(|run| Some((run, &run.group.as_ref()?.key)));
    let mut places: HashMap<&RunKey, usize> = HashMap::new();
    let mut counted: Vec<&Measured<'_>> = Vec::new();
    for (run, key) in newest {
        match places.entry(key) {
            Entry::Vacant(vacant) => {
                vacant.insert(counted.len());
                counted.push(run);
            }
            Entry::Occupied(known) => {
                let other = &mut counted[*known.get()];
                if other.saved() < run.saved() {
                    *other = run;
                }
            }
        }
    }
    let mut places: HashMap<String, usize> = HashMap::new();
    let mut rows: Vec<(Vec<Cell>, Vec<&Measured<'_>>)> = Vec::new();
    for run in counted {
        let cells: Vec<Cell> = by.iter().map(|column| column.of(run)).collect();
        let known = match by {
            [] => rows.len(),
            // Numbers and texts that look alike are told apart here.
            _ => *places.entry(format!("{cells:?}")).or_insert(rows.len()),
        };
        match rows.get_mut(known) {
            Some((_, members)) => members.push(run),
            None => rows.push((cells, vec![run])),
        }
    }
    rows.into_iter()
        .map(|(cells, runs)| row(cells, runs))
        .collect()
}

fn row<'a>(cells: Vec<Cell>, runs: Vec<&'a Measured<'a>>) -> Row<'a> {
    let figures: Vec<&Figures> = runs.iter().map(|run| &*run.figures).collect();
    let (mean, std) = Figures::mean_and_std(&figures);
    let configs = runs.iter().map(|run| &run.header.config);
    let configs: Vec<RunConfig> = configs.cloned().map(RunConfig::repeatable).collect();
    let of_runs = |key: &str, of: &dyn Fn(&Measured<'_>) -> String| {
        let values: Vec<String> = runs.iter().map(|run| of(run)).collect();
        (key.to_string(), values)
    };
    let images = |run: &Measured<'_>| {
        let images = run.header.images.as_ref();
        images.map_or_else(String::new, |images| {
            format!("{} {}", images.train, images.test)
        })
    };
    // What decides figures beside the settings.
    let others = [
        of_runs("tasks that are measured", &|run| run.saved().to_string()),
        of_runs("file of weights", &|run| run.header.weights_sha256.clone()),
        of_runs("text of the plugin", &|run| run.plugin_sha256.to_string()),
        of_runs("images", &images),
    ];
    let differ_in = differences(&configs.iter().collect::<Vec<_>>());
    let differ_in = differ_in
        .into_iter()
        .chain(others.into_iter().filter(differs));
    let differ_in = differ_in.map(|(key, values)| Spread {
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

/// Sorts rows by a cell of each; what has none comes last, whichever way the others go.
pub fn sort_by_cell<T>(rows: &mut [T], descending: bool, cell: impl Fn(&T) -> Cell) {
    rows.sort_by_cached_key(|row| {
        let cell = cell(row);
        (cell == Cell::Nothing, Ordered { cell, descending })
    });
}

/// A cell as a key that sorts.
#[derive(PartialEq)]
struct Ordered {
    cell: Cell,
    descending: bool,
}

impl Eq for Ordered {}

impl PartialOrd for Ordered {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Ordered {
    fn cmp(&self, other: &Self) -> Ordering {
        let order = self.cell.compare(&other.cell);
        if self.descending {
            order.reverse()
        } else {
            order
        }
    }
}
