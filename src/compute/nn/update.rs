//! Update rules of the optimisers, used by every device.

/// One step of SGD with momentum for an array of values.
#[derive(Clone, Copy, Debug)]
pub struct Momentum {
    /// Learning rate.
    pub rate: f64,
    /// Momentum: the share of the previous update that is kept.
    pub momentum: f64,
    /// Weight decay: the share of the value that is added to its gradient.
    pub decay: f64,
}

/// One step of Adam for an array of values (Kingma and Ba, 2015), without weight decay.
#[derive(Clone, Copy, Debug)]
pub struct Adam {
    /// Learning rate.
    pub rate: f64,
    /// β₁ and β₂, the decay rates of the moments.
    pub betas: [f64; 2],
    /// ε, added to the square root of the second moment.
    pub epsilon: f64,
    /// The number of this step, from 1.
    pub steps: i32,
}

impl Adam {
    /// Returns the learning rate divided by 1 − β₁ᵗ, and √(1 − β₂ᵗ).
    pub(super) fn corrections(self) -> [f64; 2] {
        let [correction1, correction2] = self.betas.map(|beta| 1.0 - beta.powi(self.steps));
        [self.rate / correction1, correction2.sqrt()]
    }
}
