//! The table of runs on Compare. A helper thread builds it when the runs, the selection or the columns change.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;

use super::Session;
use super::run_row::{Rows, RunRow};
use crate::metrics::{mean, std_dev};
use crate::problem::{Problem, Result};
use crate::store::figure::Point;
use crate::store::table::{Align, ColumnChoice, Row, TableRequest, TableRun, TextTable};
use crate::texts::Language;
use crate::tr;

/// A request for a table.
#[derive(Clone, Debug)]
pub struct RunTableRequest {
    /// The columns and rows of the table.
    pub request: TableRequest,
    /// The list of all runs.
    pub rows: Rows,
    /// The indices of the runs to include.
    pub indices: Arc<[usize]>,
}

impl RunTableRequest {
    fn is_same(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.rows, &other.rows)
            && Arc::ptr_eq(&self.indices, &other.indices)
            && self.request == other.request
    }
}

/// A table in the form that the page shows.
#[derive(Clone, Debug)]
pub struct TableView {
    /// Its columns.
    pub columns: Vec<ShownColumn>,
    /// Its rows.
    pub rows: Vec<ShownRow>,
    /// Settings that are equal in all rows and therefore have no column, such as "data digits".
    pub common: Vec<String>,
    /// Settings other than class order and seed that differ between the runs of one row.
    pub mixed: Vec<String>,
    /// Number of unfinished runs, which have no row.
    pub unfinished_runs: usize,
    /// Titles of deterministic methods. Their runs with several seeds count once.
    pub seedless: Vec<String>,
    /// Sources of published results, and how their settings differ from the runs'.
    pub sources: Vec<String>,
    /// The columns that the user can select: facts and settings that differ, and figures.
    pub choices: Vec<ColumnChoice>,
    /// The whole table as text, for copying.
    pub text: TextTable,
}

/// A column of the table.
#[derive(Clone, Debug)]
pub struct ShownColumn {
    /// Its title.
    pub title: String,
    /// The sort key; `None` if the rows cannot be sorted by it.
    pub key: Option<String>,
    /// The alignment of its cells.
    pub align: Align,
    /// Length of its longest cell, in characters.
    pub width: usize,
}

/// A row of the table.
#[derive(Clone, Debug)]
pub struct ShownRow {
    /// One cell for each column.
    pub cells: Vec<String>,
    /// The settings that distinguish it from other rows, in words.
    pub title: String,
    /// The folders of its runs.
    pub runs: Vec<PathBuf>,
    /// The method of all its runs; empty if they have several.
    pub method: String,
    /// The accuracy after each task, in percent: mean and standard deviation over its runs.
    pub curve: Vec<Point>,
}

/// The table that was requested last.
#[derive(Default)]
pub struct RunTable {
    request: Option<RunTableRequest>,
    /// The newest table that is finished.
    pub table: Option<Result<Arc<TableView>>>,
}

impl RunTable {
    /// Marks the table as outdated. It is kept until a newer one is finished.
    pub fn invalidate(&mut self) {
        self.request = None;
    }

    /// Returns whether this table was requested last.
    pub fn is_requested(&self, request: &RunTableRequest) -> bool {
        self.request.as_ref().is_some_and(|previous| previous.is_same(request))
    }
}

impl Session {
    /// Builds a table on a helper thread.
    pub fn build_table(&mut self, request: RunTableRequest) {
        if self.compare.table.is_requested(&request) {
            return;
        }
        self.compare.table.request = Some(request.clone());
        self.task(
            move |_| Ok((build_view(&request), request)),
            |session, result| {
                let (view, request) = match result {
                    Ok((view, ask)) => (view, Some(ask)),
                    Err(problem) => (Err(problem), None),
                };
                let table = &mut session.compare.table;
                if request.is_none_or(|request| table.is_requested(&request)) {
                    table.table = Some(view.map(Arc::new));
                }
            },
        );
    }
}

