//! Operations of two tensors, both of which may be trained: sums, element-wise products, and products with a small
//! matrix. The equations of PETs consist mainly of these.

use std::sync::Arc;

use burn::tensor::Tensor;
use lae_kernels::buffer::Buffer;
use lae_kernels::elementwise::{add_row, add_to, multiply_by_row, multiply_to, scale};
use lae_kernels::gemm::{Matrix, Store, parallel_product, product};
use lae_kernels::simd::Level;
use lae_kernels::sums::{ROWS, added, rows_at_once, sum_of_all, sum_of_rows};
use rayon::prelude::*;

use super::glue::{Dense, Gradient, Input, Run, apply, to_input};

/// How the smaller of two tensors is broadcast to the shape of the larger one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Spread {
    /// Both have the same shape.
    Whole,
    /// One row is added to (or multiplied with) all rows.
    Row,
    /// A single value is used for all elements.
    Number,
}

impl Spread {
    /// Returns how `small` is broadcast to `large`; `None` for cases that are left to the framework.
    fn of(small: &[usize], large: &[usize]) -> Option<Self> {
        let (last, lead) = small.split_last()?;
        if small == large {
            Some(Self::Whole)
        } else if lead.iter().any(|size| *size != 1) {
            None
        } else if last == large.last()? {
            Some(Self::Row)
        } else {
            (*last == 1).then_some(Self::Number)
        }
    }
}

/// Returns the larger tensor first, its shape, and how the other one is broadcast.
fn ordered<const D: usize>(
    a: &Tensor<D>,
    b: &Tensor<D>,
) -> Option<([Input; 2], [usize; D], Spread)> {
    let (x, y) = match Spread::of(&b.dims(), &a.dims()) {
        Some(_) => (a, b),
        None => (b, a),
    };
    let spread = Spread::of(&y.dims(), &x.dims())?;
    Some(([to_input(x)?, to_input(y)?], x.dims(), spread))
}

/// Calls `f` with pieces of whole rows of `x`, the same pieces of the result, and their offset, on all cores.
fn by_rows(x: &[f32], width: usize, f: impl Fn(&[f32], &mut [f32], usize) + Sync) -> Buffer {
    let piece = (rows_at_once(width) * width).max(1);
    let mut y = Buffer::new(x.len());
    y.par_chunks_mut(piece)
        .zip(x.par_chunks(piece))
        .enumerate()
        .for_each(|(i, (y, x))| f(x, y, i * piece));
    y
}

/// Computes a + b, element-wise.
pub fn plus<const D: usize>(a: &Tensor<D>, b: &Tensor<D>) -> Option<Tensor<D>> {
    let (inputs, shape, spread) = ordered(a, b)?;
    let width = *shape.last()?;
    Some(apply(inputs, shape, |[x, y], tracked| {
        let (level, y) = (Level::best(), y.numbers());
        let sum = by_rows(x.numbers(), width, |x, sum, at| match spread {
            Spread::Whole => add_to(level, x, &y[at..at + x.len()], sum),
            Spread::Row => add_row(level, x, y, sum),
            Spread::Number => add_row(level, x, &vec![y[0]; width], sum),
        });
        let back = tracked.then(|| {
            let back: Run<2> = Arc::new(move |g, [x, y]| {
                let small = || match spread {
                    Spread::Whole => Gradient::Same,
                    Spread::Row => Gradient::Own(sum_of_rows(g, None, width)),
                    Spread::Number => Gradient::Own(sum_of_all(g, None)),
                };
                [x.then_some(Gradient::Same), y.then(small)]
            });
            back
        });
        (sum, back)
    }))
}

/// Computes a · b, element-wise.
pub fn times<const D: usize>(a: &Tensor<D>, b: &Tensor<D>) -> Option<Tensor<D>> {
    let (inputs, shape, spread) = ordered(a, b)?;
    let width = *shape.last()?;
    Some(apply(inputs, shape, |[x, y], tracked| {
        let all = multiplied(x.numbers(), y.numbers(), spread, width);
        let back = tracked.then(|| {
            let back: Run<2> = Arc::new(move |g, [to_x, to_y]| {
                let (x, y) = (x.numbers(), y.numbers());
                let small = || match spread {
                    Spread::Whole => multiplied(g, x, spread, width),
                    Spread::Row => sum_of_rows(g, Some(x), width),
                    Spread::Number => sum_of_all(g, Some(x)),
                };
                [
                    to_x.then(|| Gradient::Own(multiplied(g, y, spread, width))),
                    to_y.then(|| Gradient::Own(small())),
                ]
            });
            back
        });
        (all, back)
    }))
}

fn multiplied(x: &[f32], y: &[f32], spread: Spread, width: usize) -> Buffer {
    let level = Level::best();
    by_rows(x, width, |x, result, at| match spread {
        Spread::Whole => multiply_to(level, x, &y[at..at + x.len()], result),
        Spread::Row => multiply_by_row(level, x, y, result),
        Spread::Number => scale(level, x, y[0], result),
    })
}

/// Computes Σ x² of a constant, without a gradient.
pub fn sum_of_squares(x: &Tensor<1>) -> Option<Tensor<1>> {
    Dense::constant(x)?;
    let sum = |[x]: [Dense; 1], _| (sum_of_all(x.numbers(), Some(x.numbers())), None);
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
        let a = Matrix::new(x.numbers(), rows, inputs, inputs);
        let b = Matrix::new(w.numbers(), inputs, outputs, outputs);
        parallel_product(&mut y, Store::Replace, a, b);
        let back = tracked.then(|| {
            let back: Run<2> = Arc::new(move |g, [to_x, to_w]| {
                let to_x = to_x.then(|| {
                    let mut dx = Buffer::new(rows * inputs);
                    let g = Matrix::new(g, rows, outputs, outputs);
                    let w = Matrix::new(w.numbers(), inputs, outputs, outputs).transposed();
                    parallel_product(&mut dx, Store::Replace, g, w);
                    Gradient::Own(dx)
                });
                [
                    to_x,
                    to_w.then(|| Gradient::Own(weight_gradient(&x, g, inputs, outputs))),
                ]
            });
            back
        });
        (y, back)
    }))
}

/// Computes xᵀ · g. The rows are split into pieces of fixed size, whose results are added.
fn weight_gradient(x: &Dense, g: &[f32], inputs: usize, outputs: usize) -> Buffer {
    let parts: Vec<Buffer> = (x.numbers().par_chunks(ROWS * inputs))
        .zip(g.par_chunks(ROWS * outputs))
        .map(|(x, g)| {
            let mut part = Buffer::new(inputs * outputs);
            let rows = g.len() / outputs;
            let x = Matrix::new(x, rows, inputs, inputs).transposed();
            let g = Matrix::new(g, rows, outputs, outputs);
            product(&mut part, outputs, Store::Replace, x, g);
            part
        })
        .collect();
    added(parts, inputs * outputs)
}
