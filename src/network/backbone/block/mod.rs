//! The block of all families: the order of its layers, and the sites where PETs act. [`run_block`] follows the
//! description with the operations of a [`BlockOps`]: on tensors ([`tensors`]), as nodes of an ONNX graph ([`graph`]),
//! or as lines of Python ([`python`]).

pub mod biases;
pub mod graph;
pub mod python;
pub mod tensors;
pub mod windows;

use super::mlp::Activation;
use crate::pet::Site;
use crate::problem::{Problem, Result};

/// What distinguishes the blocks of families. Pairs are of attention and MLP.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BlockForm {
    /// How tokens are mixed.
    pub mixing: Mixing,
    /// Names of the norms.
    pub norms: [&'static str; 2],
    /// Added to the variance in layer norms.
    pub epsilon: f64,
    /// Names of the layer scales, which multiply the outputs.
    pub scales: [Option<&'static str>; 2],
    /// Whether the projections to queries, keys and values have a bias.
    pub qkv_bias: bool,
    /// Whether the norm of a sub-layer follows it (Swin V2).
    pub norm_after: bool,
    /// How queries and keys are changed before they are compared.
    pub query_key: QueryKey,
    /// Whether there is a layer norm before the output projection of the attention (EVA-02-CLIP).
    pub attention_norm: bool,
    /// The activation of the MLP, unless it has SwiGLU.
    pub activation: Activation,
    /// Whether the MLP has SwiGLU: its first layer computes gates and values.
    pub swiglu: bool,
    /// The norm after the activation.
    pub mlp_norm: Option<MlpNorm>,
}

impl BlockForm {
    /// A block of the plain ViT.
    pub const PLAIN: Self = Self {
        mixing: Mixing::Attention,
        norms: ["norm1", "norm2"],
        epsilon: 1e-6,
        scales: [None; 2],
        qkv_bias: true,
        norm_after: false,
        query_key: QueryKey::Plain,
        attention_norm: false,
        activation: Activation::Gelu,
        swiglu: false,
        mlp_norm: None,
    };
}

/// How a block mixes tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mixing {
    /// Attention to all tokens.
    Attention,
    /// Attention within windows (Swin).
    Windows,
    /// A depthwise convolution before the MLP (ConvNeXt).
    Convolution,
    /// Nothing: the block is an MLP.
    Nothing,
}

/// A norm after the activation of an MLP.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MlpNorm {
    /// A layer norm (EVA-02).
    Layer,
    /// A global response norm (ConvNeXt V2).
    Response,
}

/// How queries and keys are changed before they are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum QueryKey {
    /// Unchanged.
    Plain,
    /// Rotated by their position.
    Rotary,
    /// Scaled to unit length, the queries then by a learned factor (Swin V2).
    Cosine,
}

/// A sub-layer of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sublayer {
    /// Self-attention with its projections.
    Attention,
    /// Two linear layers with an activation between them.
    Mlp,
}

impl Sublayer {
    /// Returns the sites of the sub-layer and of its norm.
    fn sites(self) -> [Site; 2] {
        match self {
            Self::Attention => [Site::Attention, Site::Norm1],
            Self::Mlp => [Site::Mlp, Site::Norm2],
        }
    }
}

/// How much of a sub-layer one operation computes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// The sub-layer with its norm, added to its input.
    Residual,
    /// The sub-layer with its norm.
    Branch,
    /// The sub-layer alone.
    Layers,
}

/// The operations that a block consists of.
pub trait BlockOps {
    /// Tokens: batch × tokens × channels.
    type Value: Clone;
    /// Queries, keys and values.
    type Heads;

    /// Returns the form of the block.
    fn form(&self) -> BlockForm;

    /// Returns the tokens that enter the block, with the changes of PETs at [`Site::Input`].
    fn input(&mut self, x: &Self::Value) -> Result<Self::Value>;

    /// Returns the result of a site that is not a linear layer, for its input `e` and output `h`.
    fn site(&mut self, site: Site, e: &Self::Value, h: Self::Value) -> Result<Self::Value>;

    /// Returns the result of a whole sub-layer, if one operation computes it without applying a hook; `None` otherwise.
    fn fused(
        &mut self,
        part: Sublayer,
        scope: Scope,
        x: &Self::Value,
    ) -> Result<Option<Self::Value>>;

    /// Returns x + h after this sub-layer.
    fn add(&mut self, part: Sublayer, x: Self::Value, h: Self::Value) -> Self::Value;

    /// Returns the depthwise convolution of the map.
    fn depthwise(&mut self, x: &Self::Value) -> Result<Self::Value>;

    /// Returns the norm that belongs to a sub-layer.
    fn norm(&mut self, part: Sublayer, x: &Self::Value) -> Result<Self::Value>;

    /// Returns the norm before the last layer of a sub-layer.
    fn inner_norm(&mut self, part: Sublayer, x: Self::Value) -> Result<Self::Value>;

    /// Returns the map split into windows.
    fn partition(&mut self, x: &Self::Value) -> Result<Self::Value>;

    /// Undoes [`BlockOps::partition`].
    fn reverse(&mut self, x: Self::Value) -> Result<Self::Value>;

