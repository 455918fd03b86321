//! The drop of a run's accuracy on earlier tasks, computed from its accuracy matrix.

use crate::metrics::{History, Tally};

/// Returns the best accuracy on a task in the rows of the matrix up to `row`.
pub fn best(history: &History, row: usize, task: usize) -> Option<f64> {
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
    pub now: f64,
    /// Whether every other earlier task lost less, and there is at least one.
    pub most: bool,
}

impl ForgottenTask {
    fn drop(&self) -> f64 {
        self.best - self.now
    }
}

/// Returns the task with the largest drop of accuracy up to `row`; `None` if no drop is larger than chance
/// ([`Tally::is_above`] for the task's number of test images).
pub fn most_lost(history: &History, row: usize) -> Option<ForgottenTask> {
    let values = history.matrix.get(row)?.iter().take(row).enumerate();
    let drops = values.filter_map(|(task, now)| {
        let best = best(history, row, task)?;
        let (now, most) = (*now, false);
        let lost = ForgottenTask {
            task,
            best,
            now,
            most,
        };
        now.is_finite().then_some(lost)
    });
    let drops: Vec<ForgottenTask> = drops.collect();
    let is_sure = |lost: &&ForgottenTask| {
        let images = history.images.get(lost.task).copied().unwrap_or(0);
        let [best, now] = [lost.best, lost.now].map(|share| Tally::of_share(share, images));
        best.is_above(&now)
    };
    let sure = drops.iter().filter(is_sure);
    let largest = *sure.max_by(|a, b| a.drop().total_cmp(&b.drop()))?;
    let mut others = drops.iter().filter(|lost| lost.task != largest.task);
    Some(ForgottenTask {
        most: row > 1 && others.all(|lost| lost.drop() < largest.drop() - f64::EPSILON),
        ..largest
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn history(matrix: Vec<Vec<f64>>, images: usize) -> History {
        History {
            images: vec![images; matrix.len()],
            matrix,
            ..History::default()
        }
    }

    #[test]
    fn the_task_that_lost_most_is_found_with_its_best_before() {
        let three = vec![vec![0.9], vec![1.0, 0.8], vec![0.7, 0.79, 1.0]];
        let history = history(three, 100);
        assert_eq!(best(&history, 2, 0), Some(1.0));
        let lost = ForgottenTask {
            task: 0,
            best: 1.0,
            now: 0.7,
            most: true,
        };
        assert_eq!(most_lost(&history, 2), Some(lost));
        assert_eq!(most_lost(&history, 0), None);
        assert_eq!(most_lost(&history, 7), None);
    }

    #[test]
    fn a_drop_that_a_few_images_may_cause_is_not_forgetting() {
        let rows = |end: f64| vec![vec![1.0], vec![end, 1.0]];
        assert_eq!(most_lost(&history(rows(0.98), 90), 1), None);
        assert!(most_lost(&history(rows(0.98), 2000), 1).is_some());
        assert!(most_lost(&history(rows(0.6), 90), 1).is_some());
        assert_eq!(most_lost(&history(rows(0.0), 1), 1), None);
        assert_eq!(most_lost(&history(rows(f64::NAN), 90), 1), None);
    }

    #[test]
    fn the_most_needs_another_task_that_lost_less() {
        let most = |rows: Vec<Vec<f64>>| {
            let row = rows.len() - 1;
            most_lost(&history(rows, 100), row).map(|lost| lost.most)
        };
        let first = vec![vec![1.0], vec![0.5, 1.0]];
        assert_eq!(most(first.clone()), Some(false), "it is the only one");
        let with = |last: [f64; 3]| [first.clone(), vec![last.to_vec()]].concat();
        assert_eq!(most(with([0.5, 0.5, 1.0])), Some(false), "both lost half");
        assert_eq!(most(with([0.5, 0.6, 1.0])), Some(true));
    }
}
