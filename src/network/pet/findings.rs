//! What is found wrong with a plugin while it is checked; checking continues after a mistake.

use std::cell::RefCell;

use crate::expression::Diagnostic;

/// Number of mistakes reported of one plugin; one with more is another kind of file.
pub(super) const MOST_FINDINGS: usize = 32;

/// What has been found so far.
#[derive(Debug, Default)]
pub(super) struct Findings(RefCell<Vec<Diagnostic>>);

impl Findings {
    /// Adds a mistake, unless it is known or there are too many.
    pub fn add(&self, wrong: Diagnostic) {
        let mut found = self.0.borrow_mut();
        if found.len() < MOST_FINDINGS && !found.contains(&wrong) {
            found.push(wrong);
        }
    }

    /// What a check gave; a mistake is noted instead.
    pub fn keep<T>(&self, checked: Result<T, Diagnostic>) -> Option<T> {
        checked.map_err(|wrong| self.add(wrong)).ok()
    }

    /// Whether nothing is wrong so far.
    pub fn is_empty(&self) -> bool {
        self.0.borrow().is_empty()
    }

    /// Whether no more are looked for.
    pub fn is_full(&self) -> bool {
        self.0.borrow().len() >= MOST_FINDINGS
    }

    /// All of them, in the order of the file.
    pub fn in_order(self) -> Vec<Diagnostic> {
        let mut found = self.0.into_inner();
        found.sort_by_key(|wrong| wrong.span.start);
        found
    }
}
