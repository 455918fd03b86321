//! Training: the loop over tasks, passes and batches, and everything that runs it.
//!
//! * [`experiment`]: training, evaluation, prediction, Look inside, grids.
//! * [`engine`]: the thread that owns the tensors.
//! * [`export`]: export of a trained model for other programs.

pub mod engine;
pub mod experiment;
pub mod export;

use lae_base::{
    console, counts, expression, fetch, files, folders, memory, message, metrics, names, problem,
    sync, texts,
};
use lae_compute::{device, logging, nn, panics, selftest, tensors};
use lae_data as data;
use lae_method as method;
use lae_network::{backbone, onnx, pet};
use lae_runs::{run, store};
