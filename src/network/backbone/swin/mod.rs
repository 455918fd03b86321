//! Swin Transformer (Liu et al., 2021): attention within windows that shift by half a window in
//! every second block, a learned bias per relative position, and 2×2 patch merging between stages.
//! The feature is the mean over all positions after the final norm. Swin V2 (Liu et al., 2022) has
//! cosine attention, biases that a small MLP computes from relative positions, and norms after the
//! sub-layers.

use burn::tensor::Tensor;

use super::architecture::Architecture;
use super::loader::WeightLoader;
use super::mlp::Mlp;
use super::patches::Neighbours;
use super::projections::{projections, uses_projections};
use super::{Backbone, Facts, IN_ATTENTION, Tokens, check_no_prefix, patches};
use crate::nn::{self, Frame, LayerNorm, Linear};
use crate::pet::{Hooks, Site};
use crate::problem::Result;

mod biases;
mod config;
mod family;
mod graph;
mod torch;
mod windows;

use biases::Biases;
pub use config::Config;
pub use family::FAMILY;
use windows::Windows;

struct Block {
    merging: Option<Merging>,
    /// Whether the windows are shifted by half their side.
    shifted: bool,
    heads: usize,
    norm1: LayerNorm,
    qkv: Linear,
    /// What queries and keys of unit length are scaled by in a Swin V2: 1 × 1 × heads × 1.
    cosine: Option<Tensor<4>>,
    biases: Biases,
    proj: Linear,
    mlp: Mlp,
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
    blocks: Vec<Block>,
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
                blocks.push(Block::build(config, loader, (stage, index), merging));
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

impl Block {
    fn build(
        config: &Config,
        loader: &mut WeightLoader,
        (stage, index): (usize, usize),
        merging: Option<Merging>,
    ) -> Self {
        let width = config.stage_width(stage);
        let (heads, epsilon) = (config.heads[stage], config.epsilon);
        let hidden = config.hidden(stage);
        let name = |rest: &str| format!("layers.{stage}.blocks.{index}.{rest}");
        let norm1 = loader.norm(&name("norm1"), width, epsilon);
        let qkv = loader.linear(&name("attn.qkv"), width, 3 * width, true);
        let cosine = config.v2.then(|| {
            let scale: Tensor<3> = loader.tensor(&name("attn.logit_scale"), [heads, 1, 1]);
            let [count, ..] = scale.dims();
            let root = ((width / heads) as f64).sqrt();
            // The attention divides by the root of the head's width.
            (scale.clamp_max(100f64.ln()).exp() * root).reshape([1, 1, count, 1])
        });
        let window = config.stage_window(stage);
        let biases = match config.v2 {
            true => Biases::computed(
                loader,
                &name("attn.cpb_mlp"),
                config.bias_sides(stage),
                heads,
            ),
            false => Biases::build(loader, &name(biases::TABLE), window, heads),
        };
        let proj = loader.linear(&name("attn.proj"), width, width, true);
        let mlp = Mlp {
            norm_after: config.v2,
            ..Mlp::new(
                loader.norm(&name("norm2"), width, epsilon),
                loader.linear(&name("mlp.fc1"), width, hidden, true),
                loader.linear(&name("mlp.fc2"), hidden, width, true),
            )
        };
        Self {
            merging,
            shifted: index % 2 == 1,
            heads,
            norm1,
            qkv,
            cosine,
            biases,
            proj,
            mlp,
        }
    }

    /// Computes x + attention(LN(x)) with its hooks; as one operation from the map to the map if nothing acts inside.
    fn attended(
        &self,
        index: usize,
        x: &Tensor<3>,
        windows: &Windows,
        hooks: &dyn Hooks,
    ) -> Result<Tensor<3>> {
        if self.cosine.is_some() {
            let h = self.attention(index, x, windows, hooks)?;
            let normed = self.norm1.forward(h.clone());
            let h = hooks.around(index, Site::Norm1, &h, normed)?;
            let h = hooks.around(index, Site::Attention, x, h)?;
            return Ok(nn::plus(x.clone(), h));
        }
        let acted_on = hooks.uses_any(index, &[Site::Norm1, Site::Attention]);
        // Padding of a map that is not a multiple of the window is zero after the norm, not before it.
        if !acted_on && !hooks.uses_any(index, IN_ATTENTION) && windows.whole() == windows.map {
            let frame = Frame::whole(&self.norm1);
            return self.plain_attention(index, frame, x, windows, hooks);
        }
        let e = self.norm1.forward(x.clone());
        let e = hooks.around(index, Site::Norm1, x, e)?;
        let h = self.attention(index, &e, windows, hooks)?;
        let h = hooks.around(index, Site::Attention, &e, h)?;
        Ok(nn::plus(x.clone(), h))
    }

