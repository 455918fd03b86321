//! The results of the contests as plain data for both front ends, and a grid of the chosen rows.

use super::{Contest, ContestResult, Search, Winner};
use crate::experiment::grid::written::{ChosenRow, file};
use crate::problem::Result;
use crate::run::config::Setting;
use crate::run::grid::GridValue;
use crate::run::search_result::{ChosenEnd, ContestEnd, EdgeEnd};

impl Search {
    /// Returns the results of all contests as plain data.
    pub fn ends(&self, verdicts: &[ContestResult]) -> Vec<ContestEnd> {
        let contests = self.contests.iter().zip(verdicts);
        contests
            .map(|(contest, verdict)| ContestEnd {
                title: contest.title.clone(),
                tried: contest.rows.len(),
                chosen: verdict
                    .winner
                    .as_ref()
                    .map(|best| self.chosen(contest, best)),
                unranked: self.titles(&verdict.unranked),
            })
            .collect()
    }

    /// Returns a grid file with the chosen rows, titled by their contests, to be evaluated on the test images.
    ///
    /// # Errors
    /// None in practice: values that were read from a file can be written to one.
    pub fn file_of(&self, verdicts: &[ContestResult]) -> Result<String> {
        let grid = &self.cells.grid;
        let contests = self.contests.iter().zip(verdicts);
        let rows = contests.filter_map(|(contest, verdict)| {
            let row = verdict.winner.as_ref()?.row;
            Some(ChosenRow {
                title: &contest.title,
                part: &grid.parts[self.cells.rows[row].part],
                row: self.place_in_part(row),
            })
        });
        file(grid, rows)
    }

    /// Returns the index of a row within its part.
    fn place_in_part(&self, row: usize) -> usize {
        let part = self.cells.rows[row].part;
        self.cells.rows[..row]
            .iter()
            .filter(|other| other.part == part)
            .count()
    }

    fn chosen(&self, contest: &Contest, winner: &Winner) -> ChosenEnd {
        let second = winner.second.as_ref();
        ChosenEnd {
            title: self.title(winner.row).to_string(),
            mean: winner.mean,
            second: second.map(|second| (self.title(second.row).to_string(), second.difference)),
            level: self.titles(&winner.level),
            runs: winner.runs,
            edges: self.edges(contest, winner.row),
        }
    }

    fn titles(&self, rows: &[usize]) -> Vec<String> {
        rows.iter()
            .map(|row| self.title(*row).to_string())
            .collect()
    }

    /// Returns the settings for which the value of a row is the lowest or the highest one tried in its contest.
    fn edges(&self, contest: &Contest, row: usize) -> Vec<EdgeEnd> {
        let own = self.given(row).into_iter();
        // The order of seeds has no meaning.
        let own = own.filter(|given| given.key.name() != "seed");
        own.filter_map(|given| {
            let tried = contest.rows.iter().flat_map(|row| self.given(*row));
            let same = tried.filter(|other| other.key.is(&given.key));
            let tried: Vec<f64> = same.filter_map(|other| number(&other.value)).collect();
            Some(EdgeEnd {
                setting: format!("{} {}", given.key.name(), given.value),
                is_highest: is_highest(number(&given.value)?, &tried)?,
            })
        })
        .collect()
    }

    /// Returns the values that the axes of its part give a row.
    fn given(&self, row: usize) -> Vec<&GridValue> {
        let part = &self.cells.grid.parts[self.cells.rows[row].part];
        let choices = part.choices(self.place_in_part(row));
        choices
            .into_iter()
            .flat_map(|choice| &choice.given)
            .collect()
    }
}

fn number(value: &Setting) -> Option<f64> {
    match value {
        Setting::Whole(value) => Some(*value as f64),
        Setting::Real(value) => Some(*value),
        _ => None,
    }
}

/// Returns whether a value is the highest (`true`) or the lowest (`false`) of these; `None` for a value between two
/// others and for the only value.
fn is_highest(value: f64, tried: &[f64]) -> Option<bool> {
    let has_lower = tried.iter().any(|other| *other < value);
    let has_higher = tried.iter().any(|other| *other > value);
    (has_lower != has_higher).then_some(has_lower)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_edge_of_what_was_tried_is_known() {
        let tried = [0.01, 0.1, 0.001];
        assert_eq!(is_highest(0.1, &tried), Some(true));
        assert_eq!(is_highest(0.001, &tried), Some(false));
        assert_eq!(is_highest(0.01, &tried), None);
        assert_eq!(is_highest(0.01, &[0.01, 0.01]), None);
    }
}
