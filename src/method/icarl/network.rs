//! The trained part of iCaRL, and its copy from before the current task.

use burn::tensor::Tensor;

use super::super::State;
use super::super::heads::{Head, Heads};
use crate::backbone::Backbone;
use crate::pet::PetStack;
use crate::problem::Result;

/// The trained PETs and heads.
#[derive(Clone)]
pub(super) struct Network {
    pub pets: PetStack,
    pub heads: Heads,
}

impl Network {
    /// Returns a copy with gradient tracking.
    pub fn tracked(&self) -> Self {
        Self {
            pets: self.pets.tracked(),
            heads: Heads(self.heads.0.iter().map(Head::tracked).collect()),
        }
    }

    /// Returns the logits of all classes so far: batch × classes.
    ///
    /// # Errors
    /// As [`Backbone::features`].
    pub fn logits(&self, backbone: &dyn Backbone, images: Tensor<4>) -> Result<Tensor<2>> {
        Ok(self.heads.forward(&backbone.features(images, &self.pets)?))
    }

    /// Writes or reads the tensors of PETs and heads, with names that start with `prefix`.
    pub fn state(
        &mut self,
        prefix: &str,
        backbone: &dyn Backbone,
        state: &mut State<'_>,
    ) -> Result<()> {
        state.pets(&format!("{prefix}pet"), &mut self.pets)?;
        let place = (backbone.feature_width(), &backbone.device());
        self.heads.state(&format!("{prefix}head"), place, state)
    }
}
