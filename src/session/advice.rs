//! Advice for a run with low accuracy, given only if a measurement supports it.

use super::formatting::format_percent;
use super::run_row::RunRow;
use crate::backbone::library::{NANO, PHOTO};
use crate::experiment::suggested_settings::MIN_STEPS_PER_TASK;
use crate::method::steps_for_task;
use crate::run::config::RunConfig;
use crate::run::event::{NEAREST_MEAN, RunHeader, TaskReport};
use crate::run::trial_result::Trial;
use crate::tr;

/// The recommended large backbone. The paper's presets use it too, so one download serves both.
const LARGE: Recommended =
    Recommended { name: "vit_base_patch16_224.orig_in21k", title: "ViT-B/16" };
/// The recommended backbone for photographs, which needs no download.
const FOR_PHOTOGRAPHS: Recommended = Recommended { name: PHOTO, title: PHOTO };
/// Accuracy of nearest class means on CIFAR-100. The value for ViT-B/16 is from Janson et al., "A Simple Baseline that
/// Questions the Use of Pretrained-Models in Continual Learning", 2022; the others are measured with this program's
/// SimpleCIL (docs/results.md).
const CIFAR_ACCURACY: [(&str, f64); 3] = [(NANO, 0.346), (PHOTO, 0.514), (LARGE.name, 0.837)];
/// Backbones with fewer parameters than this are small.
const SMALL_BACKBONE_PARAMETERS: usize = 30_000_000;
/// If the nearest class mean reaches this accuracy, the backbone is good enough.
const SUFFICIENT_ACCURACY: f64 = 0.65;

/// From this many steps per task on, more steps will not help.
const SUFFICIENT_STEPS: usize = 1000;

/// Returns the number of steps per task to try for a run that does not recognise some classes: twice the steps of its
/// shortest task. `None` if that task was long or the method does not train in steps.
pub fn more_steps(header: &RunHeader) -> Option<usize> {
    let tasks = 0..header.original_task_count();
    let fewest = tasks.filter_map(|task| steps_for_task(header, task)).min()?;
    let more = (2 * fewest).max(2 * MIN_STEPS_PER_TASK).next_multiple_of(100);
    (fewest < SUFFICIENT_STEPS).then_some(more)
}

/// A recommended backbone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Recommended {
    /// Its name in the table.
    pub name: &'static str,
    /// Its display name.
    pub title: &'static str,
}

/// Returns a backbone that is usually more accurate than the backbone of these settings, which has this number of
/// parameters; `None` if that backbone is large. Settings that flip images are assumed to be for photographs.
fn more_accurate_backbone(config: &RunConfig, parameters: usize) -> Option<Recommended> {
    if config.backbone == NANO && config.flip {
        return Some(FOR_PHOTOGRAPHS);
    }
    (parameters < SMALL_BACKBONE_PARAMETERS).then_some(LARGE)
}

/// Returns a sentence, after a space, with the accuracy of both backbones on photographs; empty if the images are not
/// photographs, or if one of the backbones is unknown.
fn describe_gain(config: &RunConfig, better: Recommended) -> String {
    let accuracy_of = |name: &str| {
        let entry = CIFAR_ACCURACY.iter().find(|(backbone, _)| *backbone == name);
        entry.map(|(_, share)| format_percent(*share, 0))
    };
    let accuracies =
        accuracy_of(better.name).zip(accuracy_of(&config.backbone)).filter(|_| config.flip);
    accuracies.map_or_else(String::new, |(reached, own)| {
        let source = if better == LARGE { "paper" } else { "here" };
        let text = tr!(
            "session-backbone-gain",
            better = reached,
            name = better.title,
            source,
            own,
            tried = config.backbone.as_str()
        );
        format!(" {text}")
    })
}

/// Returns a backbone that would help this run, and a sentence with the measurement that shows it; `None` if no
/// backbone would help, or if nothing was measured.
pub fn better_backbone(
    header: &RunHeader,
    reports: &[TaskReport],
) -> Option<(Recommended, String)> {
    let report = reports.get(header.original_task_count().checked_sub(1)?)?;
    let share = *report.measurements.get(NEAREST_MEAN)?;
    if share >= SUFFICIENT_ACCURACY {
        return None;
    }
    let better = more_accurate_backbone(&header.config, header.frozen_parameters)?;
    let text = tr!(
        "session-backbone-separates-poorly",
        share = format_percent(share, 0),
        on = header.config.evaluation_split(),
        name = better.title
    );
    Some((better, text + &describe_gain(&header.config, better)))
}

/// Returns a backbone that is usually more accurate than the run's backbone, if the run classifies few images
/// correctly.
pub fn backbone_for(row: &RunRow) -> Option<Recommended> {
    let header = row.header.as_ref()?;
    let is_poor = row.figures.final_accuracy()? < 100.0 * SUFFICIENT_ACCURACY;
    is_poor.then(|| more_accurate_backbone(&header.config, header.frozen_parameters)).flatten()
}

/// Returns a backbone that is usually more accurate than the trial's backbone, which has `parameters` parameters, with
/// a sentence about it. Returns `None` if the best method of the trial is accurate enough.
pub fn backbone_after_trial(trial: &Trial, parameters: usize) -> Option<(Recommended, String)> {
    let best = &trial.methods[trial.best()?];
    if best.right.is_none_or(|right| right >= 100.0 * SUFFICIENT_ACCURACY) {
        return None;
    }
    let better = more_accurate_backbone(&best.config, parameters)?;
    let text = tr!("experiment-trial-backbone", name = better.title);
    Some((better, text + &describe_gain(&best.config, better)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn describes_gain_for_photographs_and_known_backbones() {
        let photographs = |backbone: &str| RunConfig {
            backbone: backbone.into(),
            flip: true,
            ..RunConfig::default()
        };
        let [nano, photo] = [NANO, PHOTO].map(photographs);
        let measured = describe_gain(&nano, FOR_PHOTOGRAPHS);
        assert!(measured.contains("35\u{a0}%") && measured.contains(PHOTO), "{measured}");
        let published = describe_gain(&photo, LARGE);
        assert!(published.contains("84\u{a0}%") && published.contains("2022"), "{published}");
        assert_eq!(describe_gain(&photographs("other"), LARGE), "");
        assert_eq!(describe_gain(&RunConfig { flip: false, ..nano }, LARGE), "");
    }
}
