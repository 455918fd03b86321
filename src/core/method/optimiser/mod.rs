//! The optimisers as PyTorch defines them, their schedules of the learning rate, and clipping.
//!
//! * Adam: bias-corrected moments, epsilon outside the root, no weight decay.
//! * SGD with momentum m and weight decay w: g ← g + w·p; b ← g at the first step, later
//!   b ← m·b + g; p ← p − rate·b. No dampening, no Nesterov.
//! * Clipping to c: every gradient is multiplied by min(1, c / (n + 1e-6)), where n is the one norm
//!   of all gradients of the step together; before the weight decay.
//!
//! Own code rather than the framework's optimisers because the parameters are a changing set of
//! named tensors of any rank: a parameter without a gradient in a step (frozen, an earlier head)
//! is neither moved nor decayed and gets no state, and its step count starts at 1 when it thaws
//! while those of others carry on. State is read and written by name for exact resume.

mod gradients;

use std::collections::BTreeMap;
use std::f64::consts::PI;

use burn::tensor::{Device, Tensor, TensorData};

use crate::nn::{self, Adam, Momentum};
use crate::problem::{Problem, Result};
use crate::tensors::{HostTensor, Named, named};

pub use gradients::Gradients;
use gradients::flat;

const BETA1: f64 = 0.9;
const BETA2: f64 = 0.999;
const EPSILON: f64 = 1e-8;

/// How a gradient becomes a change.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Rule {
    /// β 0.9 and 0.999, ε 1e-8, no weight decay.
    Adam,
    /// With momentum and weight decay.
    Sgd {
        /// Share of the former change that stays; 0.9 is usual.
        momentum: f64,
        /// What is added to a gradient, times the parameter.
        weight_decay: f64,
    },
}

/// The position of a step within the training of its task.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StepPosition {
    /// Steps made before it in this task.
    pub step: usize,
    /// Steps of the task.
    pub steps: usize,
    /// Epochs finished before it in this task.
    pub epoch: usize,
    /// Epochs of the task.
    pub epochs: usize,
}

impl StepPosition {
    /// Of step `step` of `steps` in epoch `epoch` of `epochs`, all of which have as many steps.
    pub fn of((epoch, epochs): (usize, usize), (step, steps): (usize, usize)) -> Self {
        Self {
            step: epoch * steps + step,
            steps: epochs * steps,
            epoch,
            epochs,
        }
    }
}

/// How the learning rate changes within a task; every task restarts it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Schedule {
    /// Not at all.
    Constant,
    /// Step i of S: rate · (½ + ½·cos(π·i/S)).
    Cosine,
    /// The same by epochs.
    CosineEpoch,
    /// CODA-Prompt's as released: rate · cos(99π·max(e − 1, 0) / (200·(E − 1))) in epoch e of E;
    /// it lags one epoch behind and does not reach 0.
    LaggingCosine,
}

impl Schedule {
    /// What the learning rate is multiplied by.
    pub fn factor(self, now: StepPosition) -> f64 {
        let half_wave = |at: usize, of: usize| {
            let share = at as f64 / of.max(1) as f64;
            0.5 + 0.5 * (PI * share).cos()
        };
        match self {
            Self::Constant => 1.0,
            Self::Cosine => half_wave(now.step, now.steps),
            Self::CosineEpoch => half_wave(now.epoch, now.epochs),
            Self::LaggingCosine if now.epochs < 2 => 1.0,
            Self::LaggingCosine => {
                let (lag, last) = (now.epoch.saturating_sub(1), now.epochs - 1);
                (99.0 * PI * lag as f64 / (200.0 * last as f64)).cos()
            }
        }
    }
}

/// What defines an optimiser.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OptimiserSettings {
    /// How a gradient becomes a change.
    pub rule: Rule,
    /// The learning rate, as used, before the schedule.
    pub learning_rate: f64,
    /// How it changes within a task.
    pub schedule: Schedule,
    /// Largest norm of all gradients of a step together; `None` if they are not clipped.
    pub clip: Option<f64>,
}

