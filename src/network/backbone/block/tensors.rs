//! A block on tensors: its layers, and the operations that compute it with the hooks.

use std::sync::Arc;

use burn::tensor::Tensor;

use super::windows::Windows;
use super::{BlockForm, BlockOps, Mixing, MlpNorm, QueryKey, Scope, Sublayer, missing_layer};
use crate::backbone::loader::WeightLoader;
use crate::backbone::mlp::{Activation, InnerNorm, Mlp, ResponseNorm};
use crate::backbone::{BlockShape, IN_ATTENTION, IN_MLP};
use crate::nn::{self, Depthwise7, Frame, LayerNorm, Linear, Rotation};
use crate::pet::{Hooks, Site};
use crate::problem::Result;

/// The layers of a block.
pub struct Block {
    /// Which layers there are, and in which order.
    pub form: BlockForm,
    /// The layers that mix tokens.
    pub mixer: Mixer,
    /// The MLP with its norm.
    pub mlp: Mlp,
}

/// The layers that mix tokens.
// There is one in each block, so boxing would save nothing.
#[allow(clippy::large_enum_variant)]
pub enum Mixer {
    /// Self-attention.
    Attention(Attention),
    /// A 7×7 depthwise convolution.
    Depthwise(Depthwise7),
    /// Nothing: the block is an MLP.
    None,
}

/// A self-attention with its norm.
pub struct Attention {
    /// The norm before or after it.
    pub norm: LayerNorm,
    /// width → queries, keys and values, side by side.
    pub qkv: Linear,
    /// The norm before the output projection.
    pub inner_norm: Option<LayerNorm>,
    /// The output projection.
    pub proj: Linear,
    /// Number of heads.
    pub heads: usize,
    /// The factor of the queries in cosine attention, 1 × 1 × heads × 1.
    pub cosine: Option<Tensor<4>>,
}

impl Block {
    /// Builds a block from the tensors whose names begin with `prefix`.
    pub fn build(
        loader: &mut WeightLoader,
        form: BlockForm,
        prefix: &str,
        shape: &BlockShape,
    ) -> Self {
        let name = |rest: &str| format!("{prefix}.{rest}");
        let (width, epsilon) = (shape.width, form.epsilon);
        let mixer = match form.mixing {
            Mixing::Nothing => Mixer::None,
            Mixing::Convolution => Mixer::Depthwise(loader.depthwise7(&name("conv_dw"), width)),
            Mixing::Attention | Mixing::Windows => {
                let scale = form.scales[Sublayer::Attention as usize].map(name);
                let (inner_norm, proj) = (name("attn.norm"), name("attn.proj"));
                Mixer::Attention(Attention {
                    norm: loader.norm(&name(form.norms[0]), width, epsilon),
                    qkv: loader.linear(&name("attn.qkv"), width, 3 * width, form.qkv_bias),
                    inner_norm: (form.attention_norm)
                        .then(|| loader.norm(&inner_norm, width, epsilon)),
                    cosine: (form.query_key == QueryKey::Cosine)
                        .then(|| cosine_scale(loader, &name("attn.logit_scale"), shape)),
                    proj: loader.scaled_linear(&proj, width, width, scale.as_deref()),
                    heads: shape.heads,
                })
            }
        };
        Self { form, mixer, mlp: Mlp::build(loader, form, prefix, shape) }
    }

    /// Returns the attention.
    pub fn attention(&self) -> Result<&Attention> {
        match &self.mixer {
            Mixer::Attention(attention) => Ok(attention),
            _ => Err(missing_layer("attention")),
        }
    }
}

