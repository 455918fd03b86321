//! Operations of layers on the CPU device, each with the gradient for its input and, if they may be trained, for the
//! weights.
//!
//! The framework's CPU device computes element-wise functions, softmax and layer norm on one core and as several
//! operations when gradients are needed. Here each layer is one operation on all cores, with vector instructions chosen
//! at run time, and results that are cheap to recompute are not stored. A function returns `None` if it does not apply
//! (another device, another number format); the caller then uses the framework's operations.

mod bytes;
mod glue;
mod pairs;
mod prefixed;
mod trained;
mod trained_block;

use std::sync::Arc;

use burn::tensor::Tensor;
use half::bf16;
use lae_kernels::block::{Around, Mlp, Norm, SelfAttention};
use lae_kernels::buffer::Buffer;
use lae_kernels::linear::{self, Numbers, Weights};
use lae_kernels::rotary::Angles;
use lae_kernels::rows::Order;
use lae_kernels::simd::Level;
use lae_kernels::sums::{PIECE, rows_at_once, sum_of_rows};
use lae_kernels::{attention, depthwise, elementwise, norm, softmax};
use rayon::prelude::*;

use super::{Frame, LayerNorm, Linear, Matrix};
use glue::{Dense, Gradient, apply, to_input};

pub use pairs::{plus, project, sum_of_squares, times};
pub use prefixed::prefixed_attention;
pub use trained::{linear as trained_linear, momentum_step};
pub use trained_block::{mlp as trained_mlp, self_attention as trained_attention};

/// Returns whether this module computes operations on such a tensor.
pub fn serves<const D: usize>(x: &Tensor<D>) -> bool {
    to_input(x).is_some()
}

/// Computes `x · Φ(x)`.
pub fn gelu<const D: usize>(x: &Tensor<D>) -> Option<Tensor<D>> {
    let input = to_input(x)?;
    Some(apply([input], x.dims(), |[x], tracked| {
        let level = Level::best();
        let mut y = Buffer::new(x.numbers().len());
        y.par_chunks_mut(PIECE)
            .zip(x.numbers().par_chunks(PIECE))
            .for_each(|(y, x)| elementwise::gelu(level, x, y));
        let back = one(tracked, move |g| {
            let mut dx = Buffer::new(g.len());
            dx.par_chunks_mut(PIECE)
                .zip(x.numbers().par_chunks(PIECE))
                .zip(g.par_chunks(PIECE))
                .for_each(|((dx, x), g)| elementwise::gelu_backward(level, x, g, dx));
            dx
        });
        (y, back)
    }))
}

