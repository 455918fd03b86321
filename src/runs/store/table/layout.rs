//! Writes a table of runs: means with their standard deviation for readers, plain numbers for spreadsheets.

use std::collections::HashMap;

use super::column::EXPERIMENT;
use super::published::figure_text;
use super::{
    Align, Cell, Column, Difference, Mark, PLUS_MINUS, PublishedComparison, Row, RunTable,
    TextTable, display_text, row_cell,
};
use crate::message;
use crate::problem::{Problem, Result};
use crate::store::export::Format;
use crate::store::figures::FIGURES;
use crate::store::spread_text;
use crate::tr;

/// Minimum number of rows for which the second best is marked.
const MIN_ROWS_FOR_SECOND: usize = 3;

impl RunTable<'_> {
    /// Returns the table as a file of this format.
    ///
    /// # Errors
    /// Returns a Problem for a format that is not a table, or if the table cannot be written.
    pub fn export(&self, format: Format) -> Result<String> {
        match format {
            Format::Markdown => Ok(self.to_text_table().to_markdown()),
            Format::Latex => Ok(self.to_text_table().to_latex()),
            Format::Csv => self.to_number_table().to_csv(),
            Format::Svg | Format::Pdf | Format::Png | Format::Html => {
                Err(Problem::new(message!("problem-table-columns-not-exportable"))
                    .at("--export")
                    .advise(message!("advice-use-table-extension")))
            }
        }
    }

    /// Returns the sort key of each column of [`RunTable::to_text_table`]; `None` if rows cannot be sorted by it.
    pub fn sort_keys(&self) -> Vec<Option<String>> {
        let by = self.by.iter().map(Column::key);
        let name = (!self.is_grouped()).then(|| "run".to_string());
        let mut keys: Vec<Option<String>> = by.chain(name).map(Some).collect();
        keys.extend(self.is_grouped().then_some(None));
        keys.extend(self.shows_progress().then(|| Some("tasks_done".into())));
        keys.extend(self.shows_evaluation_split().then(|| Some("measured_on".into())));
        keys.extend(self.columns.iter().map(|column| Some(column.key())));
        keys.resize(self.to_text_table().titles().count(), None);
        keys
    }

    /// Returns whether runs are grouped rather than listed individually.
    fn is_grouped(&self) -> bool {
        !self.by.is_empty()
    }

    /// Returns whether a column shows the progress of the runs; the label of an experiment already contains it.
    fn shows_progress(&self) -> bool {
        let labelled = self.by.iter().any(|column| column.key() == EXPERIMENT);
        !labelled && self.rows.iter().any(|row| row.unfinished.is_some())
    }

    /// Returns whether a column shows the images on which rows are measured.
    fn shows_evaluation_split(&self) -> bool {
        let mut named = self.by.iter().chain(&self.columns);
        !named.any(|column| column.key() == "measured_on")
            && self.rows.iter().any(|row| row.measured_on != "test")
    }

    /// Returns the parts of a row's name that not all rows share; the whole name if they share all.
    fn distinguishing_names(&self, row: usize) -> Vec<String> {
        let cells = |row: usize| &self.rows[row].cells;
        let differs = |at: &usize| (0..self.rows.len()).any(|o| cells(o)[*at] != cells(row)[*at]);
        let differing = (0..self.by.len()).filter(differs);
        let names: Vec<String> = differing.map(|at| self.names[row][at].clone()).collect();
        match names.is_empty() {
            true => self.names[row].clone(),
            false => names,
        }
    }

    /// Returns the table for readers, with means and standard deviations.
    pub fn to_text_table(&self) -> TextTable {
        let mut table = TextTable::default();
        for column in &self.by {
            table.add_column(&column.title(), Align::Left);
        }
        match self.is_grouped() {
            true => table.add_column(tr!("compare-table-runs"), Align::Right),
            false => table.add_column(tr!("compare-table-run"), Align::Left),
        }
        if self.shows_progress() {
            table.add_column(tr!("compare-table-tasks"), Align::Right);
        }
        if self.shows_evaluation_split() {
            table.add_column(tr!("compare-table-measured-on"), Align::Left);
        }
        let first = table.titles().count();
        for column in &self.columns {
            table.add_number_column(&column.title(), &column.latex_title());
        }
        if let Some(base) = self.bases.first() {
            let base_name = self.distinguishing_names(*base).join(", ");
            let against = |figure: &str, of: &str| tr!("compare-table-against", figure, of);
            let base_latex = super::text::latex_text(&base_name);
            table.add_number_column(
                &against(FIGURES[0].title(), &base_name),
                &against(FIGURES[0].latex, &base_latex),
            );
            table.add_column(tr!("compare-table-pairs"), Align::Right);
        }
        if self.published {
            let [title, latex] = [FIGURES[0].title(), FIGURES[0].latex]
                .map(|figure| tr!("report-published-figure", figure));
            table.add_number_column(&title, &latex);
            table.add_column(tr!("compare-table-difference"), Align::Right);
        }
        for (at, (row, comparisons)) in self.rows_with_comparisons().enumerate() {
            let mut cells = self.names[at].clone();
            cells.extend(self.is_grouped().then(|| row.runs.len().to_string()));
            cells.extend(self.shows_progress().then(|| match row.unfinished {
                Some(progress) => tr!("compare-count-of", n = progress.done, of = progress.of),
                None => tr!("compare-table-all-tasks").into(),
            }));
            cells.extend(self.shows_evaluation_split().then(|| row.measured_on.to_string()));
            cells.extend(self.columns.iter().map(|column| readable_cell(row, column)));
            if !self.bases.is_empty() {
                cells.extend(match self.bases.contains(&at) {
                    true => [String::new(), String::new()],
                    false => difference_cells(comparisons.against.as_ref()),
                });
            }
            if self.published {
                cells.extend(published_cells(comparisons.published.as_ref()));
            }
            table.add_row(cells);
        }
        self.mark_best(&mut table, first);
        for note in self.notes() {
            table.add_note(note);
        }
        table
    }

    /// Marks the best and the second best figure among comparable rows.
    fn mark_best(&self, table: &mut TextTable, first: usize) {
        for (at, column) in self.columns.iter().enumerate() {
            let Some(figure) = column.figure_spec() else {
                continue;
            };
            let mut groups: HashMap<_, Vec<(usize, f64)>> = HashMap::new();
            for (at, row) in self.rows.iter().enumerate() {
                if let Some((group, mean)) = ranking_group(row).zip(column.figure(&row.mean)) {
                    groups.entry(group).or_default().push((at, mean));
                }
            }
            for mut rows in groups.into_values() {
                rows.sort_by(|(_, a), (_, b)| match figure.lower_is_better {
                    true => a.total_cmp(b),
                    false => b.total_cmp(a),
                });
                for (row, mark) in marks(&rows) {
                    table.set_mark(row, first + at, mark);
                }
            }
        }
    }

    /// Returns the table with plain numbers, for spreadsheets.
    pub fn to_number_table(&self) -> TextTable {
        let mut table = TextTable::default();
        for column in &self.by {
            table.add_column(&column.key(), Align::Left);
        }
        match self.is_grouped() {
            true => table.add_column("runs", Align::Right),
            false => table.add_column("run", Align::Left),
        }
        let unfinished = self.rows.iter().any(|row| row.unfinished.is_some());
        let mixed = !self.mixed_settings().is_empty();
        let conditional = [
            (unfinished, "tasks_done"),
            (unfinished, "tasks"),
            (self.shows_evaluation_split(), "measured_on"),
        ];
        for (_, title) in conditional.iter().filter(|(is_shown, _)| *is_shown) {
            table.add_column(title, Align::Right);
        }
        for column in &self.columns {
            table.add_column(&column.key(), Align::Right);
            if self.is_grouped() && column.is_figure() {
                table.add_column(&format!("{}_std", column.key()), Align::Right);
            }
        }
        let against = ["difference", "difference_low", "difference_high", "pairs"];
        let published = ["published", "published_std", "published_as"];
        let more = [
            (!self.bases.is_empty(), &against[..]),
            (self.published, &published[..]),
            (mixed, &["differ_in"][..]),
        ];
        for title in more.iter().filter(|(is_shown, _)| *is_shown).flat_map(|m| m.1) {
            table.add_column(title, Align::Right);
        }
        for at in 0..self.rows.len() {
            table.add_row(self.number_row(at, unfinished, mixed));
        }
        table
    }

    /// Returns a row of the table with plain numbers.
    fn number_row(&self, at: usize, unfinished: bool, mixed: bool) -> Vec<String> {
        let (row, comparisons) = (&self.rows[at], &self.comparisons[at]);
        let number = |value: Option<f64>| value.map_or_else(String::new, |v| v.to_string());
        let by = self.by.iter().zip(&row.cells).zip(&self.names[at]);
        let mut cells: Vec<String> = match self.is_grouped() {
            false => self.names[at].clone(),
            true => by
                .map(|((column, cell), name)| match column.key() == EXPERIMENT {
                    true => name.clone(),
                    false => cell.to_string(),
                })
                .chain([row.runs.len().to_string()])
                .collect(),
        };
        if unfinished {
            let progress = row.runs.first().map(|run| run.progress());
            let numbers = progress.map_or([0; 2], |progress| [progress.done, progress.of]);
            cells.extend(numbers.map(|number| number.to_string()));
        }
        cells.extend(self.shows_evaluation_split().then(|| row.measured_on.to_string()));
        for column in &self.columns {
            cells.push(match row_cell(row, column) {
                Cell::Nothing => String::new(),
                cell => cell.to_string(),
            });
            if self.is_grouped() && column.is_figure() {
                cells.push(number(column.figure(&row.std)));
            }
        }
        if !self.bases.is_empty() {
            let difference = comparisons.against.as_ref();
            let interval = difference.and_then(|d| d.interval);
            cells.push(number(difference.map(|d| d.mean)));
            cells.push(number(interval.map(|[low, _]| low)));
            cells.push(number(interval.map(|[_, high]| high)));
            cells.push(difference.map_or_else(String::new, |d| d.pairs.to_string()));
        }
        if self.published {
            let published = comparisons.published.as_ref();
            let figures = published.map_or(&[][..], |comparison| comparison.final_accuracy);
            cells.extend([0, 1].map(|at| number(figures.get(at).copied())));
            let why = comparisons.not_published.clone().unwrap_or_default();
            cells.push(published.map_or(why, PublishedComparison::description));
        }
        if mixed {
            let differ = row.differ_in.iter().map(|spread| {
                let values: Vec<&str> = spread.values.iter().map(String::as_str).collect();
                format!("{}: {}", spread.key, values.join(", "))
            });
            cells.push(differ.collect::<Vec<_>>().join("; "));
        }
        cells
    }
}

