//! Reads folder layouts: splits beside each other, splits inside class folders, and domains.

use std::collections::BTreeMap;

use super::not_classes;
use crate::lists::{self, name_before_number};
use crate::message;
use crate::problem::{Result, list_value};
use crate::reader::Reader;
use crate::roles::{Role, is_domain_folder, parse_role};
use crate::source::Sample;
use crate::tree::Tree;
use crate::{RawDataset, Skipped};

/// Prefixes that cameras and programs put before the number of an image.
const CAMERA_PREFIXES: [&str; 16] = [
    "image",
    "img",
    "photo",
    "picture",
    "pic",
    "frame",
    "screenshot",
    "scan",
    "dsc",
    "dscn",
    "dscf",
    "dji",
    "gopr",
    "pxl",
    "mvi",
    "p",
];

/// Returns the images in and below a folder, each with its file name without the number at its end; an empty name if
/// there is no number.
fn named_images(tree: &Tree, dir: usize) -> Vec<((usize, usize), String)> {
    let images = tree
        .folders_below(dir)
        .into_iter()
        .flat_map(|inner| (0..tree.dirs[inner].images.len()).map(move |index| (inner, index)));
    images.map(|image| (image, name_before_number(tree, image))).collect()
}

impl Reader<'_> {
    /// Adds a remark on a split without classes, which is not used.
    pub(super) fn add_unused_remark(&mut self, dir: usize) {
        let (folder, n) = (&self.tree.dirs[dir].name, self.tree.dirs[dir].total);
        let id = "remark-folder-without-classes-unused";
        self.add_remark(message!(id, folder, n));
    }

    /// Reads `train` beside `test` or `val`; `None` if there is no `train`.
    pub(super) fn read_splits(&mut self, at: usize) -> Result<Option<RawDataset>> {
        let tree = self.tree;
        let roles = not_classes::find_split_folders(tree, at)?;
        let Some(&train_dir) = roles.get(&Role::Train) else {
            return Ok(None);
        };
        let train_root = self.class_level(train_dir);
        if tree.subfolders_with_images(train_root).is_empty() {
            // A class may be called `train`; but with a test split beside it, it is a split without classes.
            return match roles.len() {
                1 => Ok(None),
                _ => {
                    let id = "problem-splits-without-classes";
                    Err(not_classes::no_class_folders_problem(tree, at, roles.into_values(), id))
                }
            };
        }
        if roles.len() == 1 {
            not_classes::check_single_split(tree, at, train_dir)?;
        }
        let (train, mut skipped) = self.read_class_folders(train_root);
        let mut test = None;
        for role in [Role::Test, Role::Validation] {
            let Some(&dir) = roles.get(&role) else {
                continue;
            };
            let name = &tree.dirs[dir].name;
            if test.is_some() {
                self.add_remark(message!("remark-folder-unused-test-split", folder = name));
                continue;
            }
            let root = self.class_level(dir);
            if let Some(annotated) = lists::read_tiny_imagenet(self, dir)? {
                test = Some(annotated);
            } else if self.shares_classes(root) {
                let (samples, skipped_files) = self.read_class_folders(root);
                skipped.extend(skipped_files);
                test = Some(samples);
            } else {
                self.add_unused_remark(dir);
                continue;
            }
            if role == Role::Validation {
                self.add_remark(message!("remark-folder-as-test-split", folder = name));
            }
        }
        for child in tree.subfolders_with_images(at) {
            if !roles.values().any(|&used| used == child) {
                let sibling = &tree.dirs[child];
                self.add_remark(message!(
                    "remark-folder-next-to-splits",
                    folder = &sibling.name,
                    n = sibling.total
                ));
            }
        }
        Ok(Some(RawDataset { train, test, skipped, ..RawDataset::default() }))
    }

    /// Returns splits without class folders whose file names begin with the class, such as `cat.12.jpg`; `None` if those
    /// of the training images do not. Other images without such a name are not used.
    pub(super) fn read_splits_by_file_names(&mut self, at: usize) -> Option<RawDataset> {
        let tree = self.tree;
        let roles = not_classes::find_split_folders(tree, at).ok()?;
        let train = self.read_by_file_names(at, *roles.get(&Role::Train)?)?;
        let mut test = None;
        for role in [Role::Test, Role::Validation] {
            let Some(&dir) = roles.get(&role) else {
                continue;
            };
            let is_known = test.is_none()
                && named_images(tree, dir)
                    .iter()
                    .all(|(_, name)| self.classes.numbers.contains_key(name));
            if is_known {
                test = self.read_by_file_names(at, dir);
            } else {
                self.add_unused_remark(dir);
            }
        }
        Some(RawDataset { train, test, ..RawDataset::default() })
    }

    /// Returns the images in and below `dir` with the classes in their file names; `None` unless each name is a class
    /// and a number, and there are at least two classes of at least two images.
    fn read_by_file_names(&mut self, base: usize, dir: usize) -> Option<Vec<Sample>> {
        let images = named_images(self.tree, dir);
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        for (_, name) in &images {
            *counts.entry(name).or_default() += 1;
        }
        let is_class = |(name, count): (&&str, &usize)| {
            let prefix = name.to_lowercase();
            *count > 1 && !name.is_empty() && !CAMERA_PREFIXES.contains(&prefix.as_str())
        };
        if counts.len() < 2 || !counts.iter().all(is_class) {
            return None;
        }
        self.add_remark(message!("remark-classes-from-files", n = images.len()));
        let samples = images.iter().map(|(image, name)| {
            let class = self.classes.get_or_insert(name);
            self.make_sample(base, *image, class)
        });
        Some(samples.collect())
    }

    /// Returns whether `dir`, or a domain in it, contains folders with the names of known classes.
    fn shares_classes(&self, dir: usize) -> bool {
        let is_known_class =
            |&dir: &usize| self.classes.numbers.contains_key(&self.tree.dirs[dir].name);
        let filled = self.tree.subfolders_with_images(dir);
        filled.iter().any(is_known_class)
            || filled
                .iter()
                .any(|&child| self.tree.subfolders_with_images(child).iter().any(is_known_class))
    }

    /// Descends through folders that contain only one folder, and returns the last one.
    pub(super) fn class_level(&self, mut dir: usize) -> usize {
        while let [only] = self.tree.subfolders_with_images(dir).as_slice()
            && self.tree.dirs[dir].images.is_empty()
            && !self.is_class(*only)
        {
            dir = *only;
        }
        dir
    }

    /// Reads every subfolder with images as a class, with all images below it; images outside of subfolders are
    /// skipped.
    pub(super) fn read_class_folders(&mut self, at: usize) -> (Vec<Sample>, Vec<Skipped>) {
        let tree = self.tree;
        let mut samples = Vec::with_capacity(tree.dirs[at].total);
        let filled = tree.subfolders_with_images(at);
        if let Some(classes) = self.merge_domains(&filled) {
            for (name, dirs) in classes {
                let class = self.classes.get_or_insert(&name);
                for dir in dirs {
                    self.add_images_below(at, dir, class, &mut samples);
                }
            }
        } else {
            for &dir in &filled {
                let class = self.classes.get_or_insert(&tree.dirs[dir].name);
                self.add_images_below(at, dir, class, &mut samples);
            }
            let nested = filled.iter().filter(|&&dir| tree.subfolders_with_images(dir).len() > 1);
            let n = nested.count();
            if n > 0 {
                self.add_remark(message!("remark-subfolders-in-classes", n));
            }
        }
        let dir = &tree.dirs[at];
        let skipped = dir.images.iter().map(|name| {
            let path = dir.path.join(name.as_ref());
            Skipped::new(path, message!("skip-outside-class-folders"))
        });
        (samples, skipped.collect())
    }

    /// Reads class folders that each contain `train` and possibly `test` or `val`; `None` for another layout.
    pub(super) fn read_splits_inside(&mut self, at: usize) -> Option<RawDataset> {
        let tree = self.tree;
        let roles_in = |class: usize| -> Option<(usize, BTreeMap<Role, usize>)> {
            let inner = tree.subfolders_with_images(class).into_iter();
            let roles = inner.map(|dir| Some((parse_role(&tree.dirs[dir].name)?, dir)));
            let roles: BTreeMap<Role, usize> = roles.collect::<Option<_>>()?;
            let is_valid = tree.dirs[class].images.is_empty() && roles.contains_key(&Role::Train);
            is_valid.then_some((class, roles))
        };
        let classes: Option<Vec<_>> =
            tree.subfolders_with_images(at).into_iter().map(roles_in).collect();
        let classes = classes.filter(|classes| classes.len() > 1)?;
        let has_role = |role| classes.iter().any(|(_, roles)| roles.contains_key(&role));
        let test_role = [Role::Test, Role::Validation].into_iter().find(|&role| has_role(role));
        let (mut train, mut test) = (Vec::new(), Vec::new());
        for (dir, roles) in &classes {
            let class = self.classes.get_or_insert(&tree.dirs[*dir].name);
            self.add_images_below(at, roles[&Role::Train], class, &mut train);
            if let Some(&dir) = test_role.and_then(|role| roles.get(&role)) {
                self.add_images_below(at, dir, class, &mut test);
            }
        }
        self.add_remark(message!("remark-splits-in-class-folders"));
        Some(RawDataset { train, test: test_role.map(|_| test), ..RawDataset::default() })
    }

    /// Returns the classes of domains, which are folders with the same class folders: class name → its folders in all
    /// domains. `None` if the folders are not domains.
    fn merge_domains(&mut self, filled: &[usize]) -> Option<BTreeMap<String, Vec<usize>>> {
        let tree = self.tree;
        let mut classes: BTreeMap<String, Vec<usize>> = BTreeMap::new();
        if filled.len() < 2 {
            return None;
        }
        for &domain in filled {
            // Office has another folder between a domain and its classes.
            let level = self.class_level(domain);
            let inner = tree.subfolders_with_images(level);
            if inner.len() < 2 || !tree.dirs[level].images.is_empty() {
                return None;
            }
            for dir in inner {
                let name = tree.dirs[dir].name.clone();
                classes.entry(name).or_default().push(dir);
            }
        }
        let shared = classes.values().filter(|dirs| dirs.len() == filled.len());
        let shared = shared.count();
        // A few folders with the same few subfolders, such as two fruits, each red and green, are not domains, because
        // domains contain more classes than there are domains.
        let has_domain_name = filled.iter().any(|&dir| is_domain_folder(&tree.dirs[dir].name));
        if shared * 2 < classes.len() || (classes.len() <= filled.len() && !has_domain_name) {
            return None;
        }
        let names: Vec<&String> = filled.iter().map(|&dir| &tree.dirs[dir].name).collect();
        self.add_remark(message!("remark-domains-merged", folders = list_value(&names, 8)));
        Some(classes)
    }

    pub(super) fn read_flat(&mut self, at: usize) -> Vec<Sample> {
        let class = self.classes.get_or_insert(&self.tree.dirs[at].name);
        let mut samples = Vec::new();
        self.add_images_below(at, at, class, &mut samples);
        samples
    }
}
