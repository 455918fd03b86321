//! What every method that learns by gradients does with the logits of a batch: local cross-entropy,
//! what the method adds to it, one backward pass, and the gradients of its leaves by name.

use burn::tensor::activation::log_softmax;
use burn::tensor::{Device, Tensor, TensorData};

use super::optimiser::Gradients;
use crate::backbone::parameters::Weights;
use crate::pet::PetStack;

/// A batch after its backward pass.
pub struct Backward {
    /// What was minimised, one value, plain.
    pub loss: Tensor<1>,
    /// The cross-entropy in it, one value, plain.
    pub cross_entropy: Tensor<1>,
    graph: burn::tensor::Gradients,
    gradients: Gradients,
}

impl Backward {
    /// From the logits of the present task's classes (batch × classes), the labels counted within
    /// them, and what the method adds to the cross-entropy (one value).
    pub fn new(
        logits: Tensor<2>,
        labels: &[usize],
        added: Option<Tensor<1>>,
        device: &Device,
    ) -> Self {
        let cross_entropy = local_cross_entropy(logits, labels, device);
        let loss = match added {
            Some(added) => cross_entropy.clone() + added,
            None => cross_entropy.clone(),
        };
        Self {
            graph: loss.backward(),
            loss: loss.inner(),
            cross_entropy: cross_entropy.inner(),
            gradients: Gradients::default(),
        }
    }

    /// Takes the gradients of tracked leaves, by these names. A leaf that had no part in the loss
    /// has none: then it is not moved.
    #[must_use]
    pub fn of<'a>(
        mut self,
        leaves: impl IntoIterator<Item = (impl Into<String>, &'a Tensor<2>)>,
    ) -> Self {
        for (name, leaf) in leaves {
            if let Some(gradient) = leaf.grad_remove(&mut self.graph) {
                self.gradients.insert(name, gradient);
            }
        }
        self
    }

    /// The same with zeros for a leaf that had no part in the loss: it still moves by its momentum.
    #[must_use]
    pub fn of_all<'a>(
        mut self,
        leaves: impl IntoIterator<Item = (impl Into<String>, &'a Tensor<2>)>,
    ) -> Self {
        for (name, leaf) in leaves {
            let gradient = leaf.grad_remove(&mut self.graph);
            let zeros = || leaf.clone().inner().zeros_like();
            self.gradients.insert(name, gradient.unwrap_or_else(zeros));
        }
        self
    }

    /// The same for a backbone's tracked weights, as `backbone.<name>`.
    #[must_use]
    pub fn of_weights(mut self, weights: &Weights) -> Self {
        for (name, gradient) in weights.gradients(&mut self.graph) {
            self.gradients.insert(format!("backbone.{name}"), gradient);
        }
        self
    }

    /// The same for the trained parameters of a tracked PET, as `pet.<name>`.
    #[must_use]
    pub fn of_pets(self, pets: &PetStack) -> Self {
        let trained = pets.parameters().filter(|(.., trained)| *trained);
        self.of(trained.map(|(name, leaf, _)| (format!("pet.{name}"), leaf)))
    }

    /// The loss, and the gradients taken.
    pub fn taken(self) -> (Tensor<1>, Gradients) {
        (self.loss, self.gradients)
    }
}

/// Mean cross-entropy over the logits of the present task's classes alone ("local CE"); labels are
/// counted within them.
fn local_cross_entropy(logits: Tensor<2>, labels: &[usize], device: &Device) -> Tensor<1> {
    let [batch, classes] = logits.dims();
    let mut target = vec![0f32; batch * classes];
    for (row, &label) in labels.iter().enumerate() {
        target[row * classes + label] = -1.0 / batch as f32;
    }
    let target = Tensor::<2>::from_data(TensorData::new(target, [batch, classes]), device);
    (log_softmax(logits, 1) * target).sum()
}
