//! Converts JSON lists into rows of a table: objects per line or in an array, files by class, classes by file, COCO.

use std::collections::HashMap;

use csv::StringRecord;
use serde_json::{Map, Value};

use super::table::record;

/// Maximum number of different keys, which become the columns of the table.
const MOST_KEYS: usize = 1000;
/// Maximum number of cells of the table.
const MOST_CELLS: usize = 16 << 20;

type Object = Map<String, Value>;

/// Reads lines with one object each, such as `metadata.jsonl`; the first row is the header. `None` for another text.
pub(super) fn of_lines(text: &str) -> Option<Vec<StringRecord>> {
    let lines = text.lines().enumerate();
    let lines = lines.filter(|(_, line)| !line.trim().is_empty());
    let objects = lines.map(|(number, line)| {
        let object = serde_json::from_str::<Object>(line).ok()?;
        Some((number + 1, object))
    });
    of_objects(objects.collect::<Option<_>>()?)
}

/// Reads a complete JSON file; the first row is the header. `None` if it does not list files.
pub(super) fn of_file(text: &str) -> Option<Vec<StringRecord>> {
    match serde_json::from_str(text).ok()? {
        Value::Array(items) => {
            let objects = items.into_iter().zip(1..).map(|(item, number)| match item {
                Value::Object(object) => Some((number, object)),
                _ => None,
            });
            of_objects(objects.collect::<Option<_>>()?)
        }
        Value::Object(object) => of_coco(&object).or_else(|| of_pairs(&object)),
        _ => None,
    }
}

/// Converts objects, given with their line numbers, into rows with their keys as columns.
fn of_objects(objects: Vec<(usize, Object)>) -> Option<Vec<StringRecord>> {
    let mut keys: Vec<&str> = Vec::new();
    let mut known = HashMap::new();
    for (_, object) in &objects {
        for key in object.keys() {
            if !known.contains_key(key.as_str()) {
                known.insert(key.as_str(), keys.len());
                keys.push(key);
            }
        }
        if keys.len() > MOST_KEYS {
            return None;
        }
    }
    if keys.is_empty() || keys.len() * objects.len() > MOST_CELLS {
        return None;
    }
    let mut records = vec![StringRecord::from(keys.clone())];
    for (number, object) in &objects {
        let cells = keys
            .iter()
            .map(|key| object.get(*key).map_or_else(String::new, text_of));
        records.push(record(*number, cells));
    }
    Some(records)
}

/// Reads `{"a.jpg": "cat"}` or `{"cat": ["a.jpg", "b.jpg"]}`.
fn of_pairs(object: &Object) -> Option<Vec<StringRecord>> {
    let mut records = vec![StringRecord::from(vec!["file", "label"])];
    for (number, (key, value)) in (1..).zip(object) {
        match value {
            Value::Array(files) => {
                for file in files {
                    let file = file.as_str()?;
                    records.push(record(number, [file.to_owned(), key.clone()]));
                }
            }
            Value::String(_) | Value::Number(_) => {
                records.push(record(number, [key.clone(), text_of(value)]));
            }
            _ => return None,
        }
    }
    (records.len() > 1).then_some(records)
}

/// Reads COCO: `images` with `file_name`, `categories` with `name`, and `annotations` that connect them.
fn of_coco(object: &Object) -> Option<Vec<StringRecord>> {
    let items = |name: &str| object.get(name)?.as_array();
    let by_id = |name: &str, of: &str| -> Option<HashMap<String, String>> {
        let items = items(name)?.iter();
        let pairs =
            items.filter_map(|item| Some((text_of(item.get("id")?), text_of(item.get(of)?))));
        Some(pairs.collect())
    };
    let files = by_id("images", "file_name")?;
    let classes = by_id("categories", "name")?;
    let mut records = vec![StringRecord::from(vec!["file", "label"])];
    for (number, item) in (1..).zip(items("annotations")?) {
        let of = |key: &str, known: &HashMap<String, String>| {
            known.get(&text_of(item.get(key)?)).cloned()
        };
        if let (Some(file), Some(class)) = (of("image_id", &files), of("category_id", &classes)) {
            records.push(record(number, [file, class]));
        }
    }
    (records.len() > 1).then_some(records)
}

/// Returns a value as the text of a cell; lists and objects become empty cells.
fn text_of(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Number(number) => number.to_string(),
        Value::Bool(yes) => yes.to_string(),
        _ => String::new(),
    }
}
