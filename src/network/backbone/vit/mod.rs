//! Vision Transformer (Dosovitskiy et al., 2021) of any size and resolution, with options of its variants: layer scale
//! (DINOv2), a norm before the blocks and QuickGELU (CLIP), register tokens (DINOv2), positions of patches alone
//! (DeiT-III), attention pooling (SigLIP), rotary positions (DINOv3, EVA-02, Perception Encoder), SwiGLU and norms
//! inside the sub-layers (EVA-02). The feature is the class token after the final norm, the mean patch, or the
//! result of attention pooling.

mod attention;
mod config;
mod family;
mod graph;
mod last_block;
mod names;
mod positions;
mod rotary;
mod torch;

use std::sync::OnceLock;

use burn::tensor::Tensor;

pub use config::{Config, Pool};
pub use family::FAMILY;
use last_block::LastAttention;
use positions::Positions;
pub use rotary::Rotary;
use rotary::Rotations;

use super::architecture::Architecture;
use super::block::tensors::{Block, TensorBlock};
use super::block::{self, QueryKey, Sublayer};
use super::loader::WeightLoader;
use super::{Backbone, BackboneInfo, BlockShape, Tokens, patches, prompts_unsupported};
use crate::nn::{self, LayerNorm, Linear};
use crate::pet::{Hooks, PetStack};
use crate::problem::Result;

/// A ViT.
pub struct Vit {
    config: Config,
    info: BackboneInfo,
    patch_embedding: Linear,
    class_token: Option<Tensor<3>>,
    /// 1 × registers × width.
    registers: Option<Tensor<3>>,
    positions: Option<Positions>,
    rotations: Option<Rotations>,
    pre_norm: Option<LayerNorm>,
    blocks: Vec<Block>,
    /// Created when it is first used.
    last: OnceLock<LastAttention>,
    /// The norm before or after the pooling.
    norm: LayerNorm,
    attention_pool: Option<AttentionPool>,
}

/// A learned query that attends to all tokens, and an MLP (SigLIP).
struct AttentionPool {
    /// 1 × 1 × width.
    latent: Tensor<3>,
    query: Linear,
    key_value: Linear,
    proj: Linear,
    mlp: Block,
    heads: usize,
}

impl AttentionPool {
    fn build(config: &Config, loader: &mut WeightLoader) -> Self {
        let width = config.width;
        let name = |rest: &str| format!("attn_pool.{rest}");
        let shape = BlockShape { fc1_outputs: config.hidden, ..config.shape() };
        Self {
            latent: loader.tensor(&name("latent"), [1, 1, width]),
            query: loader.linear(&name("q"), width, width, true),
            key_value: loader.linear(&name("kv"), width, 2 * width, true),
            proj: loader.linear(&name("proj"), width, width, true),
            mlp: Block::build(loader, config.pool_form(), "attn_pool", &shape),
            heads: config.pool_heads,
        }
    }

    /// batch × tokens × width → batch × 1 × width.
    fn run(&self, x: Tensor<3>) -> Result<Tensor<3>> {
        let [batch, count, width] = x.dims();
        let head_dim = width / self.heads;
        let by_head = |x: Tensor<3>, count: usize| {
            let split = x.reshape([batch, count, self.heads, head_dim]);
            split.swap_dims(1, 2)
        };
        let latent = self.latent.clone().expand([batch, 1, width]);
        let query = by_head(self.query.forward(latent), 1) * (head_dim as f64).powf(-0.5);
        let packed = self.key_value.forward(x);
        let part = |i: usize| {
            let columns = i * width..(i + 1) * width;
            by_head(packed.clone().slice([0..batch, 0..count, columns]), count)
        };
        let weights = nn::softmax(nn::matmul(query, part(0).swap_dims(2, 3)));
        let mixed = nn::matmul(weights, part(1)).reshape([batch, 1, width]);
        // No PET acts after the last block.
        let hooks = PetStack::empty();
        let mut ops = TensorBlock::new(&self.mlp, usize::MAX, &hooks);
        block::residual(&mut ops, Sublayer::Mlp, self.proj.forward(mixed))
    }
}

