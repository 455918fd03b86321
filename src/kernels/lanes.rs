//! Vectors of sixteen f32 values, and their implementation without special instructions.

/// Number of values in [`Lanes`].
pub(crate) const WIDTH: usize = 16;

/// Mask of the upper bf16 value in a pair with the bits of an f32.
pub(crate) const UPPER: u32 = 0xffff_0000;

/// A vector of sixteen f32 values. Implementations with special instructions may be used only inside
/// [`simd!`](super::simd::simd), which guarantees that the processor supports them.
pub(crate) trait Lanes: Copy {
    /// Number of rows of a product's tile. Together with `VECTORS`, it determines the number of sums, which must fit
    /// into the registers.
    const ROWS: usize;
    /// Number of vectors in a row of a product's tile.
    const VECTORS: usize;

    /// Returns sixteen copies of a value.
    fn splat(value: f32) -> Self;
    /// Loads sixteen values from memory.
    fn load(from: &[f32; WIDTH]) -> Self;
    /// Stores the values in memory.
    fn store(self, to: &mut [f32; WIDTH]);
    /// Returns self + other.
    fn add(self, other: Self) -> Self;
    /// Returns self − other.
    fn sub(self, other: Self) -> Self;
    /// Returns self · other.
    fn mul(self, other: Self) -> Self;
    /// Returns self / other.
    fn div(self, other: Self) -> Self;
    /// Returns self · factor + addend.
    fn mul_add(self, factor: Self, addend: Self) -> Self;
    /// Returns the larger of `limit` and self; NaN in self stays NaN.
    fn max(self, limit: Self) -> Self;
    /// Returns the smaller of `limit` and self; NaN in self stays NaN.
    fn min(self, limit: Self) -> Self;
    /// Returns 2ⁿ for an integer n in the low bits: the bits shifted left by 23, plus the bits of 1.0.
    fn power_of_two(self) -> Self;
    /// Returns |self|.
    fn abs(self) -> Self;
    /// Returns `negative` where the sign bit of self is set, else `other`.
    fn select_by_sign(self, negative: Self, other: Self) -> Self;
    /// Returns the lower value of each pair of bf16 values, as f32.
    fn lower(self) -> Self;
    /// Returns the upper value of each pair of bf16 values, as f32.
    fn upper(self) -> Self;
    /// Interleaves the values of self and other: those of the first halves, and those of the second halves.
    fn interleave(self, other: Self) -> [Self; 2];
    /// Returns the sum of all values.
    fn reduce_sum(self) -> f32;
    /// Returns the largest value.
    fn reduce_max(self) -> f32;

    /// Loads up to sixteen values from a slice; the others become `fill`.
    #[inline(always)]
    fn load_part(from: &[f32], fill: f32) -> Self {
        let mut padded = [fill; WIDTH];
        padded[..from.len()].copy_from_slice(from);
        Self::load(&padded)
    }

    /// Transposes a 16 × 16 matrix.
    #[inline(always)]
    fn transposed(mut square: [Self; WIDTH]) -> [Self; WIDTH] {
        // Each iteration rotates the index (row and column as one number of eight bits) by one bit, so four
        // transpose.
        for _ in 0..WIDTH.ilog2() {
            // Loops instead of closures, because a closure may be compiled without the vector instructions.
            let mut next = square;
            for (i, pair) in next.as_chunks_mut::<2>().0.iter_mut().enumerate() {
                *pair = square[i].interleave(square[i + WIDTH / 2]);
            }
            square = next;
        }
        square
    }

    /// Stores the first values in a slice of at most sixteen.
    #[inline(always)]
    fn store_part(self, to: &mut [f32]) {
        let mut padded = [0.0; WIDTH];
        self.store(&mut padded);
        to.copy_from_slice(&padded[..to.len()]);
    }
}

/// Sixteen values without special instructions.
#[derive(Clone, Copy)]
pub(crate) struct Plain([f32; WIDTH]);

impl Plain {
    #[inline(always)]
    fn zip(self, other: Self, f: impl Fn(f32, f32) -> f32) -> Self {
        Self(std::array::from_fn(|i| f(self.0[i], other.0[i])))
    }

    #[cfg(target_arch = "aarch64")]
    #[inline(always)]
    pub(crate) fn numbers(self) -> [f32; WIDTH] {
        self.0
    }
}

impl Lanes for Plain {
    // ARM processors have 32 registers; each value of this type takes four of them.
    const ROWS: usize = if cfg!(target_arch = "aarch64") { 6 } else { 1 };
    const VECTORS: usize = 1;

    #[inline(always)]
    fn splat(value: f32) -> Self {
        Self([value; WIDTH])
    }

    #[inline(always)]
    fn load(from: &[f32; WIDTH]) -> Self {
        Self(*from)
    }

    #[inline(always)]
    fn store(self, to: &mut [f32; WIDTH]) {
        *to = self.0;
    }

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        self.zip(other, |a, b| a + b)
    }

    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        self.zip(other, |a, b| a - b)
    }

    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        self.zip(other, |a, b| a * b)
    }

    #[inline(always)]
    fn div(self, other: Self) -> Self {
        self.zip(other, |a, b| a / b)
    }

    #[inline(always)]
    fn mul_add(self, factor: Self, addend: Self) -> Self {
        if cfg!(target_arch = "aarch64") {
            Self(std::array::from_fn(|i| self.0[i].mul_add(factor.0[i], addend.0[i])))
        } else {
            // Without an FMA instruction, `mul_add` would call a slow library function.
            self.mul(factor).add(addend)
        }
    }

    #[inline(always)]
    fn max(self, limit: Self) -> Self {
        self.zip(limit, |a, b| if b > a { b } else { a })
    }

    #[inline(always)]
    fn min(self, limit: Self) -> Self {
        self.zip(limit, |a, b| if b < a { b } else { a })
    }

    #[inline(always)]
    fn power_of_two(self) -> Self {
        Self(self.0.map(|v| f32::from_bits((v.to_bits() << 23).wrapping_add(1f32.to_bits()))))
    }

    #[inline(always)]
    fn abs(self) -> Self {
        Self(self.0.map(f32::abs))
    }

    #[inline(always)]
    fn select_by_sign(self, negative: Self, other: Self) -> Self {
        Self(std::array::from_fn(|i| {
            if self.0[i].is_sign_negative() { negative.0[i] } else { other.0[i] }
        }))
    }

    #[inline(always)]
    fn lower(self) -> Self {
        Self(self.0.map(|v| f32::from_bits(v.to_bits() << 16)))
    }

    #[inline(always)]
    fn upper(self) -> Self {
        Self(self.0.map(|v| f32::from_bits(v.to_bits() & UPPER)))
    }

    #[inline(always)]
    fn interleave(self, other: Self) -> [Self; 2] {
        let half = |from: usize| {
            Self(std::array::from_fn(|i| {
                let source = if i % 2 == 0 { &self } else { &other };
                source.0[from + i / 2]
            }))
        };
        [half(0), half(WIDTH / 2)]
    }

    #[inline(always)]
    fn reduce_sum(self) -> f32 {
        let [a, b, c, d]: [f32; 4] =
            std::array::from_fn(|i| (self.0[i] + self.0[i + 4]) + (self.0[i + 8] + self.0[i + 12]));
        (a + c) + (b + d)
    }

    #[inline(always)]
    fn reduce_max(self) -> f32 {
        let first = self.0[0];
        self.0.iter().fold(first, |m, v| if *v > m { *v } else { m })
    }
}
