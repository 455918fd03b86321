//! The tables of `runs`, and their layout in a terminal.

use crate::cli::output::Table;
use crate::problem::Result;
use crate::store::table::{Align, ComparisonBase, Condition, RunTable, TableRequest, TableRun};

/// Options of tables of runs.
#[derive(clap::Args)]
pub(super) struct TableOptions {
    /// Only runs that match this condition: a metric, setting or fact, one of = != > >= < <= ~, and a value ("final >
    /// 85", "method = l2p and epochs >= 5"); may be given several times
    #[arg(long = "where", value_name = "CONDITION")]
    pub conditions: Vec<String>,
    /// Group runs by these columns: mean ± std over everything else, including class orders and seeds ("method,pet")
    #[arg(long, value_name = "COLUMN,…", value_delimiter = ',')]
    by: Vec<String>,
    /// Show these metrics, settings or facts instead of the usual ones ("final,bwt,ece,seconds")
    #[arg(long, value_name = "COLUMN,…", value_delimiter = ',')]
    columns: Vec<String>,
    /// Sort by this column; with a leading - in descending order ("-final")
    #[arg(long, value_name = "[-]COLUMN", allow_hyphen_values = true)]
    sort: Option<String>,
    /// Compare all rows with the one whose runs match this condition: mean difference of A_N over pairs of runs with
    /// the same classes, tasks and seed, with its 95 % interval ("method = baseline")
    #[arg(long, value_name = "CONDITION")]
    against: Option<String>,
    /// Include unfinished runs, in separate rows; otherwise tables, figures and reports contain only finished runs,
    /// unless a run is named or a condition uses `state` or `tasks_done`
    #[arg(long)]
    pub unfinished: bool,
    /// Add the published A_N to each row found in a paper's table, the difference, and how the settings differ
    #[arg(long)]
    published: bool,
}

impl TableOptions {
    /// Returns the arguments that request the same table.
    pub fn words(&self) -> Vec<String> {
        let mut words: Vec<String> = Vec::new();
        let mut give = |option: &str, value: &str| words.push(format!("{option}={value}"));
        for condition in &self.conditions {
            give("--where", condition);
        }
        for (option, columns) in [("--by", &self.by), ("--columns", &self.columns)] {
            if !columns.is_empty() {
                give(option, &columns.join(","));
            }
        }
        for (option, value) in [("--sort", &self.sort), ("--against", &self.against)] {
            if let Some(value) = value {
                give(option, value);
            }
        }
        for (option, on) in [
            ("--published", self.published),
            ("--unfinished", self.unfinished),
        ] {
            words.extend(on.then(|| option.to_string()));
        }
        words
    }

    /// Returns whether a table is requested, not the default list.
    pub fn asks_for_table(&self) -> bool {
        !self.by.is_empty()
            || !self.columns.is_empty()
            || self.sort.is_some()
            || self.against.is_some()
            || self.published
    }

    /// Returns the runs that meet all conditions, and whether a condition is about their progress.
    pub fn chosen<'a>(&self, mut runs: Vec<TableRun<'a>>) -> Result<(Vec<TableRun<'a>>, bool)> {
        let mut all = Vec::new();
        for text in &self.conditions {
            all.extend(Condition::read(text, &runs).map_err(|p| p.at("--where"))?);
        }
        runs.retain(|run| all.iter().all(|condition| condition.holds(run)));
        Ok((runs, all.iter().any(Condition::asks_for_progress)))
    }

    /// Returns the requested table; with one row per experiment if it is written to a file and no grouping is given.
    pub fn request(&self, unfinished: bool, into_file: bool) -> TableRequest {
        let by = match self.by.is_empty() && into_file {
            true => TableRequest::of_experiments().by,
            false => self.by.clone(),
        };
        TableRequest {
            by,
            columns: self.columns.clone(),
            sort: self.sort.clone(),
            against: self.against.clone().map(ComparisonBase::Condition),
            published: self.published,
            unfinished,
        }
    }
}

/// Returns the table as text.
pub(in crate::cli) fn text(of: &RunTable<'_>) -> String {
    let table = of.cells();
    let titles = table.titles().map(|(title, align)| match align {
        Align::Left => title.to_string(),
        Align::Right => format!(">{title}"),
    });
    let mut shown = Table::new(&titles.collect::<Vec<_>>());
    for row in table.rows() {
        shown.row(row);
    }
    let notes = table.notes().iter().map(|note| format!("{note}\n"));
    let advice = [
        (
            !of.mixed().is_empty(),
            "add a setting to --by to separate its values\n",
        ),
        (of.left_out() > 0, "--unfinished shows unfinished runs\n"),
    ];
    let advice = advice.iter().filter(|(is_needed, _)| *is_needed);
    let advice: String = advice.map(|(_, words)| *words).collect();
    format!("{shown}{}{advice}", notes.collect::<String>())
}
