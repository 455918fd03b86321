//! Tables and lists that assign images to classes and splits.
//!
//! CSV, TSV and JSON tables, lists of a path and a label per line (ImageNet-R, DomainNet, Food-101, Oxford-IIIT Pets),
//! lists joined by id (CUB-200), CODA-Prompt's YAML pairs, Tiny-ImageNet's `val_annotations.txt`, MATLAB files
//! (Flowers-102). Paths are looked up in the walked tree, not on the disk, so no line can refer to a file outside of
//! the folder. Contradictions are refused.

mod annotations;
mod collector;
mod finder;
mod json;
mod label;
mod lines;
mod mat;
mod merge;
mod naming;
mod rows;
mod table;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::reader::Reader;
use super::roles::{Role, parse_role};
use super::{RawDataset, Skipped};
use crate::message;
use crate::problem::{Problem, Result, list_value};
pub use annotations::{read_imagenet, read_tiny_imagenet};
use collector::{List, ListCollector};
pub(super) use collector::{ListChoice, read_list_text};
pub use collector::{is_named_like_list, may_be_list};
use finder::{Finder, Lookup, image_path};
use merge::{Entry, forget_unique_labels, merge};
use naming::choose_class_names;
pub(crate) use naming::name_before_number;
use rows::{Labels, SplitCell};

/// Maximum number of rows without an image that are listed individually.
const MAX_MISSING: usize = 10_000;
/// Maximum number of lists or columns named in a sentence.
const MAX_NAMED: usize = 8;

/// An image's folder and its index there.
type ImageIndex = (usize, usize);

/// The content of the tables and lists of a folder.
pub(super) enum ListOutcome {
    /// None of them names images with a class or a split.
    Nothing,
    /// They name images, but their classes are not clear.
    Unclear(Problem),
    Found(Box<ListedDataset>),
}

/// A dataset described by lists.
pub(super) struct ListedDataset {
    pub found: RawDataset,
    /// Whether a header or the lists themselves identify the classes or splits; otherwise a column was guessed.
    pub is_certain: bool,
    /// Whether the lists name most images of the folder, or assign some to a split.
    pub is_complete: bool,
}

/// Reads the tables and lists in and below `dir`. If this folder only wraps another one, the lists beside that one are
/// read first.
///
/// # Errors
/// Returns a Problem for lists that contradict themselves or each other, a damaged MATLAB file, or a selected list that
/// names no image.
pub(super) fn read_lists(
    reader: &mut Reader,
    dir: usize,
    is_wrapper: bool,
    choice: Option<ListChoice>,
) -> Result<ListOutcome> {
    let tree = reader.tree;
    let finder = Finder::new(tree, dir);
    let folders = tree.folders_below(dir);
    let is_beside = |&&folder: &&usize| folder == dir || tree.dirs[folder].total == 0;
    let mut collector = ListCollector::new(reader, &finder, choice);
    let mut lists = Vec::new();
    for &folder in folders.iter().filter(is_beside) {
        lists.extend(collector.lists_in(folder));
    }
    if !is_wrapper || lists.iter().any(is_informative) {
        for &folder in folders.iter().filter(|holder| !is_beside(holder)) {
            lists.extend(collector.lists_in(folder));
        }
    }
    for &folder in &folders {
        lists.extend(mat::read_flowers(reader, &finder, folder)?);
    }
    if let Some(choice) = choice {
        retain_chosen(&mut lists, choice)?;
    }
    forget_unique_labels(&mut lists);
    let unclear = drop_guesses(reader, &mut lists);
    lists.retain(is_informative);
    let labelled = |list: &List| matches!(list.labels, Labels::Certain | Labels::Guessed(_));
    let labelled = lists.iter().any(labelled);
    match (unclear, labelled) {
        (Some(problem), false) => return Ok(ListOutcome::Unclear(problem)),
        (Some(problem), true) => {
            reader.add_remark(message!("remark-list-unused", why = problem.what_text()));
        }
        (None, _) => {}
    }
    if lists.is_empty() {
        return Ok(ListOutcome::Nothing);
    }
    build_dataset(reader, &finder, lists)
}

/// Returns the Problem of lists that name images, but not their classes.
pub(super) fn no_classes_problem(files: &[String], path: &Path) -> Problem {
    let files = list_value(files, MAX_NAMED);
    Problem::new(message!("problem-lists-without-classes", lists = files))
        .at_path(path)
        .advise(message!("advice-add-csv-file-label"))
}

