//! Converts JSON lists into rows of a table: objects per line or in an array, files by class, classes by file, COCO.

use std::collections::{HashMap, HashSet};

use csv::StringRecord;
use serde_json::{Map, Value};

use super::table::record_from_cells;

/// Maximum number of different keys, which become the columns of the table.
const MAX_KEYS: usize = 1000;
/// Maximum number of cells of the table.
const MAX_CELLS: usize = 16 << 20;

type Object = Map<String, Value>;

/// Reads lines with one object each, such as `metadata.jsonl`; the first row is the header. `None` for another text.
pub(super) fn parse_lines(text: &str) -> Option<Vec<StringRecord>> {
    let lines = text.lines().enumerate();
    let lines = lines.filter(|(_, line)| !line.trim().is_empty());
    let objects = lines.map(|(number, line)| {
        let object = serde_json::from_str::<Object>(line).ok()?;
        Some((number + 1, object))
    });
    rows_from_objects(objects.collect::<Option<_>>()?)
}

/// Reads a complete JSON file; the first row is the header. `None` if it does not list files.
pub(super) fn parse_file(text: &str) -> Option<Vec<StringRecord>> {
    match serde_json::from_str(text).ok()? {
        Value::Array(items) => {
            let objects = items.into_iter().zip(1..).map(|(item, number)| match item {
                Value::Object(object) => Some((number, object)),
                _ => None,
            });
            rows_from_objects(objects.collect::<Option<_>>()?)
        }
        Value::Object(object) => rows_from_coco(&object).or_else(|| rows_from_pairs(&object)),
        _ => None,
    }
}

/// Converts objects, given with their line numbers, into rows with their keys as columns.
fn rows_from_objects(objects: Vec<(usize, Object)>) -> Option<Vec<StringRecord>> {
    let mut keys: Vec<&str> = Vec::new();
    let mut seen_keys = HashSet::new();
    for (_, object) in &objects {
        for key in object.keys() {
            if seen_keys.insert(key.as_str()) {
                keys.push(key);
            }
        }
        if keys.len() > MAX_KEYS {
            return None;
        }
    }
    if keys.is_empty() || keys.len() * objects.len() > MAX_CELLS {
        return None;
    }
    let mut records = vec![StringRecord::from(keys.clone())];
    for (number, object) in &objects {
        let cells = keys.iter().map(|key| object.get(*key).map_or_else(String::new, cell_text));
        records.push(record_from_cells(*number, cells));
    }
    Some(records)
}

/// Reads `{"a.jpg": "cat"}` or `{"cat": ["a.jpg", "b.jpg"]}`.
fn rows_from_pairs(object: &Object) -> Option<Vec<StringRecord>> {
    let mut records = vec![StringRecord::from(vec!["file", "label"])];
    for (number, (key, value)) in (1..).zip(object) {
        match value {
            Value::Array(files) => {
                for file in files {
                    let file = file.as_str()?;
                    records.push(record_from_cells(number, [file.to_owned(), key.clone()]));
                }
            }
            Value::String(_) | Value::Number(_) => {
                records.push(record_from_cells(number, [key.clone(), cell_text(value)]));
            }
            _ => return None,
        }
    }
    (records.len() > 1).then_some(records)
}

/// Reads COCO: `images` with `file_name`, `categories` with `name`, and `annotations` that connect them.
fn rows_from_coco(object: &Object) -> Option<Vec<StringRecord>> {
    let items = |name: &str| object.get(name)?.as_array();
    let by_id = |name: &str, field: &str| -> Option<HashMap<String, String>> {
        let items = items(name)?.iter();
        let pairs = items
            .filter_map(|item| Some((cell_text(item.get("id")?), cell_text(item.get(field)?))));
        Some(pairs.collect())
    };
    let files = by_id("images", "file_name")?;
    let classes = by_id("categories", "name")?;
    let mut records = vec![StringRecord::from(vec!["file", "label"])];
    for (number, item) in (1..).zip(items("annotations")?) {
        let lookup = |key: &str, by_id_map: &HashMap<String, String>| {
            by_id_map.get(&cell_text(item.get(key)?)).cloned()
        };
        if let (Some(file), Some(class)) =
            (lookup("image_id", &files), lookup("category_id", &classes))
        {
            records.push(record_from_cells(number, [file, class]));
        }
    }
    (records.len() > 1).then_some(records)
}

/// Returns a value as the text of a cell; lists and objects become empty cells.
fn cell_text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Number(number) => number.to_string(),
        Value::Bool(yes) => yes.to_string(),
        _ => String::new(),
    }
}
