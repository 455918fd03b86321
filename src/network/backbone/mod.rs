//! Feature extractors, frozen as a rule, that offer named sites to PETs, and places for prompts.
//!
//! A backbone is a family (a row of `families`) with dimensions, given by an entry of the
//! table in `assets/backbones.toml`, by the metadata of a weight file, or by the shapes in it.
//! [`library::open`] goes the whole way from a name or a file to a [`Backbone`];
//! [`architecture::Architecture::assemble`] builds one from tensors in memory.

pub mod architecture;
mod arguments;
pub mod block;
pub mod convnext;
pub mod families;
pub mod graph;
pub mod library;
mod loader;
pub mod mlp;
mod normalisation;
pub mod parameters;
mod patches;
mod plausible;
mod resample;
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
use crate::nn::{Place, WeightType};
pub use crate::pet::BlockShape;
use crate::pet::{Hooks, PetStack, Site};
use crate::problem::{Problem, Result};
use crate::tensors::HostTensor;

/// The sites inside the attention sub-layer: with none of them in use it may run as one operation.
pub const IN_ATTENTION: &[Site] = &[
    Site::Query,
    Site::Key,
    Site::Value,
    Site::Attend,
    Site::Proj,
];

/// The sites inside the MLP sub-layer.
pub const IN_MLP: &[Site] = &[Site::Norm2, Site::Fc1, Site::Activation, Site::Fc2];

/// A token sequence between two blocks, with the grid it stands for.
#[derive(Clone, Debug)]
pub struct Tokens {
    /// batch × tokens × channels.
    pub values: Tensor<3>,
    /// Rows of the grid (class token not counted).
    pub rows: usize,
    /// Columns of the grid.
    pub columns: usize,
}

/// The tokens of one block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Length {
    /// Of an image.
    pub tokens: usize,
    /// Those that each of them attends to; 0 without attention.
    pub attended: usize,
}

/// What every built network knows of itself.
pub struct Facts {
    architecture: Architecture,
    /// One shape per block, counted from 0 over all stages.
    blocks: Vec<BlockShape>,
    place: Place,
    /// Its tensors in a weight file, in the order they were asked for.
    wanted: Vec<(String, Vec<usize>)>,
    origin: Origin,
}

impl Facts {
    /// At the end of a construction, when the loader has been asked for everything.
    fn new(architecture: Architecture, loader: &WeightLoader) -> Self {
        Self {
            blocks: architecture.blocks(),
            architecture,
            place: loader.place().clone(),
            wanted: loader.wanted().to_vec(),
            origin: loader.origin(),
        }
    }

    /// The network's weights, from where it got them: its layers keep them turned and folded.
    fn weights(&self) -> Result<Weights> {
        let kept = self.place.weights;
        if kept != WeightType::F32 {
            let kept = kept.title();
            let what = message!("problem-precision-prediction-only", kept = kept.to_string());
            return Err(Problem::new(what)
                .at("--precision")
                .advise(message!("advice-train-in-f32")));
        }
        let place = self.place.clone();
        let mut loader = match &self.origin {
            Origin::Given(weights) => return Ok(weights.clone()),
            Origin::File(tensors) => WeightLoader::file(tensors, place),
            Origin::Random(seed) => WeightLoader::random(*seed, place),
            Origin::Nothing => return Ok(Weights::default()),
        };
        let mut stored = Vec::new();
        for (name, shape) in &self.wanted {
            let values = loader.values(name, shape);
            let shape = shape.clone();
            stored.push((name.clone(), HostTensor { shape, values }));
        }
        loader.finish()?;
        let fitted = |(name, stored): (String, HostTensor)| {
            let stored = self.architecture.fitted(&name, stored);
            (name, stored)
        };
        let fitted = stored.into_iter().map(fitted).collect();
        Ok(Weights::of(fitted, &self.place.device))
    }
}

/// A network: images in, one feature vector per image out, with hooks acting on the way.
pub trait Backbone: Send + Sync {
    /// What it knows of itself.
    fn facts(&self) -> &Facts;

    /// One shape per block, counted from 0 over all stages.
    fn blocks(&self) -> &[BlockShape] {
        &self.facts().blocks
    }

    /// Length of the feature vector.
    fn feature_width(&self) -> usize {
        self.blocks().last().map_or(0, |shape| shape.width)
    }

    /// The plain device that holds the weights.
    fn device(&self) -> Device {
        self.facts().place.device.clone()
    }

    /// Number of weights.
    fn parameters(&self) -> usize {
        parameters::count(&self.facts().wanted)
    }

