//! Vision Transformer (Dosovitskiy et al., 2021) of any size and resolution, with options of its variants: layer scale
//! (DINOv2), a norm before the blocks (CLIP), QuickGELU (CLIP). The feature is the class token after the final norm;
//! without a class token, the mean token.

mod attention;
mod config;
mod family;
mod graph;
mod last;
mod names;
mod positions;
mod torch;

use std::sync::OnceLock;

use burn::tensor::Tensor;

pub use config::Config;
pub use family::FAMILY;
use last::LastAttention;
use positions::Positions;

use super::architecture::Architecture;
use super::loader::WeightLoader;
use super::mlp::Mlp;
use super::projections::{projections, uses_projections};
use super::{Backbone, Facts, IN_ATTENTION, Tokens, no_prompts, patches};
use crate::nn::{self, Frame, LayerNorm, Linear};
use crate::pet::{Hooks, Site};
use crate::problem::Result;

struct Block {
    norm1: LayerNorm,
    qkv: Linear,
    proj: Linear,
    mlp: Mlp,
}

/// A ViT.
pub struct Vit {
    config: Config,
    facts: Facts,
    patch_embedding: Linear,
    class_token: Option<Tensor<3>>,
    positions: Positions,
    pre_norm: Option<LayerNorm>,
    blocks: Vec<Block>,
    /// Created when it is first used.
    last: OnceLock<LastAttention>,
    norm: LayerNorm,
}

impl Vit {
    /// Builds the network with tensors from the loader.
    fn build(config: &Config, loader: &mut WeightLoader) -> Self {
        let Config {
            patch,
            width,
            epsilon,
            ..
        } = *config;
        let patch_embedding =
            loader.patch_linear("patch_embed.proj", (3, patch), width, !config.pre_norm);
        let class_token = config
            .class_token
            .then(|| loader.tensor("cls_token", [1, 1, width]));
        let positions = Positions::build(config, loader);
        let pre_norm = config
            .pre_norm
            .then(|| loader.norm("norm_pre", width, epsilon));
        let blocks = (0..config.depth)
            .map(|index| Block::build(config, loader, &format!("blocks.{index}")))
            .collect();
        let norm = loader.norm("norm", width, epsilon);
        Self {
            config: config.clone(),
            facts: Facts::new(Architecture::of(config.clone()), loader),
            patch_embedding,
            class_token,
            positions,
            pre_norm,
            blocks,
            last: OnceLock::new(),
            norm,
        }
    }

    /// Computes x + attention(LN(x)) with its hooks; as one operation if nothing acts inside.
    fn attention_part(&self, index: usize, x: Tensor<3>, hooks: &dyn Hooks) -> Result<Tensor<3>> {
        let block = &self.blocks[index];
        let prefix = hooks.prefix(index);
        let whole = prefix.is_none() && !hooks.uses_any(index, IN_ATTENTION);
        let (projections, heads) = (block.projections(index, hooks)?, self.config.heads);
        if whole && !hooks.uses_any(index, &[Site::Attention, Site::Norm1]) {
            let frame = Frame::whole(&block.norm1);
            return Ok(nn::self_attention(x, frame, projections, heads, None));
        }
        let e = block.norm1.forward(x.clone());
        let e = hooks.around(index, Site::Norm1, &x, e)?;
        let h = if whole {
            nn::self_attention(e.clone(), Frame::default(), projections, heads, None)
        } else {
            self.attention(index, &e, prefix, hooks)?
        };
        Ok(nn::plus(x, hooks.around(index, Site::Attention, &e, h)?))
    }

    /// Computes multi-head attention on e, including the output projection. The projections are separate only if a PET
    /// acts inside.
    fn attention(
        &self,
        index: usize,
        e: &Tensor<3>,
        prefix: Option<[Tensor<3>; 2]>,
        hooks: &dyn Hooks,
    ) -> Result<Tensor<3>> {
        let block = &self.blocks[index];
        let heads = self.config.heads;
        let [packed, proj] = block.projections(index, hooks)?;
        let mut qkv = packed.forward(e.clone());
        if uses_projections(hooks, index) {
            qkv = Tensor::cat(projections(index, e, (packed, qkv), hooks)?.to_vec(), 2);
        }
        let mixed = if hooks.uses(index, Site::Attend) {
            let [q, k, v] = nn::split_heads(&qkv, prefix, heads);
            let out = hooks.attend(index, q, k, v)?;
            let [batch, heads, tokens, width] = out.dims();
            out.swap_dims(1, 2).reshape([batch, tokens, heads * width])
        } else {
            match prefix {
                Some(prefix) => nn::prefixed_attention(qkv, prefix, heads),
                None => nn::attention(qkv, heads, None),
            }
        };
        let h = proj.forward(mixed.clone());
        let weight = || proj.wide_weight();
        hooks.around_linear((index, Site::Proj), &mixed, h, &weight)
    }
}

