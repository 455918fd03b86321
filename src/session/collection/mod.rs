//! Images collected in the window, class by class: drawn, pasted or files. They are saved as an image folder, which
//! becomes a dataset or an added task.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::Session;
use super::image_folder::{Content, OutputImage, remove_unfinished, write_images};
use super::views::Fetch;
use crate::experiment::preview_source;
use crate::files::names::to_portable;
use crate::message;
use crate::problem::{Problem, Result};
use crate::run::event::NamedImage;
use crate::tr;

/// The folder, next to the runs, for the collected images.
const COLLECTION_FOLDER: &str = "made";
/// Maximum number of images of a class.
pub const MAX_IMAGES: usize = 500;
/// Minimum number of images of a class: one to train on and one to test on.
pub const MIN_IMAGES: usize = 2;

/// One image of a class.
#[derive(Clone, Debug, PartialEq)]
pub struct CollectedImage {
    /// The image as displayed. A drawn or pasted image is stored from it.
    pub image: Arc<NamedImage>,
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
    pub images: Vec<CollectedImage>,
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
    pub classes: Vec<CollectedClass>,
    /// Index of the class that receives drawn, pasted and dropped images.
    pub selected: usize,
    last_id: u64,
    /// The removed classes and images, the latest last.
    removed: Vec<Removed>,
}

/// A class or image that was removed from the collection, with its position.
#[derive(Clone, Debug, PartialEq)]
enum Removed {
    /// A class with its index, and whether it was the only class.
    Class(usize, CollectedClass, bool),
    /// An image with the id of its class and its index.
    Image(u64, usize, CollectedImage),
}

impl Default for Collection {
    fn default() -> Self {
        let mut collection = Self {
            name: tr!("predict-collect-name").into(),
            classes: Vec::new(),
            selected: 0,
            last_id: 0,
            removed: Vec::new(),
        };
        collection.add_class();
        collection
    }
}

impl Collection {
    /// Adds an empty class and selects it.
    pub fn add_class(&mut self) {
        self.last_id += 1;
        let taken: HashSet<&str> = self.classes.iter().map(|g| g.name.as_str()).collect();
        let mut names = (self.classes.len() + 1..).map(|n| tr!("predict-collect-class", n));
        let free_name = names.find(|name| !taken.contains(name.as_str()));
        self.classes.push(CollectedClass {
            id: self.last_id,
            name: free_name.unwrap_or_default(),
            images: Vec::new(),
        });
        self.selected = self.classes.len() - 1;
    }

    /// Removes a class. If it is the only class, an empty class replaces it.
    pub fn remove_class(&mut self, index: usize) {
        if index < self.classes.len() {
            let class = self.classes.remove(index);
            // Its removed images can be restored only if the class can be restored, even if it is empty now.
            let is_image_of_class =
                |removed: &Removed| matches!(removed, Removed::Image(id, ..) if *id == class.id);
            if !class.images.is_empty() || self.removed.iter().any(is_image_of_class) {
                let was_only = self.classes.is_empty();
                self.removed.push(Removed::Class(index, class, was_only));
            }
        }
        if self.classes.is_empty() {
            self.add_class();
        }
        let moved = self.selected > index;
        self.selected = (self.selected - usize::from(moved)).min(self.classes.len() - 1);
    }

    /// Selects the class at this index.
    pub fn select(&mut self, index: usize) {
        self.selected = index.min(self.classes.len().saturating_sub(1));
    }

    /// Renames the class at this index.
    pub fn rename(&mut self, index: usize, name: String) {
        if let Some(class) = self.classes.get_mut(index) {
            class.name = name;
        }
    }

    /// Removes an image from the class at this index.
    pub fn remove(&mut self, index: usize, image_index: usize) {
        if let Some(class) = self.classes.get_mut(index)
            && image_index < class.images.len()
        {
            let (id, image) = (class.id, class.images.remove(image_index));
            self.removed.push(Removed::Image(id, image_index, image));
        }
    }

    /// Returns whether a removal can be undone.
    pub fn can_undo_removal(&self) -> bool {
        !self.removed.is_empty()
    }

