//! Runs as plain data: settings, commands and events.

pub mod annotations;
pub mod check_result;
pub mod config;
pub mod event;
pub mod event_log;
pub mod grid;
mod header;
pub mod inside;
pub mod job;
pub mod label_noise;
mod prediction;
pub mod prediction_table;
pub mod queue;
pub mod rejection;
pub mod remote_machines;
pub mod search_result;
pub mod trial_result;
pub mod wire;