impl Block {
    /// Returns the layers before and after the attention, or those that replace them in the hooks.
    fn projections<'a>(&'a self, index: usize, hooks: &'a dyn Hooks) -> Result<[&'a Linear; 2]> {
        Ok([
            hooks.layer(index, &Site::PACKED, &self.qkv)?,
            hooks.layer(index, &[Site::Proj], &self.proj)?,
        ])
    }

    fn build(config: &Config, loader: &mut WeightLoader, prefix: &str) -> Self {
        let Config {
            width,
            hidden,
            epsilon,
            ..
        } = *config;
        let name = |rest: &str| format!("{prefix}.{rest}");
        let norm1 = loader.norm(&name("norm1"), width, epsilon);
        let qkv = loader.linear(&name("attn.qkv"), width, 3 * width, true);
        let scale = |which: &str| config.layer_scale.then(|| name(which));
        let first = scale("ls1.gamma");
        let proj = loader.scaled_linear(&name("attn.proj"), width, width, first.as_deref());
        let norm = loader.norm(&name("norm2"), width, epsilon);
        let fc1 = loader.linear(&name("mlp.fc1"), width, hidden, true);
        let second = scale("ls2.gamma");
        let fc2 = loader.scaled_linear(&name("mlp.fc2"), hidden, width, second.as_deref());
        Self {
            norm1,
            qkv,
            proj,
            mlp: Mlp {
                norm,
                fc1,
                fc2,
                quick_gelu: config.quick_gelu,
            },
        }
    }
}

impl Backbone for Vit {
    fn facts(&self) -> &Facts {
        &self.facts
    }

    fn embed(&self, images: Tensor<4>) -> Result<Tokens> {
        patches::check(&images, self.config.patch, true)?;
        let batch = images.dims()[0];
        let (patches, rows, columns) = patches::of_images(images, self.config.patch);
        let mut values = self.patch_embedding.forward(patches);
        if let Some(token) = &self.class_token {
            let tokens = token.clone().expand([batch, 1, self.config.width]);
            values = Tensor::cat(vec![tokens, values], 1);
        }
        let extra = usize::from(self.config.class_token);
        values = values + self.positions.of(rows, columns, extra, &self.device())?;
        if let Some(norm) = &self.pre_norm {
            values = norm.forward(values);
        }
        Ok(Tokens {
            values,
            rows,
            columns,
        })
    }

    fn class_token(&self) -> Option<Tensor<3>> {
        self.class_token.clone()
    }

    fn class_position(&self) -> Option<Tensor<3>> {
        self.class_token.as_ref()?;
        let side = self.config.input_size / self.config.patch;
        let positions = self.positions.of(side, side, 1, &self.device()).ok()?;
        Some(positions.slice([0..1, 0..1, 0..self.config.width]))
    }

    fn enter(&self, tokens: Tokens, hooks: &dyn Hooks) -> Result<Tokens> {
        let Some(entering) = hooks.entering() else {
            return Ok(tokens);
        };
        if !self.config.class_token {
            return Err(no_prompts("prompt tokens"));
        }
        let entering = match &self.pre_norm {
            Some(norm) => norm.forward(entering),
            None => entering,
        };
        let [batch, count, width] = tokens.values.dims();
        let entering = entering.expand([batch as i64, -1, -1]);
        let own = |range| tokens.values.clone().slice([0..batch, range, 0..width]);
        let values = Tensor::cat(vec![own(0..1), entering, own(1..count)], 1);
        Ok(Tokens { values, ..tokens })
    }

    /// Computes a block. The last one returns only the class token if nothing else is read and nothing acts in it.
    fn block(&self, index: usize, tokens: Tokens, hooks: &dyn Hooks) -> Result<Tokens> {
        let given = tokens.values.clone();
        let is_last = index + 1 == self.blocks.len();
        let whole = hooks.acts_in(index) || hooks.reads_tokens();
        if is_last && self.config.class_token && !whole {
            let block = &self.blocks[index];
            let last = || LastAttention::new(block, self.config.heads);
            let middle = self.last.get_or_init(last).run(block, given);
            let values = block.mlp.residual(index, middle, hooks)?;
            return Ok(Tokens { values, ..tokens });
        }
        let x = hooks.input(index, given.clone())?;
        let middle = self.attention_part(index, x.clone(), hooks)?;
        let out = self.blocks[index].mlp.residual(index, middle, hooks)?;
        let out = hooks.around(index, Site::Block, &x, out)?;
        let values = hooks.around(index, Site::Tokens, &given, out)?;
        Ok(Tokens { values, ..tokens })
    }

    fn class_attention(
        &self,
        index: usize,
        tokens: &Tokens,
        hooks: &dyn Hooks,
    ) -> Result<Option<Tensor<2>>> {
        if !self.config.class_token {
            return Ok(None);
        }
        let patches = tokens.rows * tokens.columns;
        self.class_shares(index, &tokens.values, patches, hooks)
            .map(Some)
    }

    fn normed(&self, tokens: Tokens) -> Tensor<3> {
        self.norm.forward(tokens.values)
    }

    fn pool(&self, tokens: Tokens) -> Result<Tensor<2>> {
        let [batch, _, width] = tokens.values.dims();
        let pooled = if self.config.class_token {
            // The norm is computed per token, so only the class token needs it.
            self.norm
                .forward(tokens.values.slice([0..batch, 0..1, 0..width]))
        } else {
            self.norm.forward(tokens.values).mean_dim(1)
        };
        Ok(pooled.reshape([batch, width]))
    }
}
