//! Matrix products on slices, of f32 or of f64: a checked wrapper around the `gemm` crate.
#![allow(unsafe_code)]

use std::ops::Neg;

use rayon::prelude::*;

use super::explain::{self, Kernel, Product};
use super::matrix::fits;
pub use super::matrix::{Matrix, Store};
use super::panels;
use super::simd::Level;

/// A number the products work on.
pub trait Number: Copy + Send + Sync + Neg<Output = Self> + 'static {
    /// 1.
    const ONE: Self;
    /// Whether its products are told to who asks for them in [`explain`].
    const TOLD: bool = false;

    /// Computes a product by panels, as [`product`] describes it; false where another way is to be taken.
    fn by_panels(
        _y: &mut [Self],
        _stride: usize,
        _store: Store,
        _a: Matrix<'_, Self>,
        _b: Matrix<'_, Self>,
    ) -> bool {
        false
    }
}

impl Number for f32 {
    const ONE: Self = 1.0;
    const TOLD: bool = true;

    fn by_panels(y: &mut [f32], stride: usize, store: Store, a: Matrix<'_>, b: Matrix<'_>) -> bool {
        let level = Level::best();
        let serves = panels::serves(level, a, b);
        if serves {
            panels::product(level, panels::Place { y, stride, store }, a, b);
        }
        serves
    }
}

impl Number for f64 {
    const ONE: Self = 1.0;
}

/// y (rows `stride` apart) takes a · b, on the calling thread.
pub fn product<T: Number>(
    y: &mut [T],
    stride: usize,
    store: Store,
    a: Matrix<'_, T>,
    b: Matrix<'_, T>,
) {
    assert_eq!(a.columns, b.rows);
    assert!(b.columns <= stride || a.rows <= 1);
    assert!(fits(a.rows, b.columns, stride, 1, y.len()));
    let began = if T::TOLD { explain::begin() } else { None };
    let kernel = if T::by_panels(y, stride, store, a, b) {
        Kernel::Panels
    } else {
        by_gemm(y, stride, store, a, b);
        Kernel::Gemm
    };
    explain::end(
        began,
        Product {
            rows: a.rows,
            inner: a.columns,
            columns: b.columns,
            turned: b.row == 1 && b.column > 1,
            kernel,
        },
    );
}

/// The same by the `gemm` crate, of matrices that fit.
fn by_gemm<T: Number>(
    y: &mut [T],
    stride: usize,
    store: Store,
    a: Matrix<'_, T>,
    b: Matrix<'_, T>,
) {
    let factor = match store {
        Store::Subtract => -T::ONE,
        _ => T::ONE,
    };
    // SAFETY: the asserts of `product` and `Matrix::new` keep every index inside its slice; `y` is
    // borrowed exclusively, so it overlaps neither operand.
    unsafe {
        gemm::gemm(
            a.rows,
            b.columns,
            a.columns,
            y.as_mut_ptr(),
            1,
            stride as isize,
            store != Store::Replace,
            a.data.as_ptr(),
            a.column as isize,
            a.row as isize,
            b.data.as_ptr(),
            b.column as isize,
            b.row as isize,
            T::ONE,
            factor,
            false,
            false,
            false,
            gemm::Parallelism::None,
        );
    }
}

/// The same on all cores, each taking some of the rows of `y`.
pub fn parallel_product<T: Number>(y: &mut [T], store: Store, a: Matrix<'_, T>, b: Matrix<'_, T>) {
    by_rows(y, a, b, |y, a| product(y, b.columns, store, a, b));
}

/// Gives each core some of the rows of `y` and the same rows of `a`.
fn by_rows<'a, T: Number>(
    y: &mut [T],
    a: Matrix<'a, T>,
    b: Matrix<'_, T>,
    some: impl Fn(&mut [T], Matrix<'a, T>) + Sync,
) {
    let columns = b.columns;
    if columns == 0 {
        return;
    }
    let rows = rows_per_part(a.rows, 2 * a.columns * columns);
    y.par_chunks_mut(rows * columns)
        .enumerate()
        .for_each(|(part, y)| some(y, a.some_rows(part * rows, y.len() / columns)));
}

/// Products summed in one go by [`parallel_long_product`]. Longer sums are cut by the library, at
/// places that depend on how many rows a core takes.
const DEPTH: usize = 512;

/// The same as [`parallel_product`] for a long inner axis (the rows of a batch, in the gradient of
/// a weight): y takes a · b, and the last digits do not depend on the number of cores.
pub fn parallel_long_product(y: &mut [f32], a: Matrix<'_>, b: Matrix<'_>) {
    by_rows(y, a, b, |y, a| {
        let a = a.transposed();
        let mut store = Store::Replace;
        for start in (0..b.rows).step_by(DEPTH) {
            let depth = DEPTH.min(b.rows - start);
            let a = a.some_rows(start, depth).transposed();
            product(y, b.columns, store, a, b.some_rows(start, depth));
            store = Store::Add;
        }
    });
}

/// How many rows one core takes at a time, for rows that need `work` floating-point operations:
/// as even as possible, enough work to be worth a thread, and enough rows for the product to
/// run at full speed.
fn rows_per_part(rows: usize, work: usize) -> usize {
    const WORTH_A_THREAD: usize = 1 << 20;
    let least = (WORTH_A_THREAD / work.max(1)).max(16);
    let parts = rayon::current_num_threads().min(rows / least).max(1);
    share(rows, parts)
}

/// How many of `rows` rows each of `parts` takes. No part is a single row (unless there is but
/// one): products of one row are summed in another order, and the last digits must not depend on
/// the number of cores.
pub fn share(rows: usize, parts: usize) -> usize {
    let mut share = rows.div_ceil(parts.max(1)).max(2);
    while share < rows && rows % share == 1 {
        share += 1;
    }
    share
}
