//! Softmax attention on packed projections. Heads are read in place, and the result and its gradients are written in
//! the layout that the next product reads, so that no splitting, transposing or merging copies are needed.
//!
//! P = softmax(scale · q·kᵀ + bias), y = P·v. The backward pass computes P again: with dP = g·vᵀ and dS = scale · P ∘
//! (dP − Σ dP∘P): dq = dS·k, dk = dSᵀ·q, dv = Pᵀ·g. [`Flash`] computes this for few keys, where launches take most of the
//! time, and where the scores would exceed a limit of the device; otherwise a batch of products does, one per head.

use std::sync::Arc;

use burn::tensor::Tensor;
use burn_cubecl::kernel::into_contiguous;
use burn_cubecl::tensor::CubeTensor;

use super::autodiff::{BackwardFn, apply, constant, to_input};
use super::flash::{Flash, FlashResult};
use super::kernel::{MAX_GROUPS, empty};
use super::prefix::PrefixJoin;
use super::product::{MatrixLayout, Product, Size};
use super::rows::{GroupBias, softmax, softmax_gradient};
use super::{
    EpilogueTensors, Frame, FrozenLinear, LEFT_GRADIENT, Linear, NO_GRADIENT, NormResidual,
    RIGHT_GRADIENT, fits, launch,
};

/// The largest size of all scores, in bytes: the default limit of WebGPU for a storage buffer.
const MAX_SCORES: usize = 128 << 20;

/// The largest number of keys for which [`Flash`] is used although the scores fit.
const MAX_FLASH_KEYS: usize = 128;

