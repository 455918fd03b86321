//! Implementations of [`Lanes`] with the vector instructions of x86-64 processors.
//!
//! Every function is inlined into a kernel that is compiled with the required features (`simd!` in `simd.rs`). Such
//! a kernel is called only on processors that support them.
#![allow(unsafe_code)]

use std::arch::x86_64::{
    __m256, __m512, __m512bh, _mm_add_ps, _mm_add_ss, _mm_cvtss_f32, _mm_max_ps, _mm_max_ss,
    _mm_movehl_ps, _mm_shuffle_ps, _mm256_add_epi32, _mm256_add_ps, _mm256_and_ps,
    _mm256_andnot_ps, _mm256_blendv_ps, _mm256_castps_si256, _mm256_castps256_ps128,
    _mm256_castsi256_ps, _mm256_div_ps, _mm256_extractf128_ps, _mm256_fmadd_ps, _mm256_loadu_ps,
    _mm256_max_ps, _mm256_min_ps, _mm256_mul_ps, _mm256_permute2f128_ps, _mm256_set1_epi32,
    _mm256_set1_ps, _mm256_slli_epi32, _mm256_storeu_ps, _mm256_sub_ps, _mm256_unpackhi_ps,
    _mm256_unpacklo_ps, _mm512_abs_ps, _mm512_add_epi32, _mm512_add_ps, _mm512_and_ps,
    _mm512_castps_si512, _mm512_castsi512_ps, _mm512_cvtne2ps_pbh, _mm512_div_ps, _mm512_dpbf16_ps,
    _mm512_fmadd_ps, _mm512_loadu_ps, _mm512_mask_blend_ps, _mm512_mask_loadu_ps,
    _mm512_mask_storeu_ps, _mm512_max_ps, _mm512_min_ps, _mm512_movepi32_mask, _mm512_mul_ps,
    _mm512_permutex2var_ps, _mm512_reduce_add_ps, _mm512_reduce_max_ps, _mm512_set1_epi32,
    _mm512_set1_ps, _mm512_setr_epi32, _mm512_slli_epi32, _mm512_storeu_ps, _mm512_sub_ps,
};

use super::lanes::{Lanes, UPPER, WIDTH};

/// The bits of 1.0 as f32.
const ONE_BITS: i32 = 0x3f80_0000;

/// Returns a mask of the first `count` of sixteen values.
#[inline(always)]
fn prefix_mask(count: usize) -> u16 {
    assert!(count <= WIDTH);
    ((1u32 << count) - 1) as u16
}

/// One AVX-512 register.
#[derive(Clone, Copy)]
pub(crate) struct Avx512(__m512);

// SAFETY of every block below: the processor has AVX-512F (see the top of this file); loads and
// stores use references to sixteen values and need no alignment.
impl Lanes for Avx512 {
    const ROWS: usize = 12;
    const VECTORS: usize = 2;

    #[inline(always)]
    fn splat(value: f32) -> Self {
        // SAFETY: see above.
        Self(unsafe { _mm512_set1_ps(value) })
    }

    #[inline(always)]
    fn load(from: &[f32; WIDTH]) -> Self {
        // SAFETY: see above.
        Self(unsafe { _mm512_loadu_ps(from.as_ptr()) })
    }

    #[inline(always)]
    fn store(self, to: &mut [f32; WIDTH]) {
        // SAFETY: see above.
        unsafe { _mm512_storeu_ps(to.as_mut_ptr(), self.0) }
    }

    #[inline(always)]
    fn load_part(from: &[f32], fill: f32) -> Self {
        // SAFETY: see above; elements that the mask excludes are not read.
        Self(unsafe {
            _mm512_mask_loadu_ps(_mm512_set1_ps(fill), prefix_mask(from.len()), from.as_ptr())
        })
    }

