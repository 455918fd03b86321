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
use super::pairs::{PAIRS, pack_pairs, pair};
use super::panels::{DEPTH, LeftBlock, PanelElement, ProductTarget, multiply_panels};
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
    if amx::is_available() {
        return Kernel::Amx;
    }
    Kernel::Bf16
}

/// Computes `a` (contiguous rows) · `b`, plain or transposed, into `target`. If it replaces the content, `bias` is
/// added to each row; it may be empty.
pub(crate) fn product(target: ProductTarget<'_>, bias: &[f32], a: Matrix<'_>, b: Matrix<'_, bf16>) {
    assert!(a.column_stride == 1 && (b.column_stride == 1 || b.row_stride == 1));
    assert!(bias.is_empty() || (bias.len() == b.columns && target.store == Store::Replace));
    #[cfg(target_arch = "x86_64")]
    if amx::is_available() {
        return amx::product(target, bias, a, b);
    }
    #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
    if is_native() {
        // SAFETY: the processor supports these instructions, as checked above.
        return unsafe { native_product(target, bias, a, b) };
    }
    widened_product(Level::best(), target, bias, a, b);
}

#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
#[cfg_attr(
    target_arch = "x86_64",
    target_feature(enable = "avx512f,avx512dq,avx512vl,avx512bw,avx512bf16,avx2,fma")
)]
#[cfg_attr(target_arch = "aarch64", target_feature(enable = "bf16"))]
fn native_product(target: ProductTarget<'_>, bias: &[f32], a: Matrix<'_>, b: Matrix<'_, bf16>) {
    multiply_panels::<Wide, PairPanels<Native>>(target, bias, a, b);
}

simd! {
    /// Computes the product on processors without bf16 instructions.
    fn widened_product<L>(target: ProductTarget<'_>, bias: &[f32], a: Matrix<'_>, b: Matrix<'_, bf16>) {
        multiply_panels::<L, PairPanels<Widened>>(target, bias, a, b);
    }
}

/// Stride of rows of rounded values: not a power of two, so that rows do not evict each other from the L1 cache.
const LEFT_STRIDE: usize = DEPTH / 2 + WIDTH;

/// How pairs of bf16 values are rounded and multiplied.
pub(crate) trait Pairs<L: Lanes> {
    /// Rounds values to bf16, two in each lane.
    fn rounded(from: &[f32; PAIRS]) -> L;
    /// Adds both products of each pair to the sum.
    fn multiply_add(left: L, right: L, sum: L) -> L;
}

/// A panel of pairs.
pub(crate) struct PairPanels<P>(PhantomData<P>);

impl<L: Lanes, P: Pairs<L>> PanelElement<L> for PairPanels<P> {
    type Element = bf16;
    const VALUES_PER_ELEMENT: usize = 2;
    const LEFT_BUFFER_LEN: usize = L::ROWS * LEFT_STRIDE;

    #[inline(always)]
    fn pack(
        b: Matrix<'_, bf16>,
        depth_range: Range<usize>,
        columns: Range<usize>,
        buffer: &mut [f32],
    ) {
        let depth = depth_range.len().div_ceil(2);
        pack_pairs::<L>(b, depth_range, columns, depth, buffer);
    }

    #[inline(always)]
    fn left_block<'a>(
        a: Matrix<'a>,
        rows: Range<usize>,
        depth_range: Range<usize>,
        buffer: &'a mut [f32],
    ) -> LeftBlock<'a> {
        pack_left::<L, P>(a, rows, depth_range, buffer)
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
        // SAFETY: this type is used only after a check for these instructions: `native_product`, `peak.rs`.
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
        // SAFETY: this type is used only after a check for these instructions: `native_product`, `peak.rs`.
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
        for (to, values) in pairs.iter_mut().zip(from.as_chunks::<2>().0) {
            *to = pair([round_to_bf16(values[0]), round_to_bf16(values[1])]);
        }
        L::load(&pairs)
    }

    #[inline(always)]
    fn multiply_add(left: L, right: L, sum: L) -> L {
        let sum = left.upper().mul_add(right.upper(), sum);
        left.lower().mul_add(right.lower(), sum)
    }
}

/// Returns the bits of the nearest bf16 number, rounding half to even.
#[inline(always)]
fn round_to_bf16(value: f32) -> u16 {
    let bits = value.to_bits();
    let nearest = bits.wrapping_add(0x7fff + ((bits >> 16) & 1));
    // NaN stays NaN.
    let bits = if value.is_nan() { bits | 0x40_0000 } else { nearest };
    (bits >> 16) as u16
}

