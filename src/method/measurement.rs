//! Measurements that a method reports.

use crate::metrics::SlotCounts;

/// When a method reports its measurements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Moment {
    /// With every progress report and after every pass. The values after passes are stored as `NAME_1`, `NAME_2`, ….
    Pass,
    /// After a task was tested; stored as `NAME`.
    Task,
}

/// A measurement with its name.
#[derive(Clone, Debug, PartialEq)]
pub struct Measurement {
    /// Its name in files and JSON.
    pub name: &'static str,
    /// Its value.
    pub value: MeasuredValue,
}

/// The value of a measurement.
#[derive(Clone, Debug, PartialEq)]
pub enum MeasuredValue {
    /// A number.
    Figure(f64),
    /// For each task so far, the results of its test images with each of the method's prompt slots. Reported only after
    /// a task, and at most once per method.
    Study(Vec<SlotCounts>),
}

impl Measurement {
    /// Returns a number with this name.
    pub const fn figure(name: &'static str, value: f64) -> Self {
        Self {
            name,
            value: MeasuredValue::Figure(value),
        }
    }

    /// Returns name and value of a number; `None` for another measurement.
    pub fn as_figure(&self) -> Option<(String, f64)> {
        match self.value {
            MeasuredValue::Figure(value) => Some((self.name.to_string(), value)),
            MeasuredValue::Study(_) => None,
        }
    }
}
