//! The results of a run that a lesson uses: accuracies, and the distance between its experts.

use std::collections::BTreeMap;

use crate::message;
use crate::method::epochs_for_task;
use crate::method::lae::DISTANCE;
use crate::metrics::{Expert, Histories, History};
use crate::run::event::{RunHeader, values_by_epoch};
use crate::texts::Message;

/// Why a formula has no value.
#[derive(Clone, Debug, PartialEq)]
pub enum NoValue {
    /// The run has not finished the task yet.
    NotYet,
    /// The formula will never have a value, for this reason.
    Never(Message),
}

/// The value of a formula, or why it has none.
pub type Outcome<T> = Result<T, NoValue>;

/// The results of the runs of a lesson by name. A repeated run has several.
pub type Figures = BTreeMap<String, Vec<RunFigures>>;

/// The results of one run, limited to the tasks that the lesson uses.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RunFigures {
    /// The accuracies of each expert after each task.
    pub history: Histories,
    /// The distance between the experts after each epoch of each measured task; empty if there was one expert.
    pub distance: Vec<Vec<f64>>,
    /// The distance during the current task: pairs of finished epochs and distance.
    pub distance_now: Vec<[f64; 2]>,
    /// Number of test images of each task.
    pub test_images: Vec<usize>,
    /// Class names of each task.
    pub classes: Vec<Vec<String>>,
    /// Number of epochs of the longest task.
    pub epochs: usize,
}

impl RunFigures {
    /// Returns the results of a run's own tasks. With `with_added_tasks`, added tasks are included.
    pub fn new<'a>(
        header: &RunHeader,
        history: &Histories,
        measurements: impl Iterator<Item = &'a BTreeMap<String, f64>>,
        with_added_tasks: bool,
    ) -> Self {
        let tasks = match with_added_tasks {
            true => header.tasks.len(),
            false => header.original_task_count(),
        };
        let mut history = history.clone();
        history.truncate(tasks);
        let names = |range: &std::ops::Range<usize>| {
            let names = header.class_order.get(range.clone());
            names.unwrap_or_default().to_vec()
        };
        // In charts, every task has the length of the longest task; shorter tasks are aligned to its end.
        let longest = (0..tasks).map(|task| epochs_for_task(header, task)).max();
        Self {
            history,
            distance: measurements
                .take(tasks)
                .map(|values| values_by_epoch(values, DISTANCE))
                .collect(),
            distance_now: Vec::new(),
            test_images: header.test_images.iter().copied().take(tasks).collect(),
            classes: header.tasks.iter().take(tasks).map(names).collect(),
            epochs: longest.unwrap_or(header.config.epochs),
        }
    }

    /// Returns the number of its tasks.
    pub fn tasks(&self) -> usize {
        self.test_images.len()
    }

    /// Returns the number of measured tasks.
    pub fn measured_tasks(&self) -> usize {
        self.history.answer_history().matrix.len()
    }

    /// Returns whether the run has tasks and all of them are measured.
    pub fn is_complete(&self) -> bool {
        self.tasks() > 0 && self.measured_tasks() >= self.tasks()
    }

    /// Returns the history of this expert; `None` stands for the run's predictions.
    pub fn expert_history(&self, expert: Option<Expert>) -> Outcome<&History> {
        let Some(expert) = expert else {
            return Ok(self.history.answer_history());
        };
        if self.measured_tasks() == 0 || self.history.experts().any(|other| other == expert) {
            return Ok(self.history.for_expert(expert));
        }
        Err(NoValue::Never(message!("formula-no-expert", name = expert.key())))
    }

    /// Returns a figure of the finished run, in percent.
    pub(super) fn final_value(
        &self,
        expert: Option<Expert>,
        figure: impl Fn(&History) -> Option<f64>,
    ) -> Outcome<f64> {
        let history = self.expert_history(expert)?;
        if !self.is_complete() {
            return Err(NoValue::NotYet);
        }
        percent(figure(history))
    }

    pub(super) fn task_given_accuracy(&self) -> Outcome<f64> {
        self.final_value(None, |_| self.history.task_given.last().copied().flatten())
    }

    /// Returns A_i in percent, the accuracy over all classes after this task (from 1).
    pub(super) fn accuracy_after(&self, expert: Option<Expert>, task: usize) -> Outcome<f64> {
        let history = self.expert_history(expert)?;
        self.check_measured(task)?;
        percent(history.accuracy.get(task - 1).copied())
    }

    /// Returns the accuracy on task `on` after task `after`, both from 1.
    pub(super) fn cell(&self, expert: Option<Expert>, after: usize, on: usize) -> Outcome<f64> {
        let history = self.expert_history(expert)?;
        if on > after {
            return Err(NoValue::Never(message!("formula-no-results-after-task", after, on)));
        }
        self.check_measured(after)?;
        let row = history.matrix.get(after - 1);
        percent(row.and_then(|row| row.get(on - 1)).copied())
    }

    /// Returns the final accuracy over the images of all tasks except the last.
    pub(super) fn old_task_accuracy(&self, expert: Option<Expert>) -> Outcome<f64> {
        let images = self.test_images.split_last().map_or(&[][..], |(_, old)| old);
        self.final_value(expert, |history| {
            let row = history.matrix.last()?;
            let correct = row.iter().zip(images).map(|(share, n)| share * *n as f64);
            let total: usize = images.iter().sum();
            (total > 0).then(|| correct.sum::<f64>() / total as f64)
        })
    }

    /// Returns the distance between the experts, in percent of the offline PET's norm. `at` is the task and the epoch;
    /// if they are missing, the last task and its last epoch are used.
    pub(super) fn distance(&self, at: &[usize]) -> Outcome<f64> {
        let task = at.first().copied().unwrap_or(self.tasks());
        self.check_measured(task)?;
        let mut epochs = self.distance.get(task - 1).into_iter().flatten();
        let value = match at.get(1) {
            Some(epoch) => epochs.nth(epoch - 1),
            None => epochs.next_back(),
        };
        let never = || NoValue::Never(message!("formula-one-expert"));
        value.map(|value| value * 100.0).ok_or_else(never)
    }

    /// Checks that this task (from 1) is measured; otherwise returns whether it will be measured later or never.
    fn check_measured(&self, task: usize) -> Outcome<()> {
        match task {
            task if task <= self.measured_tasks() && task > 0 => Ok(()),
            task if task <= self.tasks() || self.tasks() == 0 => Err(NoValue::NotYet),
            _ => Err(NoValue::Never(message!("formula-task-count", n = self.tasks()))),
        }
    }
}

