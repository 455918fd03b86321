//! Products of f32 with a frozen matrix stored as bf16: half the memory, and about twice the speed on processors with
//! bf16 instructions.
//!
//! The left matrix is rounded to bf16 when it is packed; sums are f32. Panels contain pairs of numbers along the inner
//! axis (see `panels.rs`), as AVX512-BF16, AMX (see `amx.rs`) and ARM's instructions multiply them; on other processors
//! both are converted to f32 with the same result. Each number of the result is one sum in the order of the inner axis,
//! so it depends neither on the number of threads nor on the rows per thread.
#![allow(unsafe_code)]

use std::marker::PhantomData;
use std::ops::Range;

use half::bf16;

#[cfg(target_arch = "x86_64")]
use super::amx;
use super::explain::Kernel;
use super::lanes::{Lanes, WIDTH};
use super::matrix::{Matrix, Store};
use super::pairs::{PAIRS, lay_out, pair};
use super::panels::{DEPTH, Kind, Left, ProductTarget, run};
use super::simd::{Level, simd};
#[cfg(target_arch = "aarch64")]
use super::simd_neon;
#[cfg(target_arch = "x86_64")]
use super::simd_x86::Avx512;

/// Returns whether this processor has bf16 instructions.
pub fn is_native() -> bool {
    #[cfg(target_arch = "x86_64")]
    if Level::best().is_avx512() {
        return is_x86_feature_detected!("avx512bf16");
    }
    #[cfg(target_arch = "aarch64")]
    if std::arch::is_aarch64_feature_detected!("bf16") {
        return true;
    }
    false
}

/// Returns the kernel of such products on this processor.
pub fn kernel() -> Kernel {
    #[cfg(target_arch = "x86_64")]
    if amx::is_there() {
        return Kernel::Amx;
    }
    Kernel::Bf16
}

/// Computes `a` (contiguous rows) · `b`, plain or transposed, into `to`. If the product replaces the content, `bias` is
/// added to each row; it may be empty.
pub(crate) fn product(to: ProductTarget<'_>, bias: &[f32], a: Matrix<'_>, b: Matrix<'_, bf16>) {
    assert!(a.column == 1 && (b.column == 1 || b.row == 1));
    assert!(bias.is_empty() || (bias.len() == b.columns && to.store == Store::Replace));
    #[cfg(target_arch = "x86_64")]
    if amx::is_there() {
        return amx::product(to, bias, a, b);
    }
    #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
    if is_native() {
        // SAFETY: the processor supports these instructions, as checked above.
        return unsafe { of_the_processor(to, bias, a, b) };
    }
    widened(Level::best(), to, bias, a, b);
}

#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
#[cfg_attr(
    target_arch = "x86_64",
    target_feature(enable = "avx512f,avx512dq,avx512vl,avx512bw,avx512bf16,avx2,fma")
)]
#[cfg_attr(target_arch = "aarch64", target_feature(enable = "bf16"))]
fn of_the_processor(to: ProductTarget<'_>, bias: &[f32], a: Matrix<'_>, b: Matrix<'_, bf16>) {
    run::<Wide, OfPairs<Native>>(to, bias, a, b);
}

simd! {
    /// Computes the product on processors without bf16 instructions.
    fn widened<L>(to: ProductTarget<'_>, bias: &[f32], a: Matrix<'_>, b: Matrix<'_, bf16>) {
        run::<L, OfPairs<Widened>>(to, bias, a, b);
    }
}

/// Stride of rows of rounded values: not a power of two, so that rows do not evict each other from the L1 cache.
const STEP: usize = DEPTH / 2 + WIDTH;

/// How pairs of bf16 values are rounded and multiplied.
pub(crate) trait Pairs<L: Lanes> {
    /// Rounds values to bf16, two in each lane.
    fn rounded(from: &[f32; PAIRS]) -> L;
    /// Adds both products of each pair to the sum.
    fn multiply_add(left: L, right: L, sum: L) -> L;
}

/// A panel of pairs.
pub(crate) struct OfPairs<P>(PhantomData<P>);

impl<L: Lanes, P: Pairs<L>> Kind<L> for OfPairs<P> {
    type Number = bf16;
    const TOGETHER: usize = 2;
    const LEFT: usize = L::ROWS * STEP;

    #[inline(always)]
    fn lay_out(b: Matrix<'_, bf16>, along: Range<usize>, columns: Range<usize>, room: &mut [f32]) {
        let depth = along.len().div_ceil(2);
        lay_out::<L>(b, along, columns, depth, room);
    }

