//! Names the classes of listed images: by their labels, their folders, or the common parts of their file names.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use super::ImageIndex;
use super::finder::Finder;
use super::merge::Entry;
use super::sheet::one_to_one;
use crate::message;
use crate::names::composed;
use crate::reader::Reader;
use crate::roles::{is_domain, is_of_images, is_of_masks, role_of};
use crate::tree::Tree;

/// The names of the classes.
pub(super) struct ClassNaming {
    /// Names by label, if labels are not used as names.
    labels: Option<HashMap<String, String>>,
    /// Names by folder, for images without a label.
    folders: BTreeMap<usize, String>,
}

impl ClassNaming {
    /// Returns the class of an image with this label; `None` if it is unknown.
    pub fn of<'n>(&'n self, (dir, _): ImageIndex, label: Option<&'n str>) -> Option<&'n str> {
        match (label, &self.labels) {
            (Some(label), None) => Some(label),
            (Some(label), Some(names)) => names.get(label).map(String::as_str),
            (None, _) => self.folders.get(&dir).map(String::as_str),
        }
    }
}

/// Chooses the names: folder names if folders and labels correspond one to one, else labels. Numeric labels are
/// replaced by the beginnings of file names if those correspond one to one.
pub(super) fn class_names(reader: &mut Reader, finder: &Finder, entries: &[Entry]) -> ClassNaming {
    let tree = reader.tree;
    let folder_of = |(dir, _): ImageIndex| tree.dirs[dir].name.as_str();
    let labelled = entries.iter();
    let labelled: Vec<(ImageIndex, &str)> = labelled
        .filter_map(|(place, label, _)| Some((*place, label.as_deref()?)))
        .collect();
    if labelled.is_empty() {
        return ClassNaming {
            labels: None,
            folders: by_folder(reader, finder, entries),
        };
    }
    let pairs = labelled.iter();
    let mut labels = one_to_one(pairs.map(|&(place, label)| (label, folder_of(place))));
    let mut folders = BTreeMap::new();
    if let Some(labels) = &labels {
        let known: HashSet<&str> = labels.values().map(String::as_str).collect();
        let places = entries.iter().map(|entry| entry.0);
        let places = places.filter(|&place| known.contains(folder_of(place)));
        folders.extend(places.map(|place| (place.0, folder_of(place).to_owned())));
    } else if labelled
        .iter()
        .all(|(_, label)| label.parse::<u64>().is_ok())
    {
        let begins = labelled.iter();
        let begins: Vec<(&str, String)> = begins
            .map(|&(place, label)| (label, name_before_number(tree, place)))
            .collect();
        let pairs = begins.iter().map(|(label, begin)| (*label, begin.as_str()));
        labels = one_to_one(pairs).filter(|names| names.values().all(|name| !name.is_empty()));
        if labels.is_some() {
            reader.remark(message!("remark-class-names-from-files"));
        }
    }
    ClassNaming { labels, folders }
}

/// Returns the file name of an image without the number at its end and the separator before it; empty if it does not
/// end in a number.
pub(crate) fn name_before_number(tree: &Tree, (dir, place): ImageIndex) -> String {
    let name = tree.dirs[dir].pictures[place].to_string_lossy();
    let name = composed(&name);
    let stem = name
        .rsplit_once('.')
        .map_or(name.as_ref(), |(stem, _)| stem);
    let without = stem.trim_end_matches(|letter: char| letter.is_ascii_digit());
    match without.len() == stem.len() {
        true => String::new(),
        false => without
            .trim_end_matches(|letter: char| {
                letter.is_ascii_digit() || ['_', '-', ' ', '.', '(', ')'].contains(&letter)
            })
            .to_owned(),
    }
}

/// Returns the class of every folder with listed images. Folders with the same name in different domains or splits are
/// one class; other folders with the same name are named by their paths.
fn by_folder(reader: &mut Reader, finder: &Finder, entries: &[Entry]) -> BTreeMap<usize, String> {
    let tree = reader.tree;
    let name = |dir: usize| tree.dirs[dir].name.as_str();
    let says_class = |dir: usize| {
        let name = name(dir);
        dir != finder.dir && role_of(name).is_none() && !is_of_images(name) && !is_of_masks(name)
    };
    let dirs: BTreeSet<usize> = entries.iter().map(|entry| entry.0.0).collect();
    let dirs: Vec<usize> = dirs.into_iter().filter(|&dir| says_class(dir)).collect();
    let path_of = |dir: usize| {
        let folders = finder.upwards(dir);
        let mut path: Vec<&str> = folders
            .filter(|&dir| says_class(dir) && !is_domain(name(dir)))
            .map(name)
            .collect();
        path.reverse();
        path.join("/")
    };
    let mut paths: BTreeMap<&str, BTreeSet<String>> = BTreeMap::new();
    for &dir in &dirs {
        paths.entry(name(dir)).or_default().insert(path_of(dir));
    }
    let several = paths.values().filter(|paths| paths.len() > 1).count();
    if several > 0 {
        reader.remark(message!("remark-class-names-from-paths", n = several));
    }
    let class_of = |dir: usize| match paths[name(dir)].len() {
        1 => name(dir).to_owned(),
        _ => path_of(dir),
    };
    dirs.into_iter().map(|dir| (dir, class_of(dir))).collect()
}
