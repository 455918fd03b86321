//! Layers with trained weights: the linear layer and the attention with a trained bias. Also the step of SGD, in a
//! single pass over the values.

use burn::tensor::Tensor;
use lae_kernels::attention::{self, Bias, Shape};
use lae_kernels::buffer::Buffer;
use lae_kernels::elementwise;
use lae_kernels::linear::{self, WeightValues, Weights};
use lae_kernels::simd::Level;
use lae_kernels::sums::{CHUNK_LEN, sum_rows};
use rayon::prelude::*;

use super::autodiff::{Dense, Gradient, Input, apply, backward_if, constant, to_input};
use crate::nn::Momentum;

/// Computes `x · weightᵀ + bias`; `weight` is out × in. All may be trained.
pub fn linear<const D: usize>(
    x: &Tensor<D>,
    weight: &Tensor<2>,
    bias: Option<&Tensor<1>>,
) -> Option<Tensor<D>> {
    let sizes = weight.dims();
    let mut shape = x.dims();
    *shape.last_mut()? = sizes[0];
    let (x, weight) = (to_input(x)?, to_input(weight)?);
    Some(match bias {
        Some(bias) => apply_linear([x, weight, to_input(bias)?], shape, sizes),
        None => apply_linear([x, weight], shape, sizes),
    })
}

/// Computes [`linear`] of input, weight and optional bias.
fn apply_linear<const N: usize, const D: usize>(
    tensors: [Input; N],
    shape: [usize; D],
    [outputs, inputs]: [usize; 2],
) -> Tensor<D> {
    apply(tensors, shape, |tensors, tracked| {
        let y = linear::forward(tensors[0].values(), weights(&tensors[1..], [outputs, inputs]));
        let backward = backward_if::<N>(tracked, move |g, wanted| {
            let gradient = |index: usize| match index {
                0 => linear::backward(g, weights(&tensors[1..], [outputs, inputs])),
                1 => linear::weight_gradient(tensors[0].values(), g, inputs, outputs),
                _ => sum_rows(g, None, outputs),
            };
            std::array::from_fn(|i| wanted[i].then(|| Gradient::Values(gradient(i))))
        });
        (y, backward)
    })
}

/// Returns a trained weight with its optional bias.
pub(super) fn weights(tensors: &[Dense], [outputs, inputs]: [usize; 2]) -> Weights<'_> {
    let values = |index: usize| tensors.get(index).map_or(&[][..], Dense::values);
    Weights {
        weight: WeightValues::F32(values(0)),
        transposed: true,
        bias: values(1),
        inputs,
        outputs,
    }
}

/// Computes softmax attention with a trained bias; see [`crate::nn::attention`].
pub fn attention(qkv: &Tensor<3>, shape: Shape, bias: &Tensor<4>) -> Option<Tensor<3>> {
    let [batch, tokens, _] = qkv.dims();
    let tensors = [to_input(qkv)?, to_input(bias)?];
    let result_shape = [batch, tokens, shape.width];
    Some(apply(tensors, result_shape, |[qkv, bias], tracked| {
        let (y, stats) = attention::forward(shape, qkv.values(), Bias(bias.values()));
        let backward = backward_if(tracked, move |g, [wants_qkv, wants_bias]| {
            let bias = Bias(bias.values());
            let gradients = attention::backward_with_bias(shape, qkv.values(), bias, &stats, g);
            let [dqkv, dbias] = gradients.map(Gradient::Values);
            [wants_qkv.then_some(dqkv), wants_bias.then_some(dbias)]
        });
        (y, backward)
    }))
}

/// Performs a step of SGD with momentum; see [`Momentum::step`].
pub fn momentum_step(
    rule: Momentum,
    value: &Tensor<1>,
    gradient: &Tensor<1>,
    factor: Option<&Tensor<1>>,
    previous: Option<&Tensor<1>>,
) -> Option<[Tensor<1>; 2]> {
    let (x, g) = (Dense::constant(value)?, Dense::constant(gradient)?);
    let factor = match factor {
        Some(factor) => *Dense::constant(factor)?.values().first()?,
        None => 1.0,
    };
    // Without a previous change, its factor is 0, so any values can be passed.
    let (previous, momentum) = match previous {
        Some(previous) => (Dense::constant(previous)?, rule.momentum as f32),
        None => (g.clone(), 0.0),
    };
    let coefficients = [factor, momentum, rule.decay as f32, rule.rate as f32];
    let (x, g, previous) = (x.values(), g.values(), previous.values());
    let (mut change, mut y) = (Buffer::new(x.len()), Buffer::new(x.len()));
    change
        .par_chunks_mut(CHUNK_LEN)
        .zip(y.par_chunks_mut(CHUNK_LEN))
        .zip(x.par_chunks(CHUNK_LEN))
        .zip(g.par_chunks(CHUNK_LEN))
        .zip(previous.par_chunks(CHUNK_LEN))
        .for_each(|((((change, y), x), g), previous)| {
            elementwise::momentum_step(Level::best(), x, g, previous, coefficients, change, y);
        });
    Some([constant(y), constant(change)])
}
