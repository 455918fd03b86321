//! The log of a run.

use super::RunView;

/// Maximum number of log lines.
const LINES: usize = 500;

/// One line of the log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogLine {
    /// Local time, HH:MM:SS.
    pub time: String,
    /// What happened.
    pub text: String,
    /// Whether the line is a warning.
    pub warning: bool,
}

impl RunView {
    pub(super) fn log(&mut self, now: &str, text: String) {
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
