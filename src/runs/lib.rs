//! Runs as plain data: their settings and events, and what is stored of them.
//!
//! * [`run`]: settings, commands and events. [`store`]: run folders, packed runs, tables and reports.

pub mod run;
pub mod store;

use lae_base::{
    counts, expression, fetch, files, folders, memory, message, metrics, names, palette, problem,
    sync, texts, tr,
};
use lae_compute::{logging, nn, tensors};
use lae_data as data;
use lae_network::{backbone, pet};
