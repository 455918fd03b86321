//! Looking up the paths that lists write.

use std::cell::OnceCell;
use std::collections::HashMap;
use std::ffi::OsStr;
use std::path::Path;

use super::{Place, unquoted};
use crate::data::picture::READABLE;
use crate::data::tree::Tree;

/// Most folders in a written path.
const MOST_PARTS: usize = 64;

/// Looks up what lists name below one folder.
pub(super) struct Finder<'a> {
    tree: &'a Tree,
    pub dir: usize,
    /// Names of the pictures in the folders below, with and without their endings → the folder, none
    /// where there are several. Made when the first bare name is looked up.
    bare: OnceCell<HashMap<&'a OsStr, Option<usize>>>,
}

impl<'a> Finder<'a> {
    pub fn new(tree: &'a Tree, dir: usize) -> Self {
        Self {
            tree,
            dir,
            bare: OnceCell::new(),
        }
    }

    /// Looks a written path up: as it is, without its first parts, in any subfolder, with an ending
    /// added.
    pub fn find(&self, written: &str) -> Option<Place> {
        let written = unquoted(written).replace('\\', "/");
        let parts: Vec<&str> = written
            .split('/')
            .filter(|part| !part.is_empty() && *part != ".")
            .take(MOST_PARTS + 1)
            .collect();
        if parts.is_empty() || parts.len() > MOST_PARTS || parts.contains(&"..") {
            return None;
        }
        (0..parts.len())
            .find_map(|start| follow(self.tree, self.dir, &parts[start..]))
            .or_else(|| {
                // A bare name may lie in the one folder of pictures below.
                let [name] = parts.as_slice() else {
                    return None;
                };
                let folder = *self.bare().get(OsStr::new(*name))?;
                in_folder(self.tree, folder?, name)
            })
    }

    fn bare(&self) -> &HashMap<&'a OsStr, Option<usize>> {
        self.bare.get_or_init(|| {
            let mut names = HashMap::new();
            for child in self.tree.filled(self.dir) {
                for picture in &self.tree.dirs[child].pictures {
                    let stem = Path::new(picture.as_ref()).file_stem();
                    for name in std::iter::once(picture.as_ref()).chain(stem) {
                        let folder = names.entry(name).or_insert(Some(child));
                        *folder = folder.filter(|folder| *folder == child);
                    }
                }
            }
            names
        })
    }
}

fn follow(tree: &Tree, mut dir: usize, parts: &[&str]) -> Option<Place> {
    let (name, folders) = parts.split_last()?;
    for folder in folders {
        dir = tree.dirs[dir]
            .children
            .binary_search_by(|&child| tree.dirs[child].name.as_str().cmp(folder))
            .ok()
            .map(|place| tree.dirs[dir].children[place])?;
    }
    in_folder(tree, dir, name)
}

fn in_folder(tree: &Tree, dir: usize, name: &str) -> Option<Place> {
    let pictures = &tree.dirs[dir].pictures;
    let exact = |name: &str| {
        pictures
            .binary_search_by(|picture| picture.as_ref().cmp(OsStr::new(name)))
            .ok()
            .map(|place| (dir, place))
    };
    exact(name).or_else(|| {
        READABLE
            .iter()
            .flat_map(|ending| {
                [
                    format!("{name}.{ending}"),
                    format!("{name}.{}", ending.to_uppercase()),
                ]
            })
            .find_map(|name| exact(&name))
    })
}
