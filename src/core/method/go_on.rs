//! Progress of long work between two batches, and how it learns that it is cancelled.

use crate::problem::{Problem, Result};

/// Called after each step of long work with the steps done and their total; returns whether to continue.
pub struct GoOn<'a>(Option<&'a mut dyn FnMut(usize, usize) -> bool>);

impl<'a> GoOn<'a> {
    /// Asks `wanted` after each step.
    pub fn asking(wanted: &'a mut dyn FnMut(usize, usize) -> bool) -> Self {
        Self(Some(wanted))
    }

    /// To the end, telling nobody.
    pub fn to_the_end() -> Self {
        Self(None)
    }

    /// Reports that `steps` of `of` steps are done.
    ///
    /// # Errors
    /// Returns a Problem that the work was stopped: then its result is of no use.
    pub fn done(&mut self, steps: usize, of: usize) -> Result<()> {
        match self.0.as_mut().is_none_or(|wanted| wanted(steps, of)) {
            true => Ok(()),
            false => Err(Problem::new("this work was stopped")),
        }
    }
}
