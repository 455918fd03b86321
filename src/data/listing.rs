//! Lists the images below a folder, and all files of a dataset.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use super::image_file::unsupported_format;
use super::tree::{Tree, file_extension};
use super::{OpenOptions, ProgressReporter, archive, folder, lists};
use crate::message;
use crate::problem::Result;
use crate::texts::Words;

/// An image below a folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FolderImage {
    /// The path relative to the folder.
    pub path: PathBuf,
    /// Why it is not read, if its name or type already shows that.
    pub reason: Option<Words>,
}

/// Returns the images below a folder, by folder and name, including links that could not be followed and files in
/// unsupported image formats.
///
/// # Errors
/// Returns a Problem if the folder cannot be read, or if `progress` stopped the walk.
pub fn list_images(folder: &Path, progress: &ProgressReporter) -> Result<Vec<FolderImage>> {
    let tree = Tree::walk(folder, progress)?;
    let to_relative =
        |path: PathBuf| path.strip_prefix(folder).map_or(path.clone(), Path::to_path_buf);
    let mut found = Vec::new();
    for dir in tree.folders_below(0) {
        let dir = &tree.dirs[dir];
        let images = dir.images.iter().map(|name| (dir.path.join(name.as_ref()), None));
        let others = dir.others.iter().filter_map(|name| {
            let format = unsupported_format(&file_extension(name))?;
            Some((
                dir.path.join(name),
                Some(message!("skip-format-unsupported", form = format).into()),
            ))
        });
        found.extend(
            images
                .chain(others)
                .map(|(path, reason)| FolderImage { path: to_relative(path), reason }),
        );
    }
    found.extend(tree.skipped.into_iter().map(|skipped| FolderImage {
        path: to_relative(skipped.path),
        reason: Some(skipped.reason),
    }));
    Ok(found)
}

/// The files of a dataset.
#[derive(Debug, PartialEq, Eq)]
pub struct DataFiles {
    /// The folder that contains them.
    pub folder: PathBuf,
    /// All files, sorted. Hidden files are left out and links are followed, as when the dataset is opened.
    pub files: Vec<PathBuf>,
    /// The path to open: the folder itself, a list, an archive, or another file.
    pub opened: PathBuf,
}

/// Finds the files from which a dataset is read: those of a folder, those of the folder whose images a list names, or a
/// single archive or other file. For a split or a class these are the files of the parent folder, if that is what is
/// read.
///
/// # Errors
/// Returns a Problem if a list or a folder cannot be read, or if `progress` stopped the walk.
pub fn list_files(
    path: &Path,
    column: Option<&str>,
    progress: &ProgressReporter,
) -> Result<DataFiles> {
    let options = OpenOptions::default();
    let (folder, opened) = if path.is_dir() {
        // A folder that is not a dataset is used unchanged.
        let result = folder::open(path, None, &options, progress);
        let folder = result.map_or_else(|_| path.to_path_buf(), |found| found.root);
        (folder.clone(), folder)
    } else if lists::may_be_list(path) {
        let path = dunce::canonicalize(path).unwrap_or_else(|_| path.to_path_buf());
        let found = archive::open_list(&path, column, &options, progress)?;
        (found.root, path)
    } else {
        return Ok(DataFiles {
            folder: path.parent().unwrap_or(Path::new("")).to_path_buf(),
            files: vec![path.to_path_buf()],
            opened: path.to_path_buf(),
        });
    };
    let tree = Tree::walk(&folder, progress)?;
    let mut files = Vec::new();
    for dir in &tree.dirs {
        let images = dir.images.iter().map(AsRef::as_ref);
        let names = images.chain(dir.others.iter().map(OsString::as_os_str));
        files.extend(names.map(|name| dir.path.join(name)));
    }
    files.sort_unstable();
    Ok(DataFiles { folder, files, opened })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_images_by_path_with_reason_for_unsupported() {
        let root = tempfile::tempdir().unwrap();
        std::fs::create_dir(root.path().join("b")).unwrap();
        for name in ["b/1.png", "2.jpg", "3.heic", "notes.txt", ".hidden.png"] {
            std::fs::write(root.path().join(name), b"x").unwrap();
        }
        let found = list_images(root.path(), &ProgressReporter::silent()).unwrap();
        let listed: Vec<_> = found
            .iter()
            .map(|image| (image.path.to_str().unwrap(), image.reason.is_some()))
            .collect();
        assert_eq!(listed, [("2.jpg", false), ("3.heic", true), ("b/1.png", false)]);
        assert!(list_images(&root.path().join("none"), &ProgressReporter::silent()).is_err());
    }

    #[cfg(unix)]
    #[test]
    fn list_files_finds_files_read_by_open() {
        use std::os::unix::fs::symlink;
        let (root, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let at = |name: &str| root.path().join(name);
        std::fs::create_dir(at("a")).unwrap();
        for name in ["a/1.png", ".hidden.png", "a/.DS_Store"] {
            std::fs::write(at(name), b"x").unwrap();
        }
        std::fs::write(at("labels.csv"), "file,label\na/1.png,x\n2.png,y\n").unwrap();
        std::fs::write(other.path().join("2.png"), b"x").unwrap();
        symlink(other.path().join("2.png"), at("a/2.png")).unwrap();
        symlink(other.path(), at("b")).unwrap();
        symlink("/nowhere/at/all", at("a/3.png")).unwrap();
        let all = ["a/1.png", "a/2.png", "b/2.png", "labels.csv"].map(at);
        for opened in [root.path().to_path_buf(), at("labels.csv")] {
            let found = list_files(&opened, None, &ProgressReporter::silent()).unwrap();
            let expected = DataFiles { folder: root.path().into(), files: all.to_vec(), opened };
            assert_eq!(found, expected);
        }
        let found = list_files(&at("a/1.png"), None, &ProgressReporter::silent()).unwrap();
        assert_eq!((found.folder, found.files), (at("a"), vec![at("a/1.png")]));
    }

    #[test]
    fn list_files_resolves_parts_to_dataset_root() {
        let root = tempfile::tempdir().unwrap();
        let home = dunce::canonicalize(root.path()).unwrap();
        let set = home.join("docs/set");
        let write = |name: &str, text: &str| {
            let path = set.join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        };
        for name in ["train/a/1.png", "train/b/2.png", "test/a/3.png", "test/b/4.png"] {
            write(name, "x");
        }
        let rows = r#"[{"file": "train/a/1.png", "label": "a", "of": "p"},
            {"file": "train/b/2.png", "label": "b", "of": "q"}]"#;
        write("labels/photos.json", rows);
        // Files outside the dataset are not part of it, even in a folder that could contain lists.
        std::fs::write(home.join("private.png"), "x").unwrap();
        std::fs::write(home.join("docs/private.png"), "x").unwrap();
        let found = |path: &str| {
            let found = list_files(&set.join(path), None, &ProgressReporter::silent()).unwrap();
            assert_eq!(found.files.len(), 5, "{path}");
            (found.folder, found.opened)
        };
        let list = set.join("labels/photos.json");
        assert_eq!(found("labels/photos.json"), (set.clone(), list.clone()));
        assert_eq!(found("train"), (set.clone(), set.clone()));
        assert!(list_files(&list, Some("none"), &ProgressReporter::silent()).is_err());
        let by_column = list_files(&list, Some("of"), &ProgressReporter::silent()).unwrap();
        assert_eq!(by_column.folder, set);
    }
}
