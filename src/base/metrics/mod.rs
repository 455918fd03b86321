//! What a class-incremental run is judged by: accuracy matrix, A_N, Ā_N, forgetting, confusion.
//!
//! Plain numbers, no tensors. Accuracies are fractions in 0..=1 here; only the two front ends turn
//! them into percent. The definitions are those of the paper's experiments section:
//! * A_i: accuracy over all test images of tasks 1..=i after learning task i (image-weighted);
//! * A_N: the last of them; Ā_N: their mean, of two or more;
//! * task-averaged A: mean over tasks of the per-task accuracy at the end (the form L2P reports);
//! * F_N: mean over tasks j < N of (best accuracy task j had after it was learned and before the
//!   end) − (its accuracy at the end).
//!
//! Besides, there are backward transfer, learning accuracy, balanced accuracy and calibration error, each with its
//! source. Forward transfer (the accuracy on a task before it is learned) is no figure here: a class that was not
//! learned yet has no output, so it would always be 0.
//!
//! All of these are class-incremental: every answer is one of all classes seen. The accuracy with the
//! task given (the choice is among that image's own task) is an easier question and is reported separately.

mod calibration;
mod class_counts;
mod confusion;
mod expert;
mod paired;
mod slots;
mod student;
mod tally;
mod task_counts;
mod wrong;

use std::ops::Range;

pub use calibration::calibration_error;
pub use class_counts::ClassCounts;
pub use confusion::{Blocks, Confusion, block_means};
pub use expert::{ByExpert, Expert};
pub use paired::Paired;
use serde::{Deserialize, Serialize};
pub use slots::{PromptStudy, SlotCounts, SlotView};
pub use student::{MeanDifference, SIGNIFICANCE, corrected_p};
pub use tally::Tally;
pub use task_counts::TaskCounts;
pub use wrong::Wrong;

/// What every test image of the tasks seen so far was taken for, after one task was learned.
/// Classes are positions in the run's class order (logit indices).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Answers {
    /// Which test image: index into the test split of its source.
    pub samples: Vec<usize>,
    /// The source of each: 0 for the run's own data set, k for its k-th added task. Empty where all
    /// come from the former.
    #[serde(default)]
    pub sources: Vec<usize>,
    /// The true class of each.
    pub labels: Vec<usize>,
    /// Per expert of the run the class it gave to each.
    pub given: ByExpert<Vec<usize>>,
    /// Per expert how certain it was of the class it gave to each: its score. Empty in runs of
    /// older versions.
    #[serde(default)]
    pub certainty: ByExpert<Vec<f32>>,
    /// The class of each when its task is given: the best among the classes of that task (the
    /// task-incremental setting). Empty in runs of older versions.
    pub task_given: Vec<usize>,
}

impl Answers {
    /// The classes one expert gave; empty for an expert that the run does not have.
    pub fn of(&self, expert: Expert) -> &[usize] {
        self.given.get(&expert).map_or(&[], Vec::as_slice)
    }

    /// The source of the image at this place: 0 for the run's own data set, k for its k-th added task.
    pub fn source(&self, at: usize) -> usize {
        self.sources.get(at).copied().unwrap_or(0)
    }

    /// Accuracy over the images whose class is in this range; `None` if there are none.
    pub fn accuracy_within(&self, expert: Expert, classes: &Range<usize>) -> Option<f64> {
        let tally = Tally::within(self, expert, classes);
        (tally.images > 0).then(|| tally.accuracy())
    }

    /// Images whose class is in this range.
    pub fn images_within(&self, classes: &Range<usize>) -> usize {
        let labels = self.labels.iter();
        labels.filter(|label| classes.contains(label)).count()
    }

    /// Accuracy over all images with the task of each given (masked logits); `None` if it was not
    /// measured.
    pub fn accuracy_task_given(&self) -> Option<f64> {
        let measured = self.task_given.len() == self.labels.len();
        measured.then(|| share_of(&self.labels, &self.task_given))
    }

    /// A_i: share of right answers over all images; 0 when there are none.
    pub fn accuracy(&self, expert: Expert) -> f64 {
        share_of(&self.labels, self.of(expert))
    }

    /// Confusion over classes.
    pub fn confusion(&self, expert: Expert, classes: usize) -> Confusion {
        let labels = self.labels.iter().copied();
        Confusion::new(classes, labels.zip(self.of(expert).iter().copied()))
    }

    /// Confusion over tasks: the task of the true class, the task of the answer.
    pub fn task_confusion(&self, expert: Expert, tasks: &[Range<usize>]) -> Confusion {
        let task_of = tasks_of_classes(tasks);
        let at = |class: &usize| task_of.get(*class).copied().flatten();
        let pairs = self.labels.iter().zip(self.of(expert));
        let known = pairs.filter_map(|(label, answer)| Some((at(label)?, at(answer)?)));
        Confusion::new(tasks.len(), known)
    }
}

