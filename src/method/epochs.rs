//! The number of epochs of each task: the number in the settings, or more if `min_steps` requires it. Used by the
//! trainer, the estimate, the progress and the descriptions of runs.

use super::spec::ConfiguredMethod;
use super::task::Pass;
use crate::message;
use crate::problem::{Problem, Result};
use crate::run::config::{MAX_EPOCHS, RunConfig, Setting};
use crate::run::event::RunHeader;

impl ConfiguredMethod<'_> {
    /// Returns the passes over the images of a task (from 0) as the settings define them, independent of the number of
    /// images. For callers that need only the kinds of passes.
    ///
    /// # Errors
    /// Returns a Problem for a setting out of range.
    pub fn default_passes(&self, task: usize) -> Result<Vec<Pass>> {
        // The window calls this while the user types a number.
        if self.config.epochs > MAX_EPOCHS {
            let what = message!("problem-epochs-too-large");
            return Err(Problem::new(what).at("--epochs"));
        }
        (self.spec.passes)(self, task)
    }

    /// Returns the passes over the images of a task (from 0); `train` is the number of training images in an epoch of
    /// each task, before an incomplete batch is dropped.
    ///
    /// # Errors
    /// Returns a Problem for a setting out of range.
    pub fn passes(&self, task: usize, train: &[usize]) -> Result<Vec<Pass>> {
        let epochs = self.epochs(task, train);
        if epochs == self.config.epochs {
            return self.default_passes(task);
        }
        let config = self.config_with_epochs(epochs)?;
        let lengthened = ConfiguredMethod { config: &config, spec: self.spec };
        lengthened.default_passes(task)
    }

    /// Returns the epochs of a task (from 0), given the training images in an epoch of each task. Adds epochs if the
    /// settings give fewer optimiser steps than `min_steps`. A task without gradient steps uses the epochs of the
    /// settings.
    pub fn epochs(&self, task: usize, train: &[usize]) -> usize {
        let configured = self.config.epochs;
        let steps = self.steps_per_epoch(task, train);
        steps.map_or(configured, |steps| {
            let required = self.config.min_steps.div_ceil(steps);
            configured.max(required.min(MAX_EPOCHS))
        })
    }

    /// Returns the optimiser steps of an epoch of a task; `None` if the task has no gradient steps.
    pub fn steps_per_epoch(&self, task: usize, train: &[usize]) -> Option<usize> {
        let (kinds, batch) = (self.default_passes(task).ok()?, self.config.batch.max(1));
        let pass = kinds.iter().find(|pass| pass.is_learning())?;
        let images = pass.source.count(task, train)?;
        Some(pass.processed_images(images, batch).div_ceil(batch)).filter(|steps| *steps > 0)
    }

    /// Returns the settings with another number of epochs. Shares of the epochs, such as frozen ones, are kept, but
    /// never become all epochs.
    fn config_with_epochs(&self, epochs: usize) -> Result<RunConfig> {
        let mut config = RunConfig { epochs, ..self.config.clone() };
        let settings = self.spec.settings.iter();
        for setting in settings.filter(|setting| setting.epoch_share.is_some()) {
            let share = self.count(setting.key)?.saturating_mul(epochs) / self.config.epochs.max(1);
            let share = share.min(epochs.saturating_sub(1));
            let value = Setting::Whole(i64::try_from(share).unwrap_or(i64::MAX));
            config.settings.insert(setting.key.into(), value);
        }
        Ok(config)
    }
}

