//! Replays the training step of a small network on a GPU, where preparing the launches takes longer than executing them.
//!
//! A step is recorded when the same computation occurs for the second time in a row. The recording is used only if it
//! returns the values of the step itself, and if it is faster.

use std::time::{Duration, Instant};

use burn::tensor::Tensor;

use super::heads::Head;
use super::optimiser::Gradients;
use crate::nn::{Packed, Recording, launches};
use crate::problem::Result;
use crate::tensors::HostTensor;

/// Largest difference between a replay and the step itself, relative to the largest value.
const TOLERANCE: f32 = 1e-4;

/// The loss of a step (one value) and its gradients.
type Outcome = (Tensor<1>, Gradients);

/// Identifies a computation: whether the PET is frozen, and the sizes of all inputs.
type Key = (bool, Vec<usize>);

/// Records and replays the training steps of a task.
pub struct StepRecorder {
    /// Steps that take longer are not recorded, because launches do not limit their speed.
    limit: Option<Duration>,
    is_enabled: bool,
    /// Whether a replay was faster than the step itself.
    is_faster: bool,
    /// The key of the previous step.
    previous: Option<Key>,
    recorded: Option<Recorded>,
}

struct Recorded {
    key: Key,
    recording: Recording,
    /// The names of the gradients.
    names: Vec<String>,
}

impl Recorded {
    fn replay(&self, inputs: &[Tensor<1>]) -> Option<Outcome> {
        let mut outputs = self.recording.replay(inputs)?.into_iter();
        let loss = outputs.next()?;
        let mut gradients = Gradients::default();
        for (name, gradient) in self.names.iter().zip(outputs) {
            gradients.insert(name, gradient);
        }
        Some((loss, gradients))
    }
}

impl Default for StepRecorder {
    fn default() -> Self {
        Self::with_limit(Some(Duration::from_millis(50)))
    }
}

impl StepRecorder {
    /// Returns a recorder for steps that take at most `limit`; `None` if all steps are recorded and replayed, even if that
    /// is slower.
    pub fn with_limit(limit: Option<Duration>) -> Self {
        Self { limit, is_enabled: true, is_faster: limit.is_none(), previous: None, recorded: None }
    }

    /// Returns whether the latest recording is in use.
    pub fn is_recorded(&self) -> bool {
        self.recorded.is_some()
    }

    /// Removes the recording, which is necessary if values change that are not inputs. Frees its memory.
    pub fn clear(&mut self) {
        self.previous = None;
        self.recorded = None;
    }

    /// Returns the outcome of `compute` for a batch (images and targets of the cross-entropy), the last head, and the
    /// trained parameters. On a GPU it may come from a replay, so `compute` must depend on nothing else that changes
    /// before [`StepRecorder::clear`], except whether the PET is frozen.
    ///
    /// # Errors
    /// Returns the Problem of `compute`, or a Problem if the device failed.
    pub fn run(
        &mut self,
        frozen: bool,
        (images, targets): (Tensor<4>, Tensor<2>),
        head: &Head,
        parameters: impl IntoIterator<Item = Tensor<1>>,
        compute: impl Fn((Tensor<4>, Tensor<2>), &Head, Vec<Tensor<1>>) -> Result<Outcome>,
    ) -> Result<Outcome> {
        let shapes = (images.dims(), targets.dims());
        let mut inputs = vec![
            images.flatten(0, 3),
            targets.flatten(0, 1),
            head.weight.clone().flatten(0, 1),
            head.bias.clone().flatten(0, 1),
        ];
        inputs.extend(parameters);
        self.run_values(frozen, &inputs, |mut inputs| {
            let parameters = inputs.split_off(4);
            let batch = (inputs[0].clone().reshape(shapes.0), inputs[1].clone().reshape(shapes.1));
            let head = Head {
                weight: inputs[2].clone().reshape(head.weight.dims()),
                bias: inputs[3].clone().reshape(head.bias.dims()),
            };
            compute(batch, &head, parameters)
        })
    }

    fn run_values(
        &mut self,
        frozen: bool,
        inputs: &[Tensor<1>],
        compute: impl Fn(Vec<Tensor<1>>) -> Result<Outcome>,
    ) -> Result<Outcome> {
        let on_gpu = inputs.first().is_some_and(Packed::takes);
        if !self.is_enabled || !on_gpu || launches::are_observed() {
            return compute(inputs.to_vec());
        }
        let sizes = inputs.iter().map(|input| input.dims()[0]).collect();
        let key = (frozen, sizes);
        let repeated = self.previous.as_ref() == Some(&key);
        self.previous = Some(key.clone());
        if let Some(recorded) = self.recorded.as_ref().filter(|r| r.key == key) {
            if let Some(outcome) = recorded.replay(inputs) {
                return Ok(outcome);
            }
            self.recorded = None;
            self.is_enabled = false;
        }
        match repeated && self.is_enabled {
            true => self.record(key, inputs, compute),
            false => compute(inputs.to_vec()),
        }
    }

