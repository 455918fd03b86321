//! The normalisation of pixels before a backbone.

use burn::tensor::Tensor;
use serde::{Deserialize, Serialize};

/// The normalisation of pixels in [0, 1] before the backbone: (pixel − mean) / std.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Normalisation {
    /// Mean per channel.
    pub mean: [f32; 3],
    /// Standard deviation per channel.
    pub std: [f32; 3],
}

impl Normalisation {
    /// No normalisation: pixels stay in [0, 1].
    pub const UNIT: Self = Self::new([0.0; 3], [1.0; 3]);
    /// Normalisation to [−1, 1].
    pub const SYMMETRIC: Self = Self::new([0.5; 3], [0.5; 3]);
    /// Mean and standard deviation of ImageNet's pixels.
    pub const IMAGENET: Self = Self::new([0.485, 0.456, 0.406], [0.229, 0.224, 0.225]);
    /// Mean and standard deviation with which CLIP was trained.
    pub const CLIP: Self = Self::new(
        [0.481_454_66, 0.457_827_5, 0.408_210_73],
        [0.268_629_54, 0.261_302_6, 0.275_777_1],
    );

    /// The default for weight files without a normalisation, [`Self::IMAGENET`], with the id of the message about
    /// this assumption.
    pub const ASSUMED_IMAGENET: (Self, &str) = (Self::IMAGENET, "network-pixels-imagenet");

    const fn new(mean: [f32; 3], std: [f32; 3]) -> Self {
        Self { mean, std }
    }

    /// Normalises pixels in [0, 1] (batch × 3 × rows × columns).
    pub fn apply(&self, images: Tensor<4>) -> Tensor<4> {
        let device = images.device();
        let row =
            |values: [f32; 3]| Tensor::<1>::from_floats(values, &device).reshape([1, 3, 1, 1]);
        (images - row(self.mean)) / row(self.std)
    }

    /// Returns the normalisation with this name in tables and options.
    pub fn from_name(name: &str) -> Option<Self> {
        Some(match name {
            "unit" => Self::UNIT,
            "symmetric" => Self::SYMMETRIC,
            "imagenet" => Self::IMAGENET,
            "clip" => Self::CLIP,
            _ => return None,
        })
    }

    /// Returns whether all numbers are finite and no standard deviation is 0.
    pub fn is_usable(&self) -> bool {
        let finite = self.mean.iter().chain(&self.std).all(|v| v.is_finite());
        finite && !self.std.contains(&0.0)
    }

    /// Returns a normalisation with the same mean and standard deviation for all channels.
    pub fn uniform(mean: f32, std: f32) -> Self {
        Self::new([mean; 3], [std; 3])
    }
}
