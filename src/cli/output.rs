//! Output of results, remarks and Problems.

use std::fmt::Display;
use std::io::{ErrorKind, Read, Write};
use std::path::{Path, PathBuf};

use serde::Serialize;
use unicode_width::UnicodeWidthStr;

use super::CommandOutcome;
use crate::problem::{Problem, Result, escape_for_terminal, is_terminal_control};
use crate::run::event_log;
use crate::session::formatting::format_bytes;
use crate::store;

/// The destination of a subcommand's results as JSON.
#[derive(clap::Args, Clone, Debug, Default)]
pub(super) struct JsonOutput {
    /// Write the results as JSON to a file, or to standard output (-)
    #[arg(long, value_name = "FILE|-", help_heading = "Output")]
    pub json: Option<PathBuf>,
}

impl JsonOutput {
    /// Returns whether JSON is written to standard output.
    pub fn is_stdout(&self) -> bool {
        self.json.as_deref() == Some(Path::new("-"))
    }

    /// Checks that the file can be written, before hours are spent on its content.
    pub fn check(&self) -> Result<()> {
        match &self.json {
            Some(path) if !self.is_stdout() => check_output_file(path, "--json"),
            _ => Ok(()),
        }
    }

    /// Prints results of which there may be thousands; they are converted to JSON only if it was requested.
    pub fn print_lazily<R: Serialize>(
        &self,
        results: impl FnOnce() -> R,
        text: &str,
    ) -> Result<()> {
        match self.json {
            Some(_) => self.print_results(&results(), text),
            None => print_text(text),
        }
    }

    /// Prints the results as [`Self::print_results`] does, and ends the subcommand.
    pub fn finish(&self, results: &impl Serialize, text: &str) -> Result<CommandOutcome> {
        self.print_results(results, text)?;
        Ok(CommandOutcome::Done)
    }

    /// Prints the results: as JSON if requested, and as text on standard output unless JSON is written there.
    pub fn print_results(&self, results: &impl Serialize, text: &str) -> Result<()> {
        if let Some(path) = &self.json {
            let mut json = serde_json::to_string_pretty(results).map_err(|error| {
                Problem::new(format!("the results cannot be written as JSON: {error}"))
            })?;
            json.push('\n');
            if self.is_stdout() {
                return write_stdout(&escape_control_chars(&json));
            }
            // The results may have taken hours: the text is printed even if the file cannot be written.
            let saved = store::write_file(path, json.as_bytes());
            print_text(text)?;
            return saved.map(drop);
        }
        print_text(text)
    }
}

/// Escapes terminal control characters in JSON. `serde_json` leaves some unescaped, but only inside strings, where
/// an escape has the same meaning.
fn escape_control_chars(json: &str) -> String {
    let mut escaped = String::with_capacity(json.len());
    for c in json.chars() {
        match is_terminal_control(c) {
            true => escaped.push_str(&format!("\\u{:04x}", u32::from(c))),
            false => escaped.push(c),
        }
    }
    escaped
}

/// Writes a text for users to standard output.
pub(super) fn print_text(text: &str) -> Result<()> {
    write_stdout(&escape_for_terminal(text))
}

/// Writes to standard output unchanged.
fn write_stdout(text: &str) -> Result<()> {
    copy_to_stdout(&mut text.as_bytes())
}

/// Copies to standard output unchanged. A closed output (`| head`) is not an error.
pub(super) fn copy_to_stdout(from: &mut dyn Read) -> Result<()> {
    let mut stdout = std::io::stdout().lock();
    match std::io::copy(from, &mut stdout).and_then(|_| stdout.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            Err(Problem::io("write the results", "standard output", &error))
        }
        _ => Ok(()),
    }
}

/// Writes a line about progress to standard error, and ignores errors.
pub(super) fn print_message(text: impl Display) {
    let _ = writeln!(std::io::stderr(), "{}", escape_for_terminal(&text.to_string()));
}

