//! Progress and cancellation of long computations between two batches.

use crate::problem::{Problem, Result};

/// Called after each step of a long computation with the steps done and in total; returns whether to continue.
pub struct GoOn<'a>(Option<&'a mut dyn FnMut(usize, usize) -> bool>);

impl<'a> GoOn<'a> {
    /// Calls `wanted` after each step.
    pub fn asking(wanted: &'a mut dyn FnMut(usize, usize) -> bool) -> Self {
        Self(Some(wanted))
    }

    /// Never cancels and reports to nobody.
    pub fn to_the_end() -> Self {
        Self(None)
    }

    /// Reports the steps done.
    ///
    /// # Errors
    /// Returns a Problem if the computation was cancelled; its result is then useless.
    pub fn done(&mut self, steps: usize, of: usize) -> Result<()> {
        match self.0.as_mut().is_none_or(|wanted| wanted(steps, of)) {
            true => Ok(()),
            false => Err(Problem::new("this work was stopped")),
        }
    }
}
