//! The two sub-layers of a transformer block with frozen weights, each as one operation.
//!
//! Each core processes some rows (or images) through the whole sub-layer, so that intermediate results stay in its
//! cache. Only the input and the slope of the GELU or the packed projections are stored for the backward pass.
//!
//! mlp(x) = fc2(gelu(fc1(LN(x)))), attention(x) = proj(Attn(qkv(LN(x)))), each plus x with a residual.

use rayon::prelude::*;

use super::attention::{self, Bias, Scratch};
use super::buffer::Buffer;
use super::elementwise;
use super::gemm;
use super::linear::Weights;
use super::norm::{self, Moments};
use super::simd::Level;
use super::softmax::RowStats;

/// Scale and shift of a layer norm.
#[derive(Clone, Copy)]
pub struct Norm<'a> {
    /// Scale, one value per channel.
    pub gamma: &'a [f32],
    /// Shift, one value per channel.
    pub beta: &'a [f32],
    /// Value added to the variance.
    pub epsilon: f32,
}

/// The norm and residual around a sub-layer.
#[derive(Clone, Copy)]
pub struct NormResidual<'a> {
    /// `None` if the input is already normalised.
    pub norm: Option<Norm<'a>>,
    /// Whether the input is added to the output.
    pub residual: bool,
}

impl NormResidual<'_> {
    /// Returns the normalised rows: `x` itself, or written to `scratch`.
    pub(crate) fn forward_norm<'b>(
        &self,
        x: &'b [f32],
        scratch: &'b mut [f32],
        moments: &mut [Moments],
    ) -> &'b [f32] {
        let Some(norm) = self.norm else { return x };
        let scratch = &mut scratch[..x.len()];
        norm::layer_norm(Level::best(), x, norm.gamma, norm.beta, norm.epsilon, scratch, moments);
        scratch
    }

    /// Adds the input to the output with a residual. The addition is separate, as in `backward`, so that rounding is
    /// the same as with the single layers, which are used for fewer images than cores.
    pub(crate) fn add_residual(&self, x: &[f32], y: &mut [f32]) {
        if self.residual {
            elementwise::add(Level::best(), y, x);
        }
    }

    /// Computes the gradient for the input from `dnormed`, the gradient for the normalised rows, and `g`, the gradient
    /// for the output.
    pub(crate) fn backward(
        &self,
        x: &[f32],
        moments: &[Moments],
        dnormed: &[f32],
        g: &[f32],
        dx: &mut [f32],
    ) {
        let level = Level::best();
        match (self.norm, self.residual) {
            (Some(norm), true) => {
                norm::layer_norm_residual_backward(level, x, norm.gamma, moments, dnormed, g, dx);
            }
            (Some(norm), false) => {
                norm::layer_norm_backward(level, x, norm.gamma, moments, dnormed, dx);
            }
            (None, true) => {
                dx.copy_from_slice(dnormed);
                elementwise::add(level, dx, g);
            }
            (None, false) => dx.copy_from_slice(dnormed),
        }
    }
}

/// The values that a frozen MLP stores for its backward pass.
pub struct MlpActivations {
    moments: Vec<Moments>,
    slope: Buffer,
}

/// An MLP.
#[derive(Clone, Copy)]
pub struct Mlp<'a> {
    /// Norm and residual.
    pub norm_residual: NormResidual<'a>,
    /// The first linear layer, width → hidden.
    pub fc1: Weights<'a>,
    /// The second linear layer, hidden → width.
    pub fc2: Weights<'a>,
}

/// Maximum number of rows that a core processes at a time.
const MAX_ROWS: usize = 512;

pub(crate) fn rows_per_chunk(rows: usize, width: usize) -> usize {
    let threads = rayon::current_num_threads();
    let parts = threads * rows.div_ceil(threads * MAX_ROWS).max(1);
    gemm::chunk_rows(rows, parts, width)
}

