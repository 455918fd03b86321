//! A search among the rows of a grid: which settings serve each method best, measured on a validation share of the training
//! images, with the same number of training passes for each. Test images have no part in it.
//!
//! Rows that differ in settings alone compete: those of one part and one method. *All* trains each with all its epochs.
//! *Halving* (successive halving; Jamieson & Talwalkar, 2016) begins with a share of the epochs, keeps the better half
//! and doubles the epochs, until the best of the last two is chosen with all of them. Every run is an ordinary one with a
//! key, so a search goes on where it was.

use std::collections::HashMap;

use super::cells::{Cell, Cells, GridRow};
use super::foresight::Foresight;
use super::plan::RowFigures;
use super::written::{ChosenRow, file};
use crate::experiment::given::halved;
use crate::experiment::{Stock, check};
use crate::message;
use crate::method::{Chosen, filled, named_method};
use crate::metrics::{mean, std_dev};
use crate::problem::{Problem, Result};
use crate::run::config::RunConfig;
use crate::run::event::Control;
use crate::run::job::SearchBy;
use crate::store::settings_key;

/// So many standard errors are taken for a difference.
const TOLD_APART: f64 = 2.0;

/// Rows that compete.
#[derive(Clone, Debug)]
pub struct Contest {
    /// The method, and the part where there are several.
    pub title: String,
    /// Those that take part, by their place among the grid's rows; the first round's.
    pub rows: Vec<usize>,
    /// Rows that the budget leaves out.
    pub left_out: usize,
    /// Training passes that it takes.
    pub passes: usize,
}

/// A search that is begun.
pub struct Search {
    /// The grid's cells as its file says.
    cells: Cells,
    strategy: SearchBy,
    /// Share of each class's training images that is held back, where a row names none.
    share: f64,
    /// Most training passes of a contest.
    pub budget: usize,
    /// What is decided.
    pub contests: Vec<Contest>,
    /// Training passes of a run of each row, by how often its epochs are halved.
    costs: Vec<Vec<usize>>,
}

/// What a contest came to.
#[derive(Clone, Debug, PartialEq)]
pub struct Verdict {
    /// The winner, by its place among the grid's rows.
    pub row: usize,
    /// Mean and standard deviation of its A_N on the validation images, in percent.
    pub mean: f64,
    /// None for a single run.
    pub std: Option<f64>,
    /// Runs of it.
    pub runs: usize,
    /// The next best.
    pub second: Option<Second>,
    /// Rows that were in the last round, and were not told apart from the winner.
    pub level: Vec<usize>,
}

/// The next best row, beside the winner.
#[derive(Clone, Debug, PartialEq)]
pub struct Second {
    /// By its place among the grid's rows.
    pub row: usize,
    /// Mean over class orders and seeds of how much better the winner is, in points.
    pub difference: f64,
    /// Standard error of that; none for a single run.
    pub error: Option<f64>,
}

/// What a round measured: the figures of rows, by their place among the grid's.
pub type Measured = HashMap<usize, RowFigures>;

impl Search {
    /// A search among the rows of these cells. Without a budget each contest has what the smallest one of several rows
    /// takes.
    ///
    /// # Errors
    /// A Problem when no rows compete, the budget does not suffice for one, or data cannot be opened of which `min_steps`
    /// has to know the number.
    pub fn new(
        cells: Cells,
        (strategy, share): (SearchBy, f64),
        budget: Option<usize>,
        stock: &Stock,
        control: &Control,
    ) -> Result<Self> {
        let mut titles: Vec<String> = Vec::new();
        let mut rows: HashMap<String, Vec<usize>> = HashMap::new();
        for (number, row) in cells.rows.iter().enumerate() {
            let Some(config) = row.cells.first().map(|cell| &cells.cells[*cell].config) else {
                continue;
            };
            let method = named_method(&config.method)?.title;
            let title = match cells.grid.parts[row.part].title.as_str() {
                "" => method.to_string(),
                part => format!("{part} · {method}"),
            };
            if !titles.contains(&title) {
                titles.push(title.clone());
            }
            rows.entry(title).or_default().push(number);
        }
        let mut search = Self {
            cells,
            strategy,
            share,
            budget: 0,
            contests: Vec::new(),
            costs: Vec::new(),
        };
        search.count(&rows, stock, control)?;
        let own = |title: &String| rows.get(title).cloned().unwrap_or_default();
        let several = titles.iter().map(own).filter(|rows| rows.len() > 1);
        let costs = several.map(|rows| search.passes(&rows));
        let Some(least) = costs.min() else {
            return Err(Problem::new(message!("problem-no-two-rows-of-this-grid"))
                .advise(message!("try-give-setting-several-values-base-lr")));
        };
        search.budget = budget.unwrap_or(least);
        for title in titles {
            let contest = search.contest(own(&title), title)?;
            search.contests.push(contest);
        }
        Ok(search)
    }

