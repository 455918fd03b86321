//! The growing head: one linear map per task.
//!
//! Values are stored without gradient tracking; every training step makes tracked copies, so that no graph outlives its
//! step.

use burn::tensor::{Device, Tensor, TensorData};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::optimiser::Step;
use super::state::State;
use super::task::no_task_problem;
use crate::nn;
use crate::pet::standard_normal;
use crate::problem::Result;

/// Standard deviation of a new head's weights.
const HEAD_STD: f32 = 0.001;

/// The part of the classifier for one task: one linear map, frozen once the next task begins.
#[derive(Clone, Debug)]
pub struct Head {
    /// feature width × classes of the task.
    pub weight: Tensor<2>,
    /// 1 × classes of the task.
    pub bias: Tensor<2>,
}

impl Head {
    /// Returns a new head: weight N(0, 0.001²), bias 0. The values are drawn on the host, so they are equal on every
    /// device.
    pub fn new(width: usize, classes: usize, seed: u64, device: &Device) -> Self {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let values: Vec<f32> = (0..width * classes)
            .map(|_| HEAD_STD * standard_normal(&mut || rng.random()) as f32)
            .collect();
        Self {
            weight: Tensor::from_data(TensorData::new(values, [width, classes]), device),
            bias: Tensor::zeros([1, classes], device),
        }
    }

    /// Computes f·W + b: features (batch × width) → logits (batch × classes of the task).
    pub fn forward(&self, features: Tensor<2>) -> Tensor<2> {
        nn::matmul(features, self.weight.clone()) + self.bias.clone()
    }

    /// Returns a copy with gradient tracking.
    #[must_use]
    pub fn tracked(&self) -> Self {
        Self {
            weight: self.weight.clone().autodiff().require_grad(),
            bias: self.bias.clone().autodiff().require_grad(),
        }
    }

    /// Returns weight and bias with names that start with `prefix`.
    pub fn leaves(&self, prefix: &str) -> [(String, &Tensor<2>); 2] {
        [("weight", &self.weight), ("bias", &self.bias)]
            .map(|(part, leaf)| (format!("{prefix}.{part}"), leaf))
    }

    /// Updates weight and bias by an optimiser step, with names that start with `prefix`.
    pub fn step(&mut self, prefix: &str, step: &mut Step<'_>) {
        self.weight = step.update(&format!("{prefix}.weight"), self.weight.clone());
        self.bias = step.update(&format!("{prefix}.bias"), self.bias.clone());
    }

    /// Returns the number of classes.
    pub fn classes(&self) -> usize {
        self.bias.dims()[1]
    }
}

/// The growing head: one part per task.
#[derive(Clone, Debug, Default)]
pub struct Heads(pub Vec<Head>);

impl Heads {
    /// Computes the logits over all classes so far (batch × classes) from features (batch × width).
    pub fn forward(&self, features: &Tensor<2>) -> Tensor<2> {
        let parts = self.0.iter().map(|head| head.forward(features.clone()));
        Tensor::cat(parts.collect(), 1)
    }

    /// Returns one head with the columns of all classes so far; there must be a task.
    pub(super) fn concatenated(&self) -> Head {
        let concatenate = |part: fn(&Head) -> &Tensor<2>| {
            Tensor::cat(self.0.iter().map(|head| part(head).clone()).collect(), 1)
        };
        Head { weight: concatenate(|head| &head.weight), bias: concatenate(|head| &head.bias) }
    }

    /// Returns one head without gradient tracking that has the columns of these classes (positions in the class order),
    /// in this order.
    pub fn select_classes(&self, classes: &[usize]) -> Head {
        let Head { weight, bias } = self.concatenated();
        let columns = |matrix: &Tensor<2>| {
            let column = |&class: &usize| matrix.clone().slice_dim(1, class..class + 1);
            Tensor::cat(classes.iter().map(column).collect(), 1)
        };
        Head { weight: columns(&weight), bias: columns(&bias) }
    }

    /// Returns the current task's head.
    ///
    /// # Errors
    /// Returns a Problem if no task has begun.
    pub fn last(&self) -> Result<&Head> {
        self.0.last().ok_or_else(no_task_problem)
    }

    /// Writes or reads the heads of the tasks begun, over features of `width`, as `<prefix>.<task>.weight` and
    /// `<prefix>.<task>.bias`.
    pub(super) fn sync_state(
        &mut self,
        prefix: &str,
        (width, device): (usize, &Device),
        state: &mut State<'_>,
    ) -> Result<()> {
        state.sync_tasks(
            &mut self.0,
            |classes| Head {
                weight: Tensor::zeros([width, classes.len()], device),
                bias: Tensor::zeros([1, classes.len()], device),
            },
            |state, task, head| {
                state.sync_tensor(&format!("{prefix}.{task}.weight"), &mut head.weight)?;
                state.sync_tensor(&format!("{prefix}.{task}.bias"), &mut head.bias)
            },
        )
    }
}

#[cfg(test)]
mod tests {
    use std::ops::Range;

    use super::super::StoredState;
    use super::*;
    use crate::problem::Problem;
    use crate::tensors::{HostTensor, NamedTensors};

    #[test]
    fn heads_roundtrip_through_state_and_concatenate_logits() {
        let device = Device::flex();
        let heads = Heads(vec![Head::new(4, 2, 1, &device), Head::new(4, 3, 2, &device)]);
        let mut saved = NamedTensors::new();
        let mut state = State::Snapshot(&mut saved);
        heads.clone().sync_state("head", (4, &device), &mut state).unwrap();
        let load = |tensors: &NamedTensors, tasks: &[Range<usize>], width| {
            let (mut heads, mut state) =
                (Heads::default(), State::Restore(StoredState { tensors, tasks }));
            heads.sync_state("head", (width, &device), &mut state)?;
            Ok::<_, Problem>(heads)
        };
        let tasks = [0..2, 2..5];
        let loaded = load(&saved, &tasks, 4).unwrap();
        let features = Tensor::<2>::ones([1, 4], &device);
        let (a, b) = (heads.forward(&features), loaded.forward(&features));
        assert_eq!(a.dims(), [1, 5]);
        assert_eq!(HostTensor::read(&a).unwrap(), HostTensor::read(&b).unwrap());
        // Heads of another network, or of other tasks, are rejected.
        for (tasks, width) in [([0..2, 2..5], 5), ([0..3, 3..5], 4)] {
            let problem = load(&saved, &tasks, width).unwrap_err();
            assert!(problem.what.contains("head.0.weight"), "{problem}");
        }
        saved.remove("head.1.bias");
        let problem = load(&saved, &tasks, 4).unwrap_err();
        assert!(problem.is("problem-tensor-missing"), "{problem}");
        assert!(problem.what.contains("head.1.bias"), "{problem}");
    }

    #[test]
    fn new_head_is_small_and_deterministic() {
        let device = Device::flex();
        let values = HostTensor::read(&Head::new(500, 4, 9, &device).weight).unwrap().values;
        let variance = values.iter().map(|v| v * v).sum::<f32>() / values.len() as f32;
        assert!((variance.sqrt() / HEAD_STD - 1.0).abs() < 0.1);
        let repeated = HostTensor::read(&Head::new(500, 4, 9, &device).weight).unwrap().values;
        assert_eq!(values, repeated);
    }
}
