//! The images of a run by task: first those of its own dataset, then those of its added tasks.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::data::scenario::Scenario;
use crate::data::{Dataset, Sample};
use crate::message;
use crate::metrics::{Answers, Expert};
use crate::store::AddedPictures;
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
struct OfAddedTask {
    train: Vec<(Sample, i64)>,
    test: Vec<(Sample, i64)>,
}

/// The images of a run.
pub(super) struct Images {
    /// `None` if the dataset is not available; then none of its images is tested.
    own: Option<RunDataset>,
    /// Number of tasks of the run's own dataset; `classes` is the number of their classes.
    tasks: usize,
    classes: usize,
    added_tasks: Vec<OfAddedTask>,
    /// Indices of own test images that are left out because they are copies of images taught later.
    copies: BTreeSet<usize>,
}

impl Images {
    /// Returns the images of the first `tasks` tasks of a run's own dataset, which have `classes` classes.
    pub fn new(own: Option<RunDataset>, tasks: usize, classes: usize) -> Self {
        Self {
            own,
            tasks,
            classes,
            added_tasks: Vec::new(),
            copies: BTreeSet::new(),
        }
    }

    /// Leaves out the own test images that are copies of `taught` images, since the network has been trained on them.
    /// Returns a message that says how many, or that copies could not be searched for.
    pub fn leave_out_copies(&mut self, taught: &[Sample]) -> Option<Message> {
        let data = &self.own.as_ref()?.data;
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
    pub fn push(&mut self, pictures: &AddedPictures, first: usize) {
        let labelled = |samples: Vec<Sample>| {
            let each = samples.into_iter();
            each.map(|sample| {
                let label = first + sample.class as usize;
                (sample, label as i64)
            })
            .collect()
        };
        self.added_tasks.push(OfAddedTask {
            train: labelled(pictures.train()),
            test: labelled(pictures.test()),
        });
    }

    /// Returns the training images of a task (from 0).
    pub fn train_of(&self, task: usize) -> Vec<(Sample, i64)> {
        if let Some(added_task) = task.checked_sub(self.tasks) {
            let added_task = self.added_tasks.get(added_task);
            return added_task.map_or_else(Vec::new, |added_task| added_task.train.clone());
        }
        let own = self.own.as_ref();
        own.map_or_else(Vec::new, |own| own.scenario.train_of(&own.data, task))
    }

    /// Returns the number of own classes seen by the end of a task.
    fn classes_seen(&self, own: &RunDataset, task: usize) -> usize {
        let ends = own.scenario.tasks.get(task.min(self.tasks - 1));
        ends.map_or(0, |task| task.end).min(self.classes)
    }

    /// Returns the accuracy with the original labels, if corrections changed the test split. Test images that
    /// corrections removed count as wrong; copies of taught images do not count. Every prediction names its source.
    pub fn as_they_came(&self, task: usize, answers: &Answers, expert: Expert) -> Option<f64> {
        let own = self
            .own
            .as_ref()
            .filter(|own| own.data.test_was_corrected())?;
        let (seen, data) = (self.classes_seen(own, task), &own.data);
        let (mut right, mut all) = (0, 0);
        for (at, given) in answers.of(expert).iter().enumerate() {
            let label = match answers.source(at) {
                0 => {
                    let sample = &data.test[answers.samples[at]];
                    own.scenario.label_of(data.class_as_it_came(sample))
                }
                _ => answers.labels[at],
            };
            // Without corrections, an image of a class that is still to come is not tested.
            if answers.source(at) > 0 || label < seen {
                all += 1;
                right += usize::from(*given == label);
            }
        }
        let left_out = data.left_out_of_test().iter();
        let left_out = left_out.filter(|&&class| own.scenario.label_of(class as usize) < seen);
        all += left_out.count();
        (all > 0).then(|| right as f64 / all as f64)
    }

    /// Returns the test images of the tasks 0..=task with their places.
    pub fn tests_up_to(&self, task: usize) -> (Vec<TestImageIndex>, Labelled) {
        let (mut places, mut samples) = (Vec::new(), Vec::new());
        if let Some(own) = &self.own {
            let seen = self.classes_seen(own, task);
            for (index, sample) in own.data.test.iter().enumerate() {
                let label = own.scenario.label_of(sample.class as usize);
                if label < seen && !self.copies.contains(&index) {
                    places.push((0, index));
                    samples.push((sample.clone(), label as i64));
                }
            }
        }
        let taught = (task + 1).saturating_sub(self.tasks);
        for (added_task, source) in self.added_tasks.iter().take(taught).zip(1..) {
            places.extend((0..added_task.test.len()).map(|index| (source, index)));
            samples.extend(added_task.test.iter().cloned());
        }
        (places, Arc::new(samples))
    }
}

/// Returns the indices of at most `most` of these labels, in order of class: equally many of each class as far as
/// possible, spread evenly over the images of the class. Leaves out some classes if there are more than `most`.
pub(super) fn evenly(labels: &[usize], classes: usize, most: usize) -> Vec<usize> {
    let mut of: Vec<Vec<usize>> = vec![Vec::new(); classes];
    for (at, label) in labels.iter().enumerate() {
        if let Some(class) = of.get_mut(*label) {
            class.push(at);
        }
    }
    of.retain(|class| !class.is_empty());
    let stride = of.len().div_ceil(most).max(1);
    let of: Vec<Vec<usize>> = of.into_iter().step_by(stride).collect();
    let mut each = most.checked_div(of.len()).unwrap_or(0);
    // Images that small classes do not use go to the other classes.
    while of
        .iter()
        .map(|class| class.len().min(each + 1))
        .sum::<usize>()
        <= most
        && of.iter().any(|class| class.len() > each)
    {
        each += 1;
    }
    let spread = |class: &Vec<usize>| -> Vec<usize> {
        let count = class.len().min(each);
        (0..count).map(|i| class[i * class.len() / count]).collect()
    };
    of.iter().flat_map(spread).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_are_even_and_what_small_ones_leave_goes_to_others() {
        // 100 of class 0, 2 of class 1, 100 of class 2.
        let labels: Vec<usize> = (0..202)
            .map(|at| {
                if at < 100 {
                    0
                } else {
                    1 + usize::from(at > 101)
                }
            })
            .collect();
        let chosen = evenly(&labels, 3, 30);
        let count = |class: usize| chosen.iter().filter(|at| labels[**at] == class).count();
        assert_eq!([count(0), count(1), count(2)], [14, 2, 14]);
        let unique: std::collections::BTreeSet<_> = chosen.iter().collect();
        assert_eq!(unique.len(), chosen.len());
        assert_eq!(chosen, evenly(&labels, 3, 30));
    }

    #[test]
    fn many_classes_are_thinned_and_few_pictures_are_all_taken() {
        let labels: Vec<usize> = (0..1000).collect();
        let chosen = evenly(&labels, 1000, 300);
        assert!(
            chosen.len() <= 300 && chosen.len() >= 200,
            "{}",
            chosen.len()
        );
        assert_eq!(evenly(&[0, 1, 1], 2, 300), [0, 1, 2]);
        assert!(evenly(&[], 0, 300).is_empty());
    }
}
