//! Tables and lists that assign images to classes and splits.
//!
//! CSV, TSV and JSON tables, lists of a path and a label per line (ImageNet-R, DomainNet, Food-101, Oxford-IIIT Pets),
//! lists joined by id (CUB-200), CODA-Prompt's YAML pairs, Tiny-ImageNet's `val_annotations.txt`, MATLAB files
//! (Flowers-102). Paths are looked up
//! in the walked tree, not on the disk, so no line can refer to a file outside of the folder. Contradictions are
//! refused.

mod annotations;
mod finder;
mod gather;
mod json;
mod label;
mod lines;
mod mat;
mod merge;
mod naming;
mod sheet;
mod table;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::reader::Reader;
use super::roles::{Role, role_of};
use super::{Found, Skipped};
use crate::message;
use crate::problem::{Problem, Result, some_of};
pub use annotations::{imagenet, tiny_imagenet};
use finder::{Finder, Lookup, path_of};
use gather::{Gathering, List};
pub(super) use gather::{ListChoice, text_of};
pub use gather::{is_named_as_list, may_be_list};
use merge::{Entry, forget_unique_labels, merge};
use naming::class_names;
pub(crate) use naming::name_before_number;
use sheet::{Labels, SplitCell};

/// Maximum number of rows without an image that are listed individually.
const MOST_MISSING: usize = 10_000;
/// Maximum number of lists or columns named in a sentence.
const NAMED: usize = 8;

/// An image's folder and its index there.
type ImageIndex = (usize, usize);

/// The content of the tables and lists of a folder.
pub(super) enum Listed {
    /// None of them names images with a class or a split.
    Nothing,
    /// They name images, but their classes are not clear.
    Unclear(Problem),
    Found(Box<ListedDataset>),
}

/// A dataset described by lists.
pub(super) struct ListedDataset {
    pub found: Found,
    /// Whether a header or the lists themselves identify the classes or splits; otherwise a column was guessed.
    pub sure: bool,
    /// Whether the lists name most images of the folder, or assign some to a split.
    pub whole: bool,
}

/// Reads the tables and lists in and below `dir`. If this folder only wraps another one, the lists beside that one are
/// read first.
///
/// # Errors
/// Returns a Problem for lists that contradict themselves or each other, a damaged MATLAB file, or a selected list that
/// names no image.
pub(super) fn read(
    reader: &mut Reader,
    dir: usize,
    is_wrapper: bool,
    wanted: Option<ListChoice>,
) -> Result<Listed> {
    let tree = reader.tree;
    let finder = Finder::new(tree, dir);
    let below = tree.below(dir);
    let beside = |&&holder: &&usize| holder == dir || tree.dirs[holder].total == 0;
    let mut gathering = Gathering::new(reader, &finder, wanted);
    let mut lists = Vec::new();
    for &holder in below.iter().filter(beside) {
        lists.extend(gathering.in_folder(holder));
    }
    if !is_wrapper || lists.iter().any(says_something) {
        for &holder in below.iter().filter(|holder| !beside(holder)) {
            lists.extend(gathering.in_folder(holder));
        }
    }
    for &holder in &below {
        lists.extend(mat::flowers(reader, &finder, holder)?);
    }
    if let Some(wanted) = wanted {
        retain_chosen(&mut lists, wanted)?;
    }
    forget_unique_labels(&mut lists);
    let unclear = drop_guesses(reader, &mut lists);
    lists.retain(says_something);
    let labelled = |list: &List| matches!(list.labels, Labels::Sure | Labels::Guessed(_));
    let labelled = lists.iter().any(labelled);
    match (unclear, labelled) {
        (Some(problem), false) => return Ok(Listed::Unclear(problem)),
        (Some(problem), true) => {
            reader.remark(message!("remark-list-unused", why = problem.words()));
        }
        (None, _) => {}
    }
    if lists.is_empty() {
        return Ok(Listed::Nothing);
    }
    assemble(reader, &finder, lists)
}

