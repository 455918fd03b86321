//! Replays the training step of a small network on a GPU, where preparing the launches takes longer than executing them.
//!
//! A step is recorded when the same computation occurs for the second time in a row. The recording is used only if it
//! returns the values of the step itself, and if it is faster.

use std::time::{Duration, Instant};

use burn::tensor::Tensor;

use super::heads::Head;
use super::optimiser::Gradients;
use crate::nn::{Packed, Recording, launches};
use crate::pet::PetStack;
use crate::problem::Result;
use crate::tensors::HostTensor;

/// Largest difference between a replay and the step itself, relative to the largest value.
const TOLERANCE: f64 = 1e-4;

/// The loss of a step (one value) and its gradients.
type Outcome = (Tensor<1>, Gradients);

/// The images of a batch and the targets of the cross-entropy.
type Batch = (Tensor<4>, Tensor<2>);

/// Identifies a computation: whether the PET is frozen, and the sizes of all inputs.
type Key = (bool, Vec<usize>);

/// A training step as a function of flat inputs.
struct Step<'a, F> {
    key: Key,
    inputs: &'a [Tensor<1>],
    compute: F,
}

impl<'a, F: Fn(Vec<Tensor<1>>) -> Result<Outcome>> Step<'a, F> {
    fn new(frozen: bool, inputs: &'a [Tensor<1>], compute: F) -> Self {
        let sizes = inputs.iter().map(|input| input.dims()[0]).collect();
        Self { key: (frozen, sizes), inputs, compute }
    }

    fn outcome(&self) -> Result<Outcome> {
        (self.compute)(self.inputs.to_vec())
    }
}

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

    /// Returns the outcome of `compute` for a batch, the last head and the PET. On a GPU it may come from a replay, so
    /// `compute` must depend on nothing else that changes before [`StepRecorder::clear`], except whether the PET is
    /// frozen.
    ///
    /// # Errors
    /// Returns the Problem of `compute`, or a Problem if the device failed.
    pub fn run(
        &mut self,
        frozen: bool,
        (images, targets): Batch,
        (head, pets): (&Head, &PetStack),
        compute: impl Fn(Batch, (&Head, &PetStack)) -> Result<Outcome>,
    ) -> Result<Outcome> {
        let bias = head.bias.clone().flatten(0, 1);
        if !self.is_enabled || !Packed::takes(&bias) || launches::are_observed() {
            return compute((images, targets), (head, pets));
        }
        let shapes = (images.dims(), targets.dims());
        let mut inputs = vec![
            images.flatten(0, 3),
            targets.flatten(0, 1),
            head.weight.clone().flatten(0, 1),
            bias,
        ];
        inputs.extend(pets.trained_values());
        self.run_step(&Step::new(frozen, &inputs, |mut inputs| {
            let values = inputs.split_off(4);
            let batch = (inputs[0].clone().reshape(shapes.0), inputs[1].clone().reshape(shapes.1));
            let head = Head {
                weight: inputs[2].clone().reshape(head.weight.dims()),
                bias: inputs[3].clone().reshape(head.bias.dims()),
            };
            compute(batch, (&head, &pets.with_trained_values(values)))
        }))
    }

    fn run_step(
        &mut self,
        step: &Step<'_, impl Fn(Vec<Tensor<1>>) -> Result<Outcome>>,
    ) -> Result<Outcome> {
        let is_repeated = self.previous.as_ref() == Some(&step.key);
        self.previous = Some(step.key.clone());
        if let Some(recorded) = self.recorded.as_ref().filter(|r| r.key == step.key) {
            if let Some(outcome) = recorded.replay(step.inputs) {
                return Ok(outcome);
            }
            self.recorded = None;
            self.is_enabled = false;
        }
        match is_repeated && self.is_enabled {
            true => self.record(step),
            false => step.outcome(),
        }
    }

    fn record(
        &mut self,
        step: &Step<'_, impl Fn(Vec<Tensor<1>>) -> Result<Outcome>>,
    ) -> Result<Outcome> {
        self.recorded = None;
        // Waits for earlier work.
        HostTensor::read(&step.inputs[step.inputs.len() - 1])?;
        let began = Instant::now();
        let outcome = step.outcome()?;
        HostTensor::read(&outcome.0)?;
        let duration = began.elapsed();
        if self.limit.is_none_or(|limit| duration <= limit) {
            // The step itself is computed, so a failure is not an error.
            let recorded = self.try_record(step, &outcome, duration);
            self.recorded = recorded.unwrap_or_default();
        }
        self.is_enabled = self.recorded.is_some();
        Ok(outcome)
    }

    /// Returns the recording; `None` if the step cannot be recorded, or if the replay is wrong or slower than
    /// `duration`.
    fn try_record(
        &mut self,
        step: &Step<'_, impl Fn(Vec<Tensor<1>>) -> Result<Outcome>>,
        expected: &Outcome,
        duration: Duration,
    ) -> Result<Option<Recorded>> {
        let recording = Recording::new(step.inputs, |inputs| {
            (step.compute)(inputs).map(|(loss, gradients)| {
                let gradients = gradients.iter().map(|(_, gradient)| gradient.clone());
                std::iter::once(loss).chain(gradients).collect()
            })
        });
        let Some(recording) = recording else {
            return Ok(None);
        };
        let names = expected.1.iter().map(|(name, _)| name.to_string());
        let recorded = Recorded { key: step.key.clone(), recording, names: names.collect() };
        let Some(found) = recorded.replay(step.inputs) else {
            return Ok(None);
        };
        if !agrees(&found, expected)? {
            tracing::warn!("a replayed training step has other values than the step itself");
            return Ok(None);
        }
        if !self.is_faster {
            let began = Instant::now();
            let Some((loss, _)) = recorded.replay(step.inputs) else {
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
    let gradients = found.1.iter().zip(expected.1.iter());
    let gradients = gradients.map(|((_, found), (_, expected))| (found, expected));
    for (found, expected) in std::iter::once((&found.0, &expected.0)).chain(gradients) {
        let [found, expected] = [HostTensor::read(found)?, HostTensor::read(expected)?];
        if found.relative_error(&expected) > TOLERANCE {
            return Ok(false);
        }
    }
    Ok(true)
}

#[cfg(test)]
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
        let head = Head::new(2, 3, 0, &device);
        for _ in 0..3 {
            let batch = (Tensor::zeros([1; 4], &device), Tensor::zeros([1; 2], &device));
            let sum = |batch: Batch, (head, _): (&Head, &PetStack)| {
                let loss = batch.0.sum() + head.weight.clone().sum();
                Ok((loss, Gradients::default()))
            };
            let (loss, _) = recorder.run(false, batch, (&head, &PetStack::default()), sum).unwrap();
            let expected: f32 = head.weight.clone().sum().into_scalar();
            assert_eq!(loss.into_scalar::<f32>(), expected);
            assert!(!recorder.is_recorded());
        }
    }
}
