//! Softmax attention on packed queries, keys and values, with a prefix of keys and values before the others. The
//! prefix is the same for all images, or each image has its own.
//!
//! As in [`super::attention`], only two numbers per row of scores are stored for the backward pass.

use rayon::prelude::*;

use super::attention::{Scratch, Shape};
use super::buffer::Buffer;
use super::gemm::{Matrix, Store, product};
use super::simd::Level;
use super::softmax::{PAD, RowStats, recompute_softmax, softmax_backward, softmax_rows};

/// The sizes of an attention with a prefix.
#[derive(Clone, Copy, Debug)]
pub struct PrefixedShape {
    /// The sizes of the attention without the prefix.
    pub shape: Shape,
    /// Number of keys (and of values) in the prefix.
    pub length: usize,
}

/// The inputs of a batch.
#[derive(Clone, Copy)]
pub struct BatchInputs<'a> {
    /// The packed projections, batch × tokens × 3·width.
    pub qkv: &'a [f32],
    /// The keys of the prefix, 1 or batch × length × width.
    pub keys: &'a [f32],
    /// The values of the prefix, in the same shape.
    pub values: &'a [f32],
}

impl<'a> From<[&'a [f32]; 3]> for BatchInputs<'a> {
    fn from([qkv, keys, values]: [&'a [f32]; 3]) -> Self {
        Self { qkv, keys, values }
    }
}

/// Returns the part of one image; the whole if there is only one part.
fn image_part(values: &[f32], image: usize, size: usize) -> &[f32] {
    let first = if values.len() > size { image * size } else { 0 };
    &values[first..first + size]
}

/// The gradients of the prefix of one image.
struct PrefixGradients<'a> {
    keys: &'a mut [f32],
    values: &'a mut [f32],
}

impl PrefixedShape {
    fn key_count(self) -> usize {
        self.length + self.shape.tokens
    }

    fn stride(self) -> usize {
        self.key_count().next_multiple_of(PAD)
    }

    fn scores_len(self) -> usize {
        self.shape.tokens * self.stride()
    }

    fn prefix_len(self) -> usize {
        self.length * self.shape.width
    }

