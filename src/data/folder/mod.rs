//! Image folders: finds the level of the class folders and the splits.
//!
//! Tables and lists that name the images (`lists`) take precedence over folders. Supported layouts: one subfolder per
//! class; `train` and `test` (or `val`) with such folders; either of them one level too high or too low;
//! Tiny-ImageNet's layout; ImageNet as downloaded (`imagenet`); domains with the same classes (DomainNet, Office);
//! CIFAR's files (`cifar`). All assumptions are reported, and folders that are not classes are refused (`not_classes`).

mod dataset_root;
mod imagenet;
mod layout;
mod not_classes;

use std::collections::HashMap;
use std::path::Path;

use super::lists::{ListChoice, ListOutcome, ListedDataset};
use super::reader::Reader;
use super::roles::{Role, parse_role};
use super::source::Sample;
use super::tree::{Tree, skip_reason};
use super::{OpenOptions, ProgressReporter, RawDataset, Skipped, cifar, lists};
use crate::message;
use crate::problem::{Result, list_value};
use dataset_root::{class_parent, dataset_root, no_classes_problem};

/// Opens a folder; if the user selected a list in it, by that list.
///
/// # Errors
/// Returns a Problem if there are no images or classes, the layout is ambiguous, or a folder cannot be read.
pub fn open(
    path: &Path,
    choice: Option<ListChoice>,
    options: &OpenOptions,
    progress: &ProgressReporter,
) -> Result<RawDataset> {
    if let Some(download) = imagenet::Download::find_around(path, choice) {
        return download.open(options, progress);
    }
    let (root, mut assumed) = dataset_root(path);
    let mut root = dunce::canonicalize(&root).unwrap_or(root);
    let mut tree = Tree::walk(&root, progress)?;
    let mut found = match Reader::new(&tree, options).read_dataset(choice, options)? {
        Some(found) => found,
        None => {
            let parent = class_parent(&root, options).ok_or_else(|| no_classes_problem(&tree))?;
            let remark = message!(
                "remark-folder-as-one-class",
                folder = root.display().to_string(),
                parent = parent.display().to_string()
            );
            assumed.push(remark.into());
            root = parent;
            tree = Tree::walk(&root, progress)?;
            let found = Reader::new(&tree, options).read_dataset(None, options)?;
            found.ok_or_else(|| no_classes_problem(&tree))?
        }
    };
    found.root = root;
    found.skipped.extend(tree.skipped);
    found.assumed.splice(0..0, assumed);
    Ok(found)
}

