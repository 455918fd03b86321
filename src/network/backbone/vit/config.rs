//! The dimensions of a ViT.

use serde::Deserialize;

use super::rotary::Rotary;
use crate::backbone::block::{BlockForm, Mixing, MlpNorm, QueryKey};
use crate::backbone::mlp::Activation;
use crate::pet::{BlockKind, BlockShape};

/// The dimensions of a ViT.
#[derive(Clone, Debug, PartialEq)]
pub struct Config {
    /// Side of the square input, in pixels.
    pub input_size: usize,
    /// Side of the input for which the position embedding was learned, in pixels.
    pub learned_size: usize,
    /// Side of a patch, in pixels.
    pub patch: usize,
    /// Channels of a token.
    pub width: usize,
    /// Number of blocks.
    pub depth: usize,
    /// Number of attention heads.
    pub heads: usize,
    /// Channels inside the MLP, the inputs of its second layer.
    pub hidden: usize,
    /// Whether the MLP is a SwiGLU, whose first layer computes gates and values.
    pub swiglu: bool,
    /// Whether there is a layer norm inside the MLP (EVA-02).
    pub mlp_norm: bool,
    /// Whether there is a layer norm before the output projection of the attention (EVA-02-CLIP).
    pub attention_norm: bool,
    /// Whether the projections to queries, keys and values have a bias.
    pub qkv_bias: bool,
    /// Value added to the variance in every layer norm.
    pub epsilon: f64,
    /// Whether the first token is a class token.
    pub class_token: bool,
    /// Whether each sub-layer's output has a learned scale per channel.
    pub layer_scale: bool,
    /// Whether there is a norm before the first block (and the patch embedding has no bias).
    pub pre_norm: bool,
    /// The activation of the MLPs.
    pub activation: Activation,
    /// Number of register tokens after the class token.
    pub registers: usize,
    /// Whether there is a learned position embedding.
    pub pos_embed: bool,
    /// The rotary position embedding, if there is one.
    pub rope: Option<Rotary>,
    /// Whether the position embedding has only the patches (timm's `no_embed_class`).
    pub no_embed_class: bool,
    /// How the feature is computed; see [`Config::pool`].
    pub pool: Pool,
    /// Number of heads of the attention pooling.
    pub pool_heads: usize,
    /// Whether the final norm is after the pooling instead of before it (timm's `fc_norm`).
    pub fc_norm: bool,
}

/// How a ViT's feature is computed from its tokens; the names are timm's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Pool {
    /// The class token.
    Token,
    /// The mean of the patches.
    Avg,
    /// A learned query that attends to all tokens (SigLIP).
    Map,
}

impl Config {
    /// Returns a plain ViT with these dimensions.
    pub fn new(input_size: usize, patch: usize, width: usize, depth: usize, heads: usize) -> Self {
        Self {
            input_size,
            learned_size: input_size,
            patch,
            width,
            depth,
            heads,
            hidden: width.saturating_mul(4),
            epsilon: 1e-6,
            class_token: true,
            layer_scale: false,
            pre_norm: false,
            activation: Activation::Gelu,
            swiglu: false,
            mlp_norm: false,
            attention_norm: false,
            qkv_bias: true,
            registers: 0,
            pos_embed: true,
            rope: None,
            no_embed_class: false,
            pool: Pool::Token,
            pool_heads: heads,
            fc_norm: false,
        }
    }

    /// Returns how the feature is computed: as configured, but without a class token, the mean of the patches
    /// replaces it.
    pub fn pool(&self) -> Pool {
        match (self.pool, self.class_token) {
            (Pool::Token, false) => Pool::Avg,
            (pool, _) => pool,
        }
    }

    /// Returns whether the attention pooling also attends to class token and registers. It does in the Perception
    /// Encoder; in timm's other ViTs, it attends only to the patches.
    pub fn pools_all_tokens(&self) -> bool {
        self.rope == Some(Rotary::Pe)
    }

    /// Returns the shape of its blocks.
    pub fn shape(&self) -> BlockShape {
        BlockShape {
            fc1_outputs: self.fc1_outputs(),
            ..BlockKind::VIT.block(self.width, self.hidden, self.heads)
        }
    }

    /// Returns the form of its blocks.
    pub fn form(&self) -> BlockForm {
        BlockForm {
            query_key: match self.rope {
                Some(_) => QueryKey::Rotary,
                None => QueryKey::Plain,
            },
            scales: ["ls1.gamma", "ls2.gamma"].map(|name| self.layer_scale.then_some(name)),
            epsilon: self.epsilon,
            qkv_bias: self.qkv_bias,
            attention_norm: self.attention_norm,
            activation: self.activation,
            swiglu: self.swiglu,
            mlp_norm: self.mlp_norm.then_some(MlpNorm::Layer),
            ..BlockForm::PLAIN
        }
    }

    /// Returns the form of the MLP after the attention pooling.
    pub fn pool_form(&self) -> BlockForm {
        BlockForm {
            mixing: Mixing::Nothing,
            norms: ["", "norm"],
            epsilon: self.epsilon,
            activation: self.activation,
            ..BlockForm::PLAIN
        }
    }

    /// Returns the number of outputs of the MLP's first layer.
    pub fn fc1_outputs(&self) -> usize {
        self.hidden.saturating_mul(1 + usize::from(self.swiglu))
    }

    /// Returns the number of tokens before the patches.
    pub fn extra_tokens(&self) -> usize {
        usize::from(self.class_token) + self.registers
    }

    /// Returns the number of rows of the position embedding before those of the patches.
    pub fn extra_positions(&self) -> usize {
        match self.no_embed_class {
            true => 0,
            false => self.extra_tokens(),
        }
    }
}
