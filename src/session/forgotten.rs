//! What a run forgot of its tasks, from its accuracy matrix.

use crate::metrics::History;

/// A smaller drop of accuracy does not count as forgetting.
const LEAST: f64 = 0.005;

/// Returns the best accuracy on a task up to a row of the matrix.
pub fn best(history: &History, row: usize, task: usize) -> Option<f64> {
    let rows = history.matrix.iter().take(row + 1);
    let values = rows.filter_map(|values| values.get(task).copied());
    values.filter(|value| value.is_finite()).reduce(f64::max)
}

/// A task with a drop of accuracy: its index, the best accuracy and the current one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Lost {
    /// The task, from 0.
    pub task: usize,
    /// The best accuracy before.
    pub best: f64,
    /// The current accuracy.
    pub now: f64,
}

/// Returns the task with the largest drop of accuracy up to a row; `None` if there is none.
pub fn most_lost(history: &History, row: usize) -> Option<Lost> {
    let values = history.matrix.get(row)?;
    let lost = values.iter().enumerate().filter_map(|(task, now)| {
        let best = best(history, row, task)?;
        let now = *now;
        (best - now > LEAST).then_some(Lost { task, best, now })
    });
    lost.max_by(|a, b| (a.best - a.now).total_cmp(&(b.best - b.now)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_task_that_lost_most_is_found_with_its_best_before() {
        let history = History {
            matrix: vec![vec![0.9], vec![1.0, 0.8], vec![0.7, 0.79, 1.0]],
            ..History::default()
        };
        assert_eq!(best(&history, 2, 0), Some(1.0));
        let lost = most_lost(&history, 2);
        assert_eq!(lost.map(|lost| (lost.task, lost.now)), Some((0, 0.7)));
        assert_eq!(most_lost(&history, 0), None);
        assert_eq!(most_lost(&history, 7), None);
    }
}
