//! Two runs on the same test images, compared image by image.
//!
//! Images that both answer rightly, or both wrongly, say nothing about which is better. Of those
//! that only one of them answers rightly, either would have half by chance if the two were equally
//! good; McNemar's exact test says how likely a division at least as uneven then is (McNemar,
//! Psychometrika 1947). It speaks of these two trained runs on such images, not of other seeds or
//! class orders.

/// On how many images only one of two runs is right.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Paired {
    /// Images that both were asked.
    pub images: usize,
    /// The first alone is right.
    pub first: usize,
    /// The second alone is right.
    pub second: usize,
}

impl Paired {
    /// Images that only one of them answers rightly.
    pub fn differing(&self) -> usize {
        self.first + self.second
    }

    /// The exact two-sided p of McNemar's test: 2 · P(X ≤ the smaller count) for X binomial over
    /// the differing images with one half, at most 1.
    pub fn p(&self) -> f64 {
        let (n, fewer) = (self.differing(), self.first.min(self.second));
        // The probability of the smaller count, by its logarithm since 2ⁿ soon has no number.
        let ways = (1..=fewer).map(|k| ((n - fewer + k) as f64 / k as f64).ln());
        let at = ways.sum::<f64>() - n as f64 * std::f64::consts::LN_2;
        // Those of the counts below it, each as a share of the one above.
        let (mut share, mut all) = (1.0, 1.0);
        for k in (1..=fewer).rev() {
            share *= k as f64 / (n - k + 1) as f64;
            all += share;
        }
        (2.0 * at.exp() * all).min(1.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn p_is_that_of_the_exact_test() {
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
            // 2⁻⁸²⁰⁰ is no number any more.
            (4000, 4200, 0.027972423571324383),
        ];
        for (first, second, p) in known {
            let paired = Paired {
                images: 10_000,
                first,
                second,
            };
            let told = paired.p();
            assert!((told - p).abs() <= 1e-9 * p, "{paired:?}: {told}");
        }
    }
}
