//! One backbone of the table: what it is, where its weights are, and how images are prepared
//! for it.

use std::path::PathBuf;

use crate::backbone::architecture::Architecture;
use crate::backbone::normalisation::Normalisation;
use crate::data::transform::InputSpec;

/// What an entry says of what nobody stated.
pub const NOT_STATED: &str = "not stated";

/// Where an entry's weights come from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WeightSource {
    /// Part of the program.
    Embedded,
    /// A repository of the model hub and a file in it.
    Hub {
        /// `owner/name`.
        repository: String,
        /// The file's name in it.
        file: String,
        /// The commit that is meant, 40 hexadecimal digits; `None` for the newest one.
        revision: Option<String>,
    },
    /// A web address.
    Url(String),
    /// A file on this computer.
    File(PathBuf),
}

/// One backbone of the table.
#[derive(Clone, Debug, PartialEq)]
pub struct BackboneEntry {
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
    /// How many of the first blocks carry a PET by default.
    pub pet_blocks: usize,
    /// Where the weights come from.
    pub source: WeightSource,
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

impl BackboneEntry {
    /// How images are resized and cut for this backbone.
    pub fn input(&self) -> InputSpec {
        InputSpec {
            size: self.architecture.input_size(),
            crop_ratio: self.crop_ratio,
        }
    }
}
