//! Metrics of a class-incremental run: accuracy matrix, A_N, Ā_N, forgetting, confusion.
//!
//! Plain numbers, no tensors. Accuracies are fractions in 0..=1; only the two front ends convert them to percent. The
//! definitions are those of the paper (§5.1):
//!
//! * A_i: accuracy on all test images of tasks 1..=i after learning task i (each image counts once);
//! * A_N: the last of them; Ā_N: their mean, for two or more tasks;
//! * task-averaged A: mean over tasks of the accuracy per task at the end (as reported by L2P);
//! * F_N: mean over tasks j < N of (best accuracy on task j before the end) − (its accuracy at the end).
//!
//! In addition: backward transfer, learning accuracy, balanced accuracy and calibration error, each with its source.
//! There is no forward transfer (the accuracy on a task before it is learned), because a class that was not learned has
//! no output, so it would always be 0.
//!
//! All of them are class-incremental: each prediction is one of all classes seen. The accuracy with the task given (the
//! choice is among the classes of the image's own task) is easier and is reported separately.

mod calibration;
mod class_counts;
mod confusion;
mod expert;
mod mistakes;
mod paired;
mod slots;
mod t_test;
mod tally;
mod task_counts;

use std::ops::Range;

pub use calibration::calibration_error;
pub use class_counts::ClassCounts;
pub use confusion::{Blocks, Confusion, block_means};
pub use expert::{ByExpert, Expert};
pub use mistakes::Misclassification;
pub use paired::Paired;
use serde::{Deserialize, Serialize};
pub use slots::{PromptStudy, SlotCounts, SlotResult};
pub use t_test::{MeanDifference, SIGNIFICANCE, corrected_p_value};
pub use tally::Tally;
pub use task_counts::TaskCounts;

/// Predictions for all test images of the tasks seen so far, after one task was learned. Classes are positions in the
/// run's class order (logit indices).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Predictions {
    /// Test image: index into the test split of its source.
    pub samples: Vec<usize>,
    /// Source of each image: 0 for the run's own dataset, k for its k-th added task. Empty if all are from the run's
    /// dataset.
    #[serde(default)]
    pub sources: Vec<usize>,
    /// True class of each image.
    pub labels: Vec<usize>,
    /// Predicted class of each image, by expert.
    pub given: ByExpert<Vec<usize>>,
    /// Score of the predicted class of each image, by expert. Empty in runs of older versions.
    #[serde(default)]
    pub certainty: ByExpert<Vec<f32>>,
    /// Predicted class of each image among the classes of its task (the task-incremental setting). Empty in runs of
    /// older versions.
    pub task_given: Vec<usize>,
}

impl Predictions {
    /// Returns the predictions of an expert; empty if the run does not have it.
    pub fn for_expert(&self, expert: Expert) -> &[usize] {
        self.given.get(&expert).map_or(&[], Vec::as_slice)
    }

    /// Returns the source of the image at this index: 0 for the run's own dataset, k for its k-th added task.
    pub fn source(&self, index: usize) -> usize {
        self.sources.get(index).copied().unwrap_or(0)
    }

    /// Returns the accuracy on the images whose class is in this range; `None` if there are none.
    pub fn accuracy_within(&self, expert: Expert, classes: &Range<usize>) -> Option<f64> {
        let tally = Tally::within(self, expert, classes);
        (tally.images > 0).then(|| tally.accuracy())
    }

    /// Returns the number of images whose class is in this range.
    pub fn images_within(&self, classes: &Range<usize>) -> usize {
        let labels = self.labels.iter();
        labels.filter(|label| classes.contains(label)).count()
    }

    /// Returns the accuracy on all images with the task given (masked logits); `None` if it was not measured or there
    /// are no images.
    pub fn accuracy_task_given(&self) -> Option<f64> {
        self.has_task_given().then(|| correct_share(&self.labels, &self.task_given))
    }

    /// Returns whether there are images, and each was also classified with its task given.
    fn has_task_given(&self) -> bool {
        self.task_given.len() == self.labels.len() && !self.labels.is_empty()
    }

    /// Returns A_i, the share of correct predictions; 0 if there are no images.
    pub fn accuracy(&self, expert: Expert) -> f64 {
        correct_share(&self.labels, self.for_expert(expert))
    }

