//! The result of checking a plugin's text, as plain data.

use std::path::PathBuf;
use std::time::{Duration, SystemTime};

use crate::experiment::pet_costs::PetCosts;
use crate::expression::Diagnostic;
use crate::pet::diagnosis::BlockDiagnosis;
use crate::pet::gradients::Gradient;
use crate::problem::Problem;
use crate::session::views::PluginView;

/// The result of checking a plugin's text.
#[derive(Clone, Debug, Default)]
pub struct PluginCheck {
    /// Errors in the order of the text, each with its line and column (from 1).
    pub errors: Vec<((usize, usize), Diagnostic)>,
    /// The compiled plugin, if there are no errors.
    pub compiled: Option<CompiledPlugin>,
    /// Duration of the check.
    pub duration: Duration,
}

/// A plugin that was checked without errors.
#[derive(Clone, Debug)]
pub struct CompiledPlugin {
    /// The plugin as the page shows it.
    pub plugin: PluginView,
    /// The names that its equations can use, with descriptions.
    pub names: Vec<(String, String)>,
    /// The plugin's use on the current backbone, or why it does not fit.
    pub backbone_usage: Result<BackboneUsage, Problem>,
}

/// A plugin on the current backbone.
#[derive(Clone, Debug, PartialEq)]
pub struct BackboneUsage {
    /// The backbone's display name.
    pub title: String,
    /// Number of blocks with the plugin, and of all blocks.
    pub blocks: (usize, usize),
    /// Number of tokens of an image in the first block with the plugin.
    pub tokens: usize,
    /// The plugin's parameters and computations on this backbone.
    pub block_usage: BlockDiagnosis,
    /// Additional bytes of a training step compared to the network alone, with the current settings.
    pub step_bytes: u64,
}

/// The state of the plugin files: length and modification time of each.
pub type PluginFileStates = Vec<(PathBuf, u64, Option<SystemTime>)>;

/// Measurements of a plugin.
#[derive(Clone, Debug, PartialEq)]
pub struct PluginMeasurements {
    /// Its parameters and their gradients.
    pub gradients: Vec<Gradient>,
    /// Its cost on the embedded network.
    pub costs: PetCosts,
}
