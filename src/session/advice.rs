//! Advice for a run with low accuracy, given only if a measurement supports it.

use super::words::percent;
use crate::backbone::library::{NANO, PHOTO};
use crate::experiment::suited::LEAST_STEPS;
use crate::method::steps_of;
use crate::run::config::RunConfig;
use crate::run::event::{NEAREST_MEAN, RunHeader, TaskReport};
use crate::run::tried::Trial;
use crate::tr;

/// The recommended large backbone: the one of the paper's presets, so that one download serves both.
const LARGE: Recommended = Recommended {
    name: "vit_base_patch16_224.orig_in21k",
    title: "ViT-B/16",
};
/// The recommended backbone for photographs, which needs no download.
const FOR_PHOTOGRAPHS: Recommended = Recommended {
    name: PHOTO,
    title: PHOTO,
};
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

/// A recommended backbone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Recommended {
    /// Its name in the table.
    pub name: &'static str,
    /// Its display name.
    pub title: &'static str,
}

/// Returns a backbone that is usually more accurate than that of these settings, which has this many parameters; `None`
/// if it is large. Settings that flip images are for photographs.
fn more_accurate_backbone(config: &RunConfig, parameters: usize) -> Option<Recommended> {
    if config.backbone == NANO && config.flip {
        return Some(FOR_PHOTOGRAPHS);
    }
    (parameters < SMALL).then_some(LARGE)
}

/// Returns a backbone that would help this run, and a sentence with the measurement that shows it; `None` if none would,
/// or if nothing was measured.
pub fn better_backbone(
    header: &RunHeader,
    reports: &[TaskReport],
) -> Option<(Recommended, String)> {
    let report = reports.get(header.own_tasks().checked_sub(1)?)?;
    let share = *report.measurements.get(NEAREST_MEAN)?;
    if share >= ENOUGH {
        return None;
    }
    let better = more_accurate_backbone(&header.config, header.frozen_parameters)?;
    let text = tr!(
        "story-backbone-separates-poorly",
        share = percent(share, 0),
        on = header.config.measured_on(),
        name = better.title
    );
    Some((better, text))
}

/// Returns a backbone that is usually more accurate, if the best method of a trial gets fewer images right than a
/// suitable backbone would; `parameters` is the size of the trial's.
pub fn backbone_after_trial(trial: &Trial, parameters: usize) -> Option<Recommended> {
    let best = &trial.methods[trial.best()?];
    let is_poor = best.right.is_some_and(|right| right < 100.0 * ENOUGH);
    is_poor
        .then(|| more_accurate_backbone(&best.config, parameters))
        .flatten()
}
