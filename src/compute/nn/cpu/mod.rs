//! Operations of layers on the CPU device, each with the gradient for its input and, if they may be trained, for the
//! weights.
//!
//! The framework's CPU device computes element-wise functions, softmax and layer norm on one core and as several
//! operations when gradients are needed. Here each layer is one operation on all cores, with vector instructions chosen
//! at run time, and results that are cheap to recompute are not stored. A function returns `None` if it does not apply
//! (another device, another number format); the caller then uses the framework's operations.

mod autodiff;
mod bytes;
mod pairs;
mod prefixed;
mod trained;
mod trained_block;

use std::sync::Arc;

use burn::tensor::Tensor;
use half::bf16;
use lae_kernels::block::{Mlp, Norm, NormResidual, SelfAttention};
use lae_kernels::buffer::Buffer;
use lae_kernels::linear::{self, WeightValues, Weights};
use lae_kernels::rotary::Angles;
use lae_kernels::rows::Order;
use lae_kernels::simd::Level;
use lae_kernels::sums::{CHUNK_LEN, rows_per_chunk, sum_rows};
use lae_kernels::{attention, depthwise, elementwise, norm, softmax};
use rayon::prelude::*;

use super::{Frame, LayerNorm, Linear, Matrix};
use autodiff::{BackwardFn, Dense, Gradient, apply, backward_if, to_input};

pub use pairs::{add, multiply, project, sum_of_squares};
pub use prefixed::prefixed_attention;
pub use trained::{linear as trained_linear, momentum_step};
pub use trained_block::{mlp as trained_mlp, self_attention as trained_attention};

/// Returns whether this module computes operations on such a tensor.
pub fn is_supported<const D: usize>(x: &Tensor<D>) -> bool {
    to_input(x).is_some()
}

/// Computes `x · Φ(x)`.
pub fn gelu<const D: usize>(x: &Tensor<D>) -> Option<Tensor<D>> {
    let input = to_input(x)?;
    Some(apply([input], x.dims(), |[x], tracked| {
        let level = Level::best();
        let mut y = Buffer::new(x.values().len());
        y.par_chunks_mut(CHUNK_LEN)
            .zip(x.values().par_chunks(CHUNK_LEN))
            .for_each(|(y, x)| elementwise::gelu(level, x, y));
        let backward = unary_backward(tracked, move |g| {
            let mut dx = Buffer::new(g.len());
            dx.par_chunks_mut(CHUNK_LEN)
                .zip(x.values().par_chunks(CHUNK_LEN))
                .zip(g.par_chunks(CHUNK_LEN))
                .for_each(|((dx, x), g)| elementwise::gelu_backward(level, x, g, dx));
            dx
        });
        (y, backward)
    }))
}

/// Computes SwiGLU of gates and values side by side; see [`super::swiglu`].
pub fn swiglu(x: &Tensor<3>) -> Option<Tensor<3>> {
    let input = to_input(x)?;
    let [batch, tokens, width] = x.dims();
    let hidden = width / 2;
    let rows = rows_per_chunk(width);
    Some(apply([input], [batch, tokens, hidden], |[x], tracked| {
        let level = Level::best();
        let mut y = Buffer::new(batch * tokens * hidden);
        y.par_chunks_mut(rows * hidden).zip(x.values().par_chunks(rows * width)).for_each(
            |(y, x)| {
                for (y, x) in y.chunks_exact_mut(hidden).zip(x.chunks_exact(width)) {
                    elementwise::swiglu(level, &x[..hidden], &x[hidden..], y);
                }
            },
        );
        let backward = unary_backward(tracked, move |g| {
            let mut dx = Buffer::new(x.values().len());
            dx.par_chunks_mut(rows * width)
                .zip(x.values().par_chunks(rows * width))
                .zip(g.par_chunks(rows * hidden))
                .for_each(|((dx, x), g)| {
                    let each = dx.chunks_exact_mut(width).zip(x.chunks_exact(width));
                    for ((dx, x), g) in each.zip(g.chunks_exact(hidden)) {
                        let (da, db) = dx.split_at_mut(hidden);
                        let (a, b) = x.split_at(hidden);
                        elementwise::swiglu_backward(level, a, b, g, da, db);
                    }
                });
            dx
        });
        (y, backward)
    }))
}

