//! Replays the training step of a small network on a GPU, where preparing the launches takes longer than executing
//! them.
//!
//! A step is recorded when the same computation occurs for the second time in a row. The recording is used only if it
//! returns the values of the step itself, and if it is faster.

use std::collections::BTreeMap;
use std::sync::{LazyLock, Mutex, PoisonError};
use std::time::{Duration, Instant};

use burn::tensor::Tensor;

use super::heads::Head;
use super::optimiser::Gradients;
use crate::backbone::parameters::Weights;
use crate::nn::{Packed, Recording, launches};
use crate::pet::PetStack;
use crate::problem::Result;
use crate::sync::lock;
use crate::tensors::HostTensor;

/// The environment variable for tests and measurements: `off` computes every step, `always` replays every recorded step
/// even if that is slower.
static MODE: LazyLock<Option<String>> = LazyLock::new(|| std::env::var("LAE_STUDIO_REPLAY").ok());

/// Largest difference between a replay and the step itself, relative to the largest value.
const TOLERANCE: f64 = 1e-4;

/// The loss of a step (one value) and its gradients.
type Outcome = (Tensor<1>, Gradients);

/// Identifies a computation: the variant of the step, and the sizes of all inputs.
type Key = (bool, Vec<usize>);

/// Tensors that change between the steps of a task.
pub trait StepInputs: Sized {
    /// Appends the values of all tensors.
    fn append_values(&self, values: &mut Vec<Tensor<1>>);

    /// Returns the same structure with other values, in the order of [`StepInputs::append_values`].
    fn with_values(&self, values: &mut impl Iterator<Item = Tensor<1>>) -> Self;
}

impl<const D: usize> StepInputs for Tensor<D> {
    fn append_values(&self, values: &mut Vec<Tensor<1>>) {
        values.push(self.clone().flatten(0, D - 1));
    }

    fn with_values(&self, values: &mut impl Iterator<Item = Tensor<1>>) -> Self {
        values.next().map_or_else(|| self.clone(), |new| new.reshape(self.dims()))
    }
}

impl<A: StepInputs, B: StepInputs> StepInputs for (A, B) {
    fn append_values(&self, values: &mut Vec<Tensor<1>>) {
        self.0.append_values(values);
        self.1.append_values(values);
    }

    fn with_values(&self, values: &mut impl Iterator<Item = Tensor<1>>) -> Self {
        (self.0.with_values(values), self.1.with_values(values))
    }
}

impl<T: StepInputs> StepInputs for Option<T> {
    fn append_values(&self, values: &mut Vec<Tensor<1>>) {
        self.iter().for_each(|inputs| inputs.append_values(values));
    }

    fn with_values(&self, values: &mut impl Iterator<Item = Tensor<1>>) -> Self {
        self.as_ref().map(|inputs| inputs.with_values(values))
    }
}

impl<T: StepInputs> StepInputs for BTreeMap<String, T> {
    fn append_values(&self, values: &mut Vec<Tensor<1>>) {
        self.values().for_each(|inputs| inputs.append_values(values));
    }

    fn with_values(&self, values: &mut impl Iterator<Item = Tensor<1>>) -> Self {
        self.iter().map(|(name, inputs)| (name.clone(), inputs.with_values(values))).collect()
    }
}

impl StepInputs for PetStack {
    fn append_values(&self, values: &mut Vec<Tensor<1>>) {
        values.extend(self.trained_values());
    }

    fn with_values(&self, values: &mut impl Iterator<Item = Tensor<1>>) -> Self {
        self.with_trained_values(values)
    }
}

impl StepInputs for Weights {
    fn append_values(&self, values: &mut Vec<Tensor<1>>) {
        values.extend(self.iter().map(|(_, leaf)| leaf.values.clone()));
    }

    fn with_values(&self, values: &mut impl Iterator<Item = Tensor<1>>) -> Self {
        self.clone().map_values(|_, old| old.with_values(values))
    }
}

impl StepInputs for Head {
    fn append_values(&self, values: &mut Vec<Tensor<1>>) {
        self.weight.append_values(values);
        self.bias.append_values(values);
    }