    /// Undoes the last removal.
    pub fn undo_removal(&mut self) {
        match self.removed.pop() {
            Some(Removed::Class(index, class, was_only)) => {
                // The empty class that replaced the removed class is removed.
                if let ([empty], true) = (&*self.classes, was_only)
                    && empty.images.is_empty()
                {
                    self.classes.clear();
                }
                self.selected = index.min(self.classes.len());
                self.classes.insert(self.selected, class);
            }
            Some(Removed::Image(id, index, image)) => {
                let mut classes = self.classes.iter_mut();
                if let Some(class) = classes.find(|class| class.id == id) {
                    class.images.insert(index.min(class.images.len()), image);
                }
            }
            None => {}
        }
    }

    /// Returns a collection of these classes; `None` if they have no images.
    pub(super) fn from_classes(
        name: String,
        selected: usize,
        classes: Vec<(String, Vec<CollectedImage>)>,
    ) -> Option<Self> {
        let collected =
            (1..).zip(classes).map(|(id, (name, images))| CollectedClass { id, name, images });
        let collected: Vec<_> = collected.collect();
        let collection = Self {
            name,
            selected: selected.min(collected.len().saturating_sub(1)),
            last_id: collected.len() as u64,
            classes: collected,
            removed: Vec::new(),
        };
        (!collection.is_empty()).then_some(collection)
    }

    /// Adds the classes of another collection to this one.
    pub(super) fn append(&mut self, other: Self) {
        if self.is_empty() {
            *self = other;
            return;
        }
        for class in other.classes {
            self.last_id += 1;
            self.classes.push(CollectedClass { id: self.last_id, ..class });
        }
    }

    /// Adds an image to the class with this id. Returns `false` if the class was removed or is full.
    pub fn add(&mut self, class_id: u64, image: CollectedImage) -> bool {
        let mut classes = self.classes.iter_mut();
        match classes.find(|class| class.id == class_id) {
            Some(class) if class.images.len() < MAX_IMAGES => class.images.push(image),
            Some(_) | None => return false,
        }
        true
    }

    /// Returns the id of the class that receives drawn, pasted and dropped images.
    pub fn selected_id(&self) -> Option<u64> {
        self.classes.get(self.selected).map(|class| class.id)
    }

    /// Returns the number of collected images.
    pub fn image_count(&self) -> usize {
        self.classes.iter().map(|class| class.images.len()).sum()
    }

    /// Returns whether no image was collected.
    pub fn is_empty(&self) -> bool {
        self.image_count() == 0
    }

    /// Writes the images into a new folder in `root`, with one subfolder per class, and returns its path. Nothing is
    /// left after an error.
    ///
    /// # Errors
    /// Returns a Problem if an image cannot be read or written.
    pub fn save(&self, root: &Path) -> Result<PathBuf> {
        remove_unfinished(root);
        let folder = free_path(root, &to_portable(self.name.trim()));
        let images = self.classes.iter().flat_map(|class| {
            let numbered = (1..).zip(&class.images);
            numbered.map(|(number, image)| OutputImage {
                class: Some(class.name.trim()),
                stem: format!("{number:04}"),
                content: match &image.file {
                    Some(file) => Content::File(file),
                    None => Content::Pixels(&image.image),
                },
            })
        });
        write_images(images, &folder)?;
        Ok(folder)
    }

    /// Returns a sentence about what is missing before the images can be saved; `None` if nothing is missing.
    pub fn missing_requirement(&self, purpose: &Purpose) -> Option<String> {
        let min_classes = match purpose {
            Purpose::Data => 2,
            Purpose::AddedTask(_) => 1,
        };
        if self.classes.len() < min_classes {
            return Some(tr!("predict-collect-second-class").into());
        }
        let mut names = HashSet::new();
        for class in &self.classes {
            let name = class.name.trim();
            if name.is_empty() {
                return Some(tr!("predict-collect-name-every-class").into());
            }
            if !names.insert(to_portable(name).to_lowercase()) {
                return Some(tr!("predict-collect-duplicate-name", name));
            }
            match MIN_IMAGES.saturating_sub(class.images.len()) {
                0 => {}
                1 => return Some(tr!("predict-collect-one-more-image", name)),
                _ => return Some(tr!("predict-collect-two-images", name)),
            }
        }
        None
    }
}

