//! What a row of `bench` measures: one step of a method, or a whole task.

use clap::builder::{PossibleValuesParser, TypedValueParser};
use serde::{Deserialize, Serialize};

use crate::method::PassWork;

/// What is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Mode {
    /// An optimiser step with everything trained.
    Train,
    /// An optimiser step with the PET frozen: only the new head learns.
    TrainFrozen,
    /// A look at images without learning by gradients.
    Measure,
    /// Answering.
    Predict,
    /// A whole task: its passes, what is solved between and after them, answering.
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
    /// One step each.
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

    /// The work of the pass it is a step of; `None` for answering and for a whole task.
    pub(super) fn work(self) -> Option<PassWork> {
        match self {
            Self::Train => Some(PassWork::Learn { frozen: false }),
            Self::TrainFrozen => Some(PassWork::Learn { frozen: true }),
            Self::Measure => Some(PassWork::Measure),
            Self::Predict | Self::Task => None,
        }
    }
}

/// Reads a mode by its key.
pub(super) fn parser() -> impl TypedValueParser<Value = Mode> {
    PossibleValuesParser::new(Mode::ALL.map(Mode::key)).map(|key| {
        let named = Mode::ALL.into_iter().find(|mode| mode.key() == key);
        // The parser lets only these keys through.
        named.unwrap_or(Mode::Train)
    })
}
