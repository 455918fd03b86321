//! Files that say which picture belongs to which class and split.
//!
//! `train_list.txt` and `val_list.txt` (a path and a label per line, as ImageNet-R's splits are passed
//! around), DomainNet's `clipart_train.txt`, CODA-Prompt's YAML pairs, Tiny-ImageNet's
//! `val_annotations.txt`, and a CSV or TSV of file, label and perhaps split. Paths are looked up in the walked tree, never
//! on the disk, so no line can reach outside of the folder.

mod annotations;
mod finder;
mod table;

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::{Path, PathBuf};

use super::reader::{Reader, Role, role_of};
use super::tree::{Tree, ending_of};
use super::{Found, Skipped};
use crate::files;
use crate::message;
use crate::problem::{Problem, Result};
pub use annotations::tiny_imagenet;
use finder::Finder;

/// Most lines of a list, or four times the pictures of the folder where that is more.
const MOST_LINES: usize = 2_000_000;
/// Lines whose picture is missing are listed one by one up to this number.
const MOST_MISSING: usize = 10_000;

/// A picture's folder and place in it.
type Place = (usize, usize);

/// One line of a list.
#[derive(Debug, PartialEq, Eq)]
struct Row {
    line: usize,
    path: String,
    label: Option<String>,
    split: Option<Role>,
}

/// What reads the text of a list in a folder of the tree: rows, and the header of the classes'
/// column where it was guessed.
type ReadList = fn(&Finder, &str) -> (Vec<Row>, Option<String>);

/// A list file and the split it stands for.
struct List {
    path: PathBuf,
    role: Option<Role>,
    rows: Vec<Row>,
}

/// The data set that list or CSV files in `dir` (or in a subfolder without pictures) describe.
///
/// # Errors
/// A list that cannot be read.
pub fn read(reader: &mut Reader, dir: usize) -> Result<Option<Found>> {
    let tree = reader.tree;
    let mut lists = Vec::new();
    let flat = is_flat(tree, dir);
    let finder = Finder::new(tree, dir);
    let most = MOST_LINES.max(tree.dirs[dir].total.saturating_mul(4));
    let near = tree.dirs[dir]
        .children
        .iter()
        .copied()
        .filter(|&child| tree.dirs[child].total == 0);
    for holder in std::iter::once(dir).chain(near) {
        for name in &tree.dirs[holder].others {
            let path = tree.dirs[holder].path.join(name);
            let stem = path
                .file_stem()
                .unwrap_or_default()
                .to_string_lossy()
                .into_owned();
            let role = list_role(&stem);
            let read: ReadList = match (ending_of(name).as_str(), role) {
                ("txt" | "lst", Some(_)) => |finder, text| (text_rows(finder, text), None),
                ("yaml" | "yml", Some(_)) => |_, text| (yaml_rows(text), None),
                // Made-up answers that show a contest's form.
                ("csv" | "tsv", _) if stem.to_lowercase().contains("submission") => continue,
                ("csv" | "tsv", _) if flat => table::table_rows,
                _ => continue,
            };
            let text = match load(&path, most) {
                Ok(text) => text,
                Err(problem) => {
                    let reason = problem.words();
                    reader.used.insert(path.clone());
                    reader.refused.push(Skipped { path, reason });
                    continue;
                }
            };
            let (rows, column) = read(&finder, &text);
            // A text of some other kind names no picture of this folder.
            let known = rows
                .iter()
                .take(50)
                .filter(|row| finder.find(&row.path).is_some())
                .count();
            if known > 0 {
                if let Some(column) = column {
                    let file = name.to_string_lossy();
                    let remark = message!("remark-class-column", column = column, file = file);
                    reader.assumed.push(remark.into());
                }
                lists.push(List { path, role, rows });
            }
        }
    }
    if lists.is_empty() {
        return Ok(None);
    }
    Ok(Some(assemble(reader, &finder, lists)))
}

/// Pictures without class folders: in the folder itself, in one subfolder, or in flat splits.
fn is_flat(tree: &Tree, dir: usize) -> bool {
    let filled = tree.filled(dir);
    let plain = |&child: &usize| tree.filled(child).is_empty();
    !tree.dirs[dir].pictures.is_empty()
        || matches!(filled.as_slice(), [only] if plain(only))
        || (!filled.is_empty()
            && filled
                .iter()
                .all(|child| plain(child) && role_of(&tree.dirs[*child].name).is_some()))
}

