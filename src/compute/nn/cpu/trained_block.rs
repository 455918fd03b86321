//! The two sub-layers of a transformer block with trained weights, as tensor operations.

use std::sync::Arc;

use burn::tensor::Tensor;
use lae_kernels::attention::{self, Bias};
use lae_kernels::block::{Mlp, Norm, NormResidual, SelfAttention};
use lae_kernels::buffer::Buffer;
use lae_kernels::trained_block::{
    TENSORS, attention_backward, attention_forward, mlp_backward, mlp_forward,
};

use super::autodiff::{BackwardFn, Dense, Gradient, Input, apply, to_input};
use super::trained::weights;
use crate::nn::{Frame, Linear};

/// The sizes and constants of a sub-layer, apart from its tensors.
#[derive(Clone, Copy)]
struct Layer {
    width: usize,
    /// Number of outputs of the first linear layer, and number of inputs of the second one.
    sizes: [usize; 2],
    epsilon: f32,
    residual: bool,
}

impl Layer {
    fn new(frame: Frame<'_>, [first, second]: [&Linear; 2]) -> Option<Self> {
        let [outputs, width] = first.trained_parameters()?.0.dims();
        let [_, inputs] = second.trained_parameters()?.0.dims();
        Some(Self {
            width,
            sizes: [outputs, inputs],
            epsilon: frame.norm?.epsilon as f32,
            residual: frame.residual,
        })
    }

    fn norm_residual<'a>(&self, tensors: &'a [Dense; TENSORS]) -> NormResidual<'a> {
        let norm =
            Norm { gamma: tensors[1].values(), beta: tensors[2].values(), epsilon: self.epsilon };
        NormResidual { norm: Some(norm), residual: self.residual }
    }

    fn mlp<'a>(&self, tensors: &'a [Dense; TENSORS]) -> Mlp<'a> {
        let [hidden, inputs] = self.sizes;
        Mlp {
            norm_residual: self.norm_residual(tensors),
            fc1: weights(&tensors[3..5], [hidden, self.width]),
            fc2: weights(&tensors[5..], [self.width, inputs]),
        }
    }

    fn attention<'a>(
        &self,
        tensors: &'a [Dense; TENSORS],
        shape: attention::Shape,
    ) -> SelfAttention<'a> {
        let [packed, inputs] = self.sizes;
        SelfAttention {
            norm_residual: self.norm_residual(tensors),
            qkv: weights(&tensors[3..5], [packed, self.width]),
            proj: weights(&tensors[5..], [self.width, inputs]),
            shape,
            bias: Bias(&[]),
        }
    }
}

/// Returns all tensors as inputs; `None` if any is not f32 on the CPU device.
fn inputs(x: &Tensor<3>, frame: Frame<'_>, linears: [&Linear; 2]) -> Option<[Input; TENSORS]> {
    let norm = frame.norm?;
    let [(w1, b1), (w2, b2)] = [linears[0].trained_parameters()?, linears[1].trained_parameters()?];
    Some([
        to_input(x)?,
        to_input(&norm.gamma)?,
        to_input(&norm.beta)?,
        to_input(w1)?,
        to_input(b1)?,
        to_input(w2)?,
        to_input(b2)?,
    ])
}

/// Returns a backward function that computes all gradients and returns the requested ones.
fn backward_fn(
    gradients: impl Fn(&[f32]) -> [Buffer; TENSORS] + Send + Sync + 'static,
) -> BackwardFn<TENSORS> {
    Arc::new(move |g, wanted| {
        let mut all_gradients = gradients(g).into_iter();
        wanted.map(|wanted| all_gradients.next().filter(|_| wanted).map(Gradient::Values))
    })
}

/// Computes an MLP with trained weights; see [`crate::nn::mlp`].
pub fn mlp(x: &Tensor<3>, frame: Frame<'_>, fc1: &Linear, fc2: &Linear) -> Option<Tensor<3>> {
    let layer = Layer::new(frame, [fc1, fc2])?;
    let inputs = inputs(x, frame, [fc1, fc2])?;
    Some(apply(inputs, x.dims(), |tensors, tracked| {
        let sublayer = layer.mlp(&tensors);
        if !tracked {
            return (sublayer.forward(tensors[0].values(), false).0, None);
        }
        let (y, saved) = mlp_forward(sublayer, tensors[0].values());
        let backward = backward_fn(move |g| {
            let x = tensors[0].values();
            mlp_backward(layer.mlp(&tensors), x, &saved, g).gradients(x, &saved, g, layer.width)
        });
        (y, Some(backward))
    }))
}

/// Computes a self-attention with trained weights; see [`crate::nn::self_attention`]. `None` also if there are fewer
/// images than cores.
pub fn self_attention(
    x: &Tensor<3>,
    frame: Frame<'_>,
    projections: [&Linear; 2],
    heads: usize,
) -> Option<Tensor<3>> {
    let [batch, tokens, width] = x.dims();
    if batch < rayon::current_num_threads() {
        return None;
    }
    let layer = Layer::new(frame, projections)?;
    let inputs = inputs(x, frame, projections)?;
    let shape = attention::Shape { tokens, heads, width };
    Some(apply(inputs, x.dims(), |tensors, tracked| {
        let sublayer = layer.attention(&tensors, shape);
        if !tracked {
            return (sublayer.forward(tensors[0].values(), false).0, None);
        }
        let (y, saved) = attention_forward(sublayer, tensors[0].values());
        let backward = backward_fn(move |g| {
            let x = tensors[0].values();
            let sublayer = layer.attention(&tensors, shape);
            attention_backward(sublayer, x, &saved, g).gradients(x, &saved, g, layer.width)
        });
        (y, Some(backward))
    }))
}
