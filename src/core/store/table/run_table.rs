//! A table of runs as it is asked for: put together by settings, sorted, held against others; and what it is as text and
//! in files.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use serde::Serialize;

use super::{
    Align, BesidePublished, Cell, Column, Condition, Difference, FIGURES, Measured, PLUS_MINUS,
    Row, Spread, TextTable, rows, sort_by_cell,
};
use crate::message;
use crate::problem::{Problem, Result};
use crate::store::Figures;
use crate::store::export::Format;
use crate::store::spread_text;

/// How a table of runs is asked for; columns by the names of [`Column::named`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TableRequest {
    /// Runs with the same values of these stand in one row; without any, each run alone.
    pub by: Vec<String>,
    /// What is shown; the usual figures where there are none.
    pub columns: Vec<String>,
    /// By what the rows are sorted, with `-` before it from high to low.
    pub sort: Option<String>,
    /// What the rows are held against.
    pub against: Option<Against>,
    /// Whether published figures stand beside.
    pub published: bool,
}

/// A row that others are held against.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Against {
    /// The one all of whose runs meet this condition.
    Condition(String),
    /// The one with the run in this folder; none where no row has it.
    RowOf(PathBuf),
}

impl TableRequest {
    /// The table of these runs.
    ///
    /// # Errors
    /// A Problem when a column or condition cannot be read, or no row is meant by the condition; its place is the option
    /// of `runs`.
    pub fn table<'a>(&self, runs: &'a [Measured<'a>]) -> Result<RunTable<'a>> {
        let named = |names: &[String], at: &str| -> Result<Vec<Column>> {
            let named = names.iter().map(|name| Column::named(name, runs));
            named.collect::<Result<_>>().map_err(|p| p.at(at))
        };
        let by = named(&self.by, "--by")?;
        if let Some(figure) = by.iter().find(|column| column.is_figure()) {
            let what = message!(
                "problem-is-figure-and-rows-are-told",
                figure = figure.key().to_string()
            );
            return Err(Problem::new(what)
                .at("--by")
                .advise(message!("try-name-setting-there-and-figures-in")));
        }
        let mut columns = named(&self.columns, "--columns")?;
        if columns.is_empty() {
            columns.extend(FIGURES.iter().take(4).map(Column::Figure));
        }
        let mut rows = rows(runs, &by);
        if let Some(name) = &self.sort {
            let (name, descending) = match name.strip_prefix('-') {
                Some(name) => (name, true),
                None => (name.as_str(), false),
            };
            let column = Column::named(name, runs).map_err(|p| p.at("--sort"))?;
            sort_by_cell(&mut rows, descending, |row| cell_of(row, &column));
        }
        let base = match &self.against {
            None => None,
            Some(Against::RowOf(folder)) => rows.iter().position(|row| row.holds(folder)),
            Some(Against::Condition(text)) => {
                Some(base(&rows, text, runs).map_err(|p| p.at("--against"))?)
            }
        };
        let beside = |row: &Row<'_>| Beside {
            against: base.and_then(|base| Difference::of(row, &rows[base])),
            published: self.published.then(|| row.beside_published()).flatten(),
        };
        Ok(RunTable {
            beside: rows.iter().map(beside).collect(),
            by,
            columns,
            rows,
            base,
            published: self.published,
        })
    }
}

impl Row<'_> {
    /// Whether the run in this folder stands in it.
    fn holds(&self, folder: &Path) -> bool {
        self.runs.iter().any(|run| run.header.folder == folder)
    }
}

/// The one row all of whose runs meet a condition.
fn base(rows: &[Row<'_>], text: &str, runs: &[Measured<'_>]) -> Result<usize> {
    let conditions = Condition::read(text, runs)?;
    let meets = |row: &Row<'_>| {
        let mut runs = row.runs.iter();
        runs.all(|run| conditions.iter().all(|condition| condition.holds(run)))
    };
    let mut meant = (0..rows.len()).filter(|&at| meets(&rows[at]));
    match (meant.next(), meant.next()) {
        (Some(row), None) => Ok(row),
        (None, _) => Err(Problem::new(message!(
            "problem-no-row-has-only-runs-with",
            text = text.to_string()
        ))
        .advise(message!("try-name-value-of-one-of-columns"))),
        _ => Err(Problem::new(message!(
            "problem-several-rows-have-only-runs-with",
            text = text.to_string()
        ))
        .advise(message!("try-add-condition-with-and-that-one"))),
    }
}

