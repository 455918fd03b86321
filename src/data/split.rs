//! The two sides of a data set.

use serde::{Deserialize, Serialize};

/// A side of a data set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Split {
    /// What is learned from.
    Train,
    /// What is tested on.
    Test,
}
