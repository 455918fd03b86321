//! Tensors, layers and devices: everything that calls the tensor library or the arithmetic of `lae-kernels` directly.
//!
//! * [`tensors`]: tensors in host memory. [`nn`]: layers and their own operations on CPU and GPU.
//! * [`device`], [`selftest`]: devices, and whether they compute correctly.
//! * [`panics`], [`logging`]: panics as Problems, and the log, which both recognise a failed device.

pub mod device;
pub mod logging;
pub mod nn;
pub mod panics;
pub mod selftest;
pub mod tensors;

use lae_base::{console, files, folders, memory, message, problem, sync, texts};