/// The task of each class, as a table.
pub fn tasks_of_classes(tasks: &[Range<usize>]) -> Vec<Option<usize>> {
    let classes = tasks.iter().map(|task| task.end).max().unwrap_or(0);
    let mut table = vec![None; classes];
    for (task, range) in tasks.iter().enumerate() {
        table[range.clone()].fill(Some(task));
    }
    table
}

/// Share of pairs that agree; 0 for no pairs.
fn share_of(labels: &[usize], answers: &[usize]) -> f64 {
    let pairs = labels.iter().zip(answers);
    let right = pairs.filter(|(label, answer)| label == answer).count();
    share(right, labels.len().min(answers.len()))
}

/// A share; 0 of nothing.
fn share(right: usize, all: usize) -> f64 {
    if all == 0 {
        0.0
    } else {
        right as f64 / all as f64
    }
}

/// The history of one expert over a run: A_i and the accuracy matrix. What was not measured (the
/// tasks of a data set that was gone when an added task was tested, and A_i with it) is not a number.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct History {
    /// A_1..A_i.
    pub accuracy: Vec<f64>,
    /// Row i: accuracy on tasks 1..=i after learning task i.
    pub matrix: Vec<Vec<f64>>,
}

impl History {
    /// A_N, if it was measured.
    pub fn last(&self) -> Option<f64> {
        self.accuracy.last().copied().filter(|a| a.is_finite())
    }

    /// Ā_N, if all tasks were measured; none while there are fewer than two, since the mean of one
    /// (all classes at once, say) cannot be compared with the mean of several.
    pub fn average(&self) -> Option<f64> {
        let several = mean(&self.accuracy).filter(|_| self.accuracy.len() > 1);
        several.filter(|a| a.is_finite())
    }

    /// Mean over tasks of the accuracy at the end, if all were measured.
    pub fn task_averaged(&self) -> Option<f64> {
        let row = self.matrix.last();
        row.and_then(|row| mean(row)).filter(|a| a.is_finite())
    }

    /// F_N as a fraction; 0 while fewer than two tasks are learned, `None` if old tasks were not
    /// measured at the end. It can be negative when old tasks got better.
    pub fn forgetting(&self) -> Option<f64> {
        let drops = self.drops();
        Some(mean(&drops).unwrap_or(0.0)).filter(|f| f.is_finite())
    }

    /// Mean over tasks of the accuracy that each had right after it was learned, if all were measured: how well new
    /// things are learned, regardless of later forgetting (learning accuracy; Riemer et al., ICLR 2019).
    pub fn learning(&self) -> Option<f64> {
        mean(&self.learned()).filter(|a| a.is_finite())
    }

    /// Backward transfer: mean over tasks j < N of (accuracy at the end − accuracy right after task j was learned); what
    /// is learned later made older tasks better where it is above 0 (Lopez-Paz and Ranzato, NeurIPS 2017). None while
    /// fewer than two tasks are learned, and where old tasks were not measured at the end.
    pub fn backward_transfer(&self) -> Option<f64> {
        let (last, before) = self.matrix.split_last()?;
        let gains = last.iter().zip(self.learned());
        let gains: Vec<f64> = gains.take(before.len()).map(|(end, a)| end - a).collect();
        mean(&gains).filter(|gain| gain.is_finite())
    }

    /// Per task its accuracy right after it was learned.
    fn learned(&self) -> Vec<f64> {
        let rows = self.matrix.iter().enumerate();
        rows.filter_map(|(task, row)| row.get(task).copied())
            .collect()
    }

    /// Per task j < N: best accuracy before the end minus accuracy at the end.
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
        best.iter()
            .zip(last)
            .map(|(best, end)| best - end)
            .collect()
    }
}

/// The histories of all experts of a run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Histories {
    of: ByExpert<History>,
    /// Per task the accuracy with the task of each image given, where it was measured.
    pub task_given: Vec<Option<f64>>,
}

impl Histories {
    /// Adds what was measured after one more task; `tasks` are those seen by then.
    pub fn push(&mut self, answers: &Answers, tasks: &[Range<usize>]) {
        self.push_counts(&TaskCounts::of(answers, tasks));
    }

    /// The same from right answers counted.
    pub fn push_counts(&mut self, counts: &TaskCounts) {
        let all: usize = counts.images.iter().sum();
        for (expert, right) in &counts.right {
            let pairs = right.iter().zip(&counts.images);
            let row = pairs.map(|(right, images)| match images {
                0 => f64::NAN,
                _ => share(*right, *images),
            });
            let history = self.of.or_default(*expert);
            history.accuracy.push(match counts.images.contains(&0) {
                true => f64::NAN,
                false => share(right.iter().sum(), all),
            });
            history.matrix.push(row.collect());
        }
        let task_given = counts.task_given.map(|right| share(right, all));
        self.task_given.push(task_given);
    }

    /// Forgets what was measured after the first `tasks` tasks.
    pub fn truncate(&mut self, tasks: usize) {
        for history in self.of.values_mut() {
            history.accuracy.truncate(tasks);
            history.matrix.truncate(tasks);
        }
        self.task_given.truncate(tasks);
    }

