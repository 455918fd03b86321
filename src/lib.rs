//! LAE Studio: class-incremental continual learning with pre-trained models.
//!
//! The two front ends over [`lae_core`], whose modules are re-exported here, so a path is the same in
//! both packages. `docs/architecture.md` has the map.
//!
//! * [`session`]: the open workspace. [`golden`]: files of exact tensors that other programs wrote.
//! * [`serve`], [`remote`]: the engine as a process of its own, and who talks to one.
//! * [`cli`], [`ui`]: the two front ends.

pub use lae_core::{
    backbone, console, counts, data, device, engine, experiment, export, expression, fence, fetch,
    files, folders, logging, memory, message, method, metrics, names, nn, onnx, palette, pet,
    problem, run, selftest, store, tensors, texts, tr,
};

pub mod cli;
pub mod golden;
pub mod remote;
pub mod serve;
pub mod session;
pub mod ui;
