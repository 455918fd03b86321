//! One backbone of the table: what it is, where its weights are, and how images are prepared
//! for it.

use std::path::PathBuf;

use super::is_shipped;
use crate::backbone::architecture::Architecture;
use crate::backbone::normalisation::Normalisation;
use crate::data::transform::{InputSpec, Resize};
use crate::texts::of_list;
use crate::tr;

/// What an entry says of what nobody stated.
pub const NOT_STATED: &str = "not stated";

/// A backbone as settings choose it.
#[derive(Clone, Copy, Debug)]
pub struct BackboneChoice<'a> {
    /// A name of the table, or a file.
    pub name: &'a str,
    /// Whether images are prepared as in its pre-training, not as by LAE's code. Without it, what a weight file does
    /// not say is assumed, as by versions that had no other transform.
    pub pretrained_transform: bool,
    /// What the file does not say: `heads=16,normalisation=imagenet`.
    pub values: Option<&'a str>,
}

impl BackboneChoice<'_> {
    /// A text that is equal for equal choices: the name alone where nothing else was chosen.
    pub fn key(&self) -> String {
        let mut key = self.name.to_owned();
        if !self.pretrained_transform {
            key += "\nwith the paper's transform";
        }
        key + &self
            .values
            .map_or_else(String::new, |values| format!("\n{values}"))
    }
}

impl<'a, S: AsRef<str> + ?Sized> From<&'a S> for BackboneChoice<'a> {
    fn from(name: &'a S) -> Self {
        Self {
            name: name.as_ref(),
            pretrained_transform: true,
            values: None,
        }
    }
}

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
    /// Filter and crop of its pre-training.
    pub resize: Resize,
    /// Normalisation and crop ratio in LAE's code, whose filter is bilinear.
    pub paper: (Normalisation, f32),
    /// For a weight file: all values that are known from beside it or were given, as [`BackboneChoice::values`] of a
    /// place without the files beside it.
    pub values: Option<String>,
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
            resize: self.resize,
        }
    }

    /// Returns whether its pre-training and LAE's code prepare images differently.
    pub fn has_own_transform(&self) -> bool {
        let paper = self.clone().prepared(false);
        let same_side = self.input().shorter_side() == paper.input().shorter_side();
        let filters = [self, &paper].map(|entry| entry.resize.interpolation);
        self.normalisation != paper.normalisation || !same_side || filters[0] != filters[1]
    }

    /// Returns it with the transform of its pre-training, which it has already, or with that of LAE's code.
    #[must_use]
    pub fn prepared(self, pretrained_transform: bool) -> Self {
        if pretrained_transform {
            return self;
        }
        let (normalisation, crop_ratio) = self.paper;
        Self {
            normalisation,
            crop_ratio,
            resize: Resize::default(),
            ..self
        }
    }

    /// Returns its title in the language of this thread.
    pub fn title(&self) -> &str {
        self.said("title", &self.title)
    }

    /// Returns its pre-training data in the language of this thread; empty if unknown.
    pub fn pretrained_on(&self) -> &str {
        match self.pretrained_on.as_str() {
            NOT_STATED => "",
            data => self.said("on", data),
        }
    }

    /// Returns its note in the language of this thread.
    pub fn warning(&self) -> Option<&str> {
        let warning = self.warning.as_ref()?;
        Some(self.said("warning", warning))
    }

    /// Returns the licence of its weights in the language of this thread.
    pub fn licence(&self) -> &str {
        match self.licence.as_str() {
            NOT_STATED => tr!("range-not-stated"),
            licence => licence,
        }
    }

    /// Returns the translation of a text; the user's own entries are unchanged.
    fn said<'a>(&self, part: &str, english: &'a str) -> &'a str {
        match is_shipped(english) {
            true => of_list("backbone", &self.name, part, english),
            false => english,
        }
    }
}