impl Mlp {
    fn build(loader: &mut WeightLoader, form: BlockForm, prefix: &str, shape: &BlockShape) -> Self {
        let name = |rest: &str| format!("{prefix}.{rest}");
        let (width, hidden, epsilon) = (shape.width, shape.hidden, form.epsilon);
        let scale = form.scales[Sublayer::Mlp as usize].map(name);
        let row = |loader: &mut WeightLoader, kind: &str| {
            let row: Tensor<1> = loader.tensor(&name(&format!("mlp.grn.{kind}")), [hidden]);
            let count = row.dims()[0];
            row.reshape([1, 1, count])
        };
        Self {
            norm: loader.norm(&name(form.norms[1]), width, epsilon),
            fc1: loader.linear(&name("mlp.fc1"), width, shape.fc1_outputs, true),
            inner_norm: form.mlp_norm.map(|kind| match kind {
                MlpNorm::Layer => InnerNorm::Layer(loader.norm(&name("mlp.norm"), hidden, epsilon)),
                MlpNorm::Response => InnerNorm::Response(ResponseNorm {
                    gamma: row(loader, "weight"),
                    beta: row(loader, "bias"),
                }),
            }),
            fc2: loader.scaled_linear(&name("mlp.fc2"), hidden, width, scale.as_deref()),
        }
    }
}

/// Returns the factor of the queries in cosine attention. The attention divides by the root of the head's width.
fn cosine_scale(loader: &mut WeightLoader, name: &str, shape: &BlockShape) -> Tensor<4> {
    let scale: Tensor<3> = loader.tensor(name, [shape.heads, 1, 1]);
    let [count, ..] = scale.dims();
    let root = ((shape.width / shape.heads) as f64).sqrt();
    (scale.clamp_max(100f64.ln()).exp() * root).reshape([1, 1, count, 1])
}

/// Computes a block on tensors, with the hooks that act in it.
pub struct TensorBlock<'a> {
    block: &'a Block,
    index: usize,
    hooks: &'a dyn Hooks,
    /// Keys and values before the projected ones.
    pub prefix: Option<[Tensor<3>; 2]>,
    /// Rows and columns of the map.
    pub map: (usize, usize),
    /// The rotation of queries and keys.
    pub rotation: Option<Arc<Rotation>>,
    /// The windows, and the bias of each pair of tokens in them.
    pub windows: Option<(Windows, Tensor<4>)>,
}

impl<'a> TensorBlock<'a> {
    /// Wraps block `index` of a network and the hooks.
    pub fn new(block: &'a Block, index: usize, hooks: &'a dyn Hooks) -> Self {
        Self { block, index, hooks, prefix: None, map: (0, 0), rotation: None, windows: None }
    }

