//! The result of a search among the rows of a grid, as plain data.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::message;
use crate::problem::list_value;
use crate::texts::{Message, Words};

/// Maximum number of rows that a sentence names.
const MAX_NAMED_ROWS: usize = 4;

/// The result of a search.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SearchResult {
    /// The results of the contests.
    pub contests: Vec<ContestSummary>,
    /// The grid file with the chosen rows, to be trained and measured on the test images.
    pub file: PathBuf,
}

/// The result of a contest among rows of one method.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ContestSummary {
    /// The method, and the part if there are several.
    pub title: String,
    /// Number of rows that took part.
    pub tried: usize,
    /// The chosen row; `None` if no row has finished all of its runs.
    pub chosen: Option<ChosenRow>,
    /// Rows that are not ranked, because one of their runs could not be finished.
    #[serde(default)]
    pub unranked: Vec<String>,
}

/// The chosen row.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ChosenRow {
    /// The title of the row.
    pub title: String,
    /// Mean of its A_N on the validation images, in percent.
    pub mean: f64,
    /// The second best row, and its distance from the best in percentage points.
    pub second: Option<(String, f64)>,
    /// Rows that do not differ significantly from it.
    pub level: Vec<String>,
    /// Number of its runs (class orders × seeds); 0 if an older version did not record it.
    #[serde(default)]
    pub runs: usize,
    /// Its settings with the lowest or highest value that was tried.
    #[serde(default)]
    pub edges: Vec<EdgeSetting>,
}

/// A setting whose chosen value is at the edge of the tried values.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct EdgeSetting {
    /// Its key and value.
    pub setting: String,
    /// Whether the value is the highest; otherwise, it is the lowest.
    pub is_highest: bool,
}

impl ContestSummary {
    /// Returns remarks on the choice, in sentences: rows that do not differ significantly, values at the edge of what
    /// was tried, and rows that are not ranked.
    pub fn notes(&self) -> Vec<Message> {
        let chosen = self.chosen.iter();
        let mut notes: Vec<Message> = chosen.flat_map(ChosenRow::notes).collect();
        if !self.unranked.is_empty() {
            let rows = list_value(&self.unranked, MAX_NAMED_ROWS);
            notes.push(message!("search-rows-unranked", rows));
        }
        notes
    }

    fn sentence(&self) -> Message {
        let (title, n) = (&self.title, self.tried);
        let Some(chosen) = &self.chosen else {
            return message!("search-none-finished", title, n);
        };
        let (best, mean) = (&chosen.title, chosen.mean);
        let summary = message!("search-best-row", title, best, n, mean);
        summary.followed_by(
            chosen
                .second
                .as_ref()
                .map(|(second, behind)| message!("search-points-behind", second, behind = *behind)),
        )
    }
}

impl ChosenRow {
    fn notes(&self) -> Vec<Message> {
        let mut notes = Vec::new();
        if !self.level.is_empty() {
            let id = match self.runs {
                1 => "search-one-run-each",
                _ => "search-no-clear-difference",
            };
            let others = list_value(&self.level, MAX_NAMED_ROWS);
            notes.push(message!(id, best = &self.title, others));
        }
        notes.extend(self.edges.iter().map(|edge| {
            let id = match edge.is_highest {
                true => "search-highest-value",
                false => "search-lowest-value",
            };
            message!(id, setting = &edge.setting)
        }));
        notes
    }
}

impl SearchResult {
    /// Returns the result in sentences, one for each contest.
    pub fn sentences(&self) -> Vec<Words> {
        let contests = self.contests.iter();
        contests
            .map(|contest| {
                let notes = contest.notes().into_iter().map(Some);
                notes.fold(contest.sentence(), Message::followed_by).into()
            })
            .collect()
    }
}
