//! The dimensions of a ViT.

use super::rotary::Rotary;
use crate::backbone::block::{BlockForm, QueryKey};
use crate::backbone::mlp::Activation;

/// Dimensions of a ViT.
#[derive(Clone, Debug, PartialEq)]
pub struct Config {
    /// Side of the square input, in pixels.
    pub input_size: usize,
    /// Side of the input the position embedding was learned at, in pixels.
    pub learned_size: usize,
    /// Side of a patch, in pixels.
    pub patch: usize,
    /// Channels of a token.
    pub width: usize,
    /// Number of blocks.
    pub depth: usize,
    /// Attention heads.
    pub heads: usize,
    /// Channels inside the MLP, the inputs of its second layer.
    pub hidden: usize,
    /// Whether the MLP has SwiGLU: its first layer makes gates and values.
    pub swiglu: bool,
    /// Whether there is a layer norm inside the MLP (EVA-02).
    pub mlp_norm: bool,
    /// Whether there is a layer norm before the output projection of the attention (EVA-02-CLIP).
    pub attention_norm: bool,
    /// Whether the projections to queries, keys and values have a bias.
    pub qkv_bias: bool,
    /// Added to the variance in every layer norm.
    pub epsilon: f64,
    /// Whether a class token leads the sequence.
    pub class_token: bool,
    /// Whether each sub-layer's output has a learned scale per channel.
    pub layer_scale: bool,
    /// Whether there is a norm before the first block (and the patch embedding has no bias).
    pub pre_norm: bool,
    /// What the MLPs have between their layers.
    pub activation: Activation,
    /// Register tokens behind the class token.
    pub registers: usize,
    /// Whether there is a learned position embedding.
    pub pos_embed: bool,
    /// The rotary position embedding.
    pub rope: Option<Rotary>,
    /// Whether the position embedding is of patches alone (timm's `no_embed_class`).
    pub no_embed_class: bool,
    /// What becomes the feature ([`Config::pool`]).
    pub pool: Pool,
    /// Heads of the attention pooling.
    pub pool_heads: usize,
    /// Whether the final norm is behind the pooling instead of before it (timm's `fc_norm`).
    pub fc_norm: bool,
}

/// What becomes a ViT's feature, by timm's names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pool {
    /// The class token.
    Token,
    /// The mean of the patches.
    Avg,
    /// A learned query that attends to all tokens (SigLIP).
    Map,
}

impl Pool {
    /// timm's name of it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Token => "token",
            Self::Avg => "avg",
            Self::Map => "map",
        }
    }

    /// The one of this name.
    pub fn named(name: &str) -> Option<Self> {
        let all = [Self::Token, Self::Avg, Self::Map];
        all.into_iter().find(|known| known.name() == name)
    }
}

impl Config {
    /// A plain ViT of these dimensions.
    pub fn plain(
        input_size: usize,
        patch: usize,
        width: usize,
        depth: usize,
        heads: usize,
    ) -> Self {
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

    /// What becomes the feature; without a class token, the mean where it would be that.
    pub fn pool(&self) -> Pool {
        match (self.pool, self.class_token) {
            (Pool::Token, false) => Pool::Avg,
            (pool, _) => pool,
        }
    }

    /// Whether the attention pooling attends to class token and registers too. In the Perception Encoder it does, in
    /// timm's other ViTs only to the patches.
    pub fn pools_all_tokens(&self) -> bool {
        self.rope == Some(Rotary::Pe)
    }

    /// Returns the form of its blocks.
    pub fn form(&self) -> BlockForm {
        BlockForm {
            query_key: match self.rope {
                Some(_) => QueryKey::Rotary,
                None => QueryKey::Plain,
            },
            attention_norm: self.attention_norm,
            activation: self.activation,
            swiglu: self.swiglu,
            mlp_norm: self.mlp_norm,
            ..BlockForm::default()
        }
    }

    /// Returns the form of the MLP after the attention pooling.
    pub fn pool_form(&self) -> BlockForm {
        BlockForm {
            activation: self.activation,
            ..BlockForm::default()
        }
    }

    /// Outputs of the MLP's first layer.
    pub fn fc1_outputs(&self) -> usize {
        self.hidden.saturating_mul(1 + usize::from(self.swiglu))
    }

    /// Tokens before those of the patches.
    pub fn extra_tokens(&self) -> usize {
        usize::from(self.class_token) + self.registers
    }

    /// Rows of the position embedding before those of the patches.
    pub fn extra_positions(&self) -> usize {
        match self.no_embed_class {
            true => 0,
            false => self.extra_tokens(),
        }
    }
}