    /// Returns the layer at these sites, or the one that replaces it in the hooks.
    fn layer(&self, sites: &[Site], frozen_layer: &'a Linear) -> Result<&'a Linear> {
        self.hooks.layer(self.index, sites, frozen_layer)
    }

    /// Computes the attention without hooks inside, as one operation; `None` if a hook acts in it or it has a form that
    /// the operation does not have.
    fn fused_attention(&self, scope: Scope, x: &Tensor<3>) -> Result<Option<Tensor<3>>> {
        let form = self.block.form;
        let is_plain = form.query_key == QueryKey::Plain && !form.attention_norm;
        let is_used = self.prefix.is_some() || self.hooks.uses_any(self.index, IN_ATTENTION);
        if !is_plain || is_used || scope == Scope::Branch {
            return Ok(None);
        }
        let attention = self.block.attention()?;
        let mut frame = Frame::default();
        if scope == Scope::Residual {
            let outer_sites = [Site::Norm1, Site::Attention];
            // Padding of a map that is not a multiple of the window is zero after the norm, not before it.
            let padded = (self.windows.as_ref())
                .is_some_and(|(windows, _)| windows.padded_map() != windows.map);
            if padded || self.hooks.uses_any(self.index, &outer_sites) {
                return Ok(None);
            }
            frame = Frame::pre_norm(&attention.norm);
        }
        let layers = [
            self.layer(&Site::PACKED, &attention.qkv)?,
            self.layer(&[Site::Proj], &attention.proj)?,
        ];
        let heads = attention.heads;
        Ok(Some(match &self.windows {
            Some((windows, bias)) => {
                let windowed = windows.partition(x.clone());
                windows.reverse(nn::self_attention(windowed, frame, layers, heads, Some(bias)))
            }
            None => nn::self_attention(x.clone(), frame, layers, heads, None),
        }))
    }

    /// Computes the MLP with its norm as one operation; `None` if a hook acts in it or it has a form that the operation
    /// does not have.
    fn fused_mlp(&self, scope: Scope, x: &Tensor<3>) -> Result<Option<Tensor<3>>> {
        let form = self.block.form;
        let uses = |site| self.hooks.uses(self.index, site);
        let is_used = self.hooks.uses_any(self.index, IN_MLP) || uses(Site::Mlp);
        let is_plain = form.activation == Activation::Gelu && !form.swiglu && !form.norm_after;
        let is_free = match scope {
            Scope::Residual => !uses(Site::Stream),
            Scope::Branch => true,
            Scope::Layers => false,
        };
        if is_used || !is_plain || form.mlp_norm.is_some() || !is_free {
            return Ok(None);
        }
        let mlp = &self.block.mlp;
        let frame = Frame { norm: Some(&mlp.norm), residual: scope == Scope::Residual };
        let fc1 = self.layer(&[Site::Fc1], &mlp.fc1)?;
        let fc2 = self.layer(&[Site::Fc2], &mlp.fc2)?;
        Ok(Some(nn::mlp(x.clone(), frame, fc1, fc2)))
    }

    /// Splits packed projections of e and applies the hooks to each.
    fn hooked_projections(
        &self,
        e: &Tensor<3>,
        (layer, qkv): (&Linear, &Tensor<3>),
    ) -> Result<Tensor<3>> {
        let [batch, tokens, packed] = qkv.dims();
        let width = packed / 3;
        let mut parts = Vec::new();
        for (i, site) in Site::PACKED.into_iter().enumerate() {
            let range = i * width..(i + 1) * width;
            let h = qkv.clone().slice([0..batch, 0..tokens, range.clone()]);
            let weight = || layer.weight_f32().slice([0..width, range.clone()]);
            let position = (self.index, site);
            parts.push(self.hooks.apply_linear(position, e, h, &weight)?);
        }
        Ok(Tensor::cat(parts, 2))
    }
}

impl BlockOps for TensorBlock<'_> {
    type Value = Tensor<3>;
    /// Packed: batch × tokens × 3·width.
    type Heads = Tensor<3>;

    fn form(&self) -> BlockForm {
        self.block.form
    }

    fn input(&mut self, x: &Tensor<3>) -> Result<Tensor<3>> {
        self.hooks.input(self.index, x.clone())
    }

    fn site(&mut self, site: Site, e: &Tensor<3>, h: Tensor<3>) -> Result<Tensor<3>> {
        self.hooks.apply(self.index, site, e, h)
    }

    fn fused(&mut self, part: Sublayer, scope: Scope, x: &Tensor<3>) -> Result<Option<Tensor<3>>> {
        match part {
            Sublayer::Attention => self.fused_attention(scope, x),
            Sublayer::Mlp => self.fused_mlp(scope, x),
        }
    }

    fn add(&mut self, _: Sublayer, x: Tensor<3>, h: Tensor<3>) -> Tensor<3> {
        nn::add(x, h)
    }

    fn depthwise(&mut self, x: &Tensor<3>) -> Result<Tensor<3>> {
        let (rows, columns) = self.map;
        match &self.block.mixer {
            Mixer::Depthwise(layer) => Ok(layer.forward(x.clone(), rows, columns)),
            _ => Err(missing_layer("convolution")),
        }
    }

    fn norm(&mut self, part: Sublayer, x: &Tensor<3>) -> Result<Tensor<3>> {
        let norm = match part {
            Sublayer::Attention => &self.block.attention()?.norm,
            Sublayer::Mlp => &self.block.mlp.norm,
        };
        Ok(norm.forward(x.clone()))
    }

    fn inner_norm(&mut self, part: Sublayer, x: Tensor<3>) -> Result<Tensor<3>> {
        let normed = match part {
            Sublayer::Attention => {
                (self.block.attention()?.inner_norm.as_ref()).map(|norm| norm.forward(x))
            }
            Sublayer::Mlp => (self.block.mlp.inner_norm.as_ref()).map(|norm| norm.forward(x)),
        };
        normed.ok_or_else(|| missing_layer("inner norm"))
    }

