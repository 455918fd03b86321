//! A table of text cells, and its form in Markdown, LaTeX and CSV.

use std::borrow::Cow;
use std::collections::HashMap;
use std::fmt::Write as _;

use crate::problem::Result;
use crate::store::csv_tables::{escape_formula, table_csv};

/// The text between a mean and its standard deviation.
pub const PLUS_MINUS: &str = " ± ";

/// The alignment of a cell in its column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Align {
    /// Left, for words.
    Left,
    /// Right, for numbers.
    Right,
}

/// A column's title, its title in LaTeX, and the alignment of its cells.
#[derive(Clone, Debug)]
struct Heading {
    title: String,
    latex: String,
    align: Align,
}

/// The rank of a figure among the other rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mark {
    /// The best one: bold.
    Best,
    /// The next best: underlined in LaTeX.
    Second,
}

/// A table: titles, rows of cells, and notes.
#[derive(Clone, Debug, Default)]
pub struct TextTable {
    headings: Vec<Heading>,
    rows: Vec<Vec<String>>,
    marks: HashMap<[usize; 2], Mark>,
    notes: Vec<String>,
}

impl TextTable {
    /// Adds a column.
    pub fn add_column(&mut self, title: &str, align: Align) {
        self.headings.push(Heading { title: title.to_string(), latex: latex_text(title), align });
    }

    /// Adds a column of numbers whose title is written differently in LaTeX.
    pub fn add_number_column(&mut self, title: &str, latex: &str) {
        self.headings.push(Heading {
            title: title.to_string(),
            latex: latex.to_string(),
            align: Align::Right,
        });
    }

    /// Adds a row with one cell per column.
    pub fn add_row(&mut self, cells: impl IntoIterator<Item = String>) {
        self.rows.push(cells.into_iter().collect());
    }

    /// Marks a cell, given by its row and column.
    pub fn set_mark(&mut self, row: usize, column: usize, mark: Mark) {
        self.marks.insert([row, column], mark);
    }

    /// Adds a sentence below the table; in LaTeX it is a comment.
    pub fn add_note(&mut self, note: impl Into<String>) {
        self.notes.push(note.into());
    }

    /// Returns the sentences below the table.
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    /// Returns the titles with the alignment of their columns.
    pub fn titles(&self) -> impl Iterator<Item = (&str, Align)> {
        let headings = self.headings.iter();
        headings.map(|heading| (heading.title.as_str(), heading.align))
    }

    /// Returns the rows.
    pub fn rows(&self) -> &[Vec<String>] {
        &self.rows
    }

    /// Returns the table as Markdown.
    pub fn to_markdown(&self) -> String {
        let mut text = String::from("|");
        let mut rule = String::from("|");
        for heading in &self.headings {
            let _ = write!(text, " {} |", markdown_cell(&heading.title));
            rule.push_str(match heading.align {
                Align::Left => "---|",
                Align::Right => "---:|",
            });
        }
        let _ = writeln!(text, "\n{rule}");
        for (row_index, row) in self.rows.iter().enumerate() {
            text.push('|');
            for (column, cell) in row.iter().enumerate() {
                let cell = markdown_cell(cell);
                let _ = match self.marks.get(&[row_index, column]) {
                    Some(Mark::Best) => write!(text, " **{cell}** |"),
                    _ => write!(text, " {cell} |"),
                };
            }
            text.push('\n');
        }
        for note in &self.notes {
            let _ = writeln!(text, "\n{}", one_line(note));
        }
        text
    }

    /// Returns the table as a `tabular` for LaTeX with the package booktabs.
    pub fn to_latex(&self) -> String {
        let alignments = self.headings.iter().map(|heading| match heading.align {
            Align::Left => 'l',
            Align::Right => 'r',
        });
        let titles: Vec<&str> = self.headings.iter().map(|h| h.latex.as_str()).collect();
        let mut text = String::from("% needs \\usepackage{booktabs}\n");
        for note in &self.notes {
            let _ = writeln!(text, "% {}", one_line(note));
        }
        let _ = write!(
            text,
            "\\begin{{tabular}}{{{}}}\n\\toprule\n{} \\\\\n\\midrule\n",
            alignments.collect::<String>(),
            titles.join(" & ")
        );
        for (row_index, row) in self.rows.iter().enumerate() {
            let pairs = row.iter().zip(&self.headings).enumerate();
            let cells = pairs.map(|(column, (cell, heading))| match heading.align {
                Align::Left => latex_text(cell),
                Align::Right => match self.marks.get(&[row_index, column]) {
                    None => latex_number(cell),
                    Some(Mark::Best) => format!("$\\mathbf{{{}}}$", math_text(cell)),
                    Some(Mark::Second) => format!("\\underline{{${}$}}", math_text(cell)),
                },
            });
            let line = cells.collect::<Vec<_>>().join(" & ");
            // After the end of a row, LaTeX reads these as the start of an argument.
            let guard = if line.starts_with(['[', '*']) { "{}" } else { "" };
            let _ = writeln!(text, "{guard}{line} \\\\");
        }
        text.push_str("\\bottomrule\n\\end{tabular}\n");
        text
    }