/// Returns a free path in `root` with this name, or with a number appended if the name is taken.
fn free_path(root: &Path, name: &str) -> PathBuf {
    let numbered = (2..).map(|number| root.join(format!("{name} {number}")));
    let mut candidates = std::iter::once(root.join(name)).chain(numbered);
    let path = candidates.find(|path| !path.exists());
    path.unwrap_or_else(|| root.join(name))
}

impl Session {
    /// Adds a drawn or pasted image to the selected class.
    pub fn collect_image(&mut self, image: Arc<NamedImage>) {
        if let Some(class_id) = self.collection.selected_id() {
            let file = None;
            self.add_collected(class_id, vec![CollectedImage { image, file }]);
        }
    }

    /// Adds a file, or the images of a folder, to the selected class.
    pub fn collect_file(&mut self, path: PathBuf) {
        let Some(class) = self.collection.classes.get(self.collection.selected) else {
            return;
        };
        if class.images.len() >= MAX_IMAGES {
            return self.notify_full();
        }
        let class_id = class.id;
        self.queued_task(
            None,
            move |sources| sources.disk().read_class_images(&path),
            move |session, images| match images {
                Ok(images) => session.add_collected(class_id, images),
                Err(problem) => session.notify(problem, true),
            },
        );
    }

    /// Notifies the user once that a class is full.
    fn notify_full(&mut self) {
        let problem = Problem::new(message!("predict-collect-too-many-images", n = MAX_IMAGES))
            .advise(message!("predict-collect-too-many-images-advice"));
        let last = self.notices.list.last();
        if last.is_none_or(|last| last.problem != problem) {
            self.notify(problem, false);
        }
    }

    /// Saves the collected images as an image folder, then uses it for its purpose. The images stay in the collection
    /// if they cannot be saved or if the run cannot learn them.
    pub fn save_collection(&mut self, purpose: Purpose) {
        let collection = Arc::new(self.collection.clone());
        let snapshot = collection.clone();
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
                let folder = collection.save(&sources.disk().runs_root.join(COLLECTION_FOLDER))?;
                let Some((header, finished_tasks)) = learner else {
                    return Ok(folder);
                };
                let source = folder.display().to_string();
                preview_source(&header, finished_tasks, &source, &|| true).map_err(
                    |mut problem| {
                        // The folder is not needed, because the images are still in the window.
                        let _ = std::fs::remove_dir_all(&folder);
                        if problem.place == source {
                            problem.place.clear();
                        }
                        problem
                    },
                )?;
                Ok(folder)
            },
            move |session, folder| {
                if !session.saving_collection.is_busy() {
                    // The user cancelled saving.
                    return;
                }
                session.saving_collection.fill(folder.clone().map(drop));
                let Ok(folder) = folder else { return };
                // The collection is kept if images were added in the meantime, because they are not in the folder.
                if session.collection == *snapshot {
                    session.collection = Collection::default();
                }
                let problem = Problem::new(message!("predict-collect-saved")).at_path(&folder);
                session.notify(problem, false);
                let source = folder.display().to_string();
                match &purpose {
                    Purpose::Data => session.choose_data(&source),
                    Purpose::AddedTask(run) => session.add_task(run, source),
                }
            },
        );
    }

    /// Returns the classes that the run in this folder has learned.
    pub fn classes_of_run(&self, run: &Path) -> &[String] {
        let Some(header) = self.header_of(run) else {
            return &[];
        };
        let finished_tasks = self.finished_tasks(run).min(header.tasks.len());
        let learned = header.tasks[..finished_tasks].last().map_or(0, |task| task.end);
        header.class_order.get(..learned).unwrap_or_default()
    }

    fn add_collected(&mut self, class_id: u64, images: Vec<CollectedImage>) {
        let is_full = images.into_iter().any(|image| !self.collection.add(class_id, image));
        if is_full {
            self.notify_full();
        }
    }
}

#[cfg(test)]
mod tests;
