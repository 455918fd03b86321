//! The optimisers as PyTorch defines them, their learning rate schedules, and gradient clipping.
//!
//! * Adam: bias-corrected moments, epsilon outside the root, no weight decay.
//! * SGD with momentum m and weight decay w: g ← g + w·p; b ← g at the first step, later
//!   b ← m·b + g; p ← p − rate·b. No dampening, no Nesterov.
//! * Clipping to c: every gradient is multiplied by min(1, c / (n + 1e-6)), where n is the norm of
//!   all gradients of the step together; before the weight decay.
//!
//! This is not the framework's implementation because the parameters are a changing set of named tensors of any rank. A
//! parameter without a gradient in a step (frozen, or of an earlier head) is neither moved nor decayed and has no
//! state. Its step count starts at 1 when it is first trained, independent of the others. State is read and written by
//! name for an exact resume.

mod update;

use std::collections::BTreeMap;
use std::f64::consts::PI;

use burn::tensor::{Device, Tensor, TensorData};

use super::State;
use crate::nn::{self, Adam, Momentum};
use crate::problem::{Problem, Result};
use crate::tensors::{HostTensor, NamedTensors, get_tensor, get_tensor_with_shape};

use update::{PackedMoments, PackedStep, Update};

const BETA1: f64 = 0.9;
const BETA2: f64 = 0.999;
const EPSILON: f64 = 1e-8;

/// The update rule.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Rule {
    /// β 0.9 and 0.999, ε 1e-8, no weight decay.
    Adam,
    /// With momentum and weight decay.
    Sgd {
        /// The momentum factor; 0.9 is usual.
        momentum: f64,
        /// The weight decay factor.
        weight_decay: f64,
    },
}

impl Rule {
    /// Returns the names under which the state of a parameter is stored: Adam's moments, or SGD's previous update
    /// (before the learning rate).
    fn moments(self) -> &'static [&'static str] {
        match self {
            Self::Adam => &["adam.first", "adam.second"],
            Self::Sgd { .. } => &["sgd.buffer"],
        }
    }

    /// Returns the update of a parameter at this learning rate; `steps` is the parameter's step count, including this
    /// step.
    fn update(self, rate: f64, steps: i32) -> Update {
        match self {
            Self::Adam => {
                Update::Adam(Adam { rate, betas: [BETA1, BETA2], epsilon: EPSILON, steps })
            }
            Self::Sgd { momentum, weight_decay } => {
                Update::Momentum(Momentum { rate, momentum, decay: weight_decay })
            }
        }
    }
}

/// The position of a step within the training of its task.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StepPosition {
    /// Number of steps before this one in the task.
    pub step: usize,
    /// Number of steps of the task.
    pub steps: usize,
    /// Number of epochs finished before this step in the task.
    pub epoch: usize,
    /// Number of epochs of the task.
    pub epochs: usize,
}

impl StepPosition {
    /// The position of every step if the rate is constant, because it does not matter then.
    pub const CONSTANT: Self = Self { step: 0, steps: 1, epoch: 0, epochs: 1 };

    /// Returns the position of step `step` of `steps` in epoch `epoch` of `epochs`, all of equal length.
    pub fn new((epoch, epochs): (usize, usize), (step, steps): (usize, usize)) -> Self {
        Self { step: epoch * steps + step, steps: epochs * steps, epoch, epochs }
    }
}

/// How the learning rate changes within a task; it restarts with every task.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Schedule {
    /// Constant.
    Constant,
    /// Step i of S: rate · (½ + ½·cos(π·i/S)).
    Cosine,
    /// Epoch e of E: rate · (½ + ½·cos(π·e/E)).
    CosineEpoch,
    /// CODA-Prompt's released schedule: rate · cos(99π·max(e − 1, 0) / (200·(E − 1))) in epoch e of E; it lags one
    /// epoch behind and does not reach 0.
    LaggingCosine,
}

impl Schedule {
    /// Returns the factor of the learning rate.
    pub fn factor(self, position: StepPosition) -> f64 {
        let half_wave = |index: usize, count: usize| {
            let share = index as f64 / count.max(1) as f64;
            0.5 + 0.5 * (PI * share).cos()
        };
        match self {
            Self::Constant => 1.0,
            Self::Cosine => half_wave(position.step, position.steps),
            Self::CosineEpoch => half_wave(position.epoch, position.epochs),
            Self::LaggingCosine if position.epochs < 2 => 1.0,
            Self::LaggingCosine => {
                let (lag, last) = (position.epoch.saturating_sub(1), position.epochs - 1);
                (99.0 * PI * lag as f64 / (200.0 * last as f64)).cos()
            }
        }
    }
}

