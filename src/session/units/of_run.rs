//! What a figure shows of one run.

use crate::palette::Shade;

/// What a figure shows of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct OfRun<T> {
    /// What people call the run.
    pub title: String,
    /// How it is drawn.
    pub shade: Shade,
    /// What there is of it by now.
    pub values: Vec<T>,
}