fn percent(share: Option<f64>) -> Outcome<f64> {
    let share = share.filter(|share| share.is_finite());
    share.map(|share| share * 100.0).ok_or_else(|| NoValue::Never(message!("formula-not-measured")))
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::metrics::Predictions;

    /// Returns a run with this number of tasks of one class each and this accuracy matrix, with twenty images per task.
    pub fn run(matrix: Vec<Vec<f64>>, tasks: usize) -> RunFigures {
        let mut history = Histories::default();
        for row in &matrix {
            let mut answers = Predictions::default();
            let mut predictions = Vec::new();
            for (class, share) in row.iter().enumerate() {
                let correct = (share * 20.0).round() as usize;
                for image in 0..20 {
                    answers.labels.push(class);
                    predictions.push(if image < correct { class } else { class + 1 });
                }
            }
            answers.task_given = answers.labels.clone();
            answers.given = [(Expert::ANSWER, predictions)].into();
            let learned: Vec<_> = (0..row.len()).map(|task| task..task + 1).collect();
            history.push(&answers, &learned);
        }
        RunFigures {
            history,
            distance: vec![Vec::new(); matrix.len()],
            test_images: vec![20; tasks],
            classes: (0..tasks).map(|task| vec![task.to_string()]).collect(),
            epochs: 2,
            ..RunFigures::default()
        }
    }

    #[test]
    fn run_is_complete_once_every_task_is_measured() {
        assert!(run(vec![vec![1.0]], 1).is_complete());
        assert!(!run(vec![vec![1.0]], 2).is_complete());
        assert!(!RunFigures::default().is_complete());
    }
}
