//! What a table or list of any form says: an image, its class and its split per row.

use std::collections::{HashMap, HashSet};
use std::path::Path;
use std::rc::Rc;

use super::finder::{Finder, Spot};
use crate::names::composed;
use crate::picture::READABLE;
use crate::roles::{Role, role_of};
use crate::texts::Words;
use crate::tree::{Tree, ending_of};

/// A list that is being read.
pub(super) struct Source<'a> {
    pub tree: &'a Tree,
    pub finder: &'a Finder<'a>,
    /// Its folder.
    pub holder: usize,
    /// Its name.
    pub file: &'a str,
    /// The column of the classes, where the user named it.
    pub column: Option<&'a str>,
}

impl Source<'_> {
    pub fn find(&self, written: &str) -> Spot {
        self.finder.find(self.holder, written)
    }

    pub fn folder(&self, dir: usize) -> &str {
        &self.tree.dirs[dir].name
    }
}

/// What a table or list says.
#[derive(Default)]
pub(super) struct Sheet {
    pub rows: Vec<Row>,
    /// The numbers of rows by the names that other lists have for their images.
    pub ids: HashMap<String, usize>,
    pub labels: Labels,
    /// What was decided while reading it.
    pub remarks: Vec<Words>,
}

/// One row.
pub(super) struct Row {
    pub line: usize,
    /// What it names, where that is not one image of the folder.
    pub written: Option<String>,
    pub spot: Spot,
    pub label: Option<Rc<str>>,
    pub split: SplitCell,
}

impl Row {
    /// A row without a label and a split.
    pub fn of(line: usize, written: &str, spot: Spot) -> Self {
        Self {
            line,
            written: (!matches!(spot, Spot::At(_))).then(|| written.to_owned()),
            spot,
            label: None,
            split: SplitCell::Unsaid,
        }
    }
}

/// What a row says of its split.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum SplitCell {
    Unsaid,
    Role(Role),
    /// Something that is no split: `unlabelled`, `extra`.
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

/// Whether a list names the classes, and how certain that is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) enum Labels {
    /// It names none.
    #[default]
    Unsaid,
    Sure,
    /// This column was the only one that could name them.
    Guessed(String),
    /// Each of these columns could name them.
    Several(Vec<String>),
    /// Several of these columns are marked for one image.
    Marked(Vec<String>),
}

impl Sheet {
    /// Rows that name an image of the folder.
    pub fn named(&self) -> usize {
        let named = self.rows.iter();
        named.filter(|row| row.spot != Spot::Nowhere).count()
    }
}

/// Whether a written name ends like that of an image.
pub(super) fn ends_as_image(written: &str) -> bool {
    let ending = ending_of(Path::new(written).as_os_str());
    READABLE.contains(&ending.as_str())
}

/// Labels met so far, each stored once.
#[derive(Default)]
pub(super) struct Names(HashSet<Rc<str>>);

impl Names {
    /// A label in its composed form; `None` for an empty one.
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

/// Maps left to right names if each has exactly one of the other; `None` if not, or for fewer than two.
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