    /// Computes attention within windows without hooks, including the output projection, and restores the order of the
    /// map.
    fn plain_attention(
        &self,
        index: usize,
        frame: Frame<'_>,
        x: &Tensor<3>,
        windows: &Windows,
        hooks: &dyn Hooks,
    ) -> Result<Tensor<3>> {
        let packed = hooks.layer(index, &Site::PACKED, &self.qkv)?;
        let proj = hooks.layer(index, &[Site::Proj], &self.proj)?;
        let bias = self.biases.of(windows, &x.device())?;
        let inside = windows.partition(x.clone());
        let h = nn::self_attention(inside, frame, [packed, proj], self.heads, Some(&bias));
        Ok(windows.reverse(h))
    }

    /// The same with its hooks.
    fn attention(
        &self,
        index: usize,
        e: &Tensor<3>,
        windows: &Windows,
        hooks: &dyn Hooks,
    ) -> Result<Tensor<3>> {
        if !hooks.uses_any(index, IN_ATTENTION) && self.cosine.is_none() {
            return self.plain_attention(index, Frame::default(), e, windows, hooks);
        }
        let inside = windows.partition(e.clone());
        let packed = hooks.layer(index, &Site::PACKED, &self.qkv)?;
        let proj = hooks.layer(index, &[Site::Proj], &self.proj)?;
        let mut qkv = packed.forward(inside.clone());
        if uses_projections(hooks, index) {
            qkv = Tensor::cat(
                projections(index, &inside, (packed, qkv), hooks)?.to_vec(),
                2,
            );
        }
        if let Some(scale) = &self.cosine {
            qkv = cosine_projections(qkv, scale);
        }
        let bias = self.biases.of(windows, &e.device())?;
        let mixed = nn::attention(qkv, self.heads, Some(&bias));
        let h = proj.forward(mixed.clone());
        let weight = || proj.wide_weight();
        let h = hooks.around_linear((index, Site::Proj), &mixed, h, &weight)?;
        Ok(windows.reverse(h))
    }
}

/// Packed projections whose products of queries and keys are cosines, scaled: queries and keys of each head have unit
/// length, and `scale` multiplies the queries.
fn cosine_projections(qkv: Tensor<3>, scale: &Tensor<4>) -> Tensor<3> {
    let [batch, tokens, packed] = qkv.dims();
    let (width, heads) = (packed / 3, scale.dims()[2]);
    let part = |i: usize| {
        let columns = i * width..(i + 1) * width;
        qkv.clone().slice([0..batch, 0..tokens, columns])
    };
    let unit = |x: Tensor<3>| {
        let x = x.reshape([batch, tokens, heads, width / heads]);
        let squares = x.clone().powi_scalar(2).sum_dim(3);
        x / squares.clamp_min(1e-24).sqrt()
    };
    let queries = (unit(part(0)) * scale.clone()).reshape([batch, tokens, width]);
    let keys = unit(part(1)).reshape([batch, tokens, width]);
    Tensor::cat(vec![queries, keys, part(2)], 2)
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
        let block = &self.blocks[index];
        let tokens = match &block.merging {
            Some(merging) => merging.forward(tokens),
            None => tokens,
        };
        let x = tokens.values.clone();
        let windows = Windows::new(&tokens, self.config.window, block.shifted);
        let attended = block.attended(index, &x, &windows, hooks)?;
        let out = block.mlp.residual(index, attended, hooks)?;
        let out = hooks.around(index, Site::Block, &x, out)?;
        let values = hooks.around(index, Site::Tokens, &x, out)?;
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
