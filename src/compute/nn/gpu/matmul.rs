//! Matrix products over the last two axes whose operands may both be trained.

use std::sync::Arc;

use burn::tensor::Tensor;
use burn_cubecl::kernel::into_contiguous;
use burn_cubecl::tensor::CubeTensor;

use super::glue::{Run, apply, to_input};
use super::kernel::{MAX_GROUPS, empty};
use super::product::{Product, Size, Stored};
use super::{Extra, LEFT, NONE, RIGHT, fits, launch};

/// Returns the layout of a matrix in the last two axes, with up to two batch axes; `None` if neither axis is
/// contiguous.
fn stored(x: &CubeTensor) -> Option<Stored> {
    let strides = x.meta.strides();
    let rank = strides.len();
    let shape = x.meta.shape();
    let (row, column) = (strides[rank - 2], strides[rank - 1]);
    let stored = match (row, column) {
        (lead, 1) => Stored::row_major(lead),
        (1, lead) => Stored::column_major(lead),
        // A single row or column can have any stride.
        (_, lead) if shape[rank - 2] == 1 => Stored::column_major(lead),
        _ => return None,
    };
    let batch = |back: usize| match rank >= back {
        true => strides[rank - back],
        false => 0,
    };
    Some(stored.batched(batch(4), batch(3)))
}

/// Computes a · b over the last two axes, with equal batch axes. `gradients` says which of them is a gradient.
fn multiply(a: &CubeTensor, b: &CubeTensor, gradients: [bool; 2]) -> CubeTensor {
    let lay_out = |x: &CubeTensor| match stored(x) {
        Some(stored) => (x.clone(), stored),
        None => {
            let x = into_contiguous(x.clone());
            let columns = x.meta.shape()[x.meta.shape().len() - 1];
            let stored = stored(&x).unwrap_or(Stored::row_major(columns));
            (x, stored)
        }
    };
    let ((a, stored_a), (b, stored_b)) = (lay_out(a), lay_out(b));
    let mut shape = a.meta.shape().to_vec();
    let rank = shape.len();
    let [m, k, n] = [shape[rank - 2], shape[rank - 1], b.meta.shape()[rank - 1]];
    shape[rank - 1] = n;
    let out = empty(&a, &shape);
    let inner = if rank >= 3 { shape[rank - 3] } else { 1 };
    let outer = if rank == 4 { shape[0] } else { 1 };
    // A size along the outer axis of a stored matrix is read at run time, so that other sizes use the same kernel.
    let single = rank == 2;
    let fixed = |size: usize| Size::Fixed(size as u32);
    let (rows, depth) = match (stored_a.transposed, stored_b.transposed) {
        (false, _) if single => (Size::Rows, fixed(k)),
        (true, false) if single => (fixed(m), Size::Rows),
        _ => (fixed(m), fixed(k)),
    };
    let product = Product {
        inner: inner as u32,
        gradients,
        out: Stored::row_major(n).batched(
            if outer > 1 { inner * m * n } else { 0 },
            if inner > 1 { m * n } else { 0 },
        ),
        ..Product::new([rows, depth], n, [stored_a, stored_b])
    };
    let buffers = [&a, &b, &out];
    launch(product, [m, k], outer * inner, buffers, Extra::default());
    out
}

/// Returns the tensor with its last two axes swapped.
fn transposed(mut x: CubeTensor) -> CubeTensor {
    let rank = x.meta.shape().len();
    x.meta.swap(rank - 2, rank - 1);
    x
}

/// Computes a · b over the last two axes; both may be trained. `None` also if the batch axes differ.
pub fn matmul<const D: usize>(a: &Tensor<D>, b: &Tensor<D>) -> Option<Tensor<D>> {
    let (shape_a, shape_b) = (a.dims(), b.dims());
    let batch: usize = shape_a[..D - 2].iter().product();
    let is_served = (2..=4).contains(&D)
        && shape_a[..D - 2] == shape_b[..D - 2]
        && shape_a.iter().chain(&shape_b).all(|size| *size > 0)
        && fits(shape_a[D - 2])
        && batch <= MAX_GROUPS;
    if !is_served {
        return None;
    }
    let inputs = [to_input(a)?, to_input(b)?];
    Some(apply(inputs, |[a, b]| {
        let y = multiply(&a, &b, NONE);
        let back: Run<2> = Arc::new(move |g, [to_a, to_b]| {
            [
                to_a.then(|| multiply(&g, &transposed(b.clone()), LEFT)),
                to_b.then(|| multiply(&transposed(a.clone()), &g, RIGHT)),
            ]
        });
        (y, back)
    }))
}
