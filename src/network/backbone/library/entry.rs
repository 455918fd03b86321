//! An entry of the table of backbones: the network, the source of its weights, and the preparation of images.

use std::path::PathBuf;

use super::is_shipped;
use crate::backbone::architecture::Architecture;
use crate::backbone::normalisation::Normalisation;
use crate::data::transform::{InputSpec, Resize};
use crate::texts::translate_entry;
use crate::tr;

/// The value of a field for which there is no information.
pub const NOT_STATED: &str = "not stated";

/// The user's choice of a backbone.
#[derive(Clone, Copy, Debug)]
pub struct BackboneChoice<'a> {
    /// A name in the table, or a file.
    pub name: &'a str,
    /// Whether images are prepared as in the pre-training, instead of as in LAE's code. In the latter case, values
    /// that a weight file does not contain are assumed, as in versions without the former.
    pub pretrained_transform: bool,
    /// Values that the file does not contain: `heads=16,normalisation=imagenet`.
    pub values: Option<&'a str>,
}

impl BackboneChoice<'_> {
    /// Returns a text that is equal for equal choices; the name alone if all other values are defaults.
    pub fn key(&self) -> String {
        let mut key = self.name.to_owned();
        if !self.pretrained_transform {
            key += "\nwith the paper's transform";
        }
        key + &self.values.map_or_else(String::new, |values| format!("\n{values}"))
    }
}

impl<'a, S: AsRef<str> + ?Sized> From<&'a S> for BackboneChoice<'a> {
    fn from(name: &'a S) -> Self {
        Self { name: name.as_ref(), pretrained_transform: true, values: None }
    }
}

/// The source of an entry's weights.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WeightSource {
    /// Embedded in the program.
    Embedded,
    /// A file in a repository of the model hub.
    Hub {
        /// `owner/name`.
        repository: String,
        /// The name of the file in the repository.
        file: String,
        /// The commit, 40 hexadecimal digits; `None` for the newest.
        revision: Option<String>,
    },
    /// A web address.
    Url(String),
    /// A file on this computer.
    File(PathBuf),
}

/// The preparation of images.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Transform {
    /// The normalisation of pixels.
    pub normalisation: Normalisation,
    /// At inference, the shorter side is resized to input size / crop ratio, and then the centre is cropped.
    pub crop_ratio: f32,
    /// Interpolation filter and crop mode.
    pub resize: Resize,
}

/// An entry of the table of backbones.
#[derive(Clone, Debug, PartialEq)]
pub struct BackboneEntry {
    /// The key, which is timm's name.
    pub name: String,
    /// The display name.
    pub title: String,
    /// Family and dimensions.
    pub architecture: Architecture,
    /// The transform of its pre-training.
    pub transform: Transform,
    /// The transform in LAE's code, which uses a bilinear filter.
    pub paper: Transform,
    /// For a weight file: all values stated in files beside it or by the user, in the syntax of
    /// [`BackboneChoice::values`], for use without those files.
    pub values: Option<String>,
    /// Default number of blocks with a PET, from the first.
    pub pet_blocks: usize,
    /// The source of the weights.
    pub source: WeightSource,
    /// Approximate size of the weight file in millions of bytes.
    pub size_mb: Option<u64>,
    /// SHA-256 of the weight file, if known.
    pub sha256: Option<String>,
    /// Licence of the weights.
    pub licence: String,
    /// The pre-training dataset.
    pub pretrained_on: String,
    /// A note for comparisons, for example datasets seen in pre-training.
    pub warning: Option<String>,
}

impl BackboneEntry {
    /// Returns how images are resized and cropped for this backbone.
    pub fn input_spec(&self) -> InputSpec {
        InputSpec {
            size: self.architecture.input_size(),
            crop_ratio: self.transform.crop_ratio,
            resize: self.transform.resize,
        }
    }

    /// Returns whether its pre-training and LAE's code prepare images differently.
    pub fn has_own_transform(&self) -> bool {
        let paper = self.clone().with_transform(false);
        let same_side = self.input_spec().shorter_side() == paper.input_spec().shorter_side();
        let [pretrained, paper] = [self.transform, self.paper];
        let same_filter = pretrained.resize.interpolation == paper.resize.interpolation;
        pretrained.normalisation != paper.normalisation || !same_side || !same_filter
    }

    /// Returns the entry with the transform of its pre-training (unchanged), or with that of LAE's code.
    #[must_use]
    pub fn with_transform(self, pretrained_transform: bool) -> Self {
        let transform = match pretrained_transform {
            true => self.transform,
            false => self.paper,
        };
        Self { transform, ..self }
    }

    /// Returns its title in the language of this thread.
    pub fn title(&self) -> &str {
        self.translated("title", &self.title)
    }

    /// Returns its pre-training data in the language of this thread; empty if unknown.
    pub fn pretrained_on(&self) -> &str {
        match self.pretrained_on.as_str() {
            NOT_STATED => "",
            data => self.translated("on", data),
        }
    }

    /// Returns its note in the language of this thread.
    pub fn warning(&self) -> Option<&str> {
        let warning = self.warning.as_ref()?;
        Some(self.translated("warning", warning))
    }

    /// Returns the licence of its weights in the language of this thread.
    pub fn licence(&self) -> &str {
        match self.licence.as_str() {
            NOT_STATED => tr!("range-not-stated"),
            licence => licence,
        }
    }

    /// Returns the translation of a text; the user's own entries are unchanged.
    fn translated<'a>(&self, part: &str, english: &'a str) -> &'a str {
        match is_shipped(english) {
            true => translate_entry("backbone", &self.name, part, english),
            false => english,
        }
    }
}
