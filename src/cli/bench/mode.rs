//! What a row of `bench` measures: one step of a method, or a whole task.

use clap::builder::TypedValueParser;
use serde::{Deserialize, Serialize};

use crate::cli::settings::keyed;
use crate::method::PassWork;

/// A measured mode.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Mode {
    /// An optimiser step with everything trained.
    Train,
    /// An optimiser step with a frozen PET: only the new head learns.
    TrainFrozen,
    /// A forward pass over training images without gradients.
    Measure,
    /// Prediction.
    Predict,
    /// A whole task: its passes, the closed-form solutions between and after them, and predictions.
    Task,
}

impl Mode {
    pub(super) const ALL: [Self; 5] = [
        Self::Train,
        Self::TrainFrozen,
        Self::Measure,
        Self::Predict,
        Self::Task,
    ];
    /// The modes that measure single steps.
    pub(super) const STEPS: [Self; 4] =
        [Self::Train, Self::TrainFrozen, Self::Measure, Self::Predict];

    pub(super) fn key(self) -> &'static str {
        match self {
            Self::Train => "train",
            Self::TrainFrozen => "train_frozen",
            Self::Measure => "measure",
            Self::Predict => "predict",
            Self::Task => "task",
        }
    }

    /// Returns the work of the pass to which the step belongs; `None` for predictions and for a whole task.
    pub(super) fn work(self) -> Option<PassWork> {
        match self {
            Self::Train => Some(PassWork::Learn { frozen: false }),
            Self::TrainFrozen => Some(PassWork::Learn { frozen: true }),
            Self::Measure => Some(PassWork::Measure),
            Self::Predict | Self::Task => None,
        }
    }
}

/// Returns the parser of a mode's key.
pub(super) fn parser() -> impl TypedValueParser<Value = Mode> {
    keyed(Mode::ALL.map(|mode| (mode, mode.key())))
}
