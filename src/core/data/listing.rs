//! The pictures below a folder, whatever their folders are called.

use std::path::{Path, PathBuf};

use super::Watch;
use super::picture::foreign_format;
use super::tree::{Tree, ending_of};
use crate::message;
use crate::problem::Result;
use crate::texts::Words;

/// A picture below a folder, by its path from there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Below {
    /// The path from the folder.
    pub path: PathBuf,
    /// Why it is not read, where that is known from its name or kind.
    pub reason: Option<Words>,
}

/// The pictures below a folder, by folder and name; with them what could not be followed, and files
/// in formats of pictures that are not read.
///
/// # Errors
/// The folder cannot be read, or `watch` stopped the walk.
pub fn pictures_below(folder: &Path, watch: &Watch) -> Result<Vec<Below>> {
    let tree = Tree::walk(folder, watch)?;
    let inner = |path: PathBuf| {
        path.strip_prefix(folder)
            .map_or(path.clone(), Path::to_path_buf)
    };
    let mut found = Vec::new();
    for dir in tree.below(0) {
        let dir = &tree.dirs[dir];
        let pictures = dir
            .pictures
            .iter()
            .map(|name| (dir.path.join(name.as_ref()), None));
        let others = dir.others.iter().filter_map(|name| {
            let format = foreign_format(&ending_of(name))?;
            Some((
                dir.path.join(name),
                Some(message!("skip-foreign", form = format).into()),
            ))
        });
        found.extend(pictures.chain(others).map(|(path, reason)| Below {
            path: inner(path),
            reason,
        }));
    }
    found.extend(tree.skipped.into_iter().map(|skipped| Below {
        path: inner(skipped.path),
        reason: Some(skipped.reason),
    }));
    Ok(found)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn pictures_are_listed_by_their_path_and_foreign_ones_with_a_reason() {
        let root = tempfile::tempdir().unwrap();
        std::fs::create_dir(root.path().join("b")).unwrap();
        for name in ["b/1.png", "2.jpg", "3.heic", "notes.txt", ".hidden.png"] {
            std::fs::write(root.path().join(name), b"x").unwrap();
        }
        let found = pictures_below(root.path(), &Watch::none()).unwrap();
        let told: Vec<_> = found
            .iter()
            .map(|below| (below.path.to_str().unwrap(), below.reason.is_some()))
            .collect();
        assert_eq!(
            told,
            [("2.jpg", false), ("3.heic", true), ("b/1.png", false)]
        );
        assert!(pictures_below(&root.path().join("none"), &Watch::none()).is_err());
    }
}