/// Returns whether a list contains more than file names.
fn is_informative(list: &List) -> bool {
    list.labels != Labels::Unspecified || list.has_roles()
}

/// Keeps only the lists that belong to the one selected by the user.
fn retain_chosen(lists: &mut Vec<List>, choice: ListChoice) -> Result<()> {
    let chosen = lists.iter().find(|list| list.path == choice.path);
    let Some(family) = chosen.map(|list| list.family.clone()) else {
        return Err(Problem::new(message!("problem-list-names-no-image"))
            .at_path(choice.path)
            .advise(message!("advice-add-csv-file-label")));
    };
    lists.retain(|list| list.family == family);
    // Only the selected list has the column.
    if choice.column.is_some() {
        lists.retain(|list| list.path == choice.path);
    }
    Ok(())
}

/// Removes guessed labels if other lists are certain. Returns the Problem of ambiguous tables, if there are any.
fn drop_guesses(reader: &mut Reader, lists: &mut [List]) -> Option<Problem> {
    let is_certain = lists.iter().any(|list| list.labels == Labels::Certain);
    let mut unclear = None;
    for list in lists {
        let (id, columns) = match &list.labels {
            Labels::Guessed(column) if is_certain => {
                reader.add_remark(message!(
                    "remark-class-column-unused",
                    column,
                    file = &list.file
                ));
                list.rows.iter_mut().for_each(|row| row.label = None);
                list.labels = Labels::Unspecified;
                continue;
            }
            Labels::Ambiguous(columns) => ("problem-several-class-columns", columns),
            Labels::MultiHot(columns) => ("problem-several-columns-marked", columns),
            _ => continue,
        };
        let what = message!(id, file = &list.file, columns = list_value(columns, MAX_NAMED));
        let problem = Problem::new(what).at_path(&list.path);
        let problem = match columns.first() {
            Some(column) => problem.advise(message!(
                "advice-name-class-column",
                path = list.path.display().to_string(),
                column
            )),
            None => problem,
        };
        unclear.get_or_insert(problem);
        list.labels = Labels::Unspecified;
    }
    unclear
}

/// Converts lists into samples, and chooses the names of their classes.
fn build_dataset(reader: &mut Reader, finder: &Finder, lists: Vec<List>) -> Result<ListOutcome> {
    let tree = reader.tree;
    let mut found = RawDataset::default();
    let files: Vec<String> = lists.iter().map(|list| list.file.clone()).collect();
    let is_certain = lists.iter().any(|list| list.labels == Labels::Certain || list.has_roles());
    for list in &lists {
        report_missing(list, &mut found);
        reader.assumed.extend(list.remarks.iter().cloned());
        reader.used_lists.insert(list.path.clone());
    }
    let names: BTreeSet<&String> = files.iter().collect();
    let names: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    reader.add_remark(message!("remark-read-from-lists", files = list_value(&names, MAX_NAMED)));
    let mut entries = merge(reader, &lists, &mut found.skipped)?;
    let named: BTreeSet<ImageIndex> = entries.iter().map(|entry| entry.0).collect();
    let has_splits = entries.iter().any(|entry| entry.2.is_some());
    if !has_splits {
        assign_splits_by_folders(reader, finder, &mut entries);
    }
    let naming = choose_class_names(reader, finder, &entries);
    drop_unused_entries(reader, &mut entries);
    let mut seen: BTreeSet<(ImageIndex, bool)> = BTreeSet::new();
    let mut test = Vec::new();
    let mut unclassified = 0;
    for (image, label, role) in entries {
        let Some(class) = naming.class_of(image, label.as_deref()) else {
            unclassified += 1;
            let reason = message!("skip-line-without-class");
            found.skipped.push(Skipped::new(image_path(tree, image), reason));
            continue;
        };
        if seen.insert((image, is_test(role))) {
            let class = reader.classes.get_or_insert(class);
            let sample = reader.make_sample(finder.dir, image, class);
            match is_test(role) {
                true => test.push(sample),
                false => found.train.push(sample),
            }
        }
    }
    let total = tree.dirs[finder.dir].total;
    let unnamed = total.saturating_sub(named.len());
    for (id, n) in
        [("remark-images-not-listed", unnamed), ("remark-images-without-class", unclassified)]
    {
        if n > 0 {
            reader.add_remark(message!(id, n));
        }
    }
    if found.train.is_empty() && test.is_empty() {
        let problem = no_classes_problem(&files, &tree.dirs[finder.dir].path);
        return Ok(ListOutcome::Unclear(problem));
    }
    let has_test = !test.is_empty();
    found.listed = has_test && has_splits;
    found.lists = files;
    found.test = has_test.then_some(test);
    Ok(ListOutcome::Found(Box::new(ListedDataset {
        found,
        is_certain,
        is_complete: has_splits || named.len() * 2 >= total,
    })))
}

