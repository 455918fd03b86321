//! Identifies a split given by list files, among other splits of the same images.
//!
//! Different groups publish list files of the same collection under various names; their splits differ in the test
//! images.

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::Sample;

/// The split in list files, before images were held out or removed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Listed {
    /// Number of training images.
    pub train: usize,
    /// Number of test images.
    pub test: usize,
    /// SHA-256 of the sorted names of the test images, `folder/file`, each followed by a newline.
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

/// Returns an image's file name with its folder, which is the same in all lists, whatever their paths start with.
fn short_name(sample: &Sample) -> String {
    let name = sample.name();
    let from = name.rmatch_indices('/').nth(1);
    from.map_or(name.as_str(), |(at, _)| &name[at + 1..])
        .to_string()
}
