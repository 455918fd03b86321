//! Measures the peak arithmetic speed of this processor, for comparison with products, and the speed-up of bf16.
#![allow(unsafe_code)]

use std::sync::OnceLock;
use std::time::{Duration, Instant};

use half::bf16;

#[cfg(target_arch = "x86_64")]
use super::amx;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
use super::bf16::{Native, Wide};
use super::bf16::{PairPanels, Widened, is_native};
use super::explain::Kernel;
use super::gemm::RightMatrix;
use super::lanes::{Lanes, WIDTH};
use super::matrix::Matrix;
use super::panels::{PanelElement, SinglePanels};
use super::simd::{Level, simd};

simd! {
    /// Performs as many independent chains of multiply-add operations as a tile of a product; stores their number in
    /// `operations`.
    fn fma_chains<L>(iterations: usize, operations: &mut usize) {
        *operations = run_fma_chains::<L, SinglePanels>(iterations, [1.5, 0.5]);
    }
}

/// Performs these chains for an element type of panels; returns the number of multiply-add operations.
#[inline(always)]
fn run_fma_chains<L: Lanes, K: PanelElement<L>>(iterations: usize, factors: [f32; 2]) -> usize {
    let mut sums = [L::splat(0.0); MAX_SUMS];
    let [a, b] = std::hint::black_box(factors).map(L::splat);
    for _ in 0..iterations {
        for sum in &mut sums[..L::ROWS * L::VECTORS] {
            *sum = K::multiply_add(a, b, *sum);
        }
    }
    std::hint::black_box(sums.into_iter().fold(L::splat(0.0), L::add).reduce_sum());
    iterations * L::ROWS * L::VECTORS * WIDTH * K::VALUES_PER_ELEMENT
}

/// Number of vectors of sums in the largest tile.
const MAX_SUMS: usize = 24;

/// Returns the peak floating-point operations per second of one thread with the number format of a kernel: the best
/// of several measurements.
pub fn peak(kernel: Kernel) -> f64 {
    let run = || {
        let (start, mut operations) = (Instant::now(), 0);
        match kernel {
            Kernel::Bf16 => bf16_fma_chains(100_000, &mut operations),
            #[cfg(target_arch = "x86_64")]
            Kernel::Amx => operations = amx::run_fma_chains(100_000),
            #[cfg(not(target_arch = "x86_64"))]
            Kernel::Amx => {}
            Kernel::Panels | Kernel::Gemm => fma_chains(Level::best(), 100_000, &mut operations),
        }
        2.0 * operations as f64 / start.elapsed().as_secs_f64()
    };
    (0..20).map(|_| run()).fold(0.0, f64::max)
}

/// Performs the chains with pairs of bf16.
fn bf16_fma_chains(iterations: usize, operations: &mut usize) {
    #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
    if is_native() {
        // SAFETY: the processor supports these instructions, as checked above.
        return unsafe { native_fma_chains(iterations, operations) };
    }
    widened_fma_chains(Level::best(), iterations, operations);
}

#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
#[cfg_attr(
    target_arch = "x86_64",
    target_feature(enable = "avx512f,avx512dq,avx512vl,avx512bw,avx512bf16,avx2,fma")
)]
#[cfg_attr(target_arch = "aarch64", target_feature(enable = "bf16"))]
fn native_fma_chains(iterations: usize, operations: &mut usize) {
    *operations = run_fma_chains::<Wide, PairPanels<Native>>(iterations, [1.5, 0.5]);
}

simd! {
    fn widened_fma_chains<L>(iterations: usize, operations: &mut usize) {
        *operations = run_fma_chains::<L, PairPanels<Widened>>(iterations, [1.5, 0.5]);
    }
}

/// Returns the speed-up of products with a frozen bf16 matrix compared to f32, measured once on a product with sizes
/// of ViT-B/16 (a few milliseconds); `None` if the processor has no bf16 instructions.
pub fn bf16_speedup() -> Option<f64> {
    static SPEEDUP: OnceLock<Option<f64>> = OnceLock::new();
    *SPEEDUP.get_or_init(|| is_native().then(measure_bf16_speedup))
}

fn measure_bf16_speedup() -> f64 {
    let [f32_speed, bf16_speed] = measure_speeds([192, 768, 768], false);
    bf16_speed / f32_speed
}

/// Returns the floating-point operations per second of a product with the right matrix (transposed if `transposed`) in
/// f32, and in bf16.
fn measure_speeds([rows, inner, columns]: [usize; 3], transposed: bool) -> [f64; 2] {
    let values = |count: usize| vec![0.5f32; count];
    let (left, right) = (values(rows * inner), values(inner * columns));
    let rounded: Vec<bf16> = right.iter().map(|value| bf16::from_f32(*value)).collect();
    let a = Matrix::new(&left, rows, inner, inner);
    let [matrix_rows, matrix_columns] =
        if transposed { [columns, inner] } else { [inner, columns] };
    let matrices = [
        RightMatrix::F32(Matrix::new(&right, matrix_rows, matrix_columns, matrix_columns)),
        RightMatrix::Bf16(Matrix::new(&rounded, matrix_rows, matrix_columns, matrix_columns)),
    ];
    let matrices = matrices.map(|right| if transposed { right.transposed() } else { right });
    let mut y = values(rows * columns);
    let mut shortest = [Duration::MAX; 2];
    // Alternating measurements, so that both have the same conditions; the best of each counts.
    for _ in 0..5 {
        for (right, shortest) in matrices.into_iter().zip(&mut shortest) {
            let start = Instant::now();
            right.product(&mut y, &[], a);
            *shortest = start.elapsed().min(*shortest);
        }
    }
    let operations = 2.0 * (rows * inner * columns) as f64;
    shortest.map(|least| operations / least.as_secs_f64())
}

#[cfg(test)]
mod tests {
    use super::super::bf16;
    use super::*;

    #[test]
    fn peak_exceeds_one_megaflop_per_second() {
        for kernel in [Kernel::Panels, Kernel::Gemm, Kernel::Bf16, bf16::kernel()] {
            assert!(peak(kernel) > 1e6);
        }
        assert_eq!(bf16_speedup().is_some(), is_native());
    }

    #[test]
    #[ignore = "benchmark"]
    fn product_speed_is_measured() {
        let shapes = [
            ("ViT-B/16 qkv", [394, 768, 2304]),
            ("ViT-B/16 proj", [394, 768, 768]),
            ("ViT-B/16 fc1", [394, 768, 3072]),
            ("ViT-B/16 fc2", [394, 3072, 768]),
            ("ViT-Ti/16 qkv", [788, 192, 576]),
            ("ViT-Ti/16 fc1", [788, 192, 768]),
            ("ViT-Ti/16 fc2", [788, 768, 192]),
            ("width 128", [6272, 128, 512]),
            ("width 256", [1568, 256, 1024]),
            ("width 512", [392, 512, 2048]),
            ("width 1024", [98, 1024, 4096]),
        ];
        for (name, shape) in shapes {
            for transposed in [false, true] {
                let [wide, rounded] = measure_speeds(shape, transposed).map(|speed| speed / 1e9);
                let ratio = rounded / wide;
                eprintln!("{name} {transposed}: {wide:.0} and {rounded:.0} GFLOP/s, {ratio:.2}");
            }
        }
    }
}
