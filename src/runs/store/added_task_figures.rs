//! The effect of an added task: the accuracy on earlier classes and on its own classes.

use std::collections::HashSet;

use serde::{Deserialize, Serialize};

use crate::metrics::{Answers, Expert};
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
pub struct AddedFigures {
    /// The earlier classes.
    pub old: ClassGroup,
    /// The classes of the added task.
    pub new: ClassGroup,
}

/// Returns the effect of the last added task of a run; `None` if the run has none or the reports are incomplete.
pub fn added_task_figures(header: &RunHeader, reports: &[TaskReport]) -> Option<AddedFigures> {
    let (added_task, expert) = (header.added_tasks.last()?, header.answering());
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
    let known = right_of_those(&before.answers, &after.answers, expert, &old);
    Some(AddedFigures {
        old: group(old, known),
        new: group(task.clone(), added_task.before),
    })
}

/// Returns the accuracy of an expert's earlier predictions (`before`) on the images of these classes that are tested in
/// `after`; `None` if one of them was not tested before.
fn right_of_those(
    before: &Answers,
    after: &Answers,
    expert: Expert,
    classes: &std::ops::Range<usize>,
) -> Option<f64> {
    // The indices of these images, each with its source and its index there.
    let places = |answers: &Answers| -> Vec<(usize, (usize, usize))> {
        let within = answers.labels.iter().enumerate();
        let within = within.filter(|(_, label)| classes.contains(label));
        let place = |at: usize| {
            let index = answers.samples.get(at).copied().unwrap_or(at);
            (at, (answers.source(at), index))
        };
        within.map(|(at, _)| place(at)).collect()
    };
    let asked: HashSet<_> = places(after).into_iter().map(|(_, place)| place).collect();
    let known = places(before).into_iter();
    let known = known.filter(|(_, place)| asked.contains(place));
    let (mut right, mut all) = (0, 0);
    for (at, _) in known {
        let given = before.of(expert).get(at)?;
        right += usize::from(*given == before.labels[at]);
        all += 1;
    }
    (all > 0 && all == asked.len()).then(|| right as f64 / all as f64)
}
