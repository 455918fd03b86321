//! The two splits of a dataset.

use serde::{Deserialize, Serialize};

/// A split of a dataset.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Split {
    /// The training images.
    Train,
    /// The test images.
    Test,
}
