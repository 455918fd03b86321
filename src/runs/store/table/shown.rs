//! The values of a row's cells, and how they are displayed.

use super::column::EXPERIMENT;
use super::{Cell, Column, Row};
use crate::store::groups::{Kind, labels};

/// Returns the value of a row in a column: the mean of a figure, or the value that all of its runs share.
pub(super) fn cell_of(row: &Row<'_>, column: &Column) -> Cell {
    if column.is_figure() {
        let mean = column.figure(&row.mean);
        return mean.map_or(Cell::Nothing, Cell::Number);
    }
    let mut cells = row.runs.iter().map(|run| column.of(run));
    let first = cells.next().unwrap_or(Cell::Nothing);
    let others: Vec<Cell> = cells.collect();
    match (others.iter().all(|cell| *cell == first), &first) {
        (true, _) => first,
        // Numeric facts, such as seconds, are averaged like figures.
        (false, Cell::Number(number)) if matches!(column, Column::Fact(_)) => {
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
pub(super) fn names(by: &[Column], rows: &[Row<'_>]) -> Vec<Vec<String>> {
    let run = |row: &Row<'_>| row.runs.iter().map(|run| run.header.run.clone()).collect();
    if by.is_empty() {
        return rows.iter().map(run).collect();
    }
    let mut names: Vec<Vec<String>> = vec![Vec::new(); rows.len()];
    for (at, column) in by.iter().enumerate() {
        let shown: Vec<String> = match column.key() == EXPERIMENT {
            true => experiments(rows),
            false => rows.iter().map(|row| shown(row, column)).collect(),
        };
        for (row, text) in shown.iter().enumerate() {
            let cell = &rows[row].cells[at];
            let mut others = shown.iter().zip(rows);
            let alike = others.any(|(other, row)| other == text && row.cells[at] != *cell);
            names[row].push(match alike {
                true => cell.to_string(),
                false => text.clone(),
            });
        }
    }
    names
}

/// Returns a label for each row, which contains the repetitions of an experiment.
fn experiments(rows: &[Row<'_>]) -> Vec<String> {
    let kinds = rows.iter().filter_map(|row| {
        let first = row.runs.first()?;
        Some(Kind {
            header: first.header,
            runs: row.runs.len(),
            progress: first.progress(),
        })
    });
    labels(&kinds.collect::<Vec<_>>())
}

/// Returns the display text of a row's cell that is not a figure.
pub(super) fn shown(row: &Row<'_>, column: &Column) -> String {
    let cell = match column {
        Column::Given => row.cells.first().cloned().unwrap_or(Cell::Nothing),
        column => cell_of(row, column),
    };
    let first = row.runs.first();
    let own = first.filter(|run| column.of(run) == cell);
    match (&cell, own) {
        (Cell::Number(number), _)
            if number.fract() != 0.0 && (number.abs() >= 1.0 || column.key() == "seconds") =>
        {
            format!("{number:.1}")
        }
        (cell, Some(run)) => column.shown(cell, run),
        (cell, None) => cell.to_string(),
    }
}
