//! Divides training images into folds, each of which is predicted from the others.

use std::collections::HashMap;
use std::path::Path;

use crate::data::Sample;
use crate::data::rng::{Purpose, Rng};
use crate::experiment::ResourceCache;
use crate::experiment::images::sample_evenly;
use crate::experiment::teach::{check_training_images, open_run_dataset};
use crate::message;
use crate::problem::{Problem, Result};
use crate::store;

/// Maximum number of images; if there are more, every class keeps the same share.
const MAX_IMAGES: usize = 50_000;
/// Number of folds.
const FOLDS: usize = 10;

/// A training image.
pub(super) struct FoldImage {
    /// Its index in the training split.
    pub index: usize,
    pub sample: Sample,
    /// Its class, as position in the class order.
    pub label: usize,
}

impl FoldImage {
    pub fn new(index: usize, sample: &Sample, label: usize) -> Self {
        let sample = sample.clone();
        Self { index, sample, label }
    }
}

/// Images divided into folds for cross-validation.
pub(super) struct Folds {
    pub images: Vec<FoldImage>,
    /// The end of each fold in `images`.
    pub ends: Vec<usize>,
    pub classes: usize,
}

impl Folds {
    pub fn gather(
        folder: &Path,
        task: usize,
        cache: &ResourceCache,
        should_continue: &(dyn Fn() -> bool + Sync),
    ) -> Result<Self> {
        let run = store::load_run(folder)?;
        let header = &run.header;
        let run_images = open_run_dataset(header, cache, should_continue)?;
        check_training_images(header, &run_images)?;
        let last = task.min(header.original_task_count().saturating_sub(1));
        let classes = header.tasks.get(last).map_or(0, |task| task.end);
        let (data, scenario) = (&run_images.data, &run_images.scenario);
        let sets = data.copy_set_numbers(&data.train);
        let images = data.train.iter().zip(sets).enumerate();
        let images = images.map(|(index, (sample, set))| {
            let label = scenario.class_label(sample.class as usize);
            (set, FoldImage::new(index, sample, label))
        });
        let images: Vec<(usize, FoldImage)> =
            images.filter(|(_, image)| image.label < classes).collect();
        let folds = Self::new(images, classes);
        folds.check_size()?;
        Ok(folds)
    }

    /// Checks that there are at least two classes and enough images.
    ///
    /// # Errors
    /// Returns a Problem if there are too few.
    pub fn check_size(&self) -> Result<()> {
        if self.classes < 2 {
            return Err(Problem::new(message!("problem-single-class-learned"))
                .advise(message!("advice-choose-later-task")));
        }
        if self.images.len() >= FOLDS.max(2 * self.classes) {
            return Ok(());
        }
        Err(Problem::new(message!("problem-too-few-images-for-folds"))
            .advise(message!("advice-images-for-folds", folds = FOLDS.to_string())))
    }

    /// Divides images into folds that have about equally many images of each class. Images with the same set number
    /// (copies) are in the same fold.
    pub fn new(images: Vec<(usize, FoldImage)>, classes: usize) -> Self {
        let labels: Vec<usize> = images.iter().map(|(_, image)| image.label).collect();
        let mut order = match images.len() > MAX_IMAGES {
            true => sample_evenly(&labels, classes, MAX_IMAGES),
            false => (0..images.len()).collect(),
        };
        Rng::new(Purpose::Split, 0, 0, 0).shuffle(&mut order);
        let mut set_of = HashMap::new();
        let mut sets: Vec<Vec<usize>> = Vec::new();
        for at in order {
            let set = set_of.entry(images[at].0).or_insert_with(|| {
                sets.push(Vec::new());
                sets.len() - 1
            });
            sets[*set].push(at);
        }
        let mut counts = vec![[0usize; FOLDS]; classes];
        let mut folds: Vec<Vec<usize>> = vec![Vec::new(); FOLDS];
        for set in sets {
            let label = images[set[0]].1.label;
            let fewest = |fold: &usize| (counts[label][*fold], folds[*fold].len());
            let fold = (0..FOLDS).min_by_key(fewest).unwrap_or(0);
            for at in set {
                counts[images[at].1.label][fold] += 1;
                folds[fold].push(at);
            }
        }
        let ends = folds.iter().scan(0, |end, fold| {
            *end += fold.len();
            Some(*end)
        });
        let ends = ends.collect();
        let images = images.into_iter().map(|(_, image)| image);
        Self { images: select_in_order(images, folds.iter().flatten()), ends, classes }
    }

    /// Keeps the images that could be read; `readable` are their indices, sorted.
    ///
    /// # Errors
    /// Returns a Problem if too few remain.
    pub fn retain(&mut self, readable: &[usize]) -> Result<()> {
        self.ends = (self.ends.iter()).map(|end| readable.partition_point(|at| at < end)).collect();
        self.images = select_in_order(std::mem::take(&mut self.images), readable.iter());
        self.check_size()
    }
}

/// Returns the images at these indices, in this order; each index occurs once.
fn select_in_order<'a>(
    images: impl IntoIterator<Item = FoldImage>,
    indices: impl Iterator<Item = &'a usize>,
) -> Vec<FoldImage> {
    let mut slots: Vec<Option<FoldImage>> = images.into_iter().map(Some).collect();
    indices.filter_map(|at| slots[*at].take()).collect()
}
