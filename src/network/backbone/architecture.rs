//! Families of backbones and the dimensions of a network.
//!
//! A family is one file or folder. It defines a [`Family`] and implements [`Dimensions`], and has a row in
//! `families.rs`. All other code uses these and refers to no particular family.

use std::any::Any;
use std::fmt::Debug;
use std::ops::Deref;
use std::sync::Arc;

use super::arguments::ArchitectureValues;
use super::graph::GraphParts;
use super::loader::WeightLoader;
use super::normalisation::Normalisation;
use super::parameters::Origin;
use super::torch::{ActiveSites, LayerName, TorchSource};
use super::weights::Tensors;
use super::{Backbone, BlockShape, TokenCounts, limits, parameters};
use crate::message;
use crate::nn::WeightPlacement;
use crate::onnx::Value;
use crate::pet::Site;
use crate::problem::{Problem, Result};
use crate::tensors::HostTensor;
use crate::texts::Words;

/// The description of a family.
pub struct Family {
    /// Name in tables, metadata and options.
    pub name: &'static str,
    /// Display name.
    pub title: &'static str,
    /// The network that is selected when the user chooses the family: the paper's, but for ViT the embedded one.
    pub default_network: &'static str,
    /// The keys of a table entry that give its dimensions, in addition to `input_size` and `epsilon`.
    pub keys: &'static [&'static str],
    /// Default number of blocks with a PET, from the first; fewer in shallow networks.
    pub pet_blocks: usize,
    /// Multiplications per token and channel of a block, in addition to its linear layers and attention.
    pub mixing: usize,
    /// The memory of a block for the backward pass.
    pub saved: SavedTensors,
    /// Pixel normalisation if a weight file does not contain it, and the message about this assumption.
    pub assumed_normalisation: (Normalisation, &'static str),
    /// Reads the dimensions from a table entry, or from timm's arguments.
    pub read: fn(&ArchitectureValues) -> Result<Architecture>,
    /// Reads the dimensions from names and shapes of tensors; `None` for another family.
    pub infer: fn(&Tensors) -> Result<Option<InferredArchitecture>>,
    /// Name of a tensor of the first layer, in each naming scheme of the family. The prefix of a file's names is what
    /// precedes it ([`super::families::extract_network`]).
    pub first_tensors: &'static [&'static str],
    /// Renames tensors from any naming scheme of the family to timm's current one.
    pub rename_tensors: fn(Tensors) -> Result<Tensors>,
    /// Returns a small network for testing a GPU.
    pub trial: fn() -> Architecture,
}

/// The memory of a block for the backward pass, as numbers of tensors.
#[derive(Clone, Copy, Debug)]
pub struct SavedTensors {
    /// With the CPU kernels: numbers of tensors of the block's width, and of its MLP's width.
    pub kernels: [f64; 2],
    /// With the framework's operations, which store the inputs of every elementary operation.
    pub framework: [f64; 2],
}

/// An architecture read from a file, with the assumptions made (as sentences).
#[derive(Clone, Debug, PartialEq)]
pub struct InferredArchitecture {
    /// Family and dimensions.
    pub architecture: Architecture,
    /// Sentences about values that the file does not contain.
    pub assumptions: Vec<Words>,
    /// The backbone options with which the user can specify the assumed values.
    pub missing_options: Vec<&'static str>,
}

/// The dimensions of a network of some family.
pub trait Dimensions: Debug + Send + Sync + DynPartialEq {
    /// Returns the family.
    fn family(&self) -> &'static Family;

    /// Returns the side of the square input in pixels.
    fn input_size(&self) -> usize;

    /// Returns the value added to the variance in layer norms.
    fn epsilon(&self) -> f64;

    /// Returns a description of inconsistent dimensions; `None` if they are consistent.
    fn inconsistency(&self) -> Option<String>;

    /// Returns the shape of each block.
    fn blocks(&self) -> Vec<BlockShape>;

    /// Returns the number of tokens of each block at the input size.
    fn token_counts(&self) -> Vec<TokenCounts>;

    /// Returns whether there is a class token, which prompts and prefixes need.
    fn has_class_token(&self) -> bool {
        false
    }

    /// Returns a stored tensor in the shape in which it is trained: tables for another resolution are resized.
    fn resize_tensor(&self, _name: &str, stored: HostTensor) -> HostTensor {
        stored
    }

    /// Returns the network as Python code for timm, with PETs at these sites. `name` is one line without quotes.
    ///
    /// # Errors
    /// Returns a Problem for a family, or sites, that cannot be exported.
    fn to_torch(&self, _name: &str, _active_sites: &ActiveSites) -> Result<TorchSource> {
        let family = self.family().title;
        Err(Problem::new(message!("problem-family-not-exportable", family)))
    }

    /// Returns the names, in other libraries, of the layer whose output is exactly h at a site; timm's first, if there
    /// is one.
    fn layer_names(&self, _block: usize, _site: Site) -> Vec<LayerName> {
        Vec::new()
    }

