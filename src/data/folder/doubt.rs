//! Folders that are no classes: splits without classes, masks, parts of one set, folders beside most of the images.

use std::collections::BTreeMap;

use crate::message;
use crate::problem::{Problem, Result, some_of};
use crate::roles::{Role, are_parts, is_of_images, is_of_masks, role_and_rest, role_of};
use crate::tree::Tree;

/// Most folders that a sentence names.
const NAMED: usize = 4;

/// The splits among the folders in one: `train` and `test`, or a pair with another word in common (`seg_train` and
/// `seg_test`).
///
/// # Errors
/// Several such pairs.
pub(super) fn roles(tree: &Tree, at: usize) -> Result<BTreeMap<Role, usize>> {
    let mut plain: BTreeMap<Role, usize> = BTreeMap::new();
    let mut pairs: BTreeMap<String, BTreeMap<Role, usize>> = BTreeMap::new();
    for child in tree.filled(at) {
        let name = &tree.dirs[child].name;
        if let Some(role) = role_of(name) {
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
        (Some(one), Some(other)) => {
            let folders = one.into_values().chain(other.into_values());
            Err(not_classes(
                tree,
                at,
                folders,
                "problem-several-split-folders",
            ))
        }
    }
}

/// Refuses to take `train` for a split if several folders of images are beside it, but no test split.
///
/// # Errors
/// There are several folders of images beside it.
pub(super) fn check_single_split(tree: &Tree, at: usize, train: usize) -> Result<()> {
    let beside = tree.filled(at).into_iter().filter(|&dir| dir != train);
    let mut folders: Vec<usize> = beside.filter(|&dir| tree.filled(dir).is_empty()).collect();
    if folders.len() < 2 {
        return Ok(());
    }
    folders.insert(0, train);
    Err(not_classes(
        tree,
        at,
        folders,
        "problem-classes-or-splits-unclear",
    ))
}

/// The only folder that is none of masks among folders of which the others are.
pub(super) fn images_beside_masks(tree: &Tree, filled: &[usize]) -> Option<usize> {
    let is_mask = |dir: &&usize| is_of_masks(&tree.dirs[**dir].name);
    let mut images = filled.iter().filter(|dir| !is_mask(dir));
    match (images.next(), images.next(), filled.len()) {
        (Some(&only), None, 2..) if is_of_images(&tree.dirs[only].name) => Some(only),
        _ => None,
    }
}

/// Refuses folders that are no classes.
///
/// # Errors
/// They are named for images or their parts, or most images are beside them.
pub(super) fn check(tree: &Tree, at: usize, filled: &[usize]) -> Result<()> {
    if filled.len() < 2 {
        return Ok(());
    }
    let names = || filled.iter().map(|&dir| tree.dirs[dir].name.as_str());
    let refuse = |id| Err(not_classes(tree, at, filled.iter().copied(), id));
    if names().any(is_of_images) {
        return refuse("problem-folders-for-all-images");
    }
    if are_parts(names()) {
        return refuse("problem-folders-are-collection-parts");
    }
    let inside: usize = filled.iter().map(|&dir| tree.dirs[dir].total).sum();
    let beside = tree.dirs[at].pictures.len();
    if beside > inside {
        return Err(Problem::new(message!(
            "problem-images-next-to-folders",
            beside = beside,
            inside = inside
        ))
        .at_path(&tree.dirs[at].path)
        .advise(message!("advice-use-class-folders-or-splits")));
    }
    Ok(())
}

/// Returns the refusal of folders that are no classes.
pub(super) fn not_classes(
    tree: &Tree,
    at: usize,
    folders: impl IntoIterator<Item = usize>,
    id: &'static str,
) -> Problem {
    let names = folders.into_iter();
    let names: Vec<String> = names
        .map(|dir| format!("'{}'", tree.dirs[dir].name))
        .collect();
    Problem::new(message!(id, folders = some_of(&names, NAMED)))
        .at_path(&tree.dirs[at].path)
        .advise(message!("advice-class-folders-or-csv"))
}
