//! Walks a folder and lists the image files of each subfolder.
//!
//! Only names are read; files are not opened, except those without an extension, whose first bytes are checked. So a
//! million names take seconds. Hidden files are left out. Links to folders are followed once, after all real folders,
//! so that loops end and real folders have priority. Links to a folder around the dataset are not followed.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashSet};
use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::encoding::decode_name;
use super::image_file::{IMAGE_EXTENSIONS, unsupported_format};
use super::{ProgressReporter, Skipped};
use crate::files;
use crate::message;
use crate::problem::{Problem, Result};
use crate::texts::Words;

/// Maximum depth of folders.
pub const MAX_DEPTH: usize = 24;

/// Names of files and folders that operating systems and network drives create.
const SYSTEM_NAMES: [&str; 6] =
    ["thumbs.db", "desktop.ini", "__macosx", "$recycle.bin", "system volume information", "@eadir"];

/// One folder of a [`Tree`].
pub struct Dir {
    /// The path of the folder.
    pub path: PathBuf,
    /// The name of the folder, with composed Unicode characters.
    pub name: String,
    /// Indices of its subfolders in [`Tree::dirs`], sorted by [`name_on_disk`].
    pub children: Vec<usize>,
    /// Names of the image files directly in it, sorted.
    pub images: Vec<Arc<OsStr>>,
    /// Names of the other files directly in it, sorted.
    pub others: Vec<OsString>,
    /// Number of image files in it and below.
    pub total: usize,
}

/// A folder with everything below it. The root has index 0.
pub struct Tree {
    /// All folders; each comes before its subfolders, and links come last.
    pub dirs: Vec<Dir>,
    /// Folders and files that could not be followed or read.
    pub skipped: Vec<Skipped>,
}

/// A folder that has not been read yet.
struct PendingFolder {
    path: PathBuf,
    parent: Option<usize>,
    depth: usize,
}

impl Tree {
    /// Reads all names below `root`.
    ///
    /// # Errors
    /// Returns a Problem if the root cannot be read, or if `progress` stopped the walk.
    pub fn walk(root: &Path, progress: &ProgressReporter) -> Result<Self> {
        fs::read_dir(root).map_err(|error| Problem::io("read the folder", root, &error))?;
        let mut tree = Self { dirs: Vec::new(), skipped: Vec::new() };
        let real_root = dunce::canonicalize(root).unwrap_or_else(|_| root.to_path_buf());
        let mut seen = HashSet::new();
        let mut links = Vec::new();
        let mut jobs = vec![PendingFolder { path: root.to_path_buf(), parent: None, depth: 0 }];
        let mut files = 0;
        loop {
            // Real folders are read depth first; links are read when no real folder is left.
            let Some(job) = jobs.pop() else {
                let Some(link) = links.pop() else { break };
                jobs.push(link);
                continue;
            };
            if let Ok(real) = dunce::canonicalize(&job.path) {
                // Such a link would add unrelated parts of the disk to the dataset.
                if real_root != real && real_root.starts_with(&real) {
                    tree.add_skipped(&job.path, message!("skip-link-to-parent"));
                    continue;
                }
                if !seen.insert(real) {
                    tree.add_skipped(&job.path, message!("skip-link-already-read"));
                    continue;
                }
            }
            let index = tree.read_folder(job, &mut jobs, &mut links);
            files += index.map_or(0, |index| tree.dirs[index].images.len());
            progress.report(message!("doing-reading-names"), files, None)?;
        }
        tree.count_images();
        Ok(tree)
    }

    fn add_skipped(&mut self, path: &Path, reason: impl Into<Words>) {
        self.skipped.push(Skipped::new(path, reason));
    }