    /// Returns the part of one head in the prefix (length × width) of an image.
    fn head_prefix(self, prefix: &[f32], head: usize) -> Matrix<'_> {
        let start = head * self.shape.head_dim();
        Matrix::new(&prefix[start..], self.length, self.shape.head_dim(), self.shape.width)
    }

    fn image_inputs(self, inputs: BatchInputs<'_>, image: usize) -> BatchInputs<'_> {
        let Shape { tokens, width, .. } = self.shape;
        BatchInputs {
            qkv: image_part(inputs.qkv, image, tokens * 3 * width),
            keys: image_part(inputs.keys, image, self.prefix_len()),
            values: image_part(inputs.values, image, self.prefix_len()),
        }
    }

    /// Returns the number of images, and the number of score rows per image.
    fn sizes(self, inputs: BatchInputs<'_>) -> (usize, usize) {
        let Shape { tokens, heads, width } = self.shape;
        (inputs.qkv.len() / (tokens * 3 * width), heads * tokens)
    }

    /// Computes the scores of one head before the softmax; those of the prefix are first.
    fn compute_scores(self, inputs: BatchInputs<'_>, head: usize, scores: &mut [f32]) {
        let [q, k] = [0, 1].map(|part| self.shape.head_projection(inputs.qkv, part, head));
        let prefix_keys = self.head_prefix(inputs.keys, head).transposed();
        let stride = self.stride();
        product(scores, stride, Store::Replace, q, prefix_keys);
        let token_scores = &mut scores[self.length..];
        product(token_scores, stride, Store::Replace, q, k.transposed());
    }

    /// Computes the result of one image (tokens × width) and its `stats` (heads × tokens).
    fn forward_image(
        self,
        inputs: BatchInputs<'_>,
        out: &mut [f32],
        stats: &mut [RowStats],
        scores: &mut [f32],
    ) {
        let Shape { tokens, width, .. } = self.shape;
        let (stride, scale, level) = (self.stride(), self.shape.scale(), Level::best());
        for (head, stats) in stats.chunks_exact_mut(tokens).enumerate() {
            self.compute_scores(inputs, head, scores);
            softmax_rows(level, scores, self.key_count(), stride, scale, &[], stats);
            let v = self.shape.head_projection(inputs.qkv, 2, head);
            let out = &mut out[head * self.shape.head_dim()..];
            let prefix_weights = Matrix::new(scores, tokens, self.length, stride);
            let values = self.head_prefix(inputs.values, head);
            product(out, width, Store::Replace, prefix_weights, values);
            let token_weights = Matrix::new(&scores[self.length..], tokens, tokens, stride);
            product(out, width, Store::Add, token_weights, v);
        }
    }

    /// Computes the gradients of one image, given the gradient `g` of its result; an empty `dqkv` is not computed.
    fn backward_image(
        self,
        inputs: BatchInputs<'_>,
        (g, stats): (&[f32], &[RowStats]),
        dqkv: &mut [f32],
        prefix_gradients: PrefixGradients<'_>,
        Scratch { weights, gradient }: &mut Scratch,
    ) {
        let Shape { tokens, width, .. } = self.shape;
        let (stride, scale, level) = (self.stride(), self.shape.scale(), Level::best());
        let (length, key_count) = (self.length, self.key_count());
        for (head, stats) in stats.chunks_exact(tokens).enumerate() {
            let [q, k, v] =
                [0, 1, 2].map(|part| self.shape.head_projection(inputs.qkv, part, head));
            let offset = head * self.shape.head_dim();
            let g = Matrix::new(&g[offset..], tokens, self.shape.head_dim(), width);
            self.compute_scores(inputs, head, weights);
            recompute_softmax(level, weights, key_count, stride, scale, &[], stats);
            let values = self.head_prefix(inputs.values, head).transposed();
            product(gradient, stride, Store::Replace, g, values);
            let token_gradient = &mut gradient[length..];
            product(token_gradient, stride, Store::Replace, g, v.transposed());
            softmax_backward(level, weights, gradient, key_count, stride, scale);

            let prefix_columns = |scores| Matrix::new(scores, tokens, length, stride);
            let (p, ds) = (prefix_columns(weights), prefix_columns(gradient));
            let dk = &mut prefix_gradients.keys[offset..];
            product(dk, width, Store::Replace, ds.transposed(), q);
            let dv = &mut prefix_gradients.values[offset..];
            product(dv, width, Store::Replace, p.transposed(), g);
            if dqkv.is_empty() {
                continue;
            }
            let dq = &mut dqkv[offset..];
            let keys = self.head_prefix(inputs.keys, head);
            product(dq, 3 * width, Store::Replace, ds, keys);

            let token_columns = |scores| Matrix::new(scores, tokens, tokens, stride);
            let (p, ds) = (token_columns(&weights[length..]), token_columns(&gradient[length..]));
            product(dq, 3 * width, Store::Add, ds, k);
            let dk = &mut dqkv[width + offset..];
            product(dk, 3 * width, Store::Replace, ds.transposed(), q);
            let dv = &mut dqkv[2 * width + offset..];
            product(dv, 3 * width, Store::Replace, p.transposed(), g);
        }
    }

    /// Returns the result of all images (batch × tokens × width), and the row statistics (batch × heads × tokens).
    pub fn forward(self, inputs: BatchInputs<'_>) -> (Buffer, Vec<RowStats>) {
        let Shape { tokens, width, .. } = self.shape;
        let (batch, rows) = self.sizes(inputs);
        let mut out = Buffer::new(batch * tokens * width);
        let mut stats = vec![[0.0; 2]; batch * rows];
        out.par_chunks_exact_mut(tokens * width)
            .zip(stats.par_chunks_exact_mut(rows))
            .enumerate()
            .for_each_init(
                || Buffer::new(self.scores_len()),
                |scores, (i, (out, stats))| {
                    self.forward_image(self.image_inputs(inputs, i), out, stats, scores);
                },
            );
        (out, stats)
    }

    /// Returns gradients of the packed projections (batch × tokens × 3·width; empty unless `needs_dqkv`) and of each
    /// image's prefix keys and values (batch × length × width each), given the gradient `g` of the result.
    pub fn backward(
        self,
        inputs: BatchInputs<'_>,
        stats: &[RowStats],
        g: &[f32],
        needs_dqkv: bool,
    ) -> [Buffer; 3] {
        let Shape { tokens, width, .. } = self.shape;
        let (batch, rows) = self.sizes(inputs);
        let mut dqkv = Buffer::new(if needs_dqkv { inputs.qkv.len() } else { 0 });
        let packed: Vec<&mut [f32]> = if needs_dqkv {
            dqkv.chunks_exact_mut(tokens * 3 * width).collect()
        } else {
            (0..batch).map(|_| &mut [][..]).collect()
        };
        let [mut keys, mut values] = [0, 1].map(|_| Buffer::new(batch * self.prefix_len()));
        packed
            .into_par_iter()
            .zip(keys.par_chunks_exact_mut(self.prefix_len()))
            .zip(values.par_chunks_exact_mut(self.prefix_len()))
            .zip(g.par_chunks_exact(tokens * width))
            .zip(stats.par_chunks_exact(rows))
            .enumerate()
            .for_each_init(
                || Scratch::new(self.scores_len()),
                |scratch, (i, ((((dqkv, keys), values), g), stats))| {
                    let prefix_gradients = PrefixGradients { keys, values };
                    let image_inputs = self.image_inputs(inputs, i);
                    self.backward_image(image_inputs, (g, stats), dqkv, prefix_gradients, scratch);
                },
            );
        [dqkv, keys, values]
    }
}
