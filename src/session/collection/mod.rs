//! Images collected in the window, class by class: drawn, pasted or files. They are saved as an image folder, which
//! becomes a dataset or an added task.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::Session;
use super::image_folder::{Content, Piece, sweep, write};
use super::views::Fetch;
use crate::experiment::found;
use crate::files::names::portable;
use crate::message;
use crate::problem::{Problem, Result};
use crate::run::event::Picture;
use crate::tr;

/// The folder, next to the runs, for the collected images.
const MADE: &str = "made";
/// Maximum number of images of a class.
pub const MOST: usize = 500;
/// Minimum number of images of a class: one to train on and one to test on.
pub const LEAST: usize = 2;

/// One image of a class.
#[derive(Clone, Debug, PartialEq)]
pub struct CollectedPicture {
    /// The image as displayed. A drawn or pasted image is stored from it.
    pub picture: Arc<Picture>,
    /// The file that the image comes from, which is copied unchanged.
    pub file: Option<PathBuf>,
}

/// The images of one class.
#[derive(Clone, Debug, PartialEq)]
pub struct CollectedClass {
    /// Identifies the class even if its name is edited.
    pub id: u64,
    /// The class's name.
    pub name: String,
    /// Its images, in the order they were added.
    pub pieces: Vec<CollectedPicture>,
}

/// The purpose of the collected images.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// A dataset to train on.
    Data,
    /// An added task for the run in this folder.
    AddedTask(PathBuf),
}

/// The images being collected.
#[derive(Clone, Debug, PartialEq)]
pub struct Collection {
    /// Name of the folder.
    pub name: String,
    /// Its classes; always at least one.
    pub groups: Vec<CollectedClass>,
    /// Index of the class that receives drawn, pasted and dropped images.
    pub chosen: usize,
    last: u64,
    /// The removed classes and images, the latest last.
    removed: Vec<Removed>,
}

/// A class or image that was removed from the collection, with its position.
#[derive(Clone, Debug, PartialEq)]
enum Removed {
    /// A class with its index, and whether it was the only class.
    Class(usize, CollectedClass, bool),
    /// An image with the id of its class and its index.
    Image(u64, usize, CollectedPicture),
}

impl Default for Collection {
    fn default() -> Self {
        let mut new = Self {
            name: tr!("predict-collect-name").into(),
            groups: Vec::new(),
            chosen: 0,
            last: 0,
            removed: Vec::new(),
        };
        new.add_group();
        new
    }
}

impl Collection {
    /// Adds an empty class and selects it.
    pub fn add_group(&mut self) {
        self.last += 1;
        let taken: HashSet<&str> = self.groups.iter().map(|g| g.name.as_str()).collect();
        let mut names = (self.groups.len() + 1..).map(|n| tr!("predict-collect-class", n));
        let free = names.find(|name| !taken.contains(name.as_str()));
        self.groups.push(CollectedClass {
            id: self.last,
            name: free.unwrap_or_default(),
            pieces: Vec::new(),
        });
        self.chosen = self.groups.len() - 1;
    }

    /// Removes a class. If it is the only class, an empty class replaces it.
    pub fn remove_group(&mut self, index: usize) {
        if index < self.groups.len() {
            let group = self.groups.remove(index);
            if !group.pieces.is_empty() {
                let only = self.groups.is_empty();
                self.removed.push(Removed::Class(index, group, only));
            }
        }
        if self.groups.is_empty() {
            self.add_group();
        }
        let moved = self.chosen > index;
        self.chosen = (self.chosen - usize::from(moved)).min(self.groups.len() - 1);
    }

    /// Selects the class at this index.
    pub fn choose(&mut self, index: usize) {
        self.chosen = index.min(self.groups.len().saturating_sub(1));
    }

    /// Renames the class at this index.
    pub fn rename(&mut self, index: usize, name: String) {
        if let Some(group) = self.groups.get_mut(index) {
            group.name = name;
        }
    }

    /// Removes an image from the class at this index.
    pub fn remove(&mut self, index: usize, piece: usize) {
        if let Some(group) = self.groups.get_mut(index)
            && piece < group.pieces.len()
        {
            let (id, taken) = (group.id, group.pieces.remove(piece));
            self.removed.push(Removed::Image(id, piece, taken));
        }
    }