/// Reports rows without an image, or with several.
fn report_missing(list: &List, found: &mut RawDataset) {
    let skipped_before = found.skipped.len();
    let mut more = 0;
    for row in &list.rows {
        let id = match (row.lookup, &row.split) {
            (Lookup::Found(_), SplitCell::Other) => "skip-line-without-split",
            (Lookup::Found(_), _) => continue,
            (Lookup::Missing, _) => "skip-listed-not-found",
            (Lookup::Ambiguous, _) => "skip-listed-ambiguous",
        };
        if found.skipped.len() - skipped_before >= MAX_MISSING {
            more += 1;
            continue;
        }
        let line = row.line.to_string();
        let reason = message!(id, line, file = list.file.as_str());
        let path = row.path.as_deref().unwrap_or_default();
        found.skipped.push(Skipped::new(path, reason));
    }
    if more > 0 {
        let reason = message!("skip-more-listed-not-found", n = more);
        found.skipped.push(Skipped::new(&list.path, reason));
    }
}

fn is_test(role: Option<Role>) -> bool {
    matches!(role, Some(Role::Test | Role::Validation))
}

/// Takes the splits from folder names if the lists do not give them.
fn assign_splits_by_folders(reader: &mut Reader, finder: &Finder, entries: &mut [Entry]) {
    let tree = reader.tree;
    let role_of_folder = |dir: usize| {
        let mut folders = finder.ancestors(dir).filter(|&dir| dir != finder.dir);
        folders.find_map(|dir| parse_role(&tree.dirs[dir].name))
    };
    let roles: Vec<Option<Role>> = entries.iter().map(|entry| role_of_folder(entry.0.0)).collect();
    let (train, test) =
        (roles.contains(&Some(Role::Train)), roles.iter().any(|role| is_test(*role)));
    if train && test {
        for (entry, role) in entries.iter_mut().zip(roles) {
            entry.2 = role;
        }
        reader.add_remark(message!("remark-splits-from-folders"));
    }
}

/// Removes validation images if there is a test split, and keeps images that are assigned to both splits only in one:
/// in the test split, or in the training split if no training images would be left otherwise.
fn drop_unused_entries(reader: &mut Reader, entries: &mut Vec<Entry>) {
    let has_test = entries.iter().any(|entry| entry.2 == Some(Role::Test));
    let before = entries.len();
    entries.retain(|entry| !(has_test && entry.2 == Some(Role::Validation)));
    let unused = before - entries.len();
    if unused > 0 {
        reader.add_remark(message!("remark-validation-images-unused", n = unused));
    }
    let test = entries.iter().filter(|entry| is_test(entry.2));
    let test: BTreeSet<ImageIndex> = test.map(|entry| entry.0).collect();
    let train = entries.iter().filter(|entry| !is_test(entry.2));
    let train: BTreeSet<ImageIndex> = train.map(|entry| entry.0).collect();
    let overlap = train.intersection(&test).count();
    // If both lists are equal, nothing is removed, because one split would be empty; duplicates are reported elsewhere.
    if overlap == 0 || train == test {
        return;
    }
    let id = if overlap == train.len() {
        entries.retain(|(image, _, role)| !is_test(*role) || !train.contains(image));
        "remark-images-only-trained"
    } else {
        entries.retain(|(image, _, role)| is_test(*role) || !test.contains(image));
        "remark-images-only-tested"
    };
    reader.add_remark(message!(id, n = overlap));
}

/// Returns the folders that may contain the images of a list: its own, and those around a folder named after lists.
pub(super) fn candidate_folders(list: &Path) -> Vec<PathBuf> {
    const LIST_FOLDERS: [&str; 12] = [
        "annotations",
        "annotation",
        "labels",
        "splits",
        "split",
        "meta",
        "metadata",
        "lists",
        "imagesets",
        "main",
        "devkit",
        "docs",
    ];
    let mut folders = Vec::new();
    for folder in list.ancestors().skip(1).take(3) {
        folders.push(folder.to_path_buf());
        let name = folder.file_name().unwrap_or_default().to_string_lossy();
        if !LIST_FOLDERS.contains(&name.to_lowercase().as_str()) {
            break;
        }
    }
    folders
}
