//! Tiny-ImageNet's list of its test images.

use super::finder::{Finder, Spot};
use super::gather::text_of;
use crate::message;
use crate::names::composed;
use crate::problem::Result;
use crate::reader::Reader;
use crate::source::Sample;

/// Tiny-ImageNet's `val/val_annotations.txt`: image, class and a box per line.
///
/// # Errors
/// It is there and cannot be read.
pub fn tiny_imagenet(reader: &mut Reader, val: usize) -> Result<Option<Vec<Sample>>> {
    let tree = reader.tree;
    let Some(name) = tree.dirs[val]
        .others
        .iter()
        .find(|name| *name == "val_annotations.txt")
    else {
        return Ok(None);
    };
    let path = tree.dirs[val].path.join(name);
    let mut entries = Vec::new();
    let finder = Finder::new(tree, val);
    for line in text_of(&path)?.lines() {
        let mut columns = line.split('\t');
        if let (Some(file), Some(class)) = (columns.next(), columns.next())
            && let Spot::At(place) = finder.find(val, file)
        {
            entries.push((place, composed(class).into_owned()));
        }
    }
    if entries.is_empty() {
        return Ok(None);
    }
    entries.sort();
    let samples = entries
        .into_iter()
        .map(|(place, class)| {
            let class = reader.classes.number(&class);
            reader.sample(val, place, class)
        })
        .collect();
    let file = path.to_string_lossy();
    reader
        .assumed
        .push(message!("remark-test-classes-from", file = file).into());
    reader.used.insert(path);
    Ok(Some(samples))
}
