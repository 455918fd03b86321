//! Merges the lists of a folder, and refuses contradictions between them.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::path::Path;
use std::rc::Rc;

use super::ImageIndex;
use super::collector::List;
use super::finder::{Lookup, image_path};
use super::rows::{Labels, SplitCell};
use crate::Skipped;
use crate::message;
use crate::problem::{Problem, Result, list_value};
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
const MAX_NAMED: usize = 4;

/// Images with two labels: the list that contains the second one, and the labels.
type DoubleLabels = BTreeMap<ImageIndex, (usize, BTreeSet<String>)>;

/// The label and split that one row gives an image.
struct RowLabel {
    image: ImageIndex,
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
    let mut row_labels = Vec::new();
    for (list_index, content) in lists.iter().enumerate() {
        let rows = content.rows.iter().filter(|row| row.split != SplitCell::Other);
        row_labels.extend(rows.filter_map(|row| match row.lookup {
            Lookup::Found(image) => Some(RowLabel {
                image,
                list: list_index,
                label: row.label.clone(),
                role: content.row_role(row),
            }),
            _ => None,
        }));
    }
    row_labels.sort_by_key(|row| row.image);
    let conflicts = find_conflicts(lists, &row_labels)?;
    check_splits(lists, &row_labels)?;
    skip_conflicts(reader, lists, &conflicts, row_labels.len(), skipped)?;
    row_labels.retain(|row| !conflicts.contains_key(&row.image));
    Ok(merge_entries(reader, lists, row_labels))
}

/// Removes labels that hardly repeat, such as line numbers or descriptions.
pub(super) fn forget_unique_labels(lists: &mut [List]) {
    let mut families: BTreeMap<&str, (usize, HashSet<&str>)> = BTreeMap::new();
    for list in lists.iter() {
        let (rows, labels) = families.entry(&list.family).or_default();
        let row_labels = list.rows.iter().filter_map(|row| row.label.as_deref());
        for label in row_labels {
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
            list.labels = Labels::Unspecified;
        }
    }
}

/// A value of the first row of an image, and a value of another row of it, each with its list.
type Pair<T> = (ImageIndex, (usize, T), (usize, T));

/// Returns pairs of the first row of an image and each other one, if both have a value.
fn value_pairs<'s, T: Copy>(
    row_labels: &'s [RowLabel],
    value: impl Fn(&'s RowLabel) -> Option<T>,
) -> Vec<Pair<T>> {
    let mut pairs = Vec::new();
    for same in row_labels.chunk_by(|a, b| a.image == b.image) {
        let mut all = same.iter().filter_map(|row| Some((row.list, value(row)?)));
        if let Some(first) = all.next() {
            pairs.extend(all.map(|other| (same[0].image, first, other)));
        }
    }
    pairs
}

/// Returns the images with two labels, with the list and labels of each.
///
/// # Errors
/// Returns a Problem if unrelated lists give an image different labels.
fn find_conflicts(lists: &[List], row_labels: &[RowLabel]) -> Result<DoubleLabels> {
    let mut translations = Translations::new(lists);
    let mut conflicts = DoubleLabels::new();
    let mut contradicting = BTreeSet::new();
    for (image, first, other) in value_pairs(row_labels, |row| row.label.as_deref()) {
        if translations.agree(first, other) {
            continue;
        }
        if lists[first.0].family == lists[other.0].family {
            let (_, labels) = conflicts.entry(image).or_insert((other.0, BTreeSet::new()));
            labels.extend([first.1, other.1].map(str::to_owned));
        } else {
            contradicting.extend([first.0, other.0]);
        }
    }
    refuse(lists, &contradicting, "problem-lists-assign-different-classes")?;
    Ok(conflicts)
}

/// Finds out whether lists use different words for the same classes.
struct Translations<'l> {
    labels: Vec<HashSet<&'l str>>,
    /// Whether two lists share a label.
    share: HashMap<(usize, usize), bool>,
    mapping: HashMap<(usize, usize, String), String>,
}

impl<'l> Translations<'l> {
    fn new(lists: &'l [List]) -> Self {
        let labels = |list: &'l List| list.rows.iter().filter_map(|row| row.label.as_deref());
        Self {
            labels: lists.iter().map(|list| labels(list).collect()).collect(),
            share: HashMap::new(),
            mapping: HashMap::new(),
        }
    }

    /// Returns whether two labels of an image mean the same: they are equal, or the lists share no label and correspond
    /// one to one.
    fn agree(
        &mut self,
        (first_list, label): (usize, &str),
        (second_list, other): (usize, &str),
    ) -> bool {
        if label == other {
            return true;
        }
        let labels = &self.labels;
        let share = self.share.entry((first_list, second_list));
        if first_list == second_list
            || *share.or_insert_with(|| !labels[first_list].is_disjoint(&labels[second_list]))
        {
            return false;
        }
        let mut maps_to = |from: usize, to: usize, word: &str, means: &str| {
            let entry = self.mapping.entry((from, to, word.to_owned()));
            entry.or_insert_with(|| means.to_owned()) == means
        };
        maps_to(first_list, second_list, label, other)
            && maps_to(second_list, first_list, other, label)
    }
}