/// Returns the Problem of lists that name images, but not their classes.
pub(super) fn without_classes(files: &[String], place: &Path) -> Problem {
    let files = some_of(files, NAMED);
    Problem::new(message!("problem-lists-without-classes", lists = files))
        .at_path(place)
        .advise(message!("advice-add-csv-file-label"))
}

/// Returns whether a list contains more than file names.
fn says_something(list: &List) -> bool {
    list.labels != Labels::Unsaid || list.has_roles()
}

/// Keeps only the lists that belong to the one selected by the user.
fn retain_chosen(lists: &mut Vec<List>, wanted: ListChoice) -> Result<()> {
    let family = lists.iter().find(|list| list.path == wanted.path);
    let Some(family) = family.map(|list| list.family.clone()) else {
        return Err(Problem::new(message!("problem-list-names-no-image"))
            .at_path(wanted.path)
            .advise(message!("advice-add-csv-file-label")));
    };
    lists.retain(|list| list.family == family);
    // Only the selected list has the column.
    if wanted.column.is_some() {
        lists.retain(|list| list.path == wanted.path);
    }
    Ok(())
}

/// Removes guessed labels if other lists are certain. Returns the Problem of ambiguous tables, if there are any.
fn drop_guesses(reader: &mut Reader, lists: &mut [List]) -> Option<Problem> {
    let sure = lists.iter().any(|list| list.labels == Labels::Sure);
    let mut unclear = None;
    for list in lists {
        let (id, columns) = match &list.labels {
            Labels::Guessed(column) if sure => {
                reader.remark(message!(
                    "remark-class-column-unused",
                    column,
                    file = &list.file
                ));
                list.rows.iter_mut().for_each(|row| row.label = None);
                list.labels = Labels::Unsaid;
                continue;
            }
            Labels::Several(columns) => ("problem-several-class-columns", columns),
            Labels::Marked(columns) => ("problem-several-columns-marked", columns),
            _ => continue,
        };
        let what = message!(id, file = &list.file, columns = some_of(columns, NAMED));
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
        list.labels = Labels::Unsaid;
    }
    unclear
}

/// Converts lists into samples, and chooses the names of their classes.
fn assemble(reader: &mut Reader, finder: &Finder, lists: Vec<List>) -> Result<Listed> {
    let tree = reader.tree;
    let mut found = Found::default();
    let files: Vec<String> = lists.iter().map(|list| list.file.clone()).collect();
    let sure = lists
        .iter()
        .any(|list| list.labels == Labels::Sure || list.has_roles());
    for list in &lists {
        list_missing(list, &mut found);
        reader.assumed.extend(list.remarks.iter().cloned());
        reader.used.insert(list.path.clone());
    }
    let names: BTreeSet<&String> = files.iter().collect();
    let names: Vec<String> = names.iter().map(|name| format!("'{name}'")).collect();
    reader.remark(message!(
        "remark-read-from-lists",
        files = some_of(&names, NAMED)
    ));
    let mut entries = merge(reader, &lists, &mut found.skipped)?;
    let named: BTreeSet<ImageIndex> = entries.iter().map(|entry| entry.0).collect();
    let split = entries.iter().any(|entry| entry.2.is_some());
    if !split {
        split_by_folders(reader, finder, &mut entries);
    }
    let by_name = class_names(reader, finder, &entries);
    set_aside(reader, &mut entries);
    let mut seen: BTreeSet<(ImageIndex, bool)> = BTreeSet::new();
    let mut test = Vec::new();
    let mut classless = 0;
    for (place, label, role) in entries {
        let Some(class) = by_name.of(place, label.as_deref()) else {
            classless += 1;
            let reason = message!("skip-line-without-class");
            found
                .skipped
                .push(Skipped::new(path_of(tree, place), reason));
            continue;
        };
        if seen.insert((place, is_test(role))) {
            let class = reader.classes.number(class);
            let sample = reader.sample(finder.dir, place, class);
            match is_test(role) {
                true => test.push(sample),
                false => found.train.push(sample),
            }
        }
    }
    let total = tree.dirs[finder.dir].total;
    let unnamed = total.saturating_sub(named.len());
    for (id, n) in [
        ("remark-images-not-listed", unnamed),
        ("remark-images-without-class", classless),
    ] {
        if n > 0 {
            reader.remark(message!(id, n));
        }
    }
    if found.train.is_empty() && test.is_empty() {
        let problem = without_classes(&files, &tree.dirs[finder.dir].path);
        return Ok(Listed::Unclear(problem));
    }
    let has_test = !test.is_empty();
    found.listed = has_test && split;
    found.lists = files;
    found.test = has_test.then_some(test);
    Ok(Listed::Found(Box::new(ListedDataset {
        found,
        sure,
        whole: split || named.len() * 2 >= total,
    })))
}

