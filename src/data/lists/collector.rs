//! Finds the tables and lists of a folder, and reads each of them separately.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use super::finder::{Finder, Lookup};
use super::label::parse_table;
use super::rows::{LabelInterner, Labels, ListRows, ListSource, Row, SplitCell};
use super::table::parse_records;
use super::{json, lines};
use crate::Skipped;
use crate::encoding::{Encoding, decode_name, decode_text};
use crate::files;
use crate::message;
use crate::problem::{Problem, Result};
use crate::reader::Reader;
use crate::roles::{Role, name_without_role, role_and_rest, split_words};
use crate::texts::Words;
use crate::tree::{file_extension, has_image_extension};

/// Maximum number of lines of a list; four times the number of images in the folder if that is larger.
const MAX_LINES: usize = 2_000_000;
/// Maximum size of a JSON list in bytes; in memory, it takes many times that.
const MAX_JSON_BYTES: u64 = 64 << 20;
/// Maximum size of all lists together in bytes.
const MAX_TOTAL_BYTES: u64 = 1 << 30;
/// Maximum number of files of one form in a folder that are read as lists. If there are more, they are probably notes
/// on single images, so only those with names of lists are read.
const MAX_UNNAMED_LISTS: usize = 64;
/// Number of first lines that are searched for images.
const PROBED_LINES: usize = 50;
/// Number of images of a folder above which a list without a split in its name must name an image in its first lines.
const LARGE_FOLDER_IMAGES: usize = 200_000;

/// A table or list that names images of the folder.
pub(super) struct List {
    pub path: PathBuf,
    /// The name of the file.
    pub file: String,
    pub role: Option<Role>,
    /// The rest of its name after removing the split; lists that share it belong together.
    pub family: String,
    pub rows: Vec<Row>,
    pub labels: Labels,
    /// Remarks on decisions made while reading it.
    pub remarks: Vec<Words>,
}

impl List {
    /// Returns the split of a row's image, from the row or the name of the list; `None` if neither gives one.
    pub fn row_role(&self, row: &Row) -> Option<Role> {
        match row.split {
            SplitCell::Role(role) => Some(role),
            SplitCell::Unspecified => self.role,
            SplitCell::Other => None,
        }
    }

    pub fn has_roles(&self) -> bool {
        self.rows.iter().any(|row| self.row_role(row).is_some())
    }
}

/// A list selected by the user, possibly with the column of the classes.
#[derive(Clone, Copy)]
pub(crate) struct ListChoice<'a> {
    pub path: &'a Path,
    pub column: Option<&'a str>,
}

/// The form of a list, by its file extension.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum ListFormat {
    Lines,
    Yaml,
    Table,
    JsonLines,
    Json,
}

impl ListFormat {
    fn from_extension(extension: &str) -> Option<Self> {
        Some(match extension {
            "txt" | "lst" => Self::Lines,
            "yaml" | "yml" => Self::Yaml,
            "csv" | "tsv" => Self::Table,
            "jsonl" | "ndjson" => Self::JsonLines,
            "json" => Self::Json,
            _ => return None,
        })
    }
}

/// Returns whether a file with this name may be a table or list.
pub fn may_be_list(path: &Path) -> bool {
    ListFormat::from_extension(&file_extension(path.as_os_str())).is_some()
}

/// Returns whether a file is a table, or has the name of a split.
pub fn is_named_like_list(path: &Path) -> bool {
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    match ListFormat::from_extension(&file_extension(path.as_os_str())) {
        Some(ListFormat::Table) => true,
        Some(_) => role_and_rest(&stem).is_some(),
        None => false,
    }
}

/// Reads the lists below one folder.
pub(super) struct ListCollector<'g, 'a> {
    reader: &'g mut Reader<'a>,
    finder: &'g Finder<'a>,
    choice: Option<ListChoice<'g>>,
    /// Number of bytes that may still be read.
    bytes_left: u64,
}

impl<'g, 'a> ListCollector<'g, 'a> {
    pub fn new(
        reader: &'g mut Reader<'a>,
        finder: &'g Finder<'a>,
        choice: Option<ListChoice<'g>>,
    ) -> Self {
        Self { reader, finder, choice, bytes_left: MAX_TOTAL_BYTES }
    }