    fn partition(&mut self, x: &Tensor<3>) -> Result<Tensor<3>> {
        let (windows, _) = self.windows.as_ref().ok_or_else(|| missing_layer("windows"))?;
        Ok(windows.partition(x.clone()))
    }

    fn reverse(&mut self, x: Tensor<3>) -> Result<Tensor<3>> {
        let (windows, _) = self.windows.as_ref().ok_or_else(|| missing_layer("windows"))?;
        Ok(windows.reverse(x))
    }

    fn projections(&mut self, e: &Tensor<3>) -> Result<Tensor<3>> {
        let layer = self.layer(&Site::PACKED, &self.block.attention()?.qkv)?;
        let qkv = layer.forward(e.clone());
        match self.hooks.uses_any(self.index, &Site::PACKED) {
            true => self.hooked_projections(e, (layer, &qkv)),
            false => Ok(qkv),
        }
    }

    fn transform_queries_and_keys(&mut self, qkv: Tensor<3>) -> Result<Tensor<3>> {
        match (&self.rotation, &self.block.attention()?.cosine) {
            (Some(rotation), _) => Ok(rotation.apply(qkv)),
            (None, Some(scale)) => Ok(cosine_projections(&qkv, scale)),
            (None, None) => Err(missing_layer("rotation")),
        }
    }

    fn attend(&mut self, qkv: Tensor<3>) -> Result<Tensor<3>> {
        let heads = self.block.attention()?.heads;
        let prefix = self.prefix.take();
        if self.hooks.uses(self.index, Site::Attend) {
            let [q, k, v] = nn::split_heads(&qkv, prefix, heads);
            let out = self.hooks.attend(self.index, q, k, v)?;
            let [batch, heads, tokens, width] = out.dims();
            return Ok(out.swap_dims(1, 2).reshape([batch, tokens, heads * width]));
        }
        let bias = self.windows.as_ref().map(|(_, bias)| bias);
        Ok(match prefix {
            Some(prefix) => nn::prefixed_attention(qkv, prefix, heads),
            None => nn::attention(qkv, heads, bias),
        })
    }

    fn linear(&mut self, site: Site, e: &Tensor<3>) -> Result<Tensor<3>> {
        let frozen_layer = match site {
            Site::Proj => &self.block.attention()?.proj,
            Site::Fc1 => &self.block.mlp.fc1,
            Site::Fc2 => &self.block.mlp.fc2,
            _ => return Err(missing_layer("linear layer")),
        };
        let layer = self.layer(&[site], frozen_layer)?;
        let h = layer.forward(e.clone());
        let weight = || layer.weight_f32();
        self.hooks.apply_linear((self.index, site), e, h, &weight)
    }

    fn activation(&mut self, x: &Tensor<3>) -> Tensor<3> {
        match self.block.form.swiglu {
            true => nn::swiglu(x.clone()),
            false => self.block.form.activation.forward(x.clone()),
        }
    }
}

/// Changes packed projections so that the products of queries and keys are cosines, scaled: queries and keys of each
/// head get unit length, and the queries are multiplied by `scale`.
fn cosine_projections(qkv: &Tensor<3>, scale: &Tensor<4>) -> Tensor<3> {
    let [batch, tokens, packed] = qkv.dims();
    let (width, heads) = (packed / 3, scale.dims()[2]);
    let part = |i: usize| {
        let columns = i * width..(i + 1) * width;
        qkv.clone().slice([0..batch, 0..tokens, columns])
    };
    let normalise = |x: Tensor<3>| {
        let x = x.reshape([batch, tokens, heads, width / heads]);
        let squares = x.clone().powi_scalar(2).sum_dim(3);
        x / squares.clamp_min(1e-24).sqrt()
    };
    let queries = (normalise(part(0)) * scale.clone()).reshape([batch, tokens, width]);
    let keys = normalise(part(1)).reshape([batch, tokens, width]);
    Tensor::cat(vec![queries, keys, part(2)], 2)
}
