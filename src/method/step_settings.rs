//! Settings of a training step: how many images pass through the network at once, and label smoothing.
//!
//! A batch that is too large for a GPU is processed in parts: the gradients of the parts, weighted by their shares of
//! the images, are added before the update. The loss of every method here is a mean over images, plus terms that are
//! independent of the images, so the sum equals the gradient of the whole batch up to rounding. Dropout masks are drawn
//! for the whole batch (see [`BatchRows`](crate::pet::BatchRows)).

use burn::tensor::Tensor;

use super::Batch;
use super::optimiser::Gradients;
use crate::message;
use crate::pet::{BatchRows, DropoutSeed};
use crate::problem::{Problem, Result};
use crate::run::config::RunConfig;

/// The settings of a training step that all methods share.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct StepSettings {
    /// Images that pass through the network at once; `None` for all of them.
    max_images: Option<usize>,
    /// ε of the label smoothing.
    pub smoothing: f64,
}

/// A part of a batch.
#[derive(Clone, Debug)]
pub struct BatchPart<'a> {
    /// The images, labels and samples of this part; pass and step are those of the whole batch.
    pub batch: Batch<'a>,
    /// The rows of the whole batch that this part has; `None` if it is the whole batch.
    pub rows: Option<BatchRows>,
}

impl BatchPart<'_> {
    /// Returns the random source of dropout in a task (from 0) of a run with this seed; different for every batch of a
    /// run.
    pub fn dropout_seed(&self, seed: u64, task: usize) -> DropoutSeed {
        let position = [task as u64, self.batch.pass as u64];
        DropoutSeed {
            seed,
            step: position[0] << 48 | position[1] << 32 | self.batch.step as u64,
            rows: self.rows,
        }
    }
}

impl StepSettings {
    /// Returns the step settings of a run.
    pub fn from_config(config: &RunConfig) -> Self {
        Self { max_images: config.micro_batch, smoothing: config.label_smoothing }
    }

    /// Returns the parts of a batch, in order.
    pub fn parts<'a>(self, batch: &Batch<'a>) -> Vec<BatchPart<'a>> {
        let total = batch.labels.len();
        let part_size = self.max_images.unwrap_or(total).max(1);
        if part_size >= total {
            return vec![BatchPart { batch: batch.clone(), rows: None }];
        }
        let part = |first: usize| {
            let count = part_size.min(total - first);
            let range = first..first + count;
            BatchPart {
                batch: Batch {
                    images: batch.images.clone().slice_dim(0, range.clone()),
                    labels: &batch.labels[range.clone()],
                    samples: &batch.samples[range],
                    ..batch.clone()
                },
                rows: Some(BatchRows { first, count, total }),
            }
        };
        (0..total).step_by(part_size).map(part).collect()
    }

    /// Computes loss and gradients of a batch from those of its parts.
    ///
    /// # Errors
    /// Returns the Problem that `learn` returns, or a Problem for a batch without images.
    pub fn learn(
        self,
        batch: &Batch<'_>,
        mut learn: impl FnMut(&BatchPart<'_>) -> Result<(Tensor<1>, Gradients)>,
    ) -> Result<(Tensor<1>, Gradients)> {
        let mut sum: Option<(Tensor<1>, Gradients)> = None;
        for part in self.parts(batch) {
            let (loss, gradients) = learn(&part)?;
            let Some(rows) = part.rows else {
                return Ok((loss, gradients));
            };
            let weight = rows.count as f64 / rows.total as f64;
            let (loss, gradients) = (loss * weight, gradients.scaled(weight));
            sum = Some(match sum {
                None => (loss, gradients),
                Some((losses, sum_of_gradients)) => {
                    (losses + loss, sum_of_gradients.accumulate(gradients))
                }
            });
        }
        sum.ok_or_else(|| Problem::new(message!("problem-batch-empty")))
    }
}

#[cfg(test)]
mod tests {
    use burn::tensor::{Device, TensorData};

    use super::*;
    use crate::tensors::HostTensor;

    fn step_settings(images: usize) -> StepSettings {
        StepSettings { max_images: Some(images), ..StepSettings::default() }
    }

    #[test]
    fn parts_cover_batch_and_are_weighted_by_images() {
        let device = Device::flex();
        let values: Vec<f32> = (0..7).map(|i| i as f32).collect();
        let images = Tensor::from_data(TensorData::new(values, [7, 1, 1, 1]), &device);
        let batch = Batch {
            images,
            labels: &[0, 1, 2, 3, 4, 5, 6],
            samples: &[9, 8, 7, 6, 5, 4, 3],
            pass: 1,
            epochs: 5,
            step: 2,
            steps: 3,
        };
        let unsplit = StepSettings::default().parts(&batch);
        assert!(unsplit.len() == 1 && unsplit[0].rows.is_none());
        assert_eq!(step_settings(9).parts(&batch).len(), 1);
        let parts = step_settings(3).parts(&batch);
        let labels: Vec<_> = parts.iter().map(|part| part.batch.labels).collect();
        assert_eq!(labels, [&[0, 1, 2][..], &[3, 4, 5], &[6]]);
        assert_eq!(parts[2].batch.samples, [3]);
        let mean = |part: &BatchPart<'_>| {
            let mean = part.batch.images.clone().mean();
            let mut gradients = Gradients::default();
            gradients.insert("a", mean.clone());
            Ok((mean, gradients))
        };
        let (loss, gradients) = step_settings(3).learn(&batch, mean).unwrap();
        let gradient = gradients.iter().next().unwrap().1;
        for mean in [&loss, gradient] {
            let mean = HostTensor::read(mean).unwrap().values[0];
            assert!((mean - 3.0).abs() < 1e-6, "{mean}");
        }
    }
}
