//! Progress and cancellation of long computations between two batches.

use crate::problem::{Problem, Result};

/// A callback that is called after each step of a long computation with the steps done and the total number of steps.
/// It returns whether to continue.
pub struct CancelToken<'a>(Option<&'a mut dyn FnMut(usize, usize) -> bool>);

impl<'a> CancelToken<'a> {
    /// Returns a [`CancelToken`] that calls `wanted` after each step.
    pub fn with_callback(wanted: &'a mut dyn FnMut(usize, usize) -> bool) -> Self {
        Self(Some(wanted))
    }

    /// Returns a [`CancelToken`] that never cancels and reports nothing.
    pub fn never() -> Self {
        Self(None)
    }

    /// Reports that `steps` of `of` steps are done.
    ///
    /// # Errors
    /// Returns a Problem if the computation was cancelled; its result is then useless.
    pub fn report(&mut self, steps: usize, of: usize) -> Result<()> {
        match self.0.as_mut().is_none_or(|wanted| wanted(steps, of)) {
            true => Ok(()),
            false => Err(Problem::new("this work was stopped")),
        }
    }
}
