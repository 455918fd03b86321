//! The cosine head with a learned scale: logits = σ·norm(f)·norm(W)ᵀ (Hou et al., CVPR 2019). APER, RanPAC and EASE
//! train their PETs with it and then drop it.

use burn::tensor::{Device, Tensor, TensorData};

use super::optimiser::Step;
use super::prototypes::SHORTEST;
use crate::nn;
use crate::pet::Init;

/// W and σ of one task's classes.
#[derive(Clone, Debug)]
pub struct CosineHead {
    /// classes × feature width.
    pub weight: Tensor<2>,
    /// 1 × 1.
    pub sigma: Tensor<2>,
}

impl CosineHead {
    /// Returns a head with W uniform in ±1/√width, drawn on the host, and σ = 1.
    pub fn new(width: usize, classes: usize, seed: u64, device: &Device) -> Self {
        let bound = 1.0 / (width.max(1) as f64).sqrt();
        let values = Init::Uniform(-bound, bound).draw([classes, width], seed, 0);
        Self {
            weight: Tensor::from_data(TensorData::new(values, [classes, width]), device),
            sigma: Tensor::ones([1, 1], device),
        }
    }

    /// Computes σ·norm(f)·norm(W)ᵀ: features (batch × width) → logits (batch × classes).
    pub fn forward(&self, features: Tensor<2>) -> Tensor<2> {
        nn::cosines(features, self.weight.clone(), SHORTEST) * self.sigma.clone()
    }

    /// Returns W and σ with the names that the optimiser uses.
    pub fn leaves(&self) -> [(&'static str, &Tensor<2>); 2] {
        [("head.weight", &self.weight), ("head.sigma", &self.sigma)]
    }

    /// Updates W and σ by an optimiser step.
    pub fn step(&mut self, step: &mut Step<'_>) {
        self.weight = step.moved("head.weight", self.weight.clone());
        self.sigma = step.moved("head.sigma", self.sigma.clone());
    }

    /// Returns copies with gradient tracking.
    #[must_use]
    pub fn tracked(&self) -> Self {
        Self {
            weight: self.weight.clone().autodiff().require_grad(),
            sigma: self.sigma.clone().autodiff().require_grad(),
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::tensors::HostTensor;

    /// The derivative of the summed logits with respect to σ is their sum at σ = 1; the one with respect to W is
    /// orthogonal to W, because a cosine does not depend on the length of a vector.
    #[test]
    fn gradients_are_those_of_a_scaled_cosine() {
        let device = Device::flex();
        let head = CosineHead::new(6, 3, 4, &device).tracked();
        let values = Init::Normal(1.0).draw([5, 6], 1, 0);
        let features = Tensor::<2>::from_data(TensorData::new(values, [5, 6]), &device);
        let logits = head.forward(features);
        let total = logits.clone().inner().sum().into_scalar::<f32>();
        let graph = logits.sum().backward();
        let sigma = HostTensor::read(&head.sigma.grad(&graph).unwrap()).unwrap();
        assert!((sigma.values[0] - total).abs() < 1e-5);
        let along = head.weight.grad(&graph).unwrap() * head.weight.clone().inner();
        let along = HostTensor::read(&along.sum_dim(1)).unwrap();
        assert!(along.values.iter().all(|value| value.abs() < 1e-5));
        let bound = 1.0 / 6f32.sqrt();
        let weight = HostTensor::read(&head.weight.inner()).unwrap();
        assert!(weight.values.iter().all(|value| value.abs() <= bound));
    }
}
