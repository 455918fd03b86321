//! How an added task is trained: with as many epochs as the run's tasks and about as many steps, but with few images
//! in small batches, each shown several times.
//!
//! A run's own tasks have hundreds of images. Five epochs of ten drawings would be only a few steps, too few for the
//! new classes to compete with the old ones; far more steps than in the run's tasks would suppress the old ones. The
//! size of a step also remains that of the run: the learning rate is scaled to the batch.

use crate::message;
use crate::method::{Chosen, Pass, Rate};
use crate::run::config::RunConfig;
use crate::texts::Message;

/// Minimum and maximum number of steps per epoch; in between, the number of the run's tasks is used.
const STEPS: [usize; 2] = [10, 25];
/// Batch size of an added task with few images.
const BATCH: usize = 8;

/// How an added task is trained.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct TaskSchedule {
    /// Batch size in images.
    pub batch: usize,
    /// Number of times that an epoch shows each image.
    pub repeats: usize,
    /// Learning rate at batch 256.
    pub base_lr: f64,
    /// Number of images that an epoch learns from.
    images: usize,
    /// Whether the method learns by gradient steps.
    steps: bool,
}

impl TaskSchedule {
    /// Returns the schedule of an added task with `images` training images that becomes task `task` (from 0). The
    /// earlier tasks of the run, without added ones, had `own` images each.
    pub fn new(chosen: &Chosen<'_>, task: usize, images: usize, own: &[usize]) -> Self {
        let config = chosen.config;
        let train: Vec<usize> = own.iter().copied().chain([images]).collect();
        let mut passes = chosen.kinds(task).unwrap_or_default().into_iter();
        let learning = passes.find(Pass::learns);
        // Exemplars of earlier tasks are learned together with the new images.
        let learned = learning.and_then(|pass| pass.source.count(own.len(), &train));
        let (steps, images) = (learned.is_some(), learned.unwrap_or(images));
        let usual = own.iter().sum::<usize>() / own.len().max(1) / config.batch.max(1);
        let usual = usual.clamp(STEPS[0], STEPS[1]);
        let batch = match images < config.batch * usual {
            true => config.batch.min(BATCH),
            false => config.batch,
        };
        let scaled = matches!(chosen.spec.rate, Some(Rate { scaled: true, .. }));
        let share = match scaled {
            true => config.batch as f64 / batch as f64,
            false => 1.0,
        };
        Self {
            batch,
            repeats: match steps {
                true => (usual * batch).div_ceil(images.max(1)),
                false => 1,
            },
            base_lr: config.base_lr * share,
            images,
            steps,
        }
    }

    /// Returns a note if the schedule differs from that of the run's tasks.
    pub fn note(&self, run: &RunConfig) -> Option<Message> {
        let differs = self.steps && (self.repeats > 1 || self.batch != run.batch);
        differs.then(|| {
            message!(
                "teach-images-repeated",
                n = self.images,
                times = self.repeats,
                batch = self.batch
            )
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pictures_are_repeated_by_what_an_epoch_learns_from() {
        let repeats = |method: &str| {
            let config = RunConfig {
                method: method.into(),
                batch: 24,
                ..RunConfig::default()
            };
            let drill = TaskSchedule::new(&Chosen::of(&config).unwrap(), 5, 10, &[250; 5]);
            (drill.batch, drill.repeats, drill.images)
        };
        assert_eq!(repeats("lae"), (8, 8, 10));
        // 200 exemplars and 10 images are about as many as in a task of the run.
        assert_eq!(repeats("icarl"), (8, 1, 210));
        assert_eq!(repeats("simplecil"), (8, 1, 10));
    }
}
