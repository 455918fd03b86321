//! What a run is, as plain data: its settings, commands and events.

pub mod about;
mod added_task;
pub mod checked;
pub mod config;
mod control;
pub mod diary;
pub mod doubt;
pub mod event;
mod gate;
pub mod grid;
mod header;
pub mod inside;
pub mod job;
pub mod places;
mod prediction;
pub mod queue;
pub mod refusal;
mod report;
pub mod searched;
pub mod sheet;
pub mod tried;
pub mod wire;
