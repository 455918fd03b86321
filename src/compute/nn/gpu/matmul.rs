//! Matrix products over the last two axes whose operands may both be trained.

use std::sync::Arc;

use burn::tensor::Tensor;
use burn_cubecl::kernel::into_contiguous;
use burn_cubecl::tensor::CubeTensor;

use super::autodiff::{BackwardFn, apply, to_input};
use super::kernel::{MAX_GROUPS, empty};
use super::product::{MatrixLayout, Product, Size};
use super::{EpilogueTensors, LEFT_GRADIENT, NO_GRADIENT, RIGHT_GRADIENT, fits, launch};

/// Returns the layout of a matrix in the last two axes, with up to two batch axes; `None` if neither axis is
/// contiguous.
fn matrix_layout(x: &CubeTensor) -> Option<MatrixLayout> {
    let strides = x.meta.strides();
    let rank = strides.len();
    let shape = x.meta.shape();
    let (row, column) = (strides[rank - 2], strides[rank - 1]);
    let layout = match (row, column) {
        (lead, 1) => MatrixLayout::row_major(lead),
        (1, lead) => MatrixLayout::column_major(lead),
        // A single row or column can have any stride.
        (_, lead) if shape[rank - 2] == 1 => MatrixLayout::column_major(lead),
        _ => return None,
    };
    let batch = |back: usize| match rank >= back {
        true => strides[rank - back],
        false => 0,
    };
    Some(layout.batched(batch(4), batch(3)))
}

/// Computes a · b over the last two axes, with equal batch axes. `gradients` says which of them is a gradient.
fn multiply(a: &CubeTensor, b: &CubeTensor, gradients: [bool; 2]) -> CubeTensor {
    let prepare = |x: &CubeTensor| match matrix_layout(x) {
        Some(layout) => (x.clone(), layout),
        None => {
            let x = into_contiguous(x.clone());
            let columns = x.meta.shape()[x.meta.shape().len() - 1];
            let layout = matrix_layout(&x).unwrap_or(MatrixLayout::row_major(columns));
            (x, layout)
        }
    };
    let ((a, stored_a), (b, stored_b)) = (prepare(a), prepare(b));
    let mut shape = a.meta.shape().to_vec();
    let rank = shape.len();
    let [m, k, n] = [shape[rank - 2], shape[rank - 1], b.meta.shape()[rank - 1]];
    shape[rank - 1] = n;
    let out = empty(&a, &shape);
    let inner = if rank >= 3 { shape[rank - 3] } else { 1 };
    let outer = if rank == 4 { shape[0] } else { 1 };
    // A size along the outer axis of a stored matrix is read at run time, so that other sizes use the same kernel.
    let is_single = rank == 2;
    let fixed = |size: usize| Size::Fixed(size as u32);
    let (rows, depth) = match (stored_a.transposed, stored_b.transposed) {
        (false, _) if is_single => (Size::Rows, fixed(k)),
        (true, false) if is_single => (fixed(m), Size::Rows),
        _ => (fixed(m), fixed(k)),
    };
    let product = Product {
        inner: inner as u32,
        gradients,
        out: MatrixLayout::row_major(n)
            .batched(if outer > 1 { inner * m * n } else { 0 }, if inner > 1 { m * n } else { 0 }),
        ..Product::new([rows, depth], n, [stored_a, stored_b])
    };
    let buffers = [&a, &b, &out];
    launch(product, [m, k], outer * inner, buffers, EpilogueTensors::default());
    out
}

/// Returns the tensor with its last two axes swapped.
fn swap_last_axes(mut x: CubeTensor) -> CubeTensor {
    let rank = x.meta.shape().len();
    x.meta.swap(rank - 2, rank - 1);
    x
}

/// Computes a · b over the last two axes; both may be trained. `None` also if the batch axes differ.
pub fn matmul<const D: usize>(a: &Tensor<D>, b: &Tensor<D>) -> Option<Tensor<D>> {
    let (shape_a, shape_b) = (a.dims(), b.dims());
    let batch: usize = shape_a[..D - 2].iter().product();
    let is_supported = (2..=4).contains(&D)
        && shape_a[..D - 2] == shape_b[..D - 2]
        && shape_a.iter().chain(&shape_b).all(|size| *size > 0)
        && fits(shape_a[D - 2])
        && batch <= MAX_GROUPS;
    if !is_supported {
        return None;
    }
    let inputs = [to_input(a)?, to_input(b)?];
    Some(apply(inputs, |[a, b]| {
        let y = multiply(&a, &b, NO_GRADIENT);
        let backward: BackwardFn<2> = Arc::new(move |g, [wants_a, wants_b]| {
            [
                wants_a.then(|| multiply(&g, &swap_last_axes(b.clone()), LEFT_GRADIENT)),
                wants_b.then(|| multiply(&swap_last_axes(a.clone()), &g, RIGHT_GRADIENT)),
            ]
        });
        (y, backward)
    }))
}
