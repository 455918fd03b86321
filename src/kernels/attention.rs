//! Softmax attention on packed queries, keys and values. Each core processes one image at a time.
//!
//! Nothing of size tokens × tokens is stored for the backward pass: with two numbers per row of scores ([`RowStats`]),
//! the weights can be recomputed, which is faster than writing and reading them.

use std::ops::Range;

use rayon::prelude::*;

use super::buffer::Buffer;
use super::elementwise::add;
use super::gemm::{Matrix, Store, product};
use super::simd::Level;
use super::softmax::{
    PAD, RowStats, add_unscaled, recompute_softmax, softmax_backward, softmax_rows,
};

/// Sizes of an attention.
#[derive(Clone, Copy, Debug)]
pub struct Shape {
    /// Tokens per image (or window).
    pub tokens: usize,
    /// Number of heads.
    pub heads: usize,
    /// Channels of all heads.
    pub width: usize,
}

impl Shape {
    /// Returns the channels of one head.
    pub fn head_dim(self) -> usize {
        self.width / self.heads
    }

    /// Returns the factor of the scores.
    pub fn scale(self) -> f32 {
        (self.head_dim() as f32).powf(-0.5)
    }

    fn stride(self) -> usize {
        self.tokens.next_multiple_of(PAD)
    }

    /// Returns the scratch size for the scores of one head.
    pub fn scores_len(self) -> usize {
        self.tokens * self.stride()
    }

    /// Returns the size of a bias for one image.
    fn bias_len(self) -> usize {
        self.heads * self.tokens * self.tokens
    }

    /// Returns the queries (0), keys (1) or values (2) of one head.
    pub fn head_projection(self, qkv: &[f32], part: usize, head: usize) -> Matrix<'_> {
        let start = part * self.width + head * self.head_dim();
        Matrix::new(&qkv[start..], self.tokens, self.head_dim(), 3 * self.width)
    }

    fn head_bias(self, bias: &[f32], head: usize) -> &[f32] {
        let size = self.tokens * self.tokens;
        if bias.is_empty() { bias } else { &bias[head * size..(head + 1) * size] }
    }
}

/// A bias for the scores: groups × heads × tokens × tokens, or empty.
#[derive(Clone, Copy)]
pub struct Bias<'a>(pub &'a [f32]);

impl<'a> Bias<'a> {
    /// Returns the part for an image: group `image % groups`.
    pub fn for_image(self, image: usize, shape: Shape) -> &'a [f32] {
        let size = shape.bias_len();
        if self.0.is_empty() {
            self.0
        } else {
            let group = image % (self.0.len() / size);
            &self.0[group * size..(group + 1) * size]
        }
    }
}

/// Processes some heads of one image: `qkv` (tokens × 3·width) → `out`, whose rows have this stride and contain the
/// heads side by side. `stats` (heads × tokens) and `bias` are those of the image.
fn forward_heads(
    shape: Shape,
    heads: Range<usize>,
    qkv: &[f32],
    bias: &[f32],
    (out, stride): (&mut [f32], usize),
    stats: &mut [RowStats],
    scores: &mut [f32],
) {
    let Shape { tokens, .. } = shape;
    let level = Level::best();
    let first = heads.start;
    for (head, stats) in heads.zip(stats.chunks_exact_mut(tokens)) {
        let [q, k, v] = [0, 1, 2].map(|part| shape.head_projection(qkv, part, head));
        product(scores, shape.stride(), Store::Replace, q, k.transposed());
        let bias = shape.head_bias(bias, head);
        softmax_rows(level, scores, tokens, shape.stride(), shape.scale(), bias, stats);
        let weights = Matrix::new(scores, tokens, tokens, shape.stride());
        let out = &mut out[(head - first) * shape.head_dim()..];
        product(out, stride, Store::Replace, weights, v);
    }
}

/// Processes one image: `qkv` (tokens × 3·width) → `out` (tokens × width), `stats` (heads × tokens).
pub fn forward_image(
    shape: Shape,
    qkv: &[f32],
    bias: &[f32],
    out: &mut [f32],
    stats: &mut [RowStats],
    scores: &mut [f32],
) {
    let out = (out, shape.width);
    forward_heads(shape, 0..shape.heads, qkv, bias, out, stats, scores);
}