/// Rotates queries and keys; see [`super::Rotation`].
pub fn rotate(qkv: &Tensor<3>, angles: &Arc<Angles>) -> Option<Tensor<3>> {
    let input = to_input(qkv)?;
    let [_, tokens, packed] = qkv.dims();
    Some(apply([input], qkv.dims(), |[qkv], tracked| {
        let angles = angles.clone();
        let y = angles.rotate(qkv.values(), tokens, packed / 3, false);
        let backward = unary_backward(tracked, move |g| angles.rotate(g, tokens, packed / 3, true));
        (y, backward)
    }))
}

/// Returns the rows of every image in another order.
pub fn reorder(x: &Tensor<3>, order: &Arc<Order>) -> Option<Tensor<3>> {
    let (input, order) = (to_input(x)?, order.clone());
    let [batch, _, width] = x.dims();
    Some(apply([input], [batch, order.len(), width], |[x], tracked| {
        let y = order.gather(x.values(), width);
        (y, unary_backward(tracked, move |g| order.backward(g, width)))
    }))
}

/// Computes the softmax over the last axis.
pub fn softmax<const D: usize>(x: &Tensor<D>) -> Option<Tensor<D>> {
    let input = to_input(x)?;
    let shape = x.dims();
    let width = *shape.last()?;
    Some(apply([input], shape, |[x], tracked| {
        let level = Level::best();
        let piece = rows_per_chunk(width) * width;
        let mut y = Buffer::new(x.values().len());
        y.par_chunks_mut(piece.max(1)).zip(x.values().par_chunks(piece.max(1))).for_each(
            |(y, x)| {
                y.copy_from_slice(x);
                let mut stats = vec![[0.0; 2]; y.len() / width];
                softmax::softmax_rows(level, y, width, width, 1.0, &[], &mut stats);
            },
        );
        if !tracked {
            return (y, None);
        }
        let mut probabilities = Buffer::new(y.len());
        probabilities.copy_from_slice(&y);
        let backward = unary_backward(true, move |g| {
            let mut dx = Buffer::new(g.len());
            dx.par_chunks_mut(piece)
                .zip(probabilities.par_chunks(piece))
                .zip(g.par_chunks(piece))
                .for_each(|((dx, p), g)| {
                    dx.copy_from_slice(g);
                    softmax::softmax_backward(level, p, dx, width, width, 1.0);
                });
            dx
        });
        (y, backward)
    }))
}

/// Computes the layer norm over the last axis; scale and shift may be trained.
pub fn layer_norm<const D: usize>(
    x: &Tensor<D>,
    gamma: &Tensor<1>,
    beta: &Tensor<1>,
    epsilon: f64,
) -> Option<Tensor<D>> {
    let inputs = [to_input(x)?, to_input(gamma)?, to_input(beta)?];
    let [width] = gamma.dims();
    Some(apply(inputs, x.dims(), |[x, gamma, beta], tracked| {
        let level = Level::best();
        let rows = rows_per_chunk(width);
        let mut y = Buffer::new(x.values().len());
        let mut moments = vec![[0.0; 2]; x.values().len() / width];
        y.par_chunks_mut(rows * width)
            .zip(x.values().par_chunks(rows * width))
            .zip(moments.par_chunks_mut(rows))
            .for_each(|((y, x), moments)| {
                let (gamma, beta) = (gamma.values(), beta.values());
                norm::layer_norm(level, x, gamma, beta, epsilon as f32, y, moments);
            });
        let backward = backward_if(tracked, move |g, [wants_x, wants_gamma, wants_beta]| {
            let (x, gamma) = (x.values(), gamma.values());
            let gradients =
                (wants_gamma || wants_beta).then(|| norm::affine_gradients(x, &moments, g, width));
            let [gamma_gradient, beta_gradient] = gradients
                .map_or([None, None], |gradients| gradients.map(Gradient::Values).map(Some));
            [
                wants_x.then(|| Gradient::Values(norm::backward(x, gamma, &moments, g))),
                gamma_gradient,
                beta_gradient,
            ]
        });
        (y, backward)
    }))
}

