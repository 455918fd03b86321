//! LAE Studio: class-incremental continual learning with pre-trained models.
//!
//! The two front ends. The modules of the packages below are re-exported, so that `crate::store` means the same
//! in all of them. `docs/architecture.md` has the map.
//!
//! * [`session`]: the open workspace. [`golden`]: files of exact tensors that other programs wrote.
//! * [`serve`], [`remote`]: the engine as a process of its own, and who talks to one.
//! * [`cli`], [`ui`]: the two front ends.

pub use lae_base::{
    console, counts, expression, fetch, files, folders, memory, message, metrics, names, palette,
    problem, texts, tr,
};
pub use lae_compute::{device, fence, logging, nn, selftest, tensors};
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
