//! The rules of optimisers, which every device follows.

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
}
