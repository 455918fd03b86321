//! The two sub-layers of a transformer block, each as one operation, with weights that are trained.
//!
//! As with frozen weights a core takes some rows (or images) through the whole sub-layer. Products
//! that sum over all rows, the gradients of the weights, follow when the rows are done: their last
//! digits do not depend on who took which. Kept for the backward are, beside the input, what the
//! second linear map read and the slope of the GELU or the packed projections; the normalised rows
//! are computed again.

use rayon::prelude::*;

use super::attention::{self, Scratch};
use super::block::{Mlp, SelfAttention, share};
use super::buffer::Buffer;
use super::elementwise;
use super::gemm::{Matrix, Store, product};
use super::linear::weight_gradient;
use super::norm::{Moments, own_gradients};
use super::simd::Level;
use super::softmax::RowStats;
use super::sums::sum_of_rows;

/// The tensors of a sub-layer: its input, scale and shift of the norm, weight and bias of both
/// linear maps.
pub const TENSORS: usize = 7;

/// What a sub-layer keeps beside its tensors.
pub struct Kept {
    moments: Vec<Moments>,
    /// What the first linear map made: the slope of the GELU, or the packed projections.
    first: Buffer,
    /// What the second linear map read.
    second: Buffer,
    /// Of the attention's scores.
    stats: Vec<RowStats>,
}

/// Gradients on the way through a sub-layer.
pub struct Way {
    /// For its input.
    dx: Buffer,
    /// For the normalised rows.
    inner: Buffer,
    /// For what the first linear map gave.
    between: Buffer,
    /// The normalised rows themselves.
    normal: Buffer,
}

impl Way {
    fn new(rows: usize, width: usize, between: usize) -> Self {
        let wide = || Buffer::new(rows * width);
        Self {
            dx: wide(),
            inner: wide(),
            between: Buffer::new(rows * between),
            normal: wide(),
        }
    }

    /// The gradients for all tensors, in their order.
    pub fn gradients(self, x: &[f32], kept: &Kept, g: &[f32], width: usize) -> [Buffer; TENSORS] {
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

/// Result (rows × width) and what the backward needs, from `x` (rows × width).
pub fn mlp_forward(own: Mlp<'_>, x: &[f32]) -> (Buffer, Kept) {
    let Mlp { around, fc1, fc2 } = own;
    let (width, hidden) = (fc1.inputs, fc1.outputs);
    let rows = x.len() / width;
    let share = share(rows);
    let mut y = Buffer::new(rows * width);
    let mut kept = Kept {
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
        .for_each(|((((y, x), moments), slope), h)| {
            let rows = moments.len();
            let mut scratch = Buffer::new(x.len());
            let e = around.enter(x, &mut scratch, moments);
            let store = fc1.start(h);
            let e = Matrix::new(e, rows, width, width);
            product(h, hidden, store, e, fc1.matrix());
            elementwise::gelu_with_slope(Level::best(), h, slope);
            let store = fc2.start(y);
            let h = Matrix::new(h, rows, hidden, hidden);
            product(y, width, store, h, fc2.matrix());
            around.leave(x, y);
        });
    (y, kept)
}

/// The way back from `g` for the result.
pub fn mlp_backward(own: Mlp<'_>, x: &[f32], kept: &Kept, g: &[f32]) -> Way {
    let Mlp { around, fc1, fc2 } = own;
    let (width, hidden) = (fc1.inputs, fc1.outputs);
    let rows = x.len() / width;
    let share = share(rows);
    let mut way = Way::new(rows, width, hidden);
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
                let rows = moments.len();
                let output = Matrix::new(g, rows, width, width);
                product(
                    dh,
                    hidden,
                    Store::Replace,
                    output,
                    fc2.matrix().transposed(),
                );
                elementwise::multiply(Level::best(), dh, slope);
                let dh = Matrix::new(dh, rows, hidden, hidden);
                product(inner, width, Store::Replace, dh, fc1.matrix().transposed());
                around.back(x, moments, inner, g, dx);
                around.enter(x, normal, &mut vec![[0.0; 2]; rows]);
            },
        );
    way
}

/// Result (batch × tokens × width) and what the backward needs, from `x` of the same shape.
pub fn attention_forward(own: SelfAttention<'_>, x: &[f32]) -> (Buffer, Kept) {
    let attention::Shape {
        tokens,
        heads,
        width,
    } = own.shape;
    let image = tokens * width;
    let batch = x.len() / image;
    let share = own.share(batch);
    let mut y = Buffer::new(x.len());
    let mut kept = Kept {
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
        .for_each(|(((((y, x), moments), packed), mixed), stats)| {
            let rows = moments.len();
            // The normalised rows lie where the heads' results will.
            let e = own.around.enter(x, mixed, moments);
            let store = own.qkv.start(packed);
            let e = Matrix::new(e, rows, width, width);
            product(packed, 3 * width, store, e, own.qkv.matrix());
            let mut scores = Buffer::new(own.shape.scores());
            let images = packed
                .chunks_exact(3 * image)
                .zip(mixed.chunks_exact_mut(image))
                .zip(stats.chunks_exact_mut(heads * tokens));
            for ((packed, mixed), stats) in images {
                attention::forward_image(own.shape, packed, &[], mixed, stats, &mut scores);
            }
            let store = own.proj.start(y);
            let mixed = Matrix::new(mixed, rows, width, width);
            product(y, width, store, mixed, own.proj.matrix());
            own.around.leave(x, y);
        });
    (y, kept)
}

/// The way back from `g` for the result.
pub fn attention_backward(own: SelfAttention<'_>, x: &[f32], kept: &Kept, g: &[f32]) -> Way {
    let attention::Shape {
        tokens,
        heads,
        width,
    } = own.shape;
    let image = tokens * width;
    let share = own.share(x.len() / image);
    let mut way = Way::new(x.len() / width, width, 3 * width);
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
        .for_each(
            |((((((((dx, inner), dqkv), normal), x), g), moments), packed), stats)| {
                let rows = moments.len();
                let output = Matrix::new(g, rows, width, width);
                // For the heads' results, where that for the normalised rows will lie.
                let back = own.proj.matrix().transposed();
                product(inner, width, Store::Replace, output, back);
                let mut scratch = Scratch::new(own.shape);
                let images = packed
                    .chunks_exact(3 * image)
                    .zip(inner.chunks_exact(image))
                    .zip(dqkv.chunks_exact_mut(3 * image))
                    .zip(stats.chunks_exact(heads * tokens));
                for (((packed, g), dqkv), stats) in images {
                    attention::backward_image(own.shape, packed, &[], stats, g, dqkv, &mut scratch);
                }
                let dqkv = Matrix::new(dqkv, rows, 3 * width, 3 * width);
                let back = own.qkv.matrix().transposed();
                product(inner, width, Store::Replace, dqkv, back);
                own.around.back(x, moments, inner, g, dx);
                own.around.enter(x, normal, &mut vec![[0.0; 2]; rows]);
            },
        );
    way
}
