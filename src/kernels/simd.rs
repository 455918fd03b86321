//! Run-time choice of vector instructions.
//!
//! A kernel is written once over [`Lanes`], sixteen numbers handled together. [`simd!`] compiles
//! it for the instruction sets a processor may have and calls the best one that is there, so the
//! binary stays portable. On aarch64 NEON belongs to the base instruction set: the plain version
//! is made of it.
#![allow(unsafe_code)]

use std::sync::OnceLock;

#[cfg(target_arch = "x86_64")]
pub(crate) use super::simd_x86::{Avx2, Avx512};

/// Numbers in one [`Lanes`].
pub(crate) const WIDTH: usize = 16;

/// The instruction sets a kernel is compiled for, from least to most.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Set {
    Plain,
    #[cfg(target_arch = "x86_64")]
    Avx2,
    #[cfg(target_arch = "x86_64")]
    Avx512,
}

/// An instruction set this processor is known to have. The field is private: only
/// [`Level::best`] and [`Level::all`] make one, after asking the processor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Level(Set);

impl Level {
    /// Every level of this processor, the plain one first.
    pub fn all() -> Vec<Self> {
        #[allow(unused_mut)]
        let mut levels = vec![Self(Set::Plain)];
        #[cfg(target_arch = "x86_64")]
        {
            let avx2 = is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma");
            if avx2 {
                levels.push(Self(Set::Avx2));
            }
            if avx2
                && is_x86_feature_detected!("avx512f")
                && is_x86_feature_detected!("avx512dq")
                && is_x86_feature_detected!("avx512vl")
                && is_x86_feature_detected!("avx512bw")
            {
                levels.push(Self(Set::Avx512));
            }
        }
        levels
    }

    /// The best level of this processor.
    pub fn best() -> Self {
        static BEST: OnceLock<Level> = OnceLock::new();
        *BEST.get_or_init(|| Self::all().pop().unwrap_or(Self(Set::Plain)))
    }

    #[cfg(target_arch = "x86_64")]
    pub(crate) fn is_avx512(self) -> bool {
        self.0 == Set::Avx512
    }

    #[cfg(target_arch = "x86_64")]
    pub(crate) fn is_avx2(self) -> bool {
        self.0 == Set::Avx2
    }
}

/// Compiles a kernel for every instruction set. Its body is generic over `L`, a [`Lanes`]. The
/// kernel gets a first argument `level`.
macro_rules! simd {
    ($(#[$doc:meta])* $vis:vis fn $name:ident<L>($($arg:ident: $ty:ty),* $(,)?) $body:block) => {
        $(#[$doc])*
        #[allow(clippy::too_many_arguments)]
        $vis fn $name(level: $crate::simd::Level, $($arg: $ty),*) {
            #[inline(always)]
            #[allow(clippy::too_many_arguments)]
            fn body<L: $crate::simd::Lanes>($($arg: $ty),*) $body

            #[cfg(target_arch = "x86_64")]
            #[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512bw,avx2,fma")]
            #[allow(clippy::too_many_arguments)]
            fn avx512($($arg: $ty),*) {
                body::<$crate::simd::Avx512>($($arg),*);
            }

            #[cfg(target_arch = "x86_64")]
            #[target_feature(enable = "avx2,fma")]
            #[allow(clippy::too_many_arguments)]
            fn avx2($($arg: $ty),*) {
                body::<$crate::simd::Avx2>($($arg),*);
            }

            #[cfg(target_arch = "x86_64")]
            if level.is_avx512() {
                // SAFETY: a `Level` of this kind exists only on processors with these features.
                #[allow(unsafe_code)]
                return unsafe { avx512($($arg),*) };
            } else if level.is_avx2() {
                // SAFETY: as above.
                #[allow(unsafe_code)]
                return unsafe { avx2($($arg),*) };
            }
            let _ = level;
            body::<$crate::simd::Plain>($($arg),*);
        }
    };
}
pub(crate) use simd;

/// Sixteen numbers. The vector versions must be used only inside [`simd!`], which guarantees that
/// the processor has their instructions.
pub(crate) trait Lanes: Copy {
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
}

impl Lanes for Plain {
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