/// What a row has in a column: the mean of a figure, else what all of its runs have.
fn cell_of(row: &Row<'_>, column: &Column) -> Cell {
    if column.is_figure() {
        let mean = column.figure(&row.mean);
        return mean.map_or(Cell::Nothing, Cell::Number);
    }
    let mut cells = row.runs.iter().map(|run| column.of(run));
    let first = cells.next().unwrap_or(Cell::Nothing);
    let others: Vec<Cell> = cells.collect();
    match (others.iter().all(|cell| *cell == first), &first) {
        (true, _) => first,
        // Of numbers that are no settings the mean, as with figures: seconds.
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

/// Rows of runs with their columns.
pub struct RunTable<'a> {
    by: Vec<Column>,
    columns: Vec<Column>,
    rows: Vec<Row<'a>>,
    /// What stands beside each row.
    beside: Vec<Beside>,
    base: Option<usize>,
    published: bool,
}

/// What a row is held against.
#[derive(Clone, Debug, Serialize)]
pub struct Beside {
    /// The difference from the row that all are held against.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub against: Option<Difference>,
    /// The published row that is like it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub published: Option<BesidePublished>,
}

/// A row of the JSON.
#[derive(Serialize)]
pub struct JsonRow<'a> {
    by: BTreeMap<String, &'a Cell>,
    runs: Vec<&'a str>,
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

    /// By what each column of [`RunTable::cells`] sorts the rows; none where it is no column of runs.
    pub fn keys(&self) -> Vec<Option<String>> {
        let by = self.by.iter().map(|column| Some(column.key()));
        let name = (!self.together()).then(|| "run".to_string());
        let columns = self.columns.iter().map(|column| Some(column.key()));
        let mut keys: Vec<_> = by.chain([name]).chain(columns).collect();
        keys.resize(self.cells().titles().count(), None);
        keys
    }

    /// Each row with what stands beside it.
    pub fn both(&self) -> impl Iterator<Item = (&Row<'_>, &Beside)> {
        self.rows.iter().zip(&self.beside)
    }

    /// The settings in which runs differ that stand in one row, beside class order and seed.
    pub fn mixed(&self) -> Vec<&str> {
        let mixed = self.rows.iter().filter(|row| !row.differ_in.is_empty());
        let keys: BTreeSet<&str> = mixed
            .flat_map(|row| row.differ_in.iter().map(|spread| spread.key.as_str()))
            .collect();
        keys.into_iter().collect()
    }

    /// Where published figures stand, and what differs from how one's own were made: a sentence for each row.
    pub fn sources(&self) -> Vec<String> {
        let lines = self.both().filter_map(|(row, beside)| {
            let beside = beside.published.as_ref()?;
            let cells = self.names(row);
            let differs = match beside.differs.is_empty() {
                true => String::new(),
                false => format!("; {}", beside.differs.join(", ")),
            };
            let (table, of) = (beside.table, beside.source);
            Some(format!(
                "{}: published as {}, table {table} of {of}{differs}",
                cells.join(", "),
                beside.row
            ))
        });
        lines.collect()
    }

    /// As a file of this format.
    ///
    /// # Errors
    /// A Problem for a figure, or when it cannot be written.
    pub fn export(&self, format: Format) -> Result<String> {
        match format {
            Format::Markdown => Ok(self.cells().markdown()),
            Format::Latex => Ok(self.cells().latex()),
            Format::Csv => self.numbers().csv(),
            Format::Svg | Format::Png | Format::Html => Err(Problem::new(message!(
                "problem-table-by-columns-is-no-figure"
            ))
            .at("--export")
            .advise(message!("try-end-file-in-csv-md-or"))),
        }
    }

    /// Whether runs were put together, and do not stand alone.
    fn together(&self) -> bool {
        !self.by.is_empty()
    }

    /// What a row is called: what its runs have in common, or the run's name.
    fn names(&self, row: &Row<'_>) -> Vec<String> {
        match self.together() {
            true => row.cells.iter().map(ToString::to_string).collect(),
            false => row.runs.iter().map(|run| run.header.run.clone()).collect(),
        }
    }

    /// The same without what all rows have in common.
    fn apart(&self, row: &Row<'_>) -> Vec<String> {
        let differs = |at: usize| {
            self.rows
                .iter()
                .any(|other| other.cells[at] != row.cells[at])
        };
        let apart = (0..self.by.len()).filter(|at| differs(*at));
        let apart: Vec<String> = apart.map(|at| row.cells[at].to_string()).collect();
        match apart.is_empty() {
            true => self.names(row),
            false => apart,
        }
    }

    fn start(&self) -> TextTable {
        let mut table = TextTable::default();
        for column in &self.by {
            table.column(&column.title(), Align::Left);
        }
        match self.together() {
            true => table.column("runs", Align::Right),
            false => table.column("run", Align::Left),
        }
        table
    }

    fn beginning(&self, row: &Row<'_>) -> Vec<String> {
        let mut cells = self.names(row);
        if self.together() {
            cells.push(row.runs.len().to_string());
        }
        cells
    }

    /// Means with their spread, as people read them.
    pub fn cells(&self) -> TextTable {
        let mut table = self.start();
        for column in &self.columns {
            match column {
                Column::Figure(figure) => table.figure(figure),
                other => table.column(&other.title(), Align::Right),
            }
        }
        if let Some(base) = self.base {
            let of = self.apart(&self.rows[base]);
            table.column(&format!("A_N against {}", of.join(", ")), Align::Right);
            table.column("pairs", Align::Right);
        }
        if self.published {
            table.column("published A_N", Align::Right);
            table.column("difference", Align::Right);
        }
        for (row, beside) in self.both() {
            let columns = self.columns.iter().map(|column| match column.is_figure() {
                true => {
                    let [mean, std] = [&row.mean, &row.std].map(|f| column.figure(f));
                    spread_text(mean, std, PLUS_MINUS)
                }
                false => shown(&cell_of(row, column)),
            });
            let difference = self.base.map(|_| difference_cells(beside.against.as_ref()));
            let difference = difference.into_iter().flatten();
            let published = self
                .published
                .then(|| published_cells(beside.published.as_ref()));
            let cells = self
                .beginning(row)
                .into_iter()
                .chain(columns)
                .chain(difference);
            table.row(cells.chain(published.into_iter().flatten()));
        }
        table
    }

    /// Plain numbers, as a spreadsheet reads them.
    pub fn numbers(&self) -> TextTable {
        let mut table = self.start();
        for column in &self.columns {
            table.column(&column.key(), Align::Right);
            if self.together() && column.is_figure() {
                table.column(&format!("{}_std", column.key()), Align::Right);
            }
        }
        if self.base.is_some() {
            for title in ["difference", "difference_low", "difference_high", "pairs"] {
                table.column(title, Align::Right);
            }
        }
        if self.published {
            table.column("published", Align::Right);
            table.column("published_std", Align::Right);
        }
        let number = |value: Option<f64>| value.map_or_else(String::new, |v| v.to_string());
        for (row, beside) in self.both() {
            let mut cells = self.beginning(row);
            for column in &self.columns {
                cells.push(match cell_of(row, column) {
                    Cell::Nothing => String::new(),
                    cell => cell.to_string(),
                });
                if self.together() && column.is_figure() {
                    cells.push(number(column.figure(&row.std)));
                }
            }
            if self.base.is_some() {
                let difference = beside.against.as_ref();
                let interval = difference.and_then(|d| d.interval);
                cells.push(number(difference.map(|d| d.mean)));
                cells.push(number(interval.map(|[low, _]| low)));
                cells.push(number(interval.map(|[_, high]| high)));
                cells.push(difference.map_or(0, |d| d.pairs).to_string());
            }
            if self.published {
                let published = beside.published.as_ref();
                let figures = published.map_or(&[][..], |beside| beside.final_accuracy);
                cells.extend([0, 1].map(|at| number(figures.get(at).copied())));
            }
            table.row(cells);
        }
        table
    }
}

