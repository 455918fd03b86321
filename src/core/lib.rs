//! What LAE Studio does, without a front end.
//!
//! A frozen backbone, a PET whose equation is a text file, and a data set; one task after another;
//! online expert, offline expert and their ensemble. `docs/architecture.md` has the map; the layers
//! from the bottom up:
//!
//! * [`problem`], [`counts`], [`names`], [`palette`], [`texts`]: the one error that users see; counts in words; which
//!   name was meant; each method's colour; what the window says, by language.
//! * [`nn`], [`metrics`], [`tensors`], [`device`], [`console`], [`expression`], [`fence`], [`fetch`], [`files`], [`folders`], [`logging`], [`onnx`]: parts without knowledge of runs.
//! * [`pet`], [`data`], [`run`]: plugins, data sets, and what a run is as plain data.
//! * [`backbone`], [`store`]: frozen networks; run folders.
//! * [`method`], [`experiment`]: what is trained, how, and the loop around it.
//! * [`engine`]: the thread that owns every tensor. [`export`]: a trained model for other programs.

pub mod backbone;
pub mod console;
pub mod counts;
pub mod data;
pub mod device;
pub mod engine;
pub mod experiment;
pub mod export;
pub mod expression;
pub mod fence;
pub mod fetch;
pub mod files;
pub mod folders;
pub mod logging;
pub mod memory;
pub mod method;
pub mod metrics;
pub mod names;
pub mod nn;
pub mod onnx;
pub mod palette;
pub mod pet;
pub mod problem;
pub mod run;
pub mod selftest;
pub mod store;
pub mod tensors;
pub mod texts;