/// Scratch memory for the backward pass of one head: its weights and the gradient of its scores.
pub struct Scratch {
    pub(crate) weights: Buffer,
    pub(crate) gradient: Buffer,
}

impl Scratch {
    /// Returns scratch memory for this number of scores.
    pub fn new(scores: usize) -> Self {
        Self { weights: Buffer::new(scores), gradient: Buffer::new(scores) }
    }
}

/// Computes the gradient `dqkv` of one image, given `g` for its result (tokens × width).
pub fn backward_image(
    shape: Shape,
    qkv: &[f32],
    bias: &[f32],
    stats: &[RowStats],
    g: &[f32],
    dqkv: &mut [f32],
    scratch: &mut Scratch,
) {
    backward_heads(shape, (qkv, bias, stats), g, dqkv, &mut [], scratch);
}

/// Like [`backward_image`]; also adds the gradient of the bias to `dbias` (heads × tokens × tokens), unless it is
/// empty.
fn backward_heads(
    shape: Shape,
    (qkv, bias, stats): (&[f32], &[f32], &[RowStats]),
    g: &[f32],
    dqkv: &mut [f32],
    dbias: &mut [f32],
    scratch: &mut Scratch,
) {
    let Shape { tokens, width, .. } = shape;
    let (stride, scale, level) = (shape.stride(), shape.scale(), Level::best());
    let Scratch { weights, gradient } = scratch;
    for (head, stats) in stats.chunks_exact(tokens).enumerate() {
        let [q, k, v] = [0, 1, 2].map(|part| shape.head_projection(qkv, part, head));
        let offset = head * shape.head_dim();
        let g = Matrix::new(&g[offset..], tokens, shape.head_dim(), width);
        product(weights, stride, Store::Replace, q, k.transposed());
        let bias = shape.head_bias(bias, head);
        recompute_softmax(level, weights, tokens, stride, scale, bias, stats);
        product(gradient, stride, Store::Replace, g, v.transposed());
        softmax_backward(level, weights, gradient, tokens, stride, scale);
        if !dbias.is_empty() {
            let dbias = &mut dbias[head * tokens * tokens..(head + 1) * tokens * tokens];
            add_unscaled(level, gradient, tokens, stride, scale, dbias);
        }
        let p = Matrix::new(weights, tokens, tokens, stride);
        let ds = Matrix::new(gradient, tokens, tokens, stride);
        for (part, a, b) in [(0, ds, k), (1, ds.transposed(), q), (2, p.transposed(), g)] {
            let target = &mut dqkv[part * width + offset..];
            product(target, 3 * width, Store::Replace, a, b);
        }
    }
}

/// Processes all images: returns the result (batch × tokens × width) and the row statistics (batch × heads × tokens).
pub fn forward(shape: Shape, qkv: &[f32], bias: Bias<'_>) -> (Buffer, Vec<RowStats>) {
    let Shape { tokens, heads, width } = shape;
    let batch = qkv.len() / (tokens * 3 * width);
    let mut out = Buffer::new(batch * tokens * width);
    let mut stats = vec![[0.0; 2]; batch * heads * tokens];
    if batch < rayon::current_num_threads() {
        let images = qkv
            .chunks_exact(tokens * 3 * width)
            .zip(out.chunks_exact_mut(tokens * width))
            .zip(stats.chunks_exact_mut(heads * tokens));
        for (i, ((qkv, out), stats)) in images.enumerate() {
            forward_image_parallel(shape, qkv, bias.for_image(i, shape), out, stats);
        }
    } else {
        qkv.par_chunks_exact(tokens * 3 * width)
            .zip(out.par_chunks_exact_mut(tokens * width))
            .zip(stats.par_chunks_exact_mut(heads * tokens))
            .enumerate()
            .for_each_init(
                || Buffer::new(shape.scores_len()),
                |scores, (i, ((qkv, out), stats))| {
                    forward_image(shape, qkv, bias.for_image(i, shape), out, stats, scores);
                },
            );
    }
    (out, stats)
}