impl Mlp<'_> {
    /// Returns a result of the shape of x (rows × width) and, if `save_activations`, the values for the backward pass.
    pub fn forward(&self, x: &[f32], save_activations: bool) -> (Buffer, Option<MlpActivations>) {
        let (width, hidden) = (self.fc1.inputs, self.fc1.outputs);
        let rows = x.len() / width;
        let chunk = rows_per_chunk(rows, width);
        let mut y = Buffer::new(rows * self.fc2.outputs);
        let mut moments = vec![[0.0; 2]; rows];
        let mut slope = Buffer::new(if save_activations { rows * hidden } else { 0 });
        let slopes: Vec<&mut [f32]> = if save_activations {
            slope.chunks_mut(chunk * hidden).collect()
        } else {
            (0..rows.div_ceil(chunk)).map(|_| &mut [][..]).collect()
        };
        y.par_chunks_mut(chunk * self.fc2.outputs)
            .zip(x.par_chunks(chunk * width))
            .zip(moments.par_chunks_mut(chunk))
            .zip(slopes)
            .for_each(|(((y, x), moments), slope)| {
                let mut h = Buffer::new(moments.len() * hidden);
                self.forward_rows(x, y, moments, slope, &mut h);
            });
        (y, save_activations.then_some(MlpActivations { moments, slope }))
    }

    /// Processes some rows; `slope` may be empty. `h` (rows × hidden) is the input of the second layer.
    pub(crate) fn forward_rows(
        &self,
        x: &[f32],
        y: &mut [f32],
        moments: &mut [Moments],
        slope: &mut [f32],
        h: &mut [f32],
    ) {
        let Self { norm_residual, fc1, fc2 } = *self;
        let mut scratch = Buffer::new(if norm_residual.norm.is_some() { x.len() } else { 0 });
        let normed = norm_residual.forward_norm(x, &mut scratch, moments);
        fc1.forward(normed, h);
        if slope.is_empty() {
            elementwise::gelu_in_place(Level::best(), h);
        } else {
            elementwise::gelu_with_slope(Level::best(), h, slope);
        }
        fc2.forward(h, y);
        norm_residual.add_residual(x, y);
    }

    /// Returns the gradient for x, given the gradient `g` for the result.
    pub fn backward(&self, x: &[f32], activations: &MlpActivations, g: &[f32]) -> Buffer {
        let (width, hidden) = (self.fc1.inputs, self.fc1.outputs);
        let chunk = rows_per_chunk(x.len() / width, width);
        let mut dx = Buffer::new(x.len());
        dx.par_chunks_mut(chunk * width)
            .zip(x.par_chunks(chunk * width))
            .zip(g.par_chunks(chunk * self.fc2.outputs))
            .zip(activations.moments.par_chunks(chunk))
            .zip(activations.slope.par_chunks(chunk * hidden))
            .for_each(|((((dx, x), g), moments), slope)| {
                let mut dh = Buffer::new(slope.len());
                let mut dnormed = Buffer::new(x.len());
                self.backward_rows((x, moments, slope), g, dx, &mut dnormed, &mut dh);
            });
        dx
    }

    /// Computes gradients of some rows, given `g`: `dx` for the input, `dnormed` for the normalised rows, `dh` for the
    /// output of the first layer.
    pub(crate) fn backward_rows(
        &self,
        (x, moments, slope): (&[f32], &[Moments], &[f32]),
        g: &[f32],
        dx: &mut [f32],
        dnormed: &mut [f32],
        dh: &mut [f32],
    ) {
        let Self { norm_residual, fc1, fc2 } = *self;
        fc2.backward(g, dh);
        elementwise::multiply(Level::best(), dh, slope);
        fc1.backward(dh, dnormed);
        norm_residual.backward(x, moments, dnormed, g, dx);
    }
}

/// The values that a frozen self-attention stores for its backward pass.
pub struct AttentionActivations {
    moments: Vec<Moments>,
    qkv: Buffer,
    stats: Vec<RowStats>,
}

/// A self-attention with both its projections.
#[derive(Clone, Copy)]
pub struct SelfAttention<'a> {
    /// Norm and residual.
    pub norm_residual: NormResidual<'a>,
    /// The projections to queries, keys and values, width → 3·width.
    pub qkv: Weights<'a>,
    /// The output projection, width → width.
    pub proj: Weights<'a>,
    /// The sizes of the attention.
    pub shape: attention::Shape,
    /// The bias of the attention scores.
    pub bias: Bias<'a>,
}

