//! Runs as plain data: settings, commands and events.

pub mod about;
pub mod check_result;
pub mod config;
pub mod diary;
pub mod doubt;
pub mod event;
pub mod grid;
mod header;
pub mod inside;
pub mod job;
pub mod places;
mod prediction;
pub mod queue;
pub mod refusal;
pub mod search_result;
pub mod sheet;
pub mod trial_result;
pub mod wire;
