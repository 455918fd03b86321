//! The content of a table or list of any form: an image, its class and its split per row.

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use super::finder::{Finder, Lookup};
use crate::names::composed;
use crate::roles::{Role, parse_role};
use crate::texts::Words;
use crate::tree::Tree;

/// A list that is being read.
pub(super) struct ListSource<'a> {
    pub tree: &'a Tree,
    pub finder: &'a Finder<'a>,
    /// The folder of the list.
    pub list_folder: usize,
    /// The name of the list.
    pub file: &'a str,
    /// The column with the classes, if selected by the user.
    pub column: Option<&'a str>,
}

impl ListSource<'_> {
    pub fn find(&self, path: &str) -> Lookup {
        self.finder.find(self.list_folder, path)
    }

    pub fn folder_name(&self, dir: usize) -> &str {
        &self.tree.dirs[dir].name
    }
}

/// The content of a table or list.
#[derive(Default)]
pub(super) struct ListRows {
    pub rows: Vec<Row>,
    /// Indices of rows by the ids with which other lists refer to their images.
    pub ids: HashMap<String, usize>,
    pub labels: Labels,
    /// Remarks on decisions made while reading it.
    pub remarks: Vec<Words>,
}

/// A row of a list.
pub(super) struct Row {
    pub line: usize,
    /// The path in the row; `None` if it was found.
    pub path: Option<String>,
    pub lookup: Lookup,
    pub label: Option<Rc<str>>,
    pub split: SplitCell,
}

impl Row {
    /// Creates a row without label and split.
    pub fn new(line: usize, path: &str, lookup: Lookup) -> Self {
        Self {
            line,
            path: (!matches!(lookup, Lookup::Found(_))).then(|| path.to_owned()),
            lookup,
            label: None,
            split: SplitCell::Unspecified,
        }
    }
}

/// The split in a row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum SplitCell {
    Unspecified,
    Role(Role),
    /// Another value, such as `unlabelled` or `extra`.
    Other,
}

impl SplitCell {
    pub fn parse(cell: &str) -> Self {
        match (parse_role(cell), cell.is_empty()) {
            (Some(role), _) => Self::Role(role),
            (None, true) => Self::Unspecified,
            (None, false) => Self::Other,
        }
    }
}

/// Whether a list gives the classes, and how certain that is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) enum Labels {
    /// It does not give classes.
    #[default]
    Unspecified,
    Certain,
    /// This column is the only one that may contain the classes.
    Guessed(String),
    /// Each of these columns may contain the classes.
    Ambiguous(Vec<String>),
    /// Several of these columns are 1 for the same image.
    MultiHot(Vec<String>),
}

impl ListRows {
    /// Returns the number of rows that name an image of the folder.
    pub fn matched_rows(&self) -> usize {
        let rows = self.rows.iter();
        rows.filter(|row| row.lookup != Lookup::Missing).count()
    }
}

/// The labels so far, each stored only once.
#[derive(Default)]
pub(super) struct LabelInterner(HashSet<Rc<str>>);

impl LabelInterner {
    /// Returns a label with composed Unicode characters; `None` if it is empty.
    pub fn intern(&mut self, label: &str) -> Option<Rc<str>> {
        let label = composed(label.trim());
        if label.is_empty() {
            return None;
        }
        if let Some(known) = self.0.get(label.as_ref()) {
            return Some(known.clone());
        }
        let label: Rc<str> = label.into();
        self.0.insert(label.clone());
        Some(label)
    }
}

/// Returns a map from left to right values if they correspond one to one; `None` if not, or for fewer than two.
pub(super) fn one_to_one<'a>(
    pairs: impl Iterator<Item = (&'a str, &'a str)>,
) -> Option<HashMap<String, String>> {
    let (mut right, mut left) = (HashMap::new(), HashMap::new());
    for (first, second) in pairs {
        if *right.entry(first).or_insert(second) != second
            || *left.entry(second).or_insert(first) != first
        {
            return None;
        }
    }
    let owned = right.iter().map(|(&first, &second)| (first.to_owned(), second.to_owned()));
    (right.len() > 1).then(|| owned.collect())
}