    /// Returns the network as ONNX operations, from normalised images to features.
    ///
    /// # Errors
    /// Returns a Problem for a missing weight, or a PET that ONNX cannot express.
    fn build_graph(&self, parts: &mut GraphParts<'_>, images: &Value) -> Result<Value>;

    /// Returns the network, with tensors from the loader.
    fn build(&self, loader: &mut WeightLoader) -> Arc<dyn Backbone>;
}

/// Equality of trait objects.
pub trait DynPartialEq: Any {
    /// Returns whether the other value has the same type and is equal.
    fn dyn_eq(&self, other: &dyn Any) -> bool;
}

impl<T: PartialEq + 'static> DynPartialEq for T {
    fn dyn_eq(&self, other: &dyn Any) -> bool {
        other.downcast_ref() == Some(self)
    }
}

/// The family and dimensions of a network, which suffice to build it from tensors.
#[derive(Clone, Debug)]
pub struct Architecture(Arc<dyn Dimensions>);

impl PartialEq for Architecture {
    fn eq(&self, other: &Self) -> bool {
        let other: &dyn Any = &*other.0;
        self.0.dyn_eq(other)
    }
}

impl Deref for Architecture {
    type Target = dyn Dimensions;

    fn deref(&self) -> &Self::Target {
        self.0.as_ref()
    }
}

impl Architecture {
    /// Wraps these dimensions.
    pub fn new(dimensions: impl Dimensions + 'static) -> Self {
        Self(Arc::new(dimensions))
    }

    /// Returns the length of the feature vector.
    pub fn feature_width(&self) -> usize {
        self.blocks().last().map_or(0, |block| block.width)
    }

    /// Returns the default number of blocks with a PET, from the first.
    pub fn default_pet_blocks(&self) -> usize {
        self.family().pet_blocks.min(self.blocks().len())
    }

    /// Checks that the dimensions are consistent.
    ///
    /// # Errors
    /// Returns a Problem with the first inconsistency.
    pub fn check(&self) -> Result<()> {
        let title = self.family().title;
        let inconsistent =
            |wrong: String| Problem::new(message!("problem-dimensions-inconsistent", title, wrong));
        if let Some(reason) = self.inconsistency() {
            return Err(inconsistent(reason));
        }
        let (blocks, token_counts) = (self.blocks(), self.token_counts());
        if let Some(reason) = limits::find_oversized(self.input_size(), &blocks, &token_counts) {
            return Err(inconsistent(reason).advise(message!("advice-specify-real-dimensions")));
        }
        let epsilon = self.epsilon();
        if (1e-30..1.0).contains(&epsilon) {
            return Ok(());
        }
        let message = message!("problem-epsilon-out-of-range", epsilon = epsilon.to_string());
        Err(Problem::new(message).advise(message!("advice-usual-epsilon")))
    }

    /// Returns the number of frozen weights, without loading any.
    pub fn parameter_count(&self) -> usize {
        let mut plan = WeightLoader::plan(None);
        self.build(&mut plan);
        parameters::count(plan.requested())
    }

    /// Returns the number of multiplications in a forward pass of one image, without norms and activations.
    pub fn multiplications(&self) -> f64 {
        let mixing = self.family().mixing;
        let (mut sum, mut previous) = (0.0, None);
        for (block, count) in self.blocks().iter().zip(self.token_counts()) {
            let attention = match count.attended {
                0 => 0,
                attended => 4 * block.width + 2 * attended,
            };
            let per_channel = block.hidden + block.fc1_outputs + attention + mixing;
            let channels = count.tokens as f64 * block.width as f64;
            sum += channels * per_channel as f64;
            // The linear layer between two stages takes all values of the previous tokens; that before the first
            // stage takes all pixels.
            let input = match previous {
                None => 3.0 * (self.input_size() as f64).powi(2),
                Some((tokens, _)) if tokens == count.tokens => 0.0,
                Some((_, channels)) => channels,
            };
            sum += input * block.width as f64;
            previous = Some((count.tokens, channels));
        }
        sum
    }

    /// Returns a backbone with random weights, which are the same for the same seed.
    ///
    /// # Errors
    /// As [`Architecture::check`].
    pub fn build_random(
        &self,
        seed: u64,
        placement: impl Into<WeightPlacement>,
    ) -> Result<Arc<dyn Backbone>> {
        self.check()?;
        self.build_from(Origin::Random(seed), placement.into())
    }

    /// Returns a backbone with weights from this source.
    pub(super) fn build_from(
        &self,
        origin: Origin,
        placement: WeightPlacement,
    ) -> Result<Arc<dyn Backbone>> {
        let mut loader = WeightLoader::new(origin, placement);
        let backbone = self.build(&mut loader);
        loader.finish()?;
        Ok(backbone)
    }
}
