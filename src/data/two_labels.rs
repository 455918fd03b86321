//! One image under two labels: whichever of them a model answers, the other counts as wrong.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::message;
use crate::texts::Message;

/// Number of images that the sentence names.
const NAMED: usize = 3;

/// One of several files, or records, with the same pixels.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Twin {
    /// `train` or `test`.
    pub split: String,
    /// Its class.
    pub class: String,
    /// Its name in that split.
    pub file: String,
}

impl fmt::Display for Twin {
    /// `cat/001.jpg (cat, train)`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({}, {})", self.file, self.class, self.split)
    }
}

/// All copies of an image with two labels or more: the training split's first, each by class and name.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct TwoLabels(pub Vec<Twin>);

impl TwoLabels {
    /// One copy, and the first with another label.
    pub fn pair(&self) -> Option<(&Twin, &Twin)> {
        let first = self.0.first()?;
        let other = self.0.iter().find(|copy| copy.class != first.class)?;
        Some((first, other))
    }
}

/// Images that are near copies of one another, or copies of such.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct NearCopies(pub Vec<Twin>);

/// How many there are, the first few, and what to do; `None` if every image has one label.
pub fn told(found: &[TwoLabels]) -> Option<Message> {
    let pairs: Vec<String> = found
        .iter()
        .filter_map(TwoLabels::pair)
        .take(NAMED)
        .map(|(one, other)| format!("{one} = {other}"))
        .collect();
    let id = match found.len() {
        0 => return None,
        n if n > NAMED => "remark-images-with-two-labels-first",
        _ => "remark-images-with-two-labels",
    };
    Some(message!(id, n = found.len(), pairs = pairs.join("; ")))
}