/// Rounds the columns `depth_range` of some rows to pairs and stores them in `buffer`; what a tile reads at a time is
/// contiguous.
#[inline(always)]
fn pack_left<'a, L: Lanes, P: Pairs<L>>(
    a: Matrix<'_>,
    rows: Range<usize>,
    depth_range: Range<usize>,
    buffer: &'a mut [f32],
) -> LeftBlock<'a> {
    for (row, to) in rows.zip(buffer.chunks_exact_mut(LEFT_STRIDE)) {
        let from = &a.data[row * a.row_stride..][depth_range.clone()];
        let (chunks, remainder) = from.as_chunks::<PAIRS>();
        let (target_chunks, _) = to.as_chunks_mut::<WIDTH>();
        for (from, to) in chunks.iter().zip(&mut *target_chunks) {
            P::rounded(from).store(to);
        }
        if !remainder.is_empty() {
            let mut last = [0.0; PAIRS];
            last[..remainder.len()].copy_from_slice(remainder);
            P::rounded(&last).store(&mut target_chunks[chunks.len()]);
        }
    }
    LeftBlock { values: buffer, row_stride: LEFT_STRIDE, column_stride: 1 }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn test_values(count: usize, seed: usize) -> Vec<f32> {
        let value = |i: usize| ((i + seed) * 7919 % 2003) as f32 / 1001.0 - 1.0;
        (0..count).map(value).collect()
    }

    fn bf16_values(count: usize, seed: usize) -> Vec<bf16> {
        test_values(count, seed).into_iter().map(bf16::from_f32).collect()
    }

    type ProductFn = Box<dyn Fn(ProductTarget<'_>, Matrix<'_>, Matrix<'_, bf16>)>;

    /// Returns all kernels of this processor for such a product.
    fn all_kernels() -> Vec<ProductFn> {
        let mut all_kernels: Vec<ProductFn> = vec![Box::new(|to, a, b| product(to, &[], a, b))];
        for level in Level::all() {
            all_kernels.push(Box::new(move |to, a, b| {
                widened_product(level, to, &[], a, b);
            }));
        }
        #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
        if is_native() {
            // SAFETY: the processor supports these instructions, as checked above.
            all_kernels.push(Box::new(|to, a, b| unsafe {
                native_product(to, &[], a, b);
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
            transposed: bool,
            store in prop_oneof![Just(Store::Replace), Just(Store::Add), Just(Store::Subtract)],
        ) {
            let rows = if inner > 300 { rows.div_ceil(8) } else { rows };
            let a_values = test_values(from + rows * (inner + a_gap), 1);
            let a = Matrix::new(&a_values[from..], rows, inner, inner + a_gap);
            let (b_rows, b_columns) = if transposed { (columns, inner) } else { (inner, columns) };
            let b_values = bf16_values(from + b_rows * (b_columns + b_gap), 500);
            let b = Matrix::new(&b_values[from..], b_rows, b_columns, b_columns + b_gap);
            let b = if transposed { b.transposed() } else { b };
            let stride = columns + y_gap;
            let before = test_values(from + rows * stride, 1500);
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
                    let left = |k: usize| bf16::from_f32(a.data[r * a.row_stride + k]).to_f64();
                    let right = |k: usize| b.data[k * b.row_stride + c * b.column_stride].to_f64();
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
            let (a_values, b_values) =
                (test_values(rows * inner, 1), bf16_values(inner * columns, 500));
            let a = Matrix::new(&a_values, rows, inner, inner);
            let b = Matrix::new(&b_values, inner, columns, columns);
            let bias = test_values(columns, 900);
            let target = |y, store| ProductTarget { y, stride: columns, store };
            let mut with = vec![f32::NAN; rows * columns];
            product(target(&mut with, Store::Replace), &bias, a, b);
            let mut onto = bias.repeat(rows);
            product(target(&mut onto, Store::Add), &[], a, b);
            for (with, onto) in with.iter().zip(&onto) {
                assert!((with - onto).abs() < 1e-4, "{with} {onto}");
            }
        }
    }

    #[test]
    fn rounded_matches_round_to_nearest() {
        let all = [1.0, -1.0, 0.1, 1e-30, 3.4e38, f32::INFINITY, 1.003_906_3, 1.011_718_8, -0.0];
        for value in all {
            assert_eq!(round_to_bf16(value), bf16::from_f32(value).to_bits(), "{value}");
        }
        assert!(bf16::from_bits(round_to_bf16(f32::NAN)).is_nan());
    }
}
