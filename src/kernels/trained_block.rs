//! The two sub-layers of a transformer block with trained weights, each as one operation.
//!
//! As with frozen weights, each core processes some rows (or images) through the whole sub-layer. The gradients of
//! the weights, which sum over all rows, are computed afterwards, so that their rounding does not depend on the
//! division among cores. For the backward pass, the input, the input of the second linear layer, and the slope of the
//! GELU or the packed projections are stored; the normalised rows are recomputed.

use rayon::prelude::*;

use super::attention;
use super::block::{Mlp, SelfAttention, share};
use super::buffer::Buffer;
use super::linear::weight_gradient;
use super::norm::{Moments, own_gradients};
use super::softmax::RowStats;
use super::sums::sum_of_rows;

/// Number of tensors of a sub-layer: its input, scale and shift of the norm, and weight and bias of both linear
/// layers.
pub const TENSORS: usize = 7;

/// The values that a sub-layer stores for the backward pass, in addition to its tensors.
pub struct SublayerState {
    moments: Vec<Moments>,
    /// Computed from the output of the first linear layer: the slope of the GELU, or the packed projections.
    first: Buffer,
    /// The input of the second linear layer.
    second: Buffer,
    /// The row statistics of the attention scores.
    stats: Vec<RowStats>,
}

/// The gradients inside a sub-layer.
pub struct SublayerGradients {
    /// Gradient of its input.
    dx: Buffer,
    /// Gradient of the normalised rows.
    inner: Buffer,
    /// Gradient of the output of the first linear layer.
    between: Buffer,
    /// The normalised rows, recomputed.
    normal: Buffer,
}

impl SublayerGradients {
    fn new(rows: usize, width: usize, between: usize) -> Self {
        let wide = || Buffer::new(rows * width);
        Self {
            dx: wide(),
            inner: wide(),
            between: Buffer::new(rows * between),
            normal: wide(),
        }
    }

    /// Returns the gradients of all tensors, in the order of [`TENSORS`].
    pub fn gradients(
        self,
        x: &[f32],
        kept: &SublayerState,
        g: &[f32],
        width: usize,
    ) -> [Buffer; TENSORS] {
        let rows = x.len() / width;
        let (between, read) = (self.between.len() / rows, kept.second.len() / rows);
        let [dgamma, dbeta] = own_gradients(x, &kept.moments, &self.inner, width);
        [
            self.dx,
            dgamma,
            dbeta,
            weight_gradient(&self.normal, &self.between, width, between),
            sum_of_rows(&self.between, None, between),
            weight_gradient(&kept.second, g, read, width),
            sum_of_rows(g, None, width),
        ]
    }
}

/// Computes the result (rows × width) from `x` (rows × width), and the values for the backward pass.
pub fn mlp_forward(own: Mlp<'_>, x: &[f32]) -> (Buffer, SublayerState) {
    let (width, hidden) = (own.fc1.inputs, own.fc1.outputs);
    let rows = x.len() / width;
    let share = share(rows, width);
    let mut y = Buffer::new(rows * width);
    let mut kept = SublayerState {
        moments: vec![[0.0; 2]; rows],
        first: Buffer::new(rows * hidden),
        second: Buffer::new(rows * hidden),
        stats: Vec::new(),
    };
    y.par_chunks_mut(share * width)
        .zip(x.par_chunks(share * width))
        .zip(kept.moments.par_chunks_mut(share))
        .zip(kept.first.par_chunks_mut(share * hidden))
        .zip(kept.second.par_chunks_mut(share * hidden))
        .for_each(|((((y, x), moments), slope), h)| own.forward_rows(x, y, moments, slope, h));
    (y, kept)
}

/// Computes the gradients inside the MLP, given the gradient `g` of the result.
pub fn mlp_backward(own: Mlp<'_>, x: &[f32], kept: &SublayerState, g: &[f32]) -> SublayerGradients {
    let (width, hidden) = (own.fc1.inputs, own.fc1.outputs);
    let rows = x.len() / width;
    let share = share(rows, width);
    let mut way = SublayerGradients::new(rows, width, hidden);
    way.dx
        .par_chunks_mut(share * width)
        .zip(way.inner.par_chunks_mut(share * width))
        .zip(way.between.par_chunks_mut(share * hidden))
        .zip(way.normal.par_chunks_mut(share * width))
        .zip(x.par_chunks(share * width))
        .zip(g.par_chunks(share * width))
        .zip(kept.moments.par_chunks(share))
        .zip(kept.first.par_chunks(share * hidden))
        .for_each(
            |(((((((dx, inner), dh), normal), x), g), moments), slope)| {
                own.backward_rows((x, moments, slope), g, dx, inner, dh);
                own.around
                    .enter(x, normal, &mut vec![[0.0; 2]; moments.len()]);
            },
        );
    way
}

/// Computes the result (batch × tokens × width) from `x` of the same shape, and the values for the backward pass.
pub fn attention_forward(own: SelfAttention<'_>, x: &[f32]) -> (Buffer, SublayerState) {
    let attention::Shape {
        tokens,
        heads,
        width,
    } = own.shape;
    let image = tokens * width;
    let batch = x.len() / image;
    let share = own.share(batch);
    let mut y = Buffer::new(x.len());
    let mut kept = SublayerState {
        moments: vec![[0.0; 2]; batch * tokens],
        first: Buffer::new(3 * x.len()),
        second: Buffer::new(x.len()),
        stats: vec![[0.0; 2]; batch * heads * tokens],
    };
    y.par_chunks_mut(share * image)
        .zip(x.par_chunks(share * image))
        .zip(kept.moments.par_chunks_mut(share * tokens))
        .zip(kept.first.par_chunks_mut(3 * share * image))
        .zip(kept.second.par_chunks_mut(share * image))
        .zip(kept.stats.par_chunks_mut(share * heads * tokens))
        .enumerate()
        .for_each(|(part, (((((y, x), moments), packed), mixed), stats))| {
            own.forward_images(part * share, x, y, (moments, stats), packed, mixed);
        });
    (y, kept)
}

/// Computes the gradients inside the self-attention, given the gradient `g` of the result.
pub fn attention_backward(
    own: SelfAttention<'_>,
    x: &[f32],
    kept: &SublayerState,
    g: &[f32],
) -> SublayerGradients {
    let attention::Shape {
        tokens,
        heads,
        width,
    } = own.shape;
    let image = tokens * width;
    let share = own.share(x.len() / image);
    let mut way = SublayerGradients::new(x.len() / width, width, 3 * width);
    way.dx
        .par_chunks_mut(share * image)
        .zip(way.inner.par_chunks_mut(share * image))
        .zip(way.between.par_chunks_mut(3 * share * image))
        .zip(way.normal.par_chunks_mut(share * image))
        .zip(x.par_chunks(share * image))
        .zip(g.par_chunks(share * image))
        .zip(kept.moments.par_chunks(share * tokens))
        .zip(kept.first.par_chunks(3 * share * image))
        .zip(kept.stats.par_chunks(share * heads * tokens))
        .enumerate()
        .for_each(
            |(part, ((((((((dx, inner), dqkv), normal), x), g), moments), packed), stats))| {
                let kept = (moments, packed, stats);
                own.backward_images(part * share, x, kept, g, dx, (inner, dqkv));
                own.around
                    .enter(x, normal, &mut vec![[0.0; 2]; moments.len()]);
            },
        );
    way
}
