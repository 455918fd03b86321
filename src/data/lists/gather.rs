//! Finds the tables and lists of a folder, and reads each of them separately.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use super::finder::{Finder, Lookup};
use super::label::table_sheet;
use super::sheet::{Labels, Names, Row, Sheet, Source, SplitCell};
use super::table::records_of;
use super::{json, lines};
use crate::Skipped;
use crate::encoding::{Encoding, decoded, name_of};
use crate::files;
use crate::message;
use crate::problem::{Problem, Result};
use crate::reader::Reader;
use crate::roles::{Role, rest_of_name, role_and_rest, words_of};
use crate::texts::Words;
use crate::tree::ending_of;

/// Maximum number of lines of a list; four times the number of images in the folder if that is larger.
const MOST_LINES: usize = 2_000_000;
/// Maximum size of a JSON list in bytes; in memory, it takes many times that.
const MOST_JSON: u64 = 64 << 20;
/// Maximum size of all lists together in bytes.
const MOST_BYTES: u64 = 1 << 30;
/// Maximum number of files of one form in a folder that are read as lists. If there are more, they are probably notes
/// on single images, so only those with names of lists are read.
const MOST_NOTES: usize = 64;
/// Number of first lines that are searched for images.
const LOOKED_AT: usize = 50;
/// Number of images of a folder above which a list without a split in its name must name an image in its first lines.
const VERY_MANY: usize = 200_000;

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
    pub fn role_of(&self, row: &Row) -> Option<Role> {
        match row.split {
            SplitCell::Role(role) => Some(role),
            SplitCell::Unsaid => self.role,
            SplitCell::Other => None,
        }
    }

    pub fn has_roles(&self) -> bool {
        self.rows.iter().any(|row| self.role_of(row).is_some())
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
enum Form {
    Lines,
    Yaml,
    Table,
    JsonLines,
    Json,
}

impl Form {
    fn of(ending: &str) -> Option<Self> {
        Some(match ending {
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
    Form::of(&ending_of(path.as_os_str())).is_some()
}

/// Returns whether a file is a table, or has the name of a split.
pub fn is_named_as_list(path: &Path) -> bool {
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    match Form::of(&ending_of(path.as_os_str())) {
        Some(Form::Table) => true,
        Some(_) => role_and_rest(&stem).is_some(),
        None => false,
    }
}

/// Reads the lists below one folder.
pub(super) struct Gathering<'g, 'a> {
    reader: &'g mut Reader<'a>,
    finder: &'g Finder<'a>,
    wanted: Option<ListChoice<'g>>,
    /// Number of bytes that may still be read.
    left: u64,
}

impl<'g, 'a> Gathering<'g, 'a> {
    pub fn new(
        reader: &'g mut Reader<'a>,
        finder: &'g Finder<'a>,
        wanted: Option<ListChoice<'g>>,
    ) -> Self {
        Self {
            reader,
            finder,
            wanted,
            left: MOST_BYTES,
        }
    }

    /// Returns the lists directly in a folder that name images.
    pub fn in_folder(&mut self, holder: usize) -> Vec<List> {
        let tree = self.reader.tree;
        let mut notes: HashMap<Form, usize> = HashMap::new();
        let mut lists = Vec::new();
        for name in &tree.dirs[holder].others {
            let path = tree.dirs[holder].path.join(name);
            let stem = path.file_stem().unwrap_or_default().to_string_lossy();
            let Some(form) = Form::of(&ending_of(name)).filter(|_| !is_no_list(&stem)) else {
                continue;
            };
            let named = role_and_rest(&stem).is_some()
                || form == Form::Table
                || self.wanted.is_some_and(|wanted| wanted.path == path);
            if !named {
                let count = notes.entry(form).or_default();
                *count += 1;
                if *count > MOST_NOTES || form == Form::Yaml {
                    continue;
                }
            }
            lists.extend(self.list(holder, &path, form, named));
        }
        lists
    }

    fn list(&mut self, holder: usize, path: &Path, form: Form, named: bool) -> Option<List> {
        let tree = self.reader.tree;
        let most = MOST_LINES.max(tree.dirs[self.finder.dir].total.saturating_mul(4));
        let (text, encoding) = match load(path, form, most, &mut self.left) {
            Ok(loaded) => loaded,
            // Any kind of data may be in such a file, so an unreadable one is not reported.
            Err(_) if !named => return None,
            Err(problem) => {
                self.reader.used.insert(path.to_path_buf());
                let refused = Skipped::new(path, problem.words());
                self.reader.refused.push(refused);
                return None;
            }
        };
        if !named && tree.dirs[self.finder.dir].total > VERY_MANY && !names_images(&text) {
            return None;
        }
        let file = name_of(path.file_name().unwrap_or_default());
        let wanted = self.wanted.filter(|wanted| wanted.path == path);
        let source = Source {
            tree,
            finder: self.finder,
            holder,
            file: &file,
            column: wanted.and_then(|wanted| wanted.column),
        };
        let mut sheet = sheet_of(&source, form, &text)?;
        if !is_about_images(&sheet, named) {
            return None;
        }
        if encoding == Encoding::Windows1252 {
            let remark = message!("remark-read-as-windows-1252", file = file.as_str());
            sheet.remarks.insert(0, remark.into());
        }
        if !sheet.ids.is_empty() {
            self.add_by_id(holder, path, &mut sheet);
        }
        let stem = path.file_stem().unwrap_or_default().to_string_lossy();
        let (role, family) = match role_and_rest(&stem) {
            Some((role, rest)) => (Some(role), rest),
            None => (None, rest_of_name(&stem)),
        };
        Some(List {
            path: path.to_path_buf(),
            file,
            role,
            family,
            rows: sheet.rows,
            labels: sheet.labels,
            remarks: sheet.remarks,
        })
    }

    /// Adds classes and splits from the lists that refer to images by the ids in this list, as in CUB-200:
    /// `image_class_labels.txt`, `train_test_split.txt` (1 is training) and `classes.txt`.
    fn add_by_id(&mut self, holder: usize, own: &Path, sheet: &mut Sheet) {
        let tree = self.reader.tree;
        let mut classes: HashMap<String, String> = HashMap::new();
        let mut labels: Vec<(usize, String)> = Vec::new();
        for name in &tree.dirs[holder].others {
            let path = tree.dirs[holder].path.join(name);
            let words = words_of(&path.file_stem().unwrap_or_default().to_string_lossy());
            let has = |word: &str| words.iter().any(|own| own == word);
            let (is_split, is_classes) = (has("split"), words == ["classes"]);
            let known = is_split || is_classes || has("labels") || has("label");
            if path == own || !known || Form::of(&ending_of(name)) != Some(Form::Lines) {
                continue;
            }
            let Ok((text, _)) = load(&path, Form::Lines, MOST_LINES, &mut self.left) else {
                continue;
            };
            let pairs = text.lines();
            let pairs = pairs.filter_map(|line| line.trim().split_once([' ', '\t']));
            if is_classes {
                classes.extend(pairs.map(|(id, name)| (id.to_owned(), name.trim().to_owned())));
                continue;
            }
            let of_row =
                |(id, value): (&str, &str)| Some((*sheet.ids.get(id)?, value.trim().to_owned()));
            let rows: Vec<(usize, String)> = pairs.filter_map(of_row).collect();
            if rows.len() * 2 < sheet.rows.len() {
                continue;
            }
            let file = name.to_string_lossy();
            let remark = message!("remark-read-from-list", file);
            sheet.remarks.push(remark.into());
            self.reader.used.insert(path);
            if !is_split {
                labels = rows;
                continue;
            }
            for (row, value) in rows {
                sheet.rows[row].split = match value.as_str() {
                    "1" => SplitCell::Role(Role::Train),
                    "0" => SplitCell::Role(Role::Test),
                    other => SplitCell::of(other),
                };
            }
        }
        if labels.is_empty() {
            return;
        }
        let all_named = labels.iter().all(|(_, label)| classes.contains_key(label));
        let mut names = Names::default();
        for (row, label) in &labels {
            let name = classes.get(label).filter(|_| all_named);
            sheet.rows[*row].label = names.of(name.unwrap_or(label));
        }
        sheet.labels = Labels::Sure;
    }
}

/// Returns whether a file is never a list: sample submissions contain placeholder classes, and Tiny-ImageNet's
/// annotations are read with its folders.
fn is_no_list(stem: &str) -> bool {
    stem.to_lowercase().contains("submission") || stem == "val_annotations"
}

fn sheet_of(source: &Source, form: Form, text: &str) -> Option<Sheet> {
    match form {
        Form::Lines => Some(lines::text_sheet(source, text)),
        Form::Yaml => table_sheet(source, &lines::of_yaml(text), true),
        Form::Table => table_sheet(source, &records_of(text), false),
        Form::JsonLines => table_sheet(source, &json::of_lines(text)?, true),
        Form::Json => table_sheet(source, &json::of_file(text)?, true),
    }
}

/// Returns whether a text is a list of images in this folder. A file with the name of a list needs an image in its
/// first lines or in a tenth of all; another file needs images in half of its lines.
fn is_about_images(sheet: &Sheet, named: bool) -> bool {
    let found = sheet.named();
    let early = sheet.rows.iter().take(LOOKED_AT);
    let early = early.filter(|row| row.spot != Lookup::Missing).count();
    match named {
        true => early > 0 || found * 10 >= sheet.rows.len().max(1),
        false => found > 0 && found * 2 >= sheet.rows.len(),
    }
}

/// Returns whether one of the first lines contains a word with the extension of an image.
fn names_images(text: &str) -> bool {
    let lines = text.lines().take(LOOKED_AT);
    let mut words = lines.flat_map(|line| line.split([' ', '\t', ',', ';', '"']));
    words.any(super::sheet::ends_as_image)
}

/// Returns the text of a list that is known by its name.
pub(crate) fn text_of(path: &Path) -> Result<String> {
    load(path, Form::Lines, MOST_LINES, &mut MOST_BYTES.clone()).map(|(text, _)| text)
}

/// Returns the text of a list of at most `most` lines, and subtracts its size from `left`.
fn load(path: &Path, form: Form, most: usize, left: &mut u64) -> Result<(String, Encoding)> {
    let largest = match form {
        Form::Json => MOST_JSON,
        _ => files::TABLE,
    };
    let bytes = files::read(path, largest.min(*left))
        .map_err(|error| Problem::io("read the list", path, &error))?;
    *left -= bytes.len() as u64;
    let lines = |end: u8| bytes.iter().filter(|byte| **byte == end).count();
    if lines(b'\n').max(lines(b'\r')) > most {
        return Err(Problem::new(message!("problem-list-too-long")).at_path(path));
    }
    let (text, encoding) = decoded(&bytes);
    Ok((text.into_owned(), encoding))
}