/// Computes SwiGLU of gates and values side by side; see [`super::swiglu`].
pub fn swiglu(x: &Tensor<3>) -> Option<Tensor<3>> {
    let input = to_input(x)?;
    let [batch, tokens, width] = x.dims();
    let hidden = width / 2;
    let rows = rows_at_once(width);
    Some(apply([input], [batch, tokens, hidden], |[x], tracked| {
        let level = Level::best();
        let mut y = Buffer::new(batch * tokens * hidden);
        y.par_chunks_mut(rows * hidden)
            .zip(x.numbers().par_chunks(rows * width))
            .for_each(|(y, x)| {
                for (y, x) in y.chunks_exact_mut(hidden).zip(x.chunks_exact(width)) {
                    elementwise::swiglu(level, &x[..hidden], &x[hidden..], y);
                }
            });
        let back = one(tracked, move |g| {
            let mut dx = Buffer::new(x.numbers().len());
            dx.par_chunks_mut(rows * width)
                .zip(x.numbers().par_chunks(rows * width))
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
        (y, back)
    }))
}

/// Rotates queries and keys; see [`super::Rotation`].
pub fn rotate(qkv: &Tensor<3>, angles: &Arc<Angles>) -> Option<Tensor<3>> {
    let input = to_input(qkv)?;
    let [_, tokens, packed] = qkv.dims();
    Some(apply([input], qkv.dims(), |[qkv], tracked| {
        let angles = angles.clone();
        let y = angles.rotate(qkv.numbers(), tokens, packed / 3, false);
        let back = one(tracked, move |g| angles.rotate(g, tokens, packed / 3, true));
        (y, back)
    }))
}

/// Returns the rows of every image in another order.
pub fn in_order(x: &Tensor<3>, order: &Arc<Order>) -> Option<Tensor<3>> {
    let (input, order) = (to_input(x)?, order.clone());
    let [batch, _, width] = x.dims();
    Some(apply(
        [input],
        [batch, order.len(), width],
        |[x], tracked| {
            let y = order.of(x.numbers(), width);
            (y, one(tracked, move |g| order.back(g, width)))
        },
    ))
}

/// Computes the softmax over the last axis.
pub fn softmax<const D: usize>(x: &Tensor<D>) -> Option<Tensor<D>> {
    let input = to_input(x)?;
    let shape = x.dims();
    let width = *shape.last()?;
    Some(apply([input], shape, |[x], tracked| {
        let level = Level::best();
        let piece = rows_at_once(width) * width;
        let mut y = Buffer::new(x.numbers().len());
        y.par_chunks_mut(piece.max(1))
            .zip(x.numbers().par_chunks(piece.max(1)))
            .for_each(|(y, x)| {
                y.copy_from_slice(x);
                let mut stats = vec![[0.0; 2]; y.len() / width];
                softmax::softmax_rows(level, y, width, width, 1.0, &[], &mut stats);
            });
        if !tracked {
            return (y, None);
        }
        let mut kept = Buffer::new(y.len());
        kept.copy_from_slice(&y);
        let back = one(true, move |g| {
            let mut dx = Buffer::new(g.len());
            dx.par_chunks_mut(piece)
                .zip(kept.par_chunks(piece))
                .zip(g.par_chunks(piece))
                .for_each(|((dx, p), g)| {
                    dx.copy_from_slice(g);
                    softmax::softmax_backward(level, p, dx, width, width, 1.0);
                });
            dx
        });
        (y, back)
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
        let rows = rows_at_once(width);
        let mut y = Buffer::new(x.numbers().len());
        let mut moments = vec![[0.0; 2]; x.numbers().len() / width];
        y.par_chunks_mut(rows * width)
            .zip(x.numbers().par_chunks(rows * width))
            .zip(moments.par_chunks_mut(rows))
            .for_each(|((y, x), moments)| {
                let (gamma, beta) = (gamma.numbers(), beta.numbers());
                norm::layer_norm(level, x, gamma, beta, epsilon as f32, y, moments);
            });
        let back = tracked.then(|| {
            let back: glue::Run<3> = Arc::new(move |g, [to_x, to_gamma, to_beta]| {
                let (x, gamma) = (x.numbers(), gamma.numbers());
                let own = (to_gamma || to_beta).then(|| norm::own_gradients(x, &moments, g, width));
                let [to_gamma, to_beta] =
                    own.map_or([None, None], |own| own.map(Gradient::Own).map(Some));
                [
                    to_x.then(|| Gradient::Own(norm::gradient(x, gamma, &moments, g))),
                    to_gamma,
                    to_beta,
                ]
            });
            back
        });
        (y, back)
    }))
}

/// Computes `x · weight + bias` with constant weight and bias.
pub fn linear<const D: usize>(x: &Tensor<D>, layer: &Linear) -> Option<Tensor<D>> {
    let layer = Frozen::new(layer)?;
    let input = to_input(x)?;
    let mut shape = x.dims();
    *shape.last_mut()? = layer.outputs;
    Some(apply([input], shape, |[x], tracked| {
        let y = linear::forward(x.numbers(), layer.weights());
        let back = one(tracked, move |g| linear::backward(g, layer.weights()));
        (y, back)
    }))
}

/// Computes softmax attention on packed queries, keys and values; see [`super::attention`].
pub fn attention(qkv: &Tensor<3>, heads: usize, bias: Option<&Tensor<4>>) -> Option<Tensor<3>> {
    let [batch, tokens, packed] = qkv.dims();
    let shape = attention::Shape {
        tokens,
        heads,
        width: packed / 3,
    };
    let bias = match bias {
        Some(bias) => match Dense::constant(bias) {
            Some(bias) => Some(bias),
            None => return trained::attention(qkv, shape, bias),
        },
        None => None,
    };
    let input = to_input(qkv)?;
    let result = [batch, tokens, shape.width];
    Some(apply([input], result, |[qkv], tracked| {
        let (y, stats) = attention::forward(shape, qkv.numbers(), scores_bias(&bias));
        let back = one(tracked, move |g| {
            attention::backward(shape, qkv.numbers(), scores_bias(&bias), &stats, g)
        });
        (y, back)
    }))
}

fn scores_bias(bias: &Option<Dense>) -> attention::Bias<'_> {
    attention::Bias(bias.as_ref().map_or(&[], Dense::numbers))
}

/// Computes a depthwise 7 × 7 convolution of tokens; `kernel` is 49 × channels. Kernel and bias may be trained.
pub fn depthwise7(
    x: &Tensor<3>,
    [rows, columns]: [usize; 2],
    kernel: &Tensor<2>,
    bias: &Tensor<1>,
) -> Option<Tensor<3>> {
    let inputs = [to_input(x)?, to_input(kernel)?, to_input(bias)?];
    let shape = depthwise::Shape {
        rows,
        columns,
        channels: x.dims()[2],
    };
    Some(apply(inputs, x.dims(), |[x, kernel, bias], tracked| {
        let y = depthwise::convolve(shape, x.numbers(), kernel.numbers(), bias.numbers(), false);
        let back = tracked.then(|| {
            let back: glue::Run<3> = Arc::new(move |g, [to_x, to_kernel, to_bias]| {
                let input = || depthwise::convolve(shape, g, kernel.numbers(), &[], true);
                let own = || depthwise::kernel_gradient(shape, x.numbers(), g);
                let sum = || sum_of_rows(g, None, shape.channels);
                [
                    to_x.then(|| Gradient::Own(input())),
                    to_kernel.then(|| Gradient::Own(own())),
                    to_bias.then(|| Gradient::Own(sum())),
                ]
            });
            back
        });
        (y, back)
    }))
}

/// Computes a frozen MLP as one operation; see [`super::mlp`].
pub fn mlp(x: &Tensor<3>, frame: Frame<'_>, fc1: &Linear, fc2: &Linear) -> Option<Tensor<3>> {
    let frame = FrozenFrame::new(frame)?;
    let [fc1, fc2] = [Frozen::new(fc1)?, Frozen::new(fc2)?];
    let input = to_input(x)?;
    Some(apply([input], x.dims(), |[x], tracked| {
        let layer = (frame, fc1, fc2);
        let (y, kept) = mlp_of(&layer).forward(x.numbers(), tracked);
        let back = kept.and_then(|kept| {
            one(true, move |g| {
                mlp_of(&layer).backward(x.numbers(), &kept, g)
            })
        });
        (y, back)
    }))
}

fn mlp_of((frame, fc1, fc2): &(FrozenFrame, Frozen, Frozen)) -> Mlp<'_> {
    Mlp {
        around: frame.around(),
        fc1: fc1.weights(),
        fc2: fc2.weights(),
    }
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
    let shape = attention::Shape {
        tokens,
        heads,
        width,
    };
    let layer = FrozenAttention {
        frame: FrozenFrame::new(frame)?,
        qkv: Frozen::new(qkv)?,
        proj: Frozen::new(proj)?,
        shape,
        bias,
    };
    let input = to_input(x)?;
    Some(apply([input], x.dims(), |[x], tracked| {
        let (y, kept) = layer.whole().forward(x.numbers(), tracked);
        let back =
            kept.and_then(|kept| one(true, move |g| layer.whole().backward(x.numbers(), &kept, g)));
        (y, back)
    }))
}

