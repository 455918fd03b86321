//! Reads the lists of the validation images of Tiny-ImageNet and ImageNet.

use std::path::PathBuf;

use super::collector::read_list_text;
use super::finder::{Finder, Lookup};
use crate::message;
use crate::names::composed;
use crate::problem::Result;
use crate::reader::Reader;
use crate::source::Sample;

/// Reads Tiny-ImageNet's `val/val_annotations.txt`, which has an image, its class and a box per line; `None` if there
/// is no such file.
///
/// # Errors
/// Returns a Problem if the file exists but cannot be read.
pub fn read_tiny_imagenet(reader: &mut Reader, val: usize) -> Result<Option<Vec<Sample>>> {
    let dir = &reader.tree.dirs[val];
    let name = "val_annotations.txt";
    if !dir.others.iter().any(|other| other == name) {
        return Ok(None);
    }
    let path = dir.path.join(name);
    read_annotations(reader, val, path, |line| {
        let mut columns = line.split('\t');
        Some((columns.next()?, columns.next()?))
    })
}

/// Reads ImageNet's `LOC_val_solution.csv`, which has an image per line, followed by its class and a box, possibly
/// several times.
///
/// # Errors
/// Returns a Problem if it cannot be read.
pub fn read_imagenet(
    reader: &mut Reader,
    val: usize,
    table: PathBuf,
) -> Result<Option<Vec<Sample>>> {
    read_annotations(reader, val, table, |line| {
        let (image, boxes) = line.split_once(',')?;
        Some((image, boxes.split_whitespace().next()?))
    })
}

/// Returns the images in a folder that a list names, with their classes; `None` if it names none.
fn read_annotations(
    reader: &mut Reader,
    dir: usize,
    list: PathBuf,
    parse_line: impl Fn(&str) -> Option<(&str, &str)>,
) -> Result<Option<Vec<Sample>>> {
    let finder = Finder::new(reader.tree, dir);
    let text = read_list_text(&list)?;
    let entries = text.lines().filter_map(parse_line);
    let entries = entries.filter_map(|(image, class)| match finder.find(dir, image) {
        Lookup::Found(index) => Some((index, composed(class).into_owned())),
        _ => None,
    });
    let mut entries: Vec<_> = entries.collect();
    if entries.is_empty() {
        return Ok(None);
    }
    entries.sort();
    let samples = entries.into_iter().map(|(index, class)| {
        let class = reader.classes.get_or_insert(&class);
        reader.make_sample(dir, index, class)
    });
    let samples = samples.collect();
    let file = list.to_string_lossy();
    reader.add_remark(message!("remark-test-classes-from", file));
    reader.used_lists.insert(list);
    Ok(Some(samples))
}
