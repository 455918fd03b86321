//! A split that list files gave, distinguished from other splits of the same images.
//!
//! Two groups that split the same collection each pass their lists around under any name; what distinguishes them
//! is which images they test on.

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::Sample;

/// What list files said of training and test, before anything was held out or left away.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Listed {
    /// Number of training images.
    pub train: usize,
    /// Number of test images.
    pub test: usize,
    /// SHA-256 over the test images' names: `folder/file`, sorted, each with a line's end behind it.
    pub test_names: String,
}

impl Listed {
    pub(super) fn of(train: &[Sample], test: &[Sample]) -> Self {
        let mut names: Vec<String> = test.iter().map(short_name).collect();
        names.sort_unstable();
        let mut hash = Sha256::new();
        for name in names {
            hash.update(name);
            hash.update(b"\n");
        }
        Self {
            train: train.len(),
            test: test.len(),
            test_names: crate::fetch::hex(&hash.finalize()),
        }
    }
}

/// An image's file and its folder: what all lists agree on, wherever they begin to write a path.
fn short_name(sample: &Sample) -> String {
    let name = sample.name();
    let from = name.rmatch_indices('/').nth(1);
    from.map_or(name.as_str(), |(at, _)| &name[at + 1..])
        .to_string()
}