    /// Its own weights, for methods that train them.
    ///
    /// # Errors
    /// Returns a Problem if they are kept rounded, or their file cannot be read any more.
    fn weights(&self) -> Result<Weights> {
        self.facts().weights()
    }

    /// The layer whose outputs the h of a block's site is, as other libraries call it.
    fn layer_names(&self, block: usize, site: Site) -> Vec<torch::LayerName> {
        self.facts().architecture.layer_names(block, site)
    }

    /// The same network with these weights. Where leaves are tracked, everything that is made of
    /// them is part of the gradient's way.
    ///
    /// # Errors
    /// Returns a Problem that names a missing or mis-shaped leaf.
    fn with_weights(&self, weights: &Weights) -> Result<Arc<dyn Backbone>> {
        let facts = self.facts();
        facts.architecture.given(weights, facts.place.clone())
    }

    /// Normalised images (batch × 3 × rows × columns) → the tokens before block 0.
    fn embed(&self, images: Tensor<4>) -> Result<Tokens>;

    /// The learned class token (1 × 1 × width), without its position; `None` for a network without
    /// one.
    fn class_token(&self) -> Option<Tensor<3>> {
        None
    }

    /// The position embedding of the class token (1 × 1 × width); `None` for a network without one,
    /// which takes neither prompts nor prefixes.
    fn class_position(&self) -> Option<Tensor<3>> {
        None
    }

    /// Lets the hooks' tokens join those that [`Backbone::embed`] made.
    ///
    /// # Errors
    /// For a network without a class token.
    fn enter(&self, tokens: Tokens, hooks: &dyn Hooks) -> Result<Tokens> {
        match hooks.entering() {
            Some(_) => Err(no_prompts("prompt tokens")),
            None => Ok(tokens),
        }
    }

    /// Runs one block, with the downsampling before it where it begins a stage. After the last one
    /// only those tokens are kept that [`Backbone::pool`] reads, unless the hooks read them all.
    fn block(&self, index: usize, tokens: Tokens, hooks: &dyn Hooks) -> Result<Tokens>;

    /// How the class token of each image attends to the patches in block `index`, the mean over its
    /// heads (batch × patches); `tokens` are those before the block. `None` for a network whose
    /// feature no class token gathers.
    ///
    /// # Errors
    /// Returns a Problem if a plugin's attention is no weighted sum of values.
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

    /// Embedding, entering tokens, all blocks: what is there before the final norm.
    fn tokens(&self, images: Tensor<4>, hooks: &dyn Hooks) -> Result<Tokens> {
        let tokens = self.enter(self.embed(images)?, hooks)?;
        self.run(tokens, 0..self.blocks().len(), hooks)
    }

    /// The final norm of every token (batch × tokens × width) without any pooling. ConvNeXt, whose
    /// norm acts on the mean, gives the tokens as they are.
    fn normed(&self, tokens: Tokens) -> Tensor<3>;

    /// Tokens after the last block → features (batch × feature width).
    fn pool(&self, tokens: Tokens) -> Result<Tensor<2>>;

    /// The features of the same images under each of several hooks; what comes before the first
    /// block where any of them acts is run once.
    fn features_of(&self, images: Tensor<4>, hooks: &[&dyn Hooks]) -> Result<Vec<Tensor<2>>> {
        let depth = self.blocks().len();
        let first = |hooks: &&dyn Hooks| hooks.first_block().unwrap_or(depth);
        let shared = hooks.iter().map(first).min().unwrap_or(depth).min(depth);
        let tokens = self.embed(images)?;
        let tokens = self.run(tokens, 0..shared, &PetStack::empty())?;
        let each = hooks.iter().map(|hooks| {
            let tokens = self.enter(tokens.clone(), *hooks)?;
            self.pool(self.run(tokens, shared..depth, *hooks)?)
        });
        each.collect()
    }

    /// The whole way: normalised images → features.
    fn features(&self, images: Tensor<4>, hooks: &dyn Hooks) -> Result<Tensor<2>> {
        self.pool(self.tokens(images, hooks)?)
    }
}

/// Refuses a prefix in a block that has no place for one.
fn check_no_prefix(hooks: &dyn Hooks, index: usize) -> Result<()> {
    match hooks.prefix(index) {
        Some(_) => Err(no_prompts("prefixes")),
        None => Ok(()),
    }
}

fn no_prompts(what: &str) -> Problem {
    Problem::new(message!(
        "problem-backbone-lacks-feature",
        what = what.to_string()
    ))
    .advise(message!("advice-choose-vit-with-class-token"))
}
