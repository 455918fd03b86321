//! Image folders: finds the level of the class folders and the splits.
//!
//! Tables and lists that name the images (`lists`) take precedence over folders. Supported layouts: one subfolder per
//! class; `train` and `test` (or `val`) with such folders; either of them one level too high or too low;
//! Tiny-ImageNet's layout; ImageNet as downloaded (`imagenet`); domains with the same classes (DomainNet, Office);
//! CIFAR's files (`cifar`). All assumptions are reported, and folders that are not classes are refused (`doubt`).

mod doubt;
mod imagenet;
mod layout;
mod level;

use std::collections::HashMap;
use std::path::Path;

use super::lists::{ListChoice, Listed, ListedDataset};
use super::reader::Reader;
use super::roles::{Role, role_of};
use super::source::Sample;
use super::tree::{Tree, reason_for};
use super::{Found, OpenOptions, Skipped, Watch, cifar, lists};
use crate::message;
use crate::problem::{Result, some_of};
use level::{class_parent, no_classes, whole_of};

/// Opens a folder; if the user selected a list in it, by that list.
///
/// # Errors
/// Returns a Problem if there are no images or classes, the layout is ambiguous, or a folder cannot be read.
pub fn open(
    path: &Path,
    wanted: Option<ListChoice>,
    options: &OpenOptions,
    watch: &Watch,
) -> Result<Found> {
    if let Some(download) = imagenet::Download::around(path, wanted) {
        return download.open(options, watch);
    }
    let (root, mut assumed) = whole_of(path);
    let mut root = dunce::canonicalize(&root).unwrap_or(root);
    let mut tree = Tree::walk(&root, watch)?;
    let mut found = match Reader::new(&tree, options).read(wanted, options)? {
        Some(found) => found,
        None => {
            let parent = class_parent(&root, options).ok_or_else(|| no_classes(&tree))?;
            let remark = message!(
                "remark-folder-as-one-class",
                folder = root.display().to_string(),
                parent = parent.display().to_string()
            );
            assumed.push(remark.into());
            root = parent;
            tree = Tree::walk(&root, watch)?;
            let found = Reader::new(&tree, options).read(None, options)?;
            found.ok_or_else(|| no_classes(&tree))?
        }
    };
    found.root = root;
    found.skipped.extend(tree.skipped);
    found.assumed.splice(0..0, assumed);
    Ok(found)
}

