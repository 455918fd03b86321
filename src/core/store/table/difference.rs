//! How far two groups of runs lie apart, over the class orders and seeds that both have.
//!
//! Class orders move all methods alike, so the difference within each order says more than the difference of two means:
//! for each class order and seed the means of both groups are subtracted, and how far chance in the choice of these moves the
//! mean of the differences is told by a bootstrap over them (Efron and Tibshirani, An Introduction to the Bootstrap, 1993).

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::ops::Range;

use serde::Serialize;

use super::{Measured, Row};
use crate::data::rng::{Purpose, Rng};
use crate::metrics::mean;

/// Fewer pairs give no interval.
const FEWEST_PAIRS: usize = 3;
/// Draws of the bootstrap.
const DRAWS: u64 = 10_000;
/// Draws that lie outside a 95 % interval on each side.
const OUTSIDE: usize = 250;

/// The mean of paired differences in A_N.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Difference {
    /// Class orders and seeds that both groups have, with the same tasks and test images.
    pub pairs: usize,
    /// Mean of the differences, in points of percent.
    pub mean: f64,
    /// The 95 % interval of that mean by the paired bootstrap (percentiles of 10,000 draws); none of fewer than three
    /// pairs.
    pub interval: Option<[f64; 2]>,
}

impl Difference {
    /// The row's A_N minus that of another, over what both have; none where they have nothing in common.
    pub fn of(row: &Row<'_>, base: &Row<'_>) -> Option<Self> {
        let others = by_repetition(base);
        let own = by_repetition(row);
        // In the order of the runs, so that the draws are always the same ones.
        let mut seen = HashSet::new();
        let repetitions = row.runs.iter().map(|run| Repetition::of(run));
        let pairs = repetitions.filter_map(|repetition| {
            let both = own.get(&repetition).zip(others.get(&repetition));
            seen.insert(repetition).then_some(both).flatten()
        });
        let pairs = pairs.flat_map(|(own, others)| of_seeds(own, others));
        Self::of_pairs(&pairs.collect::<Vec<_>>())
    }

    fn of_pairs(differences: &[f64]) -> Option<Self> {
        let pairs = differences.len();
        Some(Self {
            pairs,
            mean: mean(differences)?,
            interval: (pairs >= FEWEST_PAIRS).then(|| interval(differences)),
        })
    }
}

/// What two runs must have in common for a pair, beside equal draws: the same classes in the same tasks, the same test images.
#[derive(PartialEq, Eq, Hash)]
struct Repetition<'a> {
    class_order: &'a [String],
    tasks: &'a [Range<usize>],
    measured: usize,
    measured_on: &'a str,
    test_images: &'a [usize],
    images: Option<&'a str>,
}

impl<'a> Repetition<'a> {
    fn of(run: &'a Measured<'a>) -> Self {
        let header = run.header;
        Self {
            class_order: &header.class_order,
            tasks: &header.tasks,
            measured: run.saved(),
            measured_on: header.config.measured_on(),
            test_images: &header.test_images,
            images: header.images.as_ref().map(|images| images.test.as_str()),
        }
    }
}

/// A_N of runs by their seed; that of a method that draws nothing has none, and is the same for each.
type BySeed = BTreeMap<Option<u64>, Vec<f64>>;

/// A_N of the runs of a row by what they are paired by.
fn by_repetition<'a>(row: &Row<'a>) -> HashMap<Repetition<'a>, BySeed> {
    let mut all: HashMap<_, BySeed> = HashMap::new();
    for run in &row.runs {
        if let Some(accuracy) = run.figures.final_accuracy {
            let seeds = all.entry(Repetition::of(run)).or_default();
            let seed = run.header.method.seed(&run.header.config);
            seeds.entry(seed).or_default().push(accuracy);
        }
    }
    all
}

/// Returns the difference for each seed that both have, or one where neither draws.
fn of_seeds(own: &BySeed, others: &BySeed) -> Vec<f64> {
    let seeds: BTreeSet<u64> = own.keys().chain(others.keys()).copied().flatten().collect();
    let mut seeds: Vec<Option<u64>> = seeds.into_iter().map(Some).collect();
    if seeds.is_empty() {
        seeds.push(None);
    }
    let of = |runs: &BySeed, seed: Option<u64>| {
        let drawn = runs.get(&seed).into_iter();
        let still = runs.get(&None).into_iter().filter(|_| seed.is_some());
        mean(&drawn.chain(still).flatten().copied().collect::<Vec<_>>())
    };
    let pairs = seeds.into_iter();
    pairs
        .filter_map(|seed| Some(of(own, seed)? - of(others, seed)?))
        .collect()
}

fn interval(differences: &[f64]) -> [f64; 2] {
    let n = differences.len() as u64;
    let mut means: Vec<f64> = (0..DRAWS)
        .map(|draw| {
            let mut rng = Rng::new(Purpose::Bootstrap, 0, 0, draw);
            let drawn = (0..n).map(|_| differences[rng.below(n) as usize]);
            drawn.sum::<f64>() / n as f64
        })
        .collect();
    means.sort_by(f64::total_cmp);
    [means[OUTSIDE - 1], means[means.len() - OUTSIDE]]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_interval_is_that_of_the_bootstrap() {
        assert_eq!(Difference::of_pairs(&[]), None);
        let two = Difference::of_pairs(&[1.0, 3.0]);
        assert!(two.is_some_and(|d| d.mean == 2.0 && d.interval.is_none()));
        let same = Difference::of_pairs(&[1.5; 4]).and_then(|d| d.interval);
        assert_eq!(same, Some([1.5, 1.5]));
        // Of ten differences with mean 0.55 and population deviation 0.287 the mean of ten draws has deviation 0.0908,
        // so 95 % lie about 0.178 on either side.
        let ten: Vec<f64> = (1..=10).map(|i| f64::from(i) / 10.0).collect();
        let [low, high] = Difference::of_pairs(&ten)
            .and_then(|d| d.interval)
            .unwrap_or_default();
        assert!((low - (0.55 - 0.178)).abs() < 0.02, "{low}");
        assert!((high - (0.55 + 0.178)).abs() < 0.02, "{high}");
    }
}