    /// Reads one folder. Its subfolders become jobs sorted by name, independent of the order on the disk, because
    /// listed images are in the order of [`Tree::dirs`].
    fn read_folder(
        &mut self,
        job: PendingFolder,
        jobs: &mut Vec<PendingFolder>,
        links: &mut Vec<PendingFolder>,
    ) -> Option<usize> {
        let entries = match fs::read_dir(&job.path) {
            Ok(entries) => entries,
            Err(error) => {
                let error = error.to_string();
                self.add_skipped(&job.path, message!("skip-folder-unreadable", error));
                return None;
            }
        };
        let index = self.dirs.len();
        let lengths_before = [jobs.len(), links.len()];
        let mut dir = Dir {
            name: decode_name(job.path.file_name().unwrap_or_default()),
            path: job.path,
            children: Vec::new(),
            images: Vec::new(),
            others: Vec::new(),
            total: 0,
        };
        for entry in entries {
            let entry = match entry {
                Ok(entry) => entry,
                Err(error) => {
                    let error = error.to_string();
                    self.add_skipped(&dir.path, message!("skip-folder-list-incomplete", error));
                    break;
                }
            };
            let name = entry.file_name();
            if is_hidden(&name) {
                continue;
            }
            let Ok(mut kind) = entry.file_type() else {
                self.add_skipped(&entry.path(), message!("skip-file-type-unknown"));
                continue;
            };
            let is_link = kind.is_symlink();
            if is_link {
                match fs::metadata(entry.path()) {
                    Ok(metadata) => kind = metadata.file_type(),
                    Err(_) => {
                        self.add_skipped(&entry.path(), message!("skip-link-broken"));
                        continue;
                    }
                }
            }
            if kind.is_dir() {
                if job.depth >= MAX_DEPTH {
                    self.add_skipped(&entry.path(), message!("skip-too-deep"));
                    continue;
                }
                let next =
                    PendingFolder { path: entry.path(), parent: Some(index), depth: job.depth + 1 };
                if is_link { &mut *links } else { &mut *jobs }.push(next);
            } else if !kind.is_file() {
                self.add_skipped(&entry.path(), message!("skip-no-regular-file"));
            } else if is_image(&dir.path, &name) {
                dir.images.push(Arc::from(name.as_os_str()));
            } else {
                dir.others.push(name);
            }
        }
        for (new, before) in [jobs, links].into_iter().zip(lengths_before) {
            // The last job is processed first, so the order is descending.
            new[before..].sort_by(|a, b| name_on_disk(&b.path).cmp(&name_on_disk(&a.path)));
        }
        dir.images.sort_unstable();
        dir.others.sort_unstable();
        if let Some(parent) = job.parent {
            self.dirs[parent].children.push(index);
        }
        self.dirs.push(dir);
        Some(index)
    }

    /// Sorts children and counts the images of each folder, including its subfolders.
    fn count_images(&mut self) {
        // A child always has a larger index than its parent.
        for index in (0..self.dirs.len()).rev() {
            let mut children = std::mem::take(&mut self.dirs[index].children);
            let on_disk = |child: usize| name_on_disk(&self.dirs[child].path);
            children.sort_by(|&a, &b| on_disk(a).cmp(&on_disk(b)));
            let images_below: usize = children.iter().map(|&child| self.dirs[child].total).sum();
            let dir = &mut self.dirs[index];
            dir.children = children;
            dir.total = images_below + dir.images.len();
        }
    }

    /// Returns the subfolders of a folder that contain images, directly or below.
    pub fn subfolders_with_images(&self, dir: usize) -> Vec<usize> {
        self.dirs[dir]
            .children
            .iter()
            .copied()
            .filter(|&child| self.dirs[child].total > 0)
            .collect()
    }

    /// Returns `dir` and all folders below it, each before its subfolders, which are sorted by name.
    pub fn folders_below(&self, dir: usize) -> Vec<usize> {
        let mut order = Vec::new();
        let mut stack = vec![dir];
        while let Some(dir) = stack.pop() {
            order.push(dir);
            stack.extend(self.dirs[dir].children.iter().rev());
        }
        order
    }
}

/// Returns the name of a folder as it is stored on the disk. Image files are sorted in the same way: runs of versions
/// that did not compose names rely on this order.
pub fn name_on_disk(folder: &Path) -> Cow<'_, str> {
    folder.file_name().unwrap_or_default().to_string_lossy()
}

/// Returns whether a file or folder is ignored: hidden ones, and those that operating systems and network drives create,
/// such as the recycle bin of a drive and a folder of thumbnails.
pub fn is_hidden(name: &OsStr) -> bool {
    let name = name.to_string_lossy();
    name.starts_with('.') || SYSTEM_NAMES.iter().any(|ignored| name.eq_ignore_ascii_case(ignored))
}

/// Returns the extension of a file name in lower case; empty if there is none.
pub fn file_extension(name: &OsStr) -> String {
    Path::new(name)
        .extension()
        .map(|extension| extension.to_string_lossy().to_ascii_lowercase())
        .unwrap_or_default()
}

