//! Finds the column with the classes of a table: by its header, by the folders of the images, or because no other
//! column is possible.

use std::collections::HashSet;

use csv::StringRecord;

use super::finder::Lookup;
use super::sheet::{Labels, Sheet, Source, one_to_one};
use super::table::{Header, LabelBy, SplitBy, Table, is_one};
use crate::message;
use crate::names::{folded, look_alike};

/// Number of rows above which each class must occur twice on average; in a shorter table, one repetition is enough.
const FEW_ROWS: usize = 40;

/// How the classes are given, and how certain that is.
type LabelChoice = (LabelBy, Labels);

fn column(table: &Table, at: usize, sure: bool) -> LabelChoice {
    let labels = match sure {
        true => Labels::Sure,
        false => Labels::Guessed(table.title(at)),
    };
    (LabelBy::Column(at), labels)
}

/// Statistics of the cells of a column.
struct Cells {
    filled: usize,
    distinct: usize,
    /// Whether all are integers.
    whole: bool,
    /// Whether all are numbers and some are not integers.
    measured: bool,
    /// Whether all are zero or one.
    binary: bool,
}

impl Cells {
    fn of(table: &Table, at: usize) -> Self {
        let mut distinct = HashSet::new();
        let (mut filled, mut numbers, mut whole) = (0, 0, 0);
        let mut binary = true;
        for (_, cell) in table.cells(at) {
            filled += 1;
            distinct.insert(cell);
            if let Ok(number) = cell.parse::<f64>() {
                numbers += 1;
                whole += usize::from(number.fract() == 0.0);
                binary &= number == 0.0 || number == 1.0;
            } else {
                binary = false;
            }
        }
        Self {
            filled,
            distinct: distinct.len(),
            whole: whole == filled,
            measured: numbers == filled && whole < filled,
            binary: binary && filled > 0,
        }
    }

    /// Returns whether the cells repeat, as classes do, and are not measurements.
    fn may_be_classes(&self) -> bool {
        let again = match self.filled > FEW_ROWS {
            true => self.distinct * 2 <= self.filled,
            false => self.distinct < self.filled,
        };
        self.distinct >= 2 && again && !self.measured
    }
}

/// Reads a table; `None` if it names no image. With `has_header` (as for JSON), the first row is always a header;
/// otherwise only if it names no image.
pub(super) fn table_sheet(
    source: &Source,
    records: &[StringRecord],
    has_header: bool,
) -> Option<Sheet> {
    let table = Table::of(source, records, has_header)?;
    let mut remarks = Vec::new();
    let split = table.split(&mut remarks);
    let mut apart = table.other_images();
    match split {
        SplitBy::Nothing => {}
        SplitBy::Column(at) | SplitBy::YesOrNo(at, _) => apart.push(at),
    }
    let (by, labels) = choose(&table, &apart);
    if let LabelBy::Column(at) = by
        && table.has_header()
        && table.width > 2
    {
        let (column, file) = (table.title(at), source.file);
        remarks.push(message!("remark-class-column", column, file).into());
    }
    Some(Sheet {
        rows: table.rows(&split, &by),
        ids: table.ids(),
        labels,
        remarks,
    })
}

/// Chooses the column with the classes. `apart` are the columns with splits or further file names, which are excluded.
fn choose(table: &Table, apart: &[usize]) -> LabelChoice {
    let free = |at: &usize| *at != table.file && !apart.contains(at);
    let columns: Vec<usize> = (0..table.width).filter(free).collect();
    if let Some(wanted) = table.source.column {
        let wanted = folded(wanted);
        let mut named = (0..table.width).filter(|&at| folded(&table.title(at)) == wanted);
        return match named.next() {
            Some(at) => column(table, at, true),
            None => several(table, &columns),
        };
    }
    for header in [Header::Label, Header::Class] {
        let named = columns.iter().copied();
        let named: Vec<usize> = named.filter(|&at| table.says(at) == Some(header)).collect();
        if let Some(choice) = of_named(table, &named) {
            return choice;
        }
    }
    let marked = match one_hot(table, &columns) {
        Some((by, Labels::Sure)) => return (by, Labels::Sure),
        marked => marked,
    };
    if let Some(&at) = columns.iter().find(|&&at| agrees_with_folders(table, at)) {
        return column(table, at, true);
    }
    let guess = guessed(table, &columns);
    match (marked, &guess.1) {
        // A column that is one of several marked ones is not a guess.
        (Some((_, Labels::Marked(marked))), Labels::Guessed(column))
            if !marked.contains(column) =>
        {
            guess
        }
        (Some(marked), _) => marked,
        (None, _) => guess,
    }
}