    #[inline(always)]
    fn left<'a>(
        a: Matrix<'a>,
        rows: Range<usize>,
        along: Range<usize>,
        room: &'a mut [f32],
    ) -> Left<'a> {
        left_by::<L, P>(a, rows, along, room)
    }

    #[inline(always)]
    fn multiply_add(left: L, right: L, sum: L) -> L {
        P::multiply_add(left, right, sum)
    }
}

/// Uses the processor's bf16 instructions.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
pub(crate) struct Native;

/// The lanes of these instructions.
#[cfg(target_arch = "x86_64")]
pub(crate) type Wide = Avx512;
#[cfg(target_arch = "aarch64")]
pub(crate) type Wide = super::lanes::Plain;

#[cfg(target_arch = "aarch64")]
impl Pairs<Wide> for Native {
    #[inline(always)]
    fn rounded(from: &[f32; PAIRS]) -> Wide {
        // SAFETY: this type is used only after a check for these instructions: `of_the_processor`, `peak.rs`.
        Wide::load(&unsafe { simd_neon::rounded(from) })
    }

    #[inline(always)]
    fn multiply_add(left: Wide, right: Wide, sum: Wide) -> Wide {
        // SAFETY: as above.
        Wide::load(&unsafe {
            simd_neon::pairs_plus(left.numbers(), right.numbers(), sum.numbers())
        })
    }
}

#[cfg(target_arch = "x86_64")]
impl Pairs<Avx512> for Native {
    #[inline(always)]
    fn rounded(from: &[f32; PAIRS]) -> Avx512 {
        // SAFETY: this type is used only after a check for these instructions: `of_the_processor`, `peak.rs`.
        unsafe { Avx512::rounded(from) }
    }

    #[inline(always)]
    fn multiply_add(left: Avx512, right: Avx512, sum: Avx512) -> Avx512 {
        // SAFETY: as above.
        unsafe { left.pairs_plus(right, sum) }
    }
}

/// Converts the values to f32 before the multiplication.
pub(crate) struct Widened;

impl<L: Lanes> Pairs<L> for Widened {
    #[inline(always)]
    fn rounded(from: &[f32; PAIRS]) -> L {
        let mut pairs = [0.0; WIDTH];
        for (to, both) in pairs.iter_mut().zip(from.as_chunks::<2>().0) {
            *to = pair([rounded(both[0]), rounded(both[1])]);
        }
        L::load(&pairs)
    }

    #[inline(always)]
    fn multiply_add(left: L, right: L, sum: L) -> L {
        let sum = left.upper().times_plus(right.upper(), sum);
        left.lower().times_plus(right.lower(), sum)
    }
}

/// Returns the bits of the nearest bf16 number, rounding half to even.
#[inline(always)]
fn rounded(number: f32) -> u16 {
    let bits = number.to_bits();
    let nearest = bits.wrapping_add(0x7fff + ((bits >> 16) & 1));
    // NaN stays NaN.
    let bits = if number.is_nan() {
        bits | 0x40_0000
    } else {
        nearest
    };
    (bits >> 16) as u16
}