impl Reader<'_> {
    /// Finds the lists or the layout and reads them; `None` if there are no classes.
    fn read_dataset(
        &mut self,
        choice: Option<ListChoice>,
        options: &OpenOptions,
    ) -> Result<Option<RawDataset>> {
        let tree = self.tree;
        for dir in tree.folders_below(0) {
            if let Some(found) = cifar::open(&tree.dirs[dir])? {
                return Ok(Some(found));
            }
        }
        let mut at = 0;
        let mut unclear = None;
        loop {
            let inner = self.only_subfolder(at);
            let mut list_reader = Reader::new(tree, options);
            match lists::read_lists(&mut list_reader, at, inner.is_some(), choice)? {
                ListOutcome::Found(listed) => {
                    let found =
                        self.choose_lists_or_folders(at, list_reader, *listed, choice, options);
                    return Ok(Some(found));
                }
                ListOutcome::Unclear(problem) if choice.is_some() => return Err(problem),
                ListOutcome::Unclear(problem) => unclear = unclear.or(Some(problem)),
                ListOutcome::Nothing if let Some(choice) = choice => {
                    let file = choice.path.file_name().unwrap_or_default();
                    let files = [file.to_string_lossy().into_owned()];
                    return Err(lists::no_classes_problem(&files, choice.path));
                }
                ListOutcome::Nothing => {}
            }
            self.unreadable_lists.append(&mut list_reader.unreadable_lists);
            self.used_lists.append(&mut list_reader.used_lists);
            let Some(inner) = inner else { break };
            at = self.enter_subfolder(at, inner);
        }
        match (self.read_layout(at, options), unclear) {
            (Ok(Some((at, found))), Some(problem))
                if self.classes.names.len() >= options.min_classes =>
            {
                self.add_remark(message!("remark-list-unused", why = problem.what_text()));
                Ok(Some(self.finish(at, found)))
            }
            // The user has to correct faulty tables that name the images, even if the folders can be read.
            (_, Some(problem)) => Err(problem),
            (Ok(Some((at, found))), None) => Ok(Some(self.finish(at, found))),
            (layout, None) => match self.read_splits_by_file_names(at) {
                Some(found) => Ok(Some(self.finish(at, found))),
                None => layout.map(|_| None),
            },
        }
    }

    /// Returns the dataset of the lists; or that of the folders, if they agree or are more certain.
    fn choose_lists_or_folders(
        &mut self,
        at: usize,
        mut list_reader: Self,
        listed: ListedDataset,
        choice: Option<ListChoice>,
        options: &OpenOptions,
    ) -> RawDataset {
        let mut folder_reader = Reader::new(self.tree, options);
        let files = listed.found.lists.iter().map(|file| format!("`{file}`"));
        let files = list_value(&files.collect::<Vec<_>>(), 4);
        if choice.is_none()
            && options.min_classes > 1
            && let Ok(Some((base, found))) = folder_reader.read_layout(at, options)
            && folder_reader.classes.names.len() > 1
        {
            let is_same = have_same_samples(
                (&listed.found, &list_reader.classes.names),
                (&found, &folder_reader.classes.names),
            );
            let id = match (is_same, listed.is_certain && listed.is_complete) {
                (true, _) => "remark-lists-agree",
                (false, true) => "remark-lists-override-folders",
                (false, false) => "remark-folders-override-lists",
            };
            let remark = message!(id, files);
            if id == "remark-lists-override-folders" {
                list_reader.assumed.push(remark.into());
            } else {
                folder_reader.assumed.push(remark.into());
                folder_reader.unreadable_lists.append(&mut list_reader.unreadable_lists);
                folder_reader.used_lists.append(&mut list_reader.used_lists);
                self.absorb(folder_reader);
                return self.finish(base, found);
            }
        }
        self.absorb(list_reader);
        self.finish(at, listed.found)
    }

    /// Takes over the results of another reader of the same tree.
    fn absorb(&mut self, mut other: Self) {
        self.classes = other.classes;
        self.assumed.append(&mut other.assumed);
        self.unreadable_lists.append(&mut other.unreadable_lists);
        self.used_lists.append(&mut other.used_lists);
    }

    /// Returns the only folder with images inside a folder without images, unless it looks like a class.
    fn only_subfolder(&self, at: usize) -> Option<usize> {
        match self.tree.subfolders_with_images(at).as_slice() {
            [only] if self.tree.dirs[at].images.is_empty() && !self.is_class(*only) => Some(*only),
            _ => None,
        }
    }

    fn enter_subfolder(&mut self, at: usize, inner: usize) -> usize {
        let [folder, name] = [at, inner].map(|dir| &self.tree.dirs[dir].name);
        self.add_remark(message!("remark-inner-folder-as-dataset", folder, inner = name));
        inner
    }

    /// Reads the layout of the folders from `at` on; returns it with the folder where it was found.
    fn read_layout(
        &mut self,
        mut at: usize,
        options: &OpenOptions,
    ) -> Result<Option<(usize, RawDataset)>> {
        let tree = self.tree;
        loop {
            if let Some(found) = self.read_splits(at)? {
                return Ok(Some((at, found)));
            }
            let filled = tree.subfolders_with_images(at);
            if filled.is_empty() {
                let found = (tree.dirs[at].total > 0 && options.min_classes < 2)
                    .then(|| RawDataset { train: self.read_flat(at), ..RawDataset::default() });
                return Ok(found.map(|found| (at, found)));
            }
            if let Some(inner) = self.only_subfolder(at) {
                at = self.enter_subfolder(at, inner);
                continue;
            }
            if let Some(inner) = not_classes::images_beside_masks(tree, &filled) {
                let (inner_name, outer) = (&tree.dirs[inner].name, &tree.dirs[at].name);
                self.add_remark(message!(
                    "remark-mask-folders-unused",
                    folder = outer,
                    inner = inner_name
                ));
                at = inner;
                continue;
            }
            if let Some(found) = self.read_splits_inside(at) {
                return Ok(Some((at, found)));
            }
            not_classes::check_class_folders(tree, at, &filled)?;
            let (train, skipped) = self.read_class_folders(at);
            let found = RawDataset { train, skipped, ..RawDataset::default() };
            return Ok(Some((at, found)));
        }
    }

    /// Returns whether a folder is a class rather than a wrapper: it contains images itself.
    pub(super) fn is_class(&self, dir: usize) -> bool {
        !self.tree.dirs[dir].images.is_empty()
    }

    /// Adds the name, the classes, the remarks, and the files that are not images.
    fn finish(&mut self, at: usize, mut found: RawDataset) -> RawDataset {
        let tree = self.tree;
        found.name = tree.dirs[at].name.clone();
        found.classes = std::mem::take(&mut self.classes.names);
        found.assumed.splice(0..0, std::mem::take(&mut self.assumed));
        found.skipped.append(&mut self.unreadable_lists);
        for dir in &tree.dirs {
            for name in &dir.others {
                let path = dir.path.join(name);
                if !self.used_lists.contains(&path) {
                    let reason = skip_reason(name);
                    found.skipped.push(Skipped { path, reason });
                }
            }
        }
        found
    }
}

/// Returns whether two datasets have the same images in the same classes and splits.
fn have_same_samples(
    (first, first_names): (&RawDataset, &[String]),
    (second, second_names): (&RawDataset, &[String]),
) -> bool {
    let test_count = |found: &RawDataset| found.test.as_ref().map(Vec::len);
    if first.train.len() != second.train.len() || test_count(first) != test_count(second) {
        return false;
    }
    // The folder inside the split may have another name.
    let named = |samples: &[Sample], names: &[String]| -> HashMap<_, _> {
        let class = |sample: &Sample| names.get(sample.class as usize).cloned();
        let pairs = samples.iter();
        pairs.map(|sample| (sample.source.path(), class(sample))).collect()
    };
    let splits = |found: &RawDataset, names: &[String]| {
        let test = found.test.as_deref().unwrap_or_default();
        [named(&found.train, names), named(test, names)]
    };
    splits(first, first_names) == splits(second, second_names)
}