/// Chooses among columns with known headers: the first with words, if all columns correspond one to one.
fn of_named(table: &Table, named: &[usize]) -> Option<LabelChoice> {
    let (&first, rest) = named.split_first()?;
    if !rest
        .iter()
        .all(|&other| are_one_to_one(table, first, other))
    {
        return Some(several(table, named));
    }
    let words = named.iter().find(|&&at| !Cells::of(table, at).whole);
    Some(column(table, words.copied().unwrap_or(first), true))
}

/// Returns the columns of a one-hot encoding, which contain only zeros and ones. If a row has several ones, the columns
/// are reported as [`Labels::Marked`].
fn one_hot(table: &Table, columns: &[usize]) -> Option<LabelChoice> {
    if !table.has_header() {
        return None;
    }
    let binary = columns.iter().copied();
    let binary: Vec<usize> = binary.filter(|&at| Cells::of(table, at).binary).collect();
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
        return (binary.len() > 2).then_some((LabelBy::Nothing, Labels::Marked(marked)));
    }
    let single = table.body.iter().filter(|record| ones(record) == 1);
    (single.count() * 5 >= table.body.len() * 4).then_some((LabelBy::OneOf(binary), Labels::Sure))
}

/// Returns the only column that may contain classes. Words have priority over numbers.
fn guessed(table: &Table, columns: &[usize]) -> LabelChoice {
    if let ([only], false) = (columns, table.has_header()) {
        let cells = Cells::of(table, *only);
        // A column before the file without repetitions contains ids.
        let is_id = *only < table.file && cells.distinct == cells.filled;
        let once = cells.filled > FEW_ROWS && !cells.may_be_classes();
        return match cells.distinct < 2 || is_id || once {
            true => (LabelBy::Nothing, Labels::Unsaid),
            false => column(table, *only, true),
        };
    }
    let is_coordinate = |at: usize| {
        let header = table.header(at);
        header == "y" && columns.iter().any(|&other| table.header(other) == "x")
    };
    let known: Vec<(usize, Cells)> = columns
        .iter()
        .map(|&at| (at, Cells::of(table, at)))
        .filter(|(at, cells)| cells.may_be_classes() && !is_coordinate(*at))
        .collect();
    let perhaps = known
        .iter()
        .find(|(at, _)| table.says(*at) == Some(Header::PerhapsClass));
    let words = || known.iter().filter(|(_, cells)| !cells.whole);
    let only = match (perhaps, known.as_slice()) {
        (Some((at, _)), _) | (None, [(at, _)]) => Some(*at),
        _ if words().count() == 1 => words().next().map(|(at, _)| *at),
        _ => None,
    };
    match only {
        Some(at) => column(table, at, false),
        None if known.is_empty() => (LabelBy::Nothing, Labels::Unsaid),
        None => several(table, &known.iter().map(|(at, _)| *at).collect::<Vec<_>>()),
    }
}

fn several(table: &Table, columns: &[usize]) -> LabelChoice {
    let titles = columns.iter().map(|&at| table.title(at)).collect();
    (LabelBy::Nothing, Labels::Several(titles))
}

/// Returns whether the values of two columns correspond one to one.
fn are_one_to_one(table: &Table, one: usize, other: usize) -> bool {
    let pairs = table.body.iter();
    let pairs = pairs.filter_map(|record| Some((record.get(one)?, record.get(other)?)));
    one_to_one(pairs).is_some()
}

/// Returns whether a column contains the folder names of the images, or corresponds one to one to the folders.
fn agrees_with_folders(table: &Table, at: usize) -> bool {
    let placed = table.cells(at).filter_map(|(row, cell)| {
        let Lookup::Found((dir, _)) = table.spots[row] else {
            return None;
        };
        Some((cell, table.source.folder(dir)))
    });
    let placed: Vec<(&str, &str)> = placed.collect();
    let folders: HashSet<&str> = placed.iter().map(|(_, folder)| *folder).collect();
    let named = placed
        .iter()
        .filter(|(cell, folder)| look_alike(cell, folder));
    folders.len() > 1
        && (named.count() * 10 >= placed.len() * 9 || one_to_one(placed.iter().copied()).is_some())
}
