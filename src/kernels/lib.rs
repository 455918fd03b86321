//! Arithmetic of training and prediction on the CPU: layers and their gradients on plain slices of `f32`.
//!
//! Vector instructions are chosen at run time, all cores are used, and no result depends on the number of cores. This
//! package does not use tensors: `lae-compute` builds operations with gradients from these functions.

#[cfg(target_arch = "x86_64")]
mod amx;
pub mod attention;
pub mod bf16;
pub mod block;
pub mod buffer;
pub mod depthwise;
pub mod elementwise;
pub mod explain;
pub mod gemm;
mod lanes;
pub mod linear;
mod math;
mod matrix;
pub mod norm;
mod pairs;
mod panels;
pub mod peak;
pub mod prefixed;
pub mod rotary;
pub mod rows;
pub mod simd;
#[cfg(target_arch = "aarch64")]
mod simd_neon;
#[cfg(target_arch = "x86_64")]
mod simd_x86;
pub mod softmax;
pub mod sums;
pub mod threads;
pub mod trained_block;
