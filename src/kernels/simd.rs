//! Run-time choice of vector instructions.
//!
//! A kernel is written once with [`Lanes`], vectors of sixteen values. [`simd!`] compiles it for several instruction
//! sets and calls the best one that the processor supports, so the binary is portable. On aarch64, NEON is part of
//! the base instruction set, so the plain version uses it.
#![allow(unsafe_code)]

use std::sync::OnceLock;

pub(crate) use super::lanes::{Lanes, Plain, WIDTH};
#[cfg(target_arch = "x86_64")]
pub(crate) use super::simd_x86::{Avx2, Avx512};

/// The instruction sets for which kernels are compiled, in increasing order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum InstructionSet {
    Plain,
    #[cfg(target_arch = "x86_64")]
    Avx2,
    #[cfg(target_arch = "x86_64")]
    Avx512,
}

/// An instruction set that this processor supports. The field is private, so that only [`Level::best`] and
/// [`Level::all`] create levels, after checking the processor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Level(InstructionSet);

impl Level {
    /// Returns every level that this processor supports, the plain one first.
    pub fn all() -> Vec<Self> {
        #[allow(unused_mut)]
        let mut levels = vec![Self(InstructionSet::Plain)];
        #[cfg(target_arch = "x86_64")]
        {
            let avx2 = is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma");
            if avx2 {
                levels.push(Self(InstructionSet::Avx2));
            }
            if avx2
                && is_x86_feature_detected!("avx512f")
                && is_x86_feature_detected!("avx512dq")
                && is_x86_feature_detected!("avx512vl")
                && is_x86_feature_detected!("avx512bw")
            {
                levels.push(Self(InstructionSet::Avx512));
            }
        }
        levels
    }

    /// Returns the best level of this processor.
    pub fn best() -> Self {
        static BEST: OnceLock<Level> = OnceLock::new();
        *BEST.get_or_init(|| Self::all().pop().unwrap_or(Self(InstructionSet::Plain)))
    }

    /// Returns the display name, such as "AVX-512".
    pub fn name(self) -> &'static str {
        match self.0 {
            InstructionSet::Plain if cfg!(target_arch = "aarch64") => "NEON",
            InstructionSet::Plain => "plain",
            #[cfg(target_arch = "x86_64")]
            InstructionSet::Avx2 => "AVX2",
            #[cfg(target_arch = "x86_64")]
            InstructionSet::Avx512 => "AVX-512",
        }
    }

    /// Returns whether there are enough registers for the tiles of [`super::panels`].
    pub(crate) fn has_tiles(self) -> bool {
        self.0 != InstructionSet::Plain
    }

    /// Returns whether a tile is two vectors wide.
    pub(crate) fn has_wide_tiles(self) -> bool {
        #[cfg(target_arch = "x86_64")]
        return self.is_avx512();
        #[cfg(not(target_arch = "x86_64"))]
        false
    }

    #[cfg(target_arch = "x86_64")]
    pub(crate) fn is_avx512(self) -> bool {
        self.0 == InstructionSet::Avx512
    }

    #[cfg(target_arch = "x86_64")]
    pub(crate) fn is_avx2(self) -> bool {
        self.0 == InstructionSet::Avx2
    }
}

/// Compiles a kernel for every instruction set. Its body is generic over `L: Lanes`. The kernel gets an additional
/// first argument, `level`.
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

/// Prefetches the cache line at an address, which may be invalid.
#[inline(always)]
#[allow(unsafe_code)]
pub(crate) fn prefetch(address: *const f32) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: prefetching is valid for every address.
    unsafe {
        std::arch::x86_64::_mm_prefetch::<{ std::arch::x86_64::_MM_HINT_T0 }>(address.cast());
    }
    let _ = address;
}
