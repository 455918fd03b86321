//! Determines the best row of a contest, and the rows that do not differ significantly from it.
//!
//! Rows are compared over the class orders and seeds that they share, by Student's paired t-test, corrected for all
//! pairs of rows. Among equally good rows, at most one contest in twenty calls one of them worse.

use std::collections::{BTreeMap, HashMap};

use crate::experiment::grid::plan::RowSummary;
use crate::metrics::{MeanDifference, SIGNIFICANCE, corrected_p_value, mean, std_dev};

/// The results of the rows in a round, by their index in the grid.
pub type RoundSummaries = HashMap<usize, RowSummary>;

/// The result of a contest.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ContestResult {
    /// The best row; `None` if no row has all of its runs.
    pub winner: Option<Winner>,
    /// Rows without a rank, because one of their runs could not be finished; by their index in the grid.
    pub unranked: Vec<usize>,
}

/// The best row of a contest.
#[derive(Clone, Debug, PartialEq)]
pub struct Winner {
    /// Its index in the grid.
    pub row: usize,
    /// Mean of its A_N on the validation images, in percent.
    pub mean: f64,
    /// Sample standard deviation; `None` for a single run.
    pub std: Option<f64>,
    /// Number of its runs (class orders and seeds).
    pub runs: usize,
    /// The next best row.
    pub second: Option<Second>,
    /// Rows of the last round that do not differ significantly from the winner, by their index in the grid.
    pub tied_rows: Vec<usize>,
}

/// The next best row, compared with the winner.
#[derive(Clone, Debug, PartialEq)]
pub struct Second {
    /// Its index in the grid.
    pub row: usize,
    /// Mean difference to the winner over class orders and seeds, in percentage points.
    pub difference: f64,
    /// Standard error of the difference; `None` for a single run, and where all differences are equal.
    pub error: Option<f64>,
    /// Two-sided p-value of the difference, corrected for all pairs of rows; `None` without a standard error.
    pub p: Option<f64>,
}

/// A_N of a row by class order and seed, in percent.
type Scores<'a> = BTreeMap<(&'a [String], u64), f64>;

/// Returns A_N of all runs of a row; `None` if one of them is missing or has no A_N.
fn scores(row: Option<&RowSummary>) -> Option<Scores<'_>> {
    let row = row.filter(|row| row.missing == 0)?;
    let runs = row.figures.runs.iter().map(|run| {
        let accuracy = run.figures.answer_figures()[0].filter(|accuracy| accuracy.is_finite())?;
        Some(((run.class_order.as_slice(), run.config.seed), accuracy))
    });
    let scores: Scores<'_> = runs.collect::<Option<_>>()?;
    (!scores.is_empty()).then_some(scores)
}

fn values(scores: &Scores<'_>) -> Vec<f64> {
    scores.values().copied().collect()
}

/// Returns the rows with all of their runs, with their scores, the best first; equal rows keep their order.
fn rank_rows<'a>(
    rows: &[usize],
    scores: impl Fn(usize) -> Option<Scores<'a>>,
) -> Vec<(usize, Scores<'a>)> {
    let complete = rows.iter().filter_map(|row| Some((*row, scores(*row)?)));
    let mut ranked: Vec<_> = complete.collect();
    let mean_of = |scores: &Scores<'_>| mean(&values(scores)).unwrap_or(f64::NEG_INFINITY);
    ranked.sort_by(|(_, a), (_, b)| mean_of(b).total_cmp(&mean_of(a)));
    ranked
}

/// Returns the rows with all of their runs, the best first; equal rows keep their order.
pub(super) fn best_first(rows: &[usize], measured: &RoundSummaries) -> Vec<usize> {
    let ranked = rank_rows(rows, |row| scores(measured.get(&row)));
    ranked.into_iter().map(|(row, _)| row).collect()
}

impl ContestResult {
    /// Returns the result of a contest of the rows `all`, of which `remaining` took part in the last round.
    pub(super) fn new(all: &[usize], remaining: &[usize], measured: &RoundSummaries) -> Self {
        let is_complete = |row: &usize| scores(measured.get(row)).is_some();
        Self {
            winner: Winner::select(&rank_rows(remaining, |row| scores(measured.get(&row)))),
            unranked: all.iter().copied().filter(|row| !is_complete(row)).collect(),
        }
    }
}

