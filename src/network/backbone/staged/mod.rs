//! Networks whose blocks form stages: Swin and ConvNeXt. Each stage after the first begins with a layer that merges 2×2
//! neighbours, and the feature is the mean over all positions of the last stage. The form of a network is described
//! once ([`StagedForm`]), for tensors and for ONNX ([`graph`]).

pub mod graph;

use burn::tensor::Tensor;

use super::architecture::Architecture;
use super::block::biases::Biases;
use super::block::tensors::{Block, TensorBlock};
use super::block::windows::Windows;
use super::block::{self, BlockForm, QueryKey};
use super::loader::WeightLoader;
use super::patches::{Neighbourhoods, Neighbours};
use super::weights::Tensors;
use super::{Backbone, BackboneInfo, BlockShape, Tokens, check_no_prefix, patches};
use crate::nn::{LayerNorm, Linear};
use crate::pet::Hooks;
use crate::problem::Result;

/// What distinguishes networks with stages.
pub struct StagedForm {
    /// Side of the square input, in pixels.
    pub input_size: usize,
    /// Side of a patch, in pixels.
    pub patch: usize,
    /// Names of the patch embedding and of the norm after it.
    pub embedding: [&'static str; 2],
    /// Name of the list of stages.
    pub stages: &'static str,
    /// Number of blocks of each stage.
    pub depths: Vec<usize>,
    /// The shape of the blocks of each stage.
    pub shapes: Vec<BlockShape>,
    /// Which layers the blocks have.
    pub block: BlockForm,
    /// The layer before each stage but the first.
    pub merging: Merging,
    /// The attention windows, if there are any.
    pub windows: Option<WindowSides>,
    /// The name of the final norm, if there is one.
    pub norm: Option<&'static str>,
    /// Whether the final norm is before the mean instead of after it.
    pub norm_first: bool,
}

/// A layer that merges 2×2 neighbours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Merging {
    /// A linear layer without a bias, with a norm before it or after it (Swin, Swin V2). An odd map gets a row or
    /// column of zeros first.
    Linear {
        /// Whether the norm is after the layer.
        norm_after: bool,
    },
    /// A norm, then a 2×2 convolution of stride 2 (ConvNeXt). An odd last row or column is left out.
    Convolution,
}

impl Merging {
    /// Returns the order of the neighbours in the input of the layer.
    fn order(self) -> Neighbours {
        match self {
            Self::Linear { .. } => Neighbours::ColumnMajor,
            Self::Convolution => Neighbours::RowMajor,
        }
    }
}

/// The sides of attention windows, in tokens.
pub struct WindowSides {
    /// The side on maps that are large enough.
    pub full: usize,
    /// The side in each stage at the input size, and that with which its biases were trained.
    pub stages: Vec<[usize; 2]>,
}

impl StagedForm {
    /// Returns the names of norm and layer of the merging before a stage.
    fn merging_names(&self, stage: usize) -> [String; 2] {
        let names = match self.merging {
            Merging::Linear { .. } => ["norm", "reduction"],
            Merging::Convolution => ["0", "1"],
        };
        names.map(|name| format!("{}.{stage}.downsample.{name}", self.stages))
    }

    /// Builds norm and layer of the merging before a stage.
    fn build_merging(&self, loader: &mut WeightLoader, stage: usize) -> (LayerNorm, Linear) {
        let [norm, layer] = self.merging_names(stage);
        let [before, after] = [stage - 1, stage].map(|stage| self.shapes[stage].width);
        let norm_width = match self.merging {
            Merging::Linear { norm_after: true } => after,
            Merging::Linear { norm_after: false } => 4 * before,
            Merging::Convolution => before,
        };
        let norm = loader.norm(&norm, norm_width, self.block.epsilon);
        let layer = match self.merging {
            Merging::Linear { .. } => loader.linear(&layer, 4 * before, after, false),
            Merging::Convolution => loader.neighbour_linear(&layer, before, after),
        };
        (norm, layer)
    }
}

/// Returns the value of each block's stage, for stages of these numbers of blocks.
pub fn per_block<T: Clone>(depths: &[usize], stage_value: impl Fn(usize) -> T) -> Vec<T> {
    let stages = depths.iter().enumerate();
    stages.flat_map(|(stage, depth)| vec![stage_value(stage); *depth]).collect()
}

/// Converts names of torchvision, where stages of blocks and the layers between them alternate
/// (`features.LAYER.BLOCK…`), to timm's form.
pub fn rename_stages(tensors: Tensors, stages: &str) -> Tensors {
    tensors.rename(|name| {
        let parts: Vec<&str> = name.splitn(4, '.').collect();
        let renamed = match parts.as_slice() {
            ["features", layer, part, rest] => layer.parse::<usize>().ok().map(|layer| {
                let list = ["downsample", "blocks"][layer % 2];
                format!("{stages}.{}.{list}.{part}.{rest}", layer / 2)
            }),
            _ => None,
        };
        Some(renamed.unwrap_or_else(|| name.to_owned()))
    })
}

