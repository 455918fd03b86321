//! Networks: frozen backbones with named sites, and PETs, which change the computation at these sites.
//!
//! * [`backbone`]: families of networks and their weight files. [`onnx`]: graphs for other programs.
//! * [`pet`]: plugin files as checked equations over tensors.

pub mod backbone;
pub mod onnx;
pub mod pet;

use lae_base::{
    counts, expression, fetch, files, folders, memory, message, names, problem, sync, texts, tr,
};
use lae_compute::{nn, tensors};
use lae_data as data;
