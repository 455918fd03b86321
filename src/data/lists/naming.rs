//! Names the classes of listed images: by their labels, their folders, or the common parts of their file names.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use super::ImageIndex;
use super::finder::Finder;
use super::merge::Entry;
use super::rows::one_to_one;
use crate::message;
use crate::names::composed;
use crate::reader::Reader;
use crate::roles::{is_domain_folder, is_image_folder, is_mask_folder, parse_role};
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
    pub fn class_of<'n>(&'n self, (dir, _): ImageIndex, label: Option<&'n str>) -> Option<&'n str> {
        match (label, &self.labels) {
            (Some(label), None) => Some(label),
            (Some(label), Some(names)) => names.get(label).map(String::as_str),
            (None, _) => self.folders.get(&dir).map(String::as_str),
        }
    }
}

/// Chooses the names: folder names if folders and labels correspond one to one, else labels. Numeric labels are
/// replaced by the beginnings of file names if those correspond one to one.
pub(super) fn choose_class_names(
    reader: &mut Reader,
    finder: &Finder,
    entries: &[Entry],
) -> ClassNaming {
    let tree = reader.tree;
    let folder_of = |(dir, _): ImageIndex| tree.dirs[dir].name.as_str();
    let labelled = entries.iter();
    let labelled: Vec<(ImageIndex, &str)> =
        labelled.filter_map(|(place, label, _)| Some((*place, label.as_deref()?))).collect();
    if labelled.is_empty() {
        return ClassNaming { labels: None, folders: classes_by_folder(reader, finder, entries) };
    }
    let pairs = labelled.iter();
    let mut labels = one_to_one(pairs.map(|&(place, label)| (label, folder_of(place))));
    let mut folders = BTreeMap::new();
    if let Some(labels) = &labels {
        let folder_names: HashSet<&str> = labels.values().map(String::as_str).collect();
        let places = entries.iter().map(|entry| entry.0);
        let places = places.filter(|&place| folder_names.contains(folder_of(place)));
        folders.extend(places.map(|place| (place.0, folder_of(place).to_owned())));
    } else if labelled.iter().all(|(_, label)| label.parse::<u64>().is_ok()) {
        let prefixes = labelled.iter();
        let prefixes: Vec<(&str, String)> =
            prefixes.map(|&(place, label)| (label, name_before_number(tree, place))).collect();
        let pairs = prefixes.iter().map(|(label, prefix)| (*label, prefix.as_str()));
        labels = one_to_one(pairs).filter(|names| names.values().all(|name| !name.is_empty()));
        if labels.is_some() {
            reader.add_remark(message!("remark-class-names-from-files"));
        }
    }
    ClassNaming { labels, folders }
}

/// Returns the file name of an image without the number at its end and the separator before it; empty if it does not
/// end in a number.
pub(crate) fn name_before_number(tree: &Tree, (dir, index): ImageIndex) -> String {
    let name = tree.dirs[dir].images[index].to_string_lossy();
    let name = composed(&name);
    let stem = name.rsplit_once('.').map_or(name.as_ref(), |(stem, _)| stem);
    let prefix = stem.trim_end_matches(|letter: char| letter.is_ascii_digit());
    match prefix.len() == stem.len() {
        true => String::new(),
        false => prefix
            .trim_end_matches(|letter: char| {
                letter.is_ascii_digit() || ['_', '-', ' ', '.', '(', ')'].contains(&letter)
            })
            .to_owned(),
    }
}

/// Returns the class of every folder with listed images. Folders with the same name in different domains or splits are
/// one class; other folders with the same name are named by their paths.
fn classes_by_folder(
    reader: &mut Reader,
    finder: &Finder,
    entries: &[Entry],
) -> BTreeMap<usize, String> {
    let tree = reader.tree;
    let name = |dir: usize| tree.dirs[dir].name.as_str();
    let is_class_folder = |dir: usize| {
        let name = name(dir);
        dir != finder.dir
            && parse_role(name).is_none()
            && !is_image_folder(name)
            && !is_mask_folder(name)
    };
    let dirs: BTreeSet<usize> = entries.iter().map(|entry| entry.0.0).collect();
    let dirs: Vec<usize> = dirs.into_iter().filter(|&dir| is_class_folder(dir)).collect();
    let class_path = |dir: usize| {
        let folders = finder.ancestors(dir);
        let mut path: Vec<&str> = folders
            .filter(|&dir| is_class_folder(dir) && !is_domain_folder(name(dir)))
            .map(name)
            .collect();
        path.reverse();
        path.join("/")
    };
    let mut paths: BTreeMap<&str, BTreeSet<String>> = BTreeMap::new();
    for &dir in &dirs {
        paths.entry(name(dir)).or_default().insert(class_path(dir));
    }
    let ambiguous = paths.values().filter(|paths| paths.len() > 1).count();
    if ambiguous > 0 {
        reader.add_remark(message!("remark-class-names-from-paths", n = ambiguous));
    }
    let class_of = |dir: usize| match paths[name(dir)].len() {
        1 => name(dir).to_owned(),
        _ => class_path(dir),
    };
    dirs.into_iter().map(|dir| (dir, class_of(dir))).collect()
}
