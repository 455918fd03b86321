//! LAE Studio: class-incremental continual learning with pre-trained models.
//!
//! This package contains the two front ends. The modules of the other packages are re-exported, so that paths such as
//! `crate::store` mean the same module in all packages. `docs/architecture.md` describes the packages.
//!
//! * [`session`]: the open workspace. [`golden`]: files with exact tensors that other programs wrote.
//! * [`serve`], [`remote`]: the engine as a separate process, and connections to such processes.
//! * [`cli`], [`ui`]: the two front ends.

pub use lae_base::{
    console, counts, expression, fetch, files, folders, memory, message, metrics, names, palette,
    problem, sync, texts, tr,
};
pub use lae_compute::{device, logging, nn, panics, selftest, tensors};
pub use lae_data as data;
pub use lae_method as method;
pub use lae_network::{backbone, onnx, pet};
pub use lae_runs::{run, store};
pub use lae_training::{engine, experiment, export};

pub mod cli;
pub mod golden;
pub mod remote;
pub mod serve;
pub mod session;
pub mod ui;
