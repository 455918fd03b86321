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
    pub fn to_arguments(&self) -> Vec<String> {
        let mut arguments: Vec<String> = Vec::new();
        let mut push_option =
            |option: &str, value: &str| arguments.push(format!("{option}={value}"));
        for condition in &self.conditions {
            push_option("--where", condition);
        }
        for (option, columns) in [("--by", &self.by), ("--columns", &self.columns)] {
            if !columns.is_empty() {
                push_option(option, &columns.join(","));
            }
        }
        for (option, value) in [("--sort", &self.sort), ("--against", &self.against)] {
            if let Some(value) = value {
                push_option(option, value);
            }
        }
        for (option, is_set) in [("--published", self.published), ("--unfinished", self.unfinished)]
        {
            arguments.extend(is_set.then(|| option.to_string()));
        }
        arguments
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
    pub fn select_runs<'a>(
        &self,
        mut runs: Vec<TableRun<'a>>,
    ) -> Result<(Vec<TableRun<'a>>, bool)> {
        let mut conditions = Vec::new();
        for text in &self.conditions {
            conditions.extend(Condition::parse(text, &runs).map_err(|p| p.at("--where"))?);
        }
        runs.retain(|run| conditions.iter().all(|condition| condition.matches(run)));
        Ok((runs, conditions.iter().any(Condition::is_about_progress)))
    }

    /// Returns the requested table; with one row per experiment if it is written to a file and no grouping is given.
    pub fn request(&self, unfinished: bool, is_file: bool) -> TableRequest {
        let by = match self.by.is_empty() && is_file {
            true => TableRequest::by_experiment().by,
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
pub(in crate::cli) fn text(run_table: &RunTable<'_>) -> String {
    let cells = run_table.to_text_table();
    let titles = cells.titles().map(|(title, align)| match align {
        Align::Left => title.to_string(),
        Align::Right => format!(">{title}"),
    });
    let mut output = Table::new(&titles.collect::<Vec<_>>());
    for row in cells.rows() {
        output.add_row(row);
    }
    let notes = cells.notes().iter().map(|note| format!("{note}\n"));
    let advice = [
        (!run_table.mixed_settings().is_empty(), "add a setting to --by to separate its values\n"),
        (run_table.omitted_count() > 0, "--unfinished shows unfinished runs\n"),
    ];
    let advice = advice.iter().filter(|(is_needed, _)| *is_needed);
    let advice: String = advice.map(|(_, text)| *text).collect();
    format!("{output}{}{advice}", notes.collect::<String>())
}
