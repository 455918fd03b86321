//! Finds the column with the classes of a table: by its header, by the folders of the images, or because no other
//! column is possible.

use std::collections::HashSet;

use csv::StringRecord;

use super::finder::Lookup;
use super::rows::{Labels, ListRows, ListSource, one_to_one};
use super::table::{HeaderKind, LabelSource, SplitSource, Table, is_one};
use crate::message;
use crate::names::{fold_case, is_same_name};

/// Number of rows above which each class must occur twice on average; in a shorter table, one repetition is enough.
const FEW_ROWS: usize = 40;

/// How the classes are given, and how certain that is.
type LabelChoice = (LabelSource, Labels);

fn choose_column(table: &Table, at: usize, is_certain: bool) -> LabelChoice {
    let labels = match is_certain {
        true => Labels::Certain,
        false => Labels::Guessed(table.title(at)),
    };
    (LabelSource::Column(at), labels)
}

/// Statistics of the cells of a column.
struct ColumnStats {
    filled: usize,
    distinct: usize,
    /// Whether all are integers.
    all_integers: bool,
    /// Whether all are numbers and some are not integers.
    is_fractional: bool,
    /// Whether all are zero or one.
    is_binary: bool,
}

impl ColumnStats {
    fn new(table: &Table, at: usize) -> Self {
        let mut distinct = HashSet::new();
        let (mut filled, mut numbers, mut integers) = (0, 0, 0);
        let mut binary = true;
        for (_, cell) in table.cells(at) {
            filled += 1;
            distinct.insert(cell);
            if let Ok(number) = cell.parse::<f64>() {
                numbers += 1;
                integers += usize::from(number.fract() == 0.0);
                binary &= number == 0.0 || number == 1.0;
            } else {
                binary = false;
            }
        }
        Self {
            filled,
            distinct: distinct.len(),
            all_integers: integers == filled,
            is_fractional: numbers == filled && integers < filled,
            is_binary: binary && filled > 0,
        }
    }

    /// Returns whether the cells repeat, as classes do, and are not measurements.
    fn may_be_classes(&self) -> bool {
        let repeats = match self.filled > FEW_ROWS {
            true => self.distinct * 2 <= self.filled,
            false => self.distinct < self.filled,
        };
        self.distinct >= 2 && repeats && !self.is_fractional
    }
}

/// Reads a table; `None` if it names no image. With `has_header` (as for JSON), the first row is always a header;
/// otherwise only if it names no image.
pub(super) fn parse_table(
    source: &ListSource,
    records: &[StringRecord],
    has_header: bool,
) -> Option<ListRows> {
    let table = Table::new(source, records, has_header)?;
    let mut remarks = Vec::new();
    let split = table.find_split_source(&mut remarks);
    let mut excluded = table.other_image_columns();
    match split {
        SplitSource::Nothing => {}
        SplitSource::Column(at) | SplitSource::Flag(at, _) => excluded.push(at),
    }
    let (by, labels) = choose_labels(&table, &excluded);
    if let LabelSource::Column(at) = by
        && table.has_header()
        && table.width > 2
    {
        let (column, file) = (table.title(at), source.file);
        remarks.push(message!("remark-class-column", column, file).into());
    }
    Some(ListRows { rows: table.rows(&split, &by), ids: table.ids(), labels, remarks })
}

/// Chooses the column with the classes. `excluded` are the columns with splits or further file names.
fn choose_labels(table: &Table, excluded: &[usize]) -> LabelChoice {
    let is_free = |at: &usize| *at != table.file && !excluded.contains(at);
    let columns: Vec<usize> = (0..table.width).filter(is_free).collect();
    if let Some(wanted) = table.source.column {
        let wanted = fold_case(wanted);
        let mut named = (0..table.width).filter(|&at| fold_case(&table.title(at)) == wanted);
        return match named.next() {
            Some(at) => choose_column(table, at, true),
            None => ambiguous_choice(table, &columns),
        };
    }
    for header in [HeaderKind::Label, HeaderKind::Class] {
        let named = columns.iter().copied();
        let named: Vec<usize> = named.filter(|&at| table.header_kind(at) == Some(header)).collect();
        if let Some(choice) = choose_named(table, &named) {
            return choice;
        }
    }
    let one_hot_choice = match one_hot(table, &columns) {
        Some((by, Labels::Certain)) => return (by, Labels::Certain),
        marked => marked,
    };
    if let Some(&at) = columns.iter().find(|&&at| agrees_with_folders(table, at)) {
        return choose_column(table, at, true);
    }
    let guess = guess_labels(table, &columns);
    match (one_hot_choice, &guess.1) {
        // A column that is one of several marked ones is not a guess.
        (Some((_, Labels::MultiHot(marked))), Labels::Guessed(column))
            if !marked.contains(column) =>
        {
            guess
        }
        (Some(marked), _) => marked,
        (None, _) => guess,
    }
}

