//! State shared by the readers of a folder: the classes, remarks and files found so far. `folder` uses it to read
//! folder layouts, `lists` to read lists.

use std::collections::{BTreeSet, HashMap};
use std::path::PathBuf;
use std::sync::Arc;

use super::source::{Folder, ImageSource, Sample};
use super::tree::Tree;
use super::{OpenOptions, Skipped};
use crate::texts::{Message, Words};

/// Numbers class names in the order of their first occurrence.
#[derive(Default)]
pub(super) struct ClassNames {
    pub names: Vec<String>,
    pub numbers: HashMap<String, u32>,
}

impl ClassNames {
    /// Returns the number of a class; a new name gets the next number.
    pub fn get_or_insert(&mut self, name: &str) -> u32 {
        if let Some(&number) = self.numbers.get(name) {
            return number;
        }
        let number = self.names.len() as u32;
        self.names.push(name.to_owned());
        self.numbers.insert(name.to_owned(), number);
        number
    }
}

/// The results of reading a folder so far.
pub(super) struct Reader<'a> {
    /// The folder.
    pub tree: &'a Tree,
    /// The classes so far.
    pub classes: ClassNames,
    /// Remarks on assumptions, as sentences.
    pub assumed: Vec<Words>,
    /// Files that were used as lists; they are not reported as skipped.
    pub used_lists: BTreeSet<PathBuf>,
    /// Lists that could not be read, with the reason.
    pub unreadable_lists: Vec<Skipped>,
    folders: HashMap<(usize, usize), Arc<Folder>>,
    bit_depth: usize,
}

impl<'a> Reader<'a> {
    /// Creates a reader without results.
    pub fn new(tree: &'a Tree, options: &OpenOptions) -> Self {
        Self {
            tree,
            classes: ClassNames::default(),
            assumed: Vec::new(),
            used_lists: BTreeSet::new(),
            unreadable_lists: Vec::new(),
            folders: HashMap::new(),
            bit_depth: options.bit_depth,
        }
    }

    /// Adds a remark on an assumption.
    pub fn add_remark(&mut self, remark: Message) {
        self.assumed.push(remark.into());
    }

    /// Returns an image, given by folder and index, as a sample named relative to the folder `base`.
    pub fn make_sample(&mut self, base: usize, (dir, index): (usize, usize), class: u32) -> Sample {
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
            Arc::new(Folder { path, path_in_split: inside, bit_depth })
        });
        let source = ImageSource::File {
            folder: Arc::clone(folder),
            name: Arc::clone(&tree.dirs[dir].images[index]),
        };
        Sample { source, class }
    }

    /// Adds all images in and below `dir` to `samples` as images of `class`, named relative to `base`.
    pub fn add_images_below(
        &mut self,
        base: usize,
        dir: usize,
        class: u32,
        samples: &mut Vec<Sample>,
    ) {
        let tree = self.tree;
        for inner in tree.folders_below(dir) {
            for index in 0..tree.dirs[inner].images.len() {
                samples.push(self.make_sample(base, (inner, index), class));
            }
        }
    }
}
