//! Compares two runs on the same test images, image by image.
//!
//! Images that both runs classify correctly, or both incorrectly, do not show which run is better. If the runs were
//! equally good, each would be right on about half of the remaining images. McNemar's exact test gives the
//! probability of a division at least as uneven (McNemar, Psychometrika 1947). It compares these two trained runs on
//! such images, not other seeds or class orders.

/// Numbers of images that only one of two runs classifies correctly.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Paired {
    /// Number of images that both runs were tested on.
    pub images: usize,
    /// Number of images that only the first run classifies correctly.
    pub first: usize,
    /// Number of images that only the second run classifies correctly.
    pub second: usize,
}

impl Paired {
    /// Returns the number of images that only one of the runs classifies correctly.
    pub fn differing(&self) -> usize {
        self.first + self.second
    }

    /// Returns the exact two-sided p-value of McNemar's test: min(1, 2 · P(X ≤ smaller count)) for X ~
    /// Binomial(differing images, 1/2).
    pub fn p_value(&self) -> f64 {
        let (n, fewer) = (self.differing(), self.first.min(self.second));
        // Probability of the smaller count, in logarithms because 2ⁿ overflows.
        let log_ways = (1..=fewer).map(|k| ((n - fewer + k) as f64 / k as f64).ln());
        let log_probability = log_ways.sum::<f64>() - n as f64 * std::f64::consts::LN_2;
        // Probabilities of the counts below it, each as a multiple of the one above.
        let (mut share, mut all) = (1.0, 1.0);
        for k in (1..=fewer).rev() {
            share *= k as f64 / (n - k + 1) as f64;
            all += share;
        }
        (2.0 * log_probability.exp() * all).min(1.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn p_value_matches_exact_binomial_test() {
        // Values of R's binom.test(first, first + second)$p.value.
        let known = [
            (31, 12, 0.005_401_572_654_591_285),
            (12, 31, 0.005_401_572_654_591_285),
            (5, 1, 0.21875),
            (10, 0, 0.001_953_125),
            (1, 9, 0.021_484_375),
            (8, 8, 1.0),
            (0, 0, 1.0),
            (86, 150, 3.715_936_139_571_442e-5),
            // 2⁻⁸²⁰⁰ underflows to 0.
            (4000, 4200, 0.027972423571324383),
        ];
        for (first, second, p) in known {
            let paired = Paired { images: 10_000, first, second };
            let found = paired.p_value();
            assert!((found - p).abs() <= 1e-9 * p, "{paired:?}: {found}");
        }
    }
}
