//! Counts of correct predictions by task. Accuracy matrix and averages are computed from these integers, so counts
//! from a file give the same accuracies, bit by bit.

use std::ops::Range;

use serde::{Deserialize, Serialize};

use super::{ByExpert, Predictions, tasks_by_class};

/// Number of test images of each task and of correct predictions, after one task was learned.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TaskCounts {
    /// Number of test images of each task so far; 0 for a task that was not tested.
    pub images: Vec<usize>,
    /// Number of correct predictions of each task, by expert.
    pub right: ByExpert<Vec<usize>>,
    /// Number of correct predictions with the task of each image given, if it was measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task_given: Option<usize>,
}

impl TaskCounts {
    /// Counts the predictions for the images of these tasks.
    pub fn new(predictions: &Predictions, tasks: &[Range<usize>]) -> Self {
        let task_by_class = tasks_by_class(tasks);
        let image_tasks = predictions.labels.iter();
        let image_tasks: Vec<Option<usize>> =
            image_tasks.map(|label| task_by_class.get(*label).copied().flatten()).collect();
        let count = |is_counted: &dyn Fn(usize) -> bool| {
            let mut counts = vec![0; tasks.len()];
            let images = image_tasks.iter().enumerate().filter(|(at, _)| is_counted(*at));
            for task in images.filter_map(|(_, task)| *task) {
                counts[task] += 1;
            }
            counts
        };
        let right =
            |predicted: &[usize]| count(&|at| predicted.get(at) == Some(&predictions.labels[at]));
        Self {
            images: count(&|_| true),
            right: predictions
                .given
                .iter()
                .map(|(expert, predicted)| (*expert, right(predicted)))
                .collect(),
            task_given: predictions
                .has_task_given()
                .then(|| right(&predictions.task_given).iter().sum()),
        }
    }

    /// Returns whether these are valid counts for this number of tasks, with no more correct predictions than images.
    pub fn is_valid_for(&self, tasks: usize) -> bool {
        let all: usize = self.images.iter().sum();
        let is_valid = |right: &Vec<usize>| {
            let mut pairs = right.iter().zip(&self.images);
            right.len() == tasks && pairs.all(|(right, images)| right <= images)
        };
        self.images.len() == tasks
            && self.right.values().all(is_valid)
            && self.task_given.is_none_or(|right| right <= all)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metrics::{Expert, Histories};

    #[test]
    fn counts_reproduce_accuracies_after_serde_roundtrip() {
        let tasks = [0..2, 2..3, 3..5];
        let labels = vec![0, 1, 2, 3, 4, 4, 0, 0];
        let answers = Predictions {
            given: ByExpert::from([
                (Expert::ONLINE, vec![0, 0, 2, 3, 1, 4, 4, 0]),
                (Expert::OFFLINE, labels.clone()),
            ]),
            task_given: vec![0, 1, 2, 3, 3, 4, 1, 0],
            labels,
            ..Predictions::default()
        };
        // The images of the second task are not available.
        let mut partly = answers.clone();
        partly.labels[2] = 0;
        let (mut by_answers, mut by_counts) = (Histories::default(), Histories::default());
        for answers in [&answers, &partly] {
            by_answers.push(answers, &tasks);
            let counts = TaskCounts::new(answers, &tasks);
            assert!(counts.is_valid_for(3) && !counts.is_valid_for(2));
            let text = serde_json::to_string(&counts).unwrap();
            by_counts.push_counts(&serde_json::from_str(&text).unwrap());
        }
        // Compared as text, because NaN does not equal itself.
        assert_eq!(format!("{by_answers:?}"), format!("{by_counts:?}"));
        let online = by_counts.for_expert(Expert::ONLINE);
        assert_eq!(online.matrix[0], [0.5, 1.0, 2.0 / 3.0]);
        assert_eq!(online.accuracy[0], answers.accuracy(Expert::ONLINE));
        assert!(online.accuracy[1].is_nan());
        assert_eq!(by_counts.task_given[0], answers.accuracy_task_given());
    }

    #[test]
    fn tasks_without_test_images_are_unknown() {
        let tasks = [0..1, 1..2, 2..3];
        let first = Predictions {
            labels: vec![0],
            given: [(Expert::ANSWER, vec![0])].into(),
            task_given: vec![0],
            ..Predictions::default()
        };
        let none = Predictions::default();
        assert_eq!(
            (none.accuracy_task_given(), TaskCounts::new(&none, &tasks).task_given),
            (None, None)
        );
        for answers in [[&first, &none], [&none, &first]] {
            let mut histories = Histories::default();
            for (task, answers) in answers.into_iter().enumerate() {
                histories.push(answers, &tasks[..=task]);
            }
            let history = histories.for_expert(Expert::ANSWER);
            assert_eq!(history.matrix.iter().map(Vec::len).collect::<Vec<_>>(), [1, 2]);
            assert_eq!((history.accuracy.len(), histories.task_given.len()), (2, 2));
            assert_eq!((history.last_accuracy(), history.forgetting()), (None, None));
            assert_eq!(histories.task_given.iter().flatten().count(), 1);
        }
    }

    #[test]
    fn rejects_inconsistent_counts() {
        let counts = |images: &[usize], right: &[usize], task_given| TaskCounts {
            images: images.to_vec(),
            right: [(Expert::ANSWER, right.to_vec())].into(),
            task_given,
        };
        assert!(counts(&[2, 3], &[2, 0], Some(5)).is_valid_for(2));
        assert!(!counts(&[2, 3], &[3, 0], None).is_valid_for(2));
        assert!(!counts(&[2, 3], &[2], None).is_valid_for(2));
        assert!(!counts(&[2, 3], &[2, 0], Some(6)).is_valid_for(2));
    }
}
