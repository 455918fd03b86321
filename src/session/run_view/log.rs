//! The lines that tell what happened in a run.

use super::RunView;

/// Log lines kept.
const LINES: usize = 500;

/// One line of the log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogLine {
    /// Local time, HH:MM:SS.
    pub time: String,
    /// What happened.
    pub text: String,
    /// Whether a person should look at it.
    pub warning: bool,
}

impl RunView {
    pub(super) fn say(&mut self, now: &str, text: String) {
        self.line(now, text, false);
    }

    pub(super) fn warn(&mut self, now: &str, text: String) {
        self.line(now, text, true);
    }

    pub(super) fn line(&mut self, now: &str, text: String, warning: bool) {
        if self.log.len() == LINES {
            self.log.pop_front();
        }
        self.log.push_back(LogLine {
            time: now.to_string(),
            text,
            warning,
        });
    }
}
