//! Looking up the paths that lists write: as they are, then without regard to capitals and to how accents are written.

use std::cell::OnceCell;
use std::collections::HashMap;
use std::collections::hash_map::{Entry, RandomState};
use std::ffi::OsStr;
use std::hash::BuildHasher;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::Place;
use crate::files;
use crate::names::folded;
use crate::picture::READABLE;
use crate::roles::{is_of_images, is_of_masks};
use crate::tree::{Tree, name_on_disk};

/// Most folders in a written path.
const MOST_PARTS: usize = 64;
/// Most folders named for all images that are asked for a path.
const MOST_OF_IMAGES: usize = 16;
/// Bytes at their start by which two files of one length are taken for copies.
const COMPARED: u64 = 64 << 10;

/// What a written path means.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Spot {
    /// This image.
    At(Place),
    /// One of several images in different folders; it is not known which.
    Several,
    Nowhere,
}

/// Looks up what lists name below one folder.
pub(super) struct Finder<'a> {
    tree: &'a Tree,
    pub dir: usize,
    /// The parent of every folder below `dir`.
    parents: HashMap<usize, usize>,
    hasher: RandomState,
    folded: OnceCell<Folded>,
    /// Folders that are named for all images: lists leave their names out.
    of_images: Vec<usize>,
    /// Folded names of the images, with and without their endings → the folders that hold one.
    bare: OnceCell<HashMap<u64, Holders>>,
}

/// The contents of folders, by folder and folded name.
#[derive(Default)]
struct Folded {
    /// Places of images, by their names with and without their endings.
    images: HashMap<(u32, u64), u32>,
    folders: HashMap<(u32, u64), u32>,
}

/// The folders that hold an image of one name, nearest the top and masks last.
#[derive(Clone, Copy)]
struct Holders {
    rank: (bool, usize),
    first: usize,
    /// Another of this rank, and whether there are more.
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

    /// The folder with its parents, up to that of this finder.
    pub fn upwards(&self, dir: usize) -> impl Iterator<Item = usize> + '_ {
        std::iter::successors(Some(dir), |dir| self.parents.get(dir).copied())
    }

    /// Looks up a path that a list in the folder `holder` writes: from that folder or one above it, without its first
    /// parts, with an ending added; a bare name in any folder below.
    pub fn find(&self, holder: usize, written: &str) -> Spot {
        let written = unquoted(written).replace('\\', "/");
        let parts: Vec<&str> = written
            .split('/')
            .filter(|part| !part.is_empty() && *part != ".")
            .take(MOST_PARTS + 1)
            .collect();
        if parts.is_empty() || parts.len() > MOST_PARTS || parts.contains(&"..") {
            return Spot::Nowhere;
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
            // Bare names are looked up in all folders at once.
            near.or_else(|| if parts.len() > 1 { whole() } else { None })
        };
        match (anchored(false).or_else(|| anchored(true)), parts.as_slice()) {
            (Some(place), _) => Spot::At(place),
            (None, [name]) => self.anywhere(name),
            (None, _) => Spot::Nowhere,
        }
    }

    /// Follows folders from `dir` to the image at their end; `alike` where capitals and accents may be written otherwise.
    fn follow(&self, mut dir: usize, parts: &[&str], alike: bool) -> Option<Place> {
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

    /// The image of this name in a folder, its ending left out or not.
    fn in_folder(&self, dir: usize, name: &str, alike: bool) -> Option<Place> {
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

    /// An image that only one of all folders holds.
    fn anywhere(&self, name: &str) -> Spot {
        let Some(holders) = self.bare().get(&self.hash(&folded(name))) else {
            return Spot::Nowhere;
        };
        let at = |dir| self.in_folder(dir, name, true);
        match (at(holders.first), holders.other) {
            (Some(place), None) => Spot::At(place),
            (Some(place), Some((other, false))) => match at(other) {
                Some(other) => self.one_of(place, other),
                None => Spot::Several,
            },
            (Some(_), Some(_)) => Spot::Several,
            (None, _) => Spot::Nowhere,
        }
    }

    /// The first of two images that are copies of one file.
    fn one_of(&self, one: Place, other: Place) -> Spot {
        let mut both = [one, other].map(|place| (path_of(self.tree, place), place));
        both.sort();
        let [length, other_length] = both.each_ref().map(|(path, _)| files::length(path).ok());
        let start = |path: &Path| files::read_start(path, COMPARED).ok();
        let [(path, place), (other, _)] = both;
        let same = length == other_length
            && start(&path).is_some_and(|bytes| Some(bytes) == start(&other));
        match same {
            true => Spot::At(place),
            false => Spot::Several,
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
                // Whole names first: an image of this name wins over one of this name without its ending.
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
        let mut known = match entry {
            Entry::Vacant(free) => {
                free.insert(alone);
                return;
            }
            Entry::Occupied(known) => known,
        };
        let known = known.get_mut();
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

/// Folders below one that are named for all images, those of masks left out.
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

/// The file of an image.
pub(super) fn path_of(tree: &Tree, (dir, place): Place) -> PathBuf {
    tree.dirs[dir]
        .path
        .join(tree.dirs[dir].pictures[place].as_ref())
}

fn folded_name(name: &OsStr) -> String {
    folded(&name.to_string_lossy())
}

/// The place of an image named without its ending.
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

/// A name without its ending.
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

/// A written path or label without quotes around it.
pub(super) fn unquoted(text: &str) -> &str {
    text.trim().trim_matches(['"', '\''])
}