/// Returns whether a path has the extension of an image.
pub fn has_image_extension(path: impl AsRef<Path>) -> bool {
    // Allocates nothing, because it runs for every file.
    let extension = path.as_ref().extension().unwrap_or_default();
    IMAGE_EXTENSIONS.iter().any(|known| extension.eq_ignore_ascii_case(known))
}

fn is_image(folder: &Path, name: &OsStr) -> bool {
    has_image_extension(name)
        || file_extension(name).is_empty() && has_image_signature(&folder.join(name))
}

fn has_image_signature(path: &Path) -> bool {
    files::read_start(path, 16)
        .is_ok_and(|start| start.len() >= 12 && image::guess_format(&start).is_ok())
}

/// Returns why a file that is not a supported image is left out.
pub fn skip_reason(name: &OsStr) -> Words {
    let ending = file_extension(name);
    match unsupported_format(&ending) {
        Some(format) => message!("skip-format-unsupported", form = format),
        None if ending.is_empty() => message!("skip-no-image"),
        None => message!("skip-no-image-extension", ending),
    }
    .into()
}

/// Returns each distinct reason with its number of occurrences.
pub fn count_reasons(reasons: impl IntoIterator<Item = Words>) -> Vec<Words> {
    let mut counts: BTreeMap<String, (Words, usize)> = BTreeMap::new();
    for reason in reasons {
        let entry = counts.entry(reason.english.clone());
        entry.or_insert((reason, 0)).1 += 1;
    }
    let counts = counts.into_values();
    let to_text = |(what, n)| message!("remark-times", n, what).into();
    counts.map(to_text).collect()
}

#[cfg(test)]
mod tests {

    use super::*;
    use lae_base::tr;

    fn touch(path: PathBuf) {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, b"x").unwrap();
    }

    #[test]
    fn walk_sorts_names_and_skips_hidden_files() {
        let root = tempfile::tempdir().unwrap();
        for name in [
            "b/2.PNG",
            "b/1.jpg",
            "a/deep/x.webp",
            "a/.hidden.png",
            ".git/x.png",
            "a/notes.txt",
            "a/Thumbs.db",
            "$RECYCLE.BIN/deleted.png",
            "a/@eaDir/thumbnail.jpg",
        ] {
            touch(root.path().join(name));
        }
        let tree = Tree::walk(root.path(), &ProgressReporter::silent()).unwrap();
        assert_eq!(tree.dirs[0].total, 3);
        let names: Vec<&str> =
            tree.subfolders_with_images(0).iter().map(|&d| tree.dirs[d].name.as_str()).collect();
        assert_eq!(names, ["a", "b"]);
        let index_of = |name| tree.dirs.iter().position(|dir| dir.name == name).unwrap();
        let b = index_of("b");
        assert_eq!(tree.dirs[b].images[0].as_ref(), "1.jpg");
        let a = index_of("a");
        assert_eq!(tree.dirs[a].others, ["notes.txt"]);
        assert_eq!(tree.folders_below(0).len(), 4);
    }

    #[cfg(unix)]
    #[test]
    fn walk_follows_links_once_and_breaks_loops() {
        use std::os::unix::fs::symlink;
        let root = tempfile::tempdir().unwrap();
        let other = tempfile::tempdir().unwrap();
        touch(root.path().join("z/1.png"));
        touch(other.path().join("2.png"));
        symlink(root.path(), root.path().join("z/loop")).unwrap();
        symlink(root.path().join("z"), root.path().join("a_link")).unwrap();
        symlink(other.path(), root.path().join("outside")).unwrap();
        symlink("/nowhere/at/all", root.path().join("dead")).unwrap();
        symlink(root.path().join("z/1.png"), root.path().join("z/also.png")).unwrap();
        let tree = Tree::walk(root.path(), &ProgressReporter::silent()).unwrap();
        assert_eq!(tree.dirs[0].total, 3, "z/1.png, z/also.png, outside/2.png");
        assert_eq!(tree.skipped.len(), 3);
        assert!(tree.skipped.iter().any(|s| s.reason == tr!("skip-link-broken")));
    }

    #[test]
    fn skip_reason_names_unsupported_format() {
        assert_eq!(
            skip_reason(OsStr::new("a.HEIC")),
            &*tr!("skip-format-unsupported", form = "HEIC")
        );
        assert_eq!(
            skip_reason(OsStr::new("a.txt")),
            &*tr!("skip-no-image-extension", ending = "txt")
        );
        assert_eq!(skip_reason(OsStr::new("README")), tr!("skip-no-image"));
    }
}
