//! Softmax attention on packed queries, keys and values, with a prefix of keys and values before the others. The
//! prefix is the same for all images, or each image has its own.
//!
//! As in [`super::attention`], only two numbers per row of scores are stored for the backward pass.

use rayon::prelude::*;

use super::attention::Shape;
use super::buffer::Buffer;
use super::gemm::{Matrix, Store, product};
use super::simd::Level;
use super::softmax::{PAD, RowStats, softmax_again, softmax_backward, softmax_rows};

/// The sizes of an attention with a prefix.
#[derive(Clone, Copy, Debug)]
pub struct Prefixed {
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
fn part(all: &[f32], image: usize, size: usize) -> &[f32] {
    let first = if all.len() > size { image * size } else { 0 };
    &all[first..first + size]
}

/// Scratch memory for the scores of one head and their gradient.
struct Scratch {
    weights: Buffer,
    gradient: Buffer,
}

/// The gradients of the prefix of one image.
struct OfPrefix<'a> {
    keys: &'a mut [f32],
    values: &'a mut [f32],
}

impl Prefixed {
    fn keys(self) -> usize {
        self.length + self.shape.tokens
    }

    fn stride(self) -> usize {
        self.keys().next_multiple_of(PAD)
    }

    fn scores(self) -> usize {
        self.shape.tokens * self.stride()
    }

    fn prefix(self) -> usize {
        self.length * self.shape.width
    }

