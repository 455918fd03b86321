//! The two sub-layers of a transformer block with trained weights, each as one operation.
//!
//! As with frozen weights, each core processes some rows (or images) through the whole sub-layer. The gradients of
//! the weights, which sum over all rows, are computed afterwards, so that their rounding does not depend on the
//! division among cores. For the backward pass, the input, the input of the second linear layer, and the slope of the
//! GELU or the packed projections are stored; the normalised rows are recomputed.

use rayon::prelude::*;

use super::attention;
use super::block::{Mlp, SelfAttention, rows_per_chunk};
use super::buffer::Buffer;
use super::linear::weight_gradient;
use super::norm::{Moments, affine_gradients};
use super::softmax::RowStats;
use super::sums::sum_rows;

/// Number of tensors of a sub-layer: its input, scale and shift of the norm, and weight and bias of both linear
/// layers.
pub const TENSORS: usize = 7;

/// The values that a sub-layer stores for the backward pass, in addition to its tensors.
pub struct SublayerState {
    moments: Vec<Moments>,
    /// Computed from the output of the first linear layer: the slope of the GELU, or the packed projections.
    first: Buffer,
    /// The input of the second linear layer.
    second_input: Buffer,
    /// The row statistics of the attention scores.
    stats: Vec<RowStats>,
}

/// The gradients inside a sub-layer.
pub struct SublayerGradients {
    /// Gradient of its input.
    dx: Buffer,
    /// Gradient of the normalised rows.
    dnormed: Buffer,
    /// Gradient of the output of the first linear layer.
    dfirst: Buffer,
    /// The normalised rows, recomputed.
    normed: Buffer,
}

impl SublayerGradients {
    fn new(rows: usize, width: usize, first_outputs: usize) -> Self {
        let buffer = || Buffer::new(rows * width);
        Self {
            dx: buffer(),
            dnormed: buffer(),
            dfirst: Buffer::new(rows * first_outputs),
            normed: buffer(),
        }
    }

    /// Returns the gradients of all tensors, in the order of [`TENSORS`].
    pub fn gradients(
        self,
        x: &[f32],
        state: &SublayerState,
        g: &[f32],
        width: usize,
    ) -> [Buffer; TENSORS] {
        let rows = x.len() / width;
        let (first_outputs, second_inputs) =
            (self.dfirst.len() / rows, state.second_input.len() / rows);
        let [dgamma, dbeta] = affine_gradients(x, &state.moments, &self.dnormed, width);
        [
            self.dx,
            dgamma,
            dbeta,
            weight_gradient(&self.normed, &self.dfirst, width, first_outputs),
            sum_rows(&self.dfirst, None, first_outputs),
            weight_gradient(&state.second_input, g, second_inputs, width),
            sum_rows(g, None, width),
        ]
    }
}

/// Computes the result (rows × width) from `x` (rows × width), and the values for the backward pass.
pub fn mlp_forward(mlp: Mlp<'_>, x: &[f32]) -> (Buffer, SublayerState) {
    let (width, hidden) = (mlp.fc1.inputs, mlp.fc1.outputs);
    let rows = x.len() / width;
    let chunk = rows_per_chunk(rows, width);
    let mut y = Buffer::new(rows * width);
    let mut state = SublayerState {
        moments: vec![[0.0; 2]; rows],
        first: Buffer::new(rows * hidden),
        second_input: Buffer::new(rows * hidden),
        stats: Vec::new(),
    };
    y.par_chunks_mut(chunk * width)
        .zip(x.par_chunks(chunk * width))
        .zip(state.moments.par_chunks_mut(chunk))
        .zip(state.first.par_chunks_mut(chunk * hidden))
        .zip(state.second_input.par_chunks_mut(chunk * hidden))
        .for_each(|((((y, x), moments), slope), h)| mlp.forward_rows(x, y, moments, slope, h));
    (y, state)
}

