//! The number of epochs of each task: the number in the settings, or more if `min_steps` requires it. Used by the
//! trainer, the estimate, the progress and the descriptions of runs.

use super::spec::Chosen;
use super::task::Pass;
use crate::message;
use crate::problem::{Problem, Result};
use crate::run::config::{MOST_EPOCHS, RunConfig, Setting};
use crate::run::event::RunHeader;

impl Chosen<'_> {
    /// Returns the passes over the images of a task (from 0) as the settings define them, independent of the number of
    /// images. For callers that need only the kinds of passes.
    ///
    /// # Errors
    /// Returns a Problem for a setting out of range.
    pub fn kinds(&self, task: usize) -> Result<Vec<Pass>> {
        // The window calls this while the user types a number.
        if self.config.epochs > MOST_EPOCHS {
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
            return self.kinds(task);
        }
        let config = self.lengthened(epochs)?;
        let longer = Chosen {
            config: &config,
            spec: self.spec,
        };
        longer.kinds(task)
    }

    /// Returns the epochs of a task (from 0), given the training images in an epoch of each task. Adds epochs if the
    /// settings give fewer optimiser steps than `min_steps`. A task without gradient steps uses the epochs of the
    /// settings.
    pub fn epochs(&self, task: usize, train: &[usize]) -> usize {
        let own = self.config.epochs;
        let steps = self.steps_of_epoch(task, train);
        steps.map_or(own, |steps| {
            let least = self.config.min_steps.div_ceil(steps);
            own.max(least.min(MOST_EPOCHS))
        })
    }

    /// Returns the optimiser steps of an epoch of a task; `None` if the task has no gradient steps.
    pub fn steps_of_epoch(&self, task: usize, train: &[usize]) -> Option<usize> {
        let (kinds, batch) = (self.kinds(task).ok()?, self.config.batch.max(1));
        let pass = kinds.iter().find(|pass| pass.learns())?;
        let images = pass.source.count(task, train)?;
        Some(pass.shown(images, batch).div_ceil(batch)).filter(|steps| *steps > 0)
    }

    /// Returns the settings with another number of epochs. Shares of the epochs, such as frozen ones, are kept, but
    /// never become all epochs.
    fn lengthened(&self, epochs: usize) -> Result<RunConfig> {
        let mut config = RunConfig {
            epochs,
            ..self.config.clone()
        };
        let shares = self.spec.settings.iter();
        for setting in shares.filter(|setting| setting.of_epochs.is_some()) {
            let part = self.count(setting.key)?.saturating_mul(epochs) / self.config.epochs.max(1);
            let part = part.min(epochs.saturating_sub(1));
            let value = Setting::Whole(i64::try_from(part).unwrap_or(i64::MAX));
            config.settings.insert(setting.key.into(), value);
        }
        Ok(config)
    }
}

/// Calls `ask` for a task (from 0) of a run with the settings of its trainer and the training images in an epoch of
/// each task. An added task has its own batch size and repeats its images.
fn as_trained<T>(
    header: &RunHeader,
    task: usize,
    ask: impl FnOnce(&Chosen<'_>, &[usize]) -> Result<T>,
) -> Result<T> {
    let added = task.checked_sub(header.own_tasks());
    let Some(added) = added.and_then(|added| header.added_tasks.get(added)) else {
        return ask(&Chosen::of(&header.config)?, &header.train_images);
    };
    let config = RunConfig {
        batch: added.batch,
        ..header.config.clone()
    };
    let train = header.train_images.iter().map(|n| n * added.repeats);
    ask(&Chosen::of(&config)?, &train.collect::<Vec<_>>())
}

/// Returns the passes over a task (from 0) of a run, including added tasks. In an added task of a single class the PET
/// is frozen, because gradients from this class alone would move the features of all images towards it.
///
/// # Errors
/// Returns a Problem for a setting out of range.
pub fn passes_of(header: &RunHeader, task: usize) -> Result<Vec<Pass>> {
    let single_class = header.tasks.get(task).is_some_and(|task| task.len() == 1);
    let single_class = single_class && task >= header.own_tasks();
    as_trained(header, task, |chosen, train| {
        let mut passes = chosen.passes(task, train)?;
        if single_class && chosen.spec.single_class {
            passes.iter_mut().for_each(Pass::freeze);
        }
        Ok(passes)
    })
}

/// Returns the epochs of a task (from 0) of a run, including added tasks.
pub fn epochs_of(header: &RunHeader, task: usize) -> usize {
    let own = header.config.epochs;
    // The window calls this for every task in every frame, so nothing is planned if the settings alone decide.
    if header.config.min_steps == 0 {
        return own;
    }
    as_trained(header, task, |chosen, train| Ok(chosen.epochs(task, train))).unwrap_or(own)
}

/// Returns the optimiser steps of a task (from 0) of a run; `None` if it was not learned in steps.
pub fn steps_of(header: &RunHeader, task: usize) -> Option<usize> {
    let steps = |chosen: &Chosen<'_>, train: &[usize]| {
        let each = chosen.steps_of_epoch(task, train);
        Ok(each.map(|each| each.saturating_mul(chosen.epochs(task, train))))
    };
    as_trained(header, task, steps).ok().flatten()
}

