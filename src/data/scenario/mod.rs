//! Class order and tasks: which classes a continual learner learns, and when.
//!
//! A scenario orders the classes of a dataset and divides them into tasks. The position of a class in the order is its
//! logit, so a growing head only appends logits. The paper reports means over three orders: the natural one (sorted by
//! name) and two given ones, which are built in.

mod arrange;
mod order;
mod sizes;

use std::ops::Range;

pub use order::ClassOrder;
pub use sizes::TaskSizes;

use super::{Dataset, Sample};
use crate::problem::Result;

/// The classes of a dataset in order, divided into tasks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Scenario {
    /// Position (= logit) → index into `Dataset::classes`.
    pub class_order: Vec<usize>,
    /// The range of positions of each task, without gaps.
    pub tasks: Vec<Range<usize>>,
    /// Index into `Dataset::classes` → position.
    positions: Vec<usize>,
}

impl Scenario {
    /// Orders `classes` (sorted by name) and divides them into tasks.
    ///
    /// # Errors
    /// Returns a Problem if the order or sizes do not fit the classes.
    pub fn new(classes: &[String], order: &ClassOrder, sizes: &TaskSizes) -> Result<Self> {
        let class_order = order.resolve(classes)?;
        Ok(Self::from_parts(class_order, sizes.ranges(classes.len())?))
    }

    fn from_parts(class_order: Vec<usize>, tasks: Vec<Range<usize>>) -> Self {
        let mut positions = vec![0; class_order.len()];
        for (position, &class) in class_order.iter().enumerate() {
            positions[class] = position;
        }
        Self { class_order, tasks, positions }
    }

    /// Returns the number of tasks.
    pub fn task_count(&self) -> usize {
        self.tasks.len()
    }

    /// Returns the logit of a class, given its index into `Dataset::classes`.
    pub fn class_label(&self, class: usize) -> usize {
        self.positions.get(class).copied().unwrap_or(usize::MAX)
    }

    /// Returns the task with the class at this position.
    pub fn task_at(&self, position: usize) -> Option<usize> {
        self.tasks.iter().position(|task| task.contains(&position))
    }

    /// Returns the class names in order, one per logit.
    pub fn class_names(&self, classes: &[String]) -> Vec<String> {
        self.class_order.iter().filter_map(|&class| classes.get(class).cloned()).collect()
    }

    /// Returns the training images of a task with their labels (positions), in the dataset's order.
    pub fn train_samples(&self, data: &Dataset, task: usize) -> Vec<(Sample, i64)> {
        self.select(&data.train, task)
    }

    /// Returns the test images of a task with their labels (positions), in the dataset's order.
    pub fn test_samples(&self, data: &Dataset, task: usize) -> Vec<(Sample, i64)> {
        self.select(&data.test, task)
    }

    fn select(&self, samples: &[Sample], task: usize) -> Vec<(Sample, i64)> {
        let range = self.tasks.get(task).cloned().unwrap_or_default();
        samples
            .iter()
            .filter_map(|sample| {
                let position = self.class_label(sample.class as usize);
                range.contains(&position).then(|| (sample.clone(), position as i64))
            })
            .collect()
    }
}

#[cfg(test)]
mod tests;