impl SelfAttention<'_> {
    /// Returns the number of images that a core processes at a time.
    pub(crate) fn images_per_chunk(&self, batch: usize) -> usize {
        let max_images = (MAX_ROWS / self.shape.tokens).max(1);
        let threads = rayon::current_num_threads();
        let parts = threads * batch.div_ceil(threads * max_images).max(1);
        batch.div_ceil(parts).max(1)
    }

    /// Returns a result of x's shape (batch × tokens × width) and, if `save_activations`, the values for the backward
    /// pass.
    pub fn forward(
        &self,
        x: &[f32],
        save_activations: bool,
    ) -> (Buffer, Option<AttentionActivations>) {
        let attention::Shape { tokens, heads, width } = self.shape;
        let image_len = tokens * width;
        let batch = x.len() / image_len;
        let chunk = self.images_per_chunk(batch);
        let mut y = Buffer::new(x.len());
        let mut moments = vec![[0.0; 2]; batch * tokens];
        let mut stats = vec![[0.0; 2]; batch * heads * tokens];
        let mut qkv = Buffer::new(if save_activations { 3 * x.len() } else { 0 });
        let packed: Vec<&mut [f32]> = if save_activations {
            qkv.chunks_mut(3 * chunk * image_len).collect()
        } else {
            (0..batch.div_ceil(chunk)).map(|_| &mut [][..]).collect()
        };
        y.par_chunks_mut(chunk * image_len)
            .zip(x.par_chunks(chunk * image_len))
            .zip(moments.par_chunks_mut(chunk * tokens))
            .zip(stats.par_chunks_mut(chunk * heads * tokens))
            .zip(packed)
            .enumerate()
            .for_each(|(part, ((((y, x), moments), stats), packed))| {
                let (first, mut head_outputs) = (part * chunk, Buffer::new(x.len()));
                if packed.is_empty() {
                    let packed = &mut Buffer::new(3 * x.len());
                    self.forward_images(first, x, y, (moments, stats), packed, &mut head_outputs);
                } else {
                    self.forward_images(first, x, y, (moments, stats), packed, &mut head_outputs);
                }
            });
        let activations = AttentionActivations { moments, qkv, stats };
        (y, save_activations.then_some(activations))
    }

    /// Processes some images from number `first` on: writes the packed projections, and the results of the heads to
    /// `head_outputs`, from which `y` is computed.
    pub(crate) fn forward_images(
        &self,
        first: usize,
        x: &[f32],
        y: &mut [f32],
        (moments, stats): (&mut [Moments], &mut [RowStats]),
        packed: &mut [f32],
        head_outputs: &mut [f32],
    ) {
        let Self { norm_residual, qkv, proj, shape, bias } = *self;
        let image_len = shape.tokens * shape.width;
        // The normalised rows use the memory of the heads' results.
        let normed = norm_residual.forward_norm(x, head_outputs, moments);
        qkv.forward(normed, packed);
        let mut scores = Buffer::new(shape.scores_len());
        let images = packed
            .chunks_exact(3 * image_len)
            .zip(head_outputs.chunks_exact_mut(image_len))
            .zip(stats.chunks_exact_mut(shape.heads * shape.tokens));
        for (i, ((packed, head_outputs), stats)) in images.enumerate() {
            let bias = bias.for_image(first + i, shape);
            attention::forward_image(shape, packed, bias, head_outputs, stats, &mut scores);
        }
        proj.forward(head_outputs, y);
        norm_residual.add_residual(x, y);
    }

    /// Returns the gradient for x, given the gradient `g` for the result.
    pub fn backward(&self, x: &[f32], activations: &AttentionActivations, g: &[f32]) -> Buffer {
        let attention::Shape { tokens, heads, width } = self.shape;
        let image_len = tokens * width;
        let chunk = self.images_per_chunk(x.len() / image_len);
        let mut dx = Buffer::new(x.len());
        dx.par_chunks_mut(chunk * image_len)
            .zip(x.par_chunks(chunk * image_len))
            .zip(g.par_chunks(chunk * image_len))
            .zip(activations.qkv.par_chunks(3 * chunk * image_len))
            .zip(activations.moments.par_chunks(chunk * tokens))
            .zip(activations.stats.par_chunks(chunk * heads * tokens))
            .enumerate()
            .for_each(|(part, (((((dx, x), g), packed), moments), stats))| {
                let mut dnormed = Buffer::new(x.len());
                let mut dqkv = Buffer::new(packed.len());
                let activations = (moments, packed, stats);
                self.backward_images(
                    part * chunk,
                    x,
                    activations,
                    g,
                    dx,
                    (&mut dnormed, &mut dqkv),
                );
            });
        dx
    }

    /// Computes gradients of some images, given `g`: `dx` for the input, `dnormed` for the normalised rows, `dqkv` for
    /// the packed projections.
    pub(crate) fn backward_images(
        &self,
        first: usize,
        x: &[f32],
        (moments, packed, stats): (&[Moments], &[f32], &[RowStats]),
        g: &[f32],
        dx: &mut [f32],
        (dnormed, dqkv): (&mut [f32], &mut [f32]),
    ) {
        let Self { norm_residual, shape, .. } = *self;
        let image_len = shape.tokens * shape.width;
        // The gradient for the heads' results uses the memory of that for the normalised rows.
        self.proj.backward(g, dnormed);
        let mut scratch = Scratch::new(shape.scores_len());
        let images = packed
            .chunks_exact(3 * image_len)
            .zip(dnormed.chunks_exact(image_len))
            .zip(dqkv.chunks_exact_mut(3 * image_len))
            .zip(stats.chunks_exact(shape.heads * shape.tokens));
        for (i, (((packed, g), dqkv), stats)) in images.enumerate() {
            let bias = self.bias.for_image(first + i, shape);
            attention::backward_image(shape, packed, bias, stats, g, dqkv, &mut scratch);
        }
        self.qkv.backward(dqkv, dnormed);
        norm_residual.backward(x, moments, dnormed, g, dx);
    }
}
