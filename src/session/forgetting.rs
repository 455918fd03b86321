//! The drop of a run's accuracy on earlier tasks, computed from its accuracy matrix.

use crate::metrics::{History, Tally};

/// Returns the best accuracy on a task in the rows of the matrix up to `row`.
pub fn best_accuracy(history: &History, row: usize, task: usize) -> Option<f64> {
    let rows = history.matrix.iter().take(row + 1);
    let values = rows.filter_map(|values| values.get(task).copied());
    values.filter(|value| value.is_finite()).reduce(f64::max)
}

/// A task whose accuracy has dropped.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ForgottenTask {
    /// The task, from 0.
    pub task: usize,
    /// The best accuracy before.
    pub best: f64,
    /// The current accuracy.
    pub current: f64,
    /// Whether every other earlier task lost less, and there is at least one.
    pub is_largest: bool,
}

impl ForgottenTask {
    fn drop(&self) -> f64 {
        self.best - self.current
    }
}

/// Returns the task with the largest drop of accuracy up to `row`; `None` if no drop is larger than chance
/// ([`Tally::is_significantly_above`] for the task's number of test images).
pub fn most_forgotten(history: &History, row: usize) -> Option<ForgottenTask> {
    let values = history.matrix.get(row)?.iter().take(row).enumerate();
    let drops = values.filter_map(|(task, value)| {
        let best = best_accuracy(history, row, task)?;
        let (current, is_largest) = (*value, false);
        let forgotten = ForgottenTask { task, best, current, is_largest };
        current.is_finite().then_some(forgotten)
    });
    let drops: Vec<ForgottenTask> = drops.collect();
    let is_significant = |forgotten: &&ForgottenTask| {
        let images = history.images.get(forgotten.task).copied().unwrap_or(0);
        let [best, current] =
            [forgotten.best, forgotten.current].map(|share| Tally::from_accuracy(share, images));
        best.is_significantly_above(&current)
    };
    let significant = drops.iter().filter(is_significant);
    let largest = *significant.max_by(|a, b| a.drop().total_cmp(&b.drop()))?;
    let mut others = drops.iter().filter(|other| other.task != largest.task);
    Some(ForgottenTask {
        is_largest: row > 1 && others.all(|other| other.drop() < largest.drop() - f64::EPSILON),
        ..largest
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn history(matrix: Vec<Vec<f64>>, images: usize) -> History {
        History { images: vec![images; matrix.len()], matrix, ..History::default() }
    }

    #[test]
    fn finds_most_forgotten_task_and_its_best_accuracy() {
        let three = vec![vec![0.9], vec![1.0, 0.8], vec![0.7, 0.79, 1.0]];
        let history = history(three, 100);
        assert_eq!(best_accuracy(&history, 2, 0), Some(1.0));
        let expected = ForgottenTask { task: 0, best: 1.0, current: 0.7, is_largest: true };
        assert_eq!(most_forgotten(&history, 2), Some(expected));
        assert_eq!(most_forgotten(&history, 0), None);
        assert_eq!(most_forgotten(&history, 7), None);
    }

    #[test]
    fn ignores_drops_explained_by_few_images() {
        let rows = |end: f64| vec![vec![1.0], vec![end, 1.0]];
        assert_eq!(most_forgotten(&history(rows(0.98), 90), 1), None);
        assert!(most_forgotten(&history(rows(0.98), 2000), 1).is_some());
        assert!(most_forgotten(&history(rows(0.6), 90), 1).is_some());
        assert_eq!(most_forgotten(&history(rows(0.0), 1), 1), None);
        assert_eq!(most_forgotten(&history(rows(f64::NAN), 90), 1), None);
    }

    #[test]
    fn largest_drop_requires_task_that_lost_less() {
        let is_largest = |rows: Vec<Vec<f64>>| {
            let row = rows.len() - 1;
            most_forgotten(&history(rows, 100), row).map(|forgotten| forgotten.is_largest)
        };
        let first = vec![vec![1.0], vec![0.5, 1.0]];
        assert_eq!(is_largest(first.clone()), Some(false), "it is the only one");
        let with = |last: [f64; 3]| [first.clone(), vec![last.to_vec()]].concat();
        assert_eq!(is_largest(with([0.5, 0.5, 1.0])), Some(false), "both lost half");
        assert_eq!(is_largest(with([0.5, 0.6, 1.0])), Some(true));
    }
}
