//! Progress and cancellation of long computations between two batches.

use crate::problem::{Problem, Result};

/// A callback that is called after each step of a long computation with the steps done and the total number of steps.
/// It returns whether to continue.
pub struct GoOn<'a>(Option<&'a mut dyn FnMut(usize, usize) -> bool>);

impl<'a> GoOn<'a> {
    /// Returns a [`GoOn`] that calls `wanted` after each step.
    pub fn asking(wanted: &'a mut dyn FnMut(usize, usize) -> bool) -> Self {
        Self(Some(wanted))
    }

    /// Returns a [`GoOn`] that never cancels and reports nothing.
    pub fn to_the_end() -> Self {
        Self(None)
    }

    /// Reports that `steps` of `of` steps are done.
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
