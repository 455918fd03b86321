//! Data of one run in a figure.

use crate::palette::Shade;

/// Data of one run in a figure.
#[derive(Clone, Debug, PartialEq)]
pub struct OfRun<T> {
    /// The display name of the run.
    pub title: String,
    /// Its colour.
    pub shade: Shade,
    /// The available values.
    pub values: Vec<T>,
}