/// Returns a Problem if the PET is frozen in every epoch after the first task, given the number of training images of
/// each task. Returns `None` if the PET learns or there is no second task. New runs with such settings are rejected;
/// older ones can be resumed.
pub fn all_frozen(chosen: &Chosen<'_>, train: &[usize]) -> Option<Problem> {
    if train.len() < 2 || !chosen.trains_pet().ok()? {
        return None;
    }
    let later = 1..train.len();
    let passes = later.map(|task| chosen.passes(task, train).ok());
    let passes: Vec<_> = passes.collect::<Option<Vec<_>>>()?.concat();
    let learning = passes.iter().filter(|pass| pass.learns());
    let frozen = learning.clone().filter(|pass| pass.frozen()).count();
    if frozen == 0 || frozen < learning.count() {
        return None;
    }
    let mut own = chosen.spec.settings.iter();
    let epochs = chosen.config.epochs;
    let (setting, usual) = own.find_map(|setting| Some((setting, setting.usual_of(epochs)?)))?;
    let problem = Problem::new(match epochs {
        1 => message!("problem-only-epoch-frozen"),
        n => message!("problem-all-epochs-frozen", n),
    });
    let remedy = message!(
        "advice-freeze-fewer-epochs",
        place = setting.place().to_string(),
        usual = usual.to_string()
    );
    Some(problem.at(setting.place()).advise(remedy))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use lae_base::tr;

    fn config(method: &str, min_steps: usize) -> RunConfig {
        RunConfig {
            method: method.into(),
            min_steps,
            ..RunConfig::default()
        }
    }

    /// Returns the epochs and the frozen epochs of a task.
    fn epoch_counts(config: &RunConfig, task: usize, train: &[usize]) -> (usize, usize) {
        let passes = Chosen::of(config).unwrap().passes(task, train).unwrap();
        let frozen = passes.iter().filter(|pass| pass.frozen()).count();
        (passes.iter().filter(|pass| pass.learns()).count(), frozen)
    }

    #[test]
    fn min_steps_adds_epochs_to_small_tasks() {
        // 50 images are two batches of 24, 240 are ten.
        let train = [240, 50, 20];
        for (task, plain) in [(0, (5, 0)), (1, (5, 3)), (2, (5, 3))] {
            assert_eq!(epoch_counts(&config("lae", 0), task, &train), plain);
        }
        let enough = config("lae", 100);
        assert_eq!(epoch_counts(&enough, 0, &train), (10, 0));
        assert_eq!(epoch_counts(&enough, 1, &train), (50, 30));
        assert_eq!(epoch_counts(&enough, 2, &train), (100, 60));
        let few = config("lae", 10);
        assert_eq!(epoch_counts(&few, 0, &train), (5, 0));
    }

    #[test]
    fn min_steps_leaves_one_epoch_unfrozen() {
        let mut all = config("lae", 100);
        all.settings = [("freeze_epochs".to_string(), Setting::Whole(5))].into();
        assert_eq!(epoch_counts(&all, 1, &[240, 240]), (10, 9));
        all.min_steps = 0;
        assert_eq!(epoch_counts(&all, 1, &[240, 240]), (5, 5));
    }

    #[test]
    fn min_steps_does_not_affect_gradient_free_methods() {
        let train = [20, 20];
        for method in ["simplecil", "ranpac"] {
            let (plain, longer) = (config(method, 0), config(method, 100));
            let passes = |config: &RunConfig| Chosen::of(config).unwrap().passes(1, &train);
            assert_eq!(passes(&plain).unwrap(), passes(&longer).unwrap());
        }
        // APER learns only in its first task, joint fine-tuning from all images at once.
        let aper = config("aper", 100);
        assert_eq!(epoch_counts(&aper, 0, &train).0, 100);
        assert_eq!(epoch_counts(&aper, 1, &train).0, 0);
        assert_eq!(epoch_counts(&config("joint-ft", 100), 0, &[240]).0, 10);
    }

    #[test]
    fn epochs_are_capped_at_maximum() {
        let most = config("baseline", usize::MAX);
        let chosen = Chosen::of(&most).unwrap();
        assert_eq!(chosen.epochs(0, &[24]), MOST_EPOCHS);
        // The number of images is unknown.
        assert_eq!(chosen.epochs(0, &[]), 5);
        assert_eq!(chosen.epochs(0, &[0]), 5);
    }

    #[test]
    fn all_frozen_suggests_fewer_frozen_epochs() {
        let remedy = |method: &str, epochs: usize, tasks: usize, min_steps: usize| {
            let own = [("freeze_epochs".to_string(), Setting::Whole(3))];
            let config = RunConfig {
                method: method.into(),
                epochs,
                min_steps,
                settings: if method == "lae" {
                    own.into()
                } else {
                    [].into()
                },
                ..RunConfig::default()
            };
            let chosen = Chosen::of(&config).ok()?;
            all_frozen(&chosen, &vec![48; tasks]).map(|told| told.remedy)
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
        let frozen = frozen.filter(|setting| setting.of_epochs.is_some());
        for setting in frozen {
            let usual = [1, 2, 3, 5, 50].map(|epochs| setting.usual_of(epochs));
            assert_eq!(usual, [0, 1, 1, 3, 30].map(|n| Some(Setting::Whole(n))));
        }
    }
}
