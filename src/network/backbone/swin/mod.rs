//! Swin Transformer (Liu et al., 2021): attention within windows that shift by half a window in
//! every second block, a learned bias per relative position, and 2×2 patch merging between stages.
//! The feature is the mean over all positions after the final norm. Swin V2 (Liu et al., 2022) has
//! cosine attention, biases that a small MLP computes from relative positions, and norms after the
//! sub-layers.

use burn::tensor::Tensor;

use super::architecture::Architecture;
use super::block;
use super::block::tensors::{Block, TensorBlock};
use super::block::windows::{self, Windows};
use super::loader::WeightLoader;
use super::patches::Neighbours;
use super::{Backbone, Facts, Tokens, check_no_prefix, patches};
use crate::nn::{LayerNorm, Linear};
use crate::pet::Hooks;
use crate::problem::Result;

mod biases;
mod config;
mod family;
mod graph;
mod torch;

use biases::Biases;
pub use config::Config;
pub use family::FAMILY;

struct SwinBlock {
    merging: Option<Merging>,
    /// Whether the windows are shifted by half their side.
    shifted: bool,
    biases: Biases,
    block: Block,
}

struct Merging {
    norm: LayerNorm,
    reduction: Linear,
    /// Whether the norm follows the reduction.
    norm_after: bool,
}

/// A Swin.
pub struct Swin {
    config: Config,
    facts: Facts,
    patch_embedding: Linear,
    patch_norm: LayerNorm,
    blocks: Vec<SwinBlock>,
    norm: LayerNorm,
}

impl Swin {
    /// Builds the network with tensors from the loader.
    fn build(config: &Config, loader: &mut WeightLoader) -> Self {
        let Config {
            patch,
            width,
            epsilon,
            ..
        } = *config;
        let patch_embedding = loader.patch_linear("patch_embed.proj", (3, patch), width, true);
        let patch_norm = loader.norm("patch_embed.norm", width, epsilon);
        let mut blocks = Vec::new();
        for stage in 0..config.depths.len() {
            for index in 0..config.depths[stage] {
                let merging =
                    (index == 0 && stage > 0).then(|| Merging::build(config, loader, stage));
                blocks.push(SwinBlock::build(config, loader, (stage, index), merging));
            }
        }
        let last = config.stage_width(config.depths.len() - 1);
        let norm = loader.norm("norm", last, epsilon);
        Self {
            config: config.clone(),
            facts: Facts::new(Architecture::of(config.clone()), loader),
            patch_embedding,
            patch_norm,
            blocks,
            norm,
        }
    }
}

impl SwinBlock {
    fn build(
        config: &Config,
        loader: &mut WeightLoader,
        (stage, index): (usize, usize),
        merging: Option<Merging>,
    ) -> Self {
        let (heads, window) = (config.heads[stage], config.stage_window(stage));
        let prefix = format!("layers.{stage}.blocks.{index}");
        let name = |rest: &str| format!("{prefix}.{rest}");
        let form = (config.form(), config.epsilon);
        Self {
            merging,
            shifted: index % 2 == 1,
            block: Block::build(loader, form, &prefix, &config.shape(stage)),
            biases: match config.v2 {
                true => {
                    let sides = config.bias_sides(stage);
                    Biases::computed(loader, &name("attn.cpb_mlp"), sides, heads)
                }
                false => Biases::build(loader, &name(biases::TABLE), window, heads),
            },
        }
    }
}

impl Merging {
    fn build(config: &Config, loader: &mut WeightLoader, stage: usize) -> Self {
        let prefix = format!("layers.{stage}.downsample");
        let after = config.stage_width(stage);
        let packed = 2 * after;
        let normed = if config.v2 { after } else { packed };
        let norm = loader.norm(&format!("{prefix}.norm"), normed, config.epsilon);
        let reduction = loader.linear(&format!("{prefix}.reduction"), packed, after, false);
        Self {
            norm,
            reduction,
            norm_after: config.v2,
        }
    }

    /// Merges 2×2 neighbours; an odd map is padded with a row or column of zeros first.
    fn forward(&self, tokens: Tokens) -> Tokens {
        let Tokens {
            values,
            rows,
            columns,
        } = tokens;
        let (even_rows, even_columns) = (rows + rows % 2, columns + columns % 2);
        let values = windows::padded(values, (rows, columns), (even_rows, even_columns));
        let columnwise = Neighbours::ColumnMajor;
        let joined = patches::of_tokens(values, even_rows, even_columns, columnwise);
        Tokens {
            values: match self.norm_after {
                true => self.norm.forward(self.reduction.forward(joined)),
                false => self.reduction.forward(self.norm.forward(joined)),
            },
            rows: even_rows / 2,
            columns: even_columns / 2,
        }
    }
}

impl Backbone for Swin {
    fn facts(&self) -> &Facts {
        &self.facts
    }

    fn embed(&self, images: Tensor<4>) -> Result<Tokens> {
        patches::check(&images, self.config.patch, true)?;
        let (patches, rows, columns) = patches::of_images(images, self.config.patch);
        Ok(Tokens {
            values: self
                .patch_norm
                .forward(self.patch_embedding.forward(patches)),
            rows,
            columns,
        })
    }

    fn block(&self, index: usize, tokens: Tokens, hooks: &dyn Hooks) -> Result<Tokens> {
        check_no_prefix(hooks, index)?;
        let own = &self.blocks[index];
        let tokens = match &own.merging {
            Some(merging) => merging.forward(tokens),
            None => tokens,
        };
        let windows = Windows::new(&tokens, self.config.window, own.shifted);
        let bias = own.biases.of(&windows, &tokens.values.device())?;
        let mut ops = TensorBlock::new(&own.block, index, hooks);
        ops.windows = Some((windows, bias));
        let values = block::run(&mut ops, &tokens.values)?;
        Ok(Tokens { values, ..tokens })
    }

    fn normed(&self, tokens: Tokens) -> Tensor<3> {
        self.norm.forward(tokens.values)
    }

    fn pool(&self, tokens: Tokens) -> Result<Tensor<2>> {
        let [batch, _, width] = tokens.values.dims();
        let mean = self.normed(tokens).mean_dim(1);
        Ok(mean.reshape([batch, width]))
    }
}