/// Chooses among columns with known headers: the first with words, if all columns correspond one to one.
fn choose_named(table: &Table, named: &[usize]) -> Option<LabelChoice> {
    let (&first, rest) = named.split_first()?;
    if !rest.iter().all(|&other| are_one_to_one(table, first, other)) {
        return Some(ambiguous_choice(table, named));
    }
    let words = named.iter().find(|&&at| !ColumnStats::new(table, at).all_integers);
    Some(choose_column(table, words.copied().unwrap_or(first), true))
}

/// Returns the columns of a one-hot encoding, which contain only zeros and ones. If a row has several ones, the columns
/// are reported as [`Labels::MultiHot`].
fn one_hot(table: &Table, columns: &[usize]) -> Option<LabelChoice> {
    if !table.has_header() {
        return None;
    }
    let binary = columns.iter().copied();
    let binary: Vec<usize> = binary.filter(|&at| ColumnStats::new(table, at).is_binary).collect();
    if binary.len() < 2 {
        return None;
    }
    let ones = |record: &StringRecord| {
        let cells = binary.iter().filter_map(|&at| record.get(at));
        cells.filter(|cell| is_one(cell)).count()
    };
    if table.body.iter().any(|record| ones(record) > 1) {
        let marked = binary.iter().map(|&at| table.title(at)).collect();
        // Two such columns may be flags that are unrelated to classes.
        return (binary.len() > 2).then_some((LabelSource::Nothing, Labels::MultiHot(marked)));
    }
    let single = table.body.iter().filter(|record| ones(record) == 1);
    (single.count() * 5 >= table.body.len() * 4)
        .then_some((LabelSource::OneOf(binary), Labels::Certain))
}

/// Returns the only column that may contain classes. Words have priority over numbers.
fn guess_labels(table: &Table, columns: &[usize]) -> LabelChoice {
    if let ([only], false) = (columns, table.has_header()) {
        let cells = ColumnStats::new(table, *only);
        // A column before the file without repetitions contains ids.
        let is_id = *only < table.file && cells.distinct == cells.filled;
        let never_repeats = cells.filled > FEW_ROWS && !cells.may_be_classes();
        return match cells.distinct < 2 || is_id || never_repeats {
            true => (LabelSource::Nothing, Labels::Unspecified),
            false => choose_column(table, *only, true),
        };
    }
    let is_coordinate = |at: usize| {
        let header = table.header(at);
        header == "y" && columns.iter().any(|&other| table.header(other) == "x")
    };
    let known: Vec<(usize, ColumnStats)> = columns
        .iter()
        .map(|&at| (at, ColumnStats::new(table, at)))
        .filter(|(at, cells)| cells.may_be_classes() && !is_coordinate(*at))
        .collect();
    let perhaps =
        known.iter().find(|(at, _)| table.header_kind(*at) == Some(HeaderKind::MaybeClass));
    let words = || known.iter().filter(|(_, cells)| !cells.all_integers);
    let only = match (perhaps, known.as_slice()) {
        (Some((at, _)), _) | (None, [(at, _)]) => Some(*at),
        _ if words().count() == 1 => words().next().map(|(at, _)| *at),
        _ => None,
    };
    match only {
        Some(at) => choose_column(table, at, false),
        None if known.is_empty() => (LabelSource::Nothing, Labels::Unspecified),
        None => ambiguous_choice(table, &known.iter().map(|(at, _)| *at).collect::<Vec<_>>()),
    }
}

fn ambiguous_choice(table: &Table, columns: &[usize]) -> LabelChoice {
    let titles = columns.iter().map(|&at| table.title(at)).collect();
    (LabelSource::Nothing, Labels::Ambiguous(titles))
}

/// Returns whether the values of two columns correspond one to one.
fn are_one_to_one(table: &Table, first: usize, second: usize) -> bool {
    let pairs = table.body.iter();
    let pairs = pairs.filter_map(|record| Some((record.get(first)?, record.get(second)?)));
    one_to_one(pairs).is_some()
}

/// Returns whether a column contains the folder names of the images, or corresponds one to one to the folders.
fn agrees_with_folders(table: &Table, at: usize) -> bool {
    let pairs = table.cells(at).filter_map(|(row, cell)| {
        let Lookup::Found((dir, _)) = table.lookups[row] else {
            return None;
        };
        Some((cell, table.source.folder_name(dir)))
    });
    let pairs: Vec<(&str, &str)> = pairs.collect();
    let folders: HashSet<&str> = pairs.iter().map(|(_, folder)| *folder).collect();
    let matching = pairs.iter().filter(|(cell, folder)| is_same_name(cell, folder));
    folders.len() > 1
        && (matching.count() * 10 >= pairs.len() * 9 || one_to_one(pairs.iter().copied()).is_some())
}