/// The sizes of an attention.
#[derive(Clone)]
struct Attention {
    batch: usize,
    tokens: usize,
    /// Number of keys; more than tokens with a prefix.
    keys: usize,
    /// Whether keys and values are in a buffer of their own (batch × keys × 2·width) instead of the packed projections.
    is_prefixed: bool,
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
                Some((values, GroupBias { groups, heads, queries }))
            }
            None => None,
        };
        Self {
            batch,
            tokens,
            keys: tokens,
            is_prefixed: false,
            heads,
            width: packed / 3,
            bias,
            rounded: false,
        }
        .if_supported()
    }

    /// Returns the attention with this many keys and values before those of the tokens.
    fn with_prefix(self, count: usize) -> Option<Self> {
        Self { keys: count + self.tokens, is_prefixed: true, ..self }.if_supported()
    }

    /// Returns the attention unless a limit of the kernels is exceeded.
    fn if_supported(self) -> Option<Self> {
        let is_supported = fits(self.batch * self.keys)
            && self.batch * self.heads <= MAX_GROUPS
            && (self.scores_fit() || self.flash().is_some());
        is_supported.then_some(self)
    }

    fn scores_fit(&self) -> bool {
        let scores: usize = self.scores_shape().iter().product();
        scores * size_of::<f32>() <= MAX_SCORES
    }

    /// Returns the kernels that do not store the scores, if they should be used.
    fn flash(&self) -> Option<Flash> {
        let flash = Flash {
            queries: self.tokens,
            keys: self.keys,
            heads: self.heads,
            head: self.head(),
            is_prefixed: self.is_prefixed,
            groups: self.bias.as_ref().map(|(_, bias)| bias.groups),
        };
        let is_used = self.keys <= MAX_FLASH_KEYS || !self.scores_fit();
        (is_used && flash.is_supported()).then_some(flash)
    }

    fn bias_values(&self) -> Option<&CubeTensor> {
        self.bias.as_ref().map(|(values, _)| values)
    }

    fn head(&self) -> usize {
        self.width / self.heads
    }

    /// Returns the stride between rows of scores: a multiple of four, so that they can be read as vectors.
    fn pitch(&self) -> usize {
        self.keys.next_multiple_of(4)
    }

    fn scores_shape(&self) -> [usize; 4] {
        [self.batch, self.heads, self.tokens, self.pitch()]
    }

    /// Describes the matrix of a head: this many rows of this width, of which the head starts at this column.
    fn head_layout(&self, [rows, width]: [usize; 2], column: usize) -> MatrixLayout {
        MatrixLayout::row_major(width).batched(rows * width, self.head()).with_offset(column)
    }

    /// Describes the queries (0), keys (1) or values (2) of a head.
    fn operand_layout(&self, operand: usize) -> MatrixLayout {
        match self.is_prefixed && operand > 0 {
            true => self.head_layout([self.keys, 2 * self.width], (operand - 1) * self.width),
            false => self.head_layout([self.tokens, 3 * self.width], operand * self.width),
        }
    }

    fn output_layout(&self) -> MatrixLayout {
        self.head_layout([self.tokens, self.width], 0)
    }

    fn scores_layout(&self) -> MatrixLayout {
        let head = self.tokens * self.pitch();
        MatrixLayout {
            padded: true,
            ..MatrixLayout::row_major(self.pitch()).batched(self.heads * head, head)
        }
    }

    /// Launches a product for each head, with its sizes, the layouts of operands and result, and their buffers.
    /// `gradients` says which operand is a gradient.
    fn multiply(
        &self,
        [m, k, n]: [usize; 3],
        layouts: [MatrixLayout; 3],
        buffers: [&CubeTensor; 3],
        scale: f32,
        gradients: [bool; 2],
    ) {
        let [a, b, out_layout] = layouts;
        let sizes = [m, k].map(|size| Size::Fixed(size as u32));
        let product = Product {
            inner: self.heads as u32,
            out: out_layout,
            scale: scale.to_bits(),
            rounded: self.rounded,
            gradients,
            ..Product::new(sizes, n, [a, b])
        };
        let batch = self.batch * self.heads;
        launch(product, [m, k], batch, buffers, EpilogueTensors::default());
    }

    fn scale(&self) -> f32 {
        (self.head() as f32).powf(-0.5)
    }

    /// Computes the attention weights: batch × heads × tokens × pitch. `keys` contains keys and values; without a prefix
    /// it is `qkv`.
    fn probabilities(&self, [qkv, keys]: [&CubeTensor; 2]) -> CubeTensor {
        let scores = empty(qkv, &self.scores_shape());
        let layouts =
            [self.operand_layout(0), self.operand_layout(1).transposed(), self.scores_layout()];
        self.multiply(
            [self.tokens, self.head(), self.keys],
            layouts,
            [qkv, keys, &scores],
            self.scale(),
            NO_GRADIENT,
        );
        let bias = self.bias.as_ref().map(|(values, bias)| (values, *bias));
        softmax(&scores, self.keys, bias);
        scores
    }

    /// Computes the result (batch × tokens × width), and what [`Flash`] needs in the backward pass.
    fn forward(&self, [qkv, keys]: [&CubeTensor; 2]) -> (CubeTensor, Option<FlashResult>) {
        if let Some(flash) = self.flash() {
            let result = flash.forward([qkv, keys], self.bias_values(), self.batch);
            return (result.y.clone(), Some(result));
        }
        let p = self.probabilities([qkv, keys]);
        let y = empty(qkv, &[self.batch, self.tokens, self.width]);
        let layouts = [self.scores_layout(), self.operand_layout(2), self.output_layout()];
        let sizes = [self.tokens, self.keys, self.head()];
        self.multiply(sizes, layouts, [&p, keys, &y], 1.0, NO_GRADIENT);
        (y, None)
    }

    /// Computes the gradient of the packed projections into `out`, that of keys and values into `out_keys`.
    fn backward(
        &self,
        [qkv, keys]: [&CubeTensor; 2],
        result: Option<&FlashResult>,
        g: &CubeTensor,
        [out, out_keys]: [&CubeTensor; 2],
    ) {
        if let (Some(flash), Some(result)) = (self.flash(), result) {
            let operands = [qkv, keys];
            flash.backward(operands, self.bias_values(), result, g, [out, out_keys]);
            return;
        }
        let (tokens, head) = (self.tokens, self.head());
        let p = self.probabilities([qkv, keys]);
        let scores_layout = self.scores_layout();
        let ds = empty(qkv, &self.scores_shape());
        let layouts = [self.output_layout(), self.operand_layout(2).transposed(), scores_layout];
        self.multiply([tokens, head, self.keys], layouts, [g, keys, &ds], 1.0, LEFT_GRADIENT);
        softmax_gradient(&ds, &p, self.keys, self.scale());
        let to_queries = [scores_layout, self.operand_layout(1), self.operand_layout(0)];
        let sizes = [tokens, self.keys, head];
        self.multiply(sizes, to_queries, [&ds, keys, out], 1.0, LEFT_GRADIENT);
        let sizes = [self.keys, tokens, head];
        let to_keys = [scores_layout.transposed(), self.operand_layout(0), self.operand_layout(1)];
        self.multiply(sizes, to_keys, [&ds, qkv, out_keys], 1.0, LEFT_GRADIENT);
        let to_values = [scores_layout.transposed(), self.output_layout(), self.operand_layout(2)];
        self.multiply(sizes, to_values, [&p, g, out_keys], 1.0, RIGHT_GRADIENT);
    }

    /// Computes the gradient of packed projections without a prefix.
    fn backward_packed(
        &self,
        qkv: &CubeTensor,
        result: Option<&FlashResult>,
        g: &CubeTensor,
    ) -> CubeTensor {
        let out = empty(qkv, qkv.meta.shape());
        self.backward([qkv, qkv], result, g, [&out, &out]);
        out
    }
}

