//! What a search among the rows of a grid came to, as plain data.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::message;
use crate::problem::some_of;
use crate::texts::Words;

/// What a search came to.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Searched {
    /// What competed, and what became of it.
    pub contests: Vec<ContestEnd>,
    /// The grid's file of what was chosen, to be run on the test images.
    pub file: PathBuf,
}

/// Rows of one method, and which of them was chosen.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ContestEnd {
    /// The method, and the part where there are several.
    pub title: String,
    /// Rows that took part.
    pub tried: usize,
    /// What was chosen; none where no run was finished.
    pub chosen: Option<ChosenEnd>,
}

/// The best row.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ChosenEnd {
    /// What it is called.
    pub title: String,
    /// Mean of its A_N on the validation images, in percent.
    pub mean: f64,
    /// The next best, and how many points behind it is.
    pub second: Option<(String, f64)>,
    /// Rows that cannot be told from it.
    pub level: Vec<String>,
}

impl Searched {
    /// It in sentences, one for each contest.
    pub fn sentences(&self) -> Vec<Words> {
        let contests = self.contests.iter();
        contests
            .map(|contest| {
                let (title, n) = (&contest.title, contest.tried);
                let Some(chosen) = &contest.chosen else {
                    return message!("search-none-ended", title = title, n = n).into();
                };
                let (best, mean) = (&chosen.title, chosen.mean);
                let told = message!(
                    "search-best",
                    title = title,
                    best = best,
                    n = n,
                    mean = mean
                );
                let behind = chosen.second.as_ref().map(|(second, behind)| {
                    message!("search-second", second = second, behind = *behind)
                });
                let level = (!chosen.level.is_empty()).then(|| {
                    message!(
                        "search-level",
                        best = best,
                        others = some_of(&chosen.level, 4)
                    )
                });
                told.then(behind).then(level).into()
            })
            .collect()
    }
}
