//! How many epochs each task has: those of the settings, or as many more as `min_steps` asks for. Trainer, estimate,
//! progress and what is said of a run all ask here.

use super::spec::Chosen;
use super::task::{Pass, PassWork};
use crate::problem::{Problem, Result};
use crate::run::config::{MOST_EPOCHS, RunConfig, Setting};
use crate::run::event::RunHeader;

impl Chosen<'_> {
    /// The passes over the images of a task (from 0) as the settings name them, whatever the number of its images: for
    /// those who ask of what kind they are.
    ///
    /// # Errors
    /// Returns a Problem for a setting out of range.
    pub fn kinds(&self, task: usize) -> Result<Vec<Pass>> {
        // The window asks while a number is being typed.
        if self.config.epochs > MOST_EPOCHS {
            return Err(Problem::new("that many epochs cannot be planned").at("--epochs"));
        }
        (self.spec.passes)(self, task)
    }

    /// The passes over the images of a task (from 0), where an epoch of each task shows this number of training images
    /// before an incomplete batch is left out.
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

    /// The epochs of a task (from 0), where an epoch of each task shows this number of training images: more than the
    /// settings have where these come to fewer optimiser steps than `min_steps`. In a task that nothing learns from by
    /// gradients they are the settings'.
    pub fn epochs(&self, task: usize, train: &[usize]) -> usize {
        let own = self.config.epochs;
        let steps = self.steps_of_epoch(task, train);
        steps.map_or(own, |steps| {
            let least = self.config.min_steps.div_ceil(steps);
            own.max(least.min(MOST_EPOCHS))
        })
    }

    /// Optimiser steps of an epoch of a task; `None` if there are none.
    pub fn steps_of_epoch(&self, task: usize, train: &[usize]) -> Option<usize> {
        let (kinds, batch) = (self.kinds(task).ok()?, self.config.batch.max(1));
        let learns = |pass: &&Pass| matches!(pass.work, PassWork::Learn { .. });
        let pass = kinds.iter().find(learns)?;
        let images = pass.source.count(task, train)?;
        Some(pass.shown(images, batch).div_ceil(batch)).filter(|steps| *steps > 0)
    }

    /// The settings with this number of epochs, of which the method's own shares, such as the frozen ones, stay what
    /// they are; none of them becomes all epochs.
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

/// Asks of a task (from 0) of a run with what its trainer had: the settings, and the training images that an epoch of
/// each task shows. An added task has a batch of its own and shows its images several times.
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

/// The passes over a task (from 0) of a run, its own or an added one.
///
/// # Errors
/// Returns a Problem for a setting out of range.
pub fn passes_of(header: &RunHeader, task: usize) -> Result<Vec<Pass>> {
    as_trained(header, task, |chosen, train| chosen.passes(task, train))
}

/// The epochs of a task (from 0) of a run, its own or an added one.
pub fn epochs_of(header: &RunHeader, task: usize) -> usize {
    let own = header.config.epochs;
    // Frames of the window ask this of every task: nothing is planned where the settings alone decide.
    if header.config.min_steps == 0 {
        return own;
    }
    as_trained(header, task, |chosen, train| Ok(chosen.epochs(task, train))).unwrap_or(own)
}

/// Optimiser steps that a task (from 0) of a run was learned in; `None` if nothing was learned by steps.
pub fn steps_of(header: &RunHeader, task: usize) -> Option<usize> {
    let steps = |chosen: &Chosen<'_>, train: &[usize]| {
        let each = chosen.steps_of_epoch(task, train);
        Ok(each.map(|each| each.saturating_mul(chosen.epochs(task, train))))
    };
    as_trained(header, task, steps).ok().flatten()
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn config(method: &str, min_steps: usize) -> RunConfig {
        RunConfig {
            method: method.into(),
            min_steps,
            ..RunConfig::default()
        }
    }

    /// Epochs and frozen ones of a task.
    fn of(config: &RunConfig, task: usize, train: &[usize]) -> (usize, usize) {
        let passes = Chosen::of(config).unwrap().passes(task, train).unwrap();
        let learning = |pass: &&Pass| matches!(pass.work, PassWork::Learn { .. });
        let frozen = passes.iter().filter(|pass| pass.frozen()).count();
        (passes.iter().filter(learning).count(), frozen)
    }

    #[test]
    fn small_tasks_get_epochs_until_their_steps_are_enough() {
        // 50 images are two batches of 24, 240 are ten.
        let train = [240, 50, 20];
        for (task, plain) in [(0, (5, 0)), (1, (5, 3)), (2, (5, 3))] {
            assert_eq!(of(&config("lae", 0), task, &train), plain);
        }
        let enough = config("lae", 100);
        assert_eq!(of(&enough, 0, &train), (10, 0));
        assert_eq!(of(&enough, 1, &train), (50, 30));
        assert_eq!(of(&enough, 2, &train), (100, 60));
        let few = config("lae", 10);
        assert_eq!(of(&few, 0, &train), (5, 0));
    }

    #[test]
    fn frozen_epochs_never_become_all_of_a_longer_task() {
        let mut all = config("lae", 100);
        all.settings = [("freeze_epochs".to_string(), Setting::Whole(5))].into();
        assert_eq!(of(&all, 1, &[240, 240]), (10, 9));
        all.min_steps = 0;
        assert_eq!(of(&all, 1, &[240, 240]), (5, 5));
    }

    #[test]
    fn what_learns_by_no_steps_keeps_its_passes() {
        let train = [20, 20];
        for method in ["simplecil", "ranpac"] {
            let (plain, longer) = (config(method, 0), config(method, 100));
            let passes = |config: &RunConfig| Chosen::of(config).unwrap().passes(1, &train);
            assert_eq!(passes(&plain).unwrap(), passes(&longer).unwrap());
        }
        // APER learns in its first task alone, joint fine-tuning from all images at once.
        let aper = config("aper", 100);
        assert_eq!(of(&aper, 0, &train).0, 100);
        assert_eq!(of(&aper, 1, &train).0, 0);
        assert_eq!(of(&config("joint-ft", 100), 0, &[240]).0, 10);
    }

    #[test]
    fn no_number_of_steps_plans_more_epochs_than_there_may_be() {
        let most = config("baseline", usize::MAX);
        let chosen = Chosen::of(&most).unwrap();
        assert_eq!(chosen.epochs(0, &[24]), MOST_EPOCHS);
        // Nothing is known of the images.
        assert_eq!(chosen.epochs(0, &[]), 5);
        assert_eq!(chosen.epochs(0, &[0]), 5);
    }
}