    #[inline(always)]
    fn store_part(self, to: &mut [f32]) {
        // SAFETY: see above; elements that the mask excludes are not written.
        unsafe { _mm512_mask_storeu_ps(to.as_mut_ptr(), prefix_mask(to.len()), self.0) }
    }

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        // SAFETY: see above.
        Self(unsafe { _mm512_add_ps(self.0, other.0) })
    }

    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        // SAFETY: see above.
        Self(unsafe { _mm512_sub_ps(self.0, other.0) })
    }

    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        // SAFETY: see above.
        Self(unsafe { _mm512_mul_ps(self.0, other.0) })
    }

    #[inline(always)]
    fn div(self, other: Self) -> Self {
        // SAFETY: see above.
        Self(unsafe { _mm512_div_ps(self.0, other.0) })
    }

    #[inline(always)]
    fn mul_add(self, factor: Self, addend: Self) -> Self {
        // SAFETY: see above.
        Self(unsafe { _mm512_fmadd_ps(self.0, factor.0, addend.0) })
    }

    // If either operand is NaN, these instructions return the second one.
    #[inline(always)]
    fn max(self, limit: Self) -> Self {
        // SAFETY: see above.
        Self(unsafe { _mm512_max_ps(limit.0, self.0) })
    }

    #[inline(always)]
    fn min(self, limit: Self) -> Self {
        // SAFETY: see above.
        Self(unsafe { _mm512_min_ps(limit.0, self.0) })
    }

    #[inline(always)]
    fn power_of_two(self) -> Self {
        // SAFETY: see above.
        Self(unsafe {
            let shifted = _mm512_slli_epi32::<23>(_mm512_castps_si512(self.0));
            _mm512_castsi512_ps(_mm512_add_epi32(shifted, _mm512_set1_epi32(ONE_BITS)))
        })
    }

    #[inline(always)]
    fn abs(self) -> Self {
        // SAFETY: see above.
        Self(unsafe { _mm512_abs_ps(self.0) })
    }

    #[inline(always)]
    fn select_by_sign(self, negative: Self, other: Self) -> Self {
        // SAFETY: see above; the mask instruction belongs to AVX-512DQ.
        Self(unsafe {
            let mask = _mm512_movepi32_mask(_mm512_castps_si512(self.0));
            _mm512_mask_blend_ps(mask, other.0, negative.0)
        })
    }

    #[inline(always)]
    fn lower(self) -> Self {
        // SAFETY: see above.
        Self(unsafe { _mm512_castsi512_ps(_mm512_slli_epi32::<16>(_mm512_castps_si512(self.0))) })
    }

    #[inline(always)]
    fn upper(self) -> Self {
        // SAFETY: see above; this instruction belongs to AVX-512DQ.
        Self(unsafe { _mm512_and_ps(self.0, _mm512_set1_ps(f32::from_bits(UPPER))) })
    }

    #[inline(always)]
    fn interleave(self, other: Self) -> [Self; 2] {
        // SAFETY: see above.
        unsafe {
            let first = _mm512_setr_epi32(0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
            let second = _mm512_add_epi32(first, _mm512_set1_epi32(8));
            [
                Self(_mm512_permutex2var_ps(self.0, first, other.0)),
                Self(_mm512_permutex2var_ps(self.0, second, other.0)),
            ]
        }
    }

    #[inline(always)]
    fn reduce_sum(self) -> f32 {
        // SAFETY: see above.
        unsafe { _mm512_reduce_add_ps(self.0) }
    }

    #[inline(always)]
    fn reduce_max(self) -> f32 {
        // SAFETY: see above.
        unsafe { _mm512_reduce_max_ps(self.0) }
    }
}

/// Operations on pairs of bf16, whose first value is in the lower bits.
impl Avx512 {
    /// Returns `sum` plus both products of each pair.
    ///
    /// # Safety
    /// The processor must support AVX512-BF16.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bf16")]
    pub(crate) unsafe fn pairs_plus(self, other: Self, sum: Self) -> Self {
        // SAFETY: both have 64 bytes, and any bits are 32 valid bf16 values.
        let [a, b]: [__m512bh; 2] = unsafe { std::mem::transmute([self.0, other.0]) };
        Self(_mm512_dpbf16_ps(sum.0, a, b))
    }

    /// Rounds 32 values to pairs of bf16.
    ///
    /// # Safety
    /// The processor must support AVX512-BF16.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bf16")]
    pub(crate) unsafe fn rounded(from: &[f32; 2 * WIDTH]) -> Self {
        let from = from.as_ptr();
        // SAFETY: 32 values are read, and any 64 bytes are sixteen valid f32 values.
        unsafe {
            let [lower, upper] = [_mm512_loadu_ps(from), _mm512_loadu_ps(from.add(WIDTH))];
            let pairs = _mm512_cvtne2ps_pbh(upper, lower);
            Self(std::mem::transmute::<__m512bh, __m512>(pairs))
        }
    }
}

/// Two AVX2 registers.
#[derive(Clone, Copy)]
pub(crate) struct Avx2(__m256, __m256);

// SAFETY of every block below: the processor has AVX2 and FMA (see the top of this file); loads
// and stores use references to sixteen values and need no alignment.
impl Lanes for Avx2 {
    const ROWS: usize = 6;
    const VECTORS: usize = 1;

    #[inline(always)]
    fn splat(value: f32) -> Self {
        // SAFETY: see above.
        let half = unsafe { _mm256_set1_ps(value) };
        Self(half, half)
    }

    #[inline(always)]
    fn load(from: &[f32; WIDTH]) -> Self {
        let from = from.as_ptr();
        // SAFETY: see above.
        unsafe { Self(_mm256_loadu_ps(from), _mm256_loadu_ps(from.add(8))) }
    }

