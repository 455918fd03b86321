//! Picture folders as people have them: finding the level of the classes and the split.
//!
//! Understood: one subfolder per class; `train` and `test` (or `val`) holding such folders; either of
//! them one level too high or too low; Tiny-ImageNet's layout; domains that hold the same classes (DomainNet); list
//! and CSV files (`lists`); CIFAR's files (`cifar`). Whatever was decided is written down.

mod level;

use std::collections::BTreeMap;
use std::path::Path;

use super::reader::{Reader, Role, role_of};
use super::source::Sample;
use super::tree::{Tree, reason_for};
use super::{Found, OpenOptions, Skipped, Watch, cifar, lists};
use crate::message;
use crate::problem::{Result, some_of};
use level::{class_parent, no_classes, whole_of};

/// Whether a folder is named like a domain of DomainNet, Office or PACS.
fn is_domain(name: &str) -> bool {
    let name = name.to_lowercase().replace([' ', '-'], "_");
    [
        "clipart",
        "infograph",
        "painting",
        "quickdraw",
        "real",
        "real_world",
        "sketch",
        "photo",
        "art",
        "art_painting",
        "cartoon",
        "product",
        "amazon",
        "webcam",
        "dslr",
    ]
    .contains(&name.as_str())
}

/// Opens a folder.
///
/// # Errors
/// No pictures, no classes, or a folder that cannot be read.
pub fn open(path: &Path, options: &OpenOptions, watch: &Watch) -> Result<Found> {
    let (root, mut assumed) = whole_of(path);
    let root = dunce::canonicalize(&root).unwrap_or(root);
    let tree = Tree::walk(&root, watch)?;
    let mut reader = Reader::new(&tree);
    let mut found = match reader.read(options)? {
        Some(found) => found,
        None => {
            let parent = class_parent(&root, options).ok_or_else(|| no_classes(&tree))?;
            let remark = message!(
                "remark-one-class",
                folder = root.display().to_string(),
                parent = parent.display().to_string()
            );
            assumed.push(remark.into());
            let tree = Tree::walk(&parent, watch)?;
            let mut found = Reader::new(&tree)
                .read(options)?
                .ok_or_else(|| no_classes(&tree))?;
            found.skipped.extend(tree.skipped);
            found.assumed.splice(0..0, assumed);
            return Ok(found);
        }
    };
    found.skipped.extend(tree.skipped);
    found.assumed.splice(0..0, assumed);
    Ok(found)
}

