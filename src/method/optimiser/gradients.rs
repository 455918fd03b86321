//! The gradients of one step: by name, summed over the parts of a batch, clipped by their global norm.

use std::collections::BTreeMap;

use burn::tensor::Tensor;

use crate::nn;

/// Epsilon added to the norm of the gradients before division.
const CLIP_EPSILON: f64 = 1e-6;

/// Gradients of one step by parameter name, each flattened.
#[derive(Clone, Debug, Default)]
pub struct Gradients(BTreeMap<String, Tensor<1>>);

impl Gradients {
    /// Adds the gradient of one parameter.
    pub fn insert<const D: usize>(&mut self, name: impl Into<String>, gradient: Tensor<D>) {
        self.0.insert(name.into(), flat(gradient));
    }

    /// Returns the gradient of one parameter.
    pub fn get(&self, name: &str) -> Option<&Tensor<1>> {
        self.0.get(name)
    }

    /// Returns all gradients, sorted by name.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Tensor<1>)> {
        self.0
            .iter()
            .map(|(name, gradient)| (name.as_str(), gradient))
    }

    /// Multiplies all gradients by a number.
    #[must_use]
    pub fn scaled(self, by: f64) -> Self {
        let all = self.0.into_iter();
        Self(all.map(|(name, gradient)| (name, gradient * by)).collect())
    }

    /// Adds other gradients, name by name.
    #[must_use]
    pub fn plus(mut self, others: Self) -> Self {
        for (name, other) in others.0 {
            let sum = match self.0.remove(&name) {
                Some(own) => nn::plus(own, other),
                None => other,
            };
            self.0.insert(name, sum);
        }
        self
    }

    /// Removes and returns the gradient of one parameter.
    pub(super) fn take(&mut self, name: &str) -> Option<Tensor<1>> {
        self.0.remove(name)
    }

    /// Returns the root of the sum of all squares (one value, on the device); `None` without gradients.
    pub fn norm(&self) -> Option<Tensor<1>> {
        let squares = self.0.values().map(nn::sum_of_squares);
        squares.reduce(|a, b| a + b).map(Tensor::sqrt)
    }
}

/// Returns the factor (one value) that limits the norm to `most`.
pub(super) fn clip_factor(norm: Tensor<1>, most: f64) -> Tensor<1> {
    ((norm + CLIP_EPSILON).recip() * most).clamp_max(1.0)
}

/// Flattens a tensor.
pub(super) fn flat<const D: usize>(tensor: Tensor<D>) -> Tensor<1> {
    let count = tensor.dims().iter().product::<usize>();
    tensor.reshape([count])
}