/// Computes the gradients inside the MLP, given the gradient `g` of the result.
pub fn mlp_backward(
    mlp: Mlp<'_>,
    x: &[f32],
    state: &SublayerState,
    g: &[f32],
) -> SublayerGradients {
    let (width, hidden) = (mlp.fc1.inputs, mlp.fc1.outputs);
    let rows = x.len() / width;
    let chunk = rows_per_chunk(rows, width);
    let mut gradients = SublayerGradients::new(rows, width, hidden);
    gradients
        .dx
        .par_chunks_mut(chunk * width)
        .zip(gradients.dnormed.par_chunks_mut(chunk * width))
        .zip(gradients.dfirst.par_chunks_mut(chunk * hidden))
        .zip(gradients.normed.par_chunks_mut(chunk * width))
        .zip(x.par_chunks(chunk * width))
        .zip(g.par_chunks(chunk * width))
        .zip(state.moments.par_chunks(chunk))
        .zip(state.first.par_chunks(chunk * hidden))
        .for_each(|(((((((dx, dnormed), dh), normed), x), g), moments), slope)| {
            mlp.backward_rows((x, moments, slope), g, dx, dnormed, dh);
            mlp.norm_residual.forward_norm(x, normed, &mut vec![[0.0; 2]; moments.len()]);
        });
    gradients
}

/// Computes the result (batch × tokens × width) from `x` of the same shape, and the values for the backward pass.
pub fn attention_forward(layer: SelfAttention<'_>, x: &[f32]) -> (Buffer, SublayerState) {
    let attention::Shape { tokens, heads, width } = layer.shape;
    let image_len = tokens * width;
    let batch = x.len() / image_len;
    let chunk = layer.images_per_chunk(batch);
    let mut y = Buffer::new(x.len());
    let mut state = SublayerState {
        moments: vec![[0.0; 2]; batch * tokens],
        first: Buffer::new(3 * x.len()),
        second_input: Buffer::new(x.len()),
        stats: vec![[0.0; 2]; batch * heads * tokens],
    };
    y.par_chunks_mut(chunk * image_len)
        .zip(x.par_chunks(chunk * image_len))
        .zip(state.moments.par_chunks_mut(chunk * tokens))
        .zip(state.first.par_chunks_mut(3 * chunk * image_len))
        .zip(state.second_input.par_chunks_mut(chunk * image_len))
        .zip(state.stats.par_chunks_mut(chunk * heads * tokens))
        .enumerate()
        .for_each(|(part, (((((y, x), moments), packed), head_outputs), stats))| {
            layer.forward_images(part * chunk, x, y, (moments, stats), packed, head_outputs);
        });
    (y, state)
}

/// Computes the gradients inside the self-attention, given the gradient `g` of the result.
pub fn attention_backward(
    layer: SelfAttention<'_>,
    x: &[f32],
    state: &SublayerState,
    g: &[f32],
) -> SublayerGradients {
    let attention::Shape { tokens, heads, width } = layer.shape;
    let image_len = tokens * width;
    let chunk = layer.images_per_chunk(x.len() / image_len);
    let mut gradients = SublayerGradients::new(x.len() / width, width, 3 * width);
    gradients
        .dx
        .par_chunks_mut(chunk * image_len)
        .zip(gradients.dnormed.par_chunks_mut(chunk * image_len))
        .zip(gradients.dfirst.par_chunks_mut(3 * chunk * image_len))
        .zip(gradients.normed.par_chunks_mut(chunk * image_len))
        .zip(x.par_chunks(chunk * image_len))
        .zip(g.par_chunks(chunk * image_len))
        .zip(state.moments.par_chunks(chunk * tokens))
        .zip(state.first.par_chunks(3 * chunk * image_len))
        .zip(state.stats.par_chunks(chunk * heads * tokens))
        .enumerate()
        .for_each(
            |(part, ((((((((dx, dnormed), dqkv), normed), x), g), moments), packed), stats))| {
                let activations = (moments, packed, stats);
                layer.backward_images(part * chunk, x, activations, g, dx, (dnormed, dqkv));
                layer.norm_residual.forward_norm(x, normed, &mut vec![[0.0; 2]; moments.len()]);
            },
        );
    gradients
}
