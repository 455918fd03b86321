//! The two sub-layers of a transformer block with trained weights, as tensor operations.

use std::sync::Arc;

use burn::tensor::Tensor;
use lae_kernels::attention::{self, Bias};
use lae_kernels::block::{Around, Mlp, Norm, SelfAttention};
use lae_kernels::buffer::Buffer;
use lae_kernels::trained_block::{
    TENSORS, attention_backward, attention_forward, mlp_backward, mlp_forward,
};

use super::glue::{Dense, Gradient, Input, Run, apply, to_input};
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
        let [outputs, width] = first.own()?.0.dims();
        let [_, read] = second.own()?.0.dims();
        Some(Self {
            width,
            sizes: [outputs, read],
            epsilon: frame.norm?.epsilon as f32,
            residual: frame.residual,
        })
    }

    fn around<'a>(&self, tensors: &'a [Dense; TENSORS]) -> Around<'a> {
        let norm = Norm {
            gamma: tensors[1].numbers(),
            beta: tensors[2].numbers(),
            epsilon: self.epsilon,
        };
        Around {
            norm: Some(norm),
            residual: self.residual,
        }
    }

    fn mlp<'a>(&self, tensors: &'a [Dense; TENSORS]) -> Mlp<'a> {
        let [hidden, read] = self.sizes;
        Mlp {
            around: self.around(tensors),
            fc1: weights(&tensors[3..5], [hidden, self.width]),
            fc2: weights(&tensors[5..], [self.width, read]),
        }
    }

    fn attention<'a>(
        &self,
        tensors: &'a [Dense; TENSORS],
        shape: attention::Shape,
    ) -> SelfAttention<'a> {
        let [packed, read] = self.sizes;
        SelfAttention {
            around: self.around(tensors),
            qkv: weights(&tensors[3..5], [packed, self.width]),
            proj: weights(&tensors[5..], [self.width, read]),
            shape,
            bias: Bias(&[]),
        }
    }
}

/// Returns all tensors as inputs; `None` if any is not f32 on the CPU device.
fn inputs(x: &Tensor<3>, frame: Frame<'_>, linears: [&Linear; 2]) -> Option<[Input; TENSORS]> {
    let norm = frame.norm?;
    let [(w1, b1), (w2, b2)] = [linears[0].own()?, linears[1].own()?];
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
fn way_back(
    gradients: impl Fn(&[f32]) -> [Buffer; TENSORS] + Send + Sync + 'static,
) -> Run<TENSORS> {
    Arc::new(move |g, wanted| {
        let mut all = gradients(g).into_iter();
        wanted.map(|wanted| all.next().filter(|_| wanted).map(Gradient::Own))
    })
}

/// Computes an MLP with trained weights; see [`crate::nn::mlp`].
pub fn mlp(x: &Tensor<3>, frame: Frame<'_>, fc1: &Linear, fc2: &Linear) -> Option<Tensor<3>> {
    let layer = Layer::new(frame, [fc1, fc2])?;
    let inputs = inputs(x, frame, [fc1, fc2])?;
    Some(apply(inputs, x.dims(), |tensors, tracked| {
        let own = layer.mlp(&tensors);
        if !tracked {
            return (own.forward(tensors[0].numbers(), false).0, None);
        }
        let (y, kept) = mlp_forward(own, tensors[0].numbers());
        let back = way_back(move |g| {
            let x = tensors[0].numbers();
            mlp_backward(layer.mlp(&tensors), x, &kept, g).gradients(x, &kept, g, layer.width)
        });
        (y, Some(back))
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
    let shape = attention::Shape {
        tokens,
        heads,
        width,
    };
    Some(apply(inputs, x.dims(), |tensors, tracked| {
        let own = layer.attention(&tensors, shape);
        if !tracked {
            return (own.forward(tensors[0].numbers(), false).0, None);
        }
        let (y, kept) = attention_forward(own, tensors[0].numbers());
        let back = way_back(move |g| {
            let x = tensors[0].numbers();
            let own = layer.attention(&tensors, shape);
            attention_backward(own, x, &kept, g).gradients(x, &kept, g, layer.width)
        });
        (y, Some(back))
    }))
}
