//! Data exchanged between trainer and method: the task, the pass over its images, the batch of a pass, the progress of
//! a long computation between two batches, and measurements.

use std::ops::Range;

use burn::tensor::Tensor;

use super::optimiser::StepPosition;
use crate::metrics::SlotCounts;
use crate::problem::{Problem, Result};

/// A task of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Task {
    /// The number of the task, from 0.
    pub index: usize,
    /// Its classes, as a range of positions in the class order.
    pub classes: Range<usize>,
}

impl Task {
    /// Returns the newest of the tasks begun.
    pub fn last(tasks: &[Range<usize>]) -> Option<Self> {
        let last_task = tasks.iter().cloned().enumerate().next_back();
        last_task.map(|(index, classes)| Self { index, classes })
    }
}

/// Returns the Problem of training before any task has begun.
pub(super) fn no_task_problem() -> Problem {
    Problem::new("learning began before any task")
}

/// The training images of a pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PassImages {
    /// The images of the current task.
    Task,
    /// The images of all tasks so far.
    AllTasks,
    /// The exemplars of earlier tasks, up to a maximum, then the images of the current task.
    WithExemplars {
        /// The maximum number of exemplars.
        limit: usize,
    },
}

impl PassImages {
    /// Returns the number of images in a task (from 0), given the number of training images of each task; `None` if
    /// unknown for the task.
    pub fn count(self, task: usize, train: &[usize]) -> Option<usize> {
        let current = *train.get(task)?;
        let earlier: usize = train[..task].iter().sum();
        Some(match self {
            Self::Task => current,
            Self::AllTasks => earlier + current,
            Self::WithExemplars { limit } => earlier.min(limit) + current,
        })
    }
}

/// The processing of the images of a pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PassWork {
    /// Learning by gradients.
    Learn {
        /// Whether only the head is trained.
        frozen: bool,
    },
    /// Measuring without gradients: prototypes, statistics of features.
    Measure,
}

/// One pass over training images. The trainer and the time estimate use the same list of passes per task.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pass {
    /// The images of the pass.
    pub source: PassImages,
    /// Whether the images are augmented; otherwise they are preprocessed like test images.
    pub augment: bool,
    /// Whether the images are shuffled.
    pub shuffle: bool,
    /// Whether an incomplete last batch is dropped if there are others.
    pub drop_last: bool,
    /// The maximum number of images, the first in order; `None` for all.
    pub max_images: Option<usize>,
    /// The processing of the images.
    pub work: PassWork,
}

impl Pass {
    /// Returns an epoch of training on the task's own images.
    pub const fn learning(frozen: bool) -> Self {
        Self {
            source: PassImages::Task,
            augment: true,
            shuffle: true,
            drop_last: true,
            max_images: None,
            work: PassWork::Learn { frozen },
        }
    }

    /// Returns a pass that processes each of the task's own images like a test image.
    pub const fn measuring() -> Self {
        Self {
            source: PassImages::Task,
            augment: false,
            shuffle: false,
            drop_last: false,
            max_images: None,
            work: PassWork::Measure,
        }
    }

    /// Returns the relative cost of one image; 1 for training with the PET. Measured on the CPU device; used only for
    /// progress and estimates.
    pub fn cost(&self) -> f64 {
        match self.work {
            PassWork::Learn { frozen: false } => 1.0,
            // A frozen pass only needs a forward pass through the network.
            PassWork::Learn { frozen: true } => 0.45,
            PassWork::Measure => 0.4,
        }
    }

    /// Returns whether this pass learns by gradients.
    pub fn is_learning(&self) -> bool {
        matches!(self.work, PassWork::Learn { .. })
    }

    /// Freezes everything except the head, if this is a training pass.
    pub fn freeze(&mut self) {
        if let PassWork::Learn { frozen } = &mut self.work {
            *frozen = true;
        }
    }

    /// Returns whether this pass trains only the head.
    pub fn is_frozen(&self) -> bool {
        self.work == PassWork::Learn { frozen: true }
    }

    /// Returns how many of `images` images the pass processes.
    pub fn processed_images(&self, images: usize, batch: usize) -> usize {
        let images = self.max_images.map_or(images, |limit| images.min(limit));
        // A task with fewer images than a batch uses one smaller batch.
        if self.drop_last && images >= batch { images / batch * batch } else { images }
    }
}

