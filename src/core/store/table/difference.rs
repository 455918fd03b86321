//! How far two groups of runs lie apart, run by run over the same class orders and seeds.
//!
//! Class orders move all methods alike, so the difference within each order says more than the difference of two means:
//! pairs of runs that differ in nothing but what tells the groups apart are subtracted, and how far chance in the choice
//! of orders and seeds moves the mean of these differences is told by a bootstrap over pairs (Efron and Tibshirani, An
//! Introduction to the Bootstrap, 1993).

use serde::Serialize;

use super::{Measured, Row};
use crate::data::rng::{Purpose, Rng};
use crate::metrics::mean;

/// Fewer pairs give no interval.
pub const FEWEST_PAIRS: usize = 3;
/// Draws of the bootstrap.
const DRAWS: u64 = 10_000;
/// Draws that lie outside a 95 % interval on each side.
const OUTSIDE: usize = 250;

/// The mean of paired differences in A_N.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Difference {
    /// Pairs of runs with the same tasks, test images and seed.
    pub pairs: usize,
    /// Mean of the differences, in points of percent.
    pub mean: f64,
    /// The 95 % interval of that mean by the paired bootstrap (percentiles of 10,000 draws); none of fewer than
    /// [`FEWEST_PAIRS`] pairs.
    pub interval: Option<[f64; 2]>,
}

impl Difference {
    /// The row's A_N minus that of another, over the pairs that both have; none where there are none.
    pub fn of(row: &Row<'_>, base: &Row<'_>) -> Option<Self> {
        let pairs = row.runs.iter().filter_map(|run| {
            let twin = base.runs.iter().find(|other| are_paired(run, other))?;
            Some(run.figures.final_accuracy? - twin.figures.final_accuracy?)
        });
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

/// Whether two runs learned the same classes in the same tasks, were tested on as many images, and drew alike.
fn are_paired(one: &Measured, other: &Measured) -> bool {
    let (a, b) = (&one.run.header, &other.run.header);
    a.class_order == b.class_order
        && a.tasks == b.tasks
        && a.test_images == b.test_images
        && a.config.seed == b.config.seed
        && a.config.measured_on() == b.config.measured_on()
        && one.run.saved() == other.run.saved()
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
