//! Advice for a run with low accuracy, given only if a measurement supports it.

use super::words::percent;
use crate::experiment::suited::LEAST_STEPS;
use crate::method::steps_of;
use crate::run::event::{NEAREST_MEAN, RunHeader, TaskReport};
use crate::tr;

/// The recommended backbone: the one of the paper's presets, so that one download serves both.
pub const BACKBONE: &str = "vit_base_patch16_224.orig_in21k";
/// Its display name.
pub const TITLE: &str = "ViT-B/16";
/// A backbone with more parameters than this is not small.
const SMALL: usize = 30_000_000;
/// If nearest class mean reaches this accuracy, the backbone is good enough.
const ENOUGH: f64 = 0.65;

/// With this many steps per task, more steps will not help.
const PLENTY: usize = 1000;

/// Returns the number of steps per task to try for a run that does not recognise some classes: twice the steps of its
/// shortest task. `None` if that task was long or the method does not train in steps.
pub fn more_steps(header: &RunHeader) -> Option<usize> {
    let own = 0..header.own_tasks();
    let fewest = own.filter_map(|task| steps_of(header, task)).min()?;
    let more = (2 * fewest).max(2 * LEAST_STEPS).next_multiple_of(100);
    (fewest < PLENTY).then_some(more)
}

/// Returns why another backbone would help this run, with the measurement that shows it; `None` if it would not, or if
/// nothing was measured.
pub fn better_backbone(header: &RunHeader, reports: &[TaskReport]) -> Option<String> {
    let report = reports.get(header.own_tasks().checked_sub(1)?)?;
    let share = *report.measurements.get(NEAREST_MEAN)?;
    if header.frozen_parameters >= SMALL || share >= ENOUGH {
        return None;
    }
    Some(tr!(
        "story-backbone-separates-poorly",
        share = percent(share, 0),
        on = header.config.measured_on(),
        name = TITLE
    ))
}