/// Calls `query` for a task (from 0) of a run with the settings of its trainer and the training images in an epoch of
/// each task. An added task has its own batch size and repeats its images.
fn with_training_config<T>(
    header: &RunHeader,
    task: usize,
    query: impl FnOnce(&ConfiguredMethod<'_>, &[usize]) -> Result<T>,
) -> Result<T> {
    let added = task.checked_sub(header.original_task_count());
    let Some(added) = added.and_then(|added| header.added_tasks.get(added)) else {
        return query(&ConfiguredMethod::from_config(&header.config)?, &header.train_images);
    };
    let config = RunConfig { batch: added.batch, ..header.config.clone() };
    let train = header.train_images.iter().map(|n| n * added.repeats);
    query(&ConfiguredMethod::from_config(&config)?, &train.collect::<Vec<_>>())
}

/// Returns the passes over a task (from 0) of a run, including added tasks. In an added task of a single class the PET
/// is frozen, because gradients from this class alone would move the features of all images towards it.
///
/// # Errors
/// Returns a Problem for a setting out of range.
pub fn passes_for_task(header: &RunHeader, task: usize) -> Result<Vec<Pass>> {
    let single_class = header.tasks.get(task).is_some_and(|task| task.len() == 1);
    let single_class = single_class && task >= header.original_task_count();
    with_training_config(header, task, |chosen, train| {
        let mut passes = chosen.passes(task, train)?;
        if single_class && chosen.spec.supports_single_class {
            passes.iter_mut().for_each(Pass::freeze);
        }
        Ok(passes)
    })
}

/// Returns the epochs of a task (from 0) of a run, including added tasks.
pub fn epochs_for_task(header: &RunHeader, task: usize) -> usize {
    let configured = header.config.epochs;
    // The window calls this for every task in every frame, so nothing is planned if the settings alone decide.
    if header.config.min_steps == 0 {
        return configured;
    }
    with_training_config(header, task, |chosen, train| Ok(chosen.epochs(task, train)))
        .unwrap_or(configured)
}

/// Returns the optimiser steps of a task (from 0) of a run; `None` if it was not learned in steps.
pub fn steps_for_task(header: &RunHeader, task: usize) -> Option<usize> {
    let steps = |chosen: &ConfiguredMethod<'_>, train: &[usize]| {
        let per_epoch = chosen.steps_per_epoch(task, train);
        Ok(per_epoch.map(|per_epoch| per_epoch.saturating_mul(chosen.epochs(task, train))))
    };
    with_training_config(header, task, steps).ok().flatten()
}

/// Returns a Problem if the PET is frozen in every epoch after the first task, given the number of training images of
/// each task. Returns `None` if the PET learns or there is no second task. New runs with such settings are rejected;
/// older ones can be resumed.
pub fn frozen_pet_problem(chosen: &ConfiguredMethod<'_>, train: &[usize]) -> Option<Problem> {
    if train.len() < 2 || !chosen.trains_pet().ok()? {
        return None;
    }
    let later_tasks = 1..train.len();
    let passes = later_tasks.map(|task| chosen.passes(task, train).ok());
    let passes: Vec<_> = passes.collect::<Option<Vec<_>>>()?.concat();
    let learning = passes.iter().filter(|pass| pass.is_learning());
    let frozen = learning.clone().filter(|pass| pass.is_frozen()).count();
    if frozen == 0 || frozen < learning.count() {
        return None;
    }
    let mut settings = chosen.spec.settings.iter();
    let epochs = chosen.config.epochs;
    let (setting, suggested) =
        settings.find_map(|setting| Some((setting, setting.default_for_epochs(epochs)?)))?;
    let problem = Problem::new(match epochs {
        1 => message!("problem-only-epoch-frozen"),
        n => message!("problem-all-epochs-frozen", n),
    });
    let remedy = message!(
        "advice-freeze-fewer-epochs",
        place = setting.cli_usage(),
        usual = suggested.to_string()
    );
    Some(problem.at(setting.cli_usage()).advise(remedy))
}

#[cfg(test)]
mod tests {
    use super::*;
    use lae_base::tr;

    fn config(method: &str, min_steps: usize) -> RunConfig {
        RunConfig { method: method.into(), min_steps, ..RunConfig::default() }
    }

    /// Returns the epochs and the frozen epochs of a task.
    fn count_epochs(config: &RunConfig, task: usize, train: &[usize]) -> (usize, usize) {
        let passes = ConfiguredMethod::from_config(config).unwrap().passes(task, train).unwrap();
        let frozen = passes.iter().filter(|pass| pass.is_frozen()).count();
        (passes.iter().filter(|pass| pass.is_learning()).count(), frozen)
    }

