//! The pages. Each is a function that reads the session's views and pushes commands.

pub mod compare;
pub mod experiment;
pub mod plugins;
pub mod predict;
pub mod train;

/// What the pages remember between frames.
#[derive(Default)]
pub struct Pages {
    /// Experiment.
    pub experiment: experiment::State,
    /// Train.
    pub train: train::State,
    /// Compare.
    pub compare: compare::State,
    /// Predict.
    pub predict: predict::State,
    /// Plugins.
    pub plugins: plugins::State,
}
