//! Finds the files named by paths in lists: first by the exact path, then ignoring upper and lower case and the Unicode
//! form of accents.

use std::cell::OnceCell;
use std::collections::HashMap;
use std::collections::hash_map::{Entry, RandomState};
use std::ffi::OsStr;
use std::hash::BuildHasher;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::ImageIndex;
use crate::files;
use crate::names::folded;
use crate::picture::READABLE;
use crate::roles::{is_of_images, is_of_masks};
use crate::tree::{Tree, name_on_disk};

/// Maximum number of components of a path in a list.
const MOST_PARTS: usize = 64;
/// Maximum number of folders with a name for all images (such as "images") in which paths are looked up.
const MOST_OF_IMAGES: usize = 16;
/// Number of leading bytes that are compared to decide whether two files of the same length are copies.
const COMPARED: u64 = 64 << 10;

/// The result of looking up a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Lookup {
    /// This image.
    Found(ImageIndex),
    /// One of several images in different folders; it is unclear which one.
    Ambiguous,
    Missing,
}

/// Looks up the paths of lists below one folder.
pub(super) struct Finder<'a> {
    tree: &'a Tree,
    pub dir: usize,
    /// The parent of each folder below `dir`.
    parents: HashMap<usize, usize>,
    hasher: RandomState,
    folded: OnceCell<Folded>,
    /// Folders with a name for all images (such as "images"), which paths in lists often omit.
    of_images: Vec<usize>,
    /// Hashes of the images' normalised names, with and without extension, with the folders that contain such an image.
    bare: OnceCell<HashMap<u64, Holders>>,
}

/// The images and subfolders of all folders, by folder and hash of the normalised name.
#[derive(Default)]
struct Folded {
    /// Indices of images, by their names with and without extension.
    images: HashMap<(u32, u64), u32>,
    folders: HashMap<(u32, u64), u32>,
}

/// The folders that contain an image with a certain name. Only those of the best rank are kept: folders of masks rank
/// last, then folders near the top rank first.
#[derive(Clone, Copy)]
struct Holders {
    rank: (bool, usize),
    first: usize,
    /// Another folder of this rank, and whether there are more.
    other: Option<(usize, bool)>,
}

impl<'a> Finder<'a> {
    pub fn new(tree: &'a Tree, dir: usize) -> Self {
        let below = tree.below(dir).into_iter();
        let parents = below.flat_map(|parent| {
            let children = tree.dirs[parent].children.iter();
            children.map(move |&child| (child, parent))
        });
        Self {
            tree,
            dir,
            parents: parents.collect(),
            of_images: of_images(tree, dir),
            hasher: RandomState::new(),
            folded: OnceCell::new(),
            bare: OnceCell::new(),
        }
    }