    /// Returns whether a removal can be undone.
    pub fn can_undo_removal(&self) -> bool {
        !self.removed.is_empty()
    }

    /// Undoes the last removal.
    pub fn undo_removal(&mut self) {
        match self.removed.pop() {
            Some(Removed::Class(index, group, only)) => {
                // The empty class that replaced the removed class is removed.
                if let ([empty], true) = (&*self.groups, only)
                    && empty.pieces.is_empty()
                {
                    self.groups.clear();
                }
                self.chosen = index.min(self.groups.len());
                self.groups.insert(self.chosen, group);
            }
            Some(Removed::Image(id, index, taken)) => {
                let mut groups = self.groups.iter_mut();
                if let Some(group) = groups.find(|group| group.id == id) {
                    group.pieces.insert(index.min(group.pieces.len()), taken);
                }
            }
            None => {}
        }
    }

    /// Returns a collection of these classes; `None` if they have no images.
    pub(super) fn of(
        name: String,
        chosen: usize,
        classes: Vec<(String, Vec<CollectedPicture>)>,
    ) -> Option<Self> {
        let groups = (1..)
            .zip(classes)
            .map(|(id, (name, pieces))| CollectedClass { id, name, pieces });
        let groups: Vec<_> = groups.collect();
        let collection = Self {
            name,
            chosen: chosen.min(groups.len().saturating_sub(1)),
            last: groups.len() as u64,
            groups,
            removed: Vec::new(),
        };
        (!collection.is_empty()).then_some(collection)
    }

    /// Adds the classes of another collection to this one.
    pub(super) fn take(&mut self, other: Self) {
        if self.is_empty() {
            *self = other;
            return;
        }
        for group in other.groups {
            self.last += 1;
            self.groups.push(CollectedClass {
                id: self.last,
                ..group
            });
        }
    }

    /// Adds an image to the class with this id. Returns `false` if the class was removed or is full.
    pub fn add(&mut self, group: u64, piece: CollectedPicture) -> bool {
        let mut groups = self.groups.iter_mut();
        match groups.find(|known| known.id == group) {
            Some(group) if group.pieces.len() < MOST => group.pieces.push(piece),
            Some(_) | None => return false,
        }
        true
    }

    /// Returns the id of the class that receives drawn, pasted and dropped images.
    pub fn target(&self) -> Option<u64> {
        self.groups.get(self.chosen).map(|group| group.id)
    }

    /// Returns the number of collected images.
    pub fn count(&self) -> usize {
        self.groups.iter().map(|group| group.pieces.len()).sum()
    }

    /// Returns whether no image was collected.
    pub fn is_empty(&self) -> bool {
        self.count() == 0
    }

    /// Writes the images into a new folder in `root`, with one subfolder per class, and returns its path. Nothing is
    /// left after an error.
    ///
    /// # Errors
    /// Returns a Problem if an image cannot be read or written.
    pub fn save(&self, root: &Path) -> Result<PathBuf> {
        sweep(root);
        let to = free(root, &portable(self.name.trim()));
        let pieces = self.groups.iter().flat_map(|group| {
            let pieces = (1..).zip(&group.pieces);
            pieces.map(|(number, piece)| Piece {
                class: Some(group.name.trim()),
                stem: format!("{number:04}"),
                content: match &piece.file {
                    Some(file) => Content::File(file),
                    None => Content::Pixels(&piece.picture),
                },
            })
        });
        write(pieces, &to)?;
        Ok(to)
    }

    /// Returns a sentence about what is missing before the images can be saved; `None` if nothing is missing.
    pub fn lacks(&self, purpose: &Purpose) -> Option<String> {
        let least = match purpose {
            Purpose::Data => 2,
            Purpose::AddedTask(_) => 1,
        };
        if self.groups.len() < least {
            return Some(tr!("predict-collect-second-class").into());
        }
        let mut known = HashSet::new();
        for group in &self.groups {
            let name = group.name.trim();
            if name.is_empty() {
                return Some(tr!("predict-collect-name-every-class").into());
            }
            if !known.insert(portable(name).to_lowercase()) {
                return Some(tr!("predict-collect-duplicate-name", name));
            }
            match LEAST.saturating_sub(group.pieces.len()) {
                0 => {}
                1 => return Some(tr!("predict-collect-one-more-image", name)),
                _ => return Some(tr!("predict-collect-two-images", name)),
            }
        }
        None
    }
}

