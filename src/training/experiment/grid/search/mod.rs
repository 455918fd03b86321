//! Search among the rows of a grid: which settings are best for each method, measured on a validation share of the
//! training images, with the same number of training steps for each method. Test images are not used.
//!
//! Rows compete if they differ only in settings, that is within one part and one method. *All* trains each with all its
//! epochs. *Halving* (successive halving; Jamieson & Talwalkar, 2016) starts with a share of the epochs, keeps the
//! better half and doubles the epochs, until the best of the last two is chosen with all of them; if that takes no
//! fewer steps than training all, all are trained. Every run is an ordinary one with a key, so a search can be resumed.

mod contest;
mod outcome;

use std::path::Path;

use super::cells::{CellSet, Cells, GridRow};
use super::forecast::{CellPredictor, data_key};
use super::plan::GridPlan;
use super::run_cells::GridEnd;
use crate::experiment::ResourceCache;
use crate::experiment::estimate::sum_over_passes;
use crate::experiment::overrides::with_validation;
use crate::message;
use crate::method::{find_method, with_explicit_settings};
use crate::problem::{Problem, Result};
use crate::run::config::RunConfig;
use crate::run::event::Control;
use crate::run::job::SearchBy;
use crate::store::settings_key;

use contest::RoundSummaries;
pub use contest::{ContestResult, Second, Winner};
pub use outcome::toml_literal;

/// A group of competing rows.
#[derive(Clone, Debug)]
pub struct Contest {
    /// The method, and the part if there are several.
    pub title: String,
    /// The rows of the first round, by their index in the grid.
    pub rows: Vec<usize>,
    /// Rows that exceed the budget.
    pub excluded_rows: Vec<usize>,
    /// Number of rounds.
    pub rounds: u32,
    /// Largest number of training steps, whichever rows continue.
    pub steps: usize,
    /// Training steps of all its rows with all epochs.
    pub steps_of_all: usize,
}

impl Contest {
    /// Returns the number of rows in a round (from 0) if all runs can be finished.
    pub fn rows_in(&self, round: u32) -> usize {
        (0..round).fold(self.rows.len(), |left, _| left.div_ceil(2))
    }
}

/// Returns the largest cost of these rows in this number of rounds, whichever continue, given the cost of a row in a
/// round (from 0).
pub fn max_cost(rows: &[usize], rounds: u32, cost: impl Fn(usize, u32) -> f64) -> f64 {
    let (mut sum, mut remaining) = (0.0, rows.len());
    for round in 0..rounds {
        let mut costs: Vec<f64> = rows.iter().map(|row| cost(*row, round)).collect();
        costs.sort_by(|a, b| b.total_cmp(a));
        sum += costs.iter().take(remaining).sum::<f64>();
        remaining = remaining.div_ceil(2);
    }
    sum
}

/// A search.
pub struct Search {
    /// The cells of the grid file.
    pub cells: Cells,
    /// How the best row is searched.
    pub strategy: SearchBy,
    /// Share of each class's training images that is held out, if a row gives none.
    share: f64,
    /// Maximum number of training steps per contest.
    pub budget: usize,
    /// The contests.
    pub contests: Vec<Contest>,
    /// Training steps of all runs of each row, by the number of times its epochs are halved.
    steps: Vec<Vec<usize>>,
}

impl Search {
    /// Returns a search among the rows of these cells. The default budget per contest is what the most expensive
    /// contest needs for as many rows as the smallest contest (with at least two rows) has.
    ///
    /// # Errors
    /// Returns a Problem if no rows compete, the budget does not suffice for one, or none of the rows can be trained.
    pub fn new(
        cells: Cells,
        (strategy, share): (SearchBy, f64),
        budget: Option<usize>,
        cache: &ResourceCache,
        control: &Control,
    ) -> Result<Self> {
        let competing = competing_rows(&cells)?;
        let smallest = competing.iter().map(|(_, rows)| rows.len());
        let Some(fewest) = smallest.filter(|rows| *rows > 1).min() else {
            return Err(Problem::new(message!("problem-grid-rows-not-comparable"))
                .advise(message!("advice-give-several-values")));
        };
        let mut search =
            Self { cells, strategy, share, budget: 0, contests: Vec::new(), steps: Vec::new() };
        search.count_steps(cache, control)?;
        let costs = competing
            .iter()
            .map(|(_, rows)| search.max_steps(&search.most_expensive_rows(rows, fewest)));
        search.budget = budget.unwrap_or(costs.max().unwrap_or(0));
        for (title, rows) in competing {
            let contest = search.build_contest(rows, title)?;
            search.contests.push(contest);
        }
        Ok(search)
    }