impl Winner {
    /// Returns the winner of these rows, which are sorted by their means in descending order.
    fn select(rows: &[(usize, Scores<'_>)]) -> Option<Self> {
        let ((row, best), others) = rows.split_first()?;
        let others: Vec<Second> = others
            .iter()
            .filter_map(|(row, other)| Second::compare(*row, best, other, rows.len()))
            .collect();
        let is_tied = |second: &&Second| second.p.is_none_or(|p| p > SIGNIFICANCE);
        let best_values = values(best);
        Some(Self {
            row: *row,
            mean: mean(&best_values)?,
            std: std_dev(&best_values),
            runs: best_values.len(),
            tied_rows: others.iter().filter(is_tied).map(|second| second.row).collect(),
            second: others.into_iter().next(),
        })
    }
}

impl Second {
    /// Returns the comparison of a row with the best one over the repetitions that both have; `rows` is the number of
    /// compared rows.
    fn compare(row: usize, best: &Scores<'_>, other: &Scores<'_>, rows: usize) -> Option<Self> {
        let pairs =
            best.iter().filter_map(|(repetition, score)| Some(score - other.get(repetition)?));
        let difference = MeanDifference::from_differences(&pairs.collect::<Vec<_>>());
        let p = difference.and_then(|difference| difference.p_value());
        Some(Self {
            row,
            // Without common class orders and seeds, only the means can be compared, and there is no p-value.
            difference: match difference {
                Some(difference) => difference.mean,
                None => mean(&values(best))? - mean(&values(other))?,
            },
            error: difference.and_then(|difference| difference.error),
            p: p.map(|p| corrected_p_value(p, rows)),
        })
    }
}

#[cfg(test)]
mod tests {
    use rand_chacha::ChaCha8Rng;
    use rand_chacha::rand_core::{Rng as _, SeedableRng};

    use super::*;

    fn scores_by_seed(all: &[f64]) -> Scores<'static> {
        let seeds = 0..all.len() as u64;
        seeds.zip(all).map(|(seed, score)| ((&[][..], seed), *score)).collect()
    }

    /// Returns the winner of rows with these scores by seed.
    fn winner(rows: &[&[f64]]) -> Winner {
        let all: Vec<usize> = (0..rows.len()).collect();
        Winner::select(&rank_rows(&all, |row| Some(scores_by_seed(rows[row])))).unwrap()
    }

    #[test]
    fn single_runs_do_not_separate_rows() {
        let result = winner(&[&[90.0], &[20.0], &[70.0]]);
        assert_eq!((result.row, result.runs, result.std), (0, 1, None));
        assert_eq!(result.tied_rows, [2, 1]);
        let second = result.second.unwrap();
        assert_eq!((second.row, second.difference), (2, 20.0));
        assert_eq!((second.error, second.p), (None, None));
    }

    #[test]
    fn compares_rows_within_class_order_and_seed() {
        // The seeds differ far more than the rows.
        let result = winner(&[&[50.0, 70.0, 91.0], &[48.9, 69.0, 90.1]]);
        let second = result.second.unwrap();
        assert!((second.difference - 1.0).abs() < 1e-9);
        assert!(second.p.unwrap() < 0.01 && result.tied_rows.is_empty());
        // Equal differences have no variance, so no significance can be computed.
        let result = winner(&[&[50.0, 70.0, 91.0], &[49.0, 69.0, 90.0]]);
        assert_eq!(result.tied_rows, [1]);
    }

    #[test]
    fn more_rows_require_stronger_evidence() {
        let (best, other) = ([60.0, 71.0, 80.5, 90.0], [58.0, 69.5, 78.0, 89.0]);
        let two = winner(&[&best, &other]);
        assert!(two.tied_rows.is_empty());
        let p = two.second.unwrap().p.unwrap();
        let four = winner(&[&best, &other, &[1.0, 2.0, 4.0, 8.0], &[2.0, 1.0, 8.0, 4.0]]);
        assert!((four.second.unwrap().p.unwrap() - 6.0 * p).abs() < 1e-9);
        assert_eq!(four.tied_rows, [1]);
    }

    #[test]
    fn equal_rows_are_rarely_separated() {
        const CONTESTS: usize = 20_000;
        let mut rng = ChaCha8Rng::seed_from_u64(0);
        let mut unit = || ((rng.next_u64() >> 11) as f64 + 0.5) / (1_u64 << 53) as f64;
        // Box and Muller, 1958.
        let mut normal = || (-2.0 * unit().ln()).sqrt() * (std::f64::consts::TAU * unit()).cos();
        for (rows, runs) in [(2, 2), (2, 3), (2, 5), (4, 3), (8, 3)] {
            let wrong = (0..CONTESTS).filter(|_| {
                let of_seed: Vec<f64> = (0..runs).map(|_| 10.0 * normal()).collect();
                let rows: Vec<Vec<f64>> = (0..rows)
                    .map(|_| of_seed.iter().map(|common| common + normal()).collect())
                    .collect();
                let rows: Vec<&[f64]> = rows.iter().map(Vec::as_slice).collect();
                winner(&rows).tied_rows.len() < rows.len() - 1
            });
            let wrong = wrong.count() as f64 / CONTESTS as f64;
            // Three standard errors above one in twenty.
            assert!(wrong < 0.055, "{rows} rows, {runs} runs: {wrong}");
        }
    }

    #[test]
    fn incomplete_rows_are_not_ranked() {
        let rows = [None, Some([50.0, 60.0]), None, Some([52.0, 71.0])];
        let scores = |row: usize| Some(scores_by_seed(&rows[row]?));
        let rank = |rows: &[usize]| -> Vec<usize> {
            let ranked = rank_rows(rows, scores);
            ranked.into_iter().map(|(row, _)| row).collect()
        };
        assert_eq!(rank(&[0, 1, 2, 3]), [3, 1]);
        assert_eq!(Winner::select(&rank_rows(&[0, 2], scores)), None);
        // If no run of a grid was finished, no row is ranked.
        let nothing = ContestResult::new(&[0, 1], &[0, 1], &RoundSummaries::new());
        assert_eq!((nothing.winner, nothing.unranked), (None, vec![0, 1]));
    }

    #[test]
    fn rows_without_shared_order_and_seed_are_tied() {
        let other: Scores<'_> = [((&[][..], 7), 10.0), ((&[][..], 8), 11.0)].into();
        let result = Winner::select(&[(0, scores_by_seed(&[90.0, 91.0])), (1, other)]).unwrap();
        assert_eq!(result.tied_rows, [1]);
        assert_eq!(result.second.unwrap().difference, 80.0);
    }
}
