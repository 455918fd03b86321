//! The results of the contests as plain data for both front ends, and a grid of the chosen rows.

use super::{Contest, ContestResult, Search, Winner};
use crate::experiment::grid::cells::GridRow;
use crate::message;
use crate::problem::{Problem, Result};
use crate::run::config::Setting;
use crate::run::grid::{GridKey, GridValue};
use crate::run::search_result::{ChosenRow, ContestSummary, EdgeSetting};

/// What the grid of the chosen rows says about itself.
const CHOSEN_GRID_DESCRIPTION: &str = "Settings chosen on a validation share of the training images; this grid measures on the test images.";

impl Search {
    /// Returns the results of all contests as plain data.
    pub fn summarise_contests(&self, verdicts: &[ContestResult]) -> Vec<ContestSummary> {
        let contests = self.contests.iter().zip(verdicts);
        contests
            .map(|(contest, verdict)| ContestSummary {
                title: contest.title.clone(),
                tried: contest.rows.len(),
                chosen: verdict.winner.as_ref().map(|best| self.summarise_choice(contest, best)),
                unranked: self.titles(&verdict.unranked),
            })
            .collect()
    }

    /// Returns a grid file with the chosen rows, titled by their contests, to be evaluated on the test images.
    ///
    /// # Errors
    /// None in practice: values that were read from a file can be written to one.
    pub fn format_chosen_grid(&self, verdicts: &[ContestResult]) -> Result<String> {
        let grid = &self.cells.grid;
        let title = match grid.title.as_str() {
            "" => &grid.name,
            title => title,
        };
        let quote = |text: &str| toml_literal("title", &Setting::Text(text.to_string().into()));
        let title = quote(&format!("{title}, as chosen"))?;
        let mut text = format!("title = {title}\nabout = {}\n", quote(CHOSEN_GRID_DESCRIPTION)?);
        for (contest, verdict) in self.contests.iter().zip(verdicts) {
            let Some(winner) = &verdict.winner else {
                continue;
            };
            let part = &grid.parts[self.row(winner.row).part];
            let values = part.fixed.iter().chain(self.given_values(winner.row));
            let mut lines: Vec<(String, String)> = Vec::new();
            for entry in values.filter(|entry| entry.key.name() != "validation_share") {
                let key = match &entry.key {
                    GridKey::Method(key) => format!("settings.{key}"),
                    key => key.name().to_string(),
                };
                let value = toml_literal(&key, &entry.value)?;
                match lines.iter_mut().find(|(existing_key, _)| *existing_key == key) {
                    Some((_, existing)) => *existing = value,
                    None => lines.push((key, value)),
                }
            }
            text += &format!("\n[[part]]\ntitle = {}\n", quote(&contest.title)?);
            for (key, value) in lines {
                text += &format!("{key} = {value}\n");
            }
            for (key, count) in [("orders", part.orders), ("seeds", part.seeds)] {
                text.extend(count.map(|repeated| format!("{key} = {repeated}\n")));
            }
        }
        Ok(text)
    }

    fn summarise_choice(&self, contest: &Contest, winner: &Winner) -> ChosenRow {
        let second = winner.second.as_ref();
        ChosenRow {
            title: self.row(winner.row).title.clone(),
            mean: winner.mean,
            second: second.map(|second| (self.row(second.row).title.clone(), second.difference)),
            level: self.titles(&winner.tied_rows),
            runs: winner.runs,
            edges: self.edges(contest, winner.row),
        }
    }

    fn titles(&self, rows: &[usize]) -> Vec<String> {
        rows.iter().map(|row| self.row(*row).title.clone()).collect()
    }

    /// Returns the settings for which the value of a row is the lowest or the highest one tried in its contest.
    fn edges(&self, contest: &Contest, row: usize) -> Vec<EdgeSetting> {
        let values = self.given_values(row).into_iter();
        // The order of seeds has no meaning.
        let values = values.filter(|value| value.key.name() != "seed");
        values
            .filter_map(|value| {
                let tried = contest.rows.iter().flat_map(|row| self.given_values(*row));
                let same = tried.filter(|other| other.key.is_same_key(&value.key));
                let tried: Vec<f64> = same.filter_map(|other| as_number(&other.value)).collect();
                Some(EdgeSetting {
                    setting: format!("{} {}", value.key.name(), value.value),
                    is_highest: is_highest(as_number(&value.value)?, &tried)?,
                })
            })
            .collect()
    }

    /// Returns the values that the axes of its part give a row.
    fn given_values(&self, row: usize) -> Vec<&GridValue> {
        let GridRow { part, index, .. } = self.row(row);
        let choices = self.cells.grid.parts[*part].choices(*index).into_iter();
        choices.flat_map(|choice| &choice.values).collect()
    }
}

/// Returns the value of a setting in the syntax of a grid file.
///
/// # Errors
/// Returns a Problem for a number that is too large for a file.
pub fn toml_literal(key: &str, value: &Setting) -> Result<String> {
    match value {
        // Formats the f32 directly, because the same number as an f64 has more digits.
        Setting::Pair(pair) => Ok(format!("{pair:?}")),
        value => {
            let value = toml::Value::try_from(value).map_err(|_| {
                let what = message!("notices-number-too-large", n = value.to_string());
                let problem = Problem::new(what).at(key);
                problem.advise(message!("notices-number-too-large-advice"))
            })?;
            Ok(value.to_string())
        }
    }
}

fn as_number(value: &Setting) -> Option<f64> {
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
    fn edge_of_tried_values_is_detected() {
        let tried = [0.01, 0.1, 0.001];
        assert_eq!(is_highest(0.1, &tried), Some(true));
        assert_eq!(is_highest(0.001, &tried), Some(false));
        assert_eq!(is_highest(0.01, &tried), None);
        assert_eq!(is_highest(0.01, &[0.01, 0.01]), None);
    }
}