    fn record(
        &mut self,
        key: Key,
        inputs: &[Tensor<1>],
        compute: impl Fn(Vec<Tensor<1>>) -> Result<Outcome>,
    ) -> Result<Outcome> {
        self.recorded = None;
        // Waits for earlier work.
        HostTensor::read(&inputs[inputs.len() - 1])?;
        let began = Instant::now();
        let outcome = compute(inputs.to_vec())?;
        HostTensor::read(&outcome.0)?;
        let duration = began.elapsed();
        if self.limit.is_none_or(|limit| duration <= limit) {
            // The step itself is computed, so a failure is not an error.
            let recorded = self.try_record(key, inputs, &outcome, duration, compute);
            self.recorded = recorded.unwrap_or_default();
        }
        self.is_enabled = self.recorded.is_some();
        Ok(outcome)
    }

    /// Returns the recording; `None` if the step cannot be recorded, or if the replay is wrong or slower than
    /// `duration`.
    fn try_record(
        &mut self,
        key: Key,
        inputs: &[Tensor<1>],
        expected: &Outcome,
        duration: Duration,
        compute: impl Fn(Vec<Tensor<1>>) -> Result<Outcome>,
    ) -> Result<Option<Recorded>> {
        let recording = Recording::new(inputs, |inputs| {
            compute(inputs).map(|(loss, gradients)| {
                let gradients = gradients.iter().map(|(_, gradient)| gradient.clone());
                std::iter::once(loss).chain(gradients).collect()
            })
        });
        let Some(recording) = recording else {
            return Ok(None);
        };
        let names = expected.1.iter().map(|(name, _)| name.to_string());
        let recorded = Recorded { key, recording, names: names.collect() };
        let Some(found) = recorded.replay(inputs) else {
            return Ok(None);
        };
        if !agrees(&found, expected)? {
            tracing::warn!("a replayed training step has other values than the step itself");
            return Ok(None);
        }
        if !self.is_faster {
            let began = Instant::now();
            let Some((loss, _)) = recorded.replay(inputs) else {
                return Ok(None);
            };
            HostTensor::read(&loss)?;
            self.is_faster = began.elapsed() < duration;
            tracing::info!("training step: {duration:?}, replayed: {:?}", began.elapsed());
        }
        Ok(self.is_faster.then_some(recorded))
    }
}

/// Returns whether the loss and all gradients are equal up to rounding.
fn agrees(found: &Outcome, expected: &Outcome) -> Result<bool> {
    let values = |outcome: &Outcome| -> Result<Vec<Vec<f32>>> {
        let gradients = outcome.1.iter().map(|(_, gradient)| gradient);
        let all = std::iter::once(&outcome.0).chain(gradients);
        all.map(|tensor| Ok(HostTensor::read(tensor)?.values)).collect()
    };
    let pairs = values(found)?.into_iter().zip(values(expected)?);
    Ok(pairs.into_iter().all(|(found, expected)| {
        let largest = expected.iter().fold(0f32, |most, value| most.max(value.abs()));
        let limit = largest * TOLERANCE;
        let mut pairs = found.iter().zip(&expected);
        pairs.all(|(a, b)| (a - b).abs() <= limit)
    }))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use burn::tensor::Device;

    use super::*;

    fn outcome(loss: f32, gradient: [f32; 2]) -> Outcome {
        let device = Device::flex();
        let mut gradients = Gradients::default();
        gradients.insert("a", Tensor::<1>::from_floats(gradient, &device));
        (Tensor::from_floats([loss], &device), gradients)
    }

    #[test]
    fn outcomes_agree_up_to_rounding() {
        let expected = outcome(2.0, [3.0, 0.0]);
        for (found, is_equal) in [
            (outcome(2.0, [3.0, 0.0]), true),
            (outcome(2.0001, [3.0, -0.0002]), true),
            (outcome(2.001, [3.0, 0.0]), false),
            (outcome(2.0, [3.0, 0.001]), false),
            (outcome(f32::NAN, [3.0, 0.0]), false),
        ] {
            assert_eq!(agrees(&found, &expected).unwrap(), is_equal);
        }
    }

    #[test]
    fn cpu_computes_every_step() {
        let device = Device::flex();
        let mut recorder = StepRecorder::with_limit(None);
        for value in [1.0, 2.0, 3.0] {
            let inputs = [Tensor::<1>::from_floats([value], &device)];
            let double = |inputs: Vec<Tensor<1>>| {
                let loss = inputs[0].clone() * 2.0;
                Ok((loss, Gradients::default()))
            };
            let (loss, _) = recorder.run_values(false, &inputs, double).unwrap();
            assert_eq!(loss.into_scalar::<f32>(), 2.0 * value);
            assert!(!recorder.is_recorded());
        }
    }
}
