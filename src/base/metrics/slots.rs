//! Study of DualPrompt's prompt selection (supplement C of the LAE paper): how often it selects the prompts of an
//! image's task, and how much the prompts of the tasks differ. Each task has a slot of expert (E) prompts. After
//! every task, the slot that each test image selects is recorded, and each image is classified with every slot alone.

use serde::{Deserialize, Serialize};

use super::{mean, share};

/// The results of one image in the study. Slots have the numbers of their tasks, from 0.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SlotResult {
    /// The slot that it selects; may be that of a later task.
    pub chosen: usize,
    /// The class predicted with each slot of the tasks so far alone.
    pub classes: Vec<usize>,
}

/// The results of the test images of one task after some task, with one entry per slot of the tasks so far.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SlotCounts {
    /// Number of test images of the task.
    pub images: usize,
    /// Number of images that select this slot. The remaining images select a slot of a later task.
    pub chosen: Vec<usize>,
    /// Number of correct predictions with this slot alone.
    pub right: Vec<usize>,
}

impl SlotCounts {
    /// Returns zero counts for this number of slots.
    pub fn zeros(slots: usize) -> Self {
        Self { images: 0, chosen: vec![0; slots], right: vec![0; slots] }
    }

    /// Adds the results of an image of class `label`.
    pub fn add(&mut self, label: usize, result: &SlotResult) {
        self.images += 1;
        if let Some(count) = self.chosen.get_mut(result.chosen) {
            *count += 1;
        }
        for (right, class) in self.right.iter_mut().zip(&result.classes) {
            *right += usize::from(*class == label);
        }
    }
}

/// The study of a run; accuracies are fractions in 0..=1.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PromptStudy {
    /// After each task: the share of test images so far that select the slot of their own task.
    pub selection: Vec<f64>,
    /// A_N with each slot alone.
    pub last: Vec<f64>,
    /// Mean of A_i with each slot alone, over the tasks i from that of the slot on.
    pub average: Vec<f64>,
    /// After the last task: accuracy with each slot (row) on each task's test images (column).
    pub tasks: Vec<Vec<f64>>,
}

impl PromptStudy {
    /// Computes the study from the counts after each task; `None` unless every task was studied.
    pub fn from_counts<'a>(after: impl IntoIterator<Item = &'a [SlotCounts]>) -> Option<Self> {
        let after: Vec<&[SlotCounts]> = after.into_iter().collect();
        let last = after.last()?;
        let is_complete = |(task, counts): (usize, &&[SlotCounts])| {
            let slots = |c: &SlotCounts| c.chosen.len() == task + 1 && c.right.len() == task + 1;
            counts.len() == task + 1 && counts.iter().all(slots)
        };
        if !after.iter().enumerate().all(is_complete) {
            return None;
        }
        let slots = 0..after.len();
        let average = slots.clone().map(|slot| {
            let accuracies: Vec<f64> =
                after[slot..].iter().map(|counts| slot_accuracy(counts, slot)).collect();
            mean(&accuracies).unwrap_or_default()
        });
        let task_accuracies =
            |slot: usize| last.iter().map(move |c| share(c.right[slot], c.images));
        Some(Self {
            selection: after.iter().map(|counts| selection_share(counts)).collect(),
            last: slots.clone().map(|slot| slot_accuracy(last, slot)).collect(),
            average: average.collect(),
            tasks: slots.map(|slot| task_accuracies(slot).collect()).collect(),
        })
    }

    /// Returns the study in percent.
    #[must_use]
    pub fn into_percent(self) -> Self {
        let to_percent = |values: Vec<f64>| values.into_iter().map(|v| v * 100.0).collect();
        Self {
            selection: to_percent(self.selection),
            last: to_percent(self.last),
            average: to_percent(self.average),
            tasks: self.tasks.into_iter().map(to_percent).collect(),
        }
    }
}

/// Returns the share of all images that select the slot of their task.
fn selection_share(counts: &[SlotCounts]) -> f64 {
    let selected = counts.iter().enumerate().map(|(task, c)| c.chosen[task]);
    share(selected.sum(), image_count(counts))
}

/// Returns the accuracy on all images with one slot alone.
fn slot_accuracy(counts: &[SlotCounts], slot: usize) -> f64 {
    share(counts.iter().map(|c| c.right[slot]).sum(), image_count(counts))
}

fn image_count(counts: &[SlotCounts]) -> usize {
    counts.iter().map(|c| c.images).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counts(images: usize, chosen: &[usize], right: &[usize]) -> SlotCounts {
        SlotCounts { images, chosen: chosen.to_vec(), right: right.to_vec() }
    }

    #[test]
    fn prompt_study_averages_over_all_seen_images() {
        let first = [counts(10, &[10], &[8])];
        let second = [counts(10, &[6, 4], &[5, 4]), counts(30, &[5, 24], &[3, 27])];
        let study = PromptStudy::from_counts([&first[..], &second[..]]).unwrap_or_default();
        assert_eq!(study.selection, [1.0, 0.75]);
        assert_eq!(study.last, [0.2, 0.775]);
        assert_eq!(study.average, [0.5, 0.775]);
        assert_eq!(study.tasks, [[0.5, 0.1], [0.4, 0.9]]);
        assert_eq!(PromptStudy::from_counts([&first[..], &[]]), None);
        assert_eq!(PromptStudy::from_counts([&[][..], &second[..]]), None);
        assert_eq!(PromptStudy::from_counts([]), None);
    }

    #[test]
    fn ignores_slots_of_future_tasks() {
        let mut counts = SlotCounts::zeros(2);
        for (chosen, classes) in [(0, vec![3, 1]), (5, vec![3, 3])] {
            counts.add(3, &SlotResult { chosen, classes });
        }
        assert_eq!(counts, self::counts(2, &[1, 0], &[2, 1]));
    }
}
