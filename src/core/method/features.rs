//! The first of the two steps in which a method answers: what its heads read of a batch of images.

use burn::tensor::Tensor;

use crate::backbone::Backbone;
use crate::metrics::{ByExpert, Expert};
use crate::pet::PetStack;
use crate::problem::{Problem, Result};

/// What the heads read of a batch of images: for each expert that has features of its own one part
/// (batch × width), or several where its heads read different ones (EASE's subspaces, ESN's stages).
#[derive(Clone, Debug, Default)]
pub struct Features(ByExpert<Vec<Tensor<2>>>);

impl Features {
    /// Those of the only expert there is.
    pub fn alone(features: Tensor<2>) -> Self {
        Self::default().with(Expert::ANSWER, vec![features])
    }

    /// The same with those of one more expert.
    #[must_use]
    pub fn with(mut self, expert: Expert, parts: Vec<Tensor<2>>) -> Self {
        self.0.insert(expert, parts);
        self
    }

    /// The parts of an expert; empty for one without separate features.
    pub fn parts(&self, expert: Expert) -> &[Tensor<2>] {
        self.0.get(&expert).map_or(&[], Vec::as_slice)
    }

    /// All of an expert's, side by side.
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

    /// The experts with features of their own, in their order.
    pub fn experts(&self) -> impl Iterator<Item = Expert> {
        self.0.keys().copied()
    }
}

/// What the backbone alone makes of images (batch × width).
///
/// # Errors
/// As [`Backbone::features`].
pub fn plain(backbone: &dyn Backbone, images: Tensor<4>) -> Result<Tensor<2>> {
    backbone.features(images, &PetStack::empty())
}
