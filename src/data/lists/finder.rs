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
use crate::image_file::IMAGE_EXTENSIONS;
use crate::names::fold_case;
use crate::roles::{is_image_folder, is_mask_folder};
use crate::tree::{Tree, name_on_disk};

/// Maximum number of components of a path in a list.
const MAX_COMPONENTS: usize = 64;
/// Maximum number of folders with a name for all images (such as "images") in which paths are looked up.
const MAX_IMAGE_FOLDERS: usize = 16;
/// Number of leading bytes that are compared to decide whether two files of the same length are copies.
const COMPARED_BYTES: u64 = 64 << 10;

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
    normalised: OnceCell<NormalisedNames>,
    /// Folders with a name for all images (such as "images"), which paths in lists often omit.
    image_folders: Vec<usize>,
    /// Hashes of the images' normalised names, with and without extension, with the folders that contain such an image.
    folders_by_name: OnceCell<HashMap<u64, ContainingFolders>>,
}

/// The images and subfolders of all folders, by folder and hash of the normalised name.
#[derive(Default)]
struct NormalisedNames {
    /// Indices of images, by their names with and without extension.
    images: HashMap<(u32, u64), u32>,
    folders: HashMap<(u32, u64), u32>,
}

/// The folders that contain an image with a certain name. Only those of the best rank are kept: folders of masks rank
/// last, then folders near the top rank first.
#[derive(Clone, Copy)]
struct ContainingFolders {
    rank: (bool, usize),
    first: usize,
    /// Another folder of this rank, and whether there are more.
    other: Option<(usize, bool)>,
}

impl<'a> Finder<'a> {
    pub fn new(tree: &'a Tree, dir: usize) -> Self {
        let below = tree.folders_below(dir).into_iter();
        let parents = below.flat_map(|parent| {
            let children = tree.dirs[parent].children.iter();
            children.map(move |&child| (child, parent))
        });
        Self {
            tree,
            dir,
            parents: parents.collect(),
            image_folders: find_image_folders(tree, dir),
            hasher: RandomState::new(),
            normalised: OnceCell::new(),
            folders_by_name: OnceCell::new(),
        }
    }