    #[inline(always)]
    fn store(self, to: &mut [f32; WIDTH]) {
        let to = to.as_mut_ptr();
        // SAFETY: see above.
        unsafe {
            _mm256_storeu_ps(to, self.0);
            _mm256_storeu_ps(to.add(8), self.1);
        }
    }

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        // SAFETY: see above.
        unsafe { Self(_mm256_add_ps(self.0, other.0), _mm256_add_ps(self.1, other.1)) }
    }

    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        // SAFETY: see above.
        unsafe { Self(_mm256_sub_ps(self.0, other.0), _mm256_sub_ps(self.1, other.1)) }
    }

    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        // SAFETY: see above.
        unsafe { Self(_mm256_mul_ps(self.0, other.0), _mm256_mul_ps(self.1, other.1)) }
    }

    #[inline(always)]
    fn div(self, other: Self) -> Self {
        // SAFETY: see above.
        unsafe { Self(_mm256_div_ps(self.0, other.0), _mm256_div_ps(self.1, other.1)) }
    }

    #[inline(always)]
    fn mul_add(self, factor: Self, addend: Self) -> Self {
        // SAFETY: see above.
        unsafe {
            Self(
                _mm256_fmadd_ps(self.0, factor.0, addend.0),
                _mm256_fmadd_ps(self.1, factor.1, addend.1),
            )
        }
    }

    #[inline(always)]
    fn max(self, limit: Self) -> Self {
        // SAFETY: see above.
        unsafe { Self(_mm256_max_ps(limit.0, self.0), _mm256_max_ps(limit.1, self.1)) }
    }

    #[inline(always)]
    fn min(self, limit: Self) -> Self {
        // SAFETY: see above.
        unsafe { Self(_mm256_min_ps(limit.0, self.0), _mm256_min_ps(limit.1, self.1)) }
    }

    #[inline(always)]
    fn power_of_two(self) -> Self {
        let half = |half: __m256| {
            // SAFETY: see above.
            unsafe {
                let shifted = _mm256_slli_epi32::<23>(_mm256_castps_si256(half));
                _mm256_castsi256_ps(_mm256_add_epi32(shifted, _mm256_set1_epi32(ONE_BITS)))
            }
        };
        Self(half(self.0), half(self.1))
    }

    #[inline(always)]
    fn abs(self) -> Self {
        // SAFETY: see above.
        unsafe {
            let sign = _mm256_set1_ps(-0.0);
            Self(_mm256_andnot_ps(sign, self.0), _mm256_andnot_ps(sign, self.1))
        }
    }

    #[inline(always)]
    fn select_by_sign(self, negative: Self, other: Self) -> Self {
        // SAFETY: see above.
        unsafe {
            Self(
                _mm256_blendv_ps(other.0, negative.0, self.0),
                _mm256_blendv_ps(other.1, negative.1, self.1),
            )
        }
    }

    #[inline(always)]
    fn lower(self) -> Self {
        let half = |half: __m256| {
            // SAFETY: see above.
            unsafe { _mm256_castsi256_ps(_mm256_slli_epi32::<16>(_mm256_castps_si256(half))) }
        };
        Self(half(self.0), half(self.1))
    }

    #[inline(always)]
    fn upper(self) -> Self {
        // SAFETY: see above.
        unsafe {
            let upper = _mm256_set1_ps(f32::from_bits(UPPER));
            Self(_mm256_and_ps(self.0, upper), _mm256_and_ps(self.1, upper))
        }
    }

    #[inline(always)]
    fn interleave(self, other: Self) -> [Self; 2] {
        let halves = |a: __m256, b: __m256| {
            // SAFETY: see above.
            unsafe {
                let (low, high) = (_mm256_unpacklo_ps(a, b), _mm256_unpackhi_ps(a, b));
                Self(
                    _mm256_permute2f128_ps::<0x20>(low, high),
                    _mm256_permute2f128_ps::<0x31>(low, high),
                )
            }
        };
        [halves(self.0, other.0), halves(self.1, other.1)]
    }

    #[inline(always)]
    fn reduce_sum(self) -> f32 {
        // SAFETY: see above.
        unsafe {
            let eight = _mm256_add_ps(self.0, self.1);
            let high = _mm256_extractf128_ps::<1>(eight);
            let four = _mm_add_ps(_mm256_castps256_ps128(eight), high);
            let two = _mm_add_ps(four, _mm_movehl_ps(four, four));
            _mm_cvtss_f32(_mm_add_ss(two, _mm_shuffle_ps::<1>(two, two)))
        }
    }

    #[inline(always)]
    fn reduce_max(self) -> f32 {
        // SAFETY: see above.
        unsafe {
            let eight = _mm256_max_ps(self.0, self.1);
            let high = _mm256_extractf128_ps::<1>(eight);
            let four = _mm_max_ps(_mm256_castps256_ps128(eight), high);
            let two = _mm_max_ps(four, _mm_movehl_ps(four, four));
            _mm_cvtss_f32(_mm_max_ss(two, _mm_shuffle_ps::<1>(two, two)))
        }
    }
}