impl Reader<'_> {
    /// Finds the lists or the layout and reads them; `None` if there are no classes.
    fn read(&mut self, wanted: Option<ListChoice>, options: &OpenOptions) -> Result<Option<Found>> {
        let tree = self.tree;
        for dir in tree.below(0) {
            if let Some(found) = cifar::open(&tree.dirs[dir])? {
                return Ok(Some(found));
            }
        }
        let mut at = 0;
        let mut unclear = None;
        loop {
            let inner = self.wrapped(at);
            let mut by_lists = Reader::new(tree, options);
            match lists::read(&mut by_lists, at, inner.is_some(), wanted)? {
                Listed::Found(reading) => {
                    let found = self.by_lists_or_folders(at, by_lists, *reading, wanted, options);
                    return Ok(Some(found));
                }
                Listed::Unclear(problem) if wanted.is_some() => return Err(problem),
                Listed::Unclear(problem) => unclear = unclear.or(Some(problem)),
                Listed::Nothing if let Some(wanted) = wanted => {
                    let file = wanted.path.file_name().unwrap_or_default();
                    let files = [file.to_string_lossy().into_owned()];
                    return Err(lists::without_classes(&files, wanted.path));
                }
                Listed::Nothing => {}
            }
            self.refused.append(&mut by_lists.refused);
            self.used.append(&mut by_lists.used);
            let Some(inner) = inner else { break };
            at = self.step_into(at, inner);
        }
        match (self.layout(at, options), unclear) {
            (Ok(Some((at, found))), Some(problem))
                if self.classes.names.len() >= options.min_classes =>
            {
                self.remark(message!("remark-list-unused", why = problem.words()));
                Ok(Some(self.finish(at, found)))
            }
            // The user has to correct faulty tables that name the images, even if the folders can be read.
            (_, Some(problem)) => Err(problem),
            (Ok(Some((at, found))), None) => Ok(Some(self.finish(at, found))),
            (layout, None) => match self.splits_by_file_names(at) {
                Some(found) => Ok(Some(self.finish(at, found))),
                None => layout.map(|_| None),
            },
        }
    }

    /// Returns the dataset of the lists; or that of the folders, if they agree or are more certain.
    fn by_lists_or_folders(
        &mut self,
        at: usize,
        mut by_lists: Self,
        reading: ListedDataset,
        wanted: Option<ListChoice>,
        options: &OpenOptions,
    ) -> Found {
        let mut folders = Reader::new(self.tree, options);
        let files = reading.found.lists.iter().map(|file| format!("'{file}'"));
        let files = some_of(&files.collect::<Vec<_>>(), 4);
        if wanted.is_none()
            && options.min_classes > 1
            && let Ok(Some((base, found))) = folders.layout(at, options)
            && folders.classes.names.len() > 1
        {
            let same = are_same(
                (&reading.found, &by_lists.classes.names),
                (&found, &folders.classes.names),
            );
            let id = match (same, reading.sure && reading.whole) {
                (true, _) => "remark-lists-agree",
                (false, true) => "remark-lists-override-folders",
                (false, false) => "remark-folders-override-lists",
            };
            let remark = message!(id, files);
            if id == "remark-lists-override-folders" {
                by_lists.assumed.push(remark.into());
            } else {
                folders.assumed.push(remark.into());
                folders.refused.append(&mut by_lists.refused);
                folders.used.append(&mut by_lists.used);
                self.take_over(folders);
                return self.finish(base, found);
            }
        }
        self.take_over(by_lists);
        self.finish(at, reading.found)
    }

    /// Takes over the results of another reader of the same tree.
    fn take_over(&mut self, mut other: Self) {
        self.classes = other.classes;
        self.assumed.append(&mut other.assumed);
        self.refused.append(&mut other.refused);
        self.used.append(&mut other.used);
    }

    /// Returns the only folder with images inside a folder without images, unless it looks like a class.
    fn wrapped(&self, at: usize) -> Option<usize> {
        match self.tree.filled(at).as_slice() {
            [only] if self.tree.dirs[at].pictures.is_empty() && !self.is_class(*only) => {
                Some(*only)
            }
            _ => None,
        }
    }

    fn step_into(&mut self, at: usize, inner: usize) -> usize {
        let [folder, name] = [at, inner].map(|dir| &self.tree.dirs[dir].name);
        self.remark(message!(
            "remark-inner-folder-as-dataset",
            folder,
            inner = name
        ));
        inner
    }

    /// Reads the layout of the folders from `at` on; returns it with the folder where it was found.
    fn layout(&mut self, mut at: usize, options: &OpenOptions) -> Result<Option<(usize, Found)>> {
        let tree = self.tree;
        loop {
            if let Some(found) = self.splits(at)? {
                return Ok(Some((at, found)));
            }
            let filled = tree.filled(at);
            if filled.is_empty() {
                let found = (tree.dirs[at].total > 0 && options.min_classes < 2).then(|| Found {
                    train: self.flat(at),
                    ..Found::default()
                });
                return Ok(found.map(|found| (at, found)));
            }
            if let Some(inner) = self.wrapped(at) {
                at = self.step_into(at, inner);
                continue;
            }
            if let Some(inner) = doubt::images_beside_masks(tree, &filled) {
                let (inner_name, outer) = (&tree.dirs[inner].name, &tree.dirs[at].name);
                self.remark(message!(
                    "remark-mask-folders-unused",
                    folder = outer,
                    inner = inner_name
                ));
                at = inner;
                continue;
            }
            if let Some(found) = self.splits_inside(at) {
                return Ok(Some((at, found)));
            }
            doubt::check(tree, at, &filled)?;
            let (train, skipped) = self.class_folders(at);
            let found = Found {
                train,
                skipped,
                ..Found::default()
            };
            return Ok(Some((at, found)));
        }
    }

    /// Returns whether a folder is a class rather than a wrapper: it contains images itself.
    pub(super) fn is_class(&self, dir: usize) -> bool {
        !self.tree.dirs[dir].pictures.is_empty()
    }

    /// Adds the name, the classes, the remarks, and the files that are not images.
    fn finish(&mut self, at: usize, mut found: Found) -> Found {
        let tree = self.tree;
        found.name = tree.dirs[at].name.clone();
        found.classes = std::mem::take(&mut self.classes.names);
        found
            .assumed
            .splice(0..0, std::mem::take(&mut self.assumed));
        found.skipped.append(&mut self.refused);
        for dir in &tree.dirs {
            for name in &dir.others {
                let path = dir.path.join(name);
                if !self.used.contains(&path) {
                    let reason = reason_for(name);
                    found.skipped.push(Skipped { path, reason });
                }
            }
        }
        found
    }
}

/// Returns whether two datasets have the same images in the same classes and splits.
fn are_same(
    (one, one_names): (&Found, &[String]),
    (other, other_names): (&Found, &[String]),
) -> bool {
    let tests = |found: &Found| found.test.as_ref().map(Vec::len);
    if one.train.len() != other.train.len() || tests(one) != tests(other) {
        return false;
    }
    // The folder inside the split may have another name.
    let named = |samples: &[Sample], names: &[String]| -> HashMap<_, _> {
        let class = |sample: &Sample| names.get(sample.class as usize).cloned();
        let pairs = samples.iter();
        pairs
            .map(|sample| (sample.source.path(), class(sample)))
            .collect()
    };
    let splits = |found: &Found, names: &[String]| {
        let test = found.test.as_deref().unwrap_or_default();
        [named(&found.train, names), named(test, names)]
    };
    splits(one, one_names) == splits(other, other_names)
}
