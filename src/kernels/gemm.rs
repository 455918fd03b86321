//! Matrix products on slices of f32 or f64: by panels, or by a checked wrapper around the `gemm` crate.
#![allow(unsafe_code)]

use std::ops::Neg;

use half::bf16;
use rayon::prelude::*;

use super::explain::{self, Kernel, Product};
use super::matrix::fits;
pub use super::matrix::{Matrix, Store};
use super::panels::{self, ProductTarget};
use super::simd::Level;

/// A number type of matrix products.
pub trait Number: Copy + Send + Sync + Neg<Output = Self> + 'static {
    /// The number 1.
    const ONE: Self;
    /// Whether products are recorded for [`explain`].
    const RECORDED: bool = false;

    /// Computes a product with panels, as described at [`product`]; returns false if another kernel has to be used.
    fn panel_product(
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
    const RECORDED: bool = true;

    fn panel_product(
        y: &mut [f32],
        stride: usize,
        store: Store,
        a: Matrix<'_>,
        b: Matrix<'_>,
    ) -> bool {
        let level = Level::best();
        let supported = panels::supports(level, a, b);
        if supported {
            panels::product(level, ProductTarget { y, stride, store }, a, b);
        }
        supported
    }
}

impl Number for f64 {
    const ONE: Self = 1.0;
}

/// Computes y = a · b on the calling thread. `stride` is the distance between rows of y; `store` says whether the
/// product replaces y, or is added to it or subtracted from it.
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
    let start = if T::RECORDED { explain::begin() } else { None };
    let kernel = if T::panel_product(y, stride, store, a, b) {
        Kernel::Panels
    } else {
        gemm_product(y, stride, store, a, b);
        Kernel::Gemm
    };
    explain::end(start, Product::new(a, b, kernel));
}

/// Computes the product with the `gemm` crate; the caller has checked that the matrices fit.
fn gemm_product<T: Number>(
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
    // SAFETY: the asserts of `product` and `Matrix::new` keep every index inside its slice; `y` is borrowed
    // exclusively, so it overlaps neither operand.
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
            a.column_stride as isize,
            a.row_stride as isize,
            b.data.as_ptr(),
            b.column_stride as isize,
            b.row_stride as isize,
            T::ONE,
            factor,
            false,
            false,
            false,
            gemm::Parallelism::None,
        );
    }
}

/// Computes y = a · b on all cores, each for some rows of `y`; see [`product`].
pub fn parallel_product<T: Number>(y: &mut [T], store: Store, a: Matrix<'_, T>, b: Matrix<'_, T>) {
    for_each_row_chunk(y, a, b.columns, |y, a| product(y, b.columns, store, a, b));
}

/// The right matrix of a product.
#[derive(Clone, Copy)]
pub enum RightMatrix<'a> {
    /// f32.
    F32(Matrix<'a>),
    /// bf16; the left matrix is then rounded to bf16.
    Bf16(Matrix<'a, bf16>),
}

impl RightMatrix<'_> {
    /// Returns the transpose.
    pub fn transposed(self) -> Self {
        match self {
            Self::F32(matrix) => Self::F32(matrix.transposed()),
            Self::Bf16(matrix) => Self::Bf16(matrix.transposed()),
        }
    }

    fn columns(self) -> usize {
        match self {
            Self::F32(matrix) => matrix.columns,
            Self::Bf16(matrix) => matrix.columns,
        }
    }

    /// Computes y (contiguous rows) = `a` · this matrix + `bias` (empty for none) on the calling thread.
    pub fn product(self, y: &mut [f32], bias: &[f32], a: Matrix<'_>) {
        let columns = self.columns();
        assert_eq!(y.len(), a.rows * columns);
        let target = ProductTarget { y, stride: columns, store: Store::Replace };
        match self {
            Self::F32(b) => {
                let ProductTarget { y, stride, store } = target.with_bias(bias, columns);
                product(y, stride, store, a, b);
            }
            Self::Bf16(b) => {
                assert_eq!(a.columns, b.rows);
                let start = explain::begin();
                super::bf16::product(target, bias, a, b);
                explain::end(start, Product::new(a, b, super::bf16::kernel()));
            }
        }
    }

    /// Computes the product like [`RightMatrix::product`], on all cores, each for some rows of `y`.
    pub fn parallel_product(self, y: &mut [f32], bias: &[f32], a: Matrix<'_>) {
        for_each_row_chunk(y, a, self.columns(), |y, a| self.product(y, bias, a));
    }
}