    /// Returns a folder and its ancestors, up to the folder of this finder.
    pub fn ancestors(&self, dir: usize) -> impl Iterator<Item = usize> + '_ {
        std::iter::successors(Some(dir), |dir| self.parents.get(dir).copied())
    }

    /// Looks up a path of a list in `list_folder`: relative to that folder or its ancestors, also without the
    /// first components of the path or without its extension; `..` never leads out of the walked folder. A bare file
    /// name is looked up in all folders.
    pub fn find(&self, list_folder: usize, path: &str) -> Lookup {
        let path = strip_quotes(path).replace('\\', "/");
        let mut parts: Vec<&str> = Vec::new();
        // Number of levels above the list's folder at which the path starts.
        let mut above = 0;
        for part in path.split('/').filter(|part| !part.is_empty() && *part != ".") {
            if part != ".." {
                parts.push(part);
            } else if parts.pop().is_none() {
                above += 1;
            }
        }
        if parts.is_empty() || parts.len() > MAX_COMPONENTS {
            return Lookup::Missing;
        }
        let resolve = |normalised: bool| {
            let in_image_folders = || {
                let mut dirs = self.image_folders.iter();
                dirs.find_map(|&dir| self.follow(dir, &parts, normalised))
            };
            let mut starts = 0..parts.len();
            let near = starts.find_map(|start| {
                // The dataset may be the folder in which the path starts, so all others are tried, too.
                let below = self.ancestors(list_folder).take(above);
                let mut dirs = self.ancestors(list_folder).skip(above).chain(below);
                dirs.find_map(|dir| self.follow(dir, &parts[start..], normalised))
            });
            // A bare name is looked up in all folders at once, by `find_by_name`.
            near.or_else(|| if parts.len() > 1 { in_image_folders() } else { None })
        };
        match (resolve(false).or_else(|| resolve(true)), parts.as_slice()) {
            (Some(image), _) => Lookup::Found(image),
            (None, [name]) => self.find_by_name(name),
            (None, _) => Lookup::Missing,
        }
    }

    /// Follows a path from the folder `dir` to an image; with `normalised`, case and accents are normalised.
    fn follow(&self, mut dir: usize, parts: &[&str], normalised: bool) -> Option<ImageIndex> {
        let (name, folders) = parts.split_last()?;
        for folder in folders {
            dir = self.find_child(dir, folder, normalised)?;
        }
        self.find_image(dir, name, normalised)
    }

    fn find_child(&self, dir: usize, name: &str, normalised: bool) -> Option<usize> {
        let children = &self.tree.dirs[dir].children;
        let on_disk = |child: usize| name_on_disk(&self.tree.dirs[child].path);
        let position = children.binary_search_by(|&child| on_disk(child).as_ref().cmp(name));
        match position {
            Ok(index) => Some(children[index]),
            Err(_) if normalised => {
                let name = fold_case(name);
                let key = (dir as u32, self.hash(&name));
                let child = *self.normalised_names().folders.get(&key)? as usize;
                (fold_case(&self.tree.dirs[child].name) == name).then_some(child)
            }
            Err(_) => None,
        }
    }

    /// Returns the image with this name in a folder; the name may lack the extension.
    fn find_image(&self, dir: usize, name: &str, normalised: bool) -> Option<ImageIndex> {
        let images = &self.tree.dirs[dir].images;
        let exact = images.binary_search_by(|image| image.as_ref().cmp(OsStr::new(name)));
        let index = exact.ok().or_else(|| find_by_stem(images, name));
        let find_normalised = || {
            let name = fold_case(name);
            let key = (dir as u32, self.hash(&name));
            let index = *self.normalised_names().images.get(&key)? as usize;
            is_named(images.get(index)?, &name).then_some(index)
        };
        let index = index.or_else(|| if normalised { find_normalised() } else { None })?;
        Some((dir, index))
    }

    /// Looks up an image by its name in all folders.
    fn find_by_name(&self, name: &str) -> Lookup {
        let Some(folders) = self.folders_by_name().get(&self.hash(&fold_case(name))) else {
            return Lookup::Missing;
        };
        let find_in = |dir| self.find_image(dir, name, true);
        match (find_in(folders.first), folders.other) {
            (Some(image), None) => Lookup::Found(image),
            (Some(image), Some((other, false))) => match find_in(other) {
                Some(other) => self.resolve_copies(image, other),
                None => Lookup::Ambiguous,
            },
            (Some(_), Some(_)) => Lookup::Ambiguous,
            (None, _) => Lookup::Missing,
        }
    }

    /// Returns the first of two images if their files are copies, else [`Lookup::Ambiguous`].
    fn resolve_copies(&self, first: ImageIndex, other: ImageIndex) -> Lookup {
        let mut candidates = [first, other].map(|image| (image_path(self.tree, image), image));
        candidates.sort();
        let [length, other_length] =
            candidates.each_ref().map(|(path, _)| files::length(path).ok());
        let start = |path: &Path| files::read_start(path, COMPARED_BYTES).ok();
        let [(path, image), (other, _)] = candidates;
        let are_copies = length == other_length
            && start(&path).is_some_and(|bytes| Some(bytes) == start(&other));
        match are_copies {
            true => Lookup::Found(image),
            false => Lookup::Ambiguous,
        }
    }

    fn hash(&self, name: &str) -> u64 {
        self.hasher.hash_one(name)
    }

    fn normalised_names(&self) -> &NormalisedNames {
        self.normalised.get_or_init(|| {
            let mut names = NormalisedNames::default();
            for dir in self.tree.folders_below(self.dir) {
                let key = |name: &str| (dir as u32, self.hash(name));
                let image_names = self.tree.dirs[dir].images.iter();
                let image_names: Vec<String> =
                    image_names.map(|name| normalise_name(name)).collect();
                // Complete names come first, so that an image with this name has priority over one with this name and
                // an extension.
                let full_names = image_names.iter().map(String::as_str);
                let stems = image_names.iter().map(|name| file_stem(name));
                for (index, name) in full_names.enumerate().chain(stems.enumerate()) {
                    names.images.entry(key(name)).or_insert(index as u32);
                }
                for &child in &self.tree.dirs[dir].children {
                    let name = fold_case(&self.tree.dirs[child].name);
                    names.folders.entry(key(&name)).or_insert(child as u32);
                }
            }
            names
        })
    }

    fn folders_by_name(&self) -> &HashMap<u64, ContainingFolders> {
        self.folders_by_name.get_or_init(|| {
            let mut names = HashMap::new();
            for dir in self.tree.folders_below(self.dir) {
                let ancestors: Vec<usize> = self.ancestors(dir).collect();
                let is_mask = ancestors[..ancestors.len() - 1]
                    .iter()
                    .any(|&dir| is_mask_folder(&self.tree.dirs[dir].name));
                let rank = (is_mask, ancestors.len());
                for image in &self.tree.dirs[dir].images {
                    let name = normalise_name(image);
                    for name in [name.as_str(), file_stem(&name)] {
                        ContainingFolders::record(names.entry(self.hash(name)), rank, dir);
                    }
                }
            }
            names
        })
    }
}

