//! Operations on pairs of bf16 with the instructions of ARM processors since version 8.6.
//!
//! The compiler has no bf16 type for ARM yet, so the instructions are written in assembly. Sixteen values take four
//! registers.
#![allow(unsafe_code)]

use std::arch::aarch64::float32x4_t;
use std::arch::asm;

use super::lanes::WIDTH;

type Registers = [float32x4_t; 4];

/// Rounds 32 values to pairs of bf16.
///
/// # Safety
/// The processor must support the bf16 instructions.
#[inline(always)]
pub(crate) unsafe fn rounded(from: &[f32; 2 * WIDTH]) -> [f32; WIDTH] {
    // SAFETY: the sizes are equal, any bits are valid values, and no other memory is accessed.
    unsafe {
        let from: [float32x4_t; 8] = std::mem::transmute(*from);
        let mut pairs: Registers = std::mem::transmute([0.0f32; WIDTH]);
        for (to, both) in pairs.iter_mut().zip(from.as_chunks::<2>().0) {
            asm!(
                ".arch_extension bf16",
                "bfcvtn {to:v}.4h, {lower:v}.4s",
                "bfcvtn2 {to:v}.8h, {upper:v}.4s",
                to = out(vreg) *to,
                lower = in(vreg) both[0],
                upper = in(vreg) both[1],
                options(pure, nomem, nostack, preserves_flags)
            );
        }
        std::mem::transmute(pairs)
    }
}

/// Returns `sum` plus both products of each pair.
///
/// # Safety
/// The processor must support the bf16 instructions.
#[inline(always)]
pub(crate) unsafe fn pairs_plus(
    left: [f32; WIDTH],
    right: [f32; WIDTH],
    sum: [f32; WIDTH],
) -> [f32; WIDTH] {
    // SAFETY: the sizes are equal, any bits are valid values, and no other memory is accessed.
    unsafe {
        let [left, right, mut sum]: [Registers; 3] = std::mem::transmute([left, right, sum]);
        for ((sum, left), right) in sum.iter_mut().zip(left).zip(right) {
            asm!(
                ".arch_extension bf16",
                "bfdot {sum:v}.4s, {left:v}.8h, {right:v}.8h",
                sum = inout(vreg) *sum,
                left = in(vreg) left,
                right = in(vreg) right,
                options(pure, nomem, nostack, preserves_flags)
            );
        }
        std::mem::transmute(sum)
    }
}