/// Calls `compute` on all cores, each time with some rows of `y` and the same rows of `a`.
fn for_each_row_chunk<'a, T: Number>(
    y: &mut [T],
    a: Matrix<'a, T>,
    columns: usize,
    compute: impl Fn(&mut [T], Matrix<'a, T>) + Sync,
) {
    if columns == 0 {
        return;
    }
    let rows = rows_per_part(a.rows, a.columns, columns);
    y.par_chunks_mut(rows * columns)
        .enumerate()
        .for_each(|(part, y)| compute(y, a.slice_rows(part * rows, y.len() / columns)));
}

/// Number of products that [`parallel_long_product`] sums together. Longer sums are split by the library at positions
/// that depend on the number of rows per core.
const DEPTH: usize = 512;

/// Computes y = a · b like [`parallel_product`] for a long inner axis (the rows of a batch, in the gradient of a
/// weight). The result does not depend on the number of cores.
pub fn parallel_long_product(y: &mut [f32], a: Matrix<'_>, b: Matrix<'_>) {
    for_each_row_chunk(y, a, b.columns, |y, a| {
        let a = a.transposed();
        let mut store = Store::Replace;
        for start in (0..b.rows).step_by(DEPTH) {
            let depth = DEPTH.min(b.rows - start);
            let a = a.slice_rows(start, depth).transposed();
            product(y, b.columns, store, a, b.slice_rows(start, depth));
            store = Store::Add;
        }
    });
}

/// Returns the number of rows that a core processes at a time in a product with `columns` columns: as even as possible,
/// enough work for a thread, and enough rows for full speed.
fn rows_per_part(rows: usize, inner: usize, columns: usize) -> usize {
    const MIN_OPERATIONS: usize = 1 << 20;
    let min_rows = (MIN_OPERATIONS / (2 * inner * columns).max(1)).max(16);
    let parts = rayon::current_num_threads().min(rows / min_rows).max(1);
    chunk_rows(rows, parts, columns)
}

/// Returns the smallest number of rows for which the `gemm` crate sums in the same order as for the whole product. It
/// uses another order for up to 256 elements of the result, and splits long sums elsewhere if neither rows nor
/// columns exceed 64.
fn min_consistent_rows(columns: usize) -> usize {
    match columns {
        0..=64 => (256 / columns.max(1)).max(64) + 1,
        _ => (256 / columns + 1).max(2),
    }
}

/// Returns the number of rows of each of `parts`, for products of at least `columns` columns. Unless there is only
/// one part, none is so small that it would be summed in another order than the whole product, because results must
/// not depend on the number of cores.
pub fn chunk_rows(rows: usize, parts: usize, columns: usize) -> usize {
    let min_rows = min_consistent_rows(columns);
    let mut chunk = rows.div_ceil(parts.max(1)).max(min_rows);
    while chunk < rows && (1..min_rows).contains(&(rows % chunk)) {
        chunk += 1;
    }
    chunk
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn product_is_identical_for_any_thread_count() {
        let counts = [1, 2, 3, 7, 16, 32];
        let pool = |threads| rayon::ThreadPoolBuilder::new().num_threads(threads).build();
        let pools: Vec<_> = counts.into_iter().flat_map(pool).collect();
        assert_eq!(pools.len(), counts.len());
        // Remainders of two rows, parts of 50 rows with few columns, and of 16 rows with ten.
        for [rows, inner, columns] in [[257, 640, 100], [1600, 768, 16], [32, 4096, 10]] {
            let values = |count: usize| -> Vec<f32> {
                let value = |i: usize| (i * 7919 % 2003) as f32 / 1001.0 - 1.0;
                (0..count).map(value).collect()
            };
            let (a, b) = (values(rows * inner), values(inner * columns));
            let a = Matrix::new(&a, rows, inner, inner);
            let rounded: Vec<bf16> = b.iter().map(|value| bf16::from_f32(*value)).collect();
            for (case, b) in [
                RightMatrix::F32(Matrix::new(&b, inner, columns, columns)),
                RightMatrix::F32(Matrix::new(&b, columns, inner, inner).transposed()),
                RightMatrix::Bf16(Matrix::new(&rounded, inner, columns, columns)),
                RightMatrix::Bf16(Matrix::new(&rounded, columns, inner, inner).transposed()),
            ]
            .into_iter()
            .enumerate()
            {
                let results = pools.iter().map(|pool| {
                    let mut y = vec![0.0f32; rows * columns];
                    pool.install(|| b.parallel_product(&mut y, &[], a));
                    y
                });
                let results: Vec<_> = results.collect();
                for (result, pool) in results.iter().zip(&pools) {
                    assert!(
                        *result == results[0],
                        "{rows} {inner} {columns} {case} {}",
                        pool.current_num_threads()
                    );
                }
            }
        }
    }
}
