//! What a method reports of itself.

use crate::metrics::SlotCounts;

/// When a method is asked for what it measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Moment {
    /// Whenever progress is reported, and after every pass: the latter are kept as `NAME_1`, `NAME_2`, ….
    Pass,
    /// After a task was tested: kept as `NAME`.
    Task,
}

/// What a method measured, by name.
#[derive(Clone, Debug, PartialEq)]
pub struct Measurement {
    /// What it is called in files and JSON.
    pub name: &'static str,
    /// What it came to.
    pub value: Measured,
}

/// What a measurement came to.
#[derive(Clone, Debug, PartialEq)]
pub enum Measured {
    /// A figure.
    Figure(f64),
    /// For each task so far, what its test images came to with each of the method's slots; after a
    /// task only, and one such study of a method.
    Study(Vec<SlotCounts>),
}

impl Measurement {
    /// A figure of this name.
    pub const fn figure(name: &'static str, value: f64) -> Self {
        Self {
            name,
            value: Measured::Figure(value),
        }
    }

    /// Name and value of a figure; none of another measurement.
    pub fn as_figure(&self) -> Option<(String, f64)> {
        match self.value {
            Measured::Figure(value) => Some((self.name.to_string(), value)),
            Measured::Study(_) => None,
        }
    }
}
