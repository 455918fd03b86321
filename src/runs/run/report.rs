//! What is measured after every task, and the time it took.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::metrics::{Answers, SlotCounts};

/// What was measured after one task.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TaskReport {
    /// From 0.
    pub task: usize,
    /// Every test image of tasks 0..=task and what the experts took it for.
    pub answers: Answers,
    /// Per task so far, what its test images came to with each slot of the method; empty where that was
    /// not studied.
    pub slots: Vec<SlotCounts>,
    /// Seconds spent training and testing this task, without pauses and what was asked meanwhile.
    pub seconds: f64,
    /// Images per second while training.
    pub images_per_second: f64,
    /// Images of this task's training and testing that could not be read and were left out.
    pub unreadable: usize,
    /// What it cost, so that methods can be compared fairly.
    pub costs: Costs,
    /// Mean training loss of each pass over the images, those that measure alone left out; empty in
    /// runs of older versions.
    #[serde(default)]
    pub losses: Vec<f64>,
    /// What the method measured of itself and what testing gave, by name.
    #[serde(rename = "gauges")]
    pub measurements: BTreeMap<String, f64>,
}

/// The measurement that says how many test images a nearest class mean on the features of the frozen
/// backbone alone answers rightly (0..=1), after the last task of a run that answers poorly.
pub const NEAREST_MEAN: &str = "nearest_mean";

/// The measurement that says how many test images are answered rightly by the labels as they came in the data (0..=1),
/// where a list of corrected labels changed the test split; images it left out count as wrong.
pub const AS_THEY_CAME: &str = "as_they_came";

/// What a method measured under this name after each pass over a task's images; empty where it measured nothing.
pub fn by_pass(measurements: &BTreeMap<String, f64>, name: &str) -> Vec<f64> {
    let after = |pass: usize| measurements.get(&format!("{name}_{pass}")).copied();
    (1..).map_while(after).collect()
}

/// What these tasks cost: images and seconds of training summed, the rest as it was after the last one.
pub fn costs(reports: &[TaskReport]) -> Costs {
    let all = reports.iter().map(|report| report.costs);
    all.fold(Costs::default(), |sum, task| Costs {
        // What a damaged table says may be any number.
        images_seen: sum.images_seen.saturating_add(task.images_seen),
        training_seconds: sum.training_seconds + task.training_seconds,
        ..task
    })
}

/// What one task cost. Zero where a run of an older version did not measure it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Costs {
    /// Training images shown to the network, each showing counted.
    pub images_seen: usize,
    /// Seconds of training, without testing and pauses.
    pub training_seconds: f64,
    /// Seconds to answer one image, on average.
    pub prediction_seconds: f64,
    /// Numbers kept for answering after this task.
    pub stored_parameters: usize,
    /// Bytes that are kept to learn the next task: what answers, and what else the method needs.
    pub kept_bytes: u64,
}
