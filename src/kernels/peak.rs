//! Measures the peak arithmetic speed of this processor, for comparison with products, and the speed-up of bf16.
#![allow(unsafe_code)]

use std::sync::OnceLock;
use std::time::{Duration, Instant};

use half::bf16;

#[cfg(target_arch = "x86_64")]
use super::amx;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
use super::bf16::{Native, Wide};
use super::bf16::{OfPairs, Widened, is_native};
use super::explain::Kernel;
use super::gemm::Right;
use super::lanes::{Lanes, WIDTH};
use super::matrix::Matrix;
use super::panels::{Kind, SinglePanels};
use super::simd::{Level, simd};

simd! {
    /// Performs as many independent chains of multiply-add operations as a tile of a product; stores their number in
    /// `done`.
    fn chains<L>(times: usize, done: &mut usize) {
        *done = chains_of::<L, SinglePanels>(times, [1.5, 0.5]);
    }
}

/// Performs these chains for an element type of panels; returns the number of multiply-add operations.
#[inline(always)]
fn chains_of<L: Lanes, K: Kind<L>>(times: usize, both: [f32; 2]) -> usize {
    let mut sums = [L::splat(0.0); MOST_SUMS];
    let [a, b] = std::hint::black_box(both).map(L::splat);
    for _ in 0..times {
        for sum in &mut sums[..L::ROWS * L::VECTORS] {
            *sum = K::multiply_add(a, b, *sum);
        }
    }
    std::hint::black_box(sums.into_iter().fold(L::splat(0.0), L::plus).sum());
    times * L::ROWS * L::VECTORS * WIDTH * K::TOGETHER
}

/// Number of vectors of sums in the largest tile.
const MOST_SUMS: usize = 24;

/// Returns the peak floating-point operations per second of one thread with the number format of a kernel: the best
/// of several measurements.
pub fn peak(kernel: Kernel) -> f64 {
    let run = || {
        let (began, mut done) = (Instant::now(), 0);
        match kernel {
            Kernel::Bf16 => rounded_chains(100_000, &mut done),
            #[cfg(target_arch = "x86_64")]
            Kernel::Amx => done = amx::chains(100_000),
            #[cfg(not(target_arch = "x86_64"))]
            Kernel::Amx => {}
            Kernel::Panels | Kernel::Gemm => chains(Level::best(), 100_000, &mut done),
        }
        2.0 * done as f64 / began.elapsed().as_secs_f64()
    };
    (0..20).map(|_| run()).fold(0.0, f64::max)
}

/// Performs the chains with pairs of bf16.
fn rounded_chains(times: usize, done: &mut usize) {
    #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
    if is_native() {
        // SAFETY: the processor supports these instructions, as checked above.
        return unsafe { native_chains(times, done) };
    }
    widened_chains(Level::best(), times, done);
}

#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
#[cfg_attr(
    target_arch = "x86_64",
    target_feature(enable = "avx512f,avx512dq,avx512vl,avx512bw,avx512bf16,avx2,fma")
)]
#[cfg_attr(target_arch = "aarch64", target_feature(enable = "bf16"))]
fn native_chains(times: usize, done: &mut usize) {
    *done = chains_of::<Wide, OfPairs<Native>>(times, [1.5, 0.5]);
}

simd! {
    fn widened_chains<L>(times: usize, done: &mut usize) {
        *done = chains_of::<L, OfPairs<Widened>>(times, [1.5, 0.5]);
    }
}

/// Returns the speed-up of products with a frozen bf16 matrix compared to f32, measured once on a product with sizes
/// of ViT-B/16 (a few milliseconds); `None` if the processor has no bf16 instructions.
pub fn bf16_gain() -> Option<f64> {
    static GAIN: OnceLock<Option<f64>> = OnceLock::new();
    *GAIN.get_or_init(|| is_native().then(measured_gain))
}

fn measured_gain() -> f64 {
    let [wide, rounded] = speeds([192, 768, 768], false);
    rounded / wide
}

/// Returns the floating-point operations per second of a product with the right matrix (transposed if `turned`) in
/// f32, and in bf16.
fn speeds([rows, inner, columns]: [usize; 3], turned: bool) -> [f64; 2] {
    let numbers = |count: usize| vec![0.5f32; count];
    let (left, right) = (numbers(rows * inner), numbers(inner * columns));
    let rounded: Vec<bf16> = right.iter().map(|number| bf16::from_f32(*number)).collect();
    let a = Matrix::new(&left, rows, inner, inner);
    let [down, along] = if turned {
        [columns, inner]
    } else {
        [inner, columns]
    };
    let both = [
        Right::F32(Matrix::new(&right, down, along, along)),
        Right::Bf16(Matrix::new(&rounded, down, along, along)),
    ];
    let both = both.map(|right| if turned { right.transposed() } else { right });
    let mut y = numbers(rows * columns);
    let mut least = [Duration::MAX; 2];
    // Alternating measurements, so that both have the same conditions; the best of each counts.
    for _ in 0..5 {
        for (right, least) in both.into_iter().zip(&mut least) {
            let began = Instant::now();
            right.product(&mut y, &[], a);
            *least = began.elapsed().min(*least);
        }
    }
    let operations = 2.0 * (rows * inner * columns) as f64;
    least.map(|least| operations / least.as_secs_f64())
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
        assert_eq!(bf16_gain().is_some(), is_native());
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
            for turned in [false, true] {
                let [wide, rounded] = speeds(shape, turned).map(|speed| speed / 1e9);
                let ratio = rounded / wide;
                eprintln!("{name} {turned}: {wide:.0} and {rounded:.0} GFLOP/s, {ratio:.2}");
            }
        }
    }
}
