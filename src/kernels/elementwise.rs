//! Element-wise functions: GELU, SwiGLU, their derivatives, sums and products.

use super::math::{exp, map, map_sum, normal_cdf, update};
use super::simd::{Lanes, WIDTH, simd};

/// Returns x·Φ(x) and its derivative Φ(x) + x·φ(x).
#[inline(always)]
fn gelu_and_slope<L: Lanes>(x: L) -> [L; 2] {
    let [cdf, e] = normal_cdf(x);
    let density = e.mul(L::splat(0.398_942_3));
    [x.mul(cdf), x.mul_add(density, cdf)]
}

simd! {
    /// Computes y = x·Φ(x).
    pub fn gelu<L>(x: &[f32], y: &mut [f32]) {
        map(
            [x],
            y,
            #[inline(always)]
            |[x]: [L; 1]| x.mul(normal_cdf(x)[0]),
        );
    }
}

simd! {
    /// Replaces y by y·Φ(y).
    pub fn gelu_in_place<L>(y: &mut [f32]) {
        update(
            y,
            [],
            #[inline(always)]
            |y: L, []| y.mul(normal_cdf(y)[0]),
        );
    }
}

simd! {
    /// Replaces y by y·Φ(y), and computes `slopes` = Φ(y) + y·φ(y) of the previous y.
    pub fn gelu_with_slope<L>(y: &mut [f32], slopes: &mut [f32]) {
        let (chunks, remainder) = y.as_chunks_mut::<WIDTH>();
        let (slope_chunks, slope_remainder) = slopes.as_chunks_mut::<WIDTH>();
        for (y, slopes) in chunks.iter_mut().zip(slope_chunks) {
            let [value, slope] = gelu_and_slope(L::load(y));
            slope.store(slopes);
            value.store(y);
        }
        let [value, slope] = gelu_and_slope(L::load_part(remainder, 0.0));
        slope.store_part(slope_remainder);
        value.store_part(remainder);
    }
}

simd! {
    /// Computes dx = g·(Φ(x) + x·φ(x)), the gradient of [`gelu`].
    pub fn gelu_backward<L>(x: &[f32], g: &[f32], dx: &mut [f32]) {
        map(
            [x, g],
            dx,
            #[inline(always)]
            |[x, g]: [L; 2]| g.mul(gelu_and_slope(x)[1]),
        );
    }
}

/// Returns σ(x) = 1 / (1 + e^−x).
#[inline(always)]
fn sigmoid<L: Lanes>(x: L) -> L {
    let one = L::splat(1.0);
    one.div(one.add(exp(L::splat(0.0).sub(x))))
}

simd! {
    /// Computes y = a·σ(a)·b, SwiGLU with the gate a (Shazeer, 2020).
    pub fn swiglu<L>(a: &[f32], b: &[f32], y: &mut [f32]) {
        map(
            [a, b],
            y,
            #[inline(always)]
            |[a, b]: [L; 2]| a.mul(sigmoid(a)).mul(b),
        );
    }
}

simd! {
    /// Computes the gradients of [`swiglu`], given the gradient g of its result: da = g·b·σ(a)·(1 + a·(1 − σ(a))), db
    /// = g·a·σ(a).
    pub fn swiglu_backward<L>(a: &[f32], b: &[f32], g: &[f32], da: &mut [f32], db: &mut [f32]) {
        map(
            [a, b, g],
            da,
            #[inline(always)]
            |[a, b, g]: [L; 3]| {
                let (one, s) = (L::splat(1.0), sigmoid(a));
                g.mul(b).mul(s).mul(a.mul_add(one.sub(s), one))
            },
        );
        map(
            [a, g],
            db,
            #[inline(always)]
            |[a, g]: [L; 2]| g.mul(a).mul(sigmoid(a)),
        );
    }
}

simd! {
    /// Replaces y by y·factor.
    pub fn multiply<L>(y: &mut [f32], factor: &[f32]) {
        update(
            y,
            [factor],
            #[inline(always)]
            |y: L, [factor]| y.mul(factor),
        );
    }
}

simd! {
    /// Replaces y by y + other.
    pub fn add<L>(y: &mut [f32], other: &[f32]) {
        update(
            y,
            [other],
            #[inline(always)]
            |y: L, [other]| y.add(other),
        );
    }
}

simd! {
    /// Computes y = a + b.
    pub fn add_into<L>(a: &[f32], b: &[f32], y: &mut [f32]) {
        map(
            [a, b],
            y,
            #[inline(always)]
            |[a, b]: [L; 2]| a.add(b),
        );
    }
}

simd! {
    /// Computes y = a·b.
    pub fn multiply_into<L>(a: &[f32], b: &[f32], y: &mut [f32]) {
        map(
            [a, b],
            y,
            #[inline(always)]
            |[a, b]: [L; 2]| a.mul(b),
        );
    }
}

simd! {
    /// Computes y = x·factor.
    pub fn scale<L>(x: &[f32], factor: f32, y: &mut [f32]) {
        let factor = L::splat(factor);
        map(
            [x],
            y,
            #[inline(always)]
            |[x]: [L; 1]| x.mul(factor),
        );
    }
}

simd! {
    /// Replaces sum by sum + a·b.
    pub fn add_products<L>(a: &[f32], b: &[f32], sum: &mut [f32]) {
        update(
            sum,
            [a, b],
            #[inline(always)]
            |sum: L, [a, b]| a.mul_add(b, sum),
        );
    }
}

simd! {
    /// Sets the single value of `sum` to Σ a·b.
    pub fn dot<L>(a: &[f32], b: &[f32], sum: &mut [f32; 1]) {
        sum[0] = map_sum(
            [a, b],
            0.0,
            #[inline(always)]
            |[a, b]: [L; 2]| a.mul(b),
        );
    }
}