/// The settings of an optimiser.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OptimiserSettings {
    /// The update rule.
    pub rule: Rule,
    /// The learning rate before the schedule.
    pub learning_rate: f64,
    /// The schedule within a task.
    pub schedule: Schedule,
    /// Maximum global gradient norm of a step; `None` for no clipping.
    pub clip: Option<f64>,
}

impl OptimiserSettings {
    /// Returns Adam with a constant learning rate, without clipping.
    pub fn adam(learning_rate: f64) -> Self {
        Self { rule: Rule::Adam, learning_rate, schedule: Schedule::Constant, clip: None }
    }
}

/// The state of one parameter.
#[derive(Clone, Debug)]
struct ParameterState {
    /// The shape of the parameter.
    shape: Vec<usize>,
    /// The tensors of [`Rule::moments`].
    moments: Vec<Tensor<1>>,
    /// The number of steps.
    steps: i32,
}

/// An optimiser with its state.
#[derive(Clone, Debug)]
pub struct Optimiser {
    settings: OptimiserSettings,
    states: BTreeMap<String, ParameterState>,
    /// Moments of the last step, stored contiguously on a GPU. The moments in `states` are views of them.
    packed: Vec<PackedMoments>,
}

impl Optimiser {
    /// Returns an optimiser without state.
    pub fn new(settings: OptimiserSettings) -> Self {
        Self { settings, states: BTreeMap::new(), packed: Vec::new() }
    }

    /// Clears the state at the start of a task.
    pub fn clear(&mut self) {
        self.states.clear();
        self.packed.clear();
    }

    /// Returns the learning rate of a step.
    pub fn rate(&self, position: StepPosition) -> f64 {
        self.settings.learning_rate * self.settings.schedule.factor(position)
    }

    /// Makes a step: clips the gradients and calls `update`, which requests the new value of every parameter with
    /// [`Step::update`].
    pub fn step<R>(
        &mut self,
        gradients: Gradients,
        position: StepPosition,
        update: impl FnOnce(&mut Step<'_>) -> R,
    ) -> R {
        let packed = PackedStep::new(&gradients);
        if packed.is_none() {
            self.packed.clear();
        }
        let norm = || match &packed {
            Some(packed) => Some(packed.norm()),
            None => gradients.norm(),
        };
        let factor = self.settings.clip.and_then(|max_norm| Some(clip_factor(norm()?, max_norm)));
        let mut step =
            Step { rate: self.rate(position), factor, packed, optimiser: self, gradients };
        let result = update(&mut step);
        let (factor, rate, packed) = (step.factor, step.rate, step.packed);
        if let Some(packed) = packed {
            packed.finish(self, rate, factor.as_ref());
        }
        result
    }

    /// Writes or reads the state under the parameters' names and shapes: `adam.first.<name>`, `adam.second.<name>` and
    /// `adam.steps.<name>` (one value), or `sgd.buffer.<name>`. A snapshot does not contain it.
    pub(super) fn sync_state(&mut self, device: &Device, state: &mut State<'_>) -> Result<()> {
        match state {
            State::Snapshot(_) => Ok(()),
            State::Checkpoint(tensors) => self.write(tensors),
            State::Restore(stored) => {
                self.states = self.read(stored.tensors, device)?;
                self.packed.clear();
                Ok(())
            }
        }
    }

    fn write(&self, tensors: &mut NamedTensors) -> Result<()> {
        for (name, state) in &self.states {
            for (key, moment) in self.settings.rule.moments().iter().zip(&state.moments) {
                let values = HostTensor::read(moment)?.values;
                let shape = state.shape.clone();
                tensors.insert(format!("{key}.{name}"), HostTensor { shape, values });
            }
            if self.settings.rule == Rule::Adam {
                let steps = HostTensor::vector(vec![state.steps as f32]);
                tensors.insert(format!("adam.steps.{name}"), steps);
            }
        }
        Ok(())
    }

    fn read(
        &self,
        tensors: &NamedTensors,
        device: &Device,
    ) -> Result<BTreeMap<String, ParameterState>> {
        let rule = self.settings.rule;
        let keys = rule.moments();
        let mut states = BTreeMap::new();
        for (tensor_name, first) in tensors {
            let name = tensor_name.strip_prefix(keys[0]);
            let Some(name) = name.and_then(|name| name.strip_prefix('.')) else {
                continue;
            };
            let read_moment =
                |key: &&str| get_tensor_with_shape(tensors, &format!("{key}.{name}"), &first.shape);
            let moments = keys.iter().map(read_moment).collect::<Result<Vec<_>>>()?;
            let state = ParameterState {
                shape: first.shape.clone(),
                moments: moments.into_iter().map(|moment| to_flat_tensor(moment, device)).collect(),
                steps: match rule {
                    Rule::Adam => read_step_count(tensors, name)?,
                    Rule::Sgd { .. } => 1,
                },
            };
            states.insert(name.to_string(), state);
        }
        Ok(states)
    }
}

fn to_flat_tensor(stored: &HostTensor, device: &Device) -> Tensor<1> {
    let count = stored.values.len();
    Tensor::from_data(TensorData::new(stored.values.clone(), [count]), device)
}

fn read_step_count(tensors: &NamedTensors, name: &str) -> Result<i32> {
    let steps = get_tensor(tensors, &format!("adam.steps.{name}"))?.values.first();
    let missing_count = || Problem::new(format!("the optimiser's step count of {name} is empty"));
    steps.map(|steps| *steps as i32).ok_or_else(missing_count)
}

/// Epsilon added to the norm of the gradients before division.
const CLIP_EPSILON: f64 = 1e-6;

/// Gradients of one step by parameter name, each flattened.
#[derive(Clone, Debug, Default)]
pub struct Gradients(BTreeMap<String, Tensor<1>>);

impl Gradients {
    /// Adds the gradient of one parameter.
    pub fn insert<const D: usize>(&mut self, name: impl Into<String>, gradient: Tensor<D>) {
        self.0.insert(name.into(), flatten(gradient));
    }

