//! Fine-tuning of the whole network: all weights of the backbone and the head of the present task,
//! by local cross-entropy.
//!
//! Seq-FT does so task after task and nothing against forgetting: earlier heads stay exactly as
//! they were, the backbone under them does not. Joint-FT is the same with one task of all classes,
//! the upper bound of continual learning.

use std::sync::{Arc, OnceLock};

use burn::tensor::Tensor;

use super::lae::local_cross_entropy;
use super::optimiser::{Gradients, Optimiser, OptimiserSettings, Progress};
use crate::backbone::Backbone;
use crate::backbone::parameters::Weights;
use crate::expert::{Head, Heads};
use crate::pet::PetStack;
use crate::problem::{Problem, Result};

/// The state of a fine-tuning over a run.
pub struct FineTune {
    /// As it was opened; what it was made of is `weights` now.
    backbone: Arc<dyn Backbone>,
    weights: Weights,
    heads: Heads,
    settings: OptimiserSettings,
    optimiser: Optimiser,
    /// The network of the present weights, made when it is first asked after a step.
    answering: OnceLock<Arc<dyn Backbone>>,
}

impl FineTune {
    /// Before the first task.
    ///
    /// # Errors
    /// A Problem when the backbone's weights cannot be trained.
    pub fn new(backbone: Arc<dyn Backbone>, settings: OptimiserSettings) -> Result<Self> {
        Ok(Self {
            weights: backbone.weights()?,
            backbone,
            heads: Heads::default(),
            settings,
            optimiser: Optimiser::new(settings),
            answering: OnceLock::new(),
        })
    }

    /// A task begins, with this head for its classes.
    pub fn begin(&mut self, head: Head) {
        self.heads.0.push(head);
        self.optimiser = Optimiser::new(self.settings);
    }

    /// The backbone's weights as they are now.
    pub fn weights(&self) -> &Weights {
        &self.weights
    }

    /// The heads of the tasks begun so far.
    pub fn heads(&self) -> &Heads {
        &self.heads
    }

    /// The learning rate of a step.
    pub fn rate(&self, now: Progress) -> f64 {
        self.optimiser.rate(now)
    }

    /// Loss of a batch (one value, plain) and the gradients of all weights (`backbone.<name>`) and
    /// of the last head, without any update; labels are counted within the present task.
    ///
    /// # Errors
    /// A Problem when no task has begun.
    pub fn gradients(&self, images: Tensor<4>, labels: &[usize]) -> Result<(Tensor<1>, Gradients)> {
        let head = self.heads.0.last();
        let head = head
            .ok_or_else(|| Problem::new("learning began before any task"))?
            .tracked();
        let weights = self.weights.tracked();
        let features = self
            .backbone
            .with_weights(&weights)?
            .features(images, &PetStack::empty())?;
        let logits = head.forward(features);
        let loss = local_cross_entropy(logits, labels, &self.backbone.device());
        let mut all = loss.backward();
        let mut gradients = Gradients::default();
        for (name, gradient) in weights.gradients(&mut all) {
            gradients.insert(format!("backbone.{name}"), gradient);
        }
        for (name, tensor) in [("head.weight", &head.weight), ("head.bias", &head.bias)] {
            if let Some(gradient) = tensor.grad_remove(&mut all) {
                gradients.insert(name, gradient);
            }
        }
        Ok((loss.inner(), gradients))
    }

    /// Moves all weights and the last head.
    pub fn update(&mut self, gradients: Gradients, now: Progress) {
        self.answering = OnceLock::new();
        let mut step = self.optimiser.step(gradients, now);
        let weights = std::mem::take(&mut self.weights);
        self.weights = weights.with(|name, values| step.moved(&format!("backbone.{name}"), values));
        if let Some(head) = self.heads.0.last_mut() {
            head.weight = step.moved("head.weight", head.weight.clone());
            head.bias = step.moved("head.bias", head.bias.clone());
        }
    }

    /// Images → logits over all classes so far (batch × classes).
    ///
    /// # Errors
    /// A Problem when the device failed.
    pub fn logits(&self, images: Tensor<4>) -> Result<Tensor<2>> {
        let backbone = match self.answering.get() {
            Some(backbone) => backbone.clone(),
            None => {
                let made = self.backbone.with_weights(&self.weights)?;
                self.answering.get_or_init(|| made).clone()
            }
        };
        let features = backbone.features(images, &PetStack::empty())?;
        Ok(self.heads.forward(&features))
    }
}