/// Returns a free path in `root` with this name, or with a number appended if the name is taken.
fn free(root: &Path, name: &str) -> PathBuf {
    let numbered = (2..).map(|number| root.join(format!("{name} {number}")));
    let mut all = std::iter::once(root.join(name)).chain(numbered);
    let place = all.find(|place| !place.exists());
    place.unwrap_or_else(|| root.join(name))
}

impl Session {
    /// Adds a drawn or pasted image to the selected class.
    pub fn collect(&mut self, picture: Arc<Picture>) {
        if let Some(group) = self.collection.target() {
            let file = None;
            self.add_collected(group, vec![CollectedPicture { picture, file }]);
        }
    }

    /// Adds a file, or the images of a folder, to the selected class.
    pub fn collect_file(&mut self, path: PathBuf) {
        let Some(group) = self.collection.groups.get(self.collection.chosen) else {
            return;
        };
        if group.pieces.len() >= MOST {
            return self.notify_full();
        }
        let group = group.id;
        self.queued_task(
            None,
            move |sources| sources.disk().pieces(&path),
            move |session, pieces| match pieces {
                Ok(pieces) => session.add_collected(group, pieces),
                Err(problem) => session.notify(problem, true),
            },
        );
    }

    /// Notifies the user once that a class is full.
    fn notify_full(&mut self) {
        let told = Problem::new(message!("predict-collect-too-many-images", n = MOST))
            .advise(message!("predict-collect-too-many-images-advice"));
        let last = self.notices.list.last();
        if last.is_none_or(|last| last.problem != told) {
            self.notify(told, false);
        }
    }

    /// Saves the collected images as an image folder, then uses it for its purpose. The images stay in the collection
    /// if they cannot be saved or if the run cannot learn them.
    pub fn save_collection(&mut self, purpose: Purpose) {
        let collection = Arc::new(self.collection.clone());
        let kept = collection.clone();
        let learner = match &purpose {
            Purpose::Data => None,
            Purpose::AddedTask(run) => {
                let header = self.header_of(run).cloned();
                header.map(|header| (header, self.finished_tasks(run)))
            }
        };
        self.saving_collection = Fetch::Busy;
        self.task(
            move |sources| {
                let place = collection.save(&sources.disk().runs_root.join(MADE))?;
                let Some((header, after)) = learner else {
                    return Ok(place);
                };
                let source = place.display().to_string();
                found(&header, after, &source, &|| true).map_err(|mut problem| {
                    // The folder is not needed, because the images are still in the window.
                    let _ = std::fs::remove_dir_all(&place);
                    if problem.place == source {
                        problem.place.clear();
                    }
                    problem
                })?;
                Ok(place)
            },
            move |session, place| {
                if !session.saving_collection.is_busy() {
                    // The user cancelled saving.
                    return;
                }
                session.saving_collection.fill(place.clone().map(drop));
                let Ok(place) = place else { return };
                // The collection is kept if images were added in the meantime, because they are not in the folder.
                if session.collection == *kept {
                    session.collection = Collection::default();
                }
                let told = Problem::new(message!("predict-collect-saved")).at_path(&place);
                session.notify(told, false);
                let place = place.display().to_string();
                match &purpose {
                    Purpose::Data => session.choose_data(&place),
                    Purpose::AddedTask(run) => session.add_task(run, place),
                }
            },
        );
    }

    /// Returns the classes that the run in this folder has learned.
    pub fn classes_of_run(&self, run: &Path) -> &[String] {
        let Some(header) = self.header_of(run) else {
            return &[];
        };
        let after = self.finished_tasks(run).min(header.tasks.len());
        let learned = header.tasks[..after].last().map_or(0, |task| task.end);
        header.class_order.get(..learned).unwrap_or_default()
    }

    fn add_collected(&mut self, group: u64, pieces: Vec<CollectedPicture>) {
        let full = pieces
            .into_iter()
            .any(|piece| !self.collection.add(group, piece));
        if full {
            self.notify_full();
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests;
