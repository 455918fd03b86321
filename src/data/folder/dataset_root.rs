//! Finds the folder of the dataset if a split or a class was given, and explains why a folder has no classes.

use std::fs;
use std::path::{Path, PathBuf};

use super::{OpenOptions, Role, parse_role};
use crate::message;
use crate::problem::{Problem, text_list_value};
use crate::texts::Words;
use crate::tree::{
    Tree, count_reasons, file_extension, has_image_extension, is_hidden, skip_reason,
};
use crate::unsupported;

/// Returns the parent of a `train` or `test` folder with the other split beside it, and a remark; other folders are
/// returned unchanged.
pub(super) fn dataset_root(path: &Path) -> (PathBuf, Vec<Words>) {
    let role_of_path =
        |path: &Path| parse_role(&path.file_name().unwrap_or_default().to_string_lossy());
    let dataset_parent = role_of_path(path).zip(path.parent()).and_then(|(role, parent)| {
        let siblings = fs::read_dir(parent).ok()?;
        let has_other_split = siblings.flatten().any(|entry| {
            entry.path().is_dir()
                && role_of_path(&entry.path())
                    .is_some_and(|other| (other == Role::Train) != (role == Role::Train))
        });
        has_other_split.then(|| parent.to_path_buf())
    });
    match dataset_parent {
        Some(parent) => {
            let remark = message!(
                "remark-parent-of-split-opened",
                folder = path.display().to_string(),
                parent = parent.display().to_string()
            );
            (parent, vec![remark.into()])
        }
        None => (path.to_path_buf(), Vec::new()),
    }
}

/// Returns the parent of a folder of images, if all its subfolders contain images, so that they are the classes.
pub(super) fn class_parent(root: &Path, options: &OpenOptions) -> Option<PathBuf> {
    if options.min_classes < 2 {
        return None;
    }
    let parent = root.parent()?;
    let mut folders = 0;
    for entry in fs::read_dir(parent).ok()?.flatten().take(10_000) {
        let path = entry.path();
        if is_hidden(&entry.file_name()) {
            continue;
        }
        // Other files in it mean that this is an ordinary folder, not a dataset.
        if !path.is_dir() || !contains_images(&path) {
            return None;
        }
        folders += 1;
    }
    (folders >= 2).then(|| dataset_root(parent).0)
}

fn contains_images(folder: &Path) -> bool {
    fs::read_dir(folder).is_ok_and(|entries| {
        entries.flatten().take(100).any(|entry| has_image_extension(entry.file_name()))
    })
}

pub(super) fn no_classes_problem(tree: &Tree) -> Problem {
    let root = &tree.dirs[0];
    let advice = message!("advice-use-class-folders-or-splits");
    let is_table =
        |name: &&std::ffi::OsString| matches!(file_extension(name).as_str(), "csv" | "tsv");
    if let (Some(table), true) = (root.others.iter().find(is_table), root.total > 0) {
        return Problem::new(message!(
            "problem-table-without-matching-images",
            total = message!("count-images", n = root.total),
            table = table.to_string_lossy().to_string()
        ))
        .at_path(&root.path)
        .advise(message!("advice-add-csv-file-label"));
    }
    if root.total > 0 {
        return Problem::new(message!(
            "problem-images-without-classes",
            total = message!("count-images", n = root.total)
        ))
        .at_path(&root.path)
        .advise(advice);
    }
    let files = tree.dirs.iter();
    let mut files = files.flat_map(|dir| dir.others.iter().map(|name| dir.path.join(name)));
    if let Some(problem) = files.find_map(|path| unsupported::unsupported_problem(&path)) {
        return problem;
    }
    let others = tree.dirs.iter().flat_map(|dir| &dir.others);
    let kinds = count_reasons(others.map(|name| skip_reason(name)));
    let found = "problem-folder-without-images";
    let what = match (kinds.is_empty(), tree.skipped.first()) {
        (false, _) => message!(found, found = text_list_value(&kinds, 4)),
        (true, Some(skipped)) => message!(found, found = skipped.reason.clone()),
        (true, None) => message!("problem-folder-empty"),
    };
    Problem::new(what).at_path(&root.path).advise(advice)
}
