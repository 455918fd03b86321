//! The images of a folder by predicted class, the least confident first. The user can move them to other classes; the
//! moves are saved in the table.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;

use super::Session;
use super::image_folder::copy_by_class;
use super::loads::Lookup;
use super::views::{PictureSource, Split};
use crate::experiment::sheet::{self, AnsweredPicture, Sorted};
use crate::message;
use crate::names::{folded, look_alike};
use crate::problem::{Problem, Result};
use crate::run::event::Picture;
use crate::run::sheet::SheetRequest;
use crate::tr;

/// The images of a table of predictions, in groups.
#[derive(Clone, Debug)]
pub struct SortedPictures {
    /// The request of the table.
    pub request: SheetRequest,
    /// The classes that the run can predict.
    pub classes: Vec<String>,
    /// The rows of the table.
    pub pictures: Vec<AnsweredPicture>,
    /// The current group of each image, which the user can change.
    pub groups: Vec<Sorted>,
    /// Indices of the images, the least confident first.
    pub by_doubt: Vec<usize>,
    /// Whether the table file contains all moves.
    pub is_kept: bool,
    /// Number of moves so far.
    pub revision: u64,
    bit_depth: usize,
}

impl SortedPictures {
    pub(super) fn new(
        request: SheetRequest,
        mut classes: Vec<String>,
        bit_depth: usize,
        pictures: Vec<AnsweredPicture>,
    ) -> Self {
        let group = |one: &AnsweredPicture| match &one.sorted {
            Sorted::As(name) => class_of(&mut classes, name),
            other => other.clone(),
        };
        let groups = pictures.iter().map(group).collect();
        let mut by_doubt: Vec<usize> = (0..pictures.len()).collect();
        by_doubt.sort_by(|&a, &b| pictures[a].ahead.total_cmp(&pictures[b].ahead));
        Self {
            request,
            classes,
            pictures,
            groups,
            by_doubt,
            is_kept: true,
            revision: 0,
            bit_depth,
        }
    }

    /// Returns all groups in display order: the classes, "none of these", and unreadable images.
    fn all_groups(&self) -> impl Iterator<Item = Sorted> {
        let classes = self.classes.iter().cloned().map(Sorted::As);
        classes.chain([Sorted::NoneOfThese, Sorted::Unreadable])
    }

    /// Returns the non-empty groups. Each has its number of images and the images whose path contains `wanted`
    /// (ignoring case), the least confident first.
    pub fn listed(&self, wanted: &str) -> Listed {
        let wanted = folded(wanted);
        let named = |at: usize| {
            let path = || folded(&self.pictures[at].path.to_string_lossy());
            wanted.is_empty() || path().contains(&wanted)
        };
        let mut groups: HashMap<&Sorted, (usize, Vec<usize>)> = HashMap::new();
        for &at in &self.by_doubt {
            let (count, found) = groups.entry(&self.groups[at]).or_default();
            *count += 1;
            if named(at) {
                found.push(at);
            }
        }
        let groups = self.all_groups().filter_map(|group| {
            let (count, found) = groups.remove(&group)?;
            Some((group, count, found))
        });
        let groups = groups.collect();
        let moved = (0..self.pictures.len()).filter(|&at| self.is_moved(at));
        Listed {
            moved: moved.count(),
            groups,
        }
    }

    /// Returns the name of a group.
    pub fn name(group: &Sorted) -> &str {
        match group {
            Sorted::As(class) => class,
            Sorted::NoneOfThese => tr!("predict-none"),
            Sorted::Unreadable => tr!("predict-sorted-unreadable"),
        }
    }

    /// Returns whether the user moved this image.
    pub fn is_moved(&self, at: usize) -> bool {
        let one = &self.pictures[at];
        match &self.groups[at] {
            Sorted::As(class) => {
                one.none_of_these == Some(true) || one.class.as_ref() != Some(class)
            }
            Sorted::NoneOfThese => one.none_of_these != Some(true),
            Sorted::Unreadable => false,
        }
    }

    /// Returns the path of an image.
    pub fn file(&self, at: usize) -> Option<PathBuf> {
        let one = self.pictures.get(at)?;
        Some(self.request.folder.join(&one.path))
    }

    /// Returns the path of each image with its group.
    fn copies(&self) -> Vec<(PathBuf, Sorted)> {
        let files = (0..self.pictures.len()).filter_map(|at| self.file(at));
        files.zip(self.groups.clone()).collect()
    }
}

/// The groups that are displayed.
#[derive(Debug)]
pub struct Listed {
    /// The non-empty groups: their number of images, and the indices of the images that match the search.
    pub groups: Vec<(Sorted, usize, Vec<usize>)>,
    /// Number of images that the user moved.
    pub moved: usize,
}

/// Returns the group of a class. An unknown class is added to the list.
fn class_of(classes: &mut Vec<String>, name: &str) -> Sorted {
    let known = classes
        .iter()
        .find(|class| look_alike(class, name))
        .cloned();
    Sorted::As(known.unwrap_or_else(|| {
        classes.push(name.to_string());
        name.to_string()
    }))
}