impl ContainingFolders {
    fn record(entry: Entry<'_, u64, Self>, rank: (bool, usize), dir: usize) {
        let single = Self { rank, first: dir, other: None };
        let current = entry.or_insert(single);
        if rank < current.rank {
            *current = single;
        } else if rank == current.rank && current.first != dir {
            current.other = match current.other {
                None => Some((dir, false)),
                Some((other, more)) => Some((other, more || other != dir)),
            };
        }
    }
}

/// Returns the folders below a folder with a name for all images (such as "images"), except folders of masks.
fn find_image_folders(tree: &Tree, dir: usize) -> Vec<usize> {
    let mut found = Vec::new();
    let mut stack = vec![dir];
    while let Some(dir) = stack.pop() {
        let name = &tree.dirs[dir].name;
        if is_mask_folder(name) || found.len() == MAX_IMAGE_FOLDERS {
            continue;
        }
        if is_image_folder(name) {
            found.push(dir);
        }
        stack.extend(tree.subfolders_with_images(dir).into_iter().rev());
    }
    found
}

/// Returns the path of an image.
pub(super) fn image_path(tree: &Tree, (dir, index): ImageIndex) -> PathBuf {
    tree.dirs[dir].path.join(tree.dirs[dir].images[index].as_ref())
}

fn normalise_name(name: &OsStr) -> String {
    fold_case(&name.to_string_lossy())
}

/// Returns the index of the image with this name without extension.
fn find_by_stem(images: &[Arc<OsStr>], stem: &str) -> Option<usize> {
    let prefix = format!("{stem}.");
    let prefix = prefix.as_bytes();
    let first = images.partition_point(|image| image.as_encoded_bytes() < prefix);
    let candidates = images[first..].iter().enumerate();
    let candidates = candidates.map_while(|(index, image)| {
        let extension = image.as_encoded_bytes().strip_prefix(prefix)?;
        Some((first + index, extension))
    });
    let supported = candidates.filter_map(|(index, extension)| {
        let is_extension = |known: &str| extension.eq_ignore_ascii_case(known.as_bytes());
        Some((IMAGE_EXTENSIONS.iter().position(|known| is_extension(known))?, index))
    });
    supported.min().map(|(_, at)| at)
}

/// Returns a name without its extension.
fn file_stem(name: &str) -> &str {
    match name.rsplit_once('.') {
        Some((stem, _)) if !stem.is_empty() => stem,
        _ => name,
    }
}

fn is_named(file_name: &OsStr, normalised: &str) -> bool {
    let name = normalise_name(file_name);
    name == normalised || file_stem(&name) == normalised
}

/// Returns a path or label without surrounding spaces and quotes.
pub(super) fn strip_quotes(text: &str) -> &str {
    text.trim().trim_matches(['"', '\''])
}
