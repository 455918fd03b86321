//! The images of a run by task: first those of its own dataset, then those of its added tasks.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::data::scenario::Scenario;
use crate::data::{Dataset, Sample};
use crate::message;
use crate::metrics::{Expert, Predictions};
use crate::store::AddedImages;
use crate::texts::Message;

/// Images with their labels (positions in the class order).
pub(super) type Labelled = Arc<Vec<(Sample, i64)>>;

/// Identifies a test image: its source (0 for the run's own dataset, k for its k-th added task) and its index among
/// the test images of that source.
pub(super) type TestImageIndex = (usize, usize);

/// The dataset that a run was set up with, and its classes in order.
pub(super) struct RunDataset {
    pub data: Arc<Dataset>,
    pub scenario: Scenario,
}

/// Images of one added task with their labels.
struct AddedTaskImages {
    train: Vec<(Sample, i64)>,
    test: Vec<(Sample, i64)>,
}

/// The images of a run.
pub(super) struct Images {
    /// `None` if the dataset is not available; then none of its images is tested.
    dataset: Option<RunDataset>,
    /// Number of tasks of the run's own dataset; `classes` is the number of their classes.
    tasks: usize,
    classes: usize,
    added_tasks: Vec<AddedTaskImages>,
    /// Indices of own test images that are left out because they are copies of images taught later.
    copies: BTreeSet<usize>,
}

impl Images {
    /// Returns the images of the first `tasks` tasks of a run's own dataset, which have `classes` classes.
    pub fn new(dataset: Option<RunDataset>, tasks: usize, classes: usize) -> Self {
        Self { dataset, tasks, classes, added_tasks: Vec::new(), copies: BTreeSet::new() }
    }

    /// Excludes own test images that are copies of `taught` images, since the network has been trained on them.
    /// Returns a message that says how many, or that copies could not be searched for.
    pub fn exclude_copies(&mut self, taught: &[Sample]) -> Option<Message> {
        let data = &self.dataset.as_ref()?.data;
        let Some(copies) = data.copies_in_test(taught) else {
            return Some(message!("teach-copies-not-searched"));
        };
        self.copies = copies;
        match self.copies.len() {
            0 => None,
            n => Some(message!("teach-copies-excluded", n)),
        }
    }

    /// Appends an added task whose first class has position `first` in the class order.
    pub fn push(&mut self, added_images: &AddedImages, first: usize) {
        let label_samples = |samples: Vec<Sample>| {
            let unlabelled = samples.into_iter();
            unlabelled
                .map(|sample| {
                    let label = first + sample.class as usize;
                    (sample, label as i64)
                })
                .collect()
        };
        self.added_tasks.push(AddedTaskImages {
            train: label_samples(added_images.train()),
            test: label_samples(added_images.test()),
        });
    }

    /// Returns the training images of a task (from 0).
    pub fn training_samples(&self, task: usize) -> Vec<(Sample, i64)> {
        if let Some(added_task) = task.checked_sub(self.tasks) {
            let added_task = self.added_tasks.get(added_task);
            return added_task.map_or_else(Vec::new, |added_task| added_task.train.clone());
        }
        let dataset = self.dataset.as_ref();
        dataset.map_or_else(Vec::new, |dataset| dataset.scenario.train_samples(&dataset.data, task))
    }

    /// Returns the number of own classes seen by the end of a task.
    fn classes_seen(&self, dataset: &RunDataset, task: usize) -> usize {
        let ends = dataset.scenario.tasks.get(task.min(self.tasks - 1));
        ends.map_or(0, |task| task.end).min(self.classes)
    }

