//! Operations with a thread for each value of a token: rotary positions, SwiGLU, and the order of tokens in windows. The
//! framework would use a launch for each copy and arithmetic operation.

use std::sync::Arc;

use burn::tensor::Tensor;
use burn_cubecl::kernel::into_contiguous;
use burn_cubecl::tensor::CubeTensor;

use super::autodiff::{BackwardFn, apply, constant, to_input};
use super::kernel::{
    Bound, BufferCache, Cache, Kernel, empty, launch_values, u32_buffer, value_kernel,
};
use crate::nn::rows::Order;

/// A kernel, with all parameters of its text. Each thread has an index `i`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum TokenKernel {
    /// `x` (rows × 2·hidden) → `y` (rows × hidden).
    SwiGlu { hidden: u32 },
    /// `x` and `g` (rows × hidden) → `dx`.
    SwiGluGradient { hidden: u32 },
    /// `x` (tokens × 3·width), `cosines` and `sines` (rotated tokens × pairs) → `y`.
    Rotate { tokens: u32, rotated: u32, width: u32, pairs: u32, half: bool, backward: bool },
    /// `x` (batch × before × width) → `y` (batch × after × width), whose rows are those of `x` with these `indices`.
    Gather { before: u32, after: u32, width: u32 },
}

impl TokenKernel {
    /// Launches this number of threads.
    fn launch(self, threads: usize, buffers: &[Bound<'_>], like: &CubeTensor) {
        static KERNELS: Cache<TokenKernel> = Cache::new();
        let kernel = KERNELS.get(&self, || self.kernel());
        launch_values(&kernel, [threads, 0], buffers, like);
    }

    fn kernel(self) -> Kernel {
        match self {
            Self::SwiGlu { hidden } => {
                let body = format!(
                    "let at = i / {hidden}u * {} + i % {hidden}u;
    let gate = x[at];
    y[i] = gate / (1.0 + exp(-gate)) * x[at + {hidden}u];",
                    2 * hidden
                );
                value_kernel("SwiGLU of values", &["x", "y"], &["count"], &body)
            }
            Self::SwiGluGradient { hidden } => {
                let body = format!(
                    "let at = i / {hidden}u * {} + i % {hidden}u;
    let gate = x[at];
    let share = 1.0 / (1.0 + exp(-gate));
    let scaled = gate * share;
    dx[at] = g[i] * x[at + {hidden}u] * (share + scaled * (1.0 - share));
    dx[at + {hidden}u] = g[i] * scaled;",
                    2 * hidden
                );
                value_kernel("SwiGLU gradient", &["x", "g", "dx"], &["count"], &body)
            }
            Self::Rotate { tokens, rotated, width, pairs, half, backward } => {
                // The pair of a channel of a head, whether the channel is its first, and the distance of its partner.
                let (pair, first, distance) = match half {
                    true => ("channel % PAIRS", "channel < PAIRS", pairs),
                    false => ("channel / 2u", "channel % 2u == 0u", 1),
                };
                let [pair, first] = [pair, first].map(|s| s.replace("PAIRS", &format!("{pairs}u")));
                let minus = if backward { "!first" } else { "first" };
                let leading = tokens - rotated;
                let body = format!(
                    "let token = i / {packed}u % {tokens}u;
    let column = i % {packed}u;
    if (token < {leading}u || column >= {both}u) {{
      y[i] = x[i];
    }} else {{
      let channel = column % {head}u;
      let first = {first};
      let at = (token - {leading}u) * {pairs}u + {pair};
      let partner = x[select(i - {distance}u, i + {distance}u, first)];
      y[i] = x[i] * cosines[at] + select(partner, -partner, {minus}) * sines[at];
    }}",
                    packed = 3 * width,
                    both = 2 * width,
                    head = 2 * pairs,
                );
                let names = ["x", "cosines", "sines", "y"];
                value_kernel("rotary positions", &names, &["count"], &body)
            }
            Self::Gather { before, after, width } => {
                let body = format!(
                    "let source = indices[i / {width}u % {after}u];
    y[i] = 0.0;
    if (source < {before}u) {{
      y[i] = x[(i / {width}u / {after}u * {before}u + source) * {width}u + i % {width}u];
    }}"
                );
                value_kernel("order of tokens", &["x", "y"], &["indices", "count"], &body)
            }
        }
    }
}

/// Computes SwiGLU of gates and values side by side; see [`crate::nn::swiglu`].
pub fn swiglu(x: &Tensor<3>) -> Option<Tensor<3>> {
    let input = to_input(x)?;
    let [batch, tokens, channels] = x.dims();
    let hidden = channels / 2;
    let threads = batch * tokens * hidden;
    (threads > 0).then(|| {
        apply([input], |[x]| {
            let x = into_contiguous(x);
            let y = empty(&x, &[batch, tokens, hidden]);
            let buffers = [Bound::Read(&x), Bound::Write(&y)];
            let hidden = hidden as u32;
            TokenKernel::SwiGlu { hidden }.launch(threads, &buffers, &x);
            let backward: BackwardFn<1> = Arc::new(move |g, _| {
                let g = into_contiguous(g);
                let dx = empty(&x, x.meta.shape());
                let buffers = [Bound::Read(&x), Bound::Read(&g), Bound::Write(&dx)];
                TokenKernel::SwiGluGradient { hidden }.launch(threads, &buffers, &x);
                [Some(dx)]
            });
            (y, backward)
        })
    })
}

/// Rotates queries and keys of packed projections by angles, given as cosines and sines (rotated tokens × pairs); see
/// [`crate::nn::Rotation`].
pub fn rotate(qkv: &Tensor<3>, tables: &[Tensor<2>; 2], half: bool) -> Option<Tensor<3>> {
    let input = to_input(qkv)?;
    let [rotated, pairs] = tables[0].dims();
    let [cosines, sines] = tables.each_ref().map(constant);
    let [cosines, sines] = [cosines?, sines?].map(into_contiguous);
    let [batch, tokens, packed] = qkv.dims();
    let kernel = move |backward| TokenKernel::Rotate {
        tokens: tokens as u32,
        rotated: rotated as u32,
        width: packed as u32 / 3,
        pairs: pairs as u32,
        half,
        backward,
    };
    let run = move |x: CubeTensor, backward: bool| {
        let x = into_contiguous(x);
        let y = empty(&x, x.meta.shape());
        let buffers = [&x, &cosines, &sines].map(Bound::Read);
        let buffers = [&buffers[..], &[Bound::Write(&y)]].concat();
        kernel(backward).launch(batch * tokens * packed, &buffers, &x);
        y
    };
    (batch * tokens > 0).then(|| {
        apply([input], |[x]| {
            let y = run(x, false);
            let backward: BackwardFn<1> = Arc::new(move |g, _| [Some(run(g, true))]);
            (y, backward)
        })
    })
}

/// Returns the rows of every image (batch × rows × width) in another order.
pub fn reorder(x: &Tensor<3>, order: &Arc<Order>) -> Option<Tensor<3>> {
    let input = to_input(x)?;
    let [batch, before, width] = x.dims();
    let after = order.len();
    (batch * after * width > 0).then(|| {
        apply([input], |[x]| {
            let [order_indices, inverse_indices] = order_buffers(&x, order);
            let y = gather(&x, &order_indices, [batch, after, width]);
            let backward: BackwardFn<1> =
                Arc::new(move |g, _| [Some(gather(&g, &inverse_indices, [batch, before, width]))]);
            (y, backward)
        })
    })
}

/// The indices of orders and of their inverses, by the address of the order. The order in the value keeps its address
/// from being used for another one.
pub static ORDERS: BufferCache<usize, (Arc<Order>, [CubeTensor; 2])> = BufferCache::new();

/// Returns buffers with the indices of an order and of its inverse, which are cached.
fn order_buffers(like: &CubeTensor, order: &Arc<Order>) -> [CubeTensor; 2] {
    let create = || {
        let buffers = order.indices().map(|list| u32_buffer(like, list));
        (order.clone(), buffers)
    };
    ORDERS.get(like, Arc::as_ptr(order) as usize, create).1
}

/// Returns the rows with these indices; zeros for an index that is too large.
fn gather(x: &CubeTensor, indices: &CubeTensor, shape: [usize; 3]) -> CubeTensor {
    let x = into_contiguous(x.clone());
    let y = empty(&x, &shape);
    let [_, after, width] = shape.map(|size| size as u32);
    let before = x.meta.shape()[1] as u32;
    let kernel = TokenKernel::Gather { before, after, width };
    let buffers = [Bound::Read(&x), Bound::Write(&y), Bound::Read(indices)];
    kernel.launch(shape.iter().product(), &buffers, &x);
    y
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn token_kernels_are_valid_wgsl() {
        let rotate = |half, backward| TokenKernel::Rotate {
            tokens: 17,
            rotated: 16,
            width: 24,
            pairs: 4,
            half,
            backward,
        };
        let gather = TokenKernel::Gather { before: 9, after: 16, width: 12 };
        for kernel in [
            rotate(false, false),
            rotate(true, true),
            gather,
            TokenKernel::SwiGlu { hidden: 10 },
            TokenKernel::SwiGluGradient { hidden: 10 },
        ] {
            kernel.kernel().validate();
        }
    }
}