    /// Returns the confusion matrix of classes.
    pub fn confusion(&self, expert: Expert, classes: usize) -> Confusion {
        let labels = self.labels.iter().copied();
        Confusion::new(classes, labels.zip(self.for_expert(expert).iter().copied()))
    }

    /// Returns the confusion matrix of tasks: the task of the true class, and that of the predicted class.
    pub fn task_confusion(&self, expert: Expert, tasks: &[Range<usize>]) -> Confusion {
        let task_by_class = tasks_by_class(tasks);
        let to_task = |class: &usize| task_by_class.get(*class).copied().flatten();
        let pairs = self.labels.iter().zip(self.for_expert(expert));
        let task_pairs =
            pairs.filter_map(|(label, answer)| Some((to_task(label)?, to_task(answer)?)));
        Confusion::new(tasks.len(), task_pairs)
    }
}

/// Returns the task of each class.
pub fn tasks_by_class(tasks: &[Range<usize>]) -> Vec<Option<usize>> {
    let classes = tasks.iter().map(|task| task.end).max().unwrap_or(0);
    let mut table = vec![None; classes];
    for (task, range) in tasks.iter().enumerate() {
        table[range.clone()].fill(Some(task));
    }
    table
}

/// Returns the share of equal pairs; 0 for no pairs.
fn correct_share(labels: &[usize], answers: &[usize]) -> f64 {
    let pairs = labels.iter().zip(answers);
    let right = pairs.filter(|(label, answer)| label == answer).count();
    share(right, labels.len().min(answers.len()))
}

/// Returns right / all; 0 if `all` is 0.
fn share(right: usize, all: usize) -> f64 {
    match all {
        0 => 0.0,
        _ => right as f64 / all as f64,
    }
}

/// The history of one expert over a run: A_i and the accuracy matrix. Values that could not be measured are NaN: the
/// accuracies on tasks whose dataset was not available when an added task was tested, and A_i with them.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct History {
    /// A_1..A_i.
    pub accuracy: Vec<f64>,
    /// Row i: accuracy on tasks 1..=i after learning task i.
    pub matrix: Vec<Vec<f64>>,
    /// Test images of each task, as many as were available when it was last measured.
    #[serde(default)]
    pub images: Vec<usize>,
}

impl History {
    /// Returns A_N, if it was measured.
    pub fn last_accuracy(&self) -> Option<f64> {
        self.accuracy.last().copied().filter(|a| a.is_finite())
    }

    /// Returns Ā_N, if all tasks were measured; `None` for fewer than two, since the mean of one value (all classes at
    /// once, for example) is not comparable with that of several.
    pub fn average_accuracy(&self) -> Option<f64> {
        let several = mean(&self.accuracy).filter(|_| self.accuracy.len() > 1);
        several.filter(|a| a.is_finite())
    }

    /// Returns the mean over tasks of the accuracy at the end, if all were measured.
    pub fn task_averaged(&self) -> Option<f64> {
        let row = self.matrix.last();
        row.and_then(|row| mean(row)).filter(|a| a.is_finite())
    }

    /// Returns F_N as a fraction; 0 for fewer than two tasks, `None` if earlier tasks were not measured at the end. It
    /// is negative if accuracy on earlier tasks increased.
    pub fn forgetting(&self) -> Option<f64> {
        let drops = self.drops();
        Some(mean(&drops).unwrap_or(0.0)).filter(|f| f.is_finite())
    }

    /// Returns the mean over tasks of the accuracy right after each was learned, if all were measured (learning
    /// accuracy; Riemer et al., ICLR 2019).
    pub fn learning_accuracy(&self) -> Option<f64> {
        mean(&self.accuracies_when_learned()).filter(|a| a.is_finite())
    }

    /// Returns the backward transfer: the mean over tasks j < N of (accuracy at the end − accuracy right after task j
    /// was learned). Above 0, later tasks improved earlier ones (Lopez-Paz and Ranzato, NeurIPS 2017). `None` for fewer
    /// than two tasks, and if earlier tasks were not measured at the end.
    pub fn backward_transfer(&self) -> Option<f64> {
        let (last, before) = self.matrix.split_last()?;
        let gains = last.iter().zip(self.accuracies_when_learned());
        let gains: Vec<f64> = gains.take(before.len()).map(|(end, a)| end - a).collect();
        mean(&gains).filter(|gain| gain.is_finite())
    }

