//! The result of checking a run.

use serde::{Deserialize, Serialize};

/// The parts in which a run can differ from its repetition, or from the files as they are now.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Part {
    /// A file of the run that has changed since it was written or packed.
    File,
    /// The text of the PET plugin.
    Plugin,
    /// A setting.
    Setting,
    /// An image of the dataset, or its label.
    Picture,
    /// The backbone's weight file.
    Weights,
    /// The facts about the backbone in the table of backbones.
    Backbone,
    /// The snapshot after a task.
    Snapshot,
    /// The prediction for a test image.
    Answer,
    /// A figure that is not a prediction.
    Figure,
}

/// A difference: the first one of its part and, if it belongs to a task, of its task.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Difference {
    /// The part that differs.
    pub part: Part,
    /// The task, from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task: Option<usize>,
    /// What differs, as a sentence without a full stop.
    #[serde(rename = "told")]
    pub message: String,
    /// Number of differences of this kind, including this one.
    pub count: usize,
    /// Whether rounding on another type of processor explains it.
    pub rounding: bool,
}

impl Difference {
    /// Creates a single difference; `task` is counted from 0.
    pub fn new(part: Part, task: Option<usize>, message: impl Into<String>) -> Self {
        Self {
            part,
            task: task.map(|task| task + 1),
            message: message.into(),
            count: 1,
            rounding: false,
        }
    }

    /// Returns it as the first of several differences.
    pub fn with_count(self, count: usize) -> Self {
        Self { count, ..self }
    }
}

/// The overall result of a check.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// Everything that was compared is equal to the last bit.
    Equal,
    /// Everything is equal except for rounding, on another type of processor or a GPU.
    EqualWithinRounding,
    /// Something differs.
    Differs,
}

/// The result of checking a run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct CheckReport {
    /// The name of the run.
    pub run: String,
    /// What is equal, as phrases.
    pub equal: Vec<String>,
    /// The differences, in the order in which their parts are used in a run.
    pub differences: Vec<Difference>,
    /// What could not be compared, and why.
    pub unchecked: Vec<String>,
    /// What cannot be checked, because the older version did not record it.
    pub unknown: Vec<String>,
    /// The machines that computed the run, and the machine that checked it; empty if data or weights are missing.
    pub machines: Vec<String>,
    /// The size of rounding differences, if there are any.
    pub rounding: Vec<String>,
}

impl CheckReport {
    /// Returns the overall result.
    pub fn verdict(&self) -> Verdict {
        let differ = self.differences.iter().any(|difference| !difference.rounding);
        match (differ, self.differences.is_empty()) {
            (true, _) => Verdict::Differs,
            (false, false) => Verdict::EqualWithinRounding,
            (false, true) => Verdict::Equal,
        }
    }

    /// Returns whether data and weights were available, so that answers were computed again.
    pub fn had_inputs(&self) -> bool {
        !self.machines.is_empty()
    }

    /// Returns the overall result as a sentence without a full stop.
    pub fn sentence(&self) -> String {
        format!("{}: {}", self.run, self.verdict().as_str())
    }

    /// Returns all findings, one per line, each with its kind; differences come first.
    pub fn lines(&self) -> Vec<(&'static str, String)> {
        let differs = self.differences.iter().filter(|difference| !difference.rounding);
        let mut lines: Vec<_> = differs
            .map(|difference| {
                let more = match difference.count {
                    0 | 1 => String::new(),
                    count => format!(" (the first of {count})"),
                };
                (DIFFERS, format!("{}{more}", difference.message))
            })
            .collect();
        let parts = [
            ("rounding", &self.rounding),
            ("equal", &self.equal),
            ("unchecked", &self.unchecked),
            ("unknown", &self.unknown),
            ("machine", &self.machines),
        ];
        for (kind, findings) in parts {
            lines.extend(findings.iter().map(|line| (kind, line.clone())));
        }
        lines
    }
}

/// The kind of line that reports a difference.
pub const DIFFERS: &str = "differs";

impl Verdict {
    /// Returns the verdict in words.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Equal => "equal to the last bit, as far as compared",
            Self::EqualWithinRounding => "equal within rounding",
            Self::Differs => "differs",
        }
    }
}
