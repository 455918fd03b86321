//! Operations of two tensors, both of which may be trained: sums, element-wise products, and products with a small
//! matrix. The equations of PETs consist mainly of these.

use burn::tensor::Tensor;
use lae_kernels::buffer::Buffer;
use lae_kernels::elementwise::{add_into, add_row, multiply_by_row, multiply_into, scale};
use lae_kernels::gemm::{Matrix, Store, parallel_product, product};
use lae_kernels::simd::Level;
use lae_kernels::sums::{ROWS_PER_SUM, rows_per_chunk, sum_all, sum_buffers, sum_rows};
use rayon::prelude::*;

use super::autodiff::{Dense, Gradient, Input, apply, backward_if, to_input};

/// How the smaller of two tensors is broadcast to the shape of the larger one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Broadcast {
    /// Both have the same shape.
    Same,
    /// One row is added to (or multiplied with) all rows.
    Row,
    /// A single value is used for all elements.
    Scalar,
}

impl Broadcast {
    /// Returns how `small` is broadcast to `large`; `None` for cases that are left to the framework.
    fn new(small: &[usize], large: &[usize]) -> Option<Self> {
        let (last, lead) = small.split_last()?;
        if small == large {
            Some(Self::Same)
        } else if lead.iter().any(|size| *size != 1) {
            None
        } else if last == large.last()? {
            Some(Self::Row)
        } else {
            (*last == 1).then_some(Self::Scalar)
        }
    }
}

/// Returns the larger tensor first, its shape, and how the other one is broadcast.
fn order_inputs<const D: usize>(
    a: &Tensor<D>,
    b: &Tensor<D>,
) -> Option<([Input; 2], [usize; D], Broadcast)> {
    let (x, y) = match Broadcast::new(&b.dims(), &a.dims()) {
        Some(_) => (a, b),
        None => (b, a),
    };
    let broadcast = Broadcast::new(&y.dims(), &x.dims())?;
    Some(([to_input(x)?, to_input(y)?], x.dims(), broadcast))
}

/// Calls `f` with pieces of whole rows of `x`, the same pieces of the result, and their offset, on all cores.
fn map_rows(x: &[f32], width: usize, f: impl Fn(&[f32], &mut [f32], usize) + Sync) -> Buffer {
    let piece = (rows_per_chunk(width) * width).max(1);
    let mut y = Buffer::new(x.len());
    y.par_chunks_mut(piece)
        .zip(x.par_chunks(piece))
        .enumerate()
        .for_each(|(i, (y, x))| f(x, y, i * piece));
    y
}

/// Computes a + b, element-wise.
pub fn add<const D: usize>(a: &Tensor<D>, b: &Tensor<D>) -> Option<Tensor<D>> {
    let (inputs, shape, broadcast) = order_inputs(a, b)?;
    let width = *shape.last()?;
    Some(apply(inputs, shape, |[x, y], tracked| {
        let (level, y) = (Level::best(), y.values());
        let sum = map_rows(x.values(), width, |x, sum, offset| match broadcast {
            Broadcast::Same => add_into(level, x, &y[offset..offset + x.len()], sum),
            Broadcast::Row => add_row(level, x, y, sum),
            Broadcast::Scalar => add_row(level, x, &vec![y[0]; width], sum),
        });
        let backward = backward_if(tracked, move |g, [wants_x, wants_y]| {
            let y_gradient = || match broadcast {
                Broadcast::Same => Gradient::Same,
                Broadcast::Row => Gradient::Values(sum_rows(g, None, width)),
                Broadcast::Scalar => Gradient::Values(sum_all(g, None)),
            };
            [wants_x.then_some(Gradient::Same), wants_y.then(y_gradient)]
        });
        (sum, backward)
    }))
}

/// Computes a · b, element-wise.
pub fn multiply<const D: usize>(a: &Tensor<D>, b: &Tensor<D>) -> Option<Tensor<D>> {
    let (inputs, shape, broadcast) = order_inputs(a, b)?;
    let width = *shape.last()?;
    Some(apply(inputs, shape, |[x, y], tracked| {
        let product = multiply_values(x.values(), y.values(), broadcast, width);
        let backward = backward_if(tracked, move |g, [wants_x, wants_y]| {
            let (x, y) = (x.values(), y.values());
            let y_gradient = || match broadcast {
                Broadcast::Same => multiply_values(g, x, broadcast, width),
                Broadcast::Row => sum_rows(g, Some(x), width),
                Broadcast::Scalar => sum_all(g, Some(x)),
            };
            [
                wants_x.then(|| Gradient::Values(multiply_values(g, y, broadcast, width))),
                wants_y.then(|| Gradient::Values(y_gradient())),
            ]
        });
        (product, backward)
    }))
}

fn multiply_values(x: &[f32], y: &[f32], broadcast: Broadcast, width: usize) -> Buffer {
    let level = Level::best();
    map_rows(x, width, |x, result, offset| match broadcast {
        Broadcast::Same => multiply_into(level, x, &y[offset..offset + x.len()], result),
        Broadcast::Row => multiply_by_row(level, x, y, result),
        Broadcast::Scalar => scale(level, x, y[0], result),
    })
}

/// Computes Σ x² of a constant, without a gradient.
pub fn sum_of_squares(x: &Tensor<1>) -> Option<Tensor<1>> {
    Dense::constant(x)?;
    let sum = |[x]: [Dense; 1], _| (sum_all(x.values(), Some(x.values())), None);
    Some(apply([to_input(x)?], [1], sum))
}

/// Computes x (rows × inputs) · w (inputs × outputs).
pub fn project(x: &Tensor<2>, w: &Tensor<2>) -> Option<Tensor<2>> {
    let ([rows, inputs], [_, outputs]) = (x.dims(), w.dims());
    if rows * inputs * outputs == 0 {
        return None;
    }
    let tensors = [to_input(x)?, to_input(w)?];
    Some(apply(tensors, [rows, outputs], |[x, w], tracked| {
        let mut y = Buffer::new(rows * outputs);
        let a = Matrix::new(x.values(), rows, inputs, inputs);
        let b = Matrix::new(w.values(), inputs, outputs, outputs);
        parallel_product(&mut y, Store::Replace, a, b);
        let backward = backward_if(tracked, move |g, [wants_x, wants_w]| {
            let x_gradient = wants_x.then(|| {
                let mut dx = Buffer::new(rows * inputs);
                let g = Matrix::new(g, rows, outputs, outputs);
                let w = Matrix::new(w.values(), inputs, outputs, outputs).transposed();
                parallel_product(&mut dx, Store::Replace, g, w);
                Gradient::Values(dx)
            });
            let w_gradient = || Gradient::Values(weight_gradient(&x, g, inputs, outputs));
            [x_gradient, wants_w.then(w_gradient)]
        });
        (y, backward)
    }))
}

/// Computes xᵀ · g. The rows are split into pieces of fixed size, whose results are added.
fn weight_gradient(x: &Dense, g: &[f32], inputs: usize, outputs: usize) -> Buffer {
    let parts: Vec<Buffer> = (x.values().par_chunks(ROWS_PER_SUM * inputs))
        .zip(g.par_chunks(ROWS_PER_SUM * outputs))
        .map(|(x, g)| {
            let mut part = Buffer::new(inputs * outputs);
            let rows = g.len() / outputs;
            let x = Matrix::new(x, rows, inputs, inputs).transposed();
            let g = Matrix::new(g, rows, outputs, outputs);
            product(&mut part, outputs, Store::Replace, x, g);
            part
        })
        .collect();
    sum_buffers(parts, inputs * outputs)
}
