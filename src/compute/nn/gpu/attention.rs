//! Softmax attention on packed projections. Heads are read in place, and the result and its gradients are written in
//! the layout that the next product reads, so that no splitting, transposing or merging copies are needed.
//!
//! P = softmax(scale · q·kᵀ + bias), y = P·v. The backward pass computes P again: with dP = g·vᵀ and dS = scale · P ∘
//! (dP − Σ dP∘P): dq = dS·k, dk = dSᵀ·q, dv = Pᵀ·g.

use std::sync::Arc;

use burn::tensor::Tensor;
use burn_cubecl::kernel::into_contiguous;
use burn_cubecl::tensor::CubeTensor;

use super::glue::{Run, apply, constant, to_input};
use super::kernel::{MAX_GROUPS, empty};
use super::product::{Product, Size, Stored};
use super::rows::{GroupBias, softmax, softmax_gradient};
use super::{Extra, Frame, Frozen, LEFT, Linear, NONE, NormResidual, RIGHT, fits, launch};

/// The largest size of all scores, in bytes: the default limit of WebGPU for a storage buffer.
const MAX_SCORES: usize = 128 << 20;

/// The sizes of an attention.
#[derive(Clone)]
struct Attention {
    batch: usize,
    tokens: usize,
    heads: usize,
    width: usize,
    bias: Option<(CubeTensor, GroupBias)>,
    /// Whether products may round their operands to f16.
    rounded: bool,
}

impl Attention {
    /// Creates the attention for packed projections of this shape; `None` if a limit of the kernels is exceeded or
    /// the bias is trained.
    fn new(
        [batch, tokens, packed]: [usize; 3],
        heads: usize,
        bias: Option<&Tensor<4>>,
    ) -> Option<Self> {
        let bias = match bias {
            Some(bias) => {
                let [groups, heads, queries, _] = bias.dims().map(|size| size as u32);
                let values = into_contiguous(constant(bias)?);
                Some((
                    values,
                    GroupBias {
                        groups,
                        heads,
                        queries,
                    },
                ))
            }
            None => None,
        };
        let attention = Self {
            batch,
            tokens,
            heads,
            width: packed / 3,
            bias,
            rounded: false,
        };
        let scores: usize = attention.scores_shape().iter().product();
        let is_served = fits(batch * tokens)
            && batch * heads <= MAX_GROUPS
            && scores * size_of::<f32>() <= MAX_SCORES;
        is_served.then_some(attention)
    }

    fn head(&self) -> usize {
        self.width / self.heads
    }

    /// Returns the stride between rows of scores: a multiple of four, so that they can be read as vectors.
    fn pitch(&self) -> usize {
        self.tokens.next_multiple_of(4)
    }

    fn scores_shape(&self) -> [usize; 4] {
        [self.batch, self.heads, self.tokens, self.pitch()]
    }

    /// Describes the matrix of a head: rows of this width, of which the head starts at this column.
    fn heads_of(&self, width: usize, column: usize) -> Stored {
        Stored::row_major(width)
            .batched(self.tokens * width, self.head())
            .at(column)
    }

    /// Describes the queries (0), keys (1) or values (2) of a head.
    fn part(&self, part: usize) -> Stored {
        self.heads_of(3 * self.width, part * self.width)
    }

    fn mixed(&self) -> Stored {
        self.heads_of(self.width, 0)
    }

    fn scores(&self) -> Stored {
        let head = self.tokens * self.pitch();
        Stored {
            padded: true,
            ..Stored::row_major(self.pitch()).batched(self.heads * head, head)
        }
    }

    /// Launches a product for each head, with its sizes, the layouts of operands and result, and their buffers.
    /// `gradients` says which operand is a gradient.
    fn multiply(
        &self,
        [m, k, n]: [usize; 3],
        stored: [Stored; 3],
        buffers: [&CubeTensor; 3],
        scale: f32,
        gradients: [bool; 2],
    ) {
        let [a, b, out] = stored;
        let sizes = [m, k].map(|size| Size::Fixed(size as u32));
        let product = Product {
            inner: self.heads as u32,
            out,
            scale: scale.to_bits(),
            rounded: self.rounded,
            gradients,
            ..Product::new(sizes, n, [a, b])
        };
        let batch = self.batch * self.heads;
        launch(product, [m, k], batch, buffers, Extra::default());
    }