/// A network with stages.
pub struct Staged {
    form: StagedForm,
    info: BackboneInfo,
    embedding: Linear,
    embedding_norm: LayerNorm,
    blocks: Vec<StagedBlock>,
    norm: Option<LayerNorm>,
}

struct StagedBlock {
    /// Norm and layer of the merging before it.
    merging: Option<(LayerNorm, Linear)>,
    /// Whether the windows are shifted by half their side.
    shifted: bool,
    biases: Option<Biases>,
    block: Block,
}

impl Staged {
    /// Builds the network of this form with tensors from the loader.
    pub fn build(architecture: Architecture, form: StagedForm, loader: &mut WeightLoader) -> Self {
        let (width, epsilon) = (form.shapes[0].width, form.block.epsilon);
        let [embedding, norm] = form.embedding;
        let embedding = loader.patch_linear(embedding, (3, form.patch), width, true);
        let embedding_norm = loader.norm(norm, width, epsilon);
        let mut blocks = Vec::new();
        for (stage, shape) in form.shapes.iter().enumerate() {
            for index in 0..form.depths[stage] {
                let prefix = format!("{}.{stage}.blocks.{index}", form.stages);
                let merges = index == 0 && stage > 0;
                blocks.push(StagedBlock {
                    merging: merges.then(|| form.build_merging(loader, stage)),
                    shifted: index % 2 == 1,
                    block: Block::build(loader, form.block, &prefix, shape),
                    biases: form.windows.as_ref().map(|sides| {
                        let is_computed = form.block.query_key == QueryKey::Cosine;
                        let sides = sides.stages[stage];
                        Biases::build(loader, &prefix, is_computed, sides, shape.heads)
                    }),
                });
            }
        }
        let last = form.shapes[form.shapes.len() - 1].width;
        let norm = form.norm.map(|name| loader.norm(name, last, epsilon));
        Self {
            info: BackboneInfo::new(architecture, loader),
            form,
            embedding,
            embedding_norm,
            blocks,
            norm,
        }
    }

    /// Merges 2×2 neighbours.
    fn merge(&self, (norm, layer): &(LayerNorm, Linear), tokens: Tokens) -> Tokens {
        let neighbourhoods =
            Neighbourhoods::new((tokens.rows, tokens.columns), self.form.merging.order());
        let (rows, columns) = neighbourhoods.map;
        let values = match self.form.merging {
            Merging::Linear { norm_after: true } => {
                norm.forward(layer.forward(neighbourhoods.join(&tokens.values)))
            }
            Merging::Linear { norm_after: false } => {
                layer.forward(norm.forward(neighbourhoods.join(&tokens.values)))
            }
            Merging::Convolution => {
                layer.forward(neighbourhoods.join(&norm.forward(tokens.values)))
            }
        };
        Tokens { values, rows, columns }
    }
}

impl Backbone for Staged {
    fn info(&self) -> &BackboneInfo {
        &self.info
    }

    fn embed(&self, images: Tensor<4>) -> Result<Tokens> {
        let patch = self.form.patch;
        match self.form.merging {
            Merging::Linear { .. } => patches::check_images(&images, patch, true)?,
            // One position of the last stage must remain.
            Merging::Convolution => {
                patches::check_images(&images, patch << (self.form.depths.len() - 1), false)?;
            }
        }
        let (patches, rows, columns) = patches::extract_patches(images, patch);
        Ok(Tokens {
            values: self.embedding_norm.forward(self.embedding.forward(patches)),
            rows,
            columns,
        })
    }

    fn block(&self, index: usize, tokens: Tokens, hooks: &dyn Hooks) -> Result<Tokens> {
        check_no_prefix(hooks, index)?;
        let stage_block = &self.blocks[index];
        let tokens = match &stage_block.merging {
            Some(merging) => self.merge(merging, tokens),
            None => tokens,
        };
        let mut ops = TensorBlock::new(&stage_block.block, index, hooks);
        ops.map = (tokens.rows, tokens.columns);
        if let (Some(sides), Some(biases)) = (&self.form.windows, &stage_block.biases) {
            let windows = Windows::new(ops.map, sides.full, stage_block.shifted);
            ops.windows = Some((windows, biases.for_windows(&windows, &tokens.values.device())?));
        }
        let values = block::run_block(&mut ops, &tokens.values)?;
        Ok(Tokens { values, ..tokens })
    }

    fn normed(&self, tokens: Tokens) -> Tensor<3> {
        match &self.norm {
            Some(norm) if self.form.norm_first => norm.forward(tokens.values),
            _ => tokens.values,
        }
    }

    fn pool(&self, tokens: Tokens) -> Result<Tensor<2>> {
        let [batch, _, width] = tokens.values.dims();
        let mean = self.normed(tokens).mean_dim(1);
        let mean = match &self.norm {
            Some(norm) if !self.form.norm_first => norm.forward(mean),
            _ => mean,
        };
        Ok(mean.reshape([batch, width]))
    }
}