    /// One expert's history; an empty one where the run has no such expert.
    pub fn of(&self, expert: Expert) -> &History {
        static EMPTY: History = History {
            accuracy: Vec::new(),
            matrix: Vec::new(),
        };
        self.of.get(&expert).unwrap_or(&EMPTY)
    }

    /// The experts there are, in the order they are shown.
    pub fn experts(&self) -> impl Iterator<Item = Expert> {
        self.of.keys().copied()
    }

    /// Whose answer is the run's.
    pub fn answering(&self) -> Expert {
        self.experts().last().unwrap_or(Expert::ANSWER)
    }

    /// The history of the run's answer.
    pub fn answer(&self) -> &History {
        self.of(self.answering())
    }

    /// This expert where the run has it, else the one whose answer is the run's.
    pub fn nearest(&self, expert: Expert) -> Expert {
        let here = self.of.contains_key(&expert);
        if here { expert } else { self.answering() }
    }
}

/// Mean of the values; `None` if there are none.
pub fn mean(values: &[f64]) -> Option<f64> {
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}

/// Sample standard deviation (n − 1); `None` for fewer than two values.
pub fn std_dev(values: &[f64]) -> Option<f64> {
    let centre = mean(values)?;
    (values.len() > 1).then(|| {
        let squares: f64 = values.iter().map(|v| (v - centre).powi(2)).sum();
        (squares / (values.len() - 1) as f64).sqrt()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answers(labels: &[usize], online: &[usize]) -> Answers {
        Answers {
            samples: (0..labels.len()).collect(),
            sources: Vec::new(),
            labels: labels.to_vec(),
            given: [(Expert::ONLINE, online.to_vec())].into(),
            certainty: ByExpert::default(),
            task_given: Vec::new(),
        }
    }

    fn history(after: &[(&Answers, &[Range<usize>])]) -> History {
        let mut histories = Histories::default();
        for (answers, tasks) in after {
            histories.push(answers, tasks);
        }
        histories.answer().clone()
    }

    #[test]
    fn accuracy_is_weighted_by_images_and_by_task_is_not() {
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
    fn forgetting_takes_the_best_accuracy_before_the_end() {
        let history = History {
            accuracy: vec![0.9, 0.85, 0.8],
            matrix: vec![vec![0.9], vec![0.95, 0.8], vec![0.7, 0.6, 1.0]],
        };
        // Task 1: max(0.90, 0.95) − 0.70; task 2: 0.80 − 0.60.
        let drops = history.drops();
        assert!((drops[0] - 0.25).abs() < 1e-12 && (drops[1] - 0.2).abs() < 1e-12);
        assert!((history.forgetting().unwrap_or(0.0) - 0.225).abs() < 1e-12);
        assert_eq!(history.last(), Some(0.8));
        assert!((history.average().unwrap_or(0.0) - 0.85).abs() < 1e-12);
        // (0.7 − 0.9 + 0.6 − 0.8) / 2, and (0.9 + 0.8 + 1) / 3.
        assert!((history.backward_transfer().unwrap_or(0.0) + 0.2).abs() < 1e-12);
        assert!((history.learning().unwrap_or(0.0) - 0.9).abs() < 1e-12);
    }

    #[test]
    fn one_task_has_forgotten_nothing_and_has_no_average() {
        let history = history(&[(&answers(&[0, 1], &[0, 1]), std::slice::from_ref(&(0..2)))]);
        assert_eq!(history.forgetting(), Some(0.0));
        assert_eq!((history.last(), history.average()), (Some(1.0), None));
        assert_eq!(
            (history.learning(), history.backward_transfer()),
            (Some(1.0), None)
        );
        assert_eq!(history.task_averaged(), Some(1.0));
        assert_eq!(Answers::default().accuracy(Expert::ONLINE), 0.0);
    }

    #[test]
    fn what_was_not_measured_makes_no_figure() {
        let tasks = [0..1, 1..2];
        let new = answers(&[1, 1], &[1, 0]);
        let history = history(&[(&answers(&[0], &[0]), &tasks[..1]), (&new, &tasks)]);
        assert!(history.matrix[1][0].is_nan() && history.matrix[1][1] == 0.5);
        let figures = [history.last(), history.average(), history.task_averaged()];
        assert_eq!((figures, history.forgetting()), ([None; 3], None));
        assert_eq!(history.backward_transfer(), None);
        assert_eq!(new.accuracy_within(Expert::ONLINE, &tasks[0]), None);
        assert_eq!(new.accuracy_within(Expert::ONLINE, &tasks[1]), Some(0.5));
        assert_eq!((new.images_within(&tasks[1]), new.source(1)), (2, 0));
    }

    #[test]
    fn spread_is_the_sample_standard_deviation() {
        assert_eq!(std_dev(&[1.0]), None);
        assert!((std_dev(&[1.0, 3.0]).unwrap_or(0.0) - 2f64.sqrt()).abs() < 1e-12);
    }
}
