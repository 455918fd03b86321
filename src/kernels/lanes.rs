//! Sixteen numbers handled together, and the plain version of them.

/// Numbers in one [`Lanes`].
pub(crate) const WIDTH: usize = 16;

/// The upper of two bf16 in the bits of an f32.
pub(crate) const UPPER: u32 = 0xffff_0000;

/// Sixteen numbers. The vector versions must be used only inside [`simd!`](super::simd::simd), which guarantees that
/// the processor has their instructions.
pub(crate) trait Lanes: Copy {
    /// Rows of a tile of a product, and how many of these it is wide: as many sums as there are registers for.
    const ROWS: usize;
    /// See [`Lanes::ROWS`].
    const VECTORS: usize;

    /// Sixteen times the same.
    fn splat(value: f32) -> Self;
    /// From memory.
    fn load(from: &[f32; WIDTH]) -> Self;
    /// To memory.
    fn store(self, to: &mut [f32; WIDTH]);
    /// self + other.
    fn plus(self, other: Self) -> Self;
    /// self − other.
    fn minus(self, other: Self) -> Self;
    /// self · other.
    fn times(self, other: Self) -> Self;
    /// self / other.
    fn over(self, other: Self) -> Self;
    /// self · factor + addend.
    fn times_plus(self, factor: Self, addend: Self) -> Self;
    /// The larger of `limit` and self; self where it is no number.
    fn at_least(self, limit: Self) -> Self;
    /// The smaller of `limit` and self; self where it is no number.
    fn at_most(self, limit: Self) -> Self;
    /// The bits, as integers, shifted left by 23 places, plus those of 1.0: 2ⁿ from an integer n
    /// in the low bits.
    fn power_of_two(self) -> Self;
    /// |self|.
    fn absolute(self) -> Self;
    /// `negative` where the sign of self is set, else `other`.
    fn choose(self, negative: Self, other: Self) -> Self;
    /// Of pairs of bf16, the lower ones as f32: the bits shifted left by sixteen.
    fn lower(self) -> Self;
    /// Of pairs of bf16, the upper ones as f32: the upper sixteen bits alone.
    fn upper(self) -> Self;
    /// The numbers of self and other in turn: those of the first halves, and of the second.
    fn in_turn(self, other: Self) -> [Self; 2];
    /// The sum of all.
    fn sum(self) -> f32;
    /// The largest.
    fn largest(self) -> f32;

    /// The first few numbers of a slice, the rest `fill`.
    #[inline(always)]
    fn load_part(from: &[f32], fill: f32) -> Self {
        let mut whole = [fill; WIDTH];
        whole[..from.len()].copy_from_slice(from);
        Self::load(&whole)
    }

    /// Rows and columns exchanged.
    #[inline(always)]
    fn turned(mut square: [Self; WIDTH]) -> [Self; WIDTH] {
        // Each time an index, of row and column as one number of eight bits, is rotated by one bit.
        for _ in 0..WIDTH.ilog2() {
            // Loops and not closures: a closure may become a function of its own, without the instructions.
            let mut next = square;
            for (i, pair) in next.as_chunks_mut::<2>().0.iter_mut().enumerate() {
                *pair = square[i].in_turn(square[i + WIDTH / 2]);
            }
            square = next;
        }
        square
    }

    /// Fills a slice of at most sixteen.
    #[inline(always)]
    fn store_part(self, to: &mut [f32]) {
        let mut whole = [0.0; WIDTH];
        self.store(&mut whole);
        to.copy_from_slice(&whole[..to.len()]);
    }
}

/// Sixteen numbers without any particular instructions.
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
    // Of the 32 registers of an ARM processor four are one of these.
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
    fn plus(self, other: Self) -> Self {
        self.zip(other, |a, b| a + b)
    }

    #[inline(always)]
    fn minus(self, other: Self) -> Self {
        self.zip(other, |a, b| a - b)
    }

    #[inline(always)]
    fn times(self, other: Self) -> Self {
        self.zip(other, |a, b| a * b)
    }

    #[inline(always)]
    fn over(self, other: Self) -> Self {
        self.zip(other, |a, b| a / b)
    }

    #[inline(always)]
    fn times_plus(self, factor: Self, addend: Self) -> Self {
        if cfg!(target_arch = "aarch64") {
            Self(std::array::from_fn(|i| {
                self.0[i].mul_add(factor.0[i], addend.0[i])
            }))
        } else {
            // Without the instruction, `mul_add` would call a slow library function.
            self.times(factor).plus(addend)
        }
    }

    #[inline(always)]
    fn at_least(self, limit: Self) -> Self {
        self.zip(limit, |a, b| if b > a { b } else { a })
    }

    #[inline(always)]
    fn at_most(self, limit: Self) -> Self {
        self.zip(limit, |a, b| if b < a { b } else { a })
    }

    #[inline(always)]
    fn power_of_two(self) -> Self {
        Self(
            self.0
                .map(|v| f32::from_bits((v.to_bits() << 23).wrapping_add(1f32.to_bits()))),
        )
    }

    #[inline(always)]
    fn absolute(self) -> Self {
        Self(self.0.map(f32::abs))
    }

    #[inline(always)]
    fn choose(self, negative: Self, other: Self) -> Self {
        Self(std::array::from_fn(|i| {
            if self.0[i].is_sign_negative() {
                negative.0[i]
            } else {
                other.0[i]
            }
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
    fn in_turn(self, other: Self) -> [Self; 2] {
        let half = |from: usize| {
            Self(std::array::from_fn(|i| {
                let of = if i % 2 == 0 { &self } else { &other };
                of.0[from + i / 2]
            }))
        };
        [half(0), half(WIDTH / 2)]
    }

    #[inline(always)]
    fn sum(self) -> f32 {
        let [a, b, c, d]: [f32; 4] =
            std::array::from_fn(|i| (self.0[i] + self.0[i + 4]) + (self.0[i + 8] + self.0[i + 12]));
        (a + c) + (b + d)
    }

    #[inline(always)]
    fn largest(self) -> f32 {
        let first = self.0[0];
        self.0
            .iter()
            .fold(first, |m, v| if *v > m { *v } else { m })
    }
}