impl Reader<'_> {
    /// Finds the layout and reads it; `None` if there are no classes to be found.
    fn read(&mut self, options: &OpenOptions) -> Result<Option<Found>> {
        let tree = self.tree;
        for dir in tree.below(0) {
            if let Some(found) = cifar::open(&tree.dirs[dir])? {
                return Ok(Some(found));
            }
        }
        let mut at = 0;
        loop {
            if let Some(found) = lists::read(self, at)? {
                return Ok(Some(self.finish(at, found)));
            }
            let dir = &tree.dirs[at];
            let filled = tree.filled(at);
            if let Some(found) = self.splits(at)? {
                return Ok(Some(self.finish(at, found)));
            }
            match filled.as_slice() {
                [] if dir.total > 0 && options.min_classes < 2 => {
                    let train = self.flat(at);
                    return Ok(Some(self.finish(
                        at,
                        Found {
                            train,
                            ..Found::default()
                        },
                    )));
                }
                [] => return Ok(None),
                [only] if dir.pictures.is_empty() && !self.is_class(*only) => {
                    let inner = &tree.dirs[*only].name;
                    let remark =
                        message!("remark-single-folder", folder = &dir.name, inner = inner);
                    self.assumed.push(remark.into());
                    at = *only;
                }
                _ => {
                    if let Some(found) = self.splits_inside(at) {
                        return Ok(Some(self.finish(at, found)));
                    }
                    let (train, left) = self.class_folders(at);
                    let found = Found {
                        train,
                        skipped: left,
                        ..Found::default()
                    };
                    return Ok(Some(self.finish(at, found)));
                }
            }
        }
    }

    /// A folder that is a class rather than a wrapper: pictures in it, no folders of pictures below.
    fn is_class(&self, dir: usize) -> bool {
        !self.tree.dirs[dir].pictures.is_empty()
    }

    /// Adds the name, the remarks and the files that were no pictures.
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

    /// `train` beside `test` or `val`.
    fn splits(&mut self, at: usize) -> Result<Option<Found>> {
        let tree = self.tree;
        let mut roles: BTreeMap<Role, usize> = BTreeMap::new();
        for child in tree.filled(at) {
            if let Some(role) = role_of(&tree.dirs[child].name) {
                roles.entry(role).or_insert(child);
            }
        }
        let Some(&train_dir) = roles.get(&Role::Train) else {
            return Ok(None);
        };
        let train_root = self.class_level(train_dir);
        if tree.filled(train_root).is_empty() {
            return Ok(None);
        }
        let (train, mut skipped) = self.class_folders(train_root);
        let mut test = None;
        for role in [Role::Test, Role::Validation] {
            let Some(&dir) = roles.get(&role) else {
                continue;
            };
            let name = &tree.dirs[dir].name;
            if test.is_some() {
                let remark = message!("remark-second-split", folder = name);
                self.assumed.push(remark.into());
                continue;
            }
            let root = self.class_level(dir);
            if let Some(annotated) = lists::tiny_imagenet(self, dir)? {
                test = Some(annotated);
            } else if self.shares_classes(root) {
                let (samples, left) = self.class_folders(root);
                skipped.extend(left);
                test = Some(samples);
            } else {
                let n = tree.dirs[dir].total;
                let remark = message!("remark-without-classes", folder = name, n = n);
                self.assumed.push(remark.into());
                continue;
            }
            if role == Role::Validation {
                self.assumed
                    .push(message!("remark-serves-as-test", folder = name).into());
            }
        }
        for child in tree.filled(at) {
            if !roles.values().any(|&used| used == child) {
                let beside = &tree.dirs[child];
                let remark = message!(
                    "remark-beside-splits",
                    folder = &beside.name,
                    n = beside.total
                );
                self.assumed.push(remark.into());
            }
        }
        Ok(Some(Found {
            train,
            test,
            skipped,
            ..Found::default()
        }))
    }

    /// Whether folders in `dir`, or in domains in it, are named like classes met so far.
    fn shares_classes(&self, dir: usize) -> bool {
        let known = |&dir: &usize| self.classes.numbers.contains_key(&self.tree.dirs[dir].name);
        let filled = self.tree.filled(dir);
        filled.iter().any(known)
            || filled
                .iter()
                .any(|&child| self.tree.filled(child).iter().any(known))
    }

    /// Steps down through folders that hold nothing but one more folder.
    fn class_level(&self, mut dir: usize) -> usize {
        while let [only] = self.tree.filled(dir).as_slice()
            && self.tree.dirs[dir].pictures.is_empty()
            && !self.is_class(*only)
        {
            dir = *only;
        }
        dir
    }

    /// Every filled subfolder as a class, with all pictures below it; loose pictures are left out.
    fn class_folders(&mut self, at: usize) -> (Vec<Sample>, Vec<Skipped>) {
        let tree = self.tree;
        let mut samples = Vec::with_capacity(tree.dirs[at].total);
        let filled = tree.filled(at);
        if let Some(classes) = self.domains(&filled) {
            for (name, dirs) in classes {
                let class = self.classes.number(&name);
                for dir in dirs {
                    self.take(at, dir, class, &mut samples);
                }
            }
        } else {
            for &dir in &filled {
                let class = self.classes.number(&tree.dirs[dir].name);
                self.take(at, dir, class, &mut samples);
            }
            let nested = filled
                .iter()
                .filter(|&&dir| tree.filled(dir).len() > 1)
                .count();
            if nested > 0 {
                self.assumed
                    .push(message!("remark-nested", n = nested).into());
            }
        }
        let dir = &tree.dirs[at];
        let left = dir
            .pictures
            .iter()
            .map(|name| Skipped {
                path: dir.path.join(name.as_ref()),
                reason: message!("skip-beside-classes").into(),
            })
            .collect();
        (samples, left)
    }

    /// Class folders that each hold `train` and perhaps `test` or `val`.
    fn splits_inside(&mut self, at: usize) -> Option<Found> {
        let tree = self.tree;
        let roles_in = |class: usize| -> Option<(usize, BTreeMap<Role, usize>)> {
            let inner = tree.filled(class).into_iter();
            let roles = inner.map(|dir| Some((role_of(&tree.dirs[dir].name)?, dir)));
            let roles: BTreeMap<Role, usize> = roles.collect::<Option<_>>()?;
            let whole = tree.dirs[class].pictures.is_empty() && roles.contains_key(&Role::Train);
            whole.then_some((class, roles))
        };
        let classes: Option<Vec<_>> = tree.filled(at).into_iter().map(roles_in).collect();
        let classes = classes.filter(|classes| classes.len() > 1)?;
        let any = |role| classes.iter().any(|(_, roles)| roles.contains_key(&role));
        let measured = [Role::Test, Role::Validation]
            .into_iter()
            .find(|&role| any(role));
        let (mut train, mut test) = (Vec::new(), Vec::new());
        for (dir, roles) in &classes {
            let class = self.classes.number(&tree.dirs[*dir].name);
            self.take(at, roles[&Role::Train], class, &mut train);
            if let Some(&dir) = measured.and_then(|role| roles.get(&role)) {
                self.take(at, dir, class, &mut test);
            }
        }
        self.assumed.push(message!("remark-splits-inside").into());
        Some(Found {
            train,
            test: measured.map(|_| test),
            ..Found::default()
        })
    }

    /// Folders that hold the same class folders: class name → its folders in all domains.
    fn domains(&mut self, filled: &[usize]) -> Option<BTreeMap<String, Vec<usize>>> {
        let tree = self.tree;
        let mut classes: BTreeMap<String, Vec<usize>> = BTreeMap::new();
        if filled.len() < 2 {
            return None;
        }
        for &domain in filled {
            let inner = tree.filled(domain);
            if inner.len() < 2 || !tree.dirs[domain].pictures.is_empty() {
                return None;
            }
            for dir in inner {
                classes
                    .entry(tree.dirs[dir].name.clone())
                    .or_default()
                    .push(dir);
            }
        }
        let shared = classes
            .values()
            .filter(|dirs| dirs.len() == filled.len())
            .count();
        // Two fruits, each red and green, are no domains: those hold more classes than they are.
        let named = filled.iter().any(|&dir| is_domain(&tree.dirs[dir].name));
        if shared * 2 < classes.len() || (classes.len() <= filled.len() && !named) {
            return None;
        }
        let names: Vec<&String> = filled.iter().map(|&dir| &tree.dirs[dir].name).collect();
        let remark = message!("remark-domains", folders = some_of(&names, 8));
        self.assumed.push(remark.into());
        Some(classes)
    }

    fn flat(&mut self, at: usize) -> Vec<Sample> {
        let class = self.classes.number(&self.tree.dirs[at].name);
        let mut samples = Vec::new();
        self.take(at, at, class, &mut samples);
        samples
    }
}
