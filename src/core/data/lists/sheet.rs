//! What a table or list says, whatever its form: an image, its class and its split per row.

use std::collections::{HashMap, HashSet};
use std::path::Path;
use std::rc::Rc;

use super::finder::{Finder, Spot};
use crate::data::picture::READABLE;
use crate::data::roles::{Role, role_of};
use crate::data::tree::{Tree, ending_of};
use crate::names::composed;
use crate::texts::Words;

/// A list that is being read.
pub(super) struct Source<'a> {
    pub tree: &'a Tree,
    pub finder: &'a Finder<'a>,
    /// The folder it lies in.
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

/// How sure it is what the classes of a list are.
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

impl Labels {
    /// Whether a column is one of those that are marked for one image.
    pub fn names(&self, column: &String) -> bool {
        matches!(self, Self::Marked(columns) if columns.contains(column))
    }
}

impl Sheet {
    /// Rows that name an image of the folder.
    pub fn named(&self) -> usize {
        let named = self.rows.iter();
        named.filter(|row| row.spot != Spot::Nowhere).count()
    }

    /// Takes these rows' splits: 1 for training, 0 for testing, or their names.
    pub fn split_by(&mut self, rows: &[(usize, String)]) {
        for (row, value) in rows {
            self.rows[*row].split = match value.as_str() {
                "1" => SplitCell::Role(Role::Train),
                "0" => SplitCell::Role(Role::Test),
                other => SplitCell::of(other),
            };
        }
    }

    /// Takes these rows' labels.
    pub fn label_by(&mut self, rows: Vec<(usize, String)>) {
        let mut names = Names::default();
        for (row, label) in rows {
            self.rows[row].label = names.of(&label);
        }
        self.labels = Labels::Sure;
    }
}

/// Whether a written name ends like that of an image.
pub(super) fn ends_as_image(written: &str) -> bool {
    let ending = ending_of(Path::new(written).as_os_str());
    READABLE.contains(&ending.as_str())
}

/// Labels met so far, each kept once.
#[derive(Default)]
pub(super) struct Names(HashSet<Rc<str>>);

impl Names {
    /// A label in its composed form; none for an empty one.
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

/// Each left one's right one, if each has one and no two the same; two at least.
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
