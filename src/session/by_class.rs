//! The images of a folder by predicted class, the least confident first. The user can move them to other classes; the
//! moves are saved in the table.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use super::Session;
use super::image_folder::copy_by_class;
use super::loads::Lookup;
use super::views::{DisplayedImageSource, Split};
use crate::experiment::prediction_table::{self, Assignment, PredictedImage};
use crate::message;
use crate::names::{fold_case, is_same_name};
use crate::problem::{Problem, Result};
use crate::run::event::NamedImage;
use crate::run::prediction_table::PredictionTableJob;
use crate::sync::lock;
use crate::tr;

/// The images of a table of predictions, in groups.
#[derive(Clone, Debug)]
pub struct ImagesByClass {
    /// The request of the table.
    pub request: PredictionTableJob,
    /// The classes that the run can predict.
    pub classes: Vec<String>,
    /// The rows of the table.
    pub images: Vec<PredictedImage>,
    /// The current group of each image, which the user can change.
    pub groups: Vec<Assignment>,
    /// Indices of the images, the least confident first.
    pub by_confidence: Vec<usize>,
    /// Whether the table file contains all moves.
    pub is_saved: bool,
    /// Number of moves so far.
    pub revision: u64,
    /// The newest revision in the table file, locked while the file is written.
    saved_revision: Arc<Mutex<u64>>,
    bit_depth: usize,
}

impl ImagesByClass {
    pub(super) fn new(
        request: PredictionTableJob,
        mut classes: Vec<String>,
        bit_depth: usize,
        images: Vec<PredictedImage>,
    ) -> Self {
        let group = |image: &PredictedImage| match &image.assignment {
            Assignment::As(name) => group_of_class(&mut classes, name),
            other => other.clone(),
        };
        let groups = images.iter().map(group).collect();
        let mut by_confidence: Vec<usize> = (0..images.len()).collect();
        by_confidence.sort_by(|&a, &b| images[a].margin.total_cmp(&images[b].margin));
        Self {
            request,
            classes,
            images,
            groups,
            by_confidence,
            is_saved: true,
            revision: 0,
            saved_revision: Arc::default(),
            bit_depth,
        }
    }

    /// Returns all groups in display order: the classes, "none of these", and unreadable images.
    fn all_groups(&self) -> impl Iterator<Item = Assignment> {
        let classes = self.classes.iter().cloned().map(Assignment::As);
        classes.chain([Assignment::NoneOfThese, Assignment::Unreadable])
    }

    /// Returns the non-empty groups. Each has its number of images and the images whose path contains `query`
    /// (ignoring case), the least confident first.
    pub fn displayed_groups(&self, query: &str) -> DisplayedGroups {
        let query = fold_case(query);
        let matches = |index: usize| {
            let path = || fold_case(&self.images[index].path.to_string_lossy());
            query.is_empty() || path().contains(&query)
        };
        let mut groups: HashMap<&Assignment, (usize, Vec<usize>)> = HashMap::new();
        for &index in &self.by_confidence {
            let (count, indices) = groups.entry(&self.groups[index]).or_default();
            *count += 1;
            if matches(index) {
                indices.push(index);
            }
        }
        let groups = self.all_groups().filter_map(|group| {
            let (count, indices) = groups.remove(&group)?;
            Some((group, count, indices))
        });
        let groups = groups.collect();
        let moved = (0..self.images.len()).filter(|&index| self.is_moved(index));
        DisplayedGroups { moved: moved.count(), groups }
    }

    /// Returns the name of a group.
    pub fn name(group: &Assignment) -> &str {
        match group {
            Assignment::As(class) => class,
            Assignment::NoneOfThese => tr!("predict-none"),
            Assignment::Unreadable => tr!("predict-sorted-unreadable"),
        }
    }

    /// Returns whether the user moved this image.
    pub fn is_moved(&self, index: usize) -> bool {
        let image = &self.images[index];
        match &self.groups[index] {
            Assignment::As(class) => {
                image.none_of_these == Some(true) || image.class.as_ref() != Some(class)
            }
            Assignment::NoneOfThese => image.none_of_these != Some(true),
            Assignment::Unreadable => false,
        }
    }

    /// Returns the path of an image.
    pub fn file(&self, index: usize) -> Option<PathBuf> {
        let image = self.images.get(index)?;
        Some(self.request.folder.join(&image.path))
    }

    /// Returns the path of each image with its group.
    fn copies(&self) -> Vec<(PathBuf, Assignment)> {
        let files = (0..self.images.len()).filter_map(|index| self.file(index));
        files.zip(self.groups.clone()).collect()
    }
}

/// The groups that are displayed.
#[derive(Debug)]
pub struct DisplayedGroups {
    /// The non-empty groups: their number of images, and the indices of the images that match the search.
    pub groups: Vec<(Assignment, usize, Vec<usize>)>,
    /// Number of images that the user moved.
    pub moved: usize,
}

/// Returns the group of a class. An unknown class is added to the list.
fn group_of_class(classes: &mut Vec<String>, name: &str) -> Assignment {
    let existing = classes.iter().find(|class| is_same_name(class, name)).cloned();
    Assignment::As(existing.unwrap_or_else(|| {
        classes.push(name.to_string());
        name.to_string()
    }))
}

