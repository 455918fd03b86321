//! What a search among the rows of a grid came to, as plain data.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::counts::counted;

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
    pub fn sentences(&self) -> Vec<String> {
        let contests = self.contests.iter();
        contests
            .map(|contest| {
                let (title, tried) = (&contest.title, counted(contest.tried, "row"));
                let Some(chosen) = &contest.chosen else {
                    return format!("{title}: none of {tried} could be finished.");
                };
                let mut words = format!(
                    "{title}: {} is the best of {tried}, {:.1} % on pictures held back",
                    chosen.title, chosen.mean
                );
                if let Some((second, behind)) = &chosen.second {
                    words += &format!("; {second} is {behind:.1} points behind");
                }
                if !chosen.level.is_empty() {
                    let others = crate::problem::listed(&chosen.level, 4);
                    words += &format!(", and {others} cannot be told from it");
                }
                words + "."
            })
            .collect()
    }
}