    /// Returns the lists directly in a folder that name images.
    pub fn lists_in(&mut self, list_folder: usize) -> Vec<List> {
        let tree = self.reader.tree;
        let mut unnamed_counts: HashMap<ListFormat, usize> = HashMap::new();
        let mut lists = Vec::new();
        for name in &tree.dirs[list_folder].others {
            let path = tree.dirs[list_folder].path.join(name);
            let stem = path.file_stem().unwrap_or_default().to_string_lossy();
            let Some(format) =
                ListFormat::from_extension(&file_extension(name)).filter(|_| !is_never_list(&stem))
            else {
                continue;
            };
            let is_named_list = role_and_rest(&stem).is_some()
                || format == ListFormat::Table
                || self.choice.is_some_and(|choice| choice.path == path);
            if !is_named_list {
                let count = unnamed_counts.entry(format).or_default();
                *count += 1;
                if *count > MAX_UNNAMED_LISTS || format == ListFormat::Yaml {
                    continue;
                }
            }
            lists.extend(self.read_list(list_folder, &path, format, is_named_list));
        }
        lists
    }

    fn read_list(
        &mut self,
        list_folder: usize,
        path: &Path,
        format: ListFormat,
        is_named_list: bool,
    ) -> Option<List> {
        let tree = self.reader.tree;
        let max_lines = MAX_LINES.max(tree.dirs[self.finder.dir].total.saturating_mul(4));
        let (text, encoding) = match load_list(path, format, max_lines, &mut self.bytes_left) {
            Ok(loaded) => loaded,
            // Any kind of data may be in such a file, so an unreadable one is not reported.
            Err(_) if !is_named_list => return None,
            Err(problem) => {
                self.reader.used_lists.insert(path.to_path_buf());
                let skipped = Skipped::new(path, problem.what_text());
                self.reader.unreadable_lists.push(skipped);
                return None;
            }
        };
        if !is_named_list
            && tree.dirs[self.finder.dir].total > LARGE_FOLDER_IMAGES
            && !mentions_images(&text)
        {
            return None;
        }
        let file = decode_name(path.file_name().unwrap_or_default());
        let choice = self.choice.filter(|choice| choice.path == path);
        let source = ListSource {
            tree,
            finder: self.finder,
            list_folder,
            file: &file,
            column: choice.and_then(|choice| choice.column),
        };
        let mut list_rows = parse_sheet(&source, format, &text)?;
        if !is_about_images(&list_rows, is_named_list) {
            return None;
        }
        if encoding == Encoding::Windows1252 {
            let remark = message!("remark-read-as-windows-1252", file = file.as_str());
            list_rows.remarks.insert(0, remark.into());
        }
        if !list_rows.ids.is_empty() {
            self.join_lists_by_id(list_folder, path, &mut list_rows);
        }
        let stem = path.file_stem().unwrap_or_default().to_string_lossy();
        let (role, family) = match role_and_rest(&stem) {
            Some((role, rest)) => (Some(role), rest),
            None => (None, name_without_role(&stem)),
        };
        Some(List {
            path: path.to_path_buf(),
            file,
            role,
            family,
            rows: list_rows.rows,
            labels: list_rows.labels,
            remarks: list_rows.remarks,
        })
    }

