//! Feature extractors, usually frozen, that offer named sites to PETs and accept prompts and prefixes.
//!
//! A backbone is a network of a family (see `families`) with certain dimensions. The dimensions come from an entry of
//! the table in `assets/backbones.toml`, from the metadata of a weight file, or from the shapes of its tensors.
//! [`library::open`] returns a [`Backbone`] for a name or a file; [`architecture::Architecture::assemble`] builds one
//! from tensors in memory.

pub mod architecture;
mod arguments;
mod block;
pub mod convnext;
pub mod families;
pub mod graph;
pub mod library;
mod limits;
mod loader;
pub mod mlp;
mod normalisation;
pub mod parameters;
mod patches;
mod resample;
mod staged;
pub mod swin;
pub mod torch;
pub mod vit;
pub mod weights;

use std::ops::Range;
use std::sync::Arc;

use burn::tensor::{Device, Tensor};

use architecture::Architecture;
use loader::WeightLoader;
use parameters::{Origin, Weights};

use crate::message;
use crate::nn::{WeightPlacement, WeightType};
pub use crate::pet::BlockShape;
use crate::pet::{Hooks, PetStack, Site};
use crate::problem::{Problem, Result};
use crate::tensors::HostTensor;

/// The sites inside the attention sub-layer. If none of them is used, the attention can run as a single operation.
pub const IN_ATTENTION: &[Site] = &[Site::Query, Site::Key, Site::Value, Site::Attend, Site::Proj];

/// The sites inside the MLP sub-layer.
pub const IN_MLP: &[Site] = &[Site::Norm2, Site::Fc1, Site::Activation, Site::Fc2];

/// The tokens between two blocks, with the size of their grid.
#[derive(Clone, Debug)]
pub struct Tokens {
    /// batch × tokens × channels.
    pub values: Tensor<3>,
    /// Rows of the grid (class token not counted).
    pub rows: usize,
    /// Columns of the grid.
    pub columns: usize,
}

/// The numbers of tokens in a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TokenCounts {
    /// Number of tokens of an image.
    pub tokens: usize,
    /// Number of tokens that each token attends to; 0 without attention.
    pub attended: usize,
}

/// The data that every backbone contains: its architecture, blocks, device and weight source.
pub struct BackboneInfo {
    architecture: Architecture,
    /// One shape per block; blocks are numbered from 0 across all stages.
    blocks: Vec<BlockShape>,
    placement: WeightPlacement,
    /// Names and shapes of its tensors in a weight file, in the order of construction.
    requested: Vec<(String, Vec<usize>)>,
    origin: Origin,
}

impl BackboneInfo {
    /// Collects the data when a network is complete: all its tensors have then been requested from the loader.
    fn new(architecture: Architecture, loader: &WeightLoader) -> Self {
        Self {
            blocks: architecture.blocks(),
            architecture,
            placement: loader.placement().clone(),
            requested: loader.requested().to_vec(),
            origin: loader.origin().clone(),
        }
    }

    /// Reads the network's weights again from their source, because the layers contain only transposed and folded
    /// ones.
    fn weights(&self) -> Result<Weights> {
        let weight_type = self.placement.weights;
        if weight_type != WeightType::F32 {
            let kept = weight_type.title();
            let message = message!("problem-precision-prediction-only", kept);
            return Err(Problem::new(message)
                .at("--precision")
                .advise(message!("advice-train-in-f32")));
        }
        match &self.origin {
            Origin::Given(weights) => return Ok(weights.clone()),
            Origin::Plan(_) => return Ok(Weights::default()),
            Origin::File(_) | Origin::Random(_) => {}
        }
        let mut loader = WeightLoader::new(self.origin.clone(), self.placement.clone());
        let mut stored = Vec::new();
        for (name, shape) in &self.requested {
            let values = loader.values(name, shape);
            let shape = shape.clone();
            stored.push((name.clone(), HostTensor { shape, values }));
        }
        loader.finish()?;
        let resized = stored.into_iter().map(|(name, stored)| {
            let stored = self.architecture.resize_tensor(&name, stored);
            (name, stored)
        });
        Ok(Weights::new(resized.collect(), &self.placement.device))
    }
}

/// A network that computes one feature vector per image, with hooks that change its computation.
pub trait Backbone: Send + Sync {
    /// Returns the data that every backbone contains.
    fn info(&self) -> &BackboneInfo;

    /// Returns one shape per block; blocks are numbered from 0 across all stages.
    fn blocks(&self) -> &[BlockShape] {
        &self.info().blocks
    }

    /// Returns the length of the feature vector.
    fn feature_width(&self) -> usize {
        self.blocks().last().map_or(0, |shape| shape.width)
    }

    /// Returns the device of the weights, without autodiff.
    fn device(&self) -> Device {
        self.info().placement.device.clone()
    }

    /// Returns the number of weights.
    fn parameter_count(&self) -> usize {
        parameters::count(&self.info().requested)
    }

    /// Returns the weights, for methods that train them.
    ///
    /// # Errors
    /// Returns a Problem if they are stored in reduced precision, or their file cannot be read any more.
    fn weights(&self) -> Result<Weights> {
        self.info().weights()
    }

