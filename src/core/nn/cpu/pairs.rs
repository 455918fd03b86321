//! Operations of two tensors that may both be trained: sums, products element by element, and the
//! product with a small matrix. They are what the equations of PETs are made of.
//!
//! Gradients that are sums over rows are made of pieces of a fixed number of rows, added in order:
//! they do not depend on the number of cores.

use std::sync::Arc;

use burn::tensor::Tensor;
use rayon::prelude::*;

use super::buffer::Buffer;
use super::elementwise::{
    add, add_products, add_row, add_to, multiply_by_row, multiply_to, scale, total_of_products,
};
use super::gemm::{Matrix, Store, parallel_product, product};
use super::glue::{Dense, Gradient, Input, Run, apply};
use super::simd::Level;
use super::{PIECE, rows_at_once};

/// Rows whose sum is taken in one go.
pub(super) const ROWS: usize = 256;

/// How the smaller of two tensors is spread over the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Spread {
    /// Both have the same shape.
    Whole,
    /// One row for all rows.
    Row,
    /// One number for all.
    Number,
}

impl Spread {
    /// How `small` is spread over `large`; none in ways that are left to the framework.
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

/// The larger tensor first, and how the other is spread over it.
fn ordered<const D: usize>(
    a: &Tensor<D>,
    b: &Tensor<D>,
) -> Option<([Input; 2], [usize; D], Spread)> {
    let (x, y) = match Spread::of(&b.dims(), &a.dims()) {
        Some(_) => (a, b),
        None => (b, a),
    };
    let spread = Spread::of(&y.dims(), &x.dims())?;
    Some(([Input::new(x)?, Input::new(y)?], x.dims(), spread))
}

/// Calls `f` with pieces of whole rows of `x` and of the result, on all cores.
fn by_rows(x: &[f32], width: usize, f: impl Fn(&[f32], &mut [f32], usize) + Sync) -> Buffer {
    let piece = (rows_at_once(width) * width).max(1);
    let mut y = Buffer::new(x.len());
    y.par_chunks_mut(piece)
        .zip(x.par_chunks(piece))
        .enumerate()
        .for_each(|(i, (y, x))| f(x, y, i * piece));
    y
}

/// a + b, element by element.
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

/// a · b, element by element.
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

/// The sum of the rows of g, or of g · x.
pub(super) fn sum_of_rows(g: &[f32], x: Option<&[f32]>, width: usize) -> Buffer {
    let level = Level::best();
    let piece = (ROWS * width).max(1);
    let parts: Vec<Buffer> = (g.par_chunks(piece).enumerate())
        .map(|(i, g)| {
            let mut sum = Buffer::new(width);
            sum.fill(0.0);
            for (r, row) in g.chunks_exact(width).enumerate() {
                let at = i * piece + r * width;
                match x {
                    Some(x) => add_products(level, row, &x[at..at + width], &mut sum),
                    None => add(level, &mut sum, row),
                }
            }
            sum
        })
        .collect();
    added(parts, width)
}

/// The sum of all of g, or of g · x.
fn sum_of_all(g: &[f32], x: Option<&[f32]>) -> Buffer {
    let level = Level::best();
    let parts: Vec<f64> = (g.par_chunks(PIECE).enumerate())
        .map(|(i, g)| {
            let mut sum = [0.0];
            match x {
                Some(x) => total_of_products(level, g, &x[i * PIECE..][..g.len()], &mut sum),
                None => sum[0] = g.iter().sum(),
            }
            f64::from(sum[0])
        })
        .collect();
    let mut sum = Buffer::new(1);
    sum[0] = parts.iter().sum::<f64>() as f32;
    sum
}

/// Σ x² of a constant: there is no way back.
pub fn sum_of_squares(x: &Tensor<1>) -> Option<Tensor<1>> {
    Dense::constant(x)?;
    let sum = |[x]: [Dense; 1], _| (sum_of_all(x.numbers(), Some(x.numbers())), None);
    Some(apply([Input::new(x)?], [1], sum))
}

/// The sum of buffers of one length.
pub(super) fn added(parts: Vec<Buffer>, len: usize) -> Buffer {
    let mut parts = parts.into_iter();
    let mut sum = parts.next().unwrap_or_else(|| {
        let mut none = Buffer::new(len);
        none.fill(0.0);
        none
    });
    for part in parts {
        add(Level::best(), &mut sum, &part);
    }
    sum
}

/// x (rows × inputs) · w (inputs × outputs).
pub fn project(x: &Tensor<2>, w: &Tensor<2>) -> Option<Tensor<2>> {
    let ([rows, inputs], [_, outputs]) = (x.dims(), w.dims());
    if rows * inputs * outputs == 0 {
        return None;
    }
    let tensors = [Input::new(x)?, Input::new(w)?];
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

/// xᵀ · g, a piece of rows after the other.
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