    /// Returns a folder and its ancestors, up to the folder of this finder.
    pub fn upwards(&self, dir: usize) -> impl Iterator<Item = usize> + '_ {
        std::iter::successors(Some(dir), |dir| self.parents.get(dir).copied())
    }

    /// Looks up a path in a list of the folder `holder`: relative to that folder or its ancestors, also without the
    /// first components of the path or without its extension. A bare file name is looked up in all folders.
    pub fn find(&self, holder: usize, written: &str) -> Lookup {
        let written = unquoted(written).replace('\\', "/");
        let parts: Vec<&str> = written
            .split('/')
            .filter(|part| !part.is_empty() && *part != ".")
            .take(MOST_PARTS + 1)
            .collect();
        if parts.is_empty() || parts.len() > MOST_PARTS || parts.contains(&"..") {
            return Lookup::Missing;
        }
        let anchored = |alike: bool| {
            let whole = || {
                let mut dirs = self.of_images.iter();
                dirs.find_map(|&dir| self.follow(dir, &parts, alike))
            };
            let mut starts = 0..parts.len();
            let near = starts.find_map(|start| {
                let mut dirs = self.upwards(holder);
                dirs.find_map(|dir| self.follow(dir, &parts[start..], alike))
            });
            // A bare name is looked up in all folders at once, by `anywhere`.
            near.or_else(|| if parts.len() > 1 { whole() } else { None })
        };
        match (anchored(false).or_else(|| anchored(true)), parts.as_slice()) {
            (Some(place), _) => Lookup::Found(place),
            (None, [name]) => self.anywhere(name),
            (None, _) => Lookup::Missing,
        }
    }

    /// Follows a path from the folder `dir` to an image; with `alike`, case and accents are normalised.
    fn follow(&self, mut dir: usize, parts: &[&str], alike: bool) -> Option<ImageIndex> {
        let (name, folders) = parts.split_last()?;
        for folder in folders {
            dir = self.in_children(dir, folder, alike)?;
        }
        self.in_folder(dir, name, alike)
    }

    fn in_children(&self, dir: usize, name: &str, alike: bool) -> Option<usize> {
        let children = &self.tree.dirs[dir].children;
        let on_disk = |child: usize| name_on_disk(&self.tree.dirs[child].path);
        let at = children.binary_search_by(|&child| on_disk(child).as_ref().cmp(name));
        match at {
            Ok(at) => Some(children[at]),
            Err(_) if alike => {
                let name = folded(name);
                let key = (dir as u32, self.hash(&name));
                let child = *self.folded().folders.get(&key)? as usize;
                (folded(&self.tree.dirs[child].name) == name).then_some(child)
            }
            Err(_) => None,
        }
    }

    /// Returns the image with this name in a folder; the name may lack the extension.
    fn in_folder(&self, dir: usize, name: &str, alike: bool) -> Option<ImageIndex> {
        let pictures = &self.tree.dirs[dir].pictures;
        let exact = pictures.binary_search_by(|picture| picture.as_ref().cmp(OsStr::new(name)));
        let place = exact.ok().or_else(|| without_ending(pictures, name));
        let like = || {
            let name = folded(name);
            let key = (dir as u32, self.hash(&name));
            let place = *self.folded().images.get(&key)? as usize;
            is_named(pictures.get(place)?, &name).then_some(place)
        };
        let place = place.or_else(|| if alike { like() } else { None })?;
        Some((dir, place))
    }

    /// Looks up an image by its name in all folders.
    fn anywhere(&self, name: &str) -> Lookup {
        let Some(holders) = self.bare().get(&self.hash(&folded(name))) else {
            return Lookup::Missing;
        };
        let at = |dir| self.in_folder(dir, name, true);
        match (at(holders.first), holders.other) {
            (Some(place), None) => Lookup::Found(place),
            (Some(place), Some((other, false))) => match at(other) {
                Some(other) => self.one_of(place, other),
                None => Lookup::Ambiguous,
            },
            (Some(_), Some(_)) => Lookup::Ambiguous,
            (None, _) => Lookup::Missing,
        }
    }

    /// Returns the first of two images if their files are copies, else [`Lookup::Ambiguous`].
    fn one_of(&self, one: ImageIndex, other: ImageIndex) -> Lookup {
        let mut both = [one, other].map(|place| (path_of(self.tree, place), place));
        both.sort();
        let [length, other_length] = both.each_ref().map(|(path, _)| files::length(path).ok());
        let start = |path: &Path| files::read_start(path, COMPARED).ok();
        let [(path, place), (other, _)] = both;
        let same = length == other_length
            && start(&path).is_some_and(|bytes| Some(bytes) == start(&other));
        match same {
            true => Lookup::Found(place),
            false => Lookup::Ambiguous,
        }
    }

    fn hash(&self, name: &str) -> u64 {
        self.hasher.hash_one(name)
    }

    fn folded(&self) -> &Folded {
        self.folded.get_or_init(|| {
            let mut all = Folded::default();
            for dir in self.tree.below(self.dir) {
                let key = |name: &str| (dir as u32, self.hash(name));
                let pictures = self.tree.dirs[dir].pictures.iter();
                let pictures: Vec<String> = pictures.map(|name| folded_name(name)).collect();
                // Complete names come first, so that an image with this name has priority over one with this name and
                // an extension.
                let whole = pictures.iter().map(String::as_str);
                let stems = pictures.iter().map(|name| stem_of(name));
                for (place, name) in whole.enumerate().chain(stems.enumerate()) {
                    all.images.entry(key(name)).or_insert(place as u32);
                }
                for &child in &self.tree.dirs[dir].children {
                    let name = folded(&self.tree.dirs[child].name);
                    all.folders.entry(key(&name)).or_insert(child as u32);
                }
            }
            all
        })
    }

    fn bare(&self) -> &HashMap<u64, Holders> {
        self.bare.get_or_init(|| {
            let mut names = HashMap::new();
            for dir in self.tree.below(self.dir) {
                let above: Vec<usize> = self.upwards(dir).collect();
                let masks = above[..above.len() - 1]
                    .iter()
                    .any(|&dir| is_of_masks(&self.tree.dirs[dir].name));
                let rank = (masks, above.len());
                for picture in &self.tree.dirs[dir].pictures {
                    let name = folded_name(picture);
                    for name in [name.as_str(), stem_of(&name)] {
                        Holders::note(names.entry(self.hash(name)), rank, dir);
                    }
                }
            }
            names
        })
    }
}