/// Computes softmax attention on packed queries, keys and values; see [`crate::nn::attention`].
pub fn attention(qkv: &Tensor<3>, heads: usize, bias: Option<&Tensor<4>>) -> Option<Tensor<3>> {
    let input = to_input(qkv)?;
    let attention = Attention::new(qkv.dims(), heads, bias)?;
    Some(apply([input], |[qkv]| {
        let qkv = into_contiguous(qkv);
        let (y, result) = attention.forward([&qkv, &qkv]);
        let backward: BackwardFn<1> = Arc::new(move |g, _| {
            let g = into_contiguous(g);
            [Some(attention.backward_packed(&qkv, result.as_ref(), &g))]
        });
        (y, backward)
    }))
}

/// Computes softmax attention with additional keys and values before the packed ones; see
/// [`crate::nn::prefixed_attention`]. `None` without additional ones.
pub fn prefixed_attention(
    qkv: &Tensor<3>,
    prefix: &[Tensor<3>; 2],
    heads: usize,
) -> Option<Tensor<3>> {
    let inputs = [to_input(qkv)?, to_input(&prefix[0])?, to_input(&prefix[1])?];
    let [batch, tokens, packed] = qkv.dims();
    let [copies, count, width] = prefix[0].dims();
    if count == 0 {
        return None;
    }
    let attention = Attention::new([batch, tokens, packed], heads, None)?.with_prefix(count)?;
    let join = PrefixJoin { tokens, count, width, shared: copies < batch };
    Some(apply(inputs, |[qkv, first, second]| {
        let qkv = into_contiguous(qkv);
        let joined_keys = join.join(&qkv, [first, second].map(into_contiguous), batch);
        let (y, result) = attention.forward([&qkv, &joined_keys]);
        let backward: BackwardFn<3> = Arc::new(move |g, wanted| {
            let out = empty(&qkv, qkv.meta.shape());
            let out_keys = empty(&joined_keys, joined_keys.meta.shape());
            let g = into_contiguous(g);
            let outputs = [&out, &out_keys];
            attention.backward([&qkv, &joined_keys], result.as_ref(), &g, outputs);
            join.split(&out_keys, &out, batch);
            if !wanted[1] && !wanted[2] {
                return [Some(out), None, None];
            }
            let [first, second] = join.prefix_gradient(&out_keys, batch);
            [Some(out), Some(first), Some(second)]
        });
        (y, backward)
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
    let norm_residual = NormResidual::new(frame)?;
    let [packed, proj] = [FrozenLinear::new(packed)?, FrozenLinear::new(proj)?];
    let [batch, tokens, _] = x.dims();
    let attention = Attention {
        rounded: packed.is_half(),
        ..Attention::new([batch, tokens, packed.outputs], heads, bias)?
    };
    Some(apply([input], |[x]| {
        let x = into_contiguous(x);
        let qkv = packed.forward(&norm_residual.normalise(&x), EpilogueTensors::default());
        let (mixed, result) = attention.forward([&qkv, &qkv]);
        let y = proj.forward(&mixed, norm_residual.epilogue(&x));
        let backward: BackwardFn<1> = Arc::new(move |g, _| {
            let g = into_contiguous(g);
            let attention_gradient = proj.backward(&g, EpilogueTensors::default());
            let qkv_gradient =
                attention.backward_packed(&qkv, result.as_ref(), &attention_gradient);
            let input_gradient =
                packed.backward(&qkv_gradient, norm_residual.backward_epilogue(&g));
            [Some(norm_residual.input_gradient(&x, input_gradient, &g))]
        });
        (y, backward)
    }))
}
