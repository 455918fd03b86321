//! The content of a table or list of any form: an image, its class and its split per row.

use std::collections::{HashMap, HashSet};
use std::path::Path;
use std::rc::Rc;

use super::finder::{Finder, Lookup};
use crate::names::composed;
use crate::picture::READABLE;
use crate::roles::{Role, role_of};
use crate::texts::Words;
use crate::tree::{Tree, ending_of};

/// A list that is being read.
pub(super) struct Source<'a> {
    pub tree: &'a Tree,
    pub finder: &'a Finder<'a>,
    /// The folder of the list.
    pub holder: usize,
    /// The name of the list.
    pub file: &'a str,
    /// The column with the classes, if selected by the user.
    pub column: Option<&'a str>,
}

impl Source<'_> {
    pub fn find(&self, written: &str) -> Lookup {
        self.finder.find(self.holder, written)
    }

    pub fn folder(&self, dir: usize) -> &str {
        &self.tree.dirs[dir].name
    }
}

/// The content of a table or list.
#[derive(Default)]
pub(super) struct Sheet {
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
    pub written: Option<String>,
    pub spot: Lookup,
    pub label: Option<Rc<str>>,
    pub split: SplitCell,
}

impl Row {
    /// Creates a row without label and split.
    pub fn of(line: usize, written: &str, spot: Lookup) -> Self {
        Self {
            line,
            written: (!matches!(spot, Lookup::Found(_))).then(|| written.to_owned()),
            spot,
            label: None,
            split: SplitCell::Unsaid,
        }
    }
}

/// The split in a row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum SplitCell {
    Unsaid,
    Role(Role),
    /// Another value, such as `unlabelled` or `extra`.
    Other,
}

impl SplitCell {
    pub fn of(cell: &str) -> Self {
        match (role_of(cell), cell.is_empty()) {
            (Some(role), _) => Self::Role(role),
            (None, true) => Self::Unsaid,
            (None, false) => Self::Other,
        }
    }
}

/// Whether a list gives the classes, and how certain that is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) enum Labels {
    /// It does not give classes.
    #[default]
    Unsaid,
    Sure,
    /// This column is the only one that may contain the classes.
    Guessed(String),
    /// Each of these columns may contain the classes.
    Several(Vec<String>),
    /// Several of these columns are 1 for the same image.
    Marked(Vec<String>),
}

impl Sheet {
    /// Returns the number of rows that name an image of the folder.
    pub fn named(&self) -> usize {
        let named = self.rows.iter();
        named.filter(|row| row.spot != Lookup::Missing).count()
    }
}

/// Returns whether a path has the extension of an image.
pub(super) fn ends_as_image(written: &str) -> bool {
    let ending = ending_of(Path::new(written).as_os_str());
    READABLE.contains(&ending.as_str())
}

/// The labels so far, each stored only once.
#[derive(Default)]
pub(super) struct Names(HashSet<Rc<str>>);

impl Names {
    /// Returns a label with composed Unicode characters; `None` if it is empty.
    pub fn of(&mut self, label: &str) -> Option<Rc<str>> {
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
    for (one, other) in pairs {
        if *right.entry(one).or_insert(other) != other || *left.entry(other).or_insert(one) != one {
            return None;
        }
    }
    let owned = right
        .iter()
        .map(|(&one, &other)| (one.to_owned(), other.to_owned()));
    (right.len() > 1).then(|| owned.collect())
}