    /// Adds classes and splits from the lists that refer to images by the ids in this list, as in CUB-200:
    /// `image_class_labels.txt`, `train_test_split.txt` (1 is training) and `classes.txt`.
    fn join_lists_by_id(&mut self, list_folder: usize, list_path: &Path, list_rows: &mut ListRows) {
        let tree = self.reader.tree;
        let mut classes: HashMap<String, String> = HashMap::new();
        let mut labels: Vec<(usize, String)> = Vec::new();
        for name in &tree.dirs[list_folder].others {
            let path = tree.dirs[list_folder].path.join(name);
            let words = split_words(&path.file_stem().unwrap_or_default().to_string_lossy());
            let has = |word: &str| words.iter().any(|other| other == word);
            let (is_split, is_classes) = (has("split"), words == ["classes"]);
            let is_relevant = is_split || is_classes || has("labels") || has("label");
            if path == list_path
                || !is_relevant
                || ListFormat::from_extension(&file_extension(name)) != Some(ListFormat::Lines)
            {
                continue;
            }
            let Ok((text, _)) =
                load_list(&path, ListFormat::Lines, MAX_LINES, &mut self.bytes_left)
            else {
                continue;
            };
            let pairs = text.lines();
            let pairs = pairs.filter_map(|line| line.trim().split_once([' ', '\t']));
            if is_classes {
                classes.extend(pairs.map(|(id, name)| (id.to_owned(), name.trim().to_owned())));
                continue;
            }
            let to_row = |(id, value): (&str, &str)| {
                Some((*list_rows.ids.get(id)?, value.trim().to_owned()))
            };
            let rows: Vec<(usize, String)> = pairs.filter_map(to_row).collect();
            if rows.len() * 2 < list_rows.rows.len() {
                continue;
            }
            let file = name.to_string_lossy();
            let remark = message!("remark-read-from-list", file);
            list_rows.remarks.push(remark.into());
            self.reader.used_lists.insert(path);
            if !is_split {
                labels = rows;
                continue;
            }
            for (row, value) in rows {
                list_rows.rows[row].split = match value.as_str() {
                    "1" => SplitCell::Role(Role::Train),
                    "0" => SplitCell::Role(Role::Test),
                    other => SplitCell::parse(other),
                };
            }
        }
        if labels.is_empty() {
            return;
        }
        let all_named = labels.iter().all(|(_, label)| classes.contains_key(label));
        let mut names = LabelInterner::default();
        for (row, label) in &labels {
            let name = classes.get(label).filter(|_| all_named);
            list_rows.rows[*row].label = names.intern(name.unwrap_or(label));
        }
        list_rows.labels = Labels::Certain;
    }
}

/// Returns whether a file is never a list: sample submissions contain placeholder classes, and Tiny-ImageNet's
/// annotations are read with its folders.
fn is_never_list(stem: &str) -> bool {
    stem.to_lowercase().contains("submission") || stem == "val_annotations"
}

fn parse_sheet(source: &ListSource, format: ListFormat, text: &str) -> Option<ListRows> {
    match format {
        ListFormat::Lines => Some(lines::parse_text(source, text)),
        ListFormat::Yaml => parse_table(source, &lines::parse_yaml(text), true),
        ListFormat::Table => parse_table(source, &parse_records(text), false),
        ListFormat::JsonLines => parse_table(source, &json::parse_lines(text)?, true),
        ListFormat::Json => parse_table(source, &json::parse_file(text)?, true),
    }
}

/// Returns whether a text is a list of images in this folder. A file with the name of a list needs an image in its
/// first lines or in a tenth of all; another file needs images in half of its lines.
fn is_about_images(list_rows: &ListRows, is_named_list: bool) -> bool {
    let found = list_rows.matched_rows();
    let early = list_rows.rows.iter().take(PROBED_LINES);
    let early = early.filter(|row| row.lookup != Lookup::Missing).count();
    match is_named_list {
        true => early > 0 || found * 10 >= list_rows.rows.len().max(1),
        false => found > 0 && found * 2 >= list_rows.rows.len(),
    }
}

/// Returns whether one of the first lines contains a word with the extension of an image.
fn mentions_images(text: &str) -> bool {
    let lines = text.lines().take(PROBED_LINES);
    let mut words = lines.flat_map(|line| line.split([' ', '\t', ',', ';', '"']));
    words.any(has_image_extension)
}

/// Returns the text of a list that is known by its name.
pub(crate) fn read_list_text(path: &Path) -> Result<String> {
    load_list(path, ListFormat::Lines, MAX_LINES, &mut MAX_TOTAL_BYTES.clone())
        .map(|(text, _)| text)
}

/// Returns the text of a list of at most `max_lines` lines, and subtracts its size from `bytes_left`.
fn load_list(
    path: &Path,
    format: ListFormat,
    max_lines: usize,
    bytes_left: &mut u64,
) -> Result<(String, Encoding)> {
    let max_bytes = match format {
        ListFormat::Json => MAX_JSON_BYTES,
        _ => files::TABLE,
    };
    let bytes = files::read(path, max_bytes.min(*bytes_left))
        .map_err(|error| Problem::io("read the list", path, &error))?;
    *bytes_left -= bytes.len() as u64;
    let count_byte = |separator: u8| bytes.iter().filter(|byte| **byte == separator).count();
    if count_byte(b'\n').max(count_byte(b'\r')) > max_lines {
        return Err(Problem::new(message!("problem-list-too-long")).at_path(path));
    }
    let (text, encoding) = decode_text(&bytes);
    Ok((text.into_owned(), encoding))
}
