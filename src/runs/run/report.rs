//! The measurements after every task, and their costs.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::metrics::{Answers, SlotCounts};

/// The measurements after one task.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TaskReport {
    /// The task, from 0.
    pub task: usize,
    /// Every test image of tasks 0..=task with the predictions of the experts.
    pub answers: Answers,
    /// For each task so far, how its test images used the prompt slots of the method; empty if that was not studied.
    pub slots: Vec<SlotCounts>,
    /// Seconds of training and testing this task, without pauses and other requests served meanwhile.
    pub seconds: f64,
    /// Images per second while training.
    pub images_per_second: f64,
    /// Number of unreadable images of this task's training and testing, which were left out.
    pub unreadable: usize,
    /// The costs of the task, for a fair comparison of methods.
    pub costs: Costs,
    /// Mean training loss of each epoch, without epochs that only measure; empty in runs of older versions.
    #[serde(default)]
    pub losses: Vec<f64>,
    /// Measurements of the method, and of testing, by name.
    #[serde(rename = "gauges")]
    pub measurements: BTreeMap<String, f64>,
}

/// The accuracy (0..=1) of a nearest class mean on the features of the frozen backbone, measured after the last task of
/// a run with poor predictions.
pub const NEAREST_MEAN: &str = "nearest_mean";

/// The accuracy (0..=1) by the original labels, if a list of corrected labels changed the test split; images that the
/// list excludes count as wrong.
pub const ACCURACY_ON_ORIGINAL_LABELS: &str = "as_they_came";

/// Returns the values that a method measured under this name after each epoch of a task; empty if it measured none.
pub fn by_pass(measurements: &BTreeMap<String, f64>, name: &str) -> Vec<f64> {
    let after = |pass: usize| measurements.get(&format!("{name}_{pass}")).copied();
    (1..).map_while(after).collect()
}

/// Returns the costs of these tasks: images and seconds of training are sums, other values are those after the last
/// task.
pub fn costs(reports: &[TaskReport]) -> Costs {
    let all = reports.iter().map(|report| report.costs);
    all.fold(Costs::default(), |sum, task| Costs {
        // Saturating, because a damaged table may contain any number.
        images_seen: sum.images_seen.saturating_add(task.images_seen),
        training_seconds: sum.training_seconds + task.training_seconds,
        ..task
    })
}

/// The costs of one task; a value is zero if an older version did not measure it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Costs {
    /// Number of training images shown to the network; an image shown twice counts twice.
    pub images_seen: usize,
    /// Seconds of training, without testing and pauses.
    pub training_seconds: f64,
    /// Mean time to predict one image, in seconds.
    pub prediction_seconds: f64,
    /// Number of parameters stored for predictions after this task.
    pub stored_parameters: usize,
    /// Bytes stored to learn the next task: everything needed for predictions, and what else the method needs.
    pub kept_bytes: u64,
}
