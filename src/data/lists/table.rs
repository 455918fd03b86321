//! Tables of file, label and optional split: determines the meaning of each column, and reads the rows.

use std::collections::{HashMap, HashSet};

use csv::{Position, StringRecord};

use super::finder::Lookup;
use super::rows::{LabelInterner, ListSource, Row, SplitCell};
use crate::message;
use crate::roles::{Role, parse_role};
use crate::texts::Words;
use crate::tree::has_image_extension;

/// Maximum number of cells of a table, to limit memory.
const MAX_CELLS: usize = 16 << 20;
/// Maximum number of columns of a table.
const MAX_COLUMNS: usize = 1000;
/// Approximate number of rows, spread over the table, by which the column of the files is found.
const PROBED_ROWS: usize = 200;

/// The meaning of a column, by its header.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum HeaderKind {
    /// File names of images.
    File,
    /// Names of splits.
    Split,
    /// Yes or no for a single split, which is the one given here.
    OneSplit(Role),
    /// Classes.
    Label,
    /// Classes, if no column is a [`HeaderKind::Label`].
    Class,
    /// Possibly classes.
    MaybeClass,
}

impl HeaderKind {
    fn parse(header: &str) -> Option<Self> {
        Some(match header {
            "file" | "filename" | "file_name" | "filepath" | "file_path" | "path" | "image"
            | "image_id" | "image_name" | "image_path" | "imageid" | "img" | "img_path" | "id"
            | "picture" | "photo" => Self::File,
            "split" | "set" | "subset" | "partition" | "usage" | "phase" | "fold" => Self::Split,
            "is_valid" | "is_val" => Self::OneSplit(Role::Validation),
            "is_test" => Self::OneSplit(Role::Test),
            "is_train" | "is_training" | "is_training_image" => Self::OneSplit(Role::Train),
            "label" | "labels" | "target" | "class_label" | "classlabel" | "fine_label" => {
                Self::Label
            }
            "class" | "classes" | "category" | "class_name" | "classname" | "category_name"
            | "label_name" | "class_id" | "classid" | "label_id" | "category_id" | "species"
            | "breed" | "dx" | "diagnosis" => Self::Class,
            "name" | "y" => Self::MaybeClass,
            _ => return None,
        })
    }
}

/// Returns the rows of a CSV or TSV text.
pub(super) fn parse_records(text: &str) -> Vec<StringRecord> {
    let cells = text.bytes().filter(|byte| b",;\t".contains(byte)).count();
    if cells > MAX_CELLS {
        return Vec::new();
    }
    let head = text.lines().next().unwrap_or_default();
    let count = |delimiter: char| head.matches(delimiter).count();
    let delimiter = [b'\t', b';', b',']
        .into_iter()
        .max_by_key(|&delimiter| count(delimiter as char))
        .unwrap_or(b',');
    let mut csv = csv::ReaderBuilder::new()
        .has_headers(false)
        .flexible(true)
        .delimiter(delimiter)
        .trim(csv::Trim::All)
        .from_reader(text.as_bytes());
    csv.records().filter_map(std::result::Result::ok).collect()
}

/// Creates a row with a line number from cells of another format.
pub(super) fn record_from_cells(
    line: usize,
    cells: impl IntoIterator<Item: AsRef<str>>,
) -> StringRecord {
    let mut record: StringRecord = cells.into_iter().collect();
    let mut position = Position::new();
    position.set_line(line as u64);
    record.set_position(Some(position));
    record
}

/// A table whose columns have been identified.
pub(super) struct Table<'a> {
    pub source: &'a ListSource<'a>,
    header_row: Option<&'a StringRecord>,
    pub body: &'a [StringRecord],
    /// Number of columns.
    pub width: usize,
    /// The column with the file names of the images.
    pub file: usize,
    /// The images found for the rows.
    pub lookups: Vec<Lookup>,
}

/// How a table gives the classes.
pub(super) enum LabelSource {
    Nothing,
    /// By the cells of a column.
    Column(usize),
    /// By the header of the column among these that contains a 1.
    OneOf(Vec<usize>),
}

/// How a table gives the splits.
pub(super) enum SplitSource {
    Nothing,
    Column(usize),
    Flag(usize, Role),
}

impl<'a> Table<'a> {
    pub fn new(
        source: &'a ListSource,
        records: &'a [StringRecord],
        has_header: bool,
    ) -> Option<Self> {
        let first = records.first()?;
        let width = first.len();
        if width > MAX_COLUMNS {
            return None;
        }
        let probed = probed_rows(records);
        let count_found = |at: usize| {
            let cells = probed.iter().filter_map(|record| record.get(at));
            let lookups = cells.map(|cell| source.find(cell));
            let lookups = lookups.filter(|lookup| *lookup != Lookup::Missing);
            lookups.collect::<HashSet<_>>().len()
        };
        let is_file =
            |at: usize| HeaderKind::parse(&normalised_header(first, at)) == Some(HeaderKind::File);
        let counts: Vec<usize> = (0..width).map(count_found).collect();
        let rank = |&at: &usize| (counts[at], is_file(at), std::cmp::Reverse(at));
        let file = (0..width).max_by_key(rank)?;
        if counts[file] == 0 {
            return None;
        }
        let cell = first.get(file).unwrap_or_default();
        let first_is_header =
            has_header || (source.find(cell) == Lookup::Missing && !has_image_extension(cell));
        let (head, body) = match first_is_header {
            true => (Some(first), &records[1..]),
            false => (None, records),
        };
        let lookups = body.iter().map(|record| record.get(file));
        let lookups = lookups.map(|cell| source.find(cell.unwrap_or_default()));
        Some(Self { source, header_row: head, body, width, file, lookups: lookups.collect() })
    }

