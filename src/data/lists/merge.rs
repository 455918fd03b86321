//! Merges the lists of a folder, and refuses contradictions between them.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::path::Path;
use std::rc::Rc;

use super::ImageIndex;
use super::finder::{Lookup, path_of};
use super::gather::List;
use super::sheet::{Labels, SplitCell};
use crate::Skipped;
use crate::message;
use crate::problem::{Problem, Result, some_of};
use crate::reader::Reader;
use crate::roles::Role;

/// An image in a list, with its label and split.
pub(super) type Entry = (ImageIndex, Option<Rc<str>>, Option<Role>);

/// Number of rows above which labels that never repeat are not classes.
const FEW_ROWS: usize = 40;
/// One in this number of rows may be an image with two labels, which is left out. If there are more, rows do not stand
/// for images.
const RARE: usize = 20;
/// Maximum number of images or lists that a sentence names.
const NAMED: usize = 4;

/// Images with two labels: the list that contains the second one, and the labels.
type DoubleLabels = BTreeMap<ImageIndex, (usize, BTreeSet<String>)>;

/// The label and split that one row gives an image.
struct RowLabel {
    place: ImageIndex,
    list: usize,
    label: Option<Rc<str>>,
    role: Option<Role>,
}

/// Merges lists into one entry for each split that an image is in.
///
/// # Errors
/// Returns a Problem if lists give an image different labels or splits, or if a list gives many images two labels.
pub(super) fn merge(
    reader: &mut Reader,
    lists: &[List],
    skipped: &mut Vec<Skipped>,
) -> Result<Vec<Entry>> {
    let mut said = Vec::new();
    for (list, of) in lists.iter().enumerate() {
        let own = of.rows.iter().filter(|row| row.split != SplitCell::Other);
        said.extend(own.filter_map(|row| match row.spot {
            Lookup::Found(place) => Some(RowLabel {
                place,
                list,
                label: row.label.clone(),
                role: of.role_of(row),
            }),
            _ => None,
        }));
    }
    said.sort_by_key(|said| said.place);
    let twice = contradictions(lists, &said)?;
    check_splits(lists, &said)?;
    leave_out(reader, lists, &twice, said.len(), skipped)?;
    said.retain(|said| !twice.contains_key(&said.place));
    Ok(entries(reader, lists, said))
}

/// Removes labels that hardly repeat, such as line numbers or descriptions.
pub(super) fn forget_unique_labels(lists: &mut [List]) {
    let mut families: BTreeMap<&str, (usize, HashSet<&str>)> = BTreeMap::new();
    for list in lists.iter() {
        let (rows, labels) = families.entry(&list.family).or_default();
        let own = list.rows.iter().filter_map(|row| row.label.as_deref());
        for label in own {
            *rows += 1;
            labels.insert(label);
        }
    }
    let unique = |(_, (rows, labels)): &(&str, (usize, HashSet<&str>))| {
        *rows > FEW_ROWS && labels.len() * 2 > *rows
    };
    let unique = families.into_iter().filter(unique);
    let unique: BTreeSet<String> = unique.map(|(family, _)| family.to_owned()).collect();
    for list in lists {
        if unique.contains(&list.family) {
            list.rows.iter_mut().for_each(|row| row.label = None);
            list.labels = Labels::Unsaid;
        }
    }
}

/// A value of the first row of an image, and a value of another row of it, each with its list.
type Pair<T> = (ImageIndex, (usize, T), (usize, T));

/// Returns pairs of the first row of an image and each other one, if both have a value.
fn pairs<'s, T: Copy>(
    said: &'s [RowLabel],
    what: impl Fn(&'s RowLabel) -> Option<T>,
) -> Vec<Pair<T>> {
    let mut pairs = Vec::new();
    for same in said.chunk_by(|one, other| one.place == other.place) {
        let mut all = same
            .iter()
            .filter_map(|said| Some((said.list, what(said)?)));
        if let Some(first) = all.next() {
            pairs.extend(all.map(|other| (same[0].place, first, other)));
        }
    }
    pairs
}

/// Returns the images with two labels, with the list and labels of each.
///
/// # Errors
/// Returns a Problem if unrelated lists give an image different labels.
fn contradictions(lists: &[List], said: &[RowLabel]) -> Result<DoubleLabels> {
    let mut words = Translations::of(lists);
    let mut twice = DoubleLabels::new();
    let mut apart = BTreeSet::new();
    for (place, first, other) in pairs(said, |said| said.label.as_deref()) {
        if words.agree(first, other) {
            continue;
        }
        if lists[first.0].family == lists[other.0].family {
            let (_, labels) = twice.entry(place).or_insert((other.0, BTreeSet::new()));
            labels.extend([first.1, other.1].map(str::to_owned));
        } else {
            apart.extend([first.0, other.0]);
        }
    }
    refuse(lists, &apart, "problem-lists-assign-different-classes")?;
    Ok(twice)
}

/// Finds out whether lists use different words for the same classes.
struct Translations<'l> {
    labels: Vec<HashSet<&'l str>>,
    /// Whether two lists share a label.
    share: HashMap<(usize, usize), bool>,
    known: HashMap<(usize, usize, String), String>,
}

impl<'l> Translations<'l> {
    fn of(lists: &'l [List]) -> Self {
        let labels = |list: &'l List| list.rows.iter().filter_map(|row| row.label.as_deref());
        Self {
            labels: lists.iter().map(|list| labels(list).collect()).collect(),
            share: HashMap::new(),
            known: HashMap::new(),
        }
    }

