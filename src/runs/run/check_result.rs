//! The result of checking a run.

use serde::{Deserialize, Serialize};

/// What two runs, or a run and what is found today, can differ in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Part {
    /// A file of the run that is not the one that was written or packed.
    File,
    /// The text of the PET plugin.
    Plugin,
    /// A setting.
    Setting,
    /// An image of the data set, or its label.
    Picture,
    /// The backbone's weight file.
    Weights,
    /// What the table says of the backbone.
    Backbone,
    /// What answers after a task.
    Snapshot,
    /// The answer to a test image.
    Answer,
    /// A figure beside the answers.
    Figure,
}

/// One difference: the first of its part, and of its task where it has one.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Difference {
    /// What differs.
    pub part: Part,
    /// The task, from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task: Option<usize>,
    /// Where and how, a sentence without a full stop.
    pub told: String,
    /// How many there are of its kind, this one included.
    pub count: usize,
    /// Whether rounding on another processor type explains it.
    pub rounding: bool,
}

impl Difference {
    /// A single one.
    pub fn new(part: Part, task: Option<usize>, told: impl Into<String>) -> Self {
        Self {
            part,
            task: task.map(|task| task + 1),
            told: told.into(),
            count: 1,
            rounding: false,
        }
    }

    /// The first of several.
    pub fn first_of(self, count: usize) -> Self {
        Self { count, ..self }
    }
}

/// What it comes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// All that was compared is equal to the last bit.
    Equal,
    /// All but rounding, on another processor type or a GPU.
    EqualWithinRounding,
    /// Something differs.
    Differs,
}

/// The result of checking a run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Report {
    /// The run's name.
    pub run: String,
    /// What was found equal, as phrases.
    pub equal: Vec<String>,
    /// What differs, in the order in which it comes about in a run.
    pub differences: Vec<Difference>,
    /// What could not be compared, and why.
    pub unchecked: Vec<String>,
    /// What the run, of an older version, does not say.
    pub unknown: Vec<String>,
    /// Where it was computed, and where it was checked.
    pub machines: Vec<String>,
    /// How far rounding went, where it did.
    pub rounding: Vec<String>,
}

impl Report {
    /// What it comes to.
    pub fn verdict(&self) -> Verdict {
        let differ = self.differences.iter().any(|one| !one.rounding);
        match (differ, self.differences.is_empty()) {
            (true, _) => Verdict::Differs,
            (false, false) => Verdict::EqualWithinRounding,
            (false, true) => Verdict::Equal,
        }
    }

    /// The verdict as a sentence without a full stop.
    pub fn sentence(&self) -> String {
        format!("{}: {}", self.run, self.verdict().words())
    }

    /// Everything that was found, a line each behind what kind of line it is: what differs first.
    pub fn lines(&self) -> Vec<(&'static str, String)> {
        let differs = self.differences.iter().filter(|one| !one.rounding);
        let mut lines: Vec<_> = differs
            .map(|one| {
                let more = match one.count {
                    0 | 1 => String::new(),
                    count => format!(" (the first of {count})"),
                };
                (DIFFERS, format!("{}{more}", one.told))
            })
            .collect();
        let parts = [
            ("rounding", &self.rounding),
            ("equal", &self.equal),
            ("unchecked", &self.unchecked),
            ("unknown", &self.unknown),
            ("machine", &self.machines),
        ];
        for (what, own) in parts {
            lines.extend(own.iter().map(|line| (what, line.clone())));
        }
        lines
    }
}

/// The kind of line that reports a difference.
pub const DIFFERS: &str = "differs";

impl Verdict {
    /// In words.
    pub fn words(self) -> &'static str {
        match self {
            Self::Equal => "equal to the last bit, as far as compared",
            Self::EqualWithinRounding => "equal within rounding",
            Self::Differs => "differs",
        }
    }
}
