//! The state of a displayed run.

use crate::tr;

/// The state of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Stage {
    /// Running, or about to start.
    #[default]
    Running,
    /// Paused by the user.
    Paused,
    /// All tasks are learned.
    Finished,
    /// Stopped by the user; can be resumed.
    Stopped,
    /// Ended by a problem; can be resumed.
    Failed,
}

impl Stage {
    /// Returns whether the run is in progress or paused.
    pub fn is_live(self) -> bool {
        matches!(self, Self::Running | Self::Paused)
    }

    /// Returns the word that is displayed.
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