    /// Counts the training steps of each row for each number of halvings. A row that cannot be trained has none.
    fn count_steps(&mut self, cache: &ResourceCache, control: &Control) -> Result<()> {
        let mut predictor = CellPredictor::new(cache, control, false);
        let mut order: Vec<usize> = (0..self.cells.rows.len()).collect();
        order.sort_by_cached_key(|row| data_key(self.config(*row)));
        let halvings = self.cells.rows.len().next_power_of_two().ilog2().max(1);
        let mut steps = vec![vec![0; halvings as usize]; order.len()];
        let mut problem = None;
        let mut counted = 0;
        for row in order {
            let config = with_validation(self.config(row), 0, self.share);
            let train = match predictor.forecast(&config) {
                Ok(forecast) => forecast.train_images,
                Err(error) => {
                    problem.get_or_insert(error);
                    continue;
                }
            };
            counted += 1;
            let runs = self.cells.rows[row].cells.len();
            for (halvings, steps) in (0..).zip(&mut steps[row]) {
                let short = with_validation(self.config(row), halvings, self.share);
                *steps = count_training_steps(&short, &train) * runs;
            }
        }
        self.steps = steps;
        match problem {
            // The first round reports that the user stopped it.
            Some(problem) if counted == 0 && control.should_continue() => Err(problem),
            _ => Ok(()),
        }
    }

    /// Returns a contest with as many of these rows as the budget allows, chosen by a hash of their settings.
    fn build_contest(&self, mut rows: Vec<usize>, title: String) -> Result<Contest> {
        let mut excluded_rows = Vec::new();
        if self.max_steps(&rows) > self.budget {
            rows.sort_by_cached_key(|row| self.key(*row));
            while rows.len() > 1 && self.max_steps(&rows) > self.budget {
                excluded_rows.extend(rows.pop());
            }
            rows.sort_unstable();
            excluded_rows.sort_unstable();
        }
        let steps = self.max_steps(&rows);
        if steps > self.budget {
            let what = message!(
                "problem-too-few-training-steps",
                budget = self.budget.to_string(),
                title = title.to_string()
            );
            return Err(Problem::new(what)
                .at("--budget")
                .advise(message!("advice-steps-needed", steps = steps.to_string())));
        }
        Ok(Contest {
            title,
            rounds: self.count_rounds(&rows),
            steps,
            steps_of_all: self.max_steps_in_rounds(&rows, 1),
            rows,
            excluded_rows,
        })
    }

    fn config(&self, row: usize) -> &RunConfig {
        &self.cells.cells[self.cells.rows[row].cells[0]].config
    }

    fn key(&self, row: usize) -> String {
        settings_key(&with_explicit_settings(self.config(row)).experiment_settings())
    }

    /// Returns at most `limit` of these rows, those with the most steps.
    fn most_expensive_rows(&self, rows: &[usize], limit: usize) -> Vec<usize> {
        let mut sorted = rows.to_vec();
        sorted.sort_by_key(|row| std::cmp::Reverse(self.steps[*row][0]));
        sorted.truncate(limit);
        sorted
    }

    /// Returns the number of rounds until one of these rows is chosen.
    fn count_rounds(&self, rows: &[usize]) -> u32 {
        let halving = match self.strategy {
            SearchBy::All => 1,
            SearchBy::Halving => rows.len().next_power_of_two().ilog2().max(1),
        };
        match self.max_steps_in_rounds(rows, halving) < self.max_steps_in_rounds(rows, 1) {
            true => halving,
            false => 1,
        }
    }

    /// Returns the number of rounds of the longest contest.
    pub fn rounds(&self) -> u32 {
        let rounds = self.contests.iter().map(|contest| contest.rounds);
        rounds.max().unwrap_or(0)
    }

    /// Returns the largest number of training steps of a contest of these rows.
    fn max_steps(&self, rows: &[usize]) -> usize {
        self.max_steps_in_rounds(rows, self.count_rounds(rows))
    }

    fn max_steps_in_rounds(&self, rows: &[usize], rounds: u32) -> usize {
        let cost = |row: usize, round: u32| self.row_steps(row, rounds, round) as f64;
        max_cost(rows, rounds, cost) as usize
    }

    /// Returns the training steps of all runs of a row in a round (from 0) of this number of rounds.
    pub fn row_steps(&self, row: usize, rounds: u32, round: u32) -> usize {
        let halvings = rounds.saturating_sub(1 + round) as usize;
        self.steps[row].get(halvings).copied().unwrap_or(0)
    }