/// Computes `x · weight + bias` with constant weight and bias.
pub fn linear<const D: usize>(x: &Tensor<D>, layer: &Linear) -> Option<Tensor<D>> {
    let layer = FrozenLinear::new(layer)?;
    let input = to_input(x)?;
    let mut shape = x.dims();
    *shape.last_mut()? = layer.outputs;
    Some(apply([input], shape, |[x], tracked| {
        let y = linear::forward(x.values(), layer.weights());
        let backward = unary_backward(tracked, move |g| linear::backward(g, layer.weights()));
        (y, backward)
    }))
}

/// Computes softmax attention on packed queries, keys and values; see [`super::attention`].
pub fn attention(qkv: &Tensor<3>, heads: usize, bias: Option<&Tensor<4>>) -> Option<Tensor<3>> {
    let [batch, tokens, packed] = qkv.dims();
    let shape = attention::Shape { tokens, heads, width: packed / 3 };
    let bias = match bias {
        Some(bias) => match Dense::constant(bias) {
            Some(bias) => Some(bias),
            None => return trained::attention(qkv, shape, bias),
        },
        None => None,
    };
    let input = to_input(qkv)?;
    let result_shape = [batch, tokens, shape.width];
    Some(apply([input], result_shape, |[qkv], tracked| {
        let (y, stats) = attention::forward(shape, qkv.values(), scores_bias(&bias));
        let backward = unary_backward(tracked, move |g| {
            attention::backward(shape, qkv.values(), scores_bias(&bias), &stats, g)
        });
        (y, backward)
    }))
}

fn scores_bias(bias: &Option<Dense>) -> attention::Bias<'_> {
    attention::Bias(bias.as_ref().map_or(&[], Dense::values))
}

/// Computes a depthwise 7 × 7 convolution of tokens; `kernel` is 49 × channels. Kernel and bias may be trained.
pub fn depthwise7(
    x: &Tensor<3>,
    [rows, columns]: [usize; 2],
    kernel: &Tensor<2>,
    bias: &Tensor<1>,
) -> Option<Tensor<3>> {
    let inputs = [to_input(x)?, to_input(kernel)?, to_input(bias)?];
    let shape = depthwise::Shape { rows, columns, channels: x.dims()[2] };
    Some(apply(inputs, x.dims(), |[x, kernel, bias], tracked| {
        let y = depthwise::convolve(shape, x.values(), kernel.values(), bias.values(), false);
        let backward = backward_if(tracked, move |g, [wants_x, wants_kernel, wants_bias]| {
            let input_gradient = || depthwise::convolve(shape, g, kernel.values(), &[], true);
            let kernel_gradient = || depthwise::kernel_gradient(shape, x.values(), g);
            let bias_gradient = || sum_rows(g, None, shape.channels);
            [
                wants_x.then(|| Gradient::Values(input_gradient())),
                wants_kernel.then(|| Gradient::Values(kernel_gradient())),
                wants_bias.then(|| Gradient::Values(bias_gradient())),
            ]
        });
        (y, backward)
    }))
}

/// Computes a frozen MLP as one operation; see [`super::mlp`].
pub fn mlp(x: &Tensor<3>, frame: Frame<'_>, fc1: &Linear, fc2: &Linear) -> Option<Tensor<3>> {
    let frame = FrozenFrame::new(frame)?;
    let [fc1, fc2] = [FrozenLinear::new(fc1)?, FrozenLinear::new(fc2)?];
    let input = to_input(x)?;
    Some(apply([input], x.dims(), |[x], tracked| {
        let layer = (frame, fc1, fc2);
        let (y, saved) = as_mlp(&layer).forward(x.values(), tracked);
        let backward = saved.and_then(|saved| {
            unary_backward(true, move |g| as_mlp(&layer).backward(x.values(), &saved, g))
        });
        (y, backward)
    }))
}

fn as_mlp((frame, fc1, fc2): &(FrozenFrame, FrozenLinear, FrozenLinear)) -> Mlp<'_> {
    Mlp { norm_residual: frame.norm_residual(), fc1: fc1.weights(), fc2: fc2.weights() }
}

