//! Tables of file, label and optional split: determines the meaning of each column, and reads the rows.

use std::collections::{HashMap, HashSet};

use csv::{Position, StringRecord};

use super::finder::Lookup;
use super::sheet::{Names, Row, Source, SplitCell, ends_as_image};
use crate::message;
use crate::roles::{Role, role_of};
use crate::texts::Words;

/// Maximum number of cells of a table, to limit memory.
const MOST_CELLS: usize = 16 << 20;
/// Maximum number of columns of a table.
const MOST_COLUMNS: usize = 1000;
/// Approximate number of rows, spread over the table, by which the column of the files is found.
const PROBED: usize = 200;

/// The meaning of a column, by its header.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Header {
    /// File names of images.
    File,
    /// Names of splits.
    Split,
    /// Yes or no for a single split, which is the one given here.
    OneSplit(Role),
    /// Classes.
    Label,
    /// Classes, if no column is a [`Header::Label`].
    Class,
    /// Possibly classes.
    PerhapsClass,
}

impl Header {
    fn of(header: &str) -> Option<Self> {
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
            "name" | "y" => Self::PerhapsClass,
            _ => return None,
        })
    }
}

/// Returns the rows of a CSV or TSV text.
pub(super) fn records_of(text: &str) -> Vec<StringRecord> {
    let cells = text.bytes().filter(|byte| b",;\t".contains(byte)).count();
    if cells > MOST_CELLS {
        return Vec::new();
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
    csv.records().filter_map(std::result::Result::ok).collect()
}

/// Creates a row with a line number from cells of another format.
pub(super) fn record(line: usize, cells: impl IntoIterator<Item: AsRef<str>>) -> StringRecord {
    let mut record: StringRecord = cells.into_iter().collect();
    let mut at = Position::new();
    at.set_line(line as u64);
    record.set_position(Some(at));
    record
}

/// A table whose columns have been identified.
pub(super) struct Table<'a> {
    pub source: &'a Source<'a>,
    head: Option<&'a StringRecord>,
    pub body: &'a [StringRecord],
    /// Number of columns.
    pub width: usize,
    /// The column with the file names of the images.
    pub file: usize,
    /// The images found for the rows.
    pub spots: Vec<Lookup>,
}

/// How a table gives the classes.
pub(super) enum LabelBy {
    Nothing,
    /// By the cells of a column.
    Column(usize),
    /// By the header of the column among these that contains a 1.
    OneOf(Vec<usize>),
}

/// How a table gives the splits.
pub(super) enum SplitBy {
    Nothing,
    Column(usize),
    YesOrNo(usize, Role),
}

impl<'a> Table<'a> {
    pub fn of(source: &'a Source, records: &'a [StringRecord], has_header: bool) -> Option<Self> {
        let first = records.first()?;
        let width = first.len();
        if width > MOST_COLUMNS {
            return None;
        }
        let probed = spread(records);
        let named = |at: usize| {
            let cells = probed.iter().filter_map(|record| record.get(at));
            let spots = cells.map(|cell| source.find(cell));
            let spots = spots.filter(|spot| *spot != Lookup::Missing);
            spots.collect::<HashSet<_>>().len()
        };
        let is_file = |at: usize| Header::of(&header_of(first, at)) == Some(Header::File);
        let counts: Vec<usize> = (0..width).map(named).collect();
        let rank = |&at: &usize| (counts[at], is_file(at), std::cmp::Reverse(at));
        let file = (0..width).max_by_key(rank)?;
        if counts[file] == 0 {
            return None;
        }
        let cell = first.get(file).unwrap_or_default();
        let header = has_header || (source.find(cell) == Lookup::Missing && !ends_as_image(cell));
        let (head, body) = match header {
            true => (Some(first), &records[1..]),
            false => (None, records),
        };
        let spots = body.iter().map(|record| record.get(file));
        let spots = spots.map(|cell| source.find(cell.unwrap_or_default()));
        Some(Self {
            source,
            head,
            body,
            width,
            file,
            spots: spots.collect(),
        })
    }

    /// Returns the non-empty cells of a column, with the indices of their rows.
    pub fn cells(&self, at: usize) -> impl Iterator<Item = (usize, &'a str)> {
        let rows = self.body.iter().enumerate();
        rows.filter_map(move |(row, record)| Some((row, record.get(at)?)))
            .filter(|(_, cell)| !cell.is_empty())
    }

    pub fn has_header(&self) -> bool {
        self.head.is_some()
    }