    /// Returns whether two labels of an image mean the same: they are equal, or the lists share no label and correspond
    /// one to one.
    fn agree(&mut self, (one, label): (usize, &str), (two, other): (usize, &str)) -> bool {
        if label == other {
            return true;
        }
        let labels = &self.labels;
        let share = self.share.entry((one, two));
        if one == two || *share.or_insert_with(|| !labels[one].is_disjoint(&labels[two])) {
            return false;
        }
        let mut is = |from: usize, to: usize, word: &str, means: &str| {
            let known = self.known.entry((from, to, word.to_owned()));
            known.or_insert_with(|| means.to_owned()) == means
        };
        is(one, two, label, other) && is(two, one, other, label)
    }
}

/// Refuses unrelated lists that put an image into different splits.
fn check_splits(lists: &[List], said: &[RowLabel]) -> Result<()> {
    let mut apart = BTreeSet::new();
    for (_, (first, role), (list, other)) in pairs(said, |said| said.role) {
        if (role == Role::Train) != (other == Role::Train)
            && lists[first].family != lists[list].family
        {
            apart.extend([first, list]);
        }
    }
    refuse(lists, &apart, "problem-lists-assign-different-splits")
}

/// Refuses lists that contradict each other, if there are any. The Problem names a list of each family, and says how to
/// select one.
fn refuse(lists: &[List], apart: &BTreeSet<usize>, id: &'static str) -> Result<()> {
    let mut families: BTreeMap<&str, &List> = BTreeMap::new();
    for list in apart.iter().map(|&list| &lists[list]) {
        families.entry(&list.family).or_insert(list);
    }
    let chosen: Vec<&List> = families.into_values().collect();
    let files: Vec<&str> = chosen.iter().map(|list| list.file.as_str()).collect();
    let Some(first) = chosen.first() else {
        return Ok(());
    };
    let path = first.path.display().to_string();
    Err(
        Problem::new(message!(id, lists = some_of(&files, 2 * NAMED)))
            .at_path(first.path.parent().unwrap_or(Path::new("")))
            .advise(message!("advice-give-one-list", path)),
    )
}

/// Leaves out images with two labels; refuses the list if there are many.
fn leave_out(
    reader: &mut Reader,
    lists: &[List],
    twice: &DoubleLabels,
    rows: usize,
    skipped: &mut Vec<Skipped>,
) -> Result<()> {
    let Some((list, _)) = twice.values().next() else {
        return Ok(());
    };
    let images = twice.iter().map(|(&place, (_, labels))| {
        let path = path_of(reader.tree, place);
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let labels: Vec<&str> = labels.iter().map(String::as_str).collect();
        format!("{name} ({})", labels.join(", "))
    });
    let images: Vec<String> = images.collect();
    let (file, images) = (lists[*list].file.as_str(), some_of(&images, NAMED));
    if twice.len() * RARE > rows {
        return Err(Problem::new(message!(
            "problem-list-two-labels-per-image",
            file,
            n = twice.len(),
            images
        ))
        .at_path(&lists[*list].path)
        .advise(message!("advice-one-class-per-image")));
    }
    reader.remark(message!(
        "remark-two-labels-in-list",
        file,
        n = twice.len(),
        images
    ));
    let places = twice.keys().map(|&place| path_of(reader.tree, place));
    skipped.extend(places.map(|path| Skipped::new(path, message!("skip-two-labels"))));
    Ok(())
}

/// Returns one entry for each split of an image. If lists give splits, images without one are left out; if lists name
/// only test images, images without a split are training images.
fn entries(reader: &mut Reader, lists: &[List], said: Vec<RowLabel>) -> Vec<Entry> {
    let is = |role: Role| move |said: &RowLabel| said.role == Some(role);
    let (trained, tested) = (
        said.iter().any(is(Role::Train)),
        said.iter().any(is(Role::Test)),
    );
    let split = said.iter().any(|said| said.role.is_some());
    // Words are more informative than numbers.
    let numbered: Vec<bool> = lists.iter().map(is_numbered).collect();
    let mut all = Vec::new();
    let mut aside = 0;
    for same in said.chunk_by(|one, other| one.place == other.place) {
        let place = same[0].place;
        let labelled = || same.iter().filter(|said| said.label.is_some());
        let worded = labelled().find(|said| !numbered[said.list]);
        let label = worded.or_else(|| labelled().next());
        let label = label.and_then(|said| said.label.clone());
        let mut roles: Vec<Role> = same.iter().filter_map(|said| said.role).collect();
        roles.sort_unstable();
        roles.dedup();
        // A training list may include the validation images.
        if tested && roles.contains(&Role::Train) {
            roles.retain(|role| *role != Role::Validation);
        }
        match roles.is_empty() {
            true if split && trained => aside += 1,
            true => all.push((place, label, None)),
            false => {
                let of_role = |role| (place, label.clone(), Some(role));
                all.extend(roles.into_iter().map(of_role));
            }
        }
    }
    if aside > 0 {
        reader.remark(message!("remark-images-without-split", n = aside));
    }
    all
}

fn is_numbered(list: &List) -> bool {
    let mut labels = list.rows.iter().filter_map(|row| row.label.as_deref());
    labels.all(|label| label.parse::<f64>().is_ok())
}
