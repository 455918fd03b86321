//! The table of runs on Compare. A helper thread builds it when the runs, the selection or the columns change.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;

use super::Session;
use super::row::{Rows, RunRow};
use crate::metrics::{mean, std_dev};
use crate::problem::{Problem, Result};
use crate::store::figure::Point;
use crate::store::table::{Align, Choice, Row, TableRequest, TableRun, TextTable};
use crate::texts::Language;
use crate::tr;

/// A request for a table.
#[derive(Clone, Debug)]
pub struct TableAsk {
    /// The columns and rows of the table.
    pub request: TableRequest,
    /// The list of all runs.
    pub rows: Rows,
    /// The indices of the runs to include.
    pub places: Arc<[usize]>,
}

impl TableAsk {
    fn is(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.rows, &other.rows)
            && Arc::ptr_eq(&self.places, &other.places)
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
    pub left_out: usize,
    /// Titles of deterministic methods. Their runs with several seeds count once.
    pub seedless: Vec<String>,
    /// Sources of published results, and how their settings differ from the runs'.
    pub sources: Vec<String>,
    /// The columns that the user can select: facts and settings that differ, and figures.
    pub choices: Vec<Choice>,
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
    pub letters: usize,
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
    asked: Option<TableAsk>,
    /// The newest table that is finished.
    pub made: Option<Result<Arc<TableView>>>,
}

impl RunTable {
    /// Returns whether this table was requested last.
    pub fn is_asked(&self, ask: &TableAsk) -> bool {
        self.asked.as_ref().is_some_and(|asked| asked.is(ask))
    }
}

impl Session {
    /// Builds a table on a helper thread.
    pub fn make_table(&mut self, ask: TableAsk) {
        if self.compare.table.is_asked(&ask) {
            return;
        }
        self.compare.table.asked = Some(ask.clone());
        self.task(
            move |_| Ok((view(&ask), ask)),
            |session, made| {
                let (made, of) = match made {
                    Ok((view, ask)) => (view, Some(ask)),
                    Err(problem) => (Err(problem), None),
                };
                let table = &mut session.compare.table;
                if of.is_none_or(|of| table.is_asked(&of)) {
                    table.made = Some(made.map(Arc::new));
                }
            },
        );
    }
}

fn view(ask: &TableAsk) -> Result<TableView> {
    let rows: Vec<&RunRow> = ask.places.iter().map(|at| &*ask.rows[*at]).collect();
    let runs: Vec<TableRun<'_>> = rows.iter().filter_map(|row| row.measured()).collect();
    let mut table = ask.request.table(&runs)?;
    if table.rows().is_empty() && table.left_out() > 0 {
        // If no run is finished, the unfinished runs are shown.
        let all = TableRequest {
            unfinished: true,
            ..ask.request.clone()
        };
        table = all.table(&runs)?;
    }
    if table.rows().is_empty() {
        let problem = Problem::new(tr!("story-no-run-finished-task"));
        return Err(problem.advise(tr!("story-no-run-finished-task-advice")));
    }
    let (text, keys) = (table.cells(), table.keys());
    let titles: Vec<(&str, Align)> = text.titles().collect();
    let by = ask.request.by.len();
    let is_common = |at: usize| {
        let mut pairs = text.rows().windows(2);
        at < by && text.rows().len() > 1 && pairs.all(|pair| pair[0][at] == pair[1][at])
    };
    let (common, shown): (Vec<usize>, Vec<usize>) = (0..keys.len()).partition(|at| is_common(*at));
    let column = |at: &usize| {
        let cells = text.rows().iter().map(|row| row[*at].chars().count());
        ShownColumn {
            title: titles[*at].0.to_string(),
            key: keys[*at].clone(),
            align: titles[*at].1,
            letters: cells.max().unwrap_or(0),
        }
    };
    // Numbers use the decimal sign of the window's language.
    let cell = |text: &String, align| match align {
        Align::Right => Language::spoken().typed(text),
        Align::Left => text.clone(),
    };
    let by_folder: HashMap<&PathBuf, &RunRow> = rows.iter().map(|r| (&r.folder, *r)).collect();
    let row = |(row, cells): (&Row<'_>, &Vec<String>)| {
        let runs = row.runs.iter().map(|run| run.header.folder.clone());
        let runs: Vec<PathBuf> = runs.collect();
        let of = runs.iter().filter_map(|run| by_folder.get(run).copied());
        let of: Vec<&RunRow> = of.collect();
        let words = shown.iter().filter(|at| **at < by);
        let words: Vec<&str> = words.map(|at| cells[*at].as_str()).collect();
        ShownRow {
            cells: shown
                .iter()
                .map(|at| cell(&cells[*at], titles[*at].1))
                .collect(),
            title: match by {
                0 => of.first().map_or_else(String::new, |row| row.title()),
                _ => words.join(" · "),
            },
            method: method_of(&of).to_string(),
            curve: curve(&of),
            runs,
        }
    };
    let of_all = |at: &usize| format!("{} {}", titles[*at].0, text.rows()[0][*at]);
    Ok(TableView {
        columns: shown.iter().map(column).collect(),
        common: common
            .iter()
            .filter(|at| text.rows()[0][**at] != "–")
            .map(of_all)
            .collect(),
        mixed: table.mixed().into_iter().map(str::to_string).collect(),
        left_out: table.left_out(),
        seedless: table.seedless.iter().cloned().collect(),
        sources: table.sources(),
        choices: Choice::of(&runs),
        rows: table.rows().iter().zip(text.rows()).map(row).collect(),
        text: text.clone(),
    })
}

/// Returns the method of all these runs; empty if they have several.
fn method_of<'a>(runs: &[&'a RunRow]) -> &'a str {
    let headers = runs.iter().filter_map(|row| row.header.as_ref());
    let mut methods = headers.map(|header| header.config.method.as_str());
    let first = methods.next().unwrap_or_default();
    if methods.all(|method| method == first) {
        first
    } else {
        ""
    }
}

/// Returns mean and standard deviation, over the runs, of the accuracy after each task.
fn curve(runs: &[&RunRow]) -> Vec<Point> {
    let tasks = runs.iter().map(|row| row.answers().accuracy.len()).max();
    let after = |task: usize| {
        let values = runs
            .iter()
            .filter_map(|row| row.answers().accuracy.get(task));
        let values: Vec<f64> = values
            .filter(|a| a.is_finite())
            .map(|a| a * 100.0)
            .collect();
        Point {
            x: task as f64,
            y: mean(&values).unwrap_or(f64::NAN),
            std: std_dev(&values),
        }
    };
    (0..tasks.unwrap_or(0)).map(after).collect()
}
