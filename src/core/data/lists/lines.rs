//! Lists of lines: a path and perhaps a label, columns parted by spaces, and pairs of YAML.

use std::collections::HashSet;

use csv::{Position, StringRecord};

use super::finder::{Spot, unquoted};
use super::rows::table_sheet;
use super::sheet::{Labels, Names, Row, Sheet, Source, SplitCell, ends_as_image};

/// What parts a path from its label.
const MARKS: [char; 4] = ['\t', ',', ' ', ';'];
/// Most words of a label: so many places of a line are tried as the end of its path.
const MOST_WORDS: usize = 12;

/// Lines of `path`, `path label` or `path,label`, where both may have spaces; else a table parted by tabs or spaces.
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

/// The lines as rows of a table.
fn parted<'t, W: Iterator<Item = &'t str>>(
    lines: &[(usize, &'t str)],
    parts: impl Fn(&'t str) -> W,
) -> Vec<StringRecord> {
    let record = |&(number, line): &(usize, &'t str)| {
        let mut record = StringRecord::from_iter(parts(line).map(unquoted));
        let mut at = Position::new();
        at.set_line(number as u64);
        record.set_position(Some(at));
        record
    };
    lines.iter().map(record).collect()
}

fn path_first(source: &Source, lines: &[(usize, &str)]) -> Sheet {
    let split: Vec<(Spot, &str, &str)> = lines
        .iter()
        .map(|(_, line)| path_and_label(source, line))
        .collect();
    let by_first = number_that_tells(split.iter().map(|(_, _, label)| *label));
    let mut names = Names::default();
    let rows = lines.iter().zip(split);
    let rows = rows.map(|((number, _), (spot, path, label))| {
        let label = match by_first {
            Some(false) => "",
            Some(true) => label.split(MARKS).next().unwrap_or_default(),
            None => label,
        };
        Row {
            line: *number,
            written: (!matches!(spot, Spot::At(_))).then(|| unquoted(path).to_owned()),
            spot,
            label: names.of(unquoted(label)),
            split: SplitCell::Unsaid,
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

/// The longest beginning of a line that names an image, and what follows it.
fn path_and_label<'t>(source: &Source, line: &'t str) -> (Spot, &'t str, &'t str) {
    let whole = || (source.find(line), line, "");
    let marks = line.rmatch_indices(MARKS).take(MOST_WORDS);
    let parts: Vec<(&str, &str)> = marks
        .map(|(at, mark)| (&line[..at], &line[at + mark.len()..]))
        .collect();
    let with_label = || {
        let tried = parts.iter().map(|&(path, label)| {
            let label = label.trim_start_matches(MARKS);
            (source.find(path), path, label)
        });
        tried.into_iter().find(|(spot, ..)| *spot != Spot::Nowhere)
    };
    // What ends like an image, or has nothing behind it, is a path as a whole.
    if parts.is_empty() || ends_as_image(unquoted(line)) {
        let whole = whole();
        if whole.0 != Spot::Nowhere || parts.is_empty() {
            return whole;
        }
    }
    with_label().unwrap_or_else(|| match whole() {
        (Spot::Nowhere, ..) => {
            let (path, label) = parts.first().copied().unwrap_or((line, ""));
            (Spot::Nowhere, path, label)
        }
        whole => whole,
    })
}

/// Of labels that are several numbers each, whether the first number tells all others, as a class does; `None` for labels
/// of another kind.
fn number_that_tells<'t>(labels: impl Iterator<Item = &'t str>) -> Option<bool> {
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

/// `data:` followed by `- path` items, `targets:` by `- number` items.
pub(super) fn yaml_sheet(source: &Source, text: &str) -> Sheet {
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
    let labelled = labels.len() == paths.len() && !paths.is_empty();
    let mut names = Names::default();
    let rows = paths.iter().enumerate().map(|(place, &(line, path))| {
        let spot = source.find(path);
        Row {
            line,
            written: (!matches!(spot, Spot::At(_))).then(|| path.to_owned()),
            spot,
            label: labels
                .get(place)
                .filter(|_| labelled)
                .and_then(|label| names.of(label)),
            split: SplitCell::Unsaid,
        }
    });
    Sheet {
        rows: rows.collect(),
        labels: match labelled {
            true => Labels::Sure,
            false => Labels::Unsaid,
        },
        ..Sheet::default()
    }
}
