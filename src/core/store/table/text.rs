//! A table of words and figures, and what it is in Markdown, LaTeX and CSV.

use std::borrow::Cow;
use std::fmt::Write as _;

use super::figures::FigureSpec;
use crate::message;
use crate::problem::{Problem, Result};
use crate::store::tables::harmless_cell;

/// What stands between a mean and its standard deviation.
pub const PLUS_MINUS: &str = " ± ";

/// On which side of its column a cell stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Align {
    /// Words.
    Left,
    /// Numbers.
    Right,
}

/// One column: its title, the same in LaTeX, and where its cells stand.
#[derive(Clone, Debug)]
struct Heading {
    title: String,
    latex: String,
    align: Align,
}

/// Titles and rows of cells.
#[derive(Clone, Debug, Default)]
pub struct TextTable {
    headings: Vec<Heading>,
    rows: Vec<Vec<String>>,
}

impl TextTable {
    /// Adds a column.
    pub fn column(&mut self, title: &str, align: Align) {
        self.headings.push(Heading {
            title: title.to_string(),
            latex: latex_text(title),
            align,
        });
    }

    /// Adds the column of a figure.
    pub fn figure(&mut self, figure: &FigureSpec) {
        self.headings.push(Heading {
            title: figure.title.to_string(),
            latex: figure.latex.to_string(),
            align: Align::Right,
        });
    }

    /// Adds a row, a cell for each column.
    pub fn row(&mut self, cells: impl IntoIterator<Item = String>) {
        self.rows.push(cells.into_iter().collect());
    }

    /// The titles, with where their cells stand.
    pub fn titles(&self) -> impl Iterator<Item = (&str, Align)> {
        let headings = self.headings.iter();
        headings.map(|heading| (heading.title.as_str(), heading.align))
    }

    /// The rows.
    pub fn rows(&self) -> &[Vec<String>] {
        &self.rows
    }

    /// As Markdown.
    pub fn markdown(&self) -> String {
        let mut text = String::from("|");
        let mut rule = String::from("|");
        for heading in &self.headings {
            let _ = write!(text, " {} |", heading.title);
            rule.push_str(match heading.align {
                Align::Left => "---|",
                Align::Right => "---:|",
            });
        }
        let _ = writeln!(text, "\n{rule}");
        for row in &self.rows {
            text.push('|');
            for cell in row {
                let _ = write!(text, " {} |", one_line(cell).replace('|', "\\|"));
            }
            text.push('\n');
        }
        text
    }

    /// As a `tabular` for LaTeX with the package booktabs.
    pub fn latex(&self) -> String {
        let sides = self.headings.iter().map(|heading| match heading.align {
            Align::Left => 'l',
            Align::Right => 'r',
        });
        let titles: Vec<&str> = self.headings.iter().map(|h| h.latex.as_str()).collect();
        let mut text = format!(
            "% needs \\usepackage{{booktabs}}\n\\begin{{tabular}}{{{}}}\n\\toprule\n{} \\\\\n\\midrule\n",
            sides.collect::<String>(),
            titles.join(" & ")
        );
        for row in &self.rows {
            let pairs = row.iter().zip(&self.headings);
            let cells = pairs.map(|(cell, heading)| match heading.align {
                Align::Left => latex_text(cell),
                Align::Right => number_in_latex(cell),
            });
            let _ = writeln!(text, "{} \\\\", cells.collect::<Vec<_>>().join(" & "));
        }
        text.push_str("\\bottomrule\n\\end{tabular}\n");
        text
    }

    /// With tabs between the cells, as spreadsheets take it from the clipboard.
    pub fn tabs(&self) -> String {
        let titles = self.headings.iter().map(|heading| heading.title.clone());
        let rows = std::iter::once(titles.collect()).chain(self.rows.iter().cloned());
        let line = |cells: Vec<String>| {
            let cells: Vec<String> = cells.iter().map(|cell| one_line(cell)).collect();
            cells.join("\t") + "\n"
        };
        rows.map(line).collect()
    }

    /// As CSV.
    ///
    /// # Errors
    /// A Problem when it cannot be written.
    pub fn csv(&self) -> Result<String> {
        let problem = |error: &dyn std::fmt::Display| {
            Problem::new(message!(
                "problem-table-cannot-be-written",
                error = error.to_string()
            ))
        };
        let mut writer = csv::Writer::from_writer(Vec::new());
        let titles = self.headings.iter().map(|h| h.title.as_str());
        writer.write_record(titles).map_err(|e| problem(&e))?;
        for row in &self.rows {
            let cells = row.iter().map(|cell| match cell.parse::<f64>() {
                Ok(_) => Cow::Borrowed(cell.as_str()),
                Err(_) => harmless_cell(cell),
            });
            let cells: Vec<_> = cells.collect();
            let record = cells.iter().map(|cell| cell.as_bytes());
            writer.write_record(record).map_err(|e| problem(&e))?;
        }
        let bytes = writer.into_inner().map_err(|e| problem(&e))?;
        String::from_utf8(bytes).map_err(|e| problem(&e))
    }
}

/// A cell in one line.
fn one_line(cell: &str) -> String {
    cell.replace(['\n', '\r', '\t'], " ")
}

/// Whole and decimal numbers with their spread stand in mathematics; words that stand on the right do not.
fn number_in_latex(cell: &str) -> String {
    let is_number = cell.chars().any(|c| c.is_ascii_digit())
        && cell
            .chars()
            .all(|c| c.is_ascii_digit() || " .±+-−–,[]".contains(c));
    match is_number {
        true => format!("${}$", cell.replace('±', "\\pm").replace(['−', '–'], "-")),
        false => latex_text(cell),
    }
}

/// Text with LaTeX's special characters made harmless.
fn latex_text(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' | '%' | '$' | '#' | '_' | '{' | '}' => {
                safe.push('\\');
                safe.push(c);
            }
            '\\' => safe.push_str("\\textbackslash{}"),
            '~' => safe.push_str("\\textasciitilde{}"),
            '^' => safe.push_str("\\textasciicircum{}"),
            '·' => safe.push_str("$\\cdot$"),
            '–' => safe.push_str("--"),
            _ => safe.push(c),
        }
    }
    safe
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn special_characters_do_not_reach_latex() {
        assert_eq!(latex_text("a_b & 5%"), "a\\_b \\& 5\\%");
        assert_eq!(latex_text("x · y\\"), "x $\\cdot$ y\\textbackslash{}");
        assert_eq!(number_in_latex("93.4 ± 0.6"), "$93.4 \\pm 0.6$");
        assert_eq!(number_in_latex("–"), "--");
        assert_eq!(number_in_latex("3 of_5"), "3 of\\_5");
    }

    #[test]
    fn cells_stay_in_their_rows() {
        let mut table = TextTable::default();
        table.column("run", Align::Left);
        table.column("n", Align::Right);
        table.row(["a|b\nc".to_string(), "1".to_string()]);
        assert_eq!(
            table.markdown(),
            "| run | n |\n|---|---:|\n| a\\|b c | 1 |\n"
        );
        table.row(["=1+1".to_string(), "-2".to_string()]);
        let csv = table.csv().unwrap_or_default();
        assert_eq!(csv, "run,n\n\"a|b\nc\",1\n'=1+1,-2\n");
    }
}
