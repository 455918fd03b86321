//! The effect of an added task: the accuracy on earlier classes and on its own classes.

use std::collections::HashSet;

use serde::{Deserialize, Serialize};

use crate::metrics::{Expert, Predictions};
use crate::run::event::{RunHeader, TaskReport};

/// Accuracy on a group of classes before and after an added task, in percent.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ClassGroup {
    /// The names of the classes.
    pub classes: Vec<String>,
    /// Number of their test images; 0 if none were available.
    pub images: usize,
    /// Accuracy before the task; `None` if it was not measured.
    pub before: Option<f64>,
    /// Accuracy after the task; `None` if it was not measured.
    pub after: Option<f64>,
}

/// The effect of an added task on accuracy.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AddedTaskFigures {
    /// The earlier classes.
    pub old: ClassGroup,
    /// The classes of the added task.
    pub new: ClassGroup,
}

/// Returns the effect of the last added task of a run; `None` if the run has none or the reports are incomplete.
pub fn added_task_figures(header: &RunHeader, reports: &[TaskReport]) -> Option<AddedTaskFigures> {
    let (added_task, expert) = (header.added_tasks.last()?, header.answering_expert());
    let task = header.tasks.last()?;
    let [.., before, after] = reports else {
        return None;
    };
    if reports.len() != header.tasks.len() {
        return None;
    }
    let percent = |value: Option<f64>| value.map(|value| value * 100.0);
    let group = |classes: std::ops::Range<usize>, before| ClassGroup {
        images: after.answers.images_within(&classes),
        before: percent(before),
        after: percent(after.answers.accuracy_within(expert, &classes)),
        classes: header.class_order[classes].to_vec(),
    };
    let old = 0..task.start;
    // Only the same images can be compared. Test images that are copies of training images are no longer tested.
    let old_before = accuracy_on_same_images(&before.answers, &after.answers, expert, &old);
    Some(AddedTaskFigures {
        old: group(old, old_before),
        new: group(task.clone(), added_task.before),
    })
}

/// Returns the accuracy of an expert's earlier predictions (`before`) on the images of these classes that are tested in
/// `after`; `None` if one of them was not tested before.
fn accuracy_on_same_images(
    before: &Predictions,
    after: &Predictions,
    expert: Expert,
    classes: &std::ops::Range<usize>,
) -> Option<f64> {
    // The indices of these images, each with its source and its index there.
    let image_keys = |answers: &Predictions| -> Vec<(usize, (usize, usize))> {
        let labels = answers.labels.iter().enumerate();
        let labels = labels.filter(|(_, label)| classes.contains(label));
        let image_key = |at: usize| {
            let index = answers.samples.get(at).copied().unwrap_or(at);
            (at, (answers.source(at), index))
        };
        labels.map(|(at, _)| image_key(at)).collect()
    };
    let tested_after: HashSet<_> = image_keys(after).into_iter().map(|(_, key)| key).collect();
    let shared = image_keys(before).into_iter();
    let shared = shared.filter(|(_, key)| tested_after.contains(key));
    let (mut correct, mut total) = (0, 0);
    for (at, _) in shared {
        let prediction = before.for_expert(expert).get(at)?;
        correct += usize::from(*prediction == before.labels[at]);
        total += 1;
    }
    (total > 0 && total == tested_after.len()).then(|| correct as f64 / total as f64)
}