    /// Counts the training passes of a run of each row, as short as it may become.
    fn count(
        &mut self,
        contests: &HashMap<String, Vec<usize>>,
        stock: &Stock,
        control: &Control,
    ) -> Result<()> {
        let largest = contests.values().map(Vec::len).max().unwrap_or(0);
        let rounds = self.rounds_of(largest);
        let mut foresight = Foresight::new(stock, control, false);
        let mut costs = Vec::with_capacity(self.cells.rows.len());
        for row in 0..self.cells.rows.len() {
            let own = (0..rounds).map(|halvings| {
                let config = self.shortened(self.config(row), halvings);
                passes_of(&config, &mut foresight)
            });
            costs.push(own.collect::<Result<Vec<usize>>>()?);
        }
        self.costs = costs;
        Ok(())
    }

    /// As many of these rows as the budget admits, drawn by a hash of their settings.
    fn contest(&self, mut rows: Vec<usize>, title: String) -> Result<Contest> {
        let all = rows.len();
        if self.passes(&rows) > self.budget {
            rows.sort_by_cached_key(|row| self.key(*row));
            while rows.len() > 1 && self.passes(&rows) > self.budget {
                rows.pop();
            }
            rows.sort_unstable();
        }
        let passes = self.passes(&rows);
        if passes > self.budget {
            let what = message!(
                "problem-training-passes-do-not-suffice-for",
                budget = self.budget.to_string(),
                title = title.to_string()
            );
            return Err(Problem::new(what).at("--budget").advise(message!(
                "try-one-of-its-settings-takes",
                passes = passes.to_string()
            )));
        }
        Ok(Contest {
            title,
            left_out: all - rows.len(),
            rows,
            passes,
        })
    }

    fn config(&self, row: usize) -> &RunConfig {
        &self.cells.cells[self.cells.rows[row].cells[0]].config
    }

    fn key(&self, row: usize) -> String {
        settings_key(&filled(self.config(row)).repeatable())
    }

    /// Rounds until one of so many rows is chosen.
    fn rounds_of(&self, rows: usize) -> u32 {
        match self.strategy {
            SearchBy::All => 1,
            SearchBy::Halving => rows.next_power_of_two().ilog2().max(1),
        }
    }

    /// Rounds of the longest contest.
    pub fn rounds(&self) -> u32 {
        let rounds = self
            .contests
            .iter()
            .map(|contest| self.rounds_of(contest.rows.len()));
        rounds.max().unwrap_or(0)
    }

    /// Most training passes that a contest of these rows takes, whoever goes on.
    fn passes(&self, rows: &[usize]) -> usize {
        let rounds = self.rounds_of(rows.len());
        let mut sum = 0usize;
        let mut left = rows.len();
        for round in 0..rounds {
            let costs = rows.iter().map(|row| {
                let of_a_run = &self.costs[*row];
                let own = of_a_run.get((rounds - 1 - round) as usize);
                own.copied().unwrap_or(0) * self.cells.rows[*row].cells.len()
            });
            let mut costs: Vec<usize> = costs.collect();
            costs.sort_unstable();
            sum += costs.iter().rev().take(left).sum::<usize>();
            left = left.div_ceil(2);
        }
        sum
    }

    /// The settings with the epochs halved so often, measured on validation images.
    fn shortened(&self, config: &RunConfig, halvings: u32) -> RunConfig {
        let mut short = halved(config, halvings);
        if short.validation_share == 0.0 {
            short.validation_share = self.share;
        }
        short
    }

    /// The cells of a round (from 0) of those rows that are still in it, by contest; the rows of the result are these.
    pub fn round(&self, round: u32, left: &[Vec<usize>]) -> (Cells, Vec<usize>) {
        let mut cells = Cells {
            grid: self.cells.grid.clone(),
            rows: Vec::new(),
            cells: Vec::new(),
        };
        let mut known: HashMap<String, usize> = HashMap::new();
        let mut numbers = Vec::new();
        for (contest, rows) in self.contests.iter().zip(left) {
            let rounds = self.rounds_of(contest.rows.len());
            if round >= rounds {
                continue;
            }
            for &number in rows {
                let row = &self.cells.rows[number];
                let own = row.cells.iter().map(|cell| {
                    let config =
                        self.shortened(&self.cells.cells[*cell].config, rounds - 1 - round);
                    let key = settings_key(&filled(&config).anywhere());
                    *known.entry(key).or_insert_with(|| {
                        let refused = check(&config).err();
                        cells.cells.push(Cell { config, refused });
                        cells.cells.len() - 1
                    })
                });
                let own = own.collect();
                cells.rows.push(GridRow {
                    cells: own,
                    ..row.clone()
                });
                numbers.push(number);
            }
        }
        (cells, numbers)
    }

