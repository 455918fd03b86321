//! One backbone of the table: what it is, where its weights are, and how pictures are prepared
//! for it.

use std::path::PathBuf;

use burn::tensor::Tensor;
use serde::{Deserialize, Serialize};

use crate::backbone::architecture::Architecture;
use crate::data::transform::InputSpec;

/// What pixels in [0, 1] go through before they reach the backbone: (pixel − mean) / std.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Normalisation {
    /// Per channel.
    pub mean: [f32; 3],
    /// Per channel.
    pub std: [f32; 3],
}

impl Normalisation {
    /// Pixels stay in [0, 1].
    pub const UNIT: Self = Self::of([0.0; 3], [1.0; 3]);
    /// Pixels in [−1, 1].
    pub const SYMMETRIC: Self = Self::of([0.5; 3], [0.5; 3]);
    /// Mean and deviation of ImageNet's pixels.
    pub const IMAGENET: Self = Self::of([0.485, 0.456, 0.406], [0.229, 0.224, 0.225]);
    /// Mean and deviation CLIP was trained with.
    pub const CLIP: Self = Self::of(
        [0.481_454_66, 0.457_827_5, 0.408_210_73],
        [0.268_629_54, 0.261_302_6, 0.275_777_1],
    );

    const fn of(mean: [f32; 3], std: [f32; 3]) -> Self {
        Self { mean, std }
    }

    /// Pixels in [0, 1] (batch × 3 × rows × columns) → what the backbone takes.
    pub fn apply(&self, images: Tensor<4>) -> Tensor<4> {
        let device = images.device();
        let row =
            |values: [f32; 3]| Tensor::<1>::from_floats(values, &device).reshape([1, 3, 1, 1]);
        (images - row(self.mean)) / row(self.std)
    }

    /// The same mean and deviation for all channels.
    pub fn even(mean: f32, std: f32) -> Self {
        Self::of([mean; 3], [std; 3])
    }
}

/// Where an entry's weights come from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    /// Part of the program.
    Embedded,
    /// A repository of the model hub and a file in it.
    Hub {
        /// `owner/name`.
        repository: String,
        /// The file's name in it.
        file: String,
        /// The commit that is meant, 40 hexadecimal digits; none for the newest one.
        revision: Option<String>,
    },
    /// A web address.
    Url(String),
    /// A file on this computer.
    File(PathBuf),
}

/// One backbone of the table.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    /// timm's name, the key.
    pub name: String,
    /// For people.
    pub title: String,
    /// Family and dimensions.
    pub architecture: Architecture,
    /// What pixels go through.
    pub normalisation: Normalisation,
    /// At inference the shorter side is resized to input size / crop ratio, then the centre cut.
    pub crop_ratio: f32,
    /// How many of the first blocks carry a PET unless told otherwise.
    pub pet_blocks: usize,
    /// Where the weights come from.
    pub source: Source,
    /// Size of the weight file in millions of bytes, about.
    pub size_mb: Option<u64>,
    /// SHA-256 of the weight file, where known.
    pub sha256: Option<String>,
    /// Licence of the weights.
    pub licence: String,
    /// What it was pre-trained on.
    pub pretrained_on: String,
    /// What to know before comparing figures, for example data sets it has seen.
    pub warning: Option<String>,
}

impl Entry {
    /// How pictures are resized and cut for this backbone.
    pub fn input(&self) -> InputSpec {
        InputSpec {
            size: self.architecture.input_size(),
            crop_ratio: self.crop_ratio,
        }
    }
}
