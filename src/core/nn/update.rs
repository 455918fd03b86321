//! How parameters change in a step: optimisers and the moving average.

use burn::tensor::Tensor;

use super::{cpu, framework, gpu};

/// One step of SGD with momentum for a row of numbers.
#[derive(Clone, Copy, Debug)]
pub struct Momentum {
    /// Learning rate.
    pub rate: f64,
    /// Share of the former change that stays.
    pub momentum: f64,
    /// Share of the value that joins its gradient.
    pub decay: f64,
}

impl Momentum {
    /// With g = factor·gradient + decay·value (factor: one number, or 1 for none) and the former
    /// change b: b ← g where there is none, else momentum·b + g; value ← value − rate·b. Gives the
    /// new value and b. Nothing may be tracked.
    pub fn step(
        self,
        value: Tensor<1>,
        gradient: Tensor<1>,
        factor: Option<&Tensor<1>>,
        former: Option<Tensor<1>>,
    ) -> [Tensor<1>; 2] {
        cpu::momentum_step(self, &value, &gradient, factor, former.as_ref())
            .or_else(|| gpu::momentum_step(self, &value, &gradient, factor, former.as_ref()))
            .unwrap_or_else(|| framework::momentum_step(self, value, gradient, factor, former))
    }
}

/// One step of Adam for a row of numbers (Kingma and Ba, 2015), without weight decay.
#[derive(Clone, Copy, Debug)]
pub struct Adam {
    /// Learning rate.
    pub rate: f64,
    /// β₁ and β₂, the shares of the former moments that stay.
    pub betas: [f64; 2],
    /// ε, added to the root of the second moment.
    pub epsilon: f64,
    /// The number of this step, from 1.
    pub steps: i32,
}

impl Adam {
    /// The learning rate divided by 1 − β₁ᵗ, and √(1 − β₂ᵗ).
    pub(super) fn corrections(self) -> [f64; 2] {
        let [rest1, rest2] = self.betas.map(|beta| 1.0 - beta.powi(self.steps));
        [self.rate / rest1, rest2.sqrt()]
    }

    /// Returns the new value and both moments. Nothing may be tracked.
    pub fn step(
        self,
        value: Tensor<1>,
        gradient: Tensor<1>,
        former: Option<[Tensor<1>; 2]>,
    ) -> [Tensor<1>; 3] {
        gpu::adam_step(self, &value, &gradient, former.as_ref())
            .unwrap_or_else(|| framework::adam_step(self, value, gradient, former))
    }
}

/// The moving average `old · share + new · (1 − share)`. Nothing may be tracked.
pub fn blend<const D: usize>(old: &Tensor<D>, new: &Tensor<D>, share: f64) -> Tensor<D> {
    gpu::blend(old, new, share).unwrap_or_else(|| old.clone() * share + new.clone() * (1.0 - share))
}