/// The role of a list by its name: the last word counts (`clipart_train`, `imagenet-r_test`).
pub(super) fn list_role(stem: &str) -> Option<Role> {
    role_of(stem).or_else(|| {
        let lower = stem.to_ascii_lowercase();
        let trimmed = lower.trim_end_matches("_list").trim_end_matches("-list");
        role_of(trimmed.rsplit(['_', '-', '.']).next()?)
    })
}

/// The text of a list of at most so many lines.
fn load(path: &Path, most: usize) -> Result<String> {
    let bytes = files::read(path, files::TABLE)
        .map_err(|error| Problem::io("read the list", path, &error))?;
    let lines = |end: u8| bytes.iter().filter(|byte| **byte == end).count();
    if lines(b'\n').max(lines(b'\r')) > most {
        return Err(Problem::new(message!("problem-list-has-far-more-lines-than")).at_path(path));
    }
    let text = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(&bytes);
    Ok(String::from_utf8_lossy(text).into_owned())
}

/// Lines of `path`, `path label` or `path,label`.
fn text_rows(finder: &Finder, text: &str) -> Vec<Row> {
    let mut rows = Vec::new();
    for (number, line) in text.lines().enumerate() {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let (path, label) = match line.rsplit_once(['\t', ',', ' ', ';']) {
            // A path with a space and no label is still a path.
            Some((path, label)) if finder.find(line).is_none() => (path, Some(label)),
            _ => (line, None),
        };
        rows.push(Row {
            line: number + 1,
            path: unquoted(path).to_owned(),
            label: label.map(|label| unquoted(label).to_owned()),
            split: None,
        });
    }
    rows
}

fn unquoted(text: &str) -> &str {
    text.trim().trim_matches(['"', '\''])
}

/// `data:` followed by `- path` items, `targets:` by `- number` items.
fn yaml_rows(text: &str) -> Vec<Row> {
    let (mut paths, mut labels) = (Vec::new(), Vec::new());
    let mut target = None;
    for (number, line) in text.lines().enumerate() {
        let trimmed = line.trim();
        if let Some(item) = trimmed.strip_prefix("- ") {
            match target {
                Some("data") => paths.push((number + 1, unquoted(item).to_owned())),
                Some("targets") => labels.push(unquoted(item).to_owned()),
                _ => {}
            }
        } else if let Some(key) = trimmed.strip_suffix(':') {
            target = Some(key);
        }
    }
    let labelled = labels.len() == paths.len();
    paths
        .into_iter()
        .enumerate()
        .map(|(place, (line, path))| Row {
            line,
            path,
            label: labelled.then(|| labels[place].clone()),
            split: None,
        })
        .collect()
}

/// A picture that a list names, with its label and split.
type Entry = (Place, Option<String>, Option<Role>);

/// Looks up what the lists name; what is not in the folder is listed with its line.
fn placed(reader: &mut Reader, finder: &Finder, lists: Vec<List>, found: &mut Found) -> Vec<Entry> {
    let mut missing = 0;
    let mut entries = Vec::new();
    for list in lists {
        let mut more = 0;
        let name = list.path.file_name().unwrap_or_default().to_string_lossy();
        for row in list.rows {
            let role = row.split.or(list.role);
            match finder.find(&row.path) {
                Some(place) => entries.push((place, row.label, role)),
                None if missing == MOST_MISSING => more += 1,
                None => {
                    missing += 1;
                    found.skipped.push(Skipped {
                        path: PathBuf::from(&row.path),
                        reason: message!(
                            "skip-not-there",
                            line = row.line.to_string(),
                            file = name.clone()
                        )
                        .into(),
                    });
                }
            }
        }
        reader
            .assumed
            .push(message!("remark-from-list", file = name).into());
        if more > 0 {
            found.skipped.push(Skipped {
                path: list.path.clone(),
                reason: message!("skip-more-not-there", n = more).into(),
            });
        }
        reader.used.insert(list.path);
    }
    entries.sort_by_key(|entry| entry.0);
    entries
}

