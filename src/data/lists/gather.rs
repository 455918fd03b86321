//! Finding the tables and lists of a folder and reading each on its own.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use super::finder::{Finder, Spot};
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

/// Most lines of a list, or four times the images of the folder where that is more.
const MOST_LINES: usize = 2_000_000;
/// Most bytes of a list in JSON, which takes many times that in memory.
const MOST_JSON: u64 = 64 << 20;
/// Most bytes of all lists together.
const MOST_BYTES: u64 = 1 << 30;
/// If a folder has more files of one kind, they are notes on single images, unless they are named like lists.
const MOST_NOTES: usize = 64;
/// In a folder of very many images, a list without a split in its name must name an image in the first lines.
const LOOKED_AT: usize = 50;
/// A folder of more images has very many.
const VERY_MANY: usize = 200_000;

/// A table or list that names images of the folder.
pub(super) struct List {
    pub path: PathBuf,
    /// Its name.
    pub file: String,
    pub role: Option<Role>,
    /// What its name says beside its role: lists that share it belong together.
    pub family: String,
    pub rows: Vec<Row>,
    pub labels: Labels,
    /// What was decided while reading it.
    pub remarks: Vec<Words>,
}

impl List {
    /// What its rows say of their images' splits.
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

/// A list that the user named, and perhaps its column.
#[derive(Clone, Copy)]
pub(crate) struct Wanted<'a> {
    pub path: &'a Path,
    pub column: Option<&'a str>,
}

/// Which kind of list a file is by its ending.
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

/// Whether a file of this name may be a table or list.
pub fn may_be_list(path: &Path) -> bool {
    Form::of(&ending_of(path.as_os_str())).is_some()
}

/// Whether a file is a table, or named like a list of a split.
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
    wanted: Option<Wanted<'g>>,
    /// Bytes that may still be read.
    left: u64,
}

impl<'g, 'a> Gathering<'g, 'a> {
    pub fn new(
        reader: &'g mut Reader<'a>,
        finder: &'g Finder<'a>,
        wanted: Option<Wanted<'g>>,
    ) -> Self {
        Self {
            reader,
            finder,
            wanted,
            left: MOST_BYTES,
        }
    }

    /// The lists directly in a folder that name images.
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
            // Files in JSON are about anything.
            Err(_) if !named => return None,
            Err(problem) => {
                let path = path.to_path_buf();
                let reason = problem.words();
                self.reader.used.insert(path.clone());
                self.reader.refused.push(Skipped { path, reason });
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

    /// Takes classes and splits from the lists that name images by the ids of this one, as CUB-200 has them:
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
            let remark = message!("remark-read-from-list", file = file);
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

/// Whether a file is no list: sample submissions hold made-up answers, and Tiny-ImageNet's annotations are read with its
/// folders.
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

/// Whether a text is a list of this folder. If it is named like a list, one image is enough; any other has to name images
/// in half of its lines.
fn is_about_images(sheet: &Sheet, named: bool) -> bool {
    let found = sheet.named();
    let early = sheet.rows.iter().take(LOOKED_AT);
    let early = early.filter(|row| row.spot != Spot::Nowhere).count();
    match named {
        true => early > 0 || found * 10 >= sheet.rows.len().max(1),
        false => found > 0 && found * 2 >= sheet.rows.len(),
    }
}

/// Whether one of the first lines has a word with the ending of an image.
fn names_images(text: &str) -> bool {
    let lines = text.lines().take(LOOKED_AT);
    let mut words = lines.flat_map(|line| line.split([' ', '\t', ',', ';', '"']));
    words.any(super::sheet::ends_as_image)
}

/// The text of a list that is known by its name.
pub(crate) fn text_of(path: &Path) -> Result<String> {
    load(path, Form::Lines, MOST_LINES, &mut MOST_BYTES.clone()).map(|(text, _)| text)
}

/// The text of a list of at most `most` lines.
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