/// The constants of a self-attention with its projections.
struct FrozenAttention {
    frame: FrozenFrame,
    qkv: Frozen,
    proj: Frozen,
    shape: attention::Shape,
    bias: Option<Dense>,
}

impl FrozenAttention {
    fn whole(&self) -> SelfAttention<'_> {
        SelfAttention {
            around: self.frame.around(),
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
        Some(Self {
            norm,
            residual: frame.residual,
        })
    }

    fn around(&self) -> Around<'_> {
        let norm = self.norm.as_ref().map(|(gamma, beta, epsilon)| Norm {
            gamma: gamma.numbers(),
            beta: beta.numbers(),
            epsilon: *epsilon,
        });
        Around {
            norm,
            residual: self.residual,
        }
    }
}

/// Returns the backward function of an operation with one input, if it is tracked.
fn one(
    tracked: bool,
    back: impl Fn(&[f32]) -> Buffer + Send + Sync + 'static,
) -> Option<glue::Run<1>> {
    tracked.then(|| {
        let run: glue::Run<1> =
            Arc::new(move |g, [wanted]| [wanted.then(|| Gradient::Own(back(g)))]);
        run
    })
}

/// A linear layer with constant weights.
#[derive(Clone)]
struct Frozen {
    weight: FrozenWeight,
    bias: Option<Dense>,
    inputs: usize,
    outputs: usize,
}

/// The weight, inputs × outputs.
#[derive(Clone)]
enum FrozenWeight {
    Whole(Dense),
    Rounded(Arc<[bf16]>),
}

impl Frozen {
    fn new(layer: &Linear) -> Option<Self> {
        let ([inputs, outputs], weight) = match &layer.matrix {
            Matrix::Whole(weight) => {
                let numbers = Dense::constant(weight)?;
                (weight.dims(), FrozenWeight::Whole(numbers))
            }
            Matrix::Rounded(rounded) => {
                let numbers = FrozenWeight::Rounded(rounded.values.clone());
                (rounded.shape, numbers)
            }
            Matrix::Half(_) | Matrix::Trained(_) => return None,
        };
        let bias = match &layer.bias {
            Some(bias) => Some(Dense::constant(bias)?),
            None => None,
        };
        Some(Self {
            weight,
            bias,
            inputs,
            outputs,
        })
    }

    fn weights(&self) -> Weights<'_> {
        Weights {
            weight: match &self.weight {
                FrozenWeight::Whole(weight) => Numbers::F32(weight.numbers()),
                FrozenWeight::Rounded(weight) => Numbers::Bf16(weight),
            },
            turned: false,
            bias: self.bias.as_ref().map_or(&[], Dense::numbers),
            inputs: self.inputs,
            outputs: self.outputs,
        }
    }
}
