//! The pages. Each is a function that reads the session's views and pushes commands.

pub mod compare;
pub mod experiment;
pub mod plugins;
pub mod predict;
pub mod train;

use egui::Ui;

use crate::problem::harmless;
use crate::run::config::RunConfig;
use crate::ui::app::Cx;
use crate::ui::widgets::{button, faint};

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

/// Offers to open a run's data set that is not opened unasked.
fn ask_to_open(ui: &mut Ui, cx: &mut Cx<'_>, config: &RunConfig) {
    let place = harmless(&config.data);
    faint(ui, format!("The run's images lie in {place}."));
    if button(ui, "Open this data set").clicked() {
        cx.session.allow_data(config);
    }
}