    /// Returns a column's header in lower case; empty without a header.
    pub fn header(&self, at: usize) -> String {
        self.head
            .map_or_else(String::new, |head| header_of(head, at))
    }

    /// Returns the meaning of a column's header; `None` if it is unknown.
    pub fn says(&self, at: usize) -> Option<Header> {
        Header::of(&self.header(at))
    }

    /// Returns a column's original header, or its number.
    pub fn title(&self, at: usize) -> String {
        match self.head.and_then(|head| head.get(at)) {
            Some(title) if !title.is_empty() => title.to_owned(),
            _ => (at + 1).to_string(),
        }
    }

    /// Returns further columns with file names of images: masks, or the same images by another name.
    pub fn other_images(&self) -> Vec<usize> {
        let probed = spread(self.body);
        let names = |at: &usize| {
            let cells = probed.iter().filter_map(|record| record.get(*at));
            let images = cells
                .filter(|cell| ends_as_image(cell) && self.source.find(cell) != Lookup::Missing);
            *at != self.file && images.count() * 2 > probed.len()
        };
        (0..self.width).filter(names).collect()
    }

    pub fn split(&self, remarks: &mut Vec<Words>) -> SplitBy {
        let columns = || (0..self.width).filter(|&at| at != self.file);
        let filled = |at: usize| self.cells(at).count();
        let roles = |at: usize| {
            let cells = self.cells(at);
            cells.filter(|(_, cell)| role_of(cell).is_some()).count()
        };
        for at in columns().filter(|&at| self.says(at) == Some(Header::Split)) {
            if roles(at) * 2 >= filled(at).max(1) {
                return SplitBy::Column(at);
            }
            let (column, file) = (self.title(at), self.source.file);
            remarks.push(message!("remark-split-column-unused", column, file).into());
        }
        for at in columns() {
            if let Some(Header::OneSplit(role)) = self.says(at)
                && self.cells(at).all(|(_, cell)| yes_or_no(cell).is_some())
            {
                return SplitBy::YesOrNo(at, role);
            }
        }
        let all = columns().find(|&at| filled(at) > 1 && roles(at) == filled(at));
        all.map_or(SplitBy::Nothing, SplitBy::Column)
    }

    /// Returns the rows, with splits and labels from these columns.
    pub fn rows(&self, split: &SplitBy, by: &LabelBy) -> Vec<Row> {
        let mut names = Names::default();
        let rows = self.body.iter().zip(&self.spots).enumerate();
        let rows = rows.map(|(number, (record, &spot))| {
            let cell = |at: usize| record.get(at).unwrap_or_default();
            let label = match by {
                LabelBy::Nothing => None,
                LabelBy::Column(at) => names.of(cell(*at)),
                LabelBy::OneOf(columns) => {
                    let marked = columns.iter().find(|&&at| is_one(cell(at)));
                    marked.and_then(|&at| names.of(&self.title(at)))
                }
            };
            let split = match split {
                SplitBy::Nothing => SplitCell::Unsaid,
                SplitBy::Column(at) => SplitCell::of(cell(*at)),
                SplitBy::YesOrNo(at, role) => match (yes_or_no(cell(*at)), role) {
                    (Some(true), role) => SplitCell::Role(*role),
                    (Some(false), Role::Train) => SplitCell::Role(Role::Test),
                    (Some(false), _) => SplitCell::Role(Role::Train),
                    (None, _) => SplitCell::Unsaid,
                },
            };
            let line = record
                .position()
                .map_or(number + 1, |at| at.line() as usize);
            Row {
                label,
                split,
                ..Row::of(line, cell(self.file), spot)
            }
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
fn spread(records: &[StringRecord]) -> Vec<&StringRecord> {
    let step = records.len().div_ceil(PROBED).max(1);
    records.iter().step_by(step).collect()
}

fn header_of(head: &StringRecord, at: usize) -> String {
    let header = head.get(at).unwrap_or_default().trim().to_lowercase();
    header.replace([' ', '-'], "_")
}

/// Returns whether a cell is the number one.
pub(super) fn is_one(cell: &str) -> bool {
    cell.parse() == Ok(1.0)
}

fn yes_or_no(cell: &str) -> Option<bool> {
    match cell.to_ascii_lowercase().as_str() {
        "true" | "yes" | "1" | "1.0" => Some(true),
        "false" | "no" | "0" | "0.0" => Some(false),
        _ => None,
    }
}
