//! The small change between trainer and method: which task, which pass over its images, which
//! batch of a pass.

use std::ops::Range;

use burn::tensor::Tensor;

use super::optimiser::StepPosition;
use crate::problem::Problem;

/// A task of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Task {
    /// From 0.
    pub index: usize,
    /// Its classes, as positions in the class order.
    pub classes: Range<usize>,
}

impl Task {
    /// The newest of the tasks begun.
    pub fn newest(tasks: &[Range<usize>]) -> Option<Self> {
        let newest = tasks.iter().cloned().enumerate().next_back();
        newest.map(|(index, classes)| Self { index, classes })
    }
}

/// What is said where learning begins before any task.
pub(super) fn none_begun() -> Problem {
    Problem::new("learning began before any task")
}

/// Which training images a pass goes over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PassImages {
    /// Those of the present task.
    Task,
    /// Those of all tasks so far.
    Seen,
    /// The exemplars that the method keeps of earlier tasks, at most this number, then those of the present task.
    WithExemplars {
        /// The most that it keeps.
        most: usize,
    },
}

impl PassImages {
    /// How many they are in a task (from 0), given their numbers of training images; `None` if that is not known
    /// of the task.
    pub fn count(self, task: usize, train: &[usize]) -> Option<usize> {
        let own = *train.get(task)?;
        let earlier: usize = train[..task].iter().sum();
        Some(match self {
            Self::Task => own,
            Self::Seen => earlier + own,
            Self::WithExemplars { most } => earlier.min(most) + own,
        })
    }
}

/// What is done with the images of a pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PassWork {
    /// Learning by gradients.
    Learn {
        /// Whether only the head moves.
        frozen: bool,
    },
    /// Looking without learning by gradients: prototypes, statistics of features.
    Measure,
}

/// One pass over training images. A task is a list of them; the trainer and the estimate of time
/// both go by that list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pass {
    /// Which images.
    pub source: PassImages,
    /// Whether they are varied as training images are; else they come as test images do.
    pub augment: bool,
    /// Whether they come in a random order.
    pub shuffle: bool,
    /// Whether an incomplete last batch is left out where there are others.
    pub drop_last: bool,
    /// How many of them at most, the first in their order; `None` for all.
    pub most: Option<usize>,
    /// What is done with them.
    pub work: PassWork,
}

impl Pass {
    /// An epoch of training on the task's own images.
    pub const fn learning(frozen: bool) -> Self {
        Self {
            source: PassImages::Task,
            augment: true,
            shuffle: true,
            drop_last: true,
            most: None,
            work: PassWork::Learn { frozen },
        }
    }

    /// A look at each of the task's own images as at a test image.
    pub const fn measuring() -> Self {
        Self {
            source: PassImages::Task,
            augment: false,
            shuffle: false,
            drop_last: false,
            most: None,
            work: PassWork::Measure,
        }
    }

    /// Work for one image, against one that is learned from with the PET trained. Measured on the
    /// CPU device; it shapes progress and estimates only.
    pub fn cost(&self) -> f64 {
        match self.work {
            PassWork::Learn { frozen: false } => 1.0,
            // Only a forward pass.
            PassWork::Learn { frozen: true } => 0.45,
            PassWork::Measure => 0.4,
        }
    }

    /// Whether only the head moves.
    pub fn frozen(&self) -> bool {
        self.work == PassWork::Learn { frozen: true }
    }

    /// How many of this number of images it shows.
    pub fn shown(&self, images: usize, batch: usize) -> usize {
        let images = self.most.map_or(images, |most| images.min(most));
        // A task smaller than one batch is one smaller batch.
        if self.drop_last && images >= batch {
            images / batch * batch
        } else {
            images
        }
    }
}

/// A batch of a pass.
#[derive(Clone, Debug)]
pub struct Batch<'a> {
    /// Normalised images, batch × 3 × side × side, on the plain device.
    pub images: Tensor<4>,
    /// The class of each, as a position in the class order.
    pub labels: &'a [usize],
    /// Which image of the pass's source each is; the same image has the same number in every pass
    /// over that source.
    pub samples: &'a [usize],
    /// The pass within the task, from 0.
    pub pass: usize,
    /// Passes of the task that learn by gradients.
    pub epochs: usize,
    /// The batch within the pass, from 0.
    pub step: usize,
    /// Batches of the pass.
    pub steps: usize,
}

impl Batch<'_> {
    /// The position of its step within the task.
    pub fn position(&self) -> StepPosition {
        StepPosition::of((self.pass, self.epochs), (self.step, self.steps))
    }

    /// The labels counted within the task's own classes.
    pub fn local_labels(&self, task: &Task) -> Vec<usize> {
        let first = task.classes.start;
        let labels = self.labels.iter();
        labels.map(|label| label.saturating_sub(first)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exemplars_are_counted_up_to_their_number() {
        let with = PassImages::WithExemplars { most: 30 };
        let of = |images: PassImages| [0, 1, 2, 3].map(|task| images.count(task, &[20, 20, 5]));
        assert_eq!(of(PassImages::Task), [Some(20), Some(20), Some(5), None]);
        assert_eq!(of(PassImages::Seen), [Some(20), Some(40), Some(45), None]);
        assert_eq!(of(with), [Some(20), Some(40), Some(35), None]);
    }

    #[test]
    fn an_incomplete_batch_is_left_out_only_where_there_are_others() {
        let learning = Pass::learning(false);
        assert_eq!(learning.shown(50, 24), 48);
        assert_eq!(learning.shown(20, 24), 20);
        assert_eq!(Pass::measuring().shown(50, 24), 50);
        let most = Some(30);
        let few = |pass| Pass { most, ..pass }.shown(50, 24);
        assert_eq!(
            [Pass::learning(false), Pass::measuring()].map(few),
            [24, 30]
        );
    }
}
