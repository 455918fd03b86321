//! Records, on request, the matrix products that are computed: their shapes, kernels and times.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::matrix::Matrix;

/// The kernel of a product.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kernel {
    /// Panels; see `panels.rs`.
    Panels,
    /// The `gemm` crate.
    Gemm,
    /// With a bf16 matrix; see `bf16.rs`.
    Bf16,
    /// With a bf16 matrix, by AMX tiles; see `amx.rs`.
    Amx,
}

impl Kernel {
    /// Returns the display name.
    pub fn title(self) -> &'static str {
        match self {
            Self::Panels => "panels",
            Self::Gemm => "gemm",
            Self::Bf16 => "bf16",
            Self::Amx => "bf16, AMX",
        }
    }
}

/// The shape and kernel of a product on one thread: rows × inner by inner × columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Product {
    /// Number of rows of the result.
    pub rows: usize,
    /// Length of the inner axis, which is summed over.
    pub inner: usize,
    /// Number of columns of the result.
    pub columns: usize,
    /// Whether the right matrix is transposed.
    pub transposed: bool,
    /// The kernel that computed it.
    pub kernel: Kernel,
}

impl Product {
    pub(crate) fn new<A, B>(a: Matrix<'_, A>, b: Matrix<'_, B>, kernel: Kernel) -> Self {
        Self {
            rows: a.rows,
            inner: a.columns,
            columns: b.columns,
            transposed: b.row_stride == 1 && b.column_stride > 1,
            kernel,
        }
    }
}

/// The number of times that a product was computed, and their total time.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ProductTime {
    /// Number of times.
    pub count: u32,
    /// Total time, added up over all threads.
    pub time: Duration,
}

/// All recorded products.
pub type Products = BTreeMap<Product, ProductTime>;

static RECORDING: AtomicBool = AtomicBool::new(false);
static RECORDED: Mutex<Products> = Mutex::new(BTreeMap::new());

fn recorded() -> MutexGuard<'static, Products> {
    RECORDED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Runs `work` and returns the products that all threads computed meanwhile.
pub fn record_products<T>(work: impl FnOnce() -> T) -> (T, Products) {
    recorded().clear();
    RECORDING.store(true, Ordering::Relaxed);
    let result = work();
    RECORDING.store(false, Ordering::Relaxed);
    (result, std::mem::take(&mut *recorded()))
}

/// Returns the start time of a product; `None` if products are not recorded.
pub(crate) fn begin() -> Option<Instant> {
    RECORDING.load(Ordering::Relaxed).then(Instant::now)
}

/// Records the end of a product.
pub(crate) fn end(start: Option<Instant>, product: Product) {
    if let Some(start) = start {
        let time = start.elapsed();
        let mut recorded = recorded();
        let total = recorded.entry(product).or_default();
        total.count += 1;
        total.time += time;
    }
}

#[cfg(test)]
mod tests {
    use super::super::gemm::{Store, product};
    use super::super::simd::Level;
    use super::*;

    #[test]
    fn records_products_with_their_kernels() {
        let values = vec![0.5f32; 64 * 67];
        let a = Matrix::new(&values, 61, 64, 67);
        let row_major = Matrix::new(&values, 64, 59, 64);
        let column_major = Matrix::new(&values, 59, 64, 64).transposed();
        let mut y = vec![0.0f32; 61 * 59];
        // Other tests may compute products meanwhile, so only these shapes are checked.
        let ((), products) = record_products(|| {
            product(&mut y, 59, Store::Replace, a, row_major);
            product(&mut y, 59, Store::Replace, a, column_major);
            product(&mut y, 59, Store::Add, a, column_major);
        });
        let panels = match Level::best().has_tiles() {
            true => Kernel::Panels,
            false => Kernel::Gemm,
        };
        let small = match Level::best().has_wide_tiles() {
            true => Kernel::Panels,
            false => Kernel::Gemm,
        };
        for (transposed, kernel, times) in [(false, small, 1), (true, panels, 2)] {
            let product = Product { rows: 61, inner: 64, columns: 59, transposed, kernel };
            assert_eq!(products[&product].count, times);
        }
    }
}