/// A batch of a pass.
#[derive(Clone, Debug)]
pub struct Batch<'a> {
    /// Normalised images, batch × 3 × side × side, without gradient tracking.
    pub images: Tensor<4>,
    /// The class of each image, as a position in the class order.
    pub labels: &'a [usize],
    /// The index of each image in the pass's source; the same image has the same index in every pass over that source.
    pub samples: &'a [usize],
    /// The pass within the task, from 0.
    pub pass: usize,
    /// Number of passes of the task that learn by gradients.
    pub epochs: usize,
    /// The batch within the pass, from 0.
    pub step: usize,
    /// Number of batches of the pass.
    pub steps: usize,
}

impl Batch<'_> {
    /// Returns the position of the batch's step within the task.
    pub fn position(&self) -> StepPosition {
        StepPosition::new((self.pass, self.epochs), (self.step, self.steps))
    }

    /// Returns the labels relative to the task's own classes.
    pub fn local_labels(&self, task: &Task) -> Vec<usize> {
        let first = task.classes.start;
        let labels = self.labels.iter();
        labels.map(|label| label.saturating_sub(first)).collect()
    }
}

/// A callback that is called after each step of a long computation with the steps done and the total number of steps.
/// It returns whether to continue.
pub struct CancelToken<'a>(Option<&'a mut dyn FnMut(usize, usize) -> bool>);

impl<'a> CancelToken<'a> {
    /// Returns a [`CancelToken`] that calls `callback` after each step.
    pub fn with_callback(callback: &'a mut dyn FnMut(usize, usize) -> bool) -> Self {
        Self(Some(callback))
    }

    /// Returns a [`CancelToken`] that never cancels and reports nothing.
    pub fn never() -> Self {
        Self(None)
    }

    /// Reports that `done` of `total` steps are done.
    ///
    /// # Errors
    /// Returns a Problem if the computation was cancelled; its result is then useless.
    pub fn report(&mut self, done: usize, total: usize) -> Result<()> {
        match self.0.as_mut().is_none_or(|callback| callback(done, total)) {
            true => Ok(()),
            false => Err(Problem::new("this work was stopped")),
        }
    }
}

/// When a method reports its measurements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Moment {
    /// With every progress report and after every pass. The values after passes are stored as `NAME_1`, `NAME_2`, ….
    Pass,
    /// After a task was tested; stored as `NAME`.
    Task,
}

/// A measurement with its name.
#[derive(Clone, Debug, PartialEq)]
pub struct Measurement {
    /// Its name in files and JSON.
    pub name: &'static str,
    /// Its value.
    pub value: MeasuredValue,
}

/// The value of a measurement.
#[derive(Clone, Debug, PartialEq)]
pub enum MeasuredValue {
    /// A number.
    Number(f64),
    /// For each task so far, the results of its test images with each of the method's prompt slots. Reported only after
    /// a task, and at most once per method.
    Study(Vec<SlotCounts>),
}

impl Measurement {
    /// Returns a number with this name.
    pub const fn number(name: &'static str, value: f64) -> Self {
        Self { name, value: MeasuredValue::Number(value) }
    }

    /// Returns name and value of a number; `None` for another measurement.
    pub fn as_number(&self) -> Option<(String, f64)> {
        match self.value {
            MeasuredValue::Number(value) => Some((self.name.to_string(), value)),
            MeasuredValue::Study(_) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn count_limits_exemplars_to_maximum() {
        let with_exemplars = PassImages::WithExemplars { limit: 30 };
        let counts = |images: PassImages| [0, 1, 2, 3].map(|task| images.count(task, &[20, 20, 5]));
        assert_eq!(counts(PassImages::Task), [Some(20), Some(20), Some(5), None]);
        assert_eq!(counts(PassImages::AllTasks), [Some(20), Some(40), Some(45), None]);
        assert_eq!(counts(with_exemplars), [Some(20), Some(40), Some(35), None]);
    }

    #[test]
    fn drops_incomplete_batch_unless_it_is_only_one() {
        let learning = Pass::learning(false);
        assert_eq!(learning.processed_images(50, 24), 48);
        assert_eq!(learning.processed_images(20, 24), 20);
        assert_eq!(Pass::measuring().processed_images(50, 24), 50);
        let max_images = Some(30);
        let count_limited = |pass| Pass { max_images, ..pass }.processed_images(50, 24);
        assert_eq!([Pass::learning(false), Pass::measuring()].map(count_limited), [24, 30]);
    }
}
