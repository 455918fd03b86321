//! Detects folders that are not classes: splits without classes, masks, parts of one collection, and folders beside
//! most of the images.

use std::collections::BTreeMap;

use crate::message;
use crate::problem::{Problem, Result, list_value};
use crate::roles::{
    Role, are_collection_parts, is_image_folder, is_mask_folder, parse_role, role_and_rest,
};
use crate::tree::Tree;

/// Maximum number of folders that a sentence names.
const MAX_NAMED: usize = 4;

/// Returns the splits among the subfolders of a folder: `train` and `test`, or a pair that shares another word
/// (`seg_train` and `seg_test`).
///
/// # Errors
/// Returns a Problem if there are several such pairs.
pub(super) fn find_split_folders(tree: &Tree, at: usize) -> Result<BTreeMap<Role, usize>> {
    let mut plain: BTreeMap<Role, usize> = BTreeMap::new();
    let mut pairs: BTreeMap<String, BTreeMap<Role, usize>> = BTreeMap::new();
    for child in tree.subfolders_with_images(at) {
        let name = &tree.dirs[child].name;
        if let Some(role) = parse_role(name) {
            plain.entry(role).or_insert(child);
        } else if let Some((role, rest)) = role_and_rest(name) {
            pairs.entry(rest).or_default().entry(role).or_insert(child);
        }
    }
    if plain.contains_key(&Role::Train) {
        return Ok(plain);
    }
    pairs.retain(|_, roles| roles.len() > 1 && roles.contains_key(&Role::Train));
    let mut pairs = pairs.into_values();
    match (pairs.next(), pairs.next()) {
        (None, _) => Ok(plain),
        (Some(pair), None) => Ok(pair),
        (Some(first), Some(second)) => {
            let folders = first.into_values().chain(second.into_values());
            Err(no_class_folders_problem(tree, at, folders, "problem-several-split-folders"))
        }
    }
}

/// Refuses to treat `train` as a split if there is no test split, but several other folders with images are beside it.
///
/// # Errors
/// Returns a Problem if there are several folders with images beside it.
pub(super) fn check_single_split(tree: &Tree, at: usize, train: usize) -> Result<()> {
    let siblings = tree.subfolders_with_images(at).into_iter().filter(|&dir| dir != train);
    let mut folders: Vec<usize> =
        siblings.filter(|&dir| tree.subfolders_with_images(dir).is_empty()).collect();
    if folders.len() < 2 {
        return Ok(());
    }
    folders.insert(0, train);
    Err(no_class_folders_problem(tree, at, folders, "problem-classes-or-splits-unclear"))
}

/// Returns the folder with images if all other folders contain masks; `None` otherwise.
pub(super) fn images_beside_masks(tree: &Tree, filled: &[usize]) -> Option<usize> {
    let is_mask = |dir: &&usize| is_mask_folder(&tree.dirs[**dir].name);
    let mut images = filled.iter().filter(|dir| !is_mask(dir));
    match (images.next(), images.next(), filled.len()) {
        (Some(&only), None, 2..) if is_image_folder(&tree.dirs[only].name) => Some(only),
        _ => None,
    }
}

/// Refuses folders that are not classes.
///
/// # Errors
/// Returns a Problem if their names are those of images or their parts, or if most images are beside them.
pub(super) fn check_class_folders(tree: &Tree, at: usize, filled: &[usize]) -> Result<()> {
    if filled.len() < 2 {
        return Ok(());
    }
    let names = || filled.iter().map(|&dir| tree.dirs[dir].name.as_str());
    let refuse = |id| Err(no_class_folders_problem(tree, at, filled.iter().copied(), id));
    if names().any(is_image_folder) {
        return refuse("problem-folders-for-all-images");
    }
    if are_collection_parts(names()) {
        return refuse("problem-folders-are-collection-parts");
    }
    let inside: usize = filled.iter().map(|&dir| tree.dirs[dir].total).sum();
    let beside = tree.dirs[at].images.len();
    if beside > inside {
        return Err(Problem::new(message!("problem-images-next-to-folders", beside, inside))
            .at_path(&tree.dirs[at].path)
            .advise(message!("advice-use-class-folders-or-splits")));
    }
    Ok(())
}

/// Returns the Problem for folders that are not classes.
pub(super) fn no_class_folders_problem(
    tree: &Tree,
    at: usize,
    folders: impl IntoIterator<Item = usize>,
    id: &'static str,
) -> Problem {
    let names = folders.into_iter();
    let names: Vec<String> = names.map(|dir| format!("`{}`", tree.dirs[dir].name)).collect();
    Problem::new(message!(id, folders = list_value(&names, MAX_NAMED)))
        .at_path(&tree.dirs[at].path)
        .advise(message!("advice-class-folders-or-csv"))
}