/// Refuses unrelated lists that put an image into different splits.
fn check_splits(lists: &[List], row_labels: &[RowLabel]) -> Result<()> {
    let mut contradicting = BTreeSet::new();
    for (_, (first, role), (list, other)) in value_pairs(row_labels, |row| row.role) {
        if (role == Role::Train) != (other == Role::Train)
            && lists[first].family != lists[list].family
        {
            contradicting.extend([first, list]);
        }
    }
    refuse(lists, &contradicting, "problem-lists-assign-different-splits")
}

/// Refuses lists that contradict each other, if there are any. The Problem names a list of each family, and says how to
/// select one.
fn refuse(lists: &[List], contradicting: &BTreeSet<usize>, id: &'static str) -> Result<()> {
    let mut families: BTreeMap<&str, &List> = BTreeMap::new();
    for list in contradicting.iter().map(|&list| &lists[list]) {
        families.entry(&list.family).or_insert(list);
    }
    let representatives: Vec<&List> = families.into_values().collect();
    let files: Vec<&str> = representatives.iter().map(|list| list.file.as_str()).collect();
    let Some(first) = representatives.first() else {
        return Ok(());
    };
    let path = first.path.display().to_string();
    Err(Problem::new(message!(id, lists = list_value(&files, 2 * MAX_NAMED)))
        .at_path(first.path.parent().unwrap_or(Path::new("")))
        .advise(message!("advice-give-one-list", path)))
}

/// Leaves out images with two labels; refuses the list if there are many.
fn skip_conflicts(
    reader: &mut Reader,
    lists: &[List],
    conflicts: &DoubleLabels,
    rows: usize,
    skipped: &mut Vec<Skipped>,
) -> Result<()> {
    let Some((list, _)) = conflicts.values().next() else {
        return Ok(());
    };
    let images = conflicts.iter().map(|(&index, (_, labels))| {
        let path = image_path(reader.tree, index);
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let labels: Vec<&str> = labels.iter().map(String::as_str).collect();
        format!("{name} ({})", labels.join(", "))
    });
    let images: Vec<String> = images.collect();
    let (file, images) = (lists[*list].file.as_str(), list_value(&images, MAX_NAMED));
    if conflicts.len() * RARE > rows {
        return Err(Problem::new(message!(
            "problem-list-two-labels-per-image",
            file,
            n = conflicts.len(),
            images
        ))
        .at_path(&lists[*list].path)
        .advise(message!("advice-one-class-per-image")));
    }
    reader.add_remark(message!("remark-two-labels-in-list", file, n = conflicts.len(), images));
    let places = conflicts.keys().map(|&index| image_path(reader.tree, index));
    skipped.extend(places.map(|path| Skipped::new(path, message!("skip-two-labels"))));
    Ok(())
}

/// Returns one entry for each split of an image. If lists give splits, images without one are left out; if lists name
/// only test images, images without a split are training images.
fn merge_entries(reader: &mut Reader, lists: &[List], row_labels: Vec<RowLabel>) -> Vec<Entry> {
    let has_role = |role: Role| move |row: &RowLabel| row.role == Some(role);
    let (has_train, has_test) =
        (row_labels.iter().any(has_role(Role::Train)), row_labels.iter().any(has_role(Role::Test)));
    let split = row_labels.iter().any(|row| row.role.is_some());
    // Words are more informative than numbers.
    let numbered: Vec<bool> = lists.iter().map(has_numeric_labels).collect();
    let mut all = Vec::new();
    let mut unassigned = 0;
    for same in row_labels.chunk_by(|a, b| a.image == b.image) {
        let image = same[0].image;
        let labelled = || same.iter().filter(|row| row.label.is_some());
        let worded = labelled().find(|row| !numbered[row.list]);
        let label = worded.or_else(|| labelled().next());
        let label = label.and_then(|row| row.label.clone());
        let mut roles: Vec<Role> = same.iter().filter_map(|row| row.role).collect();
        roles.sort_unstable();
        roles.dedup();
        // A training list may include the validation images.
        if has_test && roles.contains(&Role::Train) {
            roles.retain(|role| *role != Role::Validation);
        }
        match roles.is_empty() {
            true if split && has_train => unassigned += 1,
            true => all.push((image, label, None)),
            false => {
                let with_role = |role| (image, label.clone(), Some(role));
                all.extend(roles.into_iter().map(with_role));
            }
        }
    }
    if unassigned > 0 {
        reader.add_remark(message!("remark-images-without-split", n = unassigned));
    }
    all
}

fn has_numeric_labels(list: &List) -> bool {
    let mut labels = list.rows.iter().filter_map(|row| row.label.as_deref());
    labels.all(|label| label.parse::<f64>().is_ok())
}
