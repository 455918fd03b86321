//! How an added task is trained: with as many epochs as the run's tasks and about as many steps, but with few images
//! in small batches, each shown several times.
//!
//! A run's own tasks have hundreds of images. Five epochs of ten drawings would be only a few steps, too few for the
//! new classes to compete with the old ones; far more steps than in the run's tasks would suppress the old ones. The
//! size of a step also remains that of the run: the learning rate is scaled to the batch.

use crate::message;
use crate::method::{ConfiguredMethod, Pass, Rate};
use crate::run::config::RunConfig;
use crate::texts::Message;

/// Minimum and maximum number of steps per epoch; in between, the number of the run's tasks is used.
const STEPS_PER_EPOCH: [usize; 2] = [10, 25];
/// Batch size of an added task with few images.
const SMALL_BATCH_SIZE: usize = 8;

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
    /// earlier tasks of the run, without added ones, had `task_sizes` images.
    pub fn new(
        chosen: &ConfiguredMethod<'_>,
        task: usize,
        images: usize,
        task_sizes: &[usize],
    ) -> Self {
        let config = chosen.config;
        let train: Vec<usize> = task_sizes.iter().copied().chain([images]).collect();
        let mut passes = chosen.default_passes(task).unwrap_or_default().into_iter();
        let learning = passes.find(Pass::is_learning);
        // Exemplars of earlier tasks are learned together with the new images.
        let learned_images = learning.and_then(|pass| pass.source.count(task_sizes.len(), &train));
        let (steps, images) = (learned_images.is_some(), learned_images.unwrap_or(images));
        let usual =
            task_sizes.iter().sum::<usize>() / task_sizes.len().max(1) / config.batch.max(1);
        let usual = usual.clamp(STEPS_PER_EPOCH[0], STEPS_PER_EPOCH[1]);
        let batch = match images < config.batch * usual {
            true => config.batch.min(SMALL_BATCH_SIZE),
            false => config.batch,
        };
        let scaled = matches!(chosen.spec.rate, Some(Rate { scaled: true, .. }));
        let lr_factor = match scaled {
            true => config.batch as f64 / batch as f64,
            false => 1.0,
        };
        Self {
            batch,
            repeats: match steps {
                true => (usual * batch).div_ceil(images.max(1)),
                false => 1,
            },
            base_lr: config.base_lr * lr_factor,
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
    fn image_repeats_depend_on_images_per_epoch() {
        let repeats = |method: &str| {
            let config = RunConfig { method: method.into(), batch: 24, ..RunConfig::default() };
            let schedule = TaskSchedule::new(
                &ConfiguredMethod::from_config(&config).unwrap(),
                5,
                10,
                &[250; 5],
            );
            (schedule.batch, schedule.repeats, schedule.images)
        };
        assert_eq!(repeats("lae"), (8, 8, 10));
        // 200 exemplars and 10 images are about as many as in a task of the run.
        assert_eq!(repeats("icarl"), (8, 1, 210));
        assert_eq!(repeats("simplecil"), (8, 1, 10));
    }
}