    fn scale(&self) -> f32 {
        (self.head() as f32).powf(-0.5)
    }

    /// Computes the attention weights: batch × heads × tokens × pitch.
    fn probabilities(&self, qkv: &CubeTensor) -> CubeTensor {
        let (tokens, head) = (self.tokens, self.head());
        let scores = empty(qkv, &self.scores_shape());
        let stored = [self.part(0), self.part(1).transposed(), self.scores()];
        self.multiply(
            [tokens, head, tokens],
            stored,
            [qkv, qkv, &scores],
            self.scale(),
            NONE,
        );
        let bias = self.bias.as_ref().map(|(values, bias)| (values, *bias));
        softmax(&scores, tokens, bias);
        scores
    }

    /// Computes the result: batch × tokens × width.
    fn forward(&self, qkv: &CubeTensor) -> CubeTensor {
        let (tokens, head) = (self.tokens, self.head());
        let p = self.probabilities(qkv);
        let y = empty(qkv, &[self.batch, tokens, self.width]);
        let stored = [self.scores(), self.part(2), self.mixed()];
        self.multiply([tokens, tokens, head], stored, [&p, qkv, &y], 1.0, NONE);
        y
    }

    /// Computes the gradient of the packed projections.
    fn backward(&self, qkv: &CubeTensor, g: &CubeTensor) -> CubeTensor {
        let (tokens, head) = (self.tokens, self.head());
        let p = self.probabilities(qkv);
        let scores = self.scores();
        let ds = empty(qkv, &self.scores_shape());
        let stored = [self.mixed(), self.part(2).transposed(), scores];
        self.multiply([tokens, head, tokens], stored, [g, qkv, &ds], 1.0, LEFT);
        softmax_gradient(&ds, &p, tokens, self.scale());
        let out = empty(qkv, qkv.meta.shape());
        let sizes = [tokens, tokens, head];
        let to_queries = [scores, self.part(1), self.part(0)];
        self.multiply(sizes, to_queries, [&ds, qkv, &out], 1.0, LEFT);
        let to_keys = [scores.transposed(), self.part(0), self.part(1)];
        self.multiply(sizes, to_keys, [&ds, qkv, &out], 1.0, LEFT);
        let to_values = [scores.transposed(), self.mixed(), self.part(2)];
        self.multiply(sizes, to_values, [&p, g, &out], 1.0, RIGHT);
        out
    }
}

/// Computes softmax attention on packed queries, keys and values; see [`crate::nn::attention`].
pub fn attention(qkv: &Tensor<3>, heads: usize, bias: Option<&Tensor<4>>) -> Option<Tensor<3>> {
    let input = to_input(qkv)?;
    let attention = Attention::new(qkv.dims(), heads, bias)?;
    Some(apply([input], |[qkv]| {
        let qkv = into_contiguous(qkv);
        let y = attention.forward(&qkv);
        let back: Run<1> =
            Arc::new(move |g, _| [Some(attention.backward(&qkv, &into_contiguous(g)))]);
        (y, back)
    }))
}

/// Computes `proj(attention(qkv(LN(x))))` (+ x) with constant weights.
pub fn self_attention(
    x: &Tensor<3>,
    frame: Frame<'_>,
    [packed, proj]: [&Linear; 2],
    heads: usize,
    bias: Option<&Tensor<4>>,
) -> Option<Tensor<3>> {
    let input = to_input(x)?;
    let outside = NormResidual::new(frame)?;
    let [packed, proj] = [Frozen::new(packed)?, Frozen::new(proj)?];
    let [batch, tokens, _] = x.dims();
    let attention = Attention {
        rounded: packed.is_half(),
        ..Attention::new([batch, tokens, packed.outputs], heads, bias)?
    };
    Some(apply([input], |[x]| {
        let x = into_contiguous(x);
        let qkv = packed.forward(&outside.enter(&x), Extra::default());
        let y = proj.forward(&attention.forward(&qkv), outside.extra(&x));
        let back: Run<1> = Arc::new(move |g, _| {
            let g = into_contiguous(g);
            let mixed = proj.backward(&g, Extra::default());
            let inside = attention.backward(&qkv, &mixed);
            let inside = packed.backward(&inside, outside.extra_back(&g));
            [Some(outside.leave(&x, inside, &g))]
        });
        (y, back)
    }))
}
