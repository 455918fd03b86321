//! What the readers of a folder share: the classes, remarks and files met so far, and how an image of
//! the walked tree becomes a sample. `folder` reads layouts of folders with it, `lists` lists.

use std::collections::{BTreeSet, HashMap};
use std::path::PathBuf;
use std::sync::Arc;

use super::source::{Folder, ImageSource, Sample};
use super::tree::Tree;
use super::{OpenOptions, Skipped};
use crate::texts::Words;

/// Gives every class name a number, in the order of first sight.
#[derive(Default)]
pub(super) struct ClassNames {
    pub names: Vec<String>,
    pub numbers: HashMap<String, u32>,
}

impl ClassNames {
    /// The number of a class, a new one where it was not met before.
    pub fn number(&mut self, name: &str) -> u32 {
        if let Some(&number) = self.numbers.get(name) {
            return number;
        }
        let number = self.names.len() as u32;
        self.names.push(name.to_owned());
        self.numbers.insert(name.to_owned(), number);
        number
    }
}

/// What has been found in a walked tree so far.
pub(super) struct Reader<'a> {
    /// What is read.
    pub tree: &'a Tree,
    /// The classes met so far.
    pub classes: ClassNames,
    /// What was decided on the way, in sentences.
    pub assumed: Vec<Words>,
    /// Files that were used as lists: they are not reported as left out.
    pub used: BTreeSet<PathBuf>,
    /// Lists that could not be read, with the reason.
    pub refused: Vec<Skipped>,
    folders: HashMap<(usize, usize), Arc<Folder>>,
    bit_depth: usize,
}

impl<'a> Reader<'a> {
    /// Nothing is found yet.
    pub fn new(tree: &'a Tree, options: &OpenOptions) -> Self {
        Self {
            tree,
            classes: ClassNames::default(),
            assumed: Vec::new(),
            used: BTreeSet::new(),
            refused: Vec::new(),
            folders: HashMap::new(),
            bit_depth: options.bit_depth,
        }
    }

    /// One image, given by folder and place, as a sample named relative to the folder `base`.
    pub fn sample(&mut self, base: usize, (dir, place): (usize, usize), class: u32) -> Sample {
        let (tree, bit_depth) = (self.tree, self.bit_depth);
        let folder = self.folders.entry((base, dir)).or_insert_with(|| {
            let path = tree.dirs[dir].path.clone();
            let inside = path
                .strip_prefix(&tree.dirs[base].path)
                .unwrap_or(&path)
                .components()
                .map(|part| part.as_os_str().to_string_lossy())
                .collect::<Vec<_>>()
                .join("/");
            Arc::new(Folder {
                path,
                inside,
                bit_depth,
            })
        });
        let source = ImageSource::File {
            folder: Arc::clone(folder),
            name: Arc::clone(&tree.dirs[dir].pictures[place]),
        };
        Sample { source, class }
    }

    /// All images in and below `dir` as samples of `class`, named relative to `base`.
    pub fn take(&mut self, base: usize, dir: usize, class: u32, samples: &mut Vec<Sample>) {
        let tree = self.tree;
        for inner in tree.below(dir) {
            for place in 0..tree.dirs[inner].pictures.len() {
                samples.push(self.sample(base, (inner, place), class));
            }
        }
    }
}