/// Returns what rows must share to be ranked against each other: dataset, test images, number of tasks, and the images on
/// which they are measured; `None` for an unfinished row, and for a row whose runs differ in one of these.
fn ranking_group<'a>(row: &Row<'a>) -> Option<(&'a str, Option<&'a str>, usize, &'static str)> {
    let mut groups = row.runs.iter().map(|run| {
        let test = run.header.images.as_ref().map(|images| &*images.test);
        let (data, tasks) = (run.header.config.data.as_str(), run.header.tasks.len());
        (data, test, tasks, row.measured_on)
    });
    let first = groups.next().filter(|_| row.unfinished.is_none())?;
    groups.all(|other| other == first).then_some(first)
}

/// Returns the marks of rows, given with their means from best to worst. Means that are displayed equally share a mark;
/// if all are displayed equally, none is marked.
fn marks(rows: &[(usize, f64)]) -> Vec<(usize, Mark)> {
    let text = |mean: f64| spread_text(Some(mean), None, PLUS_MINUS);
    let mut distinct: Vec<String> = rows.iter().map(|(_, mean)| text(*mean)).collect();
    distinct.dedup();
    if distinct.len() < 2 {
        return Vec::new();
    }
    let second = (rows.len() >= MIN_ROWS_FOR_SECOND).then_some(Mark::Second);
    let marks = [Some(Mark::Best), second];
    let marked = rows.iter().filter_map(|(row, mean)| {
        let rank = distinct.iter().position(|other| *other == text(*mean))?;
        Some((*row, marks.get(rank).copied().flatten()?))
    });
    marked.collect()
}

/// Returns a cell for readers: a figure with its standard deviation, or another value.
fn readable_cell(row: &Row<'_>, column: &Column) -> String {
    match column.is_figure() {
        true => {
            let [mean, std] = [&row.mean, &row.std].map(|f| column.figure(f));
            spread_text(mean, std, PLUS_MINUS)
        }
        false => display_text(row, column),
    }
}

/// Returns the difference with its interval, and the number of pairs, as text.
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

/// Returns a published figure, and the difference of the user's own figure from it, as text.
fn published_cells(comparison: Option<&PublishedComparison>) -> [String; 2] {
    let Some(comparison) = comparison else {
        return ["–".into(), "–".into()];
    };
    [figure_text(Some(comparison.final_accuracy)), comparison.difference_text()]
}