    /// Returns the gradient of one parameter.
    pub fn get(&self, name: &str) -> Option<&Tensor<1>> {
        self.0.get(name)
    }

    /// Returns all gradients, sorted by name.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Tensor<1>)> {
        self.0.iter().map(|(name, gradient)| (name.as_str(), gradient))
    }

    /// Multiplies all gradients by a number.
    #[must_use]
    pub fn scaled(self, factor: f64) -> Self {
        let gradients = self.0.into_iter();
        Self(gradients.map(|(name, gradient)| (name, gradient * factor)).collect())
    }

    /// Adds other gradients, name by name.
    #[must_use]
    pub fn accumulate(mut self, others: Self) -> Self {
        for (name, other) in others.0 {
            let sum = match self.0.remove(&name) {
                Some(gradient) => nn::add(gradient, other),
                None => other,
            };
            self.0.insert(name, sum);
        }
        self
    }

    /// Removes and returns the gradient of one parameter.
    fn remove(&mut self, name: &str) -> Option<Tensor<1>> {
        self.0.remove(name)
    }

    /// Returns the root of the sum of all squares (one value, on the device); `None` without gradients.
    pub fn norm(&self) -> Option<Tensor<1>> {
        let squares = self.0.values().map(nn::sum_of_squares);
        squares.reduce(|a, b| a + b).map(Tensor::sqrt)
    }
}

/// Returns the factor (one value) that limits the norm to `max_norm`.
fn clip_factor(norm: Tensor<1>, max_norm: f64) -> Tensor<1> {
    ((norm + CLIP_EPSILON).recip() * max_norm).clamp_max(1.0)
}

/// Flattens a tensor.
fn flatten<const D: usize>(tensor: Tensor<D>) -> Tensor<1> {
    let count = tensor.dims().iter().product::<usize>();
    tensor.reshape([count])
}

/// One step over all parameters, in which each parameter is updated once.
pub struct Step<'a> {
    optimiser: &'a mut Optimiser,
    gradients: Gradients,
    /// The clipping factor of every gradient.
    factor: Option<Tensor<1>>,
    rate: f64,
    /// The parameters that are updated together at the end, on a GPU.
    packed: Option<PackedStep>,
}

impl Step<'_> {
    /// Returns the value of parameter `name` after the step; unchanged if it has no gradient. On a GPU it is computed
    /// at the end of the step.
    #[must_use]
    pub fn update<const D: usize>(&mut self, name: &str, value: Tensor<D>) -> Tensor<D> {
        let Some(gradient) = self.gradients.remove(name) else {
            return value;
        };
        let shape = value.dims();
        let value = flatten(value);
        let states = &mut self.optimiser.states;
        // A state of another shape is of a different parameter with the same name.
        let state = states.remove(name).filter(|state| state.shape == shape);
        let (moments, steps) =
            state.map_or((Vec::new(), 1), |state| (state.moments, state.steps + 1));
        let mut parameter = ParameterState { shape: shape.to_vec(), moments, steps };
        if let Some(packed) = &mut self.packed
            && let Some(updated) = packed.add(name, &value, &parameter)
        {
            states.insert(name.to_string(), parameter);
            return updated.reshape(shape);
        }
        let update = self.optimiser.settings.rule.update(self.rate, steps);
        let factor = self.factor.as_ref();
        let (updated, moments) = update.apply(value, gradient, factor, parameter.moments);
        parameter.moments = moments;
        states.insert(name.to_string(), parameter);
        updated.reshape(shape)
    }
}

#[cfg(test)]
mod tests;
