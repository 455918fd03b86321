//! Confidence interval and p-value of the mean of a few paired differences, by Student's t distribution (Student, The
//! probable error of a mean, Biometrika 1908).

use super::{mean, std_dev};

/// Share of intervals that contain the true mean.
const CONFIDENCE_LEVEL: f64 = 0.95;
/// A difference with a larger p-value is not significant.
pub const SIGNIFICANCE: f64 = 0.05;
/// Differences with a smaller standard deviation, in percentage points, are equal except for rounding.
const ROUNDING_ERROR: f64 = 1e-9;
/// Number of bisection steps until the bracket is as narrow as f64 allows.
const BISECTION_STEPS: usize = 64;

/// The mean of paired differences with its standard error. The pairs count as independent samples.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MeanDifference {
    /// Number of pairs.
    pub pairs: usize,
    /// Mean of the differences.
    pub mean: f64,
    /// Standard error of the mean. `None` for fewer than two pairs, and if all differences are equal, because those
    /// have no variance to estimate it from.
    pub error: Option<f64>,
}

impl MeanDifference {
    /// Returns the mean of these differences in percentage points; `None` if there are none.
    pub fn from_differences(differences: &[f64]) -> Option<Self> {
        let std = std_dev(differences).filter(|std| *std > ROUNDING_ERROR);
        Some(Self {
            pairs: differences.len(),
            mean: mean(differences)?,
            error: std.map(|std| std / (differences.len() as f64).sqrt()),
        })
    }

    /// Returns the 95 % confidence interval of the mean; `None` without a standard error.
    pub fn interval(&self) -> Option<[f64; 2]> {
        // Without an error there may be 0 degrees of freedom, which have no quantile.
        let error = self.error?;
        let half = error * quantile(CONFIDENCE_LEVEL, self.degrees_of_freedom());
        Some([self.mean - half, self.mean + half])
    }

    /// Returns the two-sided p-value of the paired t-test; `None` without a standard error.
    pub fn p_value(&self) -> Option<f64> {
        Some(1.0 - central_probability(self.mean / self.error?, self.degrees_of_freedom()))
    }

    fn degrees_of_freedom(&self) -> usize {
        self.pairs.saturating_sub(1)
    }
}

/// Returns the p-value of a difference between two of `item_count` items, corrected for all pairs of them, because the
/// most different pair is found on the same data (Bonferroni; Dunn, Multiple comparisons among means, 1961).
pub fn corrected_p_value(p: f64, item_count: usize) -> f64 {
    let pairs = item_count * item_count.saturating_sub(1) / 2;
    (p * pairs as f64).min(1.0)
}

/// Returns the probability that t with this number of degrees of freedom is between −`t` and `t` (Abramowitz and
/// Stegun, Handbook of Mathematical Functions, 26.7.3 and 26.7.4).
fn central_probability(t: f64, degrees_of_freedom: usize) -> f64 {
    let angle = (t.abs() / (degrees_of_freedom as f64).sqrt()).atan();
    let (sin, cos) = angle.sin_cos();
    let first = degrees_of_freedom % 2;
    let mut term = if first == 1 { cos } else { 1.0 };
    let mut sum = 0.0;
    for k in (first..degrees_of_freedom.saturating_sub(1)).step_by(2) {
        sum += term;
        term *= cos * cos * (k + 1) as f64 / (k + 2) as f64;
    }
    match first {
        1 => (angle + sin * sum) * std::f64::consts::FRAC_2_PI,
        _ => sin * sum,
    }
}

/// Returns the `t` for which a value is between −`t` and `t` with this probability.
fn quantile(probability: f64, degrees_of_freedom: usize) -> f64 {
    let (mut low, mut high) = (0.0, 1.0);
    while central_probability(high, degrees_of_freedom) < probability {
        high *= 2.0;
    }
    for _ in 0..BISECTION_STEPS {
        let middle = 0.5 * (low + high);
        match central_probability(middle, degrees_of_freedom) < probability {
            true => low = middle,
            false => high = middle,
        }
    }
    high
}

#[cfg(test)]
mod tests {
    use rand_chacha::ChaCha8Rng;
    use rand_chacha::rand_core::{Rng as _, SeedableRng};

    use super::*;

    #[test]
    fn quantiles_and_p_values_match_r() {
        // qt(0.975, df) and 2 * pt(-t, df).
        let quantiles = [
            (1, 12.706_204_736),
            (2, 4.302_652_730),
            (3, 3.182_446_305),
            (9, 2.262_157_163),
            (101, 1.983_731_003),
        ];
        for (freedom, t) in quantiles {
            let found = quantile(0.95, freedom);
            assert!((found - t).abs() < 1e-8, "{freedom}: {found}");
        }
        let tails = [
            (2.5, 4, 0.066_766_544_8),
            (-5.0, 5, 0.004_104_715_98),
            (8.0, 7, 9.114_921_17e-5),
            (0.3, 20, 0.767_273_003),
        ];
        for (t, freedom, p) in tails {
            let found = 1.0 - central_probability(t, freedom);
            assert!((found - p).abs() < 1e-8, "{t}, {freedom}: {found}");
        }
    }

    #[test]
    fn paired_t_test_matches_r() {
        // t.test(c(1.2, 0.4, 2.1, 0.9))
        let four = MeanDifference::from_differences(&[1.2, 0.4, 2.1, 0.9]).unwrap();
        let [low, high] = four.interval().unwrap();
        assert!((low - 0.013_639_374).abs() < 1e-8 && (high - 2.286_360_626).abs() < 1e-8);
        assert!((four.p_value().unwrap() - 0.048_560_420).abs() < 1e-8);
    }

    #[test]
    fn constant_differences_have_no_error_estimate() {
        assert_eq!(MeanDifference::from_differences(&[]), None);
        for differences in [&[1.5][..], &[1.5; 4], &[0.1 + 0.2, 0.3]] {
            let found = MeanDifference::from_differences(differences).unwrap();
            assert_eq!((found.error, found.interval(), found.p_value()), (None, None, None));
        }
    }

    /// Returns the share of samples of the standard normal distribution that satisfy `predicate`.
    fn share(pairs: usize, predicate: impl Fn(&MeanDifference) -> bool) -> f64 {
        const SAMPLES: usize = 40_000;
        let mut rng = ChaCha8Rng::seed_from_u64(pairs as u64);
        let mut uniform = || ((rng.next_u64() >> 11) as f64 + 0.5) / (1_u64 << 53) as f64;
        // Box and Muller, 1958.
        let mut normal =
            || (-2.0 * uniform().ln()).sqrt() * (std::f64::consts::TAU * uniform()).cos();
        let matching = (0..SAMPLES).filter(|_| {
            let differences: Vec<f64> = (0..pairs).map(|_| normal()).collect();
            predicate(&MeanDifference::from_differences(&differences).unwrap())
        });
        matching.count() as f64 / SAMPLES as f64
    }

    #[test]
    fn intervals_have_nominal_coverage() {
        for pairs in [2, 3, 5, 10] {
            let covered = share(pairs, |found| {
                found.interval().is_some_and(|[low, high]| low <= 0.0 && high >= 0.0)
            });
            // Five standard errors of 40,000 samples.
            assert!((covered - 0.95).abs() < 0.0055, "{pairs} pairs: {covered}");
            let false_alarms = share(pairs, |found| found.p_value().is_some_and(|p| p < 0.05));
            assert!((false_alarms - 0.05).abs() < 0.0055, "{false_alarms}");
        }
    }
}
