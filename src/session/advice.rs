//! What would help a run that answers poorly, said only where a figure speaks for it.

use super::words::percent;
use crate::run::event::{NEAREST_MEAN, RunHeader, TaskReport};

/// The backbone that is recommended: the one of the paper's presets, so that one download serves both.
pub const BACKBONE: &str = "vit_base_patch16_224.orig_in21k";
/// What people call it.
pub const TITLE: &str = "ViT-B/16";
/// A backbone with more weights than this is no small one.
const SMALL: usize = 30_000_000;
/// Where a nearest class mean gets so many right, the backbone is not what is lacking.
const ENOUGH: f64 = 0.65;

/// Why another backbone would help this run, with the figure that says so; none where it would not,
/// or nothing was measured.
pub fn better_backbone(header: &RunHeader, reports: &[TaskReport]) -> Option<String> {
    let report = reports.get(header.own_tasks().checked_sub(1)?)?;
    let share = *report.measurements.get(NEAREST_MEAN)?;
    if header.frozen_parameters >= SMALL || share >= ENOUGH {
        return None;
    }
    Some(format!(
        "This backbone tells these classes apart badly: a nearest class mean on its features, without any training, answers {} of a sample of the {} images rightly. A {TITLE} usually helps.",
        percent(share, 0),
        header.config.measured_on()
    ))
}