impl Session {
    /// Reads the table that was written, so that its images are shown by class.
    pub(super) fn load_images_by_class(&mut self) {
        let Some(table) = &self.predict.prediction_table else {
            return;
        };
        let request = table.request.clone();
        let header = self.header_of(&request.run);
        let learned_classes = header.and_then(|header| {
            let end = header.tasks.get(request.task)?.end;
            Some(header.class_order.get(..end)?.to_vec())
        });
        let bit_depth = self.bit_depth_of(&request.run);
        let (ticket, csv) = (request.ticket, request.csv.clone());
        self.task(
            move |_| prediction_table::read_predictions(&csv),
            move |session, result| {
                let current = session.predict.prediction_table.as_ref();
                if current.is_none_or(|table| table.request.ticket != ticket) {
                    return;
                }
                let to_sorted = |images| {
                    let classes = learned_classes.unwrap_or_default();
                    Arc::new(ImagesByClass::new(request, classes, bit_depth, images))
                };
                session.predict.images_by_class.fill(result.map(to_sorted));
            },
        );
    }

    /// Returns the thumbnail of an image.
    pub fn image_of_class(
        &self,
        by_class: &ImagesByClass,
        index: usize,
    ) -> Lookup<Result<Arc<NamedImage>>> {
        let Some(file) = by_class.file(index) else {
            return Lookup::Absent;
        };
        let key = format!("sorted/{}", by_class.request.ticket);
        let source = || DisplayedImageSource::File(file, by_class.bit_depth);
        self.cached_image((key.into(), Split::Test, index), source)
    }

    /// Moves an image to another group.
    pub fn move_image_to_class(&mut self, index: usize, target: Assignment) {
        let Some(by_class) = self.predict.images_by_class.ready_mut() else {
            return;
        };
        let by_class = Arc::make_mut(by_class);
        if let Some(group) = by_class.groups.get_mut(index)
            && *group != target
        {
            *group = target;
            by_class.is_saved = false;
            by_class.revision += 1;
        }
    }

    /// Copies the images into a folder with a subfolder for each group. The folder is next to the table and named after
    /// it.
    pub fn copy_images_by_class(&mut self) {
        let Some(by_class) = self.predict.images_by_class.ready() else {
            return;
        };
        let folder = by_class.request.csv.with_extension("");
        let copies = by_class.copies();
        self.export(
            move |_, _| copy_by_class(&copies, &folder).map(|n| (n, folder)),
            |session, (n, folder)| {
                let place = folder.display().to_string();
                let message = message!("predict-sorted-copied", n, place);
                session.notify(Problem::new(message), false);
            },
        );
    }

    /// Saves the groups in the table file.
    pub fn save_class_corrections(&mut self) {
        let Some(by_class) = self.predict.images_by_class.ready() else {
            return;
        };
        let csv = by_class.request.csv.clone();
        let (ticket, saved) = (by_class.request.ticket, by_class.groups.clone());
        let corrections = saved.clone();
        let (revision, saved_revision) = (by_class.revision, Arc::clone(&by_class.saved_revision));
        let name = csv.file_name().unwrap_or_default().to_string_lossy();
        let name = name.into_owned();
        self.task_or_notify(
            move |_| {
                // Tasks can run in another order than they started.
                let mut newest = lock(&saved_revision);
                if revision >= *newest {
                    prediction_table::save_corrections(&csv, &corrections)?;
                    *newest = revision;
                }
                Ok(())
            },
            move |session, ()| {
                if let Some(by_class) = session.predict.images_by_class.ready_mut()
                    && by_class.request.ticket == ticket
                    && by_class.groups == saved
                {
                    Arc::make_mut(by_class).is_saved = true;
                }
                let message = message!("predict-changes-saved", table = name);
                session.notify(Problem::new(message), false);
            },
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answered_image(path: &str, class: Option<&str>, ahead: f32, none: bool) -> PredictedImage {
        PredictedImage {
            path: path.into(),
            class: class.map(String::from),
            score: 0.5,
            margin: ahead,
            none_of_these: Some(none),
            problem: None,
            assignment: match (class, none) {
                (Some(class), false) => Assignment::As(class.into()),
                (Some(_), true) => Assignment::NoneOfThese,
                (None, _) => Assignment::Unreadable,
            },
        }
    }

    #[test]
    fn groups_images_by_prediction_least_confident_first() {
        let request = PredictionTableJob {
            ticket: 1,
            run: PathBuf::new(),
            task: 0,
            folder: "/birds".into(),
            only: Vec::new(),
            csv: PathBuf::new(),
            all_columns: false,
            threshold: Some(-2.0),
        };
        let images = vec![
            answered_image("A.png", Some("a"), 0.9, false),
            answered_image("b.png", Some("a"), 0.1, false),
            answered_image("c.png", Some("b"), 0.5, true),
            answered_image("d.png", None, 0.0, false),
        ];
        let with_classes = |classes: [&str; 2]| {
            let classes = classes.map(String::from).into();
            ImagesByClass::new(request.clone(), classes, 16, images.clone())
        };
        let mut by_class = with_classes(["a", "b"]);
        let class = |name: &str| Assignment::As(name.into());
        let groups = by_class.displayed_groups("").groups;
        let [first, none, unreadable] = [
            (class("a"), 2, vec![1, 0]),
            (Assignment::NoneOfThese, 1, vec![2]),
            (Assignment::Unreadable, 1, vec![3]),
        ];
        assert_eq!(groups, [first, none, unreadable]);
        let matching = by_class.displayed_groups("a.P").groups;
        assert_eq!(matching[0], (class("a"), 2, vec![0]));
        assert_eq!(matching[1], (Assignment::NoneOfThese, 1, vec![]));
        assert!((0..4).all(|at| !by_class.is_moved(at)));
        by_class.groups[2] = class("b");
        by_class.groups[0] = Assignment::NoneOfThese;
        let moved: Vec<usize> = (0..4).filter(|&at| by_class.is_moved(at)).collect();
        assert_eq!(moved, [0, 2]);
        assert_eq!(by_class.displayed_groups("").moved, 2);
    }
}