simd! {
    /// Computes y = x·row for every row of x.
    pub fn multiply_by_row<L>(x: &[f32], row: &[f32], y: &mut [f32]) {
        let rows = x.chunks_exact(row.len()).zip(y.chunks_exact_mut(row.len()));
        for (x, y) in rows {
            map(
                [x, row],
                y,
                #[inline(always)]
                |[x, row]: [L; 2]| x.mul(row),
            );
        }
    }
}

simd! {
    /// Computes y = x + row for every row of x.
    pub fn add_row<L>(x: &[f32], row: &[f32], y: &mut [f32]) {
        let rows = x.chunks_exact(row.len()).zip(y.chunks_exact_mut(row.len()));
        for (x, y) in rows {
            map(
                [x, row],
                y,
                #[inline(always)]
                |[x, row]: [L; 2]| x.add(row),
            );
        }
    }
}

simd! {
    /// Does a step of SGD with momentum: `new_momentum` = momentum·`momentum_buffer` + factor·g + decay·x; `y` = x −
    /// rate·`new_momentum`. `factors` are factor, momentum, decay and rate. All slices have the same length.
    pub fn momentum_step<L>(
        x: &[f32],
        g: &[f32],
        momentum_buffer: &[f32],
        factors: [f32; 4],
        new_momentum: &mut [f32],
        y: &mut [f32],
    ) {
        let [factor, momentum, decay, rate] = factors.map(L::splat);
        let negative_rate = L::splat(0.0).sub(rate);
        map(
            [x, g, momentum_buffer],
            new_momentum,
            #[inline(always)]
            |[x, g, momentum_buffer]: [L; 3]| {
                let g = x.mul_add(decay, g.mul(factor));
                momentum_buffer.mul_add(momentum, g)
            },
        );
        map(
            [x, new_momentum],
            y,
            #[inline(always)]
            |[x, new_momentum]: [L; 2]| new_momentum.mul_add(negative_rate, x),
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simd::Level;

    /// Computes erf in f64 by its Taylor series (small |x|) or continued fraction (large |x|).
    fn erf(x: f64) -> f64 {
        let a = x.abs();
        let value = if a < 3.0 {
            let mut term = a;
            let mut total = a;
            for n in 1..200 {
                term *= -a * a / f64::from(n);
                total += term / f64::from(2 * n + 1);
            }
            total * 2.0 / std::f64::consts::PI.sqrt()
        } else {
            let mut fraction = a;
            for k in (1..200).rev() {
                fraction = a + f64::from(k) * 0.5 / fraction;
            }
            1.0 - (-a * a).exp() / (fraction * std::f64::consts::PI.sqrt())
        };
        value.copysign(x)
    }

    fn gelu_exact(x: f64) -> (f64, f64) {
        let cdf = 0.5 * (1.0 + erf(x / std::f64::consts::SQRT_2));
        let density = (-0.5 * x * x).exp() / (2.0 * std::f64::consts::PI).sqrt();
        (x * cdf, cdf + x * density)
    }

    #[test]
    fn gelu_matches_exact_function_on_every_level() {
        let x: Vec<f32> = (-120_000..=120_000).map(|i| i as f32 * 1e-4).collect();
        for level in Level::all() {
            let mut y = vec![0.0; x.len()];
            gelu(level, &x, &mut y);
            let mut slope = vec![0.0; x.len()];
            let mut in_place = x.clone();
            gelu_with_slope(level, &mut in_place, &mut slope);
            assert_eq!(in_place, y);
            for ((x, y), slope) in x.iter().zip(&y).zip(&slope) {
                let (exact, exact_slope) = gelu_exact(f64::from(*x));
                // Above 1, the rounding of the result is larger than 2e-7.
                let tolerance = 2e-7 * exact.abs().max(1.0);
                let error = (f64::from(*y) - exact).abs();
                assert!(error <= tolerance, "{level:?} gelu({x}): off by {error:e}");
                let error = (f64::from(*slope) - exact_slope).abs();
                assert!(error <= 3e-7, "{level:?} slope at {x}: off by {error:e}");
            }
        }
    }

    #[test]
    fn swiglu_matches_exact_function_on_every_level() {
        let a: Vec<f32> = (-1000..=1000).map(|i| i as f32 * 0.05).collect();
        let b: Vec<f32> = a.iter().map(|a| (a * 0.7).sin() * 3.0).collect();
        let g: Vec<f32> = a.iter().map(|a| (a * 1.3).cos()).collect();
        for level in Level::all() {
            let [mut y, mut da, mut db] = [(); 3].map(|()| vec![0.0; a.len()]);
            swiglu(level, &a, &b, &mut y);
            swiglu_backward(level, &a, &b, &g, &mut da, &mut db);
            for i in 0..a.len() {
                let [a, b, g] = [a[i], b[i], g[i]].map(f64::from);
                let s = 1.0 / (1.0 + (-a).exp());
                let exact = [a * s * b, g * b * s * (1.0 + a * (1.0 - s)), g * a * s];
                for (actual, exact) in [y[i], da[i], db[i]].into_iter().zip(exact) {
                    let error = (f64::from(actual) - exact).abs();
                    assert!(error <= 2e-6 * exact.abs().max(1.0), "{level:?} {a}: {error:e}");
                }
            }
        }
    }

    #[test]
    fn gelu_propagates_nan_and_infinity() {
        for level in Level::all() {
            let mut y = [0.0; 3];
            gelu(level, &[f32::NAN, f32::INFINITY, -1e30], &mut y);
            assert!(y[0].is_nan());
            assert_eq!(y[1], f32::INFINITY);
            assert!(y[2].abs() < 1e24);
        }
    }
}
