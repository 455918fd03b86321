//! What would help a run that answers poorly, said only where a figure speaks for it.

use super::words::percent;
use crate::experiment::suited::LEAST_STEPS;
use crate::method::steps_of;
use crate::run::event::{NEAREST_MEAN, RunHeader, TaskReport};
use crate::tr;

/// The backbone that is recommended: the one of the paper's presets, so that one download serves both.
pub const BACKBONE: &str = "vit_base_patch16_224.orig_in21k";
/// What people call it.
pub const TITLE: &str = "ViT-B/16";
/// A backbone with more weights than this is no small one.
const SMALL: usize = 30_000_000;
/// Where a nearest class mean gets so many right, the backbone is not what is lacking.
const ENOUGH: f64 = 0.65;

/// With so many steps in every task, more of them are not what is lacking.
const PLENTY: usize = 1000;

/// The least number of steps a task that a run in which classes are not recognised should be tried with: twice what its
/// shortest task had; none where that was long, or nothing is learned by steps.
pub fn more_steps(header: &RunHeader) -> Option<usize> {
    let own = 0..header.own_tasks();
    let fewest = own.filter_map(|task| steps_of(header, task)).min()?;
    let more = (2 * fewest).max(2 * LEAST_STEPS).next_multiple_of(100);
    (fewest < PLENTY).then_some(more)
}

/// Why another backbone would help this run, with the figure that says so; none where it would not,
/// or nothing was measured.
pub fn better_backbone(header: &RunHeader, reports: &[TaskReport]) -> Option<String> {
    let report = reports.get(header.own_tasks().checked_sub(1)?)?;
    let share = *report.measurements.get(NEAREST_MEAN)?;
    if header.frozen_parameters >= SMALL || share >= ENOUGH {
        return None;
    }
    Some(tr!(
        "story-backbone",
        share = percent(share, 0),
        on = header.config.measured_on(),
        name = TITLE
    ))
}
