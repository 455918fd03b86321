//! Functions of vectors of sixteen values, and loops over slices in steps of sixteen.

use super::simd::{Lanes, WIDTH};

/// Evaluates the polynomial with these coefficients (highest power first) at `x`.
#[inline(always)]
fn polynomial<L: Lanes, const N: usize>(x: L, coefficients: [f32; N]) -> L {
    let mut value = L::splat(coefficients[0]);
    for c in &coefficients[1..] {
        value = value.mul_add(x, L::splat(*c));
    }
    value
}

/// Returns `e^x` with a relative error below 2e-7. Below −87, the result stays 1.6e-38. NaN stays NaN.
///
/// Computed as 2ⁿ·eʳ with |r| ≤ ln 2 / 2; the polynomial is that of Cephes' `expf`.
#[inline(always)]
pub(crate) fn exp<L: Lanes>(x: L) -> L {
    // Adding 1.5·2^23 rounds to an integer, which is then in the low bits of the mantissa.
    let round = L::splat(12_582_912.0);
    let x = x.max(L::splat(-87.0)).min(L::splat(88.0));
    let shifted = x.mul_add(L::splat(std::f32::consts::LOG2_E), round);
    let n = shifted.sub(round);
    // ln 2 is split into two parts; the first has so few bits that n·0.693… is exact.
    let r = n.mul_add(L::splat(-0.693_359_4), x);
    let r = n.mul_add(L::splat(2.121_944_4e-4), r);
    let p =
        [1.987_569_1e-4, 1.398_2e-3, 8.333_452e-3, 4.166_579_6e-2, 1.666_666_5e-1, 0.5, 1.0, 1.0];
    polynomial(r, p).mul(shifted.power_of_two())
}

/// Returns Φ(x), the distribution function of the standard normal distribution, and e^(−x²/2). The error of Φ(x) and
/// of x·Φ(x) is below 2e-8 plus rounding, and small values are accurate.
///
/// Φ(−|x|) = e^(−x²/2) · P(t) with t = 1/(1 + 0.28·|x|), as in Abramowitz and Stegun 7.1.26, with coefficients that
/// were fitted for this purpose.
#[inline(always)]
pub(crate) fn normal_cdf<L: Lanes>(x: L) -> [L; 2] {
    const TAIL: [f32; 7] =
        [-0.106_328_46, 0.392_066_6, -0.240_668_76, 0.271_971_77, 0.066_229_74, 0.116_729_09, 0.0];
    let one = L::splat(1.0);
    let e = exp(x.mul(x).mul(L::splat(-0.5)));
    let t = one.div(x.abs().mul_add(L::splat(0.28), one));
    let tail = polynomial(t, TAIL).mul(e);
    [x.select_by_sign(tail, one.sub(tail)), e]
}

/// Computes y = f(inputs), sixteen values at a time. All slices have the length of `y`.
#[inline(always)]
pub(crate) fn map<L: Lanes, const N: usize>(
    inputs: [&[f32]; N],
    y: &mut [f32],
    f: impl Fn([L; N]) -> L,
) {
    let chunked = inputs.map(|x| x[..y.len()].as_chunks::<WIDTH>());
    let (chunks, remainder) = y.as_chunks_mut::<WIDTH>();
    for (i, y) in chunks.iter_mut().enumerate() {
        f(chunked.map(|(x, _)| L::load(&x[i]))).store(y);
    }
    if !remainder.is_empty() {
        f(chunked.map(|(_, x)| L::load_part(x, 0.0))).store_part(remainder);
    }
}

/// Computes y = f(y, inputs), sixteen values at a time. All slices have the length of `y`.
#[inline(always)]
pub(crate) fn update<L: Lanes, const N: usize>(
    y: &mut [f32],
    inputs: [&[f32]; N],
    f: impl Fn(L, [L; N]) -> L,
) {
    let chunked = inputs.map(|x| x[..y.len()].as_chunks::<WIDTH>());
    let (chunks, remainder) = y.as_chunks_mut::<WIDTH>();
    for (i, y) in chunks.iter_mut().enumerate() {
        f(L::load(y), chunked.map(|(x, _)| L::load(&x[i]))).store(y);
    }
    if !remainder.is_empty() {
        let part = L::load_part(remainder, 0.0);
        f(part, chunked.map(|(_, x)| L::load_part(x, 0.0))).store_part(remainder);
    }
}

/// Returns Σ f(inputs) over slices of the same length. `f` must be 0 if all its inputs are `fill`, which pads the
/// last sixteen values.
#[inline(always)]
pub(crate) fn map_sum<L: Lanes, const N: usize>(
    inputs: [&[f32]; N],
    fill: f32,
    f: impl Fn([L; N]) -> L,
) -> f32 {
    let len = inputs[0].len();
    let chunked = inputs.map(|x| x[..len].as_chunks::<WIDTH>());
    // Two independent sums hide the latency of additions.
    let mut sums = [L::splat(0.0); 2];
    let count = len / WIDTH;
    let mut i = 0;
    while i + 1 < count {
        sums[0] = sums[0].add(f(chunked.map(|(x, _)| L::load(&x[i]))));
        sums[1] = sums[1].add(f(chunked.map(|(x, _)| L::load(&x[i + 1]))));
        i += 2;
    }
    if i < count {
        sums[0] = sums[0].add(f(chunked.map(|(x, _)| L::load(&x[i]))));
    }
    if len > count * WIDTH {
        sums[1] = sums[1].add(f(chunked.map(|(_, x)| L::load_part(x, fill))));
    }
    sums[0].add(sums[1]).reduce_sum()
}

/// Returns the largest value of a slice; −∞ if it is empty. NaN may be ignored.
#[inline(always)]
pub(crate) fn max_value<L: Lanes>(x: &[f32]) -> f32 {
    let (chunks, remainder) = x.as_chunks::<WIDTH>();
    let mut max = L::load_part(remainder, f32::NEG_INFINITY);
    for x in chunks {
        max = max.max(L::load(x));
    }
    max.reduce_max()
}
