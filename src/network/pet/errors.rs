//! The errors found while a plugin is checked. Checking continues after an error.

use std::cell::RefCell;

use crate::expression::Diagnostic;

/// Largest number of errors reported for a plugin; a file with more is probably not a plugin.
pub(super) const MAX_FINDINGS: usize = 32;

/// The errors found so far.
#[derive(Debug, Default)]
pub(super) struct Diagnostics(RefCell<Vec<Diagnostic>>);

impl Diagnostics {
    /// Adds an error, unless it is a duplicate or the limit is reached.
    pub fn add(&self, diagnostic: Diagnostic) {
        let mut found = self.0.borrow_mut();
        if found.len() < MAX_FINDINGS && !found.contains(&diagnostic) {
            found.push(diagnostic);
        }
    }

    /// Returns the value of a check; if the check failed, records the error and returns `None`.
    pub fn record<T>(&self, result: Result<T, Diagnostic>) -> Option<T> {
        result.map_err(|diagnostic| self.add(diagnostic)).ok()
    }

    /// Returns the value of a check like [`Self::record`]; the default if the check failed.
    pub fn or_default<T: Default>(&self, result: Result<T, Diagnostic>) -> T {
        self.record(result).unwrap_or_default()
    }

    /// Returns whether there are no errors so far.
    pub fn is_empty(&self) -> bool {
        self.0.borrow().is_empty()
    }

    /// Returns whether the limit of errors is reached.
    pub fn is_full(&self) -> bool {
        self.0.borrow().len() >= MAX_FINDINGS
    }

    /// Returns all errors in the order of the file.
    pub fn into_sorted(self) -> Vec<Diagnostic> {
        let mut found = self.0.into_inner();
        found.sort_by_key(|diagnostic| diagnostic.span.start);
        found
    }
}