/// Computes a frozen self-attention as one operation, parallel over images; see [`super::self_attention`]. `None`
/// also if there are fewer images than cores, where parallelism over heads and rows is faster.
pub fn self_attention(
    x: &Tensor<3>,
    frame: Frame<'_>,
    [qkv, proj]: [&Linear; 2],
    heads: usize,
    bias: Option<&Tensor<4>>,
) -> Option<Tensor<3>> {
    let [batch, tokens, width] = x.dims();
    if batch < rayon::current_num_threads() {
        return None;
    }
    let bias = match bias {
        Some(bias) => Some(Dense::constant(bias)?),
        None => None,
    };
    let shape = attention::Shape { tokens, heads, width };
    let layer = FrozenAttention {
        frame: FrozenFrame::new(frame)?,
        qkv: FrozenLinear::new(qkv)?,
        proj: FrozenLinear::new(proj)?,
        shape,
        bias,
    };
    let input = to_input(x)?;
    Some(apply([input], x.dims(), |[x], tracked| {
        let (y, saved) = layer.as_self_attention().forward(x.values(), tracked);
        let backward = saved.and_then(|saved| {
            unary_backward(true, move |g| layer.as_self_attention().backward(x.values(), &saved, g))
        });
        (y, backward)
    }))
}

/// The constants of a self-attention with its projections.
struct FrozenAttention {
    frame: FrozenFrame,
    qkv: FrozenLinear,
    proj: FrozenLinear,
    shape: attention::Shape,
    bias: Option<Dense>,
}

impl FrozenAttention {
    fn as_self_attention(&self) -> SelfAttention<'_> {
        SelfAttention {
            norm_residual: self.frame.norm_residual(),
            qkv: self.qkv.weights(),
            proj: self.proj.weights(),
            shape: self.shape,
            bias: scores_bias(&self.bias),
        }
    }
}

/// The constants of a [`Frame`].
struct FrozenFrame {
    norm: Option<(Dense, Dense, f32)>,
    residual: bool,
}

impl FrozenFrame {
    fn new(frame: Frame<'_>) -> Option<Self> {
        let constants = |norm: &LayerNorm| {
            let (gamma, beta) = (Dense::constant(&norm.gamma)?, Dense::constant(&norm.beta)?);
            Some((gamma, beta, norm.epsilon as f32))
        };
        let norm = match frame.norm {
            Some(norm) => Some(constants(norm)?),
            None => None,
        };
        Some(Self { norm, residual: frame.residual })
    }

    fn norm_residual(&self) -> NormResidual<'_> {
        let norm = self.norm.as_ref().map(|(gamma, beta, epsilon)| Norm {
            gamma: gamma.values(),
            beta: beta.values(),
            epsilon: *epsilon,
        });
        NormResidual { norm, residual: self.residual }
    }
}

/// Returns the backward function of an operation with one input, if it is tracked.
fn unary_backward(
    tracked: bool,
    gradient: impl Fn(&[f32]) -> Buffer + Send + Sync + 'static,
) -> Option<BackwardFn<1>> {
    backward_if(tracked, move |g, [wanted]| [wanted.then(|| Gradient::Values(gradient(g)))])
}

/// A linear layer with constant weights.
#[derive(Clone)]
struct FrozenLinear {
    weight: FrozenWeight,
    bias: Option<Dense>,
    inputs: usize,
    outputs: usize,
}

/// The weight, inputs × outputs.
#[derive(Clone)]
enum FrozenWeight {
    F32(Dense),
    Bf16(Arc<[bf16]>),
}

impl FrozenLinear {
    fn new(layer: &Linear) -> Option<Self> {
        let ([inputs, outputs], weight) = match &layer.matrix {
            Matrix::F32(weight) => {
                let values = Dense::constant(weight)?;
                (weight.dims(), FrozenWeight::F32(values))
            }
            Matrix::Bf16(rounded) => {
                let values = FrozenWeight::Bf16(rounded.values.clone());
                (rounded.shape, values)
            }
            Matrix::F16(_) | Matrix::Trained(_) => return None,
        };
        let bias = match &layer.bias {
            Some(bias) => Some(Dense::constant(bias)?),
            None => None,
        };
        Some(Self { weight, bias, inputs, outputs })
    }

    fn weights(&self) -> Weights<'_> {
        Weights {
            weight: match &self.weight {
                FrozenWeight::F32(weight) => WeightValues::F32(weight.values()),
                FrozenWeight::Bf16(weight) => WeightValues::Bf16(weight),
            },
            transposed: false,
            bias: self.bias.as_ref().map_or(&[], Dense::values),
            inputs: self.inputs,
            outputs: self.outputs,
        }
    }
}
