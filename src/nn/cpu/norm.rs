//! Layer norm over rows, with its backward for the input.

use super::math::{map, total};
use super::simd::{Lanes, simd};

/// Mean and 1/√(variance + ε) of a row.
pub type Moments = [f32; 2];

simd! {
    /// Each row of `x` (width = gamma's length) → (x − mean)/σ · gamma + beta in `y`.
    pub fn layer_norm<L>(
        x: &[f32],
        gamma: &[f32],
        beta: &[f32],
        epsilon: f32,
        y: &mut [f32],
        moments: &mut [Moments],
    ) {
        let width = gamma.len();
        let rows = x.chunks_exact(width).zip(y.chunks_exact_mut(width));
        for ((x, y), moments) in rows.zip(moments) {
            let mean = total(
                [x],
                0.0,
                #[inline(always)]
                |[x]: [L; 1]| x,
            ) / width as f32;
            let center = L::splat(mean);
            let variance = total(
                [x],
                mean,
                #[inline(always)]
                |[x]: [L; 1]| {
                    let d = x.minus(center);
                    d.times(d)
                },
            ) / width as f32;
            let scale = 1.0 / (variance + epsilon).sqrt();
            *moments = [mean, scale];
            let scale = L::splat(scale);
            map(
                [x, gamma, beta],
                y,
                #[inline(always)]
                |[x, gamma, beta]: [L; 3]| x.minus(center).times(scale).times_plus(gamma, beta),
            );
        }
    }
}

/// With x̂ the normalised row and ĝ = g·gamma, what layer norm's gradient for its input is made
/// of: dx = (ĝ − mean(ĝ) − x̂·mean(ĝ·x̂))/σ. Gives mean(ĝ) and mean(ĝ·x̂)/σ.
#[inline(always)]
fn projections<L: Lanes>(x: &[f32], gamma: &[f32], [mean, scale]: Moments, g: &[f32]) -> [L; 2] {
    let width = gamma.len() as f32;
    let center = L::splat(mean);
    let first = total(
        [g, gamma],
        0.0,
        #[inline(always)]
        |[g, gamma]: [L; 2]| g.times(gamma),
    );
    let second = total(
        [g, gamma, x],
        0.0,
        #[inline(always)]
        |[g, gamma, x]: [L; 3]| g.times(gamma).times(x.minus(center)),
    );
    [first / width, second / width * scale * scale].map(L::splat)
}

simd! {
    /// Gradient of [`layer_norm`] for its input, from `g` for its output.
    pub fn layer_norm_backward<L>(
        x: &[f32],
        gamma: &[f32],
        moments: &[Moments],
        g: &[f32],
        dx: &mut [f32],
    ) {
        let width = gamma.len();
        let rows = x
            .chunks_exact(width)
            .zip(g.chunks_exact(width))
            .zip(dx.chunks_exact_mut(width));
        for (((x, g), dx), moments) in rows.zip(moments) {
            let [first, second] = projections::<L>(x, gamma, *moments, g);
            let [center, scale] = moments.map(L::splat);
            map(
                [x, g, gamma],
                dx,
                #[inline(always)]
                |[x, g, gamma]: [L; 3]| {
                    let plain = g.times(gamma).minus(first);
                    center.minus(x).times_plus(second, plain).times(scale)
                },
            );
        }
    }
}

simd! {
    /// The same, added to `residual`, which is the gradient that reaches the input by another way.
    pub fn layer_norm_backward_onto<L>(
        x: &[f32],
        gamma: &[f32],
        moments: &[Moments],
        g: &[f32],
        residual: &[f32],
        dx: &mut [f32],
    ) {
        let width = gamma.len();
        let rows = x
            .chunks_exact(width)
            .zip(g.chunks_exact(width))
            .zip(residual.chunks_exact(width))
            .zip(dx.chunks_exact_mut(width));
        for ((((x, g), residual), dx), moments) in rows.zip(moments) {
            let [first, second] = projections::<L>(x, gamma, *moments, g);
            let [center, scale] = moments.map(L::splat);
            map(
                [x, g, gamma, residual],
                dx,
                #[inline(always)]
                |[x, g, gamma, residual]: [L; 4]| {
                    let plain = g.times(gamma).minus(first);
                    let own = center.minus(x).times_plus(second, plain);
                    own.times(scale).plus(residual)
                },
            );
        }
    }
}