    /// Returns the names, in other libraries, of the layer whose output is h at a site of a block.
    fn layer_names(&self, block: usize, site: Site) -> Vec<torch::LayerName> {
        self.info().architecture.layer_names(block, site)
    }

    /// Returns the same network with these weights. Gradients reach the leaves that are tracked.
    ///
    /// # Errors
    /// Returns a Problem that names a missing or mis-shaped leaf.
    fn with_weights(&self, weights: &Weights) -> Result<Arc<dyn Backbone>> {
        let info = self.info();
        let origin = Origin::Given(weights.clone());
        info.architecture.build_from(origin, info.placement.clone())
    }

    /// Computes the tokens before block 0 from normalised images (batch × 3 × rows × columns).
    fn embed(&self, images: Tensor<4>) -> Result<Tokens>;

    /// Returns the learned class token (1 × 1 × width) without its position embedding; `None` if the network has
    /// none.
    fn class_token(&self) -> Option<Tensor<3>> {
        None
    }

    /// Returns the position embedding of the class token (1 × 1 × width); `None` if the network has no class token,
    /// in which case it accepts neither prompts nor prefixes.
    fn class_position(&self) -> Option<Tensor<3>> {
        None
    }

    /// Inserts the prompt tokens of the hooks into the tokens of [`Backbone::embed`].
    ///
    /// # Errors
    /// Returns a Problem if there are prompt tokens but the network has no class token.
    fn insert_prompts(&self, tokens: Tokens, hooks: &dyn Hooks) -> Result<Tokens> {
        match hooks.prompt_tokens() {
            Some(_) => Err(prompts_unsupported("prompt tokens")),
            None => Ok(tokens),
        }
    }

    /// Runs one block, including the downsampling before it if it is the first of a stage. The last block may return
    /// only the tokens that [`Backbone::pool`] reads, unless the hooks read all of them.
    fn block(&self, index: usize, tokens: Tokens, hooks: &dyn Hooks) -> Result<Tokens>;

    /// Returns the attention of each image's class token to the patches in block `index`, averaged over its heads
    /// (batch × patches); `tokens` are those before the block. `None` if the feature is not computed from a class
    /// token.
    ///
    /// # Errors
    /// Returns a Problem if the attention of a plugin is not a weighted sum of values.
    fn class_attention(
        &self,
        _index: usize,
        _tokens: &Tokens,
        _hooks: &dyn Hooks,
    ) -> Result<Option<Tensor<2>>> {
        Ok(None)
    }

    /// Runs the given blocks.
    fn run(&self, tokens: Tokens, mut blocks: Range<usize>, hooks: &dyn Hooks) -> Result<Tokens> {
        blocks.try_fold(tokens, |tokens, index| self.block(index, tokens, hooks))
    }

    /// Computes the tokens before the final norm: embedding, prompt tokens and all blocks.
    fn tokens(&self, images: Tensor<4>, hooks: &dyn Hooks) -> Result<Tokens> {
        let tokens = self.insert_prompts(self.embed(images)?, hooks)?;
        self.run(tokens, 0..self.blocks().len(), hooks)
    }

    /// Returns all tokens after the final norm (batch × tokens × width). ConvNeXt, which normalises the mean of the
    /// tokens, returns them unchanged.
    fn normed(&self, tokens: Tokens) -> Tensor<3>;

    /// Computes the features (batch × feature width) from the tokens after the last block.
    fn pool(&self, tokens: Tokens) -> Result<Tensor<2>>;

    /// Computes the features of the same images for each of several hooks. The blocks before the first one that any
    /// of the hooks changes run only once.
    fn features_for_each(&self, images: Tensor<4>, hooks: &[&dyn Hooks]) -> Result<Vec<Tensor<2>>> {
        let depth = self.blocks().len();
        let first = |hooks: &&dyn Hooks| hooks.first_block().unwrap_or(depth);
        let shared = hooks.iter().map(first).min().unwrap_or(depth).min(depth);
        let tokens = self.embed(images)?;
        let tokens = self.run(tokens, 0..shared, &PetStack::empty())?;
        let features = hooks.iter().map(|hooks| {
            let tokens = self.insert_prompts(tokens.clone(), *hooks)?;
            self.pool(self.run(tokens, shared..depth, *hooks)?)
        });
        features.collect()
    }

    /// Computes the features (batch × feature width) of normalised images.
    fn features(&self, images: Tensor<4>, hooks: &dyn Hooks) -> Result<Tensor<2>> {
        self.pool(self.tokens(images, hooks)?)
    }
}

/// Returns a Problem if the hooks have a prefix in a block that does not accept one.
fn check_no_prefix(hooks: &dyn Hooks, index: usize) -> Result<()> {
    match hooks.prefix(index) {
        Some(_) => Err(prompts_unsupported("prefixes")),
        None => Ok(()),
    }
}

fn prompts_unsupported(what: &str) -> Problem {
    Problem::new(message!("problem-backbone-lacks-feature", what))
        .advise(message!("advice-choose-vit-with-class-token"))
}