    /// Returns the table with tabs between the cells, for pasting into a spreadsheet.
    pub fn to_tsv(&self) -> String {
        let titles = self.headings.iter().map(|heading| heading.title.clone());
        let rows = std::iter::once(titles.collect()).chain(self.rows.iter().cloned());
        let line = |cells: Vec<String>| {
            let cells: Vec<String> = cells.iter().map(|cell| one_line(cell)).collect();
            cells.join("\t") + "\n"
        };
        let notes = self.notes.iter().map(|note| one_line(note) + "\n");
        rows.map(line).chain(notes).collect()
    }

    /// Returns the table as CSV.
    ///
    /// # Errors
    /// Returns a Problem if it cannot be written.
    pub fn to_csv(&self) -> Result<String> {
        let titles: Vec<_> = self.headings.iter().map(|heading| csv_cell(&heading.title)).collect();
        let titles = titles.iter().map(|title| &**title);
        let rows = self.rows.iter();
        let rows = rows.map(|row| row.iter().map(|cell| csv_cell(cell)).collect::<Vec<_>>());
        let bytes = table_csv(titles.collect(), rows)?;
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }
}

/// Returns a cell without line breaks and tabs.
fn one_line(cell: &str) -> String {
    cell.replace(['\n', '\r', '\t'], " ")
}

/// Returns a cell for Markdown.
fn markdown_cell(cell: &str) -> String {
    one_line(cell).replace('|', "\\|")
}

/// Returns a cell for CSV. A number stays as it is.
fn csv_cell(cell: &str) -> Cow<'_, str> {
    match cell.parse::<f64>() {
        Ok(_) => Cow::Borrowed(cell),
        Err(_) => escape_formula(cell),
    }
}

/// Returns a cell in LaTeX; a number, with its spread if any, is set in math mode.
fn latex_number(cell: &str) -> String {
    let is_number = cell.chars().any(|c| c.is_ascii_digit())
        && cell.chars().all(|c| c.is_ascii_digit() || " .±+-−–,[]".contains(c));
    match is_number {
        true => format!("${}$", math_text(cell)),
        false => latex_text(cell),
    }
}

/// Returns a number with its spread in LaTeX's math mode.
fn math_text(cell: &str) -> String {
    cell.replace('±', "\\pm").replace(['−', '–'], "-")
}

/// Returns text with LaTeX's special characters escaped.
pub(super) fn latex_text(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' | '%' | '$' | '#' | '_' | '{' | '}' => {
                escaped.push('\\');
                escaped.push(c);
            }
            '\\' => escaped.push_str("\\textbackslash{}"),
            '~' => escaped.push_str("\\textasciitilde{}"),
            '^' => escaped.push_str("\\textasciicircum{}"),
            '<' => escaped.push_str("\\textless{}"),
            '>' => escaped.push_str("\\textgreater{}"),
            '|' => escaped.push_str("\\textbar{}"),
            '·' => escaped.push_str("$\\cdot$"),
            '–' => escaped.push_str("--"),
            _ => escaped.push(c),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_special_characters_for_latex() {
        assert_eq!(latex_text("a_b & 5%"), "a\\_b \\& 5\\%");
        assert_eq!(latex_text("x · y\\"), "x $\\cdot$ y\\textbackslash{}");
        assert_eq!(latex_number("93.4 ± 0.6"), "$93.4 \\pm 0.6$");
        assert_eq!(latex_number("–"), "--");
        assert_eq!(latex_number("3 of_5"), "3 of\\_5");
        assert_eq!(latex_text("a<b|c"), "a\\textless{}b\\textbar{}c");
        let mut table = TextTable::default();
        table.add_column("run", Align::Left);
        table.add_row(["[x]".to_string()]);
        assert!(table.to_latex().contains("\\midrule\n{}[x] \\\\\n"));
    }

    #[test]
    fn escapes_titles_in_markdown_and_csv() {
        let mut table = TextTable::default();
        table.add_column("a|b", Align::Left);
        table.add_column("=1+1", Align::Right);
        assert_eq!(table.to_markdown(), "| a\\|b | =1+1 |\n|---|---:|\n");
        assert_eq!(table.to_csv().unwrap_or_default(), "a|b,'=1+1\n");
    }

    #[test]
    fn escapes_cells_in_markdown_and_csv() {
        let mut table = TextTable::default();
        table.add_column("run", Align::Left);
        table.add_column("n", Align::Right);
        table.add_row(["a|b\nc".to_string(), "1".to_string()]);
        assert_eq!(table.to_markdown(), "| run | n |\n|---|---:|\n| a\\|b c | 1 |\n");
        table.add_row(["=1+1".to_string(), "-2".to_string()]);
        let csv = table.to_csv().unwrap_or_default();
        assert_eq!(csv, "run,n\n\"a|b\nc\",1\n'=1+1,-2\n");
    }
}