impl Holders {
    fn note(entry: Entry<'_, u64, Self>, rank: (bool, usize), dir: usize) {
        let alone = Self {
            rank,
            first: dir,
            other: None,
        };
        let known = entry.or_insert(alone);
        if rank < known.rank {
            *known = alone;
        } else if rank == known.rank && known.first != dir {
            known.other = match known.other {
                None => Some((dir, false)),
                Some((other, more)) => Some((other, more || other != dir)),
            };
        }
    }
}

/// Returns the folders below a folder with a name for all images (such as "images"), except folders of masks.
fn of_images(tree: &Tree, dir: usize) -> Vec<usize> {
    let mut found = Vec::new();
    let mut waiting = vec![dir];
    while let Some(dir) = waiting.pop() {
        let name = &tree.dirs[dir].name;
        if is_of_masks(name) || found.len() == MOST_OF_IMAGES {
            continue;
        }
        if is_of_images(name) {
            found.push(dir);
        }
        waiting.extend(tree.filled(dir).into_iter().rev());
    }
    found
}

/// Returns the path of an image.
pub(super) fn path_of(tree: &Tree, (dir, place): ImageIndex) -> PathBuf {
    tree.dirs[dir]
        .path
        .join(tree.dirs[dir].pictures[place].as_ref())
}

fn folded_name(name: &OsStr) -> String {
    folded(&name.to_string_lossy())
}

/// Returns the index of the image with this name without extension.
fn without_ending(pictures: &[Arc<OsStr>], stem: &str) -> Option<usize> {
    let begin = format!("{stem}.");
    let begin = begin.as_bytes();
    let first = pictures.partition_point(|picture| picture.as_encoded_bytes() < begin);
    let begun = pictures[first..].iter().enumerate();
    let begun = begun.map_while(|(at, picture)| {
        let ending = picture.as_encoded_bytes().strip_prefix(begin)?;
        Some((first + at, ending))
    });
    let known = begun.filter_map(|(at, ending)| {
        let is = |known: &str| ending.eq_ignore_ascii_case(known.as_bytes());
        Some((READABLE.iter().position(|known| is(known))?, at))
    });
    known.min().map(|(_, at)| at)
}

/// Returns a name without its extension.
fn stem_of(name: &str) -> &str {
    match name.rsplit_once('.') {
        Some((stem, _)) if !stem.is_empty() => stem,
        _ => name,
    }
}

fn is_named(picture: &OsStr, folded: &str) -> bool {
    let name = folded_name(picture);
    name == folded || stem_of(&name) == folded
}

/// Returns a path or label without surrounding spaces and quotes.
pub(super) fn unquoted(text: &str) -> &str {
    text.trim().trim_matches(['"', '\''])
}
