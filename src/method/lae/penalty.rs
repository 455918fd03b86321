//! The penalty of elastic weight consolidation (Kirkpatrick et al., Overcoming catastrophic forgetting in neural
//! networks, PNAS 2017): λ/2 · Σ Fᵢ·(θᵢ − θᵢ*)² in the loss (their Eq. 3) keeps parameters that mattered for earlier
//! tasks near their values.
//!
//! θ is the PET; the heads of earlier tasks are not trained anyway. F is the diagonal of the Fisher information of the
//! task's own classes: the mean over images of the squared gradient of ln p(y), with y sampled from the network's
//! softmax. One F and θ* serve all earlier tasks, as in Schwarz et al., Progress & Compress, ICML 2018 (their Eq. 9):
//! F ← γ·F + F of the new task, and θ* are the newest values.

use burn::tensor::Tensor;

use super::super::State;
use super::super::answers;
use super::super::optimiser::Gradients;
use crate::metrics::Expert;
use crate::pet::PetStack;
use crate::problem::Result;

/// F and θ* of the earlier tasks, and the F of the current task while it is measured.
pub struct EwcPenalty {
    lambda: f64,
    gamma: f64,
    /// F and θ*; `None` before the end of the first task.
    earlier: Option<(PetStack, PetStack)>,
    /// Sum of squared gradients, and the number of images.
    measured: Option<(PetStack, usize)>,
}

impl EwcPenalty {
    /// Returns a penalty of 0, before the first task.
    pub fn new(lambda: f64, gamma: f64) -> Self {
        Self { lambda, gamma, earlier: None, measured: None }
    }

    /// Returns λ/2 · Σ Fᵢ·(θᵢ − θᵢ*)² (one value); `None` in the first task, or if no parameter is trained.
    pub(super) fn loss(&self, pets: &PetStack) -> Option<Tensor<1>> {
        let (importance, anchor) = self.earlier.as_ref()?;
        let fixed = importance.parameters().zip(anchor.parameters());
        let terms = pets.parameters().zip(fixed);
        let terms = terms.filter(|((.., trained), _)| *trained);
        let terms = terms.map(|((_, parameter, _), ((_, importance, _), (_, anchor, _)))| {
            let change = parameter.clone() - anchor.clone();
            (change.clone() * change * importance.clone()).sum()
        });
        terms.reduce(|a, b| a + b).map(|sum| sum * (self.lambda / 2.0))
    }

    /// Adds the squared gradients of one image to the F that is measured.
    pub(super) fn add(&mut self, pets: &PetStack, gradients: &Gradients) {
        let (sum, count) = self
            .measured
            .take()
            .unwrap_or_else(|| (pets.map_tensors(|_, tensor, _| tensor.zeros_like()), 0));
        let sum = sum.map_tensors(|name, sum, _| match gradients.get(&format!("pet.{name}")) {
            Some(gradient) => {
                let gradient = gradient.clone().reshape(sum.dims());
                sum.clone() + gradient.clone() * gradient
            }
            None => sum.clone(),
        });
        self.measured = Some((sum, count + 1));
    }

    /// Updates F ← γ·F + the F measured in this pass, if any was measured; the current `pets` become θ*.
    pub(super) fn end_pass(&mut self, pets: &PetStack) {
        let Some((sum, count)) = self.measured.take() else {
            return;
        };
        let earlier = self.earlier.take().map(|(importance, _)| importance);
        let earlier = earlier.unwrap_or_else(|| sum.map_tensors(|_, sum, _| sum.zeros_like()));
        let mut sums = sum.parameters();
        let importance = earlier.map_tensors(|_, earlier, _| match sums.next() {
            Some((_, sum, _)) => earlier.clone() * self.gamma + sum.clone() / count as f64,
            None => earlier.clone(),
        });
        self.earlier = Some((importance, pets.clone()));
    }

    /// Writes or reads F as `importance.…` and θ* as `anchor.…`, with the structure of `pets`; neither exists in the
    /// first task.
    pub(super) fn sync_state(&mut self, pets: &PetStack, state: &mut State<'_>) -> Result<()> {
        if let Some(stored) = state.stored() {
            let earlier = stored.has_prefix("importance.");
            self.earlier = earlier.then(|| (pets.clone(), pets.clone()));
        }
        let Some((importance, anchor)) = &mut self.earlier else {
            return Ok(());
        };
        state.sync_pets("importance", importance)?;
        state.sync_pets("anchor", anchor)
    }
}

/// Returns a class sampled from the softmax of the logits, by inverse transform of a number from 0 to 1.
pub(super) fn sample_class(logits: &[f32], uniform: f32) -> usize {
    let probabilities = answers::predict_class(Expert::ANSWER, logits).probabilities;
    let mut sum = 0.0;
    let passed = probabilities.iter().take_while(|probability| {
        sum += **probability;
        sum < uniform
    });
    passed.count().min(logits.len().saturating_sub(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_are_sampled_by_softmax_probability() {
        let logits = [1f32, 3.0, 2.0].map(f32::ln);
        let draws = (0..600).map(|i| sample_class(&logits, (i as f32 + 0.5) / 600.0));
        let mut counts = [0; 3];
        draws.for_each(|class| counts[class] += 1);
        assert_eq!(counts, [100, 300, 200]);
        assert_eq!(sample_class(&logits, 1.0), 2);
    }
}