    /// Returns the cells of a round (from 0) for the rows that are left in each contest, and the index of each row in the
    /// grid.
    pub fn round_cells(&self, round: u32, remaining: &[Vec<usize>]) -> (Cells, Vec<usize>) {
        let (mut rows, mut cells, mut numbers) = (Vec::new(), CellSet::default(), Vec::new());
        for (contest, contest_rows) in self.contests.iter().zip(remaining) {
            if round >= contest.rounds {
                continue;
            }
            let halvings = contest.rounds - 1 - round;
            for &number in contest_rows {
                let row = &self.cells.rows[number];
                let row_cells = row.cells.iter().map(|cell| {
                    let config = &self.cells.cells[*cell].config;
                    cells.add(with_validation(config, halvings, self.share))
                });
                rows.push(GridRow { cells: row_cells.collect(), ..row.clone() });
                numbers.push(number);
            }
        }
        let cells = Cells { grid: self.cells.grid.clone(), rows, cells: cells.cells };
        (cells, numbers)
    }

    /// Keeps the better half of each unfinished contest after a round, best first. A row with an unfinished run does
    /// not continue.
    fn keep_best_rows(&self, round: u32, remaining: &mut [Vec<usize>], measured: &RoundSummaries) {
        for (contest, rows) in self.contests.iter().zip(remaining) {
            if round >= contest.rounds {
                continue;
            }
            let half = rows.len().div_ceil(2);
            *rows = contest::best_first(rows, measured);
            if round + 1 < contest.rounds {
                rows.truncate(half);
            }
        }
    }

    /// Runs all rounds and returns the verdict of each contest; `None` if the user stopped it. `run_cells` runs the
    /// cells of a round (from 0).
    ///
    /// # Errors
    /// Returns a Problem if no row has finished all of its runs.
    pub fn run(
        &self,
        root: &Path,
        cache: &ResourceCache,
        control: &Control,
        mut run_cells: impl FnMut(&mut GridPlan, &[usize], u32) -> GridEnd,
    ) -> Result<Option<Vec<ContestResult>>> {
        let (mut remaining, mut measured) = (self.initial_rows(), RoundSummaries::new());
        for round in 0..self.rounds() {
            let (cells, numbers) = self.round_cells(round, &remaining);
            if numbers.is_empty() {
                break;
            }
            let Some(mut plan) = GridPlan::build(cells, root, true, cache, control) else {
                return Ok(None);
            };
            let order = plan.execution_order();
            if let GridEnd::Stopped { .. } = run_cells(&mut plan, &order, round) {
                return Ok(None);
            }
            measured.extend(numbers.into_iter().zip(plan.rows(&order)));
            self.keep_best_rows(round, &mut remaining, &measured);
        }
        let contests = self.contests.iter().zip(&remaining);
        let verdicts: Vec<ContestResult> = contests
            .map(|(contest, rows)| ContestResult::new(&contest.rows, rows, &measured))
            .collect();
        if verdicts.iter().all(|verdict| verdict.winner.is_none()) {
            return Err(Problem::new(message!("problem-search-row-incomplete"))
                .advise(message!("advice-see-run-errors")));
        }
        Ok(Some(verdicts))
    }

    /// Returns a row of the grid.
    pub fn row(&self, row: usize) -> &GridRow {
        &self.cells.rows[row]
    }

    /// Returns the rows of all contests at the start.
    pub fn initial_rows(&self) -> Vec<Vec<usize>> {
        let rows = self.contests.iter().map(|contest| contest.rows.clone());
        rows.collect()
    }
}

/// Returns the competing rows, by their index in the grid, with the title of each contest.
fn competing_rows(cells: &Cells) -> Result<Vec<(String, Vec<usize>)>> {
    let mut contests: Vec<(String, Vec<usize>)> = Vec::new();
    for (number, row) in cells.rows.iter().enumerate() {
        let Some(config) = row.cells.first().map(|cell| &cells.cells[*cell].config) else {
            continue;
        };
        let method = find_method(&config.method)?.title;
        let title = match cells.grid.parts[row.part].title.as_str() {
            "" => method.to_string(),
            part => format!("{part} · {method}"),
        };
        match contests.iter_mut().find(|(existing, _)| *existing == title) {
            Some((_, rows)) => rows.push(number),
            None => contests.push((title, vec![number])),
        }
    }
    Ok(contests)
}

/// Returns the training steps of a run with this number of images per task: batches that pass through the network for
/// training or, in closed-form methods, for measuring.
fn count_training_steps(config: &RunConfig, train: &[usize]) -> usize {
    let batch = config.batch.max(1);
    sum_over_passes(config, train, |_, _, shown| shown.div_ceil(batch) as f64) as usize
}