impl OptimiserSettings {
    /// Adam at a constant learning rate, without clipping.
    pub fn adam(learning_rate: f64) -> Self {
        Self {
            rule: Rule::Adam,
            learning_rate,
            schedule: Schedule::Constant,
            clip: None,
        }
    }
}

/// What is remembered of one parameter.
#[derive(Clone, Debug)]
struct State {
    /// The parameter's.
    shape: Vec<usize>,
    memory: Memory,
}

#[derive(Clone, Debug)]
// Both are used as they are: a box would only add a way to go.
#[allow(clippy::large_enum_variant)]
enum Memory {
    /// Both moments, and how many steps made them.
    Adam {
        first: Tensor<1>,
        second: Tensor<1>,
        steps: i32,
    },
    /// The former change before the learning rate.
    Sgd { buffer: Tensor<1> },
}

/// Parameters with a rate of their own.
#[derive(Clone, Debug, PartialEq)]
pub struct ParameterGroup {
    /// How their names begin.
    pub prefix: String,
    /// What the learning rate is multiplied by for them.
    pub rate: f64,
}

/// An optimiser with what it remembers.
#[derive(Clone, Debug)]
pub struct Optimiser {
    settings: OptimiserSettings,
    groups: Vec<ParameterGroup>,
    states: BTreeMap<String, State>,
}

impl Optimiser {
    /// Without any state yet.
    pub fn new(settings: OptimiserSettings) -> Self {
        Self {
            settings,
            groups: Vec::new(),
            states: BTreeMap::new(),
        }
    }

    /// The same with groups of parameters that have rates of their own; the first one that fits a
    /// name counts. What is remembered of a parameter does not depend on them.
    #[must_use]
    pub fn with_groups(self, groups: Vec<ParameterGroup>) -> Self {
        Self { groups, ..self }
    }

    /// The rate of a parameter in a step at this one.
    fn rate_of(&self, name: &str, rate: f64) -> f64 {
        let group = self
            .groups
            .iter()
            .find(|group| name.starts_with(&group.prefix));
        group.map_or(rate, |group| rate * group.rate)
    }

    /// Forgets everything: a new task begins.
    pub fn clear(&mut self) {
        self.states.clear();
    }

    /// The learning rate of a step.
    pub fn rate(&self, now: StepPosition) -> f64 {
        self.settings.learning_rate * self.settings.schedule.factor(now)
    }

    /// Begins a step: clips the gradients and hands out what moves the parameters.
    pub fn step(&mut self, gradients: Gradients, now: StepPosition) -> Step<'_> {
        let clip = self.settings.clip;
        Step {
            rate: self.rate(now),
            factor: clip.and_then(|most| gradients.factor(most)),
            optimiser: self,
            gradients,
        }
    }

    /// Adds the state by the parameters' names and shapes: `adam.first.<name>`,
    /// `adam.second.<name>` and `adam.steps.<name>` (one value), or `sgd.buffer.<name>`.
    ///
    /// # Errors
    /// Returns a Problem if the device failed.
    pub fn write(&self, into: &mut Named) -> Result<()> {
        for (name, State { shape, memory }) in &self.states {
            let mut keep = |what: &str, values: &Tensor<1>| -> Result<()> {
                let values = HostTensor::read(values)?.values;
                let shape = shape.clone();
                into.insert(format!("{what}.{name}"), HostTensor { shape, values });
                Ok(())
            };
            match memory {
                Memory::Adam {
                    first,
                    second,
                    steps,
                } => {
                    keep("adam.first", first)?;
                    keep("adam.second", second)?;
                    let steps = HostTensor {
                        shape: vec![1],
                        values: vec![*steps as f32],
                    };
                    into.insert(format!("adam.steps.{name}"), steps);
                }
                Memory::Sgd { buffer } => keep("sgd.buffer", buffer)?,
            }
        }
        Ok(())
    }

    /// The same optimiser with such state read back.
    ///
    /// # Errors
    /// Returns a Problem that names a missing or mis-shaped tensor.
    pub fn read(&self, from: &Named, device: &Device) -> Result<Self> {
        let rule = self.settings.rule;
        let key = match rule {
            Rule::Adam => "adam.first.",
            Rule::Sgd { .. } => "sgd.buffer.",
        };
        let mut states = BTreeMap::new();
        for (full, stored) in from {
            let Some(name) = full.strip_prefix(key) else {
                continue;
            };
            let first = placed(stored, device);
            let memory = match rule {
                Rule::Adam => Memory::Adam {
                    first,
                    second: second_moment(from, name, stored, device)?,
                    steps: steps_of(from, name)?,
                },
                Rule::Sgd { .. } => Memory::Sgd { buffer: first },
            };
            let shape = stored.shape.clone();
            states.insert(name.to_string(), State { shape, memory });
        }
        Ok(Self {
            settings: self.settings,
            groups: self.groups.clone(),
            states,
        })
    }
}

