//! A family with its dimensions: all that is needed to build a backbone from tensors.

use std::sync::Arc;

use super::loader::Loader;
use super::parameters::Weights;
use super::weights::Tensors;
use super::{Backbone, BlockShape, convnext, infer, parameters, swin, vit};
use crate::data::transform::LARGEST_INPUT;
use crate::nn::Place;
use crate::problem::{Problem, Result};
use crate::tensors::HostTensor;

/// One of the families, with its dimensions.
#[derive(Clone, Debug, PartialEq)]
pub enum Architecture {
    /// Vision Transformer.
    Vit(vit::Config),
    /// Shifted-window transformer.
    Swin(swin::Config),
    /// ConvNeXt.
    Convnext(convnext::Config),
}

/// The tokens of one block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Length {
    /// Of an image.
    pub tokens: usize,
    /// Those that each of them attends to; 0 without attention.
    pub attended: usize,
}

impl Architecture {
    /// The family's name in tables and metadata.
    pub fn family(&self) -> &'static str {
        match self {
            Self::Vit(_) => "vit",
            Self::Swin(_) => "swin",
            Self::Convnext(_) => "convnext",
        }
    }

    /// Side of the square input the backbone is meant for, in pixels.
    pub fn input_size(&self) -> usize {
        match self {
            Self::Vit(config) => config.input_size,
            Self::Swin(config) => config.input_size,
            Self::Convnext(config) => config.input_size,
        }
    }

    /// Says which dimensions contradict each other.
    pub fn check(&self) -> Result<()> {
        let epsilon = match self {
            Self::Vit(config) => config.check().map(|()| config.epsilon),
            Self::Swin(config) => config.check().map(|()| config.epsilon),
            Self::Convnext(config) => config.check().map(|()| config.epsilon),
        }?;
        if let Some(wrong) = self.too_large() {
            return Err(Problem::new(format!(
                "these {} dimensions do not fit together: {wrong}",
                self.family()
            ))
            .advise("state the dimensions of a real network; an input of 224 pixels is usual"));
        }
        if (1e-30..1.0).contains(&epsilon) {
            return Ok(());
        }
        let what = format!("epsilon {epsilon} of the layer norms does not lie between 0 and 1");
        Err(Problem::new(what).advise("1e-6 and 1e-5 are usual"))
    }

    /// What is too large although no dimension alone is: the input, the weights, or what one
    /// image takes inside one block.
    fn too_large(&self) -> Option<String> {
        let size = self.input_size();
        if size > LARGEST_INPUT {
            return Some(format!(
                "an input of {size} pixels is more than {LARGEST_INPUT}"
            ));
        }
        let mut weights = 0usize;
        for (block, length) in self.blocks().iter().zip(self.lengths()) {
            let BlockShape { width, hidden, .. } = *block;
            if width > WIDEST {
                return Some(format!("{width} channels are more than any network has"));
            }
            let wide = width.saturating_mul(4).max(hidden);
            weights = weights.saturating_add(wide.saturating_mul(width).saturating_mul(2));
            let pairs = length.tokens.saturating_mul(length.attended);
            let inside = [
                length.tokens.saturating_mul(wide),
                pairs.saturating_mul(block.heads),
                // Windows have a table of their pairs.
                length.attended.saturating_mul(length.attended),
            ];
            if inside.iter().any(|numbers| *numbers > MOST_PER_IMAGE) {
                let tokens = length.tokens;
                return Some(format!(
                    "{tokens} tokens of {width} channels are more than memory can hold"
                ));
            }
        }
        (weights > MOST_WEIGHTS).then(|| format!("about {weights} weights are more than any has"))
    }

    /// One shape per block.
    pub fn blocks(&self) -> Vec<BlockShape> {
        match self {
            Self::Vit(config) => config.blocks(),
            Self::Swin(config) => config.blocks(),
            Self::Convnext(config) => config.blocks(),
        }
    }

    /// How many tokens each block works on, at the input size.
    pub fn lengths(&self) -> Vec<Length> {
        match self {
            Self::Vit(config) => config.lengths(),
            Self::Swin(config) => config.lengths(),
            Self::Convnext(config) => config.lengths(),
        }
    }

    /// Length of the feature vector.
    pub fn feature_width(&self) -> usize {
        self.blocks().last().map_or(0, |block| block.width)
    }

    /// How many of the first blocks carry a PET unless told otherwise: the paper's shares of
    /// 5 of 12 (ViT), 10 of 24 (Swin), 15 of 36 (ConvNeXt) blocks, less in shallow networks.
    pub fn default_pet_blocks(&self) -> usize {
        let most = match self {
            Self::Vit(_) => 5,
            Self::Swin(_) => 10,
            Self::Convnext(_) => 15,
        };
        most.min(self.blocks().len())
    }

    /// Number of frozen weights, without loading any.
    pub fn parameters(&self) -> usize {
        let mut plan = Loader::plan(None);
        self.build(&mut plan);
        parameters::count(plan.wanted())
    }

    /// Builds the backbone from `tensors` (timm's names or one of the family's other namings).
    /// Missing, unexpected and mis-shaped tensors are told in one Problem, before any is read.
    pub fn assemble(&self, tensors: Tensors, to: impl Into<Place>) -> Result<Arc<dyn Backbone>> {
        self.check()?;
        let other = self.other_family(&tensors);
        let tensors = self.renamed(tensors)?;
        let mut plan = Loader::plan(Some(&tensors));
        self.build(&mut plan);
        plan.verify(&tensors, self.family(), other)?;
        let mut loader = Loader::file(&tensors, to.into());
        let backbone = self.build(&mut loader);
        loader.finish()?;
        Ok(backbone)
    }

    /// A backbone with random weights, the same for the same seed.
    pub fn random(&self, seed: u64, to: impl Into<Place>) -> Result<Arc<dyn Backbone>> {
        self.check()?;
        Ok(self.build(&mut Loader::random(seed, to.into())))
    }

    /// A backbone made of these leaves, some of which may be tracked.
    pub(super) fn given(
        &self,
        weights: &Weights,
        to: impl Into<Place>,
    ) -> Result<Arc<dyn Backbone>> {
        let mut loader = Loader::given(weights, to.into());
        let backbone = self.build(&mut loader);
        loader.finish()?;
        Ok(backbone)
    }

    /// A stored tensor as it is trained: tables learned at another resolution are resized.
    pub(super) fn fitted(&self, name: &str, stored: HostTensor) -> HostTensor {
        match self {
            Self::Vit(config) => config.fitted(name, stored),
            Self::Swin(config) => config.fitted(name, stored),
            Self::Convnext(_) => stored,
        }
    }

    /// The family of the network in a file, where it is another one than this.
    fn other_family(&self, tensors: &Tensors) -> Option<&'static str> {
        let found = infer::architecture(tensors).ok()?.architecture.family();
        (found != self.family()).then_some(found)
    }

    fn build(&self, loader: &mut Loader) -> Arc<dyn Backbone> {
        match self {
            Self::Vit(config) => Arc::new(vit::Vit::build(config, loader)),
            Self::Swin(config) => Arc::new(swin::Swin::build(config, loader)),
            Self::Convnext(config) => Arc::new(convnext::Convnext::build(config, loader)),
        }
    }

    /// The tensors under timm's names of today, whichever of the family's namings they come in.
    ///
    /// # Errors
    /// A Problem when a naming is incomplete.
    pub fn renamed(&self, tensors: Tensors) -> Result<Tensors> {
        match self {
            Self::Vit(_) => vit::renamed(tensors),
            Self::Swin(_) => Ok(swin::renamed(tensors)),
            Self::Convnext(_) => Ok(convnext::renamed(tensors)),
        }
    }
}

