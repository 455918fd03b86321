//! The one test binary: broader tests, one module per part.

#![allow(clippy::unwrap_used, clippy::expect_used)]

mod backbone;
mod cli;
mod data;
mod data_archives;
mod data_command;
mod data_forms;
mod data_newcomer;
mod engine;
mod experiment;
mod layering;
mod method;
mod nn;
mod nn_exact;
mod nn_trained;
mod pet;
mod pet_errors;
mod pet_library;
mod pet_reference;
mod store;
mod ui;
