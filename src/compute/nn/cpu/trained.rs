//! Layers with trained weights: the linear layer and the attention with a trained bias. Also the step of SGD, in a
//! single pass over the values.

use std::sync::Arc;

use burn::tensor::Tensor;
use lae_kernels::attention::{self, Bias, Shape};
use lae_kernels::buffer::Buffer;
use lae_kernels::elementwise;
use lae_kernels::linear::{self, Numbers, Weights};
use lae_kernels::simd::Level;
use lae_kernels::sums::{PIECE, sum_of_rows};
use rayon::prelude::*;

use super::glue::{Dense, Gradient, Input, Run, apply, constant, to_input};
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
        Some(bias) => linear_of([x, weight, to_input(bias)?], shape, sizes),
        None => linear_of([x, weight], shape, sizes),
    })
}

/// Computes [`linear`] of input, weight and optional bias.
fn linear_of<const N: usize, const D: usize>(
    tensors: [Input; N],
    shape: [usize; D],
    [outputs, inputs]: [usize; 2],
) -> Tensor<D> {
    apply(tensors, shape, |tensors, tracked| {
        let y = linear::forward(
            tensors[0].numbers(),
            weights(&tensors[1..], [outputs, inputs]),
        );
        let back = tracked.then(|| {
            let back: Run<N> = Arc::new(move |g, wanted| {
                let gradient = |which: usize| match which {
                    0 => linear::backward(g, weights(&tensors[1..], [outputs, inputs])),
                    1 => linear::weight_gradient(tensors[0].numbers(), g, inputs, outputs),
                    _ => sum_of_rows(g, None, outputs),
                };
                std::array::from_fn(|i| wanted[i].then(|| Gradient::Own(gradient(i))))
            });
            back
        });
        (y, back)
    })
}

/// Returns a trained weight with its optional bias.
pub(super) fn weights(tensors: &[Dense], [outputs, inputs]: [usize; 2]) -> Weights<'_> {
    let numbers = |which: usize| tensors.get(which).map_or(&[][..], Dense::numbers);
    Weights {
        weight: Numbers::F32(numbers(0)),
        turned: true,
        bias: numbers(1),
        inputs,
        outputs,
    }
}

/// Computes softmax attention with a trained bias; see [`crate::nn::attention`].
pub fn attention(qkv: &Tensor<3>, shape: Shape, bias: &Tensor<4>) -> Option<Tensor<3>> {
    let [batch, tokens, _] = qkv.dims();
    let tensors = [to_input(qkv)?, to_input(bias)?];
    let result = [batch, tokens, shape.width];
    Some(apply(tensors, result, |[qkv, bias], tracked| {
        let (y, stats) = attention::forward(shape, qkv.numbers(), Bias(bias.numbers()));
        let back = tracked.then(|| {
            let back: Run<2> = Arc::new(move |g, [to_qkv, to_bias]| {
                let bias = Bias(bias.numbers());
                let both = attention::backward_to_both(shape, qkv.numbers(), bias, &stats, g);
                let [dqkv, dbias] = both.map(Gradient::Own);
                [to_qkv.then_some(dqkv), to_bias.then_some(dbias)]
            });
            back
        });
        (y, back)
    }))
}

/// Performs a step of SGD with momentum; see [`Momentum::step`].
pub fn momentum_step(
    rule: Momentum,
    value: &Tensor<1>,
    gradient: &Tensor<1>,
    factor: Option<&Tensor<1>>,
    former: Option<&Tensor<1>>,
) -> Option<[Tensor<1>; 2]> {
    let (x, g) = (Dense::constant(value)?, Dense::constant(gradient)?);
    let factor = match factor {
        Some(factor) => *Dense::constant(factor)?.numbers().first()?,
        None => 1.0,
    };
    // Without a previous change, its factor is 0, so any values can be passed.
    let (former, momentum) = match former {
        Some(former) => (Dense::constant(former)?, rule.momentum as f32),
        None => (g.clone(), 0.0),
    };
    let numbers = [factor, momentum, rule.decay as f32, rule.rate as f32];
    let (x, g, former) = (x.numbers(), g.numbers(), former.numbers());
    let (mut change, mut y) = (Buffer::new(x.len()), Buffer::new(x.len()));
    change
        .par_chunks_mut(PIECE)
        .zip(y.par_chunks_mut(PIECE))
        .zip(x.par_chunks(PIECE))
        .zip(g.par_chunks(PIECE))
        .zip(former.par_chunks(PIECE))
        .for_each(|((((change, y), x), g), former)| {
            elementwise::momentum_step(Level::best(), x, g, former, numbers, change, y);
        });
    Some([constant(y), constant(change)])
}
