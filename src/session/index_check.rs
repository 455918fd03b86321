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
use crate::metrics::{Predictions, tasks_by_class};
use crate::problem::{Problem, Result};
use crate::run::event::RunHeader;

/// Cached results of comparing open datasets with the images of runs.
#[derive(Default)]
pub(super) struct IndexChecks {
    /// Whether a split has the images of these fingerprints; `None` while this is checked.
    fingerprint_checks: HashMap<(SplitKey, Fingerprints), Option<Result<bool>>>,
    /// Whether a split is consistent with a run without fingerprints, by the run's folder.
    record_checks: HashMap<(PathBuf, SplitKey), bool>,
}

impl IndexChecks {
    /// Stores the result of a check. A result that was cleared in the meantime is ignored.
    fn accept(&mut self, key: &(SplitKey, Fingerprints), result: Result<bool>) {
        if let Some(entry) = self.fingerprint_checks.get_mut(key) {
            *entry = Some(result);
        }
    }

    /// Clears the results because files may have changed.
    pub fn clear(&mut self) {
        // Checks in progress read the current files, so they are kept.
        self.fingerprint_checks.retain(|_, print| print.is_none());
        self.record_checks.clear();
    }
}

impl Session {
    /// Returns the dataset if a split has the images that the run used; a Problem if the dataset is missing or has
    /// other images now.
    pub fn unchanged_dataset(&self, run: &RunView, split: Split) -> Lookup<Result<Arc<DataView>>> {
        let Some(header) = &run.header else {
            return Lookup::Absent;
        };
        if self.data_is_missing(&header.config) {
            let problem = Problem::new(message!("predict-problem-dataset-unopened"));
            let problem = problem
                .at(&header.config.data)
                .advise(message!("predict-problem-dataset-unopened-advice"));
            return Lookup::Found(Err(problem));
        }
        let data = self.data_of(&header.config);
        data.and_then(|data| match &header.images {
            Some(images) => self.dataset_by_fingerprint(header, images, split, data),
            None => self.dataset_by_records(header, split, data),
        })
    }

    /// Returns the dataset if a split has the images with the recorded fingerprints.
    fn dataset_by_fingerprint(
        &self,
        header: &RunHeader,
        images: &Fingerprints,
        split: Split,
        data: Arc<DataView>,
    ) -> Lookup<Result<Arc<DataView>>> {
        let key = ((data.key.clone(), split), images.clone());
        match self.datasets.index_checks.fingerprint_checks.get(&key) {
            Some(Some(Ok(true))) => Lookup::Found(Ok(data)),
            Some(Some(Ok(false))) => Lookup::Found(Err(changed_images_problem(header, split))),
            Some(Some(Err(problem))) => Lookup::Found(Err(problem.clone())),
            Some(None) => Lookup::Absent,
            None => Lookup::unread(move |session| session.check_fingerprint(key, &data)),
        }
    }

    /// Returns the dataset if a split is consistent with the records of a run without fingerprints.
    fn dataset_by_records(
        &self,
        header: &RunHeader,
        split: Split,
        data: Arc<DataView>,
    ) -> Lookup<Result<Arc<DataView>>> {
        let key = (header.folder.clone(), (data.key.clone(), split));
        match self.datasets.index_checks.record_checks.get(&key) {
            Some(true) => Lookup::Found(Ok(data)),
            Some(false) => Lookup::Found(Err(changed_images_problem(header, split))),
            None => Lookup::unread(move |session| {
                session.check_against_records(&key.0, split, &data);
            }),
        }
    }

    /// Checks whether a displayed split has the images with these fingerprints.
    fn check_fingerprint(&mut self, key: (SplitKey, Fingerprints), data: &DataView) {
        if self.datasets.index_checks.fingerprint_checks.contains_key(&key) {
            return;
        }
        self.datasets.index_checks.fingerprint_checks.insert(key.clone(), None);
        let (data, split, fingerprints) = (data.dataset.clone(), key.0.1, key.1.clone());
        self.task(
            move |_| Ok(data.split_matches_fingerprints(split, &fingerprints)),
            move |session, result| session.datasets.index_checks.accept(&key, result),
        );
    }

    /// Checks whether a split is consistent with the records of an open run without fingerprints.
    fn check_against_records(&mut self, run: &Path, split: Split, data: &DataView) {
        let open = self.train.run_in(run);
        let header = open.and_then(|open| Some((open, open.header.as_ref()?)));
        if let Some((open, header)) = header {
            let is_consistent = matches_records(open, header, data, split);
            let key = (header.folder.clone(), (data.key.clone(), split));
            self.datasets.index_checks.record_checks.insert(key, is_consistent);
        }
    }
}

fn changed_images_problem(header: &RunHeader, split: Split) -> Problem {
    let id = match split {
        Split::Train => "predict-problem-training-changed",
        Split::Test => "predict-problem-test-changed",
    };
    Problem::new(message!(id))
        .at(&header.config.data)
        .advise(message!("predict-problem-test-changed-advice"))
}

/// Returns whether a split is consistent with the records of a run without fingerprints.
fn matches_records(run: &RunView, header: &RunHeader, data: &DataView, split: Split) -> bool {
    // Added tasks have their own images, so they are ignored.
    let task_count = header.original_task_count();
    let tasks = &header.tasks[..task_count];
    let order = header.original_classes();
    let position: HashMap<&String, usize> = order.iter().zip(0..).collect();
    let positions = data.classes.iter().map(|name| position.get(name).copied());
    // Maps each class (sorted by name) to its position in the run's class order.
    let Some(class_positions) = positions.collect::<Option<Vec<usize>>>() else {
        return false;
    };
    if class_positions.len() != order.len() {
        return false;
    }
    let task_of = tasks_by_class(tasks);
    let (current_counts, recorded_counts) = match split {
        Split::Train => (&data.train, &header.train_images),
        Split::Test => (&data.test, &header.test_images),
    };
    let mut counts = vec![0; task_count];
    for (class, images) in current_counts.iter().enumerate() {
        if let Some(&Some(task)) = task_of.get(class_positions[class]) {
            counts[task] += images;
        }
    }
    let counts_match = recorded_counts.get(..task_count).is_some_and(|recorded| counts == recorded);
    let label_of = |sample: usize| {
        let sample = data.dataset.test.get(sample)?;
        Some(class_positions[sample.class as usize])
    };
    let labels_match = |predictions: &Predictions| {
        let pairs = predictions.samples.iter().zip(&predictions.labels).enumerate();
        let mut own_pairs = pairs.filter(|(at, _)| predictions.source(*at) == 0);
        own_pairs.all(|(_, (sample, label))| label_of(*sample) == Some(*label))
    };
    let answers = run.reports.last().map(|report| &report.answers);
    counts_match && (split == Split::Train || answers.is_none_or(labels_match))
}
