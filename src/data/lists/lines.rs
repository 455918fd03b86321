//! Reads lists with a path and an optional label per line, tables separated by tabs or spaces, and YAML lists.

use std::collections::HashSet;

use csv::StringRecord;

use super::finder::{Lookup, unquoted};
use super::label::table_sheet;
use super::sheet::{Labels, Names, Row, Sheet, Source, ends_as_image};
use super::table::record;

/// Separators between a path and its label.
const MARKS: [char; 4] = ['\t', ',', ' ', ';'];
/// Maximum number of separators, from the end of a line, at which the end of the path is searched.
const MOST_WORDS: usize = 12;

/// Reads lines of `path`, `path label` or `path,label`, where both may contain spaces; if that finds few images, a
/// table separated by tabs or spaces.
pub(super) fn text_sheet(source: &Source, text: &str) -> Sheet {
    let lines: Vec<(usize, &str)> = text
        .lines()
        .enumerate()
        .map(|(number, line)| (number + 1, line.trim()))
        .filter(|(_, line)| !line.is_empty() && !line.starts_with('#'))
        .collect();
    let tabbed = |(_, line): &&(usize, &str)| line.matches('\t').count() > 1;
    if lines.iter().filter(tabbed).count() * 2 > lines.len()
        && let Some(sheet) = table_sheet(source, &parted(&lines, |line| line.split('\t')), false)
    {
        return sheet;
    }
    let sheet = path_first(source, &lines);
    if sheet.named() * 2 >= lines.len() {
        return sheet;
    }
    // The path may be the last word: `1 001.Albatross/1.jpg`.
    let words = parted(&lines, str::split_whitespace);
    match table_sheet(source, &words, false) {
        Some(table) if table.named() > sheet.named() => table,
        _ => sheet,
    }
}

/// Splits the lines into the cells of a table.
fn parted<'t, W: Iterator<Item = &'t str>>(
    lines: &[(usize, &'t str)],
    parts: impl Fn(&'t str) -> W,
) -> Vec<StringRecord> {
    let lines = lines.iter();
    lines
        .map(|&(number, line)| record(number, parts(line).map(unquoted)))
        .collect()
}

fn path_first(source: &Source, lines: &[(usize, &str)]) -> Sheet {
    let split: Vec<(Lookup, &str, &str)> = lines
        .iter()
        .map(|(_, line)| path_and_label(source, line))
        .collect();
    let by_first = first_determines(split.iter().map(|(_, _, label)| *label));
    let mut names = Names::default();
    let rows = lines.iter().zip(split);
    let rows = rows.map(|((number, _), (spot, path, label))| {
        let label = match by_first {
            Some(false) => "",
            Some(true) => label.split(MARKS).next().unwrap_or_default(),
            None => label,
        };
        Row {
            label: names.of(unquoted(label)),
            ..Row::of(*number, unquoted(path), spot)
        }
    });
    let rows: Vec<Row> = rows.collect();
    let labels = match rows.iter().any(|row| row.label.is_some()) {
        true => Labels::Sure,
        false => Labels::Unsaid,
    };
    Sheet {
        rows,
        labels,
        ..Sheet::default()
    }
}

/// Returns the longest beginning of a line that names an image, and the rest of the line.
fn path_and_label<'t>(source: &Source, line: &'t str) -> (Lookup, &'t str, &'t str) {
    let marks = line.rmatch_indices(MARKS).take(MOST_WORDS);
    let parts = marks.map(|(at, mark)| {
        let label = &line[at + mark.len()..];
        (&line[..at], label.trim_start_matches(MARKS))
    });
    let mut tried: Vec<(&str, &str)> = parts.collect();
    let shortest = tried.first().copied().unwrap_or((line, ""));
    // A line that ends like an image name is first tried as a whole.
    let whole = match ends_as_image(unquoted(line)) {
        true => 0,
        false => tried.len(),
    };
    tried.insert(whole, (line, ""));
    let mut found = tried
        .into_iter()
        .map(|(path, label)| (source.find(path), path, label));
    let found = found.find(|(spot, ..)| *spot != Lookup::Missing);
    found.unwrap_or((Lookup::Missing, shortest.0, shortest.1))
}

/// Returns whether the first of several numbers determines the others, as the number of a class does; `None` unless
/// every label consists of several numbers.
fn first_determines<'t>(labels: impl Iterator<Item = &'t str>) -> Option<bool> {
    let (mut all, mut first) = (HashSet::new(), HashSet::new());
    let mut rows = 0;
    for label in labels {
        let mut numbers = label.split(MARKS).filter(|word| !word.is_empty());
        let begin = numbers.next()?;
        let more: Vec<&str> = numbers.collect();
        let is_number = |word: &&str| word.parse::<f64>().is_ok();
        if more.is_empty() || !is_number(&begin) || !more.iter().all(is_number) {
            return None;
        }
        all.insert(label);
        first.insert(begin);
        rows += 1;
    }
    (rows > 0).then_some(first.len() > 1 && first.len() == all.len() && first.len() < rows)
}

/// Reads YAML with paths as `- path` items below `data:` and labels as `- number` items below `targets:` as a table;
/// the first row is the header.
pub(super) fn of_yaml(text: &str) -> Vec<StringRecord> {
    let (mut paths, mut labels) = (Vec::new(), Vec::new());
    let mut target = None;
    for (number, line) in text.lines().enumerate() {
        let trimmed = line.trim();
        if let Some(item) = trimmed.strip_prefix("- ") {
            match target {
                Some("data") => paths.push((number + 1, unquoted(item))),
                Some("targets") => labels.push(unquoted(item)),
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
    rows.map(|(line, path)| record(line, [path].into_iter().chain(labels.next())))
        .collect()
}