/// A number with as many places as people read.
fn shown(cell: &Cell) -> String {
    match cell {
        Cell::Number(number) if number.fract() != 0.0 && number.abs() >= 1.0 => {
            format!("{number:.1}")
        }
        other => other.to_string(),
    }
}

/// The difference with its interval, and the number of pairs.
fn difference_cells(difference: Option<&Difference>) -> [String; 2] {
    let Some(difference) = difference else {
        return ["–".into(), "0".into()];
    };
    let mean = format!("{:+.1}", difference.mean);
    let text = match difference.interval {
        Some([low, high]) => format!("{mean} [{low:+.1}, {high:+.1}]"),
        None => mean,
    };
    [text, difference.pairs.to_string()]
}

/// A published figure, and how far one's own lies from it.
fn published_cells(beside: Option<&BesidePublished>) -> [String; 2] {
    let Some(beside) = beside else {
        return ["–".into(), "–".into()];
    };
    let figures = beside.final_accuracy;
    let text = spread_text(
        figures.first().copied(),
        figures.get(1).copied(),
        PLUS_MINUS,
    );
    let difference = format!("{:+.1}", beside.difference);
    let difference = match beside.in_deviations {
        Some(deviations) => format!("{difference} ({deviations:+.1} std)"),
        None => difference,
    };
    [text, difference]
}
