//! CSV and TSV tables of file, label and perhaps split.

use super::Row;
use super::finder::Finder;
use crate::data::reader::role_of;

/// Most cells of a table; each takes room of its own.
const MOST_CELLS: usize = 16 << 20;
/// Most columns of a table.
const MOST_COLUMNS: usize = 1000;

/// Rows of a CSV or TSV; which column is which is read off the header and the content. The header
/// of the classes' column is given where its name does not say that it is one.
pub(super) fn table_rows(finder: &Finder, text: &str) -> (Vec<Row>, Option<String>) {
    let cells = text.bytes().filter(|byte| b",;\t".contains(byte)).count();
    if cells > MOST_CELLS {
        return (Vec::new(), None);
    }
    let head = text.lines().next().unwrap_or_default();
    let count = |mark: char| head.matches(mark).count();
    let delimiter = [b'\t', b';', b',']
        .into_iter()
        .max_by_key(|&mark| count(mark as char))
        .unwrap_or(b',');
    let mut csv = csv::ReaderBuilder::new()
        .has_headers(false)
        .flexible(true)
        .delimiter(delimiter)
        .trim(csv::Trim::All)
        .from_reader(text.as_bytes());
    let records: Vec<csv::StringRecord> =
        csv.records().filter_map(std::result::Result::ok).collect();
    let Some(columns) = Columns::of(finder, &records) else {
        return (Vec::new(), None);
    };
    let guessed = columns.guessed.clone();
    let line_of = |record: &csv::StringRecord| record.position().map_or(0, |at| at.line() as usize);
    let rows = records
        .iter()
        .skip(usize::from(columns.header))
        .filter_map(|record| {
            Some(Row {
                line: line_of(record),
                path: record.get(columns.file)?.to_owned(),
                label: columns
                    .label
                    .and_then(|at| record.get(at))
                    .filter(|l| !l.is_empty())
                    .map(str::to_owned),
                split: columns.split.and_then(|at| role_of(record.get(at)?)),
            })
        })
        .collect();
    (rows, guessed)
}

/// Which column of a table holds what.
struct Columns {
    file: usize,
    label: Option<usize>,
    split: Option<usize>,
    header: bool,
    /// Header of `label` where it was chosen by its content.
    guessed: Option<String>,
}

impl Columns {
    fn of(finder: &Finder, records: &[csv::StringRecord]) -> Option<Self> {
        let first = records
            .first()
            .filter(|first| first.len() <= MOST_COLUMNS)?;
        let sample = &records[..records.len().min(30)];
        let hits = |at: usize| {
            let found = |record: &&csv::StringRecord| {
                record
                    .get(at)
                    .is_some_and(|path| finder.find(path).is_some())
            };
            sample.iter().filter(found).count()
        };
        let file = (0..first.len()).max_by_key(|&at| (hits(at), std::cmp::Reverse(at)))?;
        if hits(file) == 0 {
            return None;
        }
        let header = finder.find(first.get(file)?).is_none();
        let named = |names: &[&str]| {
            let matches = |at: &usize| {
                let name = first.get(*at).unwrap_or_default().to_ascii_lowercase();
                *at != file && names.contains(&name.as_str())
            };
            (0..first.len()).find(matches).filter(|_| header)
        };
        let all_roles = |at: &usize| {
            *at != file
                && sample
                    .iter()
                    .skip(1)
                    .all(|record| record.get(*at).and_then(role_of).is_some())
        };
        let split = named(&[
            "split",
            "set",
            "subset",
            "partition",
            "usage",
            "phase",
            "fold",
        ])
        .or_else(|| {
            (0..first.len())
                .find(all_roles)
                .filter(|_| sample.len() > 1)
        });
        let label = named(&[
            "label",
            "class",
            "category",
            "target",
            "labels",
            "class_name",
            "classname",
            "label_name",
            "name",
            "species",
            "y",
            "class_id",
            "label_id",
            "category_id",
            "category_name",
            "dx",
            "diagnosis",
            "breed",
        ]);
        // A class is a word that comes again and again.
        let distinct = |at: &usize| {
            let values: std::collections::HashSet<&str> = records
                .iter()
                .skip(usize::from(header))
                .filter_map(|record| record.get(*at))
                .collect();
            if values.len() < 2 {
                usize::MAX
            } else {
                values.len()
            }
        };
        let others = (0..first.len()).filter(|&at| at != file && Some(at) != split);
        let unnamed = || others.min_by_key(distinct);
        let guess = if label.is_none() { unnamed() } else { None };
        let guessed = guess.filter(|_| header && first.len() > 2);
        Some(Self {
            file,
            label: label.or(guess),
            split,
            header,
            guessed: guessed.and_then(|at| first.get(at)).map(str::to_owned),
        })
    }
}
