//! Which way products are computed, on request: their shapes, their kernels, and the time they take.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::matrix::Matrix;

/// A way to compute a product.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kernel {
    /// By panels: see `panels.rs`.
    Panels,
    /// The `gemm` crate's.
    Gemm,
    /// With a matrix of bf16: see `bf16.rs`.
    Bf16,
    /// With such a matrix, by tiles: see `amx.rs`.
    Amx,
}

impl Kernel {
    /// The name people read.
    pub fn title(self) -> &'static str {
        match self {
            Self::Panels => "panels",
            Self::Gemm => "gemm",
            Self::Bf16 => "bf16",
            Self::Amx => "bf16, AMX",
        }
    }
}

/// A product of f32 on one thread: rows × inner by inner × columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Product {
    /// Of the result.
    pub rows: usize,
    /// What is summed over.
    pub inner: usize,
    /// Of the result.
    pub columns: usize,
    /// Whether the right matrix is transposed.
    pub turned: bool,
    /// How it was computed.
    pub kernel: Kernel,
}

impl Product {
    pub(crate) fn of<A, B>(a: Matrix<'_, A>, b: Matrix<'_, B>, kernel: Kernel) -> Self {
        Self {
            rows: a.rows,
            inner: a.columns,
            columns: b.columns,
            turned: b.row == 1 && b.column > 1,
            kernel,
        }
    }
}

/// How often a product was computed, and the time all of them took.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Spent {
    /// How often.
    pub times: u32,
    /// On the threads that computed them, added up.
    pub time: Duration,
}

/// Every product, with what was spent on it.
pub type Products = BTreeMap<Product, Spent>;

static ASKED: AtomicBool = AtomicBool::new(false);
static SEEN: Mutex<Products> = Mutex::new(BTreeMap::new());

fn seen() -> MutexGuard<'static, Products> {
    SEEN.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The products of f32 that all threads compute while `work` is done.
pub fn during<T>(work: impl FnOnce() -> T) -> (T, Products) {
    seen().clear();
    ASKED.store(true, Ordering::Relaxed);
    let result = work();
    ASKED.store(false, Ordering::Relaxed);
    (result, std::mem::take(&mut *seen()))
}

/// When a product begins; `None` if nobody asks.
pub(crate) fn begin() -> Option<Instant> {
    ASKED.load(Ordering::Relaxed).then(Instant::now)
}

/// That a product is done.
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
    fn a_product_is_told_with_its_kernel_while_somebody_asks() {
        let numbers = vec![0.5f32; 64 * 67];
        let a = Matrix::new(&numbers, 61, 64, 67);
        let straight = Matrix::new(&numbers, 64, 59, 64);
        let turned = Matrix::new(&numbers, 59, 64, 64).transposed();
        let mut y = vec![0.0f32; 61 * 59];
        // Other tests may compute meanwhile: only these shapes count.
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
        for (turned, kernel, times) in [(false, small, 1), (true, panels, 2)] {
            let product = Product {
                rows: 61,
                inner: 64,
                columns: 59,
                turned,
                kernel,
            };
            assert_eq!(products[&product].times, times);
        }
    }
}