    /// Returns the non-empty cells of a column, with the indices of their rows.
    pub fn cells(&self, at: usize) -> impl Iterator<Item = (usize, &'a str)> {
        let rows = self.body.iter().enumerate();
        rows.filter_map(move |(row, record)| Some((row, record.get(at)?)))
            .filter(|(_, cell)| !cell.is_empty())
    }

    pub fn has_header(&self) -> bool {
        self.header_row.is_some()
    }

    /// Returns a column's header in lower case; empty without a header.
    pub fn header(&self, at: usize) -> String {
        self.header_row.map_or_else(String::new, |head| normalised_header(head, at))
    }

    /// Returns the meaning of a column's header; `None` if it is unknown.
    pub fn header_kind(&self, at: usize) -> Option<HeaderKind> {
        HeaderKind::parse(&self.header(at))
    }

    /// Returns a column's original header, or its number.
    pub fn title(&self, at: usize) -> String {
        match self.header_row.and_then(|head| head.get(at)) {
            Some(title) if !title.is_empty() => title.to_owned(),
            _ => (at + 1).to_string(),
        }
    }

    /// Returns further columns with file names of images: masks, or the same images by another name.
    pub fn other_image_columns(&self) -> Vec<usize> {
        let probed = probed_rows(self.body);
        let names_images = |at: &usize| {
            let cells = probed.iter().filter_map(|record| record.get(*at));
            let images = cells.filter(|cell| {
                has_image_extension(cell) && self.source.find(cell) != Lookup::Missing
            });
            *at != self.file && images.count() * 2 > probed.len()
        };
        (0..self.width).filter(names_images).collect()
    }

    pub fn find_split_source(&self, remarks: &mut Vec<Words>) -> SplitSource {
        let columns = || (0..self.width).filter(|&at| at != self.file);
        let filled = |at: usize| self.cells(at).count();
        let roles = |at: usize| {
            let cells = self.cells(at);
            cells.filter(|(_, cell)| parse_role(cell).is_some()).count()
        };
        for at in columns().filter(|&at| self.header_kind(at) == Some(HeaderKind::Split)) {
            if roles(at) * 2 >= filled(at).max(1) {
                return SplitSource::Column(at);
            }
            let (column, file) = (self.title(at), self.source.file);
            remarks.push(message!("remark-split-column-unused", column, file).into());
        }
        for at in columns() {
            if let Some(HeaderKind::OneSplit(role)) = self.header_kind(at)
                && self.cells(at).all(|(_, cell)| parse_flag(cell).is_some())
            {
                return SplitSource::Flag(at, role);
            }
        }
        let all = columns().find(|&at| filled(at) > 1 && roles(at) == filled(at));
        all.map_or(SplitSource::Nothing, SplitSource::Column)
    }

    /// Returns the rows, with splits and labels from these columns.
    pub fn rows(&self, split: &SplitSource, label_source: &LabelSource) -> Vec<Row> {
        let mut names = LabelInterner::default();
        let rows = self.body.iter().zip(&self.lookups).enumerate();
        let rows = rows.map(|(number, (record, &lookup))| {
            let cell = |at: usize| record.get(at).unwrap_or_default();
            let label = match label_source {
                LabelSource::Nothing => None,
                LabelSource::Column(at) => names.intern(cell(*at)),
                LabelSource::OneOf(columns) => {
                    let marked = columns.iter().find(|&&at| is_one(cell(at)));
                    marked.and_then(|&at| names.intern(&self.title(at)))
                }
            };
            let split = match split {
                SplitSource::Nothing => SplitCell::Unspecified,
                SplitSource::Column(at) => SplitCell::parse(cell(*at)),
                SplitSource::Flag(at, role) => match (parse_flag(cell(*at)), role) {
                    (Some(true), role) => SplitCell::Role(*role),
                    (Some(false), Role::Train) => SplitCell::Role(Role::Test),
                    (Some(false), _) => SplitCell::Role(Role::Train),
                    (None, _) => SplitCell::Unspecified,
                },
            };
            let line = record.position().map_or(number + 1, |at| at.line() as usize);
            Row { label, split, ..Row::new(line, cell(self.file), lookup) }
        });
        rows.collect()
    }

    /// Returns the indices of rows by the cells of the first column, if these are ids with which other files may refer
    /// to the images.
    pub fn ids(&self) -> HashMap<String, usize> {
        if self.file == 0 || self.has_header() {
            return HashMap::new();
        }
        let ids = self.cells(0).map(|(row, cell)| (cell.to_owned(), row));
        let ids: HashMap<String, usize> = ids.collect();
        match ids.len() == self.body.len() {
            true => ids,
            false => HashMap::new(),
        }
    }
}

/// Returns rows that are spread over the whole table.
fn probed_rows(records: &[StringRecord]) -> Vec<&StringRecord> {
    let step = records.len().div_ceil(PROBED_ROWS).max(1);
    records.iter().step_by(step).collect()
}

fn normalised_header(header_row: &StringRecord, at: usize) -> String {
    let header = header_row.get(at).unwrap_or_default().trim().to_lowercase();
    header.replace([' ', '-'], "_")
}

/// Returns whether a cell is the number one.
pub(super) fn is_one(cell: &str) -> bool {
    cell.parse() == Ok(1.0)
}

fn parse_flag(cell: &str) -> Option<bool> {
    match cell.to_ascii_lowercase().as_str() {
        "true" | "yes" | "1" | "1.0" => Some(true),
        "false" | "no" | "0" | "0.0" => Some(false),
        _ => None,
    }
}