    /// Returns queries, keys and values of e, each after its site.
    fn projections(&mut self, e: &Self::Value) -> Result<Self::Heads>;

    /// Changes queries and keys as [`BlockForm::query_key`] says.
    fn transform_queries_and_keys(&mut self, heads: Self::Heads) -> Result<Self::Heads>;

    /// Returns the attention of all heads, side by side.
    fn attend(&mut self, heads: Self::Heads) -> Result<Self::Value>;

    /// Returns a linear layer ([`Site::Proj`], [`Site::Fc1`] or [`Site::Fc2`]) after its site.
    fn linear(&mut self, site: Site, e: &Self::Value) -> Result<Self::Value>;

    /// Returns the activation of the MLP, or SwiGLU.
    fn activation(&mut self, x: &Self::Value) -> Self::Value;
}

/// Computes a block: tokens before it → tokens after it.
pub fn run_block<O: BlockOps>(ops: &mut O, input: &O::Value) -> Result<O::Value> {
    let x = ops.input(input)?;
    let out = if ops.form().mixing == Mixing::Convolution {
        let mixed = ops.depthwise(&x)?;
        let h = branch(ops, Sublayer::Mlp, &mixed)?;
        ops.add(Sublayer::Mlp, x.clone(), h)
    } else {
        let middle = residual(ops, Sublayer::Attention, x.clone())?;
        residual(ops, Sublayer::Mlp, middle)?
    };
    let out = ops.site(Site::Block, &x, out)?;
    ops.site(Site::Tokens, input, out)
}

/// Computes x + layers(LN(x)), or x + LN(layers(x)).
pub fn residual<O: BlockOps>(ops: &mut O, part: Sublayer, x: O::Value) -> Result<O::Value> {
    if let Some(out) = ops.fused(part, Scope::Residual, &x)? {
        return Ok(out);
    }
    let mut h = branch(ops, part, &x)?;
    if part == Sublayer::Mlp {
        h = ops.site(Site::Stream, &x, h)?;
    }
    Ok(ops.add(part, x, h))
}

/// Returns queries, keys and values of a block by head.
pub fn heads<O: BlockOps>(ops: &mut O, input: &O::Value) -> Result<O::Heads> {
    let x = ops.input(input)?;
    let e = apply_norm(ops, Sublayer::Attention, &x)?;
    project_heads(ops, &e)
}

fn branch<O: BlockOps>(ops: &mut O, part: Sublayer, x: &O::Value) -> Result<O::Value> {
    if let Some(h) = ops.fused(part, Scope::Branch, x)? {
        return Ok(h);
    }
    let norm_after = ops.form().norm_after;
    let e = match norm_after {
        true => x.clone(),
        false => apply_norm(ops, part, x)?,
    };
    let mut h = match (ops.fused(part, Scope::Layers, &e)?, part) {
        (Some(h), _) => h,
        (None, Sublayer::Attention) => attention(ops, &e)?,
        (None, Sublayer::Mlp) => mlp(ops, &e)?,
    };
    if norm_after {
        h = apply_norm(ops, part, &h)?;
    }
    let [site, _] = part.sites();
    ops.site(site, &e, h)
}

fn apply_norm<O: BlockOps>(ops: &mut O, part: Sublayer, x: &O::Value) -> Result<O::Value> {
    let normed = ops.norm(part, x)?;
    let [_, site] = part.sites();
    ops.site(site, x, normed)
}

fn attention<O: BlockOps>(ops: &mut O, e: &O::Value) -> Result<O::Value> {
    let form = ops.form();
    let is_windowed = form.mixing == Mixing::Windows;
    let heads = match is_windowed {
        true => {
            let windowed = ops.partition(e)?;
            project_heads(ops, &windowed)?
        }
        false => project_heads(ops, e)?,
    };
    let mut mixed = ops.attend(heads)?;
    if form.attention_norm {
        mixed = ops.inner_norm(Sublayer::Attention, mixed)?;
    }
    let h = ops.linear(Site::Proj, &mixed)?;
    match is_windowed {
        true => ops.reverse(h),
        false => Ok(h),
    }
}

fn project_heads<O: BlockOps>(ops: &mut O, e: &O::Value) -> Result<O::Heads> {
    let heads = ops.projections(e)?;
    match ops.form().query_key {
        QueryKey::Plain => Ok(heads),
        QueryKey::Rotary | QueryKey::Cosine => ops.transform_queries_and_keys(heads),
    }
}

fn mlp<O: BlockOps>(ops: &mut O, e: &O::Value) -> Result<O::Value> {
    let hidden = ops.linear(Site::Fc1, e)?;
    let active = ops.activation(&hidden);
    let mut active = ops.site(Site::Activation, &hidden, active)?;
    if ops.form().mlp_norm.is_some() {
        active = ops.inner_norm(Sublayer::Mlp, active)?;
    }
    ops.linear(Site::Fc2, &active)
}

/// Returns the error of a family whose form states a layer that its blocks lack.
fn missing_layer(what: &str) -> Problem {
    Problem::new(format!("this block has no {what}"))
}
