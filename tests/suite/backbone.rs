//! Backbones from weight file to feature: the table, all formats and namings, wrong files, the hub.
#![allow(clippy::unwrap_used, clippy::expect_used)]

pub mod files;
mod formats;
mod hooks;
mod hub;
mod libraries;
mod model_config;
mod networks;
mod pickles;
mod precision;
mod table;
mod weights;