    /// Returns the part of one head in the prefix (length × width) of an image.
    fn front(self, prefix: &[f32], head: usize) -> Matrix<'_> {
        let start = head * self.shape.head();
        Matrix::new(
            &prefix[start..],
            self.length,
            self.shape.head(),
            self.shape.width,
        )
    }

    fn image(self, given: BatchInputs<'_>, image: usize) -> BatchInputs<'_> {
        let Shape { tokens, width, .. } = self.shape;
        BatchInputs {
            qkv: part(given.qkv, image, tokens * 3 * width),
            keys: part(given.keys, image, self.prefix()),
            values: part(given.values, image, self.prefix()),
        }
    }

    /// Returns the number of images, and the number of score rows per image.
    fn sizes(self, given: BatchInputs<'_>) -> (usize, usize) {
        let Shape {
            tokens,
            heads,
            width,
        } = self.shape;
        (given.qkv.len() / (tokens * 3 * width), heads * tokens)
    }

    /// Computes the scores of one head before the softmax; those of the prefix are first.
    fn score(self, given: BatchInputs<'_>, head: usize, scores: &mut [f32]) {
        let [q, k] = [0, 1].map(|part| self.shape.part(given.qkv, part, head));
        let front = self.front(given.keys, head).transposed();
        let stride = self.stride();
        product(scores, stride, Store::Replace, q, front);
        let own = &mut scores[self.length..];
        product(own, stride, Store::Replace, q, k.transposed());
    }

    /// Computes the result of one image (tokens × width) and its `stats` (heads × tokens).
    fn forward_image(
        self,
        given: BatchInputs<'_>,
        out: &mut [f32],
        stats: &mut [RowStats],
        scores: &mut [f32],
    ) {
        let Shape { tokens, width, .. } = self.shape;
        let (stride, scale, level) = (self.stride(), self.shape.scale(), Level::best());
        for (head, stats) in stats.chunks_exact_mut(tokens).enumerate() {
            self.score(given, head, scores);
            softmax_rows(level, scores, self.keys(), stride, scale, &[], stats);
            let v = self.shape.part(given.qkv, 2, head);
            let out = &mut out[head * self.shape.head()..];
            let front = Matrix::new(scores, tokens, self.length, stride);
            let values = self.front(given.values, head);
            product(out, width, Store::Replace, front, values);
            let own = Matrix::new(&scores[self.length..], tokens, tokens, stride);
            product(out, width, Store::Add, own, v);
        }
    }

    /// Computes the gradients of one image, given the gradient `g` of its result; an empty `dqkv` is not computed.
    fn backward_image(
        self,
        given: BatchInputs<'_>,
        (g, stats): (&[f32], &[RowStats]),
        dqkv: &mut [f32],
        of_prefix: OfPrefix<'_>,
        Scratch { weights, gradient }: &mut Scratch,
    ) {
        let Shape { tokens, width, .. } = self.shape;
        let (stride, scale, level) = (self.stride(), self.shape.scale(), Level::best());
        let (length, all) = (self.length, self.keys());
        for (head, stats) in stats.chunks_exact(tokens).enumerate() {
            let [q, k, v] = [0, 1, 2].map(|part| self.shape.part(given.qkv, part, head));
            let offset = head * self.shape.head();
            let g = Matrix::new(&g[offset..], tokens, self.shape.head(), width);
            self.score(given, head, weights);
            softmax_again(level, weights, all, stride, scale, &[], stats);
            let values = self.front(given.values, head).transposed();
            product(gradient, stride, Store::Replace, g, values);
            let own = &mut gradient[length..];
            product(own, stride, Store::Replace, g, v.transposed());
            softmax_backward(level, weights, gradient, all, stride, scale);

            let in_front = |scores| Matrix::new(scores, tokens, length, stride);
            let (p, ds) = (in_front(weights), in_front(gradient));
            let dk = &mut of_prefix.keys[offset..];
            product(dk, width, Store::Replace, ds.transposed(), q);
            let dv = &mut of_prefix.values[offset..];
            product(dv, width, Store::Replace, p.transposed(), g);
            if dqkv.is_empty() {
                continue;
            }
            let dq = &mut dqkv[offset..];
            let keys = self.front(given.keys, head);
            product(dq, 3 * width, Store::Replace, ds, keys);

            let behind = |scores| Matrix::new(scores, tokens, tokens, stride);
            let (p, ds) = (behind(&weights[length..]), behind(&gradient[length..]));
            product(dq, 3 * width, Store::Add, ds, k);
            let dk = &mut dqkv[width + offset..];
            product(dk, 3 * width, Store::Replace, ds.transposed(), q);
            let dv = &mut dqkv[2 * width + offset..];
            product(dv, 3 * width, Store::Replace, p.transposed(), g);
        }
    }

    /// Returns the result of all images (batch × tokens × width), and the row statistics (batch × heads × tokens).
    pub fn forward(self, given: BatchInputs<'_>) -> (Buffer, Vec<RowStats>) {
        let Shape { tokens, width, .. } = self.shape;
        let (batch, rows) = self.sizes(given);
        let mut out = Buffer::new(batch * tokens * width);
        let mut stats = vec![[0.0; 2]; batch * rows];
        out.par_chunks_exact_mut(tokens * width)
            .zip(stats.par_chunks_exact_mut(rows))
            .enumerate()
            .for_each_init(
                || Buffer::new(self.scores()),
                |scores, (i, (out, stats))| {
                    self.forward_image(self.image(given, i), out, stats, scores);
                },
            );
        (out, stats)
    }

    /// Returns the gradients of the packed projections (batch × tokens × 3·width; empty unless `to_qkv`) and of each
    /// image's prefix keys and values (batch × length × width each), given the gradient `g` of the result.
    pub fn backward(
        self,
        given: BatchInputs<'_>,
        stats: &[RowStats],
        g: &[f32],
        to_qkv: bool,
    ) -> [Buffer; 3] {
        let Shape { tokens, width, .. } = self.shape;
        let (batch, rows) = self.sizes(given);
        let mut dqkv = Buffer::new(if to_qkv { given.qkv.len() } else { 0 });
        let packed: Vec<&mut [f32]> = if to_qkv {
            dqkv.chunks_exact_mut(tokens * 3 * width).collect()
        } else {
            (0..batch).map(|_| &mut [][..]).collect()
        };
        let [mut keys, mut values] = [0, 1].map(|_| Buffer::new(batch * self.prefix()));
        packed
            .into_par_iter()
            .zip(keys.par_chunks_exact_mut(self.prefix()))
            .zip(values.par_chunks_exact_mut(self.prefix()))
            .zip(g.par_chunks_exact(tokens * width))
            .zip(stats.par_chunks_exact(rows))
            .enumerate()
            .for_each_init(
                || Scratch {
                    weights: Buffer::new(self.scores()),
                    gradient: Buffer::new(self.scores()),
                },
                |scratch, (i, ((((dqkv, keys), values), g), stats))| {
                    let of_prefix = OfPrefix { keys, values };
                    let given = self.image(given, i);
                    self.backward_image(given, (g, stats), dqkv, of_prefix, scratch);
                },
            );
        [dqkv, keys, values]
    }
}
