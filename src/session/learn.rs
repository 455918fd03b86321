//! The state of the page Learn.

use super::tour::Tour;
use super::units::Units;

/// The tour and the lessons.
#[derive(Default)]
pub struct Learn {
    /// The tour; `None` while it is closed.
    pub tour: Option<Tour>,
    /// The lessons.
    pub units: Units,
}
