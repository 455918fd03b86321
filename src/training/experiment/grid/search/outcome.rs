//! The results of the contests as plain data for both front ends, and a grid of the chosen rows.

use super::{Contest, ContestResult, Search, Winner};
use crate::experiment::grid::cells::GridRow;
use crate::message;
use crate::problem::{Problem, Result};
use crate::run::config::Setting;
use crate::run::grid::{GridKey, GridValue};
use crate::run::search_result::{ChosenEnd, ContestEnd, EdgeEnd};

/// What the grid of the chosen rows says about itself.
const ABOUT: &str = "Settings chosen on a validation share of the training images; this grid measures on the test images.";

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
        let title = match grid.title.as_str() {
            "" => &grid.name,
            title => title,
        };
        let quoted = |text: &str| toml_literal("title", &Setting::Text(text.to_string().into()));
        let title = quoted(&format!("{title}, as chosen"))?;
        let mut text = format!("title = {title}\nabout = {}\n", quoted(ABOUT)?);
        for (contest, verdict) in self.contests.iter().zip(verdicts) {
            let Some(winner) = &verdict.winner else {
                continue;
            };
            let part = &grid.parts[self.row(winner.row).part];
            let given = part.fixed.iter().chain(self.given_values(winner.row));
            let mut lines: Vec<(String, String)> = Vec::new();
            for given in given.filter(|given| given.key.name() != "validation_share") {
                let key = match &given.key {
                    GridKey::Own(key) => format!("settings.{key}"),
                    key => key.name().to_string(),
                };
                let value = toml_literal(&key, &given.value)?;
                match lines.iter_mut().find(|(known, _)| *known == key) {
                    Some((_, known)) => *known = value,
                    None => lines.push((key, value)),
                }
            }
            text += &format!("\n[[part]]\ntitle = {}\n", quoted(&contest.title)?);
            for (key, value) in lines {
                text += &format!("{key} = {value}\n");
            }
            for (key, repeated) in [("orders", part.orders), ("seeds", part.seeds)] {
                text.extend(repeated.map(|repeated| format!("{key} = {repeated}\n")));
            }
        }
        Ok(text)
    }

    fn chosen(&self, contest: &Contest, winner: &Winner) -> ChosenEnd {
        let second = winner.second.as_ref();
        ChosenEnd {
            title: self.row(winner.row).title.clone(),
            mean: winner.mean,
            second: second.map(|second| (self.row(second.row).title.clone(), second.difference)),
            level: self.titles(&winner.level),
            runs: winner.runs,
            edges: self.edges(contest, winner.row),
        }
    }

    fn titles(&self, rows: &[usize]) -> Vec<String> {
        rows.iter()
            .map(|row| self.row(*row).title.clone())
            .collect()
    }

    /// Returns the settings for which the value of a row is the lowest or the highest one tried in its contest.
    fn edges(&self, contest: &Contest, row: usize) -> Vec<EdgeEnd> {
        let own = self.given_values(row).into_iter();
        // The order of seeds has no meaning.
        let own = own.filter(|given| given.key.name() != "seed");
        own.filter_map(|given| {
            let tried = contest.rows.iter().flat_map(|row| self.given_values(*row));
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
    fn given_values(&self, row: usize) -> Vec<&GridValue> {
        let GridRow { part, index, .. } = self.row(row);
        let choices = self.cells.grid.parts[*part].choices(*index).into_iter();
        choices.flat_map(|choice| &choice.given).collect()
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