/// Processes one image with its heads divided among the cores.
fn forward_image_parallel(
    shape: Shape,
    qkv: &[f32],
    bias: &[f32],
    out: &mut [f32],
    stats: &mut [RowStats],
) {
    let head_dim = shape.head_dim();
    let parts: Vec<Buffer> = stats
        .par_chunks_exact_mut(shape.tokens)
        .enumerate()
        .map(|(i, stats)| {
            let mut part = Buffer::new(shape.tokens * head_dim);
            let mut scores = Buffer::new(shape.scores_len());
            let target = (&mut part[..], head_dim);
            forward_heads(shape, i..i + 1, qkv, bias, target, stats, &mut scores);
            part
        })
        .collect();
    for (i, part) in parts.iter().enumerate() {
        let rows = out.chunks_exact_mut(shape.width);
        for (row, part) in rows.zip(part.chunks_exact(head_dim)) {
            row[i * head_dim..(i + 1) * head_dim].copy_from_slice(part);
        }
    }
}

/// Returns the gradient for `qkv` of all images, given the gradient `g` for the result.
pub fn backward(
    shape: Shape,
    qkv: &[f32],
    bias: Bias<'_>,
    stats: &[RowStats],
    g: &[f32],
) -> Buffer {
    let Shape { tokens, heads, width } = shape;
    let mut dqkv = Buffer::new(qkv.len());
    dqkv.par_chunks_exact_mut(tokens * 3 * width)
        .zip(qkv.par_chunks_exact(tokens * 3 * width))
        .zip(g.par_chunks_exact(tokens * width))
        .zip(stats.par_chunks_exact(heads * tokens))
        .enumerate()
        .for_each_init(
            || Scratch::new(shape.scores_len()),
            |scratch, (i, (((dqkv, qkv), g), stats))| {
                backward_image(shape, qkv, bias.for_image(i, shape), stats, g, dqkv, scratch);
            },
        );
    dqkv
}

/// Number of images of one group whose gradients for the bias are summed together: fixed, so that the sum does not
/// depend on the number of cores.
const IMAGES_PER_SUM: usize = 32;

/// Returns the gradients for `qkv` of all images and for the bias, which must not be empty.
pub fn backward_with_bias(
    shape: Shape,
    qkv: &[f32],
    bias: Bias<'_>,
    stats: &[RowStats],
    g: &[f32],
) -> [Buffer; 2] {
    let Shape { tokens, heads, width } = shape;
    let groups = bias.0.len() / shape.bias_len();
    let mut dqkv = Buffer::new(qkv.len());
    // The images of a group, some at a time, each with a separate sum.
    let mut lanes: Vec<Vec<(usize, &mut [f32])>> = Vec::new();
    let images = dqkv.chunks_exact_mut(tokens * 3 * width).enumerate();
    for (image, dqkv) in images {
        let lane = image % groups + image / groups / IMAGES_PER_SUM * groups;
        lanes.resize_with(lanes.len().max(lane + 1), Vec::new);
        lanes[lane].push((image, dqkv));
    }
    let sums: Vec<Buffer> = lanes
        .into_par_iter()
        .map_init(
            || Scratch::new(shape.scores_len()),
            |scratch, lane| {
                let mut sum = Buffer::new(shape.bias_len());
                sum.fill(0.0);
                for (image, dqkv) in lane {
                    let qkv = &qkv[image * tokens * 3 * width..][..tokens * 3 * width];
                    let g = &g[image * tokens * width..][..tokens * width];
                    let stats = &stats[image * heads * tokens..][..heads * tokens];
                    let activations = (qkv, bias.for_image(image, shape), stats);
                    backward_heads(shape, activations, g, dqkv, &mut sum, scratch);
                }
                sum
            },
        )
        .collect();
    let mut dbias = Buffer::new(bias.0.len());
    dbias.fill(0.0);
    for sums in sums.chunks(groups) {
        for (dbias, sum) in dbias.chunks_exact_mut(shape.bias_len()).zip(sums) {
            add(Level::best(), dbias, sum);
        }
    }
    [dqkv, dbias]
}