    /// Those that go on after a round: of each contest that is not over the better half, the best first. A row with a run
    /// that could not be finished stands behind all others.
    pub fn keep(&self, round: u32, left: &mut [Vec<usize>], measured: &Measured) {
        for (contest, rows) in self.contests.iter().zip(left) {
            let rounds = self.rounds_of(contest.rows.len());
            if round >= rounds {
                continue;
            }
            // Stable: of equal ones the first of the file.
            rows.sort_by(|a, b| rank(measured.get(b)).total_cmp(&rank(measured.get(a))));
            if round + 1 < rounds {
                rows.truncate(rows.len().div_ceil(2));
            }
        }
    }

    /// What a contest came to: `rows` are those of its last round, the best first. None where no run was finished.
    pub fn verdict(&self, rows: &[usize], measured: &Measured) -> Option<Verdict> {
        let row = *rows.first()?;
        let best = measured.get(&row)?;
        let mean_of = best.figures.mean.of_answer()[0]?;
        let beside = |row: usize| -> Option<Second> {
            let other = measured.get(&row)?;
            let values = |figures: &RowFigures| -> Vec<f64> {
                let runs = figures.figures.runs.iter();
                runs.filter_map(|run| run.figures.of_answer()[0]).collect()
            };
            let [own, others] = [best, other].map(values);
            let differences: Vec<f64> = own.iter().zip(&others).map(|(a, b)| a - b).collect();
            let error = std_dev(&differences).map(|std| std / (differences.len() as f64).sqrt());
            Some(Second {
                row,
                difference: mean(&differences)?,
                error,
            })
        };
        let is_level = |second: &Second| match second.error {
            Some(error) => second.difference <= TOLD_APART * error,
            None => second.difference <= 0.0,
        };
        let others: Vec<Second> = rows[1..].iter().filter_map(|row| beside(*row)).collect();
        Some(Verdict {
            row,
            mean: mean_of,
            std: best.figures.std.of_answer()[0],
            runs: best.figures.runs.len(),
            level: others
                .iter()
                .filter(|second| is_level(second))
                .map(|second| second.row)
                .collect(),
            second: others.into_iter().next(),
        })
    }

    /// All contests as they begin.
    pub fn begin(&self) -> Vec<Vec<usize>> {
        let rows = self.contests.iter().map(|contest| contest.rows.clone());
        rows.collect()
    }

    /// What a row is called.
    pub fn title(&self, row: usize) -> &str {
        &self.cells.rows[row].title
    }

    /// The settings in which rows differ, with this one's values.
    pub fn varied(&self, row: usize) -> &[(String, String)] {
        &self.cells.rows[row].varied
    }

    /// A grid's file of these rows alone, to be run on the test images; each with the title of its contest.
    ///
    /// # Errors
    /// None in practice: values that came from a file can be written into one.
    pub fn file_of(&self, rows: &[(String, usize)]) -> Result<String> {
        let grid = &self.cells.grid;
        let rows = rows.iter().map(|(title, row)| ChosenRow {
            title,
            part: &grid.parts[self.cells.rows[*row].part],
            row: self.place_in_part(*row),
        });
        file(grid, rows)
    }

    /// The number of a row within its part.
    fn place_in_part(&self, row: usize) -> usize {
        let part = self.cells.rows[row].part;
        self.cells.rows[..row]
            .iter()
            .filter(|other| other.part == part)
            .count()
    }
}

/// Training passes of a run: those over a task, the mean of all tasks where `min_steps` gives them different numbers.
fn passes_of(config: &RunConfig, foresight: &mut Foresight) -> Result<usize> {
    let chosen = Chosen::of(config)?;
    if config.min_steps == 0 {
        return Ok(chosen.kinds(0)?.len());
    }
    let train = foresight.of(config, &mut |_| {})?.train_images;
    let mut sum = 0;
    for task in 0..train.len() {
        sum += chosen.passes(task, &train)?.len();
    }
    Ok(sum.div_ceil(train.len().max(1)))
}

/// What a row is ranked by; nothing beats a row that is not whole less.
fn rank(figures: Option<&RowFigures>) -> f64 {
    let whole = figures.filter(|figures| figures.missing == 0);
    let figure = whole.and_then(|figures| figures.figures.mean.of_answer()[0]);
    figure.unwrap_or(f64::NEG_INFINITY)
}