/// Lists → samples, with names for the classes.
fn assemble(reader: &mut Reader, finder: &Finder, lists: Vec<List>) -> Found {
    let (tree, dir) = (reader.tree, finder.dir);
    let mut found = Found::default();
    let mut entries = placed(reader, finder, lists, &mut found);
    let names = class_names(tree, &entries);
    let named: BTreeSet<Place> = entries.iter().map(|entry| entry.0).collect();
    set_aside(reader, &mut entries);
    let mut test = Vec::new();
    let mut seen: BTreeSet<(Place, bool)> = BTreeSet::new();
    let has_test = entries.iter().any(|entry| is_test(entry.2));
    for (place, label, role) in entries {
        let Some(class) = names(place, label.as_deref()) else {
            found.skipped.push(Skipped {
                path: path_of(tree, place),
                reason: message!("skip-no-class").into(),
            });
            continue;
        };
        if seen.insert((place, is_test(role))) {
            let class = reader.classes.number(&class);
            let sample = reader.sample(dir, place, class);
            if is_test(role) {
                &mut test
            } else {
                &mut found.train
            }
            .push(sample);
        }
    }
    let unnamed = tree.dirs[dir].total.saturating_sub(named.len());
    if unnamed > 0 {
        reader
            .assumed
            .push(message!("remark-unlisted", n = unnamed).into());
    }
    found.listed = has_test;
    found.test = has_test.then_some(test);
    found
}

fn is_test(role: Option<Role>) -> bool {
    matches!(role, Some(Role::Test | Role::Validation))
}

/// Leaves out validation images where there is a test split as well, and training images that a list
/// names for testing: learned beforehand, they would be no test.
fn set_aside(reader: &mut Reader, entries: &mut Vec<Entry>) {
    let tested = entries.iter().any(|entry| entry.2 == Some(Role::Test));
    let before = entries.len();
    entries.retain(|entry| !(tested && entry.2 == Some(Role::Validation)));
    let unused = before - entries.len();
    if unused > 0 {
        reader
            .assumed
            .push(message!("remark-validation-aside", n = unused).into());
    }
    let test = entries.iter().filter(|entry| is_test(entry.2));
    let test: BTreeSet<Place> = test.map(|entry| entry.0).collect();
    let train = entries.iter().filter(|entry| !is_test(entry.2));
    let train: BTreeSet<Place> = train.map(|entry| entry.0).collect();
    let both = train.intersection(&test).count();
    // Of two equal lists nothing would be left to learn from; the doubles are told as such.
    if both == 0 || both == train.len() {
        return;
    }
    entries.retain(|(place, _, role)| is_test(*role) || !test.contains(place));
    reader
        .assumed
        .push(message!("remark-tested-only", n = both).into());
}

fn path_of(tree: &Tree, (dir, place): Place) -> PathBuf {
    tree.dirs[dir]
        .path
        .join(tree.dirs[dir].pictures[place].as_ref())
}

/// How a picture's class is called: by its folder, where folders and labels say the same, else by its label.
fn class_names(
    tree: &Tree,
    entries: &[Entry],
) -> impl Fn(Place, Option<&str>) -> Option<String> + use<> {
    let folder_of = |dir: usize| tree.dirs[dir].name.clone();
    let mut folders_of: HashMap<&str, BTreeSet<String>> = HashMap::new();
    let mut labels_of: HashMap<String, BTreeSet<&str>> = HashMap::new();
    for ((dir, _), label, _) in entries {
        if let Some(label) = label {
            folders_of.entry(label).or_default().insert(folder_of(*dir));
            labels_of.entry(folder_of(*dir)).or_default().insert(label);
        }
    }
    let single = folders_of.values().all(|folders| folders.len() == 1)
        && labels_of.values().all(|labels| labels.len() == 1);
    let by_folder = folders_of.len() != 1 && single;
    let names: BTreeMap<usize, String> = entries
        .iter()
        .map(|((dir, _), _, _)| (*dir, folder_of(*dir)))
        .collect();
    move |(dir, _), label| match label {
        Some(label) if !by_folder => Some(label.to_owned()),
        Some(_) => names.get(&dir).cloned(),
        // Without any labels the folders are the classes.
        None if by_folder => names.get(&dir).cloned(),
        None => None,
    }
}