/// Reports rows without an image, or with several.
fn list_missing(list: &List, found: &mut Found) {
    let before = found.skipped.len();
    let mut more = 0;
    for row in &list.rows {
        let id = match (row.spot, &row.split) {
            (Lookup::Found(_), SplitCell::Other) => "skip-line-without-split",
            (Lookup::Found(_), _) => continue,
            (Lookup::Missing, _) => "skip-listed-not-found",
            (Lookup::Ambiguous, _) => "skip-listed-ambiguous",
        };
        if found.skipped.len() - before >= MOST_MISSING {
            more += 1;
            continue;
        }
        let line = row.line.to_string();
        let reason = message!(id, line, file = list.file.as_str());
        let written = row.written.as_deref().unwrap_or_default();
        found.skipped.push(Skipped::new(written, reason));
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
fn split_by_folders(reader: &mut Reader, finder: &Finder, entries: &mut [Entry]) {
    let tree = reader.tree;
    let role_of_folder = |dir: usize| {
        let mut folders = finder.upwards(dir).filter(|&dir| dir != finder.dir);
        folders.find_map(|dir| role_of(&tree.dirs[dir].name))
    };
    let roles: Vec<Option<Role>> = entries
        .iter()
        .map(|entry| role_of_folder(entry.0.0))
        .collect();
    let (train, test) = (
        roles.contains(&Some(Role::Train)),
        roles.iter().any(|role| is_test(*role)),
    );
    if train && test {
        for (entry, role) in entries.iter_mut().zip(roles) {
            entry.2 = role;
        }
        reader.remark(message!("remark-splits-from-folders"));
    }
}

/// Removes validation images if there is a test split, and training images that a list also assigns to testing.
fn set_aside(reader: &mut Reader, entries: &mut Vec<Entry>) {
    let tested = entries.iter().any(|entry| entry.2 == Some(Role::Test));
    let before = entries.len();
    entries.retain(|entry| !(tested && entry.2 == Some(Role::Validation)));
    let unused = before - entries.len();
    if unused > 0 {
        reader.remark(message!("remark-validation-images-unused", n = unused));
    }
    let test = entries.iter().filter(|entry| is_test(entry.2));
    let test: BTreeSet<ImageIndex> = test.map(|entry| entry.0).collect();
    let train = entries.iter().filter(|entry| !is_test(entry.2));
    let train: BTreeSet<ImageIndex> = train.map(|entry| entry.0).collect();
    let both = train.intersection(&test).count();
    // If both lists are equal, nothing is removed, because no training images would be left; duplicates are reported
    // elsewhere.
    if both == 0 || both == train.len() {
        return;
    }
    entries.retain(|(place, _, role)| is_test(*role) || !test.contains(place));
    reader.remark(message!("remark-images-only-tested", n = both));
}

/// Returns the folders that may contain the images of a list: its own, and those around a folder named after lists.
pub(super) fn folders_of(list: &Path) -> Vec<PathBuf> {
    const OF_LISTS: [&str; 12] = [
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
        if !OF_LISTS.contains(&name.to_lowercase().as_str()) {
            break;
        }
    }
    folders
}