/// Checks that the file of an option can be written: its folder exists, and it is not a folder itself.
pub(super) fn check_output_file(path: &Path, option: &str) -> Result<()> {
    let folder = match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    if folder.is_dir() && !path.is_dir() {
        return Ok(());
    }
    let what = if path.is_dir() {
        "the results cannot be written: this path is a folder"
    } else {
        "the results cannot be written: the folder does not exist"
    };
    let remedy = format!("give {option} a file in an existing folder");
    Err(Problem::new(what).at_path(path).advise(remedy))
}

/// Writes a Problem to standard error and to the log.
pub(super) fn print_problem(problem: &Problem) {
    event_log::log_failure(problem);
    print_message(problem);
}

/// A table of text in columns of equal width.
pub(super) struct Table {
    right_aligned: Vec<bool>,
    rows: Vec<Vec<String>>,
}

impl Table {
    /// Creates a table with these column titles; `>` before a title right-aligns its column.
    pub fn new<S: AsRef<str>>(titles: &[S]) -> Self {
        let titles = || titles.iter().map(AsRef::as_ref);
        let row = titles().map(|title| title.trim_start_matches('>').to_string());
        Self {
            right_aligned: titles().map(|title| title.starts_with('>')).collect(),
            rows: vec![row.collect()],
        }
    }

    /// Adds a row.
    pub fn add_row(&mut self, cells: impl IntoIterator<Item: AsRef<str>>) {
        let cells = cells.into_iter();
        // A line break in a name must not look like a new row.
        let cells = cells.map(|cell| escape_for_terminal(cell.as_ref()).replace(['\n', '\t'], " "));
        self.rows.push(cells.collect());
    }
}

impl Display for Table {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let width = |column: usize| {
            let cells = self.rows.iter().filter_map(|row| row.get(column));
            cells.map(|cell| cell.width()).max().unwrap_or(0)
        };
        let widths: Vec<usize> = (0..self.right_aligned.len()).map(width).collect();
        for row in &self.rows {
            let mut line = String::new();
            for ((cell, &width), &right) in row.iter().zip(&widths).zip(&self.right_aligned) {
                let gap = " ".repeat(width - cell.width());
                let [before, after] = if right { [&gap, ""] } else { ["", &gap] };
                line.extend([before, cell, after, "  "]);
            }
            writeln!(f, "{}", line.trim_end())?;
        }
        Ok(())
    }
}

/// Returns a percentage with one decimal, or a dash.
pub(super) fn format_percent(value: Option<f64>) -> String {
    value.map_or_else(|| "–".to_string(), |value| format!("{value:.1}"))
}

/// Returns seconds as text: "8.2 s", "3 min 20 s", "2 h 05 min".
pub(super) fn format_duration(seconds: f64) -> String {
    let rounded = seconds.max(0.0).round() as u64;
    match rounded {
        0..=59 => format!("{:.1} s", seconds.max(0.0)),
        60..=3599 => format!("{} min {:02} s", rounded / 60, rounded % 60),
        _ => format!("{} h {:02} min", rounded / 3600, rounded % 3600 / 60),
    }
}

/// Returns a number of bytes as text, or a dash.
pub(super) fn format_size(bytes: Option<u64>) -> String {
    bytes.map_or_else(|| "–".to_string(), format_bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn table_aligns_columns_with_wide_characters() {
        let mut table = Table::new(&["run", ">A_N"]);
        table.add_row(["猫", "9.5"]);
        table.add_row(["digits", "100.0"]);
        let expected = "run       A_N\n猫        9.5\ndigits  100.0\n";
        assert_eq!(table.to_string(), expected);
    }

    #[test]
    fn formats_durations_sizes_and_percentages() {
        assert_eq!(format_duration(8.25), "8.2 s");
        assert_eq!(format_duration(200.0), "3 min 20 s");
        assert_eq!(format_duration(7500.0), "2 h 05 min");
        assert_eq!(format_size(Some(300_000_000)), "300.0 MB");
        assert_eq!(format_percent(None), "–");
    }

    #[test]
    fn json_output_rejects_missing_folder() {
        let json = |path: &str| JsonOutput { json: Some(path.into()) };
        assert!(json("/nowhere/at/all.json").check().is_err());
        assert!(json("-").check().is_ok());
        assert!(json("results.json").check().is_ok());
        assert!(json("/").check().is_err());
    }
}
