//! The rows of a table as its columns are understood.

use std::collections::HashMap;

use csv::StringRecord;

use super::finder::Spot;
use super::label::{LabelBy, LabelChoice, choose};
use super::sheet::{Names, Row, Sheet, Source, SplitCell};
use super::table::{SplitBy, Table, is_one, yes_or_no};
use crate::data::roles::Role;
use crate::texts::Words;

/// What a table says; `None` if it names no image. JSON always has a header, others where their first row names none.
pub(super) fn table_sheet(
    source: &Source,
    records: &[StringRecord],
    has_header: bool,
) -> Option<Sheet> {
    let table = Table::of(source, records, has_header)?;
    let mut remarks = Vec::new();
    let split = table.split(&mut remarks);
    let mut apart: Vec<usize> = match split {
        SplitBy::Nothing => vec![],
        SplitBy::Column(at) | SplitBy::YesOrNo(at, _) => vec![at],
    };
    apart.extend(table.other_images());
    let choice = choose(&table, &apart);
    Some(table.sheet(&split, choice, remarks))
}

impl Table<'_> {
    /// What the rows say, by the columns that were chosen.
    fn sheet(self, split: &SplitBy, choice: LabelChoice, mut remarks: Vec<Words>) -> Sheet {
        remarks.extend(choice.remarks);
        let mut names = Names::default();
        let cell = |row: usize, at: usize| self.body[row].get(at).unwrap_or_default();
        let rows = self.spots.iter().enumerate().map(|(row, &spot)| {
            let record = &self.body[row];
            let label = match &choice.by {
                LabelBy::Nothing => None,
                LabelBy::Column(at) => names.of(cell(row, *at)),
                LabelBy::OneOf(columns) => {
                    let marked = columns.iter().find(|&&at| is_one(cell(row, at)));
                    marked.and_then(|&at| names.of(&self.title(at)))
                }
            };
            let split = match split {
                SplitBy::Nothing => SplitCell::Unsaid,
                SplitBy::Column(at) => SplitCell::of(cell(row, *at)),
                SplitBy::YesOrNo(at, role) => match (yes_or_no(cell(row, *at)), role) {
                    (Some(true), role) => SplitCell::Role(*role),
                    (Some(false), Role::Train) => SplitCell::Role(Role::Test),
                    (Some(false), _) => SplitCell::Role(Role::Train),
                    (None, _) => SplitCell::Unsaid,
                },
            };
            let written = record
                .get(self.file())
                .filter(|_| !matches!(spot, Spot::At(_)));
            Row {
                line: record.position().map_or(row + 1, |at| at.line() as usize),
                written: written.map(str::to_owned),
                spot,
                label,
                split,
            }
        });
        Sheet {
            rows: rows.collect(),
            ids: self.ids(),
            labels: choice.labels,
            remarks,
        }
    }

    /// The numbers of rows by the cells of the first column, if these are the names other files have for the images.
    fn ids(&self) -> HashMap<String, usize> {
        if self.file() == 0 || self.has_header() {
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