impl Vit {
    /// Builds the network with tensors from the loader.
    fn build(config: &Config, loader: &mut WeightLoader) -> Self {
        let (patch, width, epsilon) = (config.patch, config.width, config.epsilon);
        let patch_embedding =
            loader.patch_linear("patch_embed.proj", (3, patch), width, !config.pre_norm);
        let class_token = config.class_token.then(|| loader.tensor("cls_token", [1, 1, width]));
        let registers = (config.registers > 0)
            .then(|| loader.tensor("reg_token", [1, config.registers, width]));
        let positions = config.pos_embed.then(|| Positions::build(config, loader));
        let learned = config.learned_size / patch;
        let rotations = config.rope.map(|kind| {
            Rotations::new(kind, learned, width / config.heads, &loader.placement().device)
        });
        let pre_norm = config.pre_norm.then(|| loader.norm("norm_pre", width, epsilon));
        let blocks = (0..config.depth)
            .map(|index| {
                let prefix = format!("blocks.{index}");
                Block::build(loader, config.form(), &prefix, &config.shape())
            })
            .collect();
        let norm = match config.fc_norm {
            true => "fc_norm",
            false => "norm",
        };
        let norm = loader.norm(norm, width, epsilon);
        let attention_pool =
            (config.pool() == Pool::Map).then(|| AttentionPool::build(config, loader));
        Self {
            config: config.clone(),
            info: BackboneInfo::new(Architecture::new(config.clone()), loader),
            patch_embedding,
            class_token,
            registers,
            positions,
            rotations,
            pre_norm,
            blocks,
            last: OnceLock::new(),
            norm,
            attention_pool,
        }
    }

    /// Returns the operations of block `index` for these tokens, with its hooks.
    fn ops<'a>(&'a self, index: usize, tokens: &Tokens, hooks: &'a dyn Hooks) -> TensorBlock<'a> {
        let mut ops = TensorBlock::new(&self.blocks[index], index, hooks);
        let rotations = self.rotations.as_ref();
        ops.prefix = hooks.prefix(index);
        ops.rotation = rotations.map(|rotations| rotations.for_grid(tokens.rows, tokens.columns));
        ops
    }
}

impl Backbone for Vit {
    fn info(&self) -> &BackboneInfo {
        &self.info
    }

    fn embed(&self, images: Tensor<4>) -> Result<Tokens> {
        patches::check_images(&images, self.config.patch, true)?;
        let batch = images.dims()[0];
        let (patches, rows, columns) = patches::extract_patches(images, self.config.patch);
        let mut values = self.patch_embedding.forward(patches);
        let positions_for_grid =
            |positions: &Positions| positions.for_grid(rows, columns, &self.device());
        let positions = self.positions.as_ref().map(positions_for_grid).transpose()?;
        let [patch_positions, token_positions] = match self.config.no_embed_class {
            true => [positions, None],
            false => [None, positions],
        };
        if let Some(positions) = patch_positions {
            values = values + positions;
        }
        let extra = [&self.class_token, &self.registers].into_iter().flatten();
        let mut parts: Vec<Tensor<3>> =
            extra.map(|tokens| tokens.clone().expand([batch as i64, -1, -1])).collect();
        if !parts.is_empty() {
            parts.push(values);
            values = Tensor::cat(parts, 1);
        }
        if let Some(positions) = token_positions {
            values = values + positions;
        }
        if let Some(norm) = &self.pre_norm {
            values = norm.forward(values);
        }
        Ok(Tokens { values, rows, columns })
    }

    fn class_token(&self) -> Option<Tensor<3>> {
        self.class_token.clone()
    }

