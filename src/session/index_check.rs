//! Checks whether the images that a run refers to by index, in predictions or in a check of training images, are
//! unchanged.
//!
//! Predictions contain indices into a split. If files are added, replaced or removed before the split is opened again,
//! an index could refer to another image. The run's header contains the fingerprints of both splits. Runs of versions
//! without fingerprints are compared by class names, numbers of images, and the class of every predicted test image.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::Session;
use super::loads::Lookup;
use super::run_view::RunView;
use super::views::{DataView, Split, SplitKey};
use crate::data::Fingerprints;
use crate::message;
use crate::metrics::{Answers, tasks_of_classes};
use crate::problem::{Problem, Result};
use crate::run::event::RunHeader;

/// Cached results of comparing open datasets with the images of runs.
#[derive(Default)]
pub(super) struct IndexChecks {
    /// Whether a split has the images of these fingerprints; `None` while this is checked.
    prints: HashMap<(SplitKey, Fingerprints), Option<Result<bool>>>,
    /// Whether a split is consistent with a run without fingerprints, by the run's folder.
    checked: HashMap<(PathBuf, SplitKey), bool>,
}

impl IndexChecks {
    /// Stores the result of a check. A result that was cleared in the meantime is ignored.
    fn take(&mut self, of: &(SplitKey, Fingerprints), answer: Result<bool>) {
        if let Some(print) = self.prints.get_mut(of) {
            *print = Some(answer);
        }
    }

    /// Clears the results because files may have changed.
    pub fn forget(&mut self) {
        // Checks in progress read the current files, so they are kept.
        self.prints.retain(|_, print| print.is_none());
        self.checked.clear();
    }
}

impl Session {
    /// Returns the dataset if a split has the images that the run used; a Problem if the dataset is missing or has
    /// other images now.
    pub fn tested_on(&self, run: &RunView, split: Split) -> Lookup<Result<Arc<DataView>>> {
        let Some(header) = &run.header else {
            return Lookup::Absent;
        };
        if self.data_is_missing(&header.config) {
            let gone = Problem::new(message!("predict-problem-dataset-unopened"));
            let gone = gone
                .at(&header.config.data)
                .advise(message!("predict-problem-dataset-unopened-advice"));
            return Lookup::Found(Err(gone));
        }
        let data = self.data_of(&header.config);
        data.and_then(|data| match &header.images {
            Some(images) => self.printed_as(header, images, split, data),
            None => self.compared_with(header, split, data),
        })
    }

    /// Returns the dataset if a split has the images with the recorded fingerprints.
    fn printed_as(
        &self,
        header: &RunHeader,
        images: &Fingerprints,
        split: Split,
        data: Arc<DataView>,
    ) -> Lookup<Result<Arc<DataView>>> {
        let of = ((data.key.clone(), split), images.clone());
        match self.sets.index_checks.prints.get(&of) {
            Some(Some(Ok(true))) => Lookup::Found(Ok(data)),
            Some(Some(Ok(false))) => Lookup::Found(Err(other_images(header, split))),
            Some(Some(Err(problem))) => Lookup::Found(Err(problem.clone())),
            Some(None) => Lookup::Absent,
            None => Lookup::unread(move |session| session.check_fingerprint(of, &data)),
        }
    }

    /// Returns the dataset if a split is consistent with the records of a run without fingerprints.
    fn compared_with(
        &self,
        header: &RunHeader,
        split: Split,
        data: Arc<DataView>,
    ) -> Lookup<Result<Arc<DataView>>> {
        let about = (header.folder.clone(), (data.key.clone(), split));
        match self.sets.index_checks.checked.get(&about) {
            Some(true) => Lookup::Found(Ok(data)),
            Some(false) => Lookup::Found(Err(other_images(header, split))),
            None => Lookup::unread(move |session| {
                session.check_against_records(&about.0, split, &data);
            }),
        }
    }

    /// Checks whether a displayed split has the images with these fingerprints.
    fn check_fingerprint(&mut self, of: (SplitKey, Fingerprints), data: &DataView) {
        if self.sets.index_checks.prints.contains_key(&of) {
            return;
        }
        self.sets.index_checks.prints.insert(of.clone(), None);
        let (data, split, noted) = (data.dataset.clone(), of.0.1, of.1.clone());
        self.task(
            move |_| Ok(data.has_images_of(split, &noted)),
            move |session, print| session.sets.index_checks.take(&of, print),
        );
    }

    /// Checks whether a split is consistent with the records of an open run without fingerprints.
    fn check_against_records(&mut self, run: &Path, split: Split, data: &DataView) {
        let open = self.train.run_in(run);
        let header = open.and_then(|open| Some((open, open.header.as_ref()?)));
        if let Some((open, header)) = header {
            let same = may_be_those(open, header, data, split);
            let about = (header.folder.clone(), (data.key.clone(), split));
            self.sets.index_checks.checked.insert(about, same);
        }
    }
}

fn other_images(header: &RunHeader, split: Split) -> Problem {
    let what = match split {
        Split::Train => "predict-problem-training-changed",
        Split::Test => "predict-problem-test-changed",
    };
    Problem::new(message!(what))
        .at(&header.config.data)
        .advise(message!("predict-problem-test-changed-advice"))
}

/// Returns whether a split is consistent with the records of a run without fingerprints.
fn may_be_those(run: &RunView, header: &RunHeader, data: &DataView, split: Split) -> bool {
    // Added tasks have their own images, so they are ignored.
    let own = header.own_tasks();
    let tasks = &header.tasks[..own];
    let order = &header.class_order[..tasks.last().map_or(0, |task| task.end)];
    let position: HashMap<&String, usize> = order.iter().zip(0..).collect();
    let places = data.classes.iter().map(|name| position.get(name).copied());
    // Maps each class (sorted by name) to its position in the run's class order.
    let Some(place) = places.collect::<Option<Vec<usize>>>() else {
        return false;
    };
    if place.len() != order.len() {
        return false;
    }
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
    let label_of = |sample: usize| {
        let sample = data.dataset.test.get(sample)?;
        Some(place[sample.class as usize])
    };
    let right = |all: &Answers| {
        let pairs = all.samples.iter().zip(&all.labels).enumerate();
        let mut own = pairs.filter(|(at, _)| all.source(*at) == 0);
        own.all(|(_, (sample, label))| label_of(*sample) == Some(*label))
    };
    let answers = run.reports.last().map(|report| &report.answers);
    as_many && (split == Split::Train || answers.is_none_or(right))
}