/// What is wrong with numbers that no network has, so that a damaged or hostile file cannot ask
/// for endless memory. `dimensions` holds all of them, `depths` the blocks of each stage.
pub(super) fn implausible(dimensions: &[usize], depths: &[usize]) -> Option<String> {
    if dimensions.iter().chain(depths).any(|number| *number == 0) {
        return Some("every dimension must be at least 1".into());
    }
    if let Some(number) = dimensions
        .iter()
        .find(|number| **number > LARGEST_DIMENSION)
    {
        return Some(format!("{number} is more than any dimension can be"));
    }
    let blocks = depths
        .iter()
        .fold(0usize, |sum, depth| sum.saturating_add(*depth));
    if blocks > MOST_BLOCKS || depths.len() > MOST_STAGES {
        let stages = depths.len();
        return Some(format!(
            "{blocks} blocks in {stages} stages are more than any network has"
        ));
    }
    None
}

/// Largest width, window, patch or number of heads taken seriously.
const LARGEST_DIMENSION: usize = 1 << 16;
/// Most channels of a block taken seriously; the largest known ViT has 6,144.
const WIDEST: usize = 1 << 13;
/// Most numbers that one image may need at a time inside one block (4 GB).
const MOST_PER_IMAGE: usize = 1 << 30;
/// Most weights taken seriously; the largest known ViT has 22 billion.
const MOST_WEIGHTS: usize = 1 << 35;
/// Most blocks taken seriously.
const MOST_BLOCKS: usize = 1024;
/// Most stages taken seriously.
const MOST_STAGES: usize = 8;
