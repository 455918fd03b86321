//! Whether the images that a run's answers, or a look at its training pictures, name by their index are still those
//! images.
//!
//! Answers hold indices into a split that is opened again later, perhaps after files were added, replaced or removed;
//! then an index would show a picture that was never asked about. The run's header holds the fingerprints of both
//! splits. Runs of versions without them are compared in what can be compared: class names, numbers of images, and the
//! class of every test image answered.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;

use super::Session;
use super::run_view::RunView;
use super::views::{DataView, Split, SplitKey};
use crate::data::PrintKind;
use crate::metrics::{Answers, tasks_of_classes};
use crate::problem::{Problem, Result};
use crate::run::event::RunHeader;

/// What is known of data sets that runs learned from and were tested on.
#[derive(Default)]
pub(super) struct Tested {
    /// Fingerprints of splits by their kind; none while one is under way.
    prints: HashMap<(SplitKey, PrintKind), Option<Result<String>>>,
    /// What came out for a run with a split.
    checked: HashMap<(PathBuf, SplitKey), Option<Problem>>,
}

impl Tested {
    /// Takes a fingerprint in; one that was forgotten meanwhile is asked for again.
    fn take(&mut self, of: &(SplitKey, PrintKind), answer: Result<String>) {
        if let Some(print) = self.prints.get_mut(of) {
            *print = Some(answer);
        }
    }

    /// Files may have changed.
    pub fn forget(&mut self) {
        // What is under way is new enough.
        self.prints.retain(|_, print| print.is_none());
        self.checked.clear();
    }
}

impl Session {
    /// The data set whose images of a split a run's answers are about. None while it is looked for; a Problem when it is
    /// gone or holds other images by now.
    pub fn tested_on(&mut self, run: &RunView, split: Split) -> Option<Result<Arc<DataView>>> {
        let header = run.header.as_ref()?;
        if self.data_is_missing(&header.config) {
            let gone = Problem::new("the data set of this run could not be opened");
            return Some(Err(gone
                .at(&header.config.data)
                .advise("the notices say why")));
        }
        let data = self.need_data(&header.config)?.clone();
        let about = (header.folder.clone(), (data.key.clone(), split));
        if let Some(known) = self.sets.tested.checked.get(&about) {
            return Some(known.clone().map_or(Ok(data), Err));
        }
        let found = match &header.images {
            Some(images) => {
                let noted = match split {
                    Split::Train => &images.train,
                    Split::Test => &images.test,
                };
                match self.print_of(&data, split, images.kind)? {
                    Ok(print) if print == *noted => None,
                    Ok(_) => Some(other_images(header, split)),
                    Err(problem) => Some(problem),
                }
            }
            None => (!may_be_those(run, header, &data, split)).then(|| other_images(header, split)),
        };
        self.sets.tested.checked.insert(about, found.clone());
        Some(found.map_or(Ok(data), Err))
    }

    /// The fingerprint of a split, asked for when it is not there yet.
    fn print_of(
        &mut self,
        data: &Arc<DataView>,
        split: Split,
        kind: PrintKind,
    ) -> Option<Result<String>> {
        let of = ((data.key.clone(), split), kind);
        if let Some(known) = self.sets.tested.prints.get(&of) {
            return known.clone();
        }
        self.sets.tested.prints.insert(of.clone(), None);
        let pictures = data.of(split).clone();
        self.task(
            move |_| Ok(pictures.fingerprint(kind)),
            move |session, print| session.sets.tested.take(&of, print),
        );
        None
    }
}

fn other_images(header: &RunHeader, split: Split) -> Problem {
    let what = match split {
        Split::Train => {
            "the training images of this data set are no longer those this run learned from"
        }
        Split::Test => "the images of this data set are no longer those this run was tested on",
    };
    Problem::new(what)
        .at(&header.config.data)
        .advise("put back what was there to see them; the run's figures stay what they were")
}

/// Whether nothing that an old run noted speaks against these images.
fn may_be_those(run: &RunView, header: &RunHeader, data: &DataView, split: Split) -> bool {
    // Lessons have pictures of their own.
    let own = header.own_tasks();
    let tasks = &header.tasks[..own];
    let order = &header.class_order[..tasks.last().map_or(0, |task| task.end)];
    let mut classes = order.to_vec();
    classes.sort_unstable();
    if classes != data.classes {
        return false;
    }
    let position: HashMap<&str, usize> = (0..).zip(order).map(swapped).collect();
    // Class (sorted by name) → its position in the run's order.
    let place: Vec<usize> = data
        .classes
        .iter()
        .map(|name| position[name.as_str()])
        .collect();
    let task_of = tasks_of_classes(tasks);
    let (there, noted) = match split {
        Split::Train => (&data.train, &header.train_images),
        Split::Test => (&data.test, &header.test_images),
    };
    let mut counts = vec![0; own];
    for (class, images) in there.iter().enumerate() {
        if let Some(&Some(task)) = task_of.get(place[class]) {
            counts[task] += images;
        }
    }
    let as_many = noted.get(..own).is_some_and(|noted| counts == noted);
    let label_of = |sample: usize| data.test_labels.get(sample).map(|&class| place[class]);
    let right = |all: &Answers| {
        let pairs = all.samples.iter().zip(&all.labels).enumerate();
        let mut own = pairs.filter(|(at, _)| all.source(*at) == 0);
        own.all(|(_, (sample, label))| label_of(*sample) == Some(*label))
    };
    let answers = run.reports.last().map(|report| &report.answers);
    as_many && (split == Split::Train || answers.is_none_or(right))
}

fn swapped((position, name): (usize, &String)) -> (&str, usize) {
    (name, position)
}
