//! Functions of vectors of sixteen values, and loops over slices in steps of sixteen.

use super::simd::{Lanes, WIDTH};

/// Evaluates the polynomial with these coefficients (highest power first) at `x`.
#[inline(always)]
fn polynomial<L: Lanes, const N: usize>(x: L, coefficients: [f32; N]) -> L {
    let mut value = L::splat(coefficients[0]);
    for c in &coefficients[1..] {
        value = value.times_plus(x, L::splat(*c));
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
    let x = x.at_least(L::splat(-87.0)).at_most(L::splat(88.0));
    let shifted = x.times_plus(L::splat(std::f32::consts::LOG2_E), round);
    let n = shifted.minus(round);
    // ln 2 is split into two parts; the first has so few bits that n·0.693… is exact.
    let r = n.times_plus(L::splat(-0.693_359_4), x);
    let r = n.times_plus(L::splat(2.121_944_4e-4), r);
    let p = [
        1.987_569_1e-4,
        1.398_2e-3,
        8.333_452e-3,
        4.166_579_6e-2,
        1.666_666_5e-1,
        0.5,
        1.0,
        1.0,
    ];
    polynomial(r, p).times(shifted.power_of_two())
}

/// Returns Φ(x), the distribution function of the standard normal distribution, and e^(−x²/2). The error of Φ(x) and
/// of x·Φ(x) is below 2e-8 plus rounding, and small values are accurate.
///
/// Φ(−|x|) = e^(−x²/2) · P(t) with t = 1/(1 + 0.28·|x|), as in Abramowitz and Stegun 7.1.26, with coefficients that
/// were fitted for this purpose.
#[inline(always)]
pub(crate) fn normal_cdf<L: Lanes>(x: L) -> [L; 2] {
    const TAIL: [f32; 7] = [
        -0.106_328_46,
        0.392_066_6,
        -0.240_668_76,
        0.271_971_77,
        0.066_229_74,
        0.116_729_09,
        0.0,
    ];
    let one = L::splat(1.0);
    let e = exp(x.times(x).times(L::splat(-0.5)));
    let t = one.over(x.absolute().times_plus(L::splat(0.28), one));
    let tail = polynomial(t, TAIL).times(e);
    [x.choose(tail, one.minus(tail)), e]
}

/// Computes y = f(inputs), sixteen values at a time. All slices have the length of `y`.
#[inline(always)]
pub(crate) fn map<L: Lanes, const N: usize>(
    inputs: [&[f32]; N],
    y: &mut [f32],
    f: impl Fn([L; N]) -> L,
) {
    let whole = inputs.map(|x| x[..y.len()].as_chunks::<WIDTH>());
    let (places, rest) = y.as_chunks_mut::<WIDTH>();
    for (i, y) in places.iter_mut().enumerate() {
        f(whole.map(|(x, _)| L::load(&x[i]))).store(y);
    }
    if !rest.is_empty() {
        f(whole.map(|(_, x)| L::load_part(x, 0.0))).store_part(rest);
    }
}

/// Computes y = f(y, inputs), sixteen values at a time. All slices have the length of `y`.
#[inline(always)]
pub(crate) fn update<L: Lanes, const N: usize>(
    y: &mut [f32],
    inputs: [&[f32]; N],
    f: impl Fn(L, [L; N]) -> L,
) {
    let whole = inputs.map(|x| x[..y.len()].as_chunks::<WIDTH>());
    let (places, rest) = y.as_chunks_mut::<WIDTH>();
    for (i, y) in places.iter_mut().enumerate() {
        f(L::load(y), whole.map(|(x, _)| L::load(&x[i]))).store(y);
    }
    if !rest.is_empty() {
        let part = L::load_part(rest, 0.0);
        f(part, whole.map(|(_, x)| L::load_part(x, 0.0))).store_part(rest);
    }
}

/// Returns Σ f(inputs) over slices of the same length. `f` must be 0 if all its inputs are `fill`, which pads the
/// last sixteen values.
#[inline(always)]
pub(crate) fn total<L: Lanes, const N: usize>(
    inputs: [&[f32]; N],
    fill: f32,
    f: impl Fn([L; N]) -> L,
) -> f32 {
    let len = inputs[0].len();
    let whole = inputs.map(|x| x[..len].as_chunks::<WIDTH>());
    // Two independent sums hide the latency of additions.
    let mut sums = [L::splat(0.0); 2];
    let count = len / WIDTH;
    let mut i = 0;
    while i + 1 < count {
        sums[0] = sums[0].plus(f(whole.map(|(x, _)| L::load(&x[i]))));
        sums[1] = sums[1].plus(f(whole.map(|(x, _)| L::load(&x[i + 1]))));
        i += 2;
    }
    if i < count {
        sums[0] = sums[0].plus(f(whole.map(|(x, _)| L::load(&x[i]))));
    }
    if len > count * WIDTH {
        sums[1] = sums[1].plus(f(whole.map(|(_, x)| L::load_part(x, fill))));
    }
    sums[0].plus(sums[1]).sum()
}

/// Returns the largest value of a slice; −∞ if it is empty. NaN may be ignored.
#[inline(always)]
pub(crate) fn largest<L: Lanes>(x: &[f32]) -> f32 {
    let (whole, rest) = x.as_chunks::<WIDTH>();
    let mut most = L::load_part(rest, f32::NEG_INFINITY);
    for x in whole {
        most = most.at_least(L::load(x));
    }
    most.largest()
}