    fn class_position(&self) -> Option<Tensor<3>> {
        self.class_token.as_ref()?;
        let side = self.config.input_size / self.config.patch;
        let positions = self.positions.as_ref();
        let Some(positions) = positions.filter(|_| !self.config.no_embed_class) else {
            return Some(Tensor::zeros([1, 1, self.config.width], &self.device()));
        };
        let positions = positions.for_grid(side, side, &self.device()).ok()?;
        Some(positions.slice([0..1, 0..1, 0..self.config.width]))
    }

    fn insert_prompts(&self, tokens: Tokens, hooks: &dyn Hooks) -> Result<Tokens> {
        let Some(prompts) = hooks.prompt_tokens() else {
            return Ok(tokens);
        };
        if !self.config.class_token {
            return Err(prompts_unsupported("prompt tokens"));
        }
        let prompts = match &self.pre_norm {
            Some(norm) => norm.forward(prompts),
            None => prompts,
        };
        let [batch, count, width] = tokens.values.dims();
        let prompts = prompts.expand([batch as i64, -1, -1]);
        let token_range = |range| tokens.values.clone().slice([0..batch, range, 0..width]);
        let values = Tensor::cat(vec![token_range(0..1), prompts, token_range(1..count)], 1);
        Ok(Tokens { values, ..tokens })
    }

    /// Computes a block. The last one returns only the class token if nothing else is read and no hook acts in it.
    fn block(&self, index: usize, tokens: Tokens, hooks: &dyn Hooks) -> Result<Tokens> {
        let mut ops = self.ops(index, &tokens, hooks);
        let is_last = index + 1 == self.blocks.len();
        let form = self.config.form();
        let is_plain = form.query_key == QueryKey::Plain && !form.attention_norm;
        let reads_all = hooks.acts_in(index) || hooks.reads_tokens() || !is_plain;
        if is_last && self.config.pool() == Pool::Token && !reads_all {
            let attention = self.blocks[index].attention()?;
            let last = self.last.get_or_init(|| LastAttention::new(attention));
            let middle = last.run(attention, tokens.values);
            let values = block::residual(&mut ops, Sublayer::Mlp, middle)?;
            return Ok(Tokens { values, ..tokens });
        }
        let values = block::run_block(&mut ops, &tokens.values)?;
        Ok(Tokens { values, ..tokens })
    }

    fn class_attention(
        &self,
        index: usize,
        tokens: &Tokens,
        hooks: &dyn Hooks,
    ) -> Result<Option<Tensor<2>>> {
        if self.config.pool() != Pool::Token {
            return Ok(None);
        }
        self.class_attention_weights(index, tokens, hooks).map(Some)
    }

    fn normed(&self, tokens: Tokens) -> Tensor<3> {
        match self.config.fc_norm {
            true => tokens.values,
            false => self.norm.forward(tokens.values),
        }
    }

    fn pool(&self, tokens: Tokens) -> Result<Tensor<2>> {
        let [batch, count, width] = tokens.values.dims();
        let patches = tokens.rows * tokens.columns;
        let token_range = |range| tokens.values.clone().slice([0..batch, range, 0..width]);
        let pooled = match (self.config.pool(), &self.attention_pool) {
            // The norm is computed per token, so only the class token needs it.
            (Pool::Token, _) => self.norm.forward(token_range(0..1)),
            (Pool::Map, Some(pool)) => {
                let all = self.normed(tokens.clone());
                pool.run(match self.config.pools_all_tokens() {
                    true => all,
                    false => all.slice([0..batch, count - patches..count, 0..width]),
                })?
            }
            _ if self.config.fc_norm => {
                self.norm.forward(token_range(count - patches..count).mean_dim(1))
            }
            // Without other tokens there is nothing to cut off.
            _ if count == patches => self.norm.forward(tokens.values).mean_dim(1),
            _ => self.norm.forward(token_range(count - patches..count)).mean_dim(1),
        };
        Ok(pooled.reshape([batch, width]))
    }
}