/// Rounds the columns `along` of some rows to pairs and stores them in `room`, so that what a tile reads at a time is
/// contiguous.
#[inline(always)]
fn left_by<'a, L: Lanes, P: Pairs<L>>(
    a: Matrix<'_>,
    rows: Range<usize>,
    along: Range<usize>,
    room: &'a mut [f32],
) -> Left<'a> {
    for (row, to) in rows.zip(room.chunks_exact_mut(STEP)) {
        let from = &a.data[row * a.row..][along.clone()];
        let (whole, rest) = from.as_chunks::<PAIRS>();
        let (places, _) = to.as_chunks_mut::<WIDTH>();
        for (from, to) in whole.iter().zip(&mut *places) {
            P::rounded(from).store(to);
        }
        if !rest.is_empty() {
            let mut last = [0.0; PAIRS];
            last[..rest.len()].copy_from_slice(rest);
            P::rounded(&last).store(&mut places[whole.len()]);
        }
    }
    Left {
        numbers: room,
        down: STEP,
        along: 1,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn numbers(count: usize, seed: usize) -> Vec<f32> {
        let number = |i: usize| ((i + seed) * 7919 % 2003) as f32 / 1001.0 - 1.0;
        (0..count).map(number).collect()
    }

    fn halves(count: usize, seed: usize) -> Vec<bf16> {
        numbers(count, seed)
            .into_iter()
            .map(bf16::from_f32)
            .collect()
    }

    type ProductFn = Box<dyn Fn(ProductTarget<'_>, Matrix<'_>, Matrix<'_, bf16>)>;

    /// Returns all kernels of this processor for such a product.
    fn all_kernels() -> Vec<ProductFn> {
        let mut all_kernels: Vec<ProductFn> = vec![Box::new(|to, a, b| product(to, &[], a, b))];
        for level in Level::all() {
            all_kernels.push(Box::new(move |to, a, b| widened(level, to, &[], a, b)));
        }
        #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
        if is_native() {
            // SAFETY: the processor supports these instructions, as checked above.
            all_kernels.push(Box::new(|to, a, b| unsafe {
                of_the_processor(to, &[], a, b);
            }));
        }
        all_kernels
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]

        /// For any shape, address, row stride and transposition: each number is the sum of products of rounded numbers,
        /// and nothing outside the result is written.
        #[test]
        fn products_match_f64_sums_of_rounded_inputs(
            [rows, columns] in [1..=300usize, 1..=300],
            inner in prop_oneof![1..=300usize, 500..=1100usize],
            [a_gap, b_gap, y_gap] in [0..5usize, 0..5, 0..5],
            from in 0..4usize,
            turned: bool,
            store in prop_oneof![Just(Store::Replace), Just(Store::Add), Just(Store::Subtract)],
        ) {
            let rows = if inner > 300 { rows.div_ceil(8) } else { rows };
            let of_a = numbers(from + rows * (inner + a_gap), 1);
            let a = Matrix::new(&of_a[from..], rows, inner, inner + a_gap);
            let (b_rows, b_columns) = if turned { (columns, inner) } else { (inner, columns) };
            let of_b = halves(from + b_rows * (b_columns + b_gap), 500);
            let b = Matrix::new(&of_b[from..], b_rows, b_columns, b_columns + b_gap);
            let b = if turned { b.transposed() } else { b };
            let stride = columns + y_gap;
            let before = numbers(from + rows * stride, 1500);
            for kernel in all_kernels() {
                let mut after = before.clone();
                kernel(ProductTarget { y: &mut after[from..], stride, store }, a, b);
                prop_assert_eq!(&after[..from], &before[..from]);
                for (i, (got, old)) in after[from..].iter().zip(&before[from..]).enumerate() {
                    let (r, c) = (i / stride, i % stride);
                    if c >= columns {
                        prop_assert_eq!(got.to_bits(), old.to_bits());
                        continue;
                    }
                    let left = |k: usize| bf16::from_f32(a.data[r * a.row + k]).to_f64();
                    let right = |k: usize| b.data[k * b.row + c * b.column].to_f64();
                    let products = || (0..inner).map(|k| left(k) * right(k));
                    let sum: f64 = products().sum();
                    let want = match store {
                        Store::Replace => sum,
                        Store::Add => f64::from(*old) + sum,
                        Store::Subtract => f64::from(*old) - sum,
                    };
                    let limit = 4e-6 * (1.0 + products().map(f64::abs).sum::<f64>());
                    prop_assert!((f64::from(*got) - want).abs() < limit, "{got} {want} {r} {c}");
                }
            }
        }
    }

    #[test]
    fn product_adds_bias() {
        for [rows, inner, columns] in [[0, 8, 16], [1, 8, 70], [37, 70, 32], [70, 1100, 45]] {
            let (of_a, of_b) = (numbers(rows * inner, 1), halves(inner * columns, 500));
            let a = Matrix::new(&of_a, rows, inner, inner);
            let b = Matrix::new(&of_b, inner, columns, columns);
            let bias = numbers(columns, 900);
            let there = |y, store| ProductTarget {
                y,
                stride: columns,
                store,
            };
            let mut with = vec![f32::NAN; rows * columns];
            product(there(&mut with, Store::Replace), &bias, a, b);
            let mut onto = bias.repeat(rows);
            product(there(&mut onto, Store::Add), &[], a, b);
            for (with, onto) in with.iter().zip(&onto) {
                assert!((with - onto).abs() < 1e-4, "{with} {onto}");
            }
        }
    }

    #[test]
    fn rounded_matches_round_to_nearest() {
        let all = [
            1.0,
            -1.0,
            0.1,
            1e-30,
            3.4e38,
            f32::INFINITY,
            1.003_906_3,
            1.011_718_8,
            -0.0,
        ];
        for number in all {
            assert_eq!(
                rounded(number),
                bf16::from_f32(number).to_bits(),
                "{number}"
            );
        }
        assert!(bf16::from_bits(rounded(f32::NAN)).is_nan());
    }
}