impl Session {
    /// Reads the table that was written, so that its images are shown by class.
    pub(super) fn read_sorted(&mut self) {
        let Some(sheet) = &self.predict.sheet else {
            return;
        };
        let request = sheet.request.clone();
        let header = self.header_of(&request.run);
        let taught = header.and_then(|header| {
            let end = header.tasks.get(request.task)?.end;
            Some(header.class_order.get(..end)?.to_vec())
        });
        let bit_depth = self.bit_depth_of(&request.run);
        let (asked, csv) = (request.ticket, request.csv.clone());
        self.task(
            move |_| sheet::answered(&csv),
            move |session, read| {
                let waits = session.predict.sheet.as_ref();
                if waits.is_none_or(|sheet| sheet.request.ticket != asked) {
                    return;
                }
                let sort = |pictures| {
                    let classes = taught.unwrap_or_default();
                    Arc::new(SortedPictures::new(request, classes, bit_depth, pictures))
                };
                session.predict.sorted.fill(read.map(sort));
            },
        );
    }

    /// Returns the thumbnail of an image.
    pub fn sorted_picture(
        &self,
        sorted: &SortedPictures,
        at: usize,
    ) -> Lookup<Result<Arc<Picture>>> {
        let Some(file) = sorted.file(at) else {
            return Lookup::Absent;
        };
        let key = format!("sorted/{}", sorted.request.ticket);
        let source = || PictureSource::File(file, sorted.bit_depth);
        self.picture_with((key.into(), Split::Test, at), source)
    }

    /// Moves an image to another group.
    pub fn move_sorted(&mut self, at: usize, to: Sorted) {
        let Some(sorted) = self.predict.sorted.ready_mut() else {
            return;
        };
        let sorted = Arc::make_mut(sorted);
        if let Some(group) = sorted.groups.get_mut(at)
            && *group != to
        {
            *group = to;
            sorted.is_kept = false;
            sorted.revision += 1;
        }
    }

    /// Copies the images into a folder with a subfolder for each group. The folder is next to the table and named after
    /// it.
    pub fn copy_sorted(&mut self) {
        let Some(sorted) = self.predict.sorted.ready() else {
            return;
        };
        let to = sorted.request.csv.with_extension("");
        let copies = sorted.copies();
        self.task_or_notify(
            move |_| copy_by_class(&copies, &to).map(|n| (n, to)),
            |session, (n, to)| {
                let place = to.display().to_string();
                let message = message!("predict-sorted-copied", n, place);
                session.notify(Problem::new(message), false);
            },
        );
    }

    /// Saves the groups in the table file.
    pub fn keep_sorted(&mut self) {
        let Some(sorted) = self.predict.sorted.ready() else {
            return;
        };
        let csv = sorted.request.csv.clone();
        let (asked, kept) = (sorted.request.ticket, sorted.groups.clone());
        let corrections = kept.clone();
        let name = csv.file_name().unwrap_or_default().to_string_lossy();
        let name = name.into_owned();
        self.task_or_notify(
            move |_| sheet::keep_sorted(&csv, &corrections),
            move |session, ()| {
                if let Some(sorted) = session.predict.sorted.ready_mut()
                    && sorted.request.ticket == asked
                    && sorted.groups == kept
                {
                    Arc::make_mut(sorted).is_kept = true;
                }
                let told = message!("predict-changes-saved", table = name);
                session.notify(Problem::new(told), false);
            },
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(path: &str, class: Option<&str>, ahead: f32, none: bool) -> AnsweredPicture {
        AnsweredPicture {
            path: path.into(),
            class: class.map(String::from),
            score: 0.5,
            ahead,
            none_of_these: Some(none),
            problem: None,
            sorted: match (class, none) {
                (Some(class), false) => Sorted::As(class.into()),
                (Some(_), true) => Sorted::NoneOfThese,
                (None, _) => Sorted::Unreadable,
            },
        }
    }

    #[test]
    fn pictures_are_grouped_by_answer_with_the_doubtful_first_and_moved_ones_are_told() {
        let request = SheetRequest {
            ticket: 1,
            run: PathBuf::new(),
            task: 0,
            folder: "/birds".into(),
            only: Vec::new(),
            csv: PathBuf::new(),
            all_columns: false,
            threshold: Some(-2.0),
        };
        let pictures = vec![
            said("A.png", Some("a"), 0.9, false),
            said("b.png", Some("a"), 0.1, false),
            said("c.png", Some("b"), 0.5, true),
            said("d.png", None, 0.0, false),
        ];
        let named = |classes: [&str; 2]| {
            let classes = classes.map(String::from).into();
            SortedPictures::new(request.clone(), classes, 16, pictures.clone())
        };
        let mut sorted = named(["a", "b"]);
        let class = |name: &str| Sorted::As(name.into());
        let groups = sorted.listed("").groups;
        let [first, none, unreadable] = [
            (class("a"), 2, vec![1, 0]),
            (Sorted::NoneOfThese, 1, vec![2]),
            (Sorted::Unreadable, 1, vec![3]),
        ];
        assert_eq!(groups, [first, none, unreadable]);
        let found = sorted.listed("a.P").groups;
        assert_eq!(found[0], (class("a"), 2, vec![0]));
        assert_eq!(found[1], (Sorted::NoneOfThese, 1, vec![]));
        assert!((0..4).all(|at| !sorted.is_moved(at)));
        sorted.groups[2] = class("b");
        sorted.groups[0] = Sorted::NoneOfThese;
        let moved: Vec<usize> = (0..4).filter(|&at| sorted.is_moved(at)).collect();
        assert_eq!(moved, [0, 2]);
        assert_eq!(sorted.listed("").moved, 2);
    }
}