    fn with_values(&self, values: &mut impl Iterator<Item = Tensor<1>>) -> Self {
        Self { weight: self.weight.with_values(values), bias: self.bias.with_values(values) }
    }
}

/// A training step as a function of the values of its inputs.
struct Step<'a> {
    key: Key,
    inputs: &'a [Tensor<1>],
    compute: &'a dyn Fn(Vec<Tensor<1>>) -> Result<Outcome>,
}

impl Step<'_> {
    fn outcome(&self) -> Result<Outcome> {
        (self.compute)(self.inputs.to_vec())
    }
}

/// Records and replays the training steps of a task.
#[derive(Default)]
pub struct StepRecorder(Mutex<Recorder>);

struct Recorder {
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

impl Default for Recorder {
    fn default() -> Self {
        match MODE.as_deref() {
            Some("off") => Self { is_enabled: false, ..Self::with_limit(None) },
            Some("always") => Self::with_limit(None),
            _ => Self::with_limit(Some(Duration::from_millis(50))),
        }
    }
}

impl StepRecorder {
    /// Returns a recorder for steps that take at most `limit`; `None` if all steps are recorded and replayed, even if
    /// that is slower.
    pub fn with_limit(limit: Option<Duration>) -> Self {
        Self(Mutex::new(Recorder::with_limit(limit)))
    }

    /// Returns whether the latest recording is in use.
    pub fn is_recorded(&self) -> bool {
        lock(&self.0).recorded.is_some()
    }

    /// Removes the recording, which is necessary if values change that are not inputs. Frees its memory.
    pub fn clear(&mut self) {
        let recorder = self.0.get_mut().unwrap_or_else(PoisonError::into_inner);
        recorder.previous = None;
        recorder.recorded = None;
    }

    /// Returns the outcome of `compute`. On a GPU it may come from a replay, so `compute` must depend on nothing else
    /// that changes before [`StepRecorder::clear`], except the `variant`, and must send nothing to the GPU.
    ///
    /// # Errors
    /// Returns the Problem of `compute`, or a Problem if the device failed.
    pub fn run<I: StepInputs>(
        &self,
        variant: bool,
        inputs: I,
        compute: impl Fn(I) -> Result<Outcome>,
    ) -> Result<Outcome> {
        let mut recorder = lock(&self.0);
        if !recorder.is_enabled || launches::are_observed() {
            return compute(inputs);
        }
        let mut values = Vec::new();
        inputs.append_values(&mut values);
        recorder.is_enabled = values.first().is_some_and(Packed::accepts);
        if !recorder.is_enabled {
            return compute(inputs);
        }
        let sizes = values.iter().map(|value| value.dims()[0]).collect();
        let compute = |values: Vec<Tensor<1>>| compute(inputs.with_values(&mut values.into_iter()));
        recorder.run(&Step { key: (variant, sizes), inputs: &values, compute: &compute })
    }
}

impl Recorder {
    fn with_limit(limit: Option<Duration>) -> Self {
        Self { limit, is_enabled: true, is_faster: limit.is_none(), previous: None, recorded: None }
    }

    fn run(&mut self, step: &Step<'_>) -> Result<Outcome> {
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

    fn record(&mut self, step: &Step<'_>) -> Result<Outcome> {
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
        step: &Step<'_>,
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
        tracing::debug!("a training step was recorded");
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
        let recorder = StepRecorder::with_limit(None);
        let head = Head::new(2, 3, 0, &device);
        for _ in 0..3 {
            let inputs = (Tensor::<4>::zeros([1; 4], &device), head.clone());
            let sum = |(images, head): (Tensor<4>, Head)| {
                Ok((images.sum() + head.weight.sum(), Gradients::default()))
            };
            let (loss, _) = recorder.run(false, inputs, sum).unwrap();
            let expected: f32 = head.weight.clone().sum().into_scalar();
            assert_eq!(loss.into_scalar::<f32>(), expected);
            assert!(!recorder.is_recorded());
        }
    }
}