    /// Returns the accuracy on each task right after it was learned.
    fn accuracies_when_learned(&self) -> Vec<f64> {
        let rows = self.matrix.iter().enumerate();
        rows.filter_map(|(task, row)| row.get(task).copied()).collect()
    }

    /// Returns, for each task j < N, the best accuracy before the end minus the accuracy at the end.
    pub fn drops(&self) -> Vec<f64> {
        let Some((last, before)) = self.matrix.split_last() else {
            return Vec::new();
        };
        let mut best = vec![f64::NEG_INFINITY; before.len()];
        for row in before {
            for (best, value) in best.iter_mut().zip(row) {
                *best = best.max(*value);
            }
        }
        best.iter().zip(last).map(|(best, end)| best - end).collect()
    }
}

/// The histories of all experts of a run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Histories {
    of: ByExpert<History>,
    /// Accuracy after each task with the task of each image given, if it was measured.
    pub task_given: Vec<Option<f64>>,
}

impl Histories {
    /// Adds the predictions after one more task; `tasks` are those seen so far.
    pub fn push(&mut self, predictions: &Predictions, tasks: &[Range<usize>]) {
        self.push_counts(&TaskCounts::new(predictions, tasks));
    }

    /// Adds the numbers of correct predictions after one more task. An expert without predictions, because no image was
    /// available, gets a row of NaN.
    pub fn push_counts(&mut self, counts: &TaskCounts) {
        let all: usize = counts.images.iter().sum();
        let earlier_tasks = self.task_given.len();
        for expert in counts.right.keys() {
            self.of.or_default(*expert);
        }
        for expert in self.experts().collect::<Vec<_>>() {
            let right = counts.right.get(&expert);
            let row = counts.images.iter().enumerate().map(|(task, images)| {
                let right = right.and_then(|right| right.get(task));
                right.filter(|_| *images > 0).map_or(f64::NAN, |right| share(*right, *images))
            });
            let history = self.of.or_default(expert);
            while history.matrix.len() < earlier_tasks {
                history.matrix.push(vec![f64::NAN; history.matrix.len() + 1]);
                history.accuracy.push(f64::NAN);
            }
            let right = right.filter(|_| !counts.images.contains(&0));
            history.accuracy.push(right.map_or(f64::NAN, |right| share(right.iter().sum(), all)));
            history.matrix.push(row.collect());
            history.images.resize(counts.images.len(), 0);
            for (stored, images) in history.images.iter_mut().zip(&counts.images) {
                if *images > 0 {
                    *stored = *images;
                }
            }
        }
        let task_given = counts.task_given.filter(|_| all > 0);
        self.task_given.push(task_given.map(|right| share(right, all)));
    }

    /// Removes the measurements after the first `tasks` tasks.
    pub fn truncate(&mut self, tasks: usize) {
        for history in self.of.values_mut() {
            history.accuracy.truncate(tasks);
            history.matrix.truncate(tasks);
            history.images.truncate(tasks);
        }
        self.task_given.truncate(tasks);
    }

    /// Returns the history of an expert; empty if the run does not have it.
    pub fn for_expert(&self, expert: Expert) -> &History {
        static EMPTY: History =
            History { accuracy: Vec::new(), matrix: Vec::new(), images: Vec::new() };
        self.of.get(&expert).unwrap_or(&EMPTY)
    }

    /// Returns the experts of the run in display order.
    pub fn experts(&self) -> impl Iterator<Item = Expert> {
        self.of.keys().copied()
    }

    /// Returns the expert whose predictions are the run's.
    pub fn answer_expert(&self) -> Expert {
        self.experts().last().unwrap_or(Expert::ANSWER)
    }

    /// Returns the history of the run's predictions.
    pub fn answer_history(&self) -> &History {
        self.for_expert(self.answer_expert())
    }

    /// Returns this expert if the run has it, else the one whose predictions are the run's.
    pub fn expert_or_answer(&self, expert: Expert) -> Expert {
        let has_expert = self.of.contains_key(&expert);
        if has_expert { expert } else { self.answer_expert() }
    }
}

/// Returns the mean; `None` if there are no values.
pub fn mean(values: &[f64]) -> Option<f64> {
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}

