//! The input of the heads for a batch of images, which is the first of two steps towards an answer.

use burn::tensor::Tensor;

use crate::backbone::Backbone;
use crate::metrics::{ByExpert, Expert};
use crate::pet::PetStack;
use crate::problem::{Problem, Result};

/// The input of the heads for a batch of images. Each expert with its own features has one part (batch × width), or
/// several if its heads use different features (EASE's subspaces, ESN's stages).
#[derive(Clone, Debug, Default)]
pub struct Features(ByExpert<Vec<Tensor<2>>>);

impl Features {
    /// Returns the features of a single expert.
    pub fn alone(features: Tensor<2>) -> Self {
        Self::default().with(Expert::ANSWER, vec![features])
    }

    /// Adds the features of one more expert.
    #[must_use]
    pub fn with(mut self, expert: Expert, parts: Vec<Tensor<2>>) -> Self {
        self.0.insert(expert, parts);
        self
    }

    /// Returns the parts of an expert; empty for an expert without its own features.
    pub fn parts(&self, expert: Expert) -> &[Tensor<2>] {
        self.0.get(&expert).map_or(&[], Vec::as_slice)
    }

    /// Returns all parts of an expert, concatenated.
    ///
    /// # Errors
    /// Returns a Problem if it has none.
    pub fn of(&self, expert: Expert) -> Result<Tensor<2>> {
        match self.parts(expert) {
            [] => Err(Problem::new(format!(
                "the {} expert has no features",
                expert.name()
            ))),
            [only] => Ok(only.clone()),
            parts => Ok(Tensor::cat(parts.to_vec(), 1)),
        }
    }

    /// Returns the experts with their own features, in order.
    pub fn experts(&self) -> impl Iterator<Item = Expert> {
        self.0.keys().copied()
    }
}

/// Returns the features of the backbone without PETs (batch × width).
///
/// # Errors
/// As [`Backbone::features`].
pub fn plain(backbone: &dyn Backbone, images: Tensor<4>) -> Result<Tensor<2>> {
    backbone.features(images, &PetStack::empty())
}
