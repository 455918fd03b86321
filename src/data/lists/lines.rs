//! Reads lists with a path and an optional label per line, tables separated by tabs or spaces, and YAML lists.

use std::collections::HashSet;

use csv::StringRecord;

use super::finder::{Lookup, strip_quotes};
use super::label::parse_table;
use super::rows::{LabelInterner, Labels, ListRows, ListSource, Row};
use super::table::record_from_cells;
use crate::tree::has_image_extension;

/// Separators between a path and its label.
const SEPARATORS: [char; 4] = ['\t', ',', ' ', ';'];
/// Maximum number of separators, from the end of a line, at which the end of the path is searched.
const MAX_SEPARATORS: usize = 12;

/// Reads lines of `path`, `path label` or `path,label`, where both may contain spaces; if that finds few images, a
/// table separated by tabs or spaces.
pub(super) fn parse_text(source: &ListSource, text: &str) -> ListRows {
    let lines: Vec<(usize, &str)> = text
        .lines()
        .enumerate()
        .map(|(number, line)| (number + 1, line.trim()))
        .filter(|(_, line)| !line.is_empty() && !line.starts_with('#'))
        .collect();
    let tabbed = |(_, line): &&(usize, &str)| line.matches('\t').count() > 1;
    if lines.iter().filter(tabbed).count() * 2 > lines.len()
        && let Some(list_rows) =
            parse_table(source, &split_cells(&lines, |line| line.split('\t')), false)
    {
        return list_rows;
    }
    let list_rows = parse_path_first(source, &lines);
    if list_rows.matched_rows() * 2 >= lines.len() {
        return list_rows;
    }
    // The path may be the last word: `1 001.Albatross/1.jpg`.
    let words = split_cells(&lines, str::split_whitespace);
    match parse_table(source, &words, false) {
        Some(table) if table.matched_rows() > list_rows.matched_rows() => table,
        _ => list_rows,
    }
}

/// Splits the lines into the cells of a table.
fn split_cells<'t, W: Iterator<Item = &'t str>>(
    lines: &[(usize, &'t str)],
    split_line: impl Fn(&'t str) -> W,
) -> Vec<StringRecord> {
    let lines = lines.iter();
    lines
        .map(|&(number, line)| record_from_cells(number, split_line(line).map(strip_quotes)))
        .collect()
}

fn parse_path_first(source: &ListSource, lines: &[(usize, &str)]) -> ListRows {
    let parsed: Vec<(Lookup, &str, &str)> =
        lines.iter().map(|(_, line)| split_path_and_label(source, line)).collect();
    let by_first = first_number_determines_label(parsed.iter().map(|(_, _, label)| *label));
    let mut names = LabelInterner::default();
    let rows = lines.iter().zip(parsed);
    let rows = rows.map(|((number, _), (lookup, path, label))| {
        let label = match by_first {
            Some(false) => "",
            Some(true) => label.split(SEPARATORS).next().unwrap_or_default(),
            None => label,
        };
        Row {
            label: names.intern(strip_quotes(label)),
            ..Row::new(*number, strip_quotes(path), lookup)
        }
    });
    let rows: Vec<Row> = rows.collect();
    let labels = match rows.iter().any(|row| row.label.is_some()) {
        true => Labels::Certain,
        false => Labels::Unspecified,
    };
    ListRows { rows, labels, ..ListRows::default() }
}

/// Returns the longest beginning of a line that names an image, and the rest of the line.
fn split_path_and_label<'t>(source: &ListSource, line: &'t str) -> (Lookup, &'t str, &'t str) {
    let separators = line.rmatch_indices(SEPARATORS).take(MAX_SEPARATORS);
    let parts = separators.map(|(at, separator)| {
        let label = &line[at + separator.len()..];
        (&line[..at], label.trim_start_matches(SEPARATORS))
    });
    let mut candidates: Vec<(&str, &str)> = parts.collect();
    let shortest = candidates.first().copied().unwrap_or((line, ""));
    // A line that ends like an image name is first tried as a whole.
    let whole_line_index = match has_image_extension(strip_quotes(line)) {
        true => 0,
        false => candidates.len(),
    };
    candidates.insert(whole_line_index, (line, ""));
    let mut found = candidates.into_iter().map(|(path, label)| (source.find(path), path, label));
    let found = found.find(|(lookup, ..)| *lookup != Lookup::Missing);
    found.unwrap_or((Lookup::Missing, shortest.0, shortest.1))
}

/// Returns whether the first of several numbers determines the others, as the number of a class does; `None` unless
/// every label consists of several numbers.
fn first_number_determines_label<'t>(labels: impl Iterator<Item = &'t str>) -> Option<bool> {
    let (mut labels_seen, mut first_numbers) = (HashSet::new(), HashSet::new());
    let mut rows = 0;
    for label in labels {
        let mut numbers = label.split(SEPARATORS).filter(|word| !word.is_empty());
        let first_number = numbers.next()?;
        let others: Vec<&str> = numbers.collect();
        let is_number = |word: &&str| word.parse::<f64>().is_ok();
        if others.is_empty() || !is_number(&first_number) || !others.iter().all(is_number) {
            return None;
        }
        labels_seen.insert(label);
        first_numbers.insert(first_number);
        rows += 1;
    }
    (rows > 0).then_some(
        first_numbers.len() > 1
            && first_numbers.len() == labels_seen.len()
            && first_numbers.len() < rows,
    )
}

/// Reads YAML with paths as `- path` items below `data:` and labels as `- number` items below `targets:` as a table;
/// the first row is the header.
pub(super) fn parse_yaml(text: &str) -> Vec<StringRecord> {
    let (mut paths, mut labels) = (Vec::new(), Vec::new());
    let mut target = None;
    for (number, line) in text.lines().enumerate() {
        let trimmed = line.trim();
        if let Some(item) = trimmed.strip_prefix("- ") {
            match target {
                Some("data") => paths.push((number + 1, strip_quotes(item))),
                Some("targets") => labels.push(strip_quotes(item)),
                _ => {}
            }
        } else if let Some(key) = trimmed.strip_suffix(':') {
            target = Some(key);
        }
    }
    paths.insert(0, (1, "file"));
    labels.insert(0, "label");
    if labels.len() != paths.len() {
        labels.clear();
    }
    let mut labels = labels.into_iter();
    let rows = paths.into_iter();
    rows.map(|(line, path)| record_from_cells(line, [path].into_iter().chain(labels.next())))
        .collect()
}