fn placed(stored: &HostTensor, device: &Device) -> Tensor<1> {
    let count = stored.values.len();
    Tensor::from_data(TensorData::new(stored.values.clone(), [count]), device)
}

fn second_moment(
    from: &Named,
    name: &str,
    first: &HostTensor,
    device: &Device,
) -> Result<Tensor<1>> {
    let second = named(from, &format!("adam.second.{name}"))?;
    if second.shape == first.shape {
        return Ok(placed(second, device));
    }
    Err(Problem::new(format!(
        "the optimiser's moments of {name} have shapes {:?} and {:?}",
        first.shape, second.shape
    )))
}

fn steps_of(from: &Named, name: &str) -> Result<i32> {
    let steps = named(from, &format!("adam.steps.{name}"))?.values.first();
    let empty = || Problem::new(format!("the optimiser's step count of {name} is empty"));
    steps.map(|steps| *steps as i32).ok_or_else(empty)
}

/// One step over all parameters: each is moved once.
pub struct Step<'a> {
    optimiser: &'a mut Optimiser,
    gradients: Gradients,
    /// What clipping multiplies every gradient by.
    factor: Option<Tensor<1>>,
    rate: f64,
}

impl Step<'_> {
    /// The value of parameter `name` after the step: the same value where it has no gradient.
    #[must_use]
    pub fn moved<const D: usize>(&mut self, name: &str, value: Tensor<D>) -> Tensor<D> {
        let Some(gradient) = self.gradients.take(name) else {
            return value;
        };
        let shape = value.dims();
        let rate = self.optimiser.rate_of(name, self.rate);
        let states = &mut self.optimiser.states;
        // That of another shape was of another parameter.
        let state = states.remove(name).filter(|state| state.shape == shape);
        let memory = state.map(|state| state.memory);
        let factor = self.factor.as_ref();
        let (moved, memory) = match self.optimiser.settings.rule {
            Rule::Adam => {
                let gradient = match factor {
                    Some(factor) => nn::times(gradient, factor.clone()),
                    None => gradient,
                };
                adam(flat(value), gradient, memory, rate)
            }
            Rule::Sgd {
                momentum,
                weight_decay,
            } => {
                let rule = Momentum {
                    rate,
                    momentum,
                    decay: weight_decay,
                };
                let former = match memory {
                    Some(Memory::Sgd { buffer }) => Some(buffer),
                    _ => None,
                };
                let [moved, buffer] = rule.step(flat(value), gradient, factor, former);
                (moved, Memory::Sgd { buffer })
            }
        };
        let state = State {
            shape: shape.to_vec(),
            memory,
        };
        states.insert(name.to_string(), state);
        moved.reshape(shape)
    }
}

fn adam(
    value: Tensor<1>,
    gradient: Tensor<1>,
    memory: Option<Memory>,
    rate: f64,
) -> (Tensor<1>, Memory) {
    let (former, steps) = match memory {
        Some(Memory::Adam {
            first,
            second,
            steps,
        }) => (Some([first, second]), steps + 1),
        _ => (None, 1),
    };
    let rule = Adam {
        rate,
        betas: [BETA1, BETA2],
        epsilon: EPSILON,
        steps,
    };
    let [moved, first, second] = rule.step(value, gradient, former);
    let memory = Memory::Adam {
        first,
        second,
        steps,
    };
    (moved, memory)
}

#[cfg(test)]
mod tests;