/// Returns the sample standard deviation (n − 1); `None` for fewer than two values.
pub fn std_dev(values: &[f64]) -> Option<f64> {
    let center = mean(values)?;
    (values.len() > 1).then(|| {
        let squares: f64 = values.iter().map(|v| (v - center).powi(2)).sum();
        (squares / (values.len() - 1) as f64).sqrt()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answers(labels: &[usize], online: &[usize]) -> Predictions {
        Predictions {
            samples: (0..labels.len()).collect(),
            sources: Vec::new(),
            labels: labels.to_vec(),
            given: [(Expert::ONLINE, online.to_vec())].into(),
            certainty: ByExpert::default(),
            task_given: Vec::new(),
        }
    }

    fn history(steps: &[(&Predictions, &[Range<usize>])]) -> History {
        let mut histories = Histories::default();
        for (answers, tasks) in steps {
            histories.push(answers, tasks);
        }
        histories.answer_history().clone()
    }

    #[test]
    fn overall_accuracy_weights_tasks_by_images() {
        let a = answers(&[0, 0, 0, 1], &[0, 0, 0, 0]);
        let tasks = [0..1, 1..2];
        assert_eq!(a.accuracy(Expert::ONLINE), 0.75);
        assert_eq!(history(&[(&a, &tasks)]).matrix, [[1.0, 0.0]]);
        let classes = a.confusion(Expert::ONLINE, 2);
        assert_eq!(classes, a.task_confusion(Expert::ONLINE, &tasks));
        assert_eq!(classes.count(&(0..1), &(0..1)), 3);
        assert_eq!(classes.most_confused(5), [(1, 0, 1)]);
    }

    #[test]
    fn forgetting_uses_best_earlier_accuracy() {
        let history = History {
            accuracy: vec![0.9, 0.85, 0.8],
            matrix: vec![vec![0.9], vec![0.95, 0.8], vec![0.7, 0.6, 1.0]],
            ..History::default()
        };
        // Task 1: max(0.90, 0.95) − 0.70; task 2: 0.80 − 0.60.
        let drops = history.drops();
        assert!((drops[0] - 0.25).abs() < 1e-12 && (drops[1] - 0.2).abs() < 1e-12);
        assert!((history.forgetting().unwrap_or(0.0) - 0.225).abs() < 1e-12);
        assert_eq!(history.last_accuracy(), Some(0.8));
        assert!((history.average_accuracy().unwrap_or(0.0) - 0.85).abs() < 1e-12);
        // (0.7 − 0.9 + 0.6 − 0.8) / 2, and (0.9 + 0.8 + 1) / 3.
        assert!((history.backward_transfer().unwrap_or(0.0) + 0.2).abs() < 1e-12);
        assert!((history.learning_accuracy().unwrap_or(0.0) - 0.9).abs() < 1e-12);
    }

    #[test]
    fn single_task_has_no_forgetting_or_average() {
        let history = history(&[(&answers(&[0, 1], &[0, 1]), std::slice::from_ref(&(0..2)))]);
        assert_eq!(history.forgetting(), Some(0.0));
        assert_eq!((history.last_accuracy(), history.average_accuracy()), (Some(1.0), None));
        assert_eq!((history.learning_accuracy(), history.backward_transfer()), (Some(1.0), None));
        assert_eq!(history.task_averaged(), Some(1.0));
        assert_eq!(Predictions::default().accuracy(Expert::ONLINE), 0.0);
    }

    #[test]
    fn missing_task_accuracy_yields_no_summary_metrics() {
        let tasks = [0..1, 1..2];
        let new = answers(&[1, 1], &[1, 0]);
        let history = history(&[(&answers(&[0], &[0]), &tasks[..1]), (&new, &tasks)]);
        assert!(history.matrix[1][0].is_nan() && history.matrix[1][1] == 0.5);
        assert_eq!(history.images, [1, 2]);
        let figures =
            [history.last_accuracy(), history.average_accuracy(), history.task_averaged()];
        assert_eq!((figures, history.forgetting()), ([None; 3], None));
        assert_eq!(history.backward_transfer(), None);
        assert_eq!(new.accuracy_within(Expert::ONLINE, &tasks[0]), None);
        assert_eq!(new.accuracy_within(Expert::ONLINE, &tasks[1]), Some(0.5));
        assert_eq!((new.images_within(&tasks[1]), new.source(1)), (2, 0));
    }

    #[test]
    fn std_dev_is_sample_standard_deviation() {
        assert_eq!(std_dev(&[1.0]), None);
        assert!((std_dev(&[1.0, 3.0]).unwrap_or(0.0) - 2f64.sqrt()).abs() < 1e-12);
    }
}
