//! A family of backbones and the dimensions of a network, as the rest of the program sees them.
//!
//! A family is one file. It states a [`Family`] and implements [`Dimensions`]; a row of
//! `families.rs` names it. Everything else asks for what is stated here and names no family.

use std::any::Any;
use std::fmt::Debug;
use std::ops::Deref;
use std::sync::Arc;

use super::graph::GraphParts;
use super::loader::WeightLoader;
use super::normalisation::Normalisation;
use super::parameters::Weights;
use super::torch::{Acting, LayerName, TorchText};
use super::weights::Tensors;
use super::words::ArchitectureValues;
use super::{Backbone, BlockShape, Length, parameters, plausible};
use crate::message;
use crate::nn::Place;
use crate::onnx::Value;
use crate::pet::Site;
use crate::problem::{Problem, Result};
use crate::tensors::HostTensor;
use crate::texts::Words;

/// What a family says of itself.
pub struct Family {
    /// In tables, metadata and options.
    pub name: &'static str,
    /// For people.
    pub title: &'static str,
    /// The network of the table that a choice of the family begins with: the paper's, but for ViT the one that
    /// is part of the program.
    pub usual: &'static str,
    /// The keys of a table's entry that give its dimensions, beside `input_size` and `epsilon`.
    pub keys: &'static [&'static str],
    /// How many of the first blocks carry a PET by default, less in shallow networks.
    pub pet_blocks: usize,
    /// What a block keeps for the backward pass.
    pub kept: Kept,
    /// What pixels go through where a weight file does not say it, and the message that says so.
    pub pixels: (Normalisation, &'static str),
    /// Dimensions in words of a table, or in timm's.
    pub read: fn(&ArchitectureValues) -> Result<Architecture>,
    /// Dimensions off the names and shapes of tensors; `None` if they are of another family.
    pub infer: fn(&Tensors) -> Result<Option<Inferred>>,
    /// In each of the family's namings, the name of a tensor of the first layer. A file's name that ends with one shows
    /// what a wrapper or a training program put before the names of the network ([`super::families::unwrapped`]).
    pub first: &'static [&'static str],
    /// Tensors under timm's names of today, whichever of the family's namings they come in.
    pub renamed: fn(Tensors) -> Result<Tensors>,
    /// Makes a small network for testing a GPU.
    pub trial: fn() -> Architecture,
}

/// Numbers that one block keeps for the backward pass, as multiples.
#[derive(Clone, Copy, Debug)]
pub struct Kept {
    /// By the own kernels of the processor: tensors of the block's width, and of its MLP's.
    pub kernels: [f64; 2],
    /// The same for the framework's operations, which keep the inputs of every elementary operation.
    pub framework: [f64; 2],
}

/// An architecture read from a file, and what was assumed on the way (sentences).
#[derive(Clone, Debug, PartialEq)]
pub struct Inferred {
    /// Family and dimensions.
    pub architecture: Architecture,
    /// What the file does not say.
    pub assumed: Vec<Words>,
}

/// The dimensions of a network of some family.
pub trait Dimensions: Debug + Send + Sync + Same {
    /// Its family.
    fn family(&self) -> &'static Family;

    /// Side of the square input the backbone is meant for, in pixels.
    fn input_size(&self) -> usize;

    /// Added to the variance in every layer norm.
    fn epsilon(&self) -> f64;

    /// Which dimensions contradict each other.
    fn contradiction(&self) -> Option<String>;

    /// One shape per block.
    fn blocks(&self) -> Vec<BlockShape>;

    /// How many tokens each block works on, at the input size.
    fn lengths(&self) -> Vec<Length>;

    /// Whether a class token gathers the feature; prompts and prefixes need one.
    fn has_class_token(&self) -> bool {
        false
    }

    /// A stored tensor as it is trained: tables learned at another resolution are resized.
    fn fitted(&self, _name: &str, stored: HostTensor) -> HostTensor {
        stored
    }

    /// The network called `name` as Python over timm, with PETs at these sites. `name` is one line without
    /// quotes.
    ///
    /// # Errors
    /// Returns a Problem for a family, or sites, that are not written down.
    fn torch(&self, _name: &str, _acting: &Acting) -> Result<TorchText> {
        let family = self.family().title;
        Err(Problem::new(message!(
            "problem-family-not-exportable",
            family = family.to_string()
        )))
    }

