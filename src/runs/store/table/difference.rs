//! The difference in A_N between two groups of runs, over the class orders and seeds that both have.
//!
//! A class order affects all methods similarly, so differences within each order are more informative than the
//! difference of two means. For each class order and seed, the means of both groups are subtracted. Student's t
//! distribution gives the confidence interval of the mean of these differences. Three pairs are usual, for which
//! bootstrap percentiles would be far too narrow.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::ops::Range;

use serde::Serialize;

use super::{Row, TableRun};
use crate::metrics::{MeanDifference, mean};

/// Minimum number of pairs for an interval; with two pairs, it is a dozen times as wide as their spread.
const MIN_PAIRS: usize = 3;

/// The mean of paired differences in A_N.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Difference {
    /// Number of class orders and seeds that both groups have, with the same tasks and test images.
    pub pairs: usize,
    /// Mean of the differences, in percentage points.
    pub mean: f64,
    /// The 95 % confidence interval of the mean, in percentage points, by Student's t distribution; `None` for fewer
    /// than three pairs, and if all differences are equal.
    pub interval: Option<[f64; 2]>,
}

impl Difference {
    /// Returns the A_N of a row minus that of another, over what both have; `None` if they have nothing in common.
    pub fn new(row: &Row<'_>, base: &Row<'_>) -> Option<Self> {
        let base_groups = by_repetition(base);
        let row_groups = by_repetition(row);
        let mut seen = HashSet::new();
        let repetitions = row.runs.iter().map(|run| Repetition::new(run));
        let pairs = repetitions.filter_map(|repetition| {
            let pair = row_groups.get(&repetition).zip(base_groups.get(&repetition));
            seen.insert(repetition).then_some(pair).flatten()
        });
        let pairs = pairs.flat_map(|(row_seeds, base_seeds)| pair_seeds(row_seeds, base_seeds));
        Self::from_pairs(&pairs.collect::<Vec<_>>())
    }

    fn from_pairs(differences: &[f64]) -> Option<Self> {
        let summary = MeanDifference::from_differences(differences)?;
        Some(Self {
            pairs: summary.pairs,
            mean: summary.mean,
            interval: summary.interval().filter(|_| summary.pairs >= MIN_PAIRS),
        })
    }
}

/// What two runs must share to be paired, besides the seed: class order, tasks and test images.
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
    fn new(run: &'a TableRun<'a>) -> Self {
        let header = run.header;
        Self {
            class_order: &header.class_order,
            tasks: &header.tasks,
            measured: run.saved_tasks(),
            measured_on: header.config.evaluation_split(),
            test_images: &header.test_images,
            images: header.images.as_ref().map(|images| images.test.as_str()),
        }
    }
}

/// A_N of runs by their seed; the key is `None` for methods that use no random numbers.
type BySeed = BTreeMap<Option<u64>, Vec<f64>>;

/// Returns A_N of the runs of a row by what they must share to be paired.
fn by_repetition<'a>(row: &Row<'a>) -> HashMap<Repetition<'a>, BySeed> {
    let mut groups: HashMap<_, BySeed> = HashMap::new();
    for run in &row.runs {
        if let Some(accuracy) = run.figures.final_accuracy() {
            let seeds = groups.entry(Repetition::new(run)).or_default();
            let seed = run.header.method.seed(&run.header.config);
            seeds.entry(seed).or_default().push(accuracy);
        }
    }
    groups
}

/// Returns the difference for each seed that both have, or a single one if neither uses random numbers.
fn pair_seeds(row_seeds: &BySeed, base_seeds: &BySeed) -> Vec<f64> {
    let seeds: BTreeSet<u64> =
        row_seeds.keys().chain(base_seeds.keys()).copied().flatten().collect();
    let mut seeds: Vec<Option<u64>> = seeds.into_iter().map(Some).collect();
    if seeds.is_empty() {
        seeds.push(None);
    }
    let mean_accuracy = |runs: &BySeed, seed: Option<u64>| {
        let seeded = runs.get(&seed).into_iter();
        let unseeded = runs.get(&None).into_iter().filter(|_| seed.is_some());
        mean(&seeded.chain(unseeded).flatten().copied().collect::<Vec<_>>())
    };
    let pairs = seeds.into_iter();
    pairs
        .filter_map(|seed| Some(mean_accuracy(row_seeds, seed)? - mean_accuracy(base_seeds, seed)?))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn interval_uses_student_t_and_needs_three_pairs() {
        assert_eq!(Difference::from_pairs(&[]), None);
        let two = Difference::from_pairs(&[1.0, 3.0]);
        assert!(two.is_some_and(|d| d.mean == 2.0 && d.pairs == 2 && d.interval.is_none()));
        let same = Difference::from_pairs(&[1.5; 4]);
        assert!(same.is_some_and(|d| d.mean == 1.5 && d.interval.is_none()));
        // 2 ± 4.302653 × 1 / √3, which is wider than the spread of the three differences.
        let three = Difference::from_pairs(&[1.0, 2.0, 3.0]);
        let [low, high] = three.and_then(|d| d.interval).unwrap_or_default();
        assert!((low + 0.484_138).abs() < 1e-6, "{low}");
        assert!((high - 4.484_138).abs() < 1e-6, "{high}");
    }
}
