//! Figures that a method reports of itself.

/// When a figure is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Moment {
    /// Whenever progress is told, and after every pass: the latter are kept as `NAME_1`, `NAME_2`, ….
    Pass,
    /// After a task: kept as `NAME`.
    Task,
}

/// One of them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Measurement {
    /// What it is called in files and JSON.
    pub name: &'static str,
    /// Its value now.
    pub value: f64,
}
