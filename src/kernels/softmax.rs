//! Row-wise softmax and its gradient, on rows that may be padded.

use super::math::{exp, map_sum, max_value, update};
use super::simd::{Lanes, WIDTH, simd};

/// The largest score of a row (after scale and bias) and 1/Σ exp, from which the softmax can be recomputed.
pub type RowStats = [f32; 2];

/// Rows of attention scores are padded to a multiple of this number, so that they consist of whole vectors.
pub const PAD: usize = WIDTH;

/// Returns `e^x` for scores minus the largest of their row; 0 if it is below 2e-35, for example for masked scores.
/// Values near the smallest f32 would make subsequent products many times slower.
#[inline(always)]
fn weight<L: Lanes>(x: L) -> L {
    exp(x).sub(L::splat(2e-35)).max(L::splat(0.0))
}

/// Replaces s by s·scale + bias; `bias` may be empty.
#[inline(always)]
fn scale_row<L: Lanes>(s: &mut [f32], scale: f32, bias: &[f32]) {
    let scale = L::splat(scale);
    if bias.is_empty() {
        update(
            s,
            [],
            #[inline(always)]
            |s: L, []| s.mul(scale),
        );
    } else {
        update(
            s,
            [bias],
            #[inline(always)]
            |s: L, [bias]| s.mul_add(scale, bias),
        );
    }
}

/// Returns the bias of one row; empty if there is none.
#[inline(always)]
fn bias_row(bias: &[f32], row: usize, n: usize) -> &[f32] {
    if bias.is_empty() { bias } else { &bias[row * n..(row + 1) * n] }
}

simd! {
    /// Replaces the first `n` values of each row of `s` (rows of length `stride`) by softmax(s·scale + bias), and the
    /// padding by 0. `bias` has rows of length `n`, or is empty.
    pub fn softmax_rows<L>(
        s: &mut [f32],
        n: usize,
        stride: usize,
        scale: f32,
        bias: &[f32],
        stats: &mut [RowStats],
    ) {
        for (row, (s, stats)) in s.chunks_exact_mut(stride).zip(stats).enumerate() {
            scale_row::<L>(&mut s[..n], scale, bias_row(bias, row, n));
            s[n..].fill(f32::NEG_INFINITY);
            let row_max = max_value::<L>(s);
            let max = L::splat(row_max);
            let mut sum = L::splat(0.0);
            let (chunks, remainder) = s.as_chunks_mut::<WIDTH>();
            for s in chunks {
                let e = weight(L::load(s).sub(max));
                sum = sum.add(e);
                e.store(s);
            }
            if !remainder.is_empty() {
                let e = weight(L::load_part(remainder, f32::NEG_INFINITY).sub(max));
                sum = sum.add(e);
                e.store_part(remainder);
            }
            s[n..].fill(0.0);
            let inverse = 1.0 / sum.reduce_sum();
            let factor = L::splat(inverse);
            update(
                s,
                [],
                #[inline(always)]
                |s: L, []| s.mul(factor),
            );
            *stats = [row_max, inverse];
        }
    }
}

simd! {
    /// Recomputes the softmax of [`softmax_rows`] from the scores and `stats`.
    pub fn recompute_softmax<L>(
        s: &mut [f32],
        n: usize,
        stride: usize,
        scale: f32,
        bias: &[f32],
        stats: &[RowStats],
    ) {
        for (row, (s, stats)) in s.chunks_exact_mut(stride).zip(stats).enumerate() {
            scale_row::<L>(&mut s[..n], scale, bias_row(bias, row, n));
            let [max, inverse] = stats.map(L::splat);
            update(
                s,
                [],
                #[inline(always)]
                |s: L, []| weight(s.sub(max)).mul(inverse),
            );
            s[n..].fill(0.0);
        }
    }
}

simd! {
    /// Replaces `d`, the gradient of a softmax with the rows `p`, by the gradient of the scores, p·(d − Σ p·d)·scale,
    /// and the padding of `d` by 0.
    pub fn softmax_backward<L>(p: &[f32], d: &mut [f32], n: usize, stride: usize, scale: f32) {
        let scale = L::splat(scale);
        for (p, d) in p.chunks_exact(stride).zip(d.chunks_exact_mut(stride)) {
            d[n..].fill(0.0);
            let sum = map_sum(
                [p, d],
                0.0,
                #[inline(always)]
                |[p, d]: [L; 2]| p.mul(d),
            );
            let sum = L::splat(sum);
            update(
                d,
                [p],
                #[inline(always)]
                |d: L, [p]| d.sub(sum).mul(p).mul(scale),
            );
        }
    }
}

simd! {
    /// Adds rows of the result of [`softmax_backward`], divided by `scale`, to `sum` (rows of length `n`).
    pub fn add_unscaled<L>(d: &[f32], n: usize, stride: usize, scale: f32, sum: &mut [f32]) {
        let factor = L::splat(1.0 / scale);
        for (d, sum) in d.chunks_exact(stride).zip(sum.chunks_exact_mut(n)) {
            update(
                sum,
                [d],
                #[inline(always)]
                |sum: L, [d]| d.mul_add(factor, sum),
            );
        }
    }
}