fn build_view(request: &RunTableRequest) -> Result<TableView> {
    let rows: Vec<&RunRow> = request.indices.iter().map(|index| &*request.rows[*index]).collect();
    let runs: Vec<TableRun<'_>> = rows.iter().filter_map(|row| row.to_table_run()).collect();
    let mut table = request.request.build(&runs)?;
    if table.rows().is_empty() && table.omitted_count() > 0 {
        // If no run is finished, the unfinished runs are shown.
        let with_unfinished = TableRequest { unfinished: true, ..request.request.clone() };
        table = with_unfinished.build(&runs)?;
    }
    if table.rows().is_empty() {
        let problem = Problem::new(tr!("session-no-run-finished-task"));
        return Err(problem.advise(tr!("session-no-run-finished-task-advice")));
    }
    let (text, keys) = (table.to_text_table(), table.sort_keys());
    let titles: Vec<(&str, Align)> = text.titles().collect();
    let group_columns = request.request.by.len();
    let is_common = |index: usize| {
        let mut pairs = text.rows().windows(2);
        index < group_columns
            && text.rows().len() > 1
            && pairs.all(|pair| pair[0][index] == pair[1][index])
    };
    let (common, shown): (Vec<usize>, Vec<usize>) =
        (0..keys.len()).partition(|index| is_common(*index));
    let column = |index: &usize| {
        let cells = text.rows().iter().map(|row| row[*index].chars().count());
        ShownColumn {
            title: titles[*index].0.to_string(),
            key: keys[*index].clone(),
            align: titles[*index].1,
            width: cells.max().unwrap_or(0),
        }
    };
    // Numbers use the decimal sign of the window's language.
    let cell = |text: &String, align| match align {
        Align::Right => Language::spoken().format_input(text),
        Align::Left => text.clone(),
    };
    let by_folder: HashMap<&PathBuf, &RunRow> = rows.iter().map(|r| (&r.folder, *r)).collect();
    let row = |(row, cells): (&Row<'_>, &Vec<String>)| {
        let runs = row.runs.iter().map(|run| run.header.folder.clone());
        let runs: Vec<PathBuf> = runs.collect();
        let run_rows = runs.iter().filter_map(|run| by_folder.get(run).copied());
        let run_rows: Vec<&RunRow> = run_rows.collect();
        let labels = shown.iter().filter(|index| **index < group_columns);
        let labels: Vec<&str> = labels.map(|index| cells[*index].as_str()).collect();
        ShownRow {
            cells: shown.iter().map(|index| cell(&cells[*index], titles[*index].1)).collect(),
            title: match group_columns {
                0 => run_rows.first().map_or_else(String::new, |row| row.title()),
                _ => labels.join(" · "),
            },
            method: method_of(&run_rows).to_string(),
            curve: curve(&run_rows),
            runs,
        }
    };
    let common_text = |index: &usize| format!("{} {}", titles[*index].0, text.rows()[0][*index]);
    Ok(TableView {
        columns: shown.iter().map(column).collect(),
        common: common
            .iter()
            .filter(|index| text.rows()[0][**index] != "–")
            .map(common_text)
            .collect(),
        mixed: table.mixed_settings().into_iter().map(str::to_string).collect(),
        unfinished_runs: table.omitted_count(),
        seedless: table.seedless.iter().cloned().collect(),
        sources: table.published_sources(),
        choices: ColumnChoice::available(&runs),
        rows: table.rows().iter().zip(text.rows()).map(row).collect(),
        text: text.clone(),
    })
}

/// Returns the method of all these runs; empty if they have several.
fn method_of<'a>(runs: &[&'a RunRow]) -> &'a str {
    let headers = runs.iter().filter_map(|row| row.header.as_ref());
    let mut methods = headers.map(|header| header.config.method.as_str());
    let first = methods.next().unwrap_or_default();
    if methods.all(|method| method == first) { first } else { "" }
}

/// Returns mean and standard deviation, over the runs, of the accuracy after each task.
fn curve(runs: &[&RunRow]) -> Vec<Point> {
    let tasks = runs.iter().map(|row| row.answer_history().accuracy.len()).max();
    let point = |task: usize| {
        let values = runs.iter().filter_map(|row| row.answer_history().accuracy.get(task));
        let values: Vec<f64> = values.filter(|a| a.is_finite()).map(|a| a * 100.0).collect();
        Point { x: task as f64, y: mean(&values).unwrap_or(f64::NAN), std: std_dev(&values) }
    };
    (0..tasks.unwrap_or(0)).map(point).collect()
}
