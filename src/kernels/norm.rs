//! Layer norm over rows, with its gradients for the input and for scale and shift.

use rayon::prelude::*;

use super::buffer::Buffer;
use super::math::{map, map_sum};
use super::simd::{Lanes, Level, WIDTH, simd};
use super::sums::{ROWS_PER_SUM, rows_per_chunk, sum_buffers};

/// The mean and 1/√(variance + ε) of a row.
pub type Moments = [f32; 2];

simd! {
    /// Computes y = (x − mean)/σ · gamma + beta for each row of `x` (of the length of gamma), and the moments.
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
            let mean = map_sum(
                [x],
                0.0,
                #[inline(always)]
                |[x]: [L; 1]| x,
            ) / width as f32;
            let center = L::splat(mean);
            let variance = map_sum(
                [x],
                mean,
                #[inline(always)]
                |[x]: [L; 1]| {
                    let d = x.sub(center);
                    d.mul(d)
                },
            ) / width as f32;
            let scale = 1.0 / (variance + epsilon).sqrt();
            *moments = [mean, scale];
            let scale = L::splat(scale);
            map(
                [x, gamma, beta],
                y,
                #[inline(always)]
                |[x, gamma, beta]: [L; 3]| x.sub(center).mul(scale).mul_add(gamma, beta),
            );
        }
    }
}

/// Returns mean(ĝ) and mean(ĝ·x̂)/σ, where x̂ is the normalised row and ĝ = g·gamma. The gradient of the input is dx
/// = (ĝ − mean(ĝ) − x̂·mean(ĝ·x̂))/σ.
#[inline(always)]
fn projections<L: Lanes>(x: &[f32], gamma: &[f32], [mean, scale]: Moments, g: &[f32]) -> [L; 2] {
    let width = gamma.len() as f32;
    let center = L::splat(mean);
    let first = map_sum(
        [g, gamma],
        0.0,
        #[inline(always)]
        |[g, gamma]: [L; 2]| g.mul(gamma),
    );
    let second = map_sum(
        [g, gamma, x],
        0.0,
        #[inline(always)]
        |[g, gamma, x]: [L; 3]| g.mul(gamma).mul(x.sub(center)),
    );
    [first / width, second / width * scale * scale].map(L::splat)
}

simd! {
    /// Computes the gradient of the input of [`layer_norm`], given the gradient `g` of its output.
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
                    let plain = g.mul(gamma).sub(first);
                    center.sub(x).mul_add(second, plain).mul(scale)
                },
            );
        }
    }
}

simd! {
    /// Like [`layer_norm_backward`]; adds `residual`, the gradient of the residual connection.
    pub fn layer_norm_residual_backward<L>(
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
                    let plain = g.mul(gamma).sub(first);
                    let from_norm = center.sub(x).mul_add(second, plain);
                    from_norm.mul(scale).add(residual)
                },
            );
        }
    }
}

/// Returns the gradient of the input for all rows, computed on all cores.
pub fn backward(x: &[f32], gamma: &[f32], moments: &[Moments], g: &[f32]) -> Buffer {
    let rows = rows_per_chunk(gamma.len());
    let chunk = rows * gamma.len();
    let mut dx = Buffer::new(g.len());
    dx.par_chunks_mut(chunk)
        .zip(x.par_chunks(chunk))
        .zip(g.par_chunks(chunk))
        .zip(moments.par_chunks(rows))
        .for_each(|(((dx, x), g), moments)| {
            layer_norm_backward(Level::best(), x, gamma, moments, g, dx);
        });
    dx
}

simd! {
    /// Adds the gradients of [`layer_norm`] for gamma (Σ g·x̂ over the rows) to `dgamma`, and for beta (Σ g) to
    /// `dbeta`.
    fn add_affine_gradients<L>(
        x: &[f32],
        moments: &[Moments],
        g: &[f32],
        dgamma: &mut [f32],
        dbeta: &mut [f32],
    ) {
        let width = dgamma.len();
        let rows = x.chunks_exact(width).zip(g.chunks_exact(width));
        for ((x, g), moments) in rows.zip(moments) {
            let [center, scale] = moments.map(L::splat);
            let (x, x_rest) = x.as_chunks::<WIDTH>();
            let (g, g_rest) = g.as_chunks::<WIDTH>();
            let (dgamma, dgamma_rest) = dgamma.as_chunks_mut::<WIDTH>();
            let (dbeta, dbeta_rest) = dbeta.as_chunks_mut::<WIDTH>();
            for (((x, g), dgamma), dbeta) in x.iter().zip(g).zip(dgamma).zip(dbeta) {
                let g = L::load(g);
                let normed = L::load(x).sub(center).mul(scale);
                g.mul_add(normed, L::load(dgamma)).store(dgamma);
                L::load(dbeta).add(g).store(dbeta);
            }
            let g = L::load_part(g_rest, 0.0);
            let normed = L::load_part(x_rest, 0.0).sub(center).mul(scale);
            g.mul_add(normed, L::load_part(dgamma_rest, 0.0)).store_part(dgamma_rest);
            L::load_part(dbeta_rest, 0.0).add(g).store_part(dbeta_rest);
        }
    }
}

/// Returns the gradients of gamma and beta, given the gradient `g` of the output. The rows are summed in pieces of
/// fixed size, so the result does not depend on the number of cores.
pub fn affine_gradients(x: &[f32], moments: &[Moments], g: &[f32], width: usize) -> [Buffer; 2] {
    let parts: Vec<[Buffer; 2]> = (x.par_chunks(ROWS_PER_SUM * width))
        .zip(g.par_chunks(ROWS_PER_SUM * width))
        .zip(moments.par_chunks(ROWS_PER_SUM))
        .map(|((x, g), moments)| {
            let [mut dgamma, mut dbeta] = [Buffer::new(width), Buffer::new(width)];
            dgamma.fill(0.0);
            dbeta.fill(0.0);
            add_affine_gradients(Level::best(), x, moments, g, &mut dgamma, &mut dbeta);
            [dgamma, dbeta]
        })
        .collect();
    let (dgamma, dbeta) = parts.into_iter().map(|[a, b]| (a, b)).unzip();
    [sum_buffers(dgamma, width), sum_buffers(dbeta, width)]
}