    /// The layer whose outputs a site's h is, as they are, as other libraries call it: timm first, if there is one.
    fn layer_names(&self, _block: usize, _site: Site) -> Vec<LayerName> {
        Vec::new()
    }

    /// The network as operations, from normalised images to features.
    ///
    /// # Errors
    /// Returns a Problem for a missing weight, or for what acts in it and has no form in a graph.
    fn graph(&self, parts: &mut GraphParts<'_>, images: &Value) -> Result<Value>;

    /// The network, with its tensors from the loader.
    fn build(&self, loader: &mut WeightLoader) -> Arc<dyn Backbone>;
}

/// Equality behind a trait object.
pub trait Same: Any {
    /// Whether the other is of the same type and equal.
    fn same(&self, other: &dyn Any) -> bool;
}

impl<T: PartialEq + 'static> Same for T {
    fn same(&self, other: &dyn Any) -> bool {
        other.downcast_ref() == Some(self)
    }
}

/// A network's family and dimensions: all that is needed to build it from tensors.
#[derive(Clone, Debug)]
pub struct Architecture(Arc<dyn Dimensions>);

impl PartialEq for Architecture {
    fn eq(&self, other: &Self) -> bool {
        let other: &dyn Any = &*other.0;
        self.0.same(other)
    }
}

impl Deref for Architecture {
    type Target = dyn Dimensions;

    fn deref(&self) -> &Self::Target {
        self.0.as_ref()
    }
}

impl Architecture {
    /// A network of these dimensions.
    pub fn of(dimensions: impl Dimensions + 'static) -> Self {
        Self(Arc::new(dimensions))
    }

    /// Length of the feature vector.
    pub fn feature_width(&self) -> usize {
        self.blocks().last().map_or(0, |block| block.width)
    }

    /// How many of the first blocks carry a PET by default.
    pub fn default_pet_blocks(&self) -> usize {
        self.family().pet_blocks.min(self.blocks().len())
    }

    /// Says which dimensions contradict each other.
    ///
    /// # Errors
    /// Returns a Problem with the first contradiction.
    pub fn check(&self) -> Result<()> {
        let title = self.family().title;
        let unfit = |wrong: String| {
            Problem::new(message!(
                "problem-dimensions-inconsistent",
                title = title.to_string(),
                wrong = wrong.to_string()
            ))
        };
        if let Some(wrong) = self.contradiction() {
            return Err(unfit(wrong));
        }
        let (blocks, lengths) = (self.blocks(), self.lengths());
        if let Some(wrong) = plausible::too_large(self.input_size(), &blocks, &lengths) {
            return Err(unfit(wrong).advise(message!("advice-specify-real-dimensions")));
        }
        let epsilon = self.epsilon();
        if (1e-30..1.0).contains(&epsilon) {
            return Ok(());
        }
        let what = message!(
            "problem-epsilon-out-of-range",
            epsilon = epsilon.to_string()
        );
        Err(Problem::new(what).advise(message!("advice-usual-epsilon")))
    }

    /// Number of frozen weights, without loading any.
    pub fn parameters(&self) -> usize {
        let mut plan = WeightLoader::plan(None);
        self.build(&mut plan);
        parameters::count(plan.wanted())
    }

    /// A backbone with random weights, the same for the same seed.
    ///
    /// # Errors
    /// As [`Architecture::check`].
    pub fn random(&self, seed: u64, to: impl Into<Place>) -> Result<Arc<dyn Backbone>> {
        self.check()?;
        Ok(self.build(&mut WeightLoader::random(seed, to.into())))
    }

    /// A backbone made of these leaves, some of which may be tracked.
    pub(super) fn given(
        &self,
        weights: &Weights,
        to: impl Into<Place>,
    ) -> Result<Arc<dyn Backbone>> {
        let mut loader = WeightLoader::given(weights, to.into());
        let backbone = self.build(&mut loader);
        loader.finish()?;
        Ok(backbone)
    }
}
