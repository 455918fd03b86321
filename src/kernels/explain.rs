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
    pub(crate) fn of<A, B>(a: Matrix<'_, A>, b: Matrix<'_, B>, kernel: Kernel) -> Self {
        Self {
            rows: a.rows,
            inner: a.columns,
            columns: b.columns,
            transposed: b.row == 1 && b.column > 1,
            kernel,
        }
    }
}

/// The number of times that a product was computed, and their total time.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ProductTime {
    /// Number of times.
    pub times: u32,
    /// Total time, added up over all threads.
    pub time: Duration,
}

/// All recorded products.
pub type Products = BTreeMap<Product, ProductTime>;

static ASKED: AtomicBool = AtomicBool::new(false);
static SEEN: Mutex<Products> = Mutex::new(BTreeMap::new());

fn seen() -> MutexGuard<'static, Products> {
    SEEN.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Runs `work` and returns the products that all threads computed meanwhile.
pub fn during<T>(work: impl FnOnce() -> T) -> (T, Products) {
    seen().clear();
    ASKED.store(true, Ordering::Relaxed);
    let result = work();
    ASKED.store(false, Ordering::Relaxed);
    (result, std::mem::take(&mut *seen()))
}

/// Returns the start time of a product; `None` if products are not recorded.
pub(crate) fn begin() -> Option<Instant> {
    ASKED.load(Ordering::Relaxed).then(Instant::now)
}

/// Records the end of a product.
pub(crate) fn end(began: Option<Instant>, product: Product) {
    if let Some(began) = began {
        let time = began.elapsed();
        let mut seen = seen();
        let spent = seen.entry(product).or_default();
        spent.times += 1;
        spent.time += time;
    }
}

#[cfg(test)]
mod tests {
    use super::super::gemm::{Store, product};
    use super::super::simd::Level;
    use super::*;

    #[test]
    fn during_records_products_with_their_kernels() {
        let numbers = vec![0.5f32; 64 * 67];
        let a = Matrix::new(&numbers, 61, 64, 67);
        let straight = Matrix::new(&numbers, 64, 59, 64);
        let turned = Matrix::new(&numbers, 59, 64, 64).transposed();
        let mut y = vec![0.0f32; 61 * 59];
        // Other tests may compute products meanwhile, so only these shapes are checked.
        let ((), products) = during(|| {
            product(&mut y, 59, Store::Replace, a, straight);
            product(&mut y, 59, Store::Replace, a, turned);
            product(&mut y, 59, Store::Add, a, turned);
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
            let product = Product {
                rows: 61,
                inner: 64,
                columns: 59,
                transposed,
                kernel,
            };
            assert_eq!(products[&product].times, times);
        }
    }
}