    #[test]
    fn min_steps_adds_epochs_to_small_tasks() {
        // 50 images are two batches of 24, 240 are ten.
        let train = [240, 50, 20];
        for (task, plain) in [(0, (5, 0)), (1, (5, 3)), (2, (5, 3))] {
            assert_eq!(count_epochs(&config("lae", 0), task, &train), plain);
        }
        let enough = config("lae", 100);
        assert_eq!(count_epochs(&enough, 0, &train), (10, 0));
        assert_eq!(count_epochs(&enough, 1, &train), (50, 30));
        assert_eq!(count_epochs(&enough, 2, &train), (100, 60));
        let few = config("lae", 10);
        assert_eq!(count_epochs(&few, 0, &train), (5, 0));
    }

    #[test]
    fn min_steps_leaves_one_epoch_unfrozen() {
        let mut settings = config("lae", 100);
        settings.settings = [("freeze_epochs".to_string(), Setting::Whole(5))].into();
        assert_eq!(count_epochs(&settings, 1, &[240, 240]), (10, 9));
        settings.min_steps = 0;
        assert_eq!(count_epochs(&settings, 1, &[240, 240]), (5, 5));
    }

    #[test]
    fn min_steps_does_not_affect_gradient_free_methods() {
        let train = [20, 20];
        for method in ["simplecil", "ranpac"] {
            let (plain, longer) = (config(method, 0), config(method, 100));
            let passes = |config: &RunConfig| {
                ConfiguredMethod::from_config(config).unwrap().passes(1, &train)
            };
            assert_eq!(passes(&plain).unwrap(), passes(&longer).unwrap());
        }
        // APER learns only in its first task, joint fine-tuning from all images at once.
        let aper = config("aper", 100);
        assert_eq!(count_epochs(&aper, 0, &train).0, 100);
        assert_eq!(count_epochs(&aper, 1, &train).0, 0);
        assert_eq!(count_epochs(&config("joint-ft", 100), 0, &[240]).0, 10);
    }

    #[test]
    fn epochs_are_capped_at_maximum() {
        let settings = config("baseline", usize::MAX);
        let chosen = ConfiguredMethod::from_config(&settings).unwrap();
        assert_eq!(chosen.epochs(0, &[24]), MAX_EPOCHS);
        // The number of images is unknown.
        assert_eq!(chosen.epochs(0, &[]), 5);
        assert_eq!(chosen.epochs(0, &[0]), 5);
    }

    #[test]
    fn frozen_pet_problem_suggests_fewer_frozen_epochs() {
        let remedy = |method: &str, epochs: usize, tasks: usize, min_steps: usize| {
            let frozen_setting = [("freeze_epochs".to_string(), Setting::Whole(3))];
            let config = RunConfig {
                method: method.into(),
                epochs,
                min_steps,
                settings: if method == "lae" { frozen_setting.into() } else { [].into() },
                ..RunConfig::default()
            };
            let chosen = ConfiguredMethod::from_config(&config).ok()?;
            frozen_pet_problem(&chosen, &vec![48; tasks]).map(|problem| problem.remedy)
        };
        let fewer = |n: usize| {
            let id = "advice-freeze-fewer-epochs";
            Some(tr!(id, place = "--freeze-epochs", usual = n.to_string()))
        };
        assert_eq!(remedy("lae", 3, 5, 0), fewer(1));
        assert_eq!(remedy("lae", 4, 5, 0), None);
        assert_eq!(remedy("lae", 3, 1, 0), None);
        // Longer tasks have an epoch in which the PET learns.
        assert_eq!(remedy("lae", 3, 5, 6), fewer(1));
        assert_eq!(remedy("lae", 3, 5, 100), None);
        // APER tunes nothing after its first session by design.
        for method in ["baseline", "aper", "simplecil"] {
            assert_eq!(remedy(method, 3, 5, 0), None, "{method}");
        }
        let frozen = crate::lae::LAE.settings.iter();
        let frozen = frozen.filter(|setting| setting.epoch_share.is_some());
        for setting in frozen {
            let usual = [1, 2, 3, 5, 50].map(|epochs| setting.default_for_epochs(epochs));
            assert_eq!(usual, [0, 1, 1, 3, 30].map(|n| Some(Setting::Whole(n))));
        }
    }
}
