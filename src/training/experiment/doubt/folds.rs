//! Divides training images into folds, each of which is predicted from the others.

use std::collections::HashMap;
use std::path::Path;

use crate::data::Sample;
use crate::data::rng::{Purpose, Rng};
use crate::experiment::ResourceCache;
use crate::experiment::images::evenly;
use crate::experiment::teach::{check_training_images, own_images};
use crate::message;
use crate::problem::{Problem, Result};
use crate::store;

/// Maximum number of images; if there are more, every class keeps the same share.
const MOST: usize = 50_000;
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
        Self {
            index,
            sample,
            label,
        }
    }
}

/// Images divided into folds for cross-validation.
pub(super) struct Folds {
    pub pictures: Vec<FoldImage>,
    /// The end of each fold in `pictures`.
    pub ends: Vec<usize>,
    pub classes: usize,
}

impl Folds {
    pub fn gather(
        folder: &Path,
        task: usize,
        cache: &ResourceCache,
        go_on: &(dyn Fn() -> bool + Sync),
    ) -> Result<Self> {
        let stored = store::load(folder)?;
        let header = &stored.header;
        let own = own_images(header, cache, go_on)?;
        check_training_images(header, &own)?;
        let last = task.min(header.own_tasks().saturating_sub(1));
        let classes = header.tasks.get(last).map_or(0, |task| task.end);
        let (data, scenario) = (&own.data, &own.scenario);
        let sets = data.sets_of_copies(&data.train);
        let all = data.train.iter().zip(sets).enumerate();
        let all = all.map(|(index, (sample, set))| {
            let label = scenario.label_of(sample.class as usize);
            (set, FoldImage::new(index, sample, label))
        });
        let all: Vec<(usize, FoldImage)> = all.filter(|(_, one)| one.label < classes).collect();
        let folds = Self::divided(all, classes);
        folds.enough()?;
        Ok(folds)
    }

    /// Checks that there are at least two classes and enough images.
    ///
    /// # Errors
    /// Returns a Problem if there are too few.
    pub fn enough(&self) -> Result<()> {
        if self.classes < 2 {
            return Err(Problem::new(message!("problem-single-class-learned"))
                .advise(message!("advice-choose-later-task")));
        }
        if self.pictures.len() >= FOLDS.max(2 * self.classes) {
            return Ok(());
        }
        Err(
            Problem::new(message!("problem-too-few-images-for-folds")).advise(message!(
                "advice-images-for-folds",
                folds = FOLDS.to_string()
            )),
        )
    }

    /// Divides images into folds that have about equally many images of each class. Images with the same set number
    /// (copies) are in the same fold.
    pub fn divided(all: Vec<(usize, FoldImage)>, classes: usize) -> Self {
        let labels: Vec<usize> = all.iter().map(|(_, one)| one.label).collect();
        let mut order = match all.len() > MOST {
            true => evenly(&labels, classes, MOST),
            false => (0..all.len()).collect(),
        };
        Rng::new(Purpose::Split, 0, 0, 0).shuffle(&mut order);
        let mut set_of = HashMap::new();
        let mut sets: Vec<Vec<usize>> = Vec::new();
        for at in order {
            let set = set_of.entry(all[at].0).or_insert_with(|| {
                sets.push(Vec::new());
                sets.len() - 1
            });
            sets[*set].push(at);
        }
        let mut taken = vec![[0usize; FOLDS]; classes];
        let mut folds: Vec<Vec<usize>> = vec![Vec::new(); FOLDS];
        for set in sets {
            let label = all[set[0]].1.label;
            let fewest = |fold: &usize| (taken[label][*fold], folds[*fold].len());
            let fold = (0..FOLDS).min_by_key(fewest).unwrap_or(0);
            for at in set {
                taken[all[at].1.label][fold] += 1;
                folds[fold].push(at);
            }
        }
        let ends = folds.iter().scan(0, |end, fold| {
            *end += fold.len();
            Some(*end)
        });
        let ends = ends.collect();
        let all = all.into_iter().map(|(_, one)| one);
        Self {
            pictures: in_order(all, folds.iter().flatten()),
            ends,
            classes,
        }
    }

    /// Keeps the images that could be read; `read` are their places, sorted.
    ///
    /// # Errors
    /// Returns a Problem if too few remain.
    pub fn retain(&mut self, read: &[usize]) -> Result<()> {
        self.ends = (self.ends.iter())
            .map(|end| read.partition_point(|at| at < end))
            .collect();
        self.pictures = in_order(std::mem::take(&mut self.pictures), read.iter());
        self.enough()
    }
}

/// Returns the images at these places, in this order; each place occurs once.
fn in_order<'a>(
    all: impl IntoIterator<Item = FoldImage>,
    places: impl Iterator<Item = &'a usize>,
) -> Vec<FoldImage> {
    let mut all: Vec<Option<FoldImage>> = all.into_iter().map(Some).collect();
    places.filter_map(|at| all[*at].take()).collect()
}
