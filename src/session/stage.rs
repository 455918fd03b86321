//! How a run on show stands.

use crate::tr;

/// How a run stands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Stage {
    /// At work, or about to be.
    #[default]
    Running,
    /// Waiting for the person.
    Paused,
    /// All tasks are learned.
    Finished,
    /// Stopped by the person; can be continued.
    Stopped,
    /// Ended by a problem; can be continued.
    Failed,
}

impl Stage {
    /// Whether the engine works on it.
    pub fn is_live(self) -> bool {
        matches!(self, Self::Running | Self::Paused)
    }

    /// The word people read.
    pub fn word(self) -> &'static str {
        match self {
            Self::Running => tr!("stage-running"),
            Self::Paused => tr!("stage-paused"),
            Self::Finished => tr!("stage-finished"),
            Self::Stopped => tr!("stage-stopped"),
            Self::Failed => tr!("stage-failed"),
        }
    }
}
