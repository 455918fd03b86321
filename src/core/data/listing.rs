//! The pictures below a folder, whatever their folders are called, and all files of a data set.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use super::picture::foreign_format;
use super::tree::{Tree, ending_of};
use super::{Watch, lists};
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

/// The files that a data set at a path is read from, and the folder that they are in: those of a folder, or of the folder
/// around a list; an archive, or any other file, alone. Hidden files are left out and links followed, as when it is opened.
///
/// # Errors
/// The folder cannot be read, or `watch` stopped the walk.
pub fn files_of(path: &Path, watch: &Watch) -> Result<(PathBuf, Vec<PathBuf>)> {
    let around = path.parent().unwrap_or(Path::new("")).to_path_buf();
    let folder = match (path.is_dir(), lists::is_named_as_list(path)) {
        (true, _) => path.to_path_buf(),
        // The outermost folder whose images the list may name.
        (false, true) => lists::folders_of(path).pop().unwrap_or(around),
        (false, false) => return Ok((around, vec![path.to_path_buf()])),
    };
    let tree = Tree::walk(&folder, watch)?;
    let mut files = Vec::new();
    for dir in &tree.dirs {
        let pictures = dir.pictures.iter().map(AsRef::as_ref);
        let names = pictures.chain(dir.others.iter().map(OsString::as_os_str));
        files.extend(names.map(|name| dir.path.join(name)));
    }
    files.sort_unstable();
    Ok((folder, files))
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

    #[cfg(unix)]
    #[test]
    fn a_data_set_has_the_files_that_are_read_when_it_is_opened() {
        use std::os::unix::fs::symlink;
        let (root, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let at = |name: &str| root.path().join(name);
        std::fs::create_dir(at("a")).unwrap();
        for name in ["a/1.png", "labels.csv", ".hidden.png", "a/.DS_Store"] {
            std::fs::write(at(name), b"x").unwrap();
        }
        std::fs::write(other.path().join("2.png"), b"x").unwrap();
        symlink(other.path().join("2.png"), at("a/2.png")).unwrap();
        symlink(other.path(), at("b")).unwrap();
        symlink("/nowhere/at/all", at("a/3.png")).unwrap();
        let all = ["a/1.png", "a/2.png", "b/2.png", "labels.csv"].map(at);
        for path in [root.path().to_path_buf(), at("labels.csv")] {
            let (folder, files) = files_of(&path, &Watch::none()).unwrap();
            assert_eq!((folder, files), (root.path().into(), all.to_vec()));
        }
        let (folder, files) = files_of(&at("a/1.png"), &Watch::none()).unwrap();
        assert_eq!((folder, files), (at("a"), vec![at("a/1.png")]));
    }
}