    /// Returns the accuracy with the original labels, if corrections changed the test split. Test images that
    /// corrections removed count as wrong; copies of taught images do not count. Every prediction names its source.
    pub fn accuracy_on_original_labels(
        &self,
        task: usize,
        answers: &Predictions,
        expert: Expert,
    ) -> Option<f64> {
        let dataset = self.dataset.as_ref().filter(|dataset| dataset.data.is_test_corrected())?;
        let (class_count, data) = (self.classes_seen(dataset, task), &dataset.data);
        let (mut correct, mut total) = (0, 0);
        for (at, prediction) in answers.for_expert(expert).iter().enumerate() {
            let label = match answers.source(at) {
                0 => {
                    let sample = &data.test[answers.samples[at]];
                    dataset.scenario.class_label(data.original_class(sample))
                }
                _ => answers.labels[at],
            };
            // Without corrections, an image of a class that is still to come is not tested.
            if answers.source(at) > 0 || label < class_count {
                total += 1;
                correct += usize::from(*prediction == label);
            }
        }
        let excluded = data.excluded_from_test().iter();
        let excluded =
            excluded.filter(|&&class| dataset.scenario.class_label(class as usize) < class_count);
        total += excluded.count();
        (total > 0).then(|| correct as f64 / total as f64)
    }

    /// Returns the test images of the tasks 0..=task with their indices.
    pub fn test_samples_up_to(&self, task: usize) -> (Vec<TestImageIndex>, Labelled) {
        let (mut indices, mut samples) = (Vec::new(), Vec::new());
        if let Some(dataset) = &self.dataset {
            let class_count = self.classes_seen(dataset, task);
            for (index, sample) in dataset.data.test.iter().enumerate() {
                let label = dataset.scenario.class_label(sample.class as usize);
                if label < class_count && !self.copies.contains(&index) {
                    indices.push((0, index));
                    samples.push((sample.clone(), label as i64));
                }
            }
        }
        let added_count = (task + 1).saturating_sub(self.tasks);
        for (added_task, source) in self.added_tasks.iter().take(added_count).zip(1..) {
            indices.extend((0..added_task.test.len()).map(|index| (source, index)));
            samples.extend(added_task.test.iter().cloned());
        }
        (indices, Arc::new(samples))
    }
}

/// Returns the indices of at most `max` of these labels, in order of class: equally many of each class as far as
/// possible, spread evenly over the images of the class. Leaves out some classes if there are more than `max`.
pub(super) fn sample_evenly(labels: &[usize], classes: usize, max: usize) -> Vec<usize> {
    let mut by_class: Vec<Vec<usize>> = vec![Vec::new(); classes];
    for (at, label) in labels.iter().enumerate() {
        if let Some(class) = by_class.get_mut(*label) {
            class.push(at);
        }
    }
    by_class.retain(|class| !class.is_empty());
    let stride = by_class.len().div_ceil(max).max(1);
    let by_class: Vec<Vec<usize>> = by_class.into_iter().step_by(stride).collect();
    let mut per_class = max.checked_div(by_class.len()).unwrap_or(0);
    // Images that small classes do not use go to the other classes.
    while by_class.iter().map(|class| class.len().min(per_class + 1)).sum::<usize>() <= max
        && by_class.iter().any(|class| class.len() > per_class)
    {
        per_class += 1;
    }
    let spread = |class: &Vec<usize>| -> Vec<usize> {
        let count = class.len().min(per_class);
        (0..count).map(|i| class[i * class.len() / count]).collect()
    };
    by_class.iter().flat_map(spread).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_are_balanced_and_unused_slots_are_redistributed() {
        // 100 of class 0, 2 of class 1, 100 of class 2.
        let labels: Vec<usize> =
            (0..202).map(|at| if at < 100 { 0 } else { 1 + usize::from(at > 101) }).collect();
        let chosen = sample_evenly(&labels, 3, 30);
        let count = |class: usize| chosen.iter().filter(|at| labels[**at] == class).count();
        assert_eq!([count(0), count(1), count(2)], [14, 2, 14]);
        let unique: std::collections::BTreeSet<_> = chosen.iter().collect();
        assert_eq!(unique.len(), chosen.len());
        assert_eq!(chosen, sample_evenly(&labels, 3, 30));
    }

    #[test]
    fn limits_images_of_many_classes_but_keeps_small_sets() {
        let labels: Vec<usize> = (0..1000).collect();
        let chosen = sample_evenly(&labels, 1000, 300);
        assert!(chosen.len() <= 300 && chosen.len() >= 200, "{}", chosen.len());
        assert_eq!(sample_evenly(&[0, 1, 1], 2, 300), [0, 1, 2]);
        assert!(sample_evenly(&[], 0, 300).is_empty());
    }
}
