//! The backward pass of all methods that learn by gradients: local cross-entropy plus the method's own term, one
//! backward pass, and the gradients of named leaves.

use burn::tensor::activation::log_softmax;
use burn::tensor::{Device, Tensor, TensorData};

use super::optimiser::Gradients;
use crate::backbone::parameters::Weights;
use crate::message;
use crate::pet::PetStack;
use crate::problem::{Problem, Result};

/// A batch after its backward pass.
pub struct Backward {
    /// The minimised loss: one value without gradient tracking.
    pub loss: Tensor<1>,
    /// The cross-entropy part of the loss: one value without gradient tracking.
    pub cross_entropy: Tensor<1>,
    graph: burn::tensor::Gradients,
    gradients: Gradients,
}

impl Backward {
    /// Computes the loss from the logits of the current task's classes (batch × classes), their [`targets`], and the
    /// method's own term (one value), and runs the backward pass.
    pub fn new(logits: Tensor<2>, targets: Tensor<2>, added: Option<Tensor<1>>) -> Self {
        let cross_entropy = cross_entropy(logits, targets);
        let loss = match added {
            Some(added) => cross_entropy.clone() + added,
            None => cross_entropy.clone(),
        };
        Self { cross_entropy: cross_entropy.inner(), ..Self::from_loss(loss) }
    }

    /// Runs the backward pass of any other loss (one value), which is also reported as the cross-entropy.
    pub fn from_loss(loss: Tensor<1>) -> Self {
        Self {
            graph: loss.backward(),
            cross_entropy: loss.clone().inner(),
            loss: loss.inner(),
            gradients: Gradients::default(),
        }
    }

    /// Moves the gradients of these tracked leaves from the graph to the result, under these names.
    ///
    /// # Errors
    /// Returns a Problem that names the leaf if a leaf has no gradient, because it could not learn.
    pub fn with_gradients<'a>(
        mut self,
        leaves: impl IntoIterator<Item = (impl Into<String>, &'a Tensor<2>)>,
    ) -> Result<Self> {
        for (name, leaf) in leaves {
            let name = name.into();
            let gradient = leaf.grad_remove(&mut self.graph);
            let missing_gradient =
                || Problem::new(message!("problem-parameter-without-gradient", name = &name));
            let gradient = gradient.ok_or_else(missing_gradient)?;
            self.gradients.insert(name, gradient);
        }
        Ok(self)
    }

    /// Moves the gradients of these leaves to the result, like [`Backward::with_gradients`]. A leaf without one gets
    /// zeros, so that its momentum still moves it.
    #[must_use]
    pub fn with_gradients_or_zeros<'a>(
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

    /// Moves the gradients of a backbone's tracked weights to the result, as `backbone.<name>`.
    #[must_use]
    pub fn with_backbone_gradients(mut self, weights: &Weights) -> Self {
        for (name, gradient) in weights.take_gradients(&mut self.graph) {
            self.gradients.insert(format!("backbone.{name}"), gradient);
        }
        self
    }

    /// Moves the gradients of the trained parameters of a tracked PET to the result, as `pet.<name>`. A parameter that
    /// the current equations do not use has no gradient and is not updated.
    #[must_use]
    pub fn with_pet_gradients(mut self, pets: &PetStack) -> Self {
        for (name, leaf, _) in pets.parameters().filter(|(.., trained)| *trained) {
            if let Some(gradient) = leaf.grad_remove(&mut self.graph) {
                self.gradients.insert(format!("pet.{name}"), gradient);
            }
        }
        self
    }

    /// Returns the loss and the gradients.
    pub fn into_parts(self) -> (Tensor<1>, Gradients) {
        (self.loss, self.gradients)
    }
}

/// Returns the mean cross-entropy over these logits, given their [`targets`]. It is the "local CE" if the logits are
/// those of the current task's classes only.
pub(super) fn cross_entropy(logits: Tensor<2>, targets: Tensor<2>) -> Tensor<1> {
    (log_softmax(logits, 1) * targets).sum()
}

/// Returns the factors (batch × classes) of the logarithmic probabilities in the mean cross-entropy. With smoothing ε
/// the target is 1 − ε for the class, plus ε divided evenly among all classes (Szegedy et al., CVPR 2016, section 7).
pub(super) fn targets(
    labels: &[usize],
    classes: usize,
    smoothing: f64,
    device: &Device,
) -> Tensor<2> {
    let per_image = -1.0 / labels.len() as f32;
    // Without smoothing the value is +0.0, not −0.0, so that results equal those of earlier versions.
    let per_class = match smoothing {
        0.0 => 0.0,
        smoothing => per_image * smoothing as f32 / classes as f32,
    };
    let mut targets = vec![per_class; labels.len() * classes];
    for (row, &label) in labels.iter().enumerate() {
        targets[row * classes + label] += per_image * (1.0 - smoothing as f32);
    }
    Tensor::from_data(TensorData::new(targets, [labels.len(), classes]), device)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the loss, and its gradient with respect to the logits 1, 2, 4, for a batch of one image of the middle
    /// class.
    fn loss_and_gradient(smoothing: f64) -> (f32, Vec<f32>) {
        let device = Device::flex();
        let logits = TensorData::new(vec![1f32, 2.0, 4.0], [1, 3]);
        let logits = Tensor::<2>::from_data(logits, &device);
        let logits = logits.autodiff().require_grad();
        let targets = targets(&[1], 3, smoothing, &device);
        let backward = Backward::new(logits.clone(), targets, None);
        let (loss, gradients) =
            backward.with_gradients([("logits", &logits)]).unwrap().into_parts();
        let gradient = gradients.get("logits").unwrap().clone();
        let values = gradient.into_data().try_to_vec::<f32>().unwrap();
        (loss.into_scalar(), values)
    }

    #[test]
    fn reports_parameter_without_gradient() {
        let device = Device::flex();
        let [logits, other] = [[1f32, 2.0], [3.0, 4.0]].map(|row| {
            let leaf = Tensor::<2>::from_data(TensorData::new(row.to_vec(), [1, 2]), &device);
            leaf.autodiff().require_grad()
        });
        let backward = || Backward::new(logits.clone(), targets(&[0], 2, 0.0, &device), None);
        let leaves = [("a.weight", &logits), ("a.bias", &other)];
        let problem = backward().with_gradients(leaves).err().unwrap();
        assert!(problem.is("problem-parameter-without-gradient"), "{problem}");
        assert!(problem.what.contains("a.bias"), "{problem}");
        let (_, gradients) = backward().with_gradients_or_zeros(leaves).into_parts();
        let zeros = gradients.get("a.bias").unwrap().clone().into_data();
        assert_eq!(zeros.try_to_vec::<f32>().unwrap(), [0.0, 0.0]);
    }

    #[test]
    fn label_smoothing_matches_definition() {
        let exponents = [1f32, 2.0, 4.0].map(f32::exp);
        let sum: f32 = exponents.iter().sum();
        for smoothing in [0.0, 0.1, 0.5] {
            let (loss, gradient) = loss_and_gradient(smoothing);
            let per_class = smoothing as f32 / 3.0;
            let target = [per_class, per_class + 1.0 - smoothing as f32, per_class];
            let terms = target.iter().zip(exponents);
            let expected: f32 = terms.map(|(t, e)| -t * (e / sum).ln()).sum();
            assert!((loss - expected).abs() < 1e-5, "{smoothing}: {loss}");
            for ((got, e), t) in gradient.iter().zip(exponents).zip(target) {
                assert!((got - (e / sum - t)).abs() < 1e-6, "{smoothing}: {got}");
            }
        }
    }
}
