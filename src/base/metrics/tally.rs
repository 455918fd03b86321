//! Counts of correct predictions, and the uncertainty of an accuracy: its number of images, its confidence interval,
//! and whether it is better than guessing.

use std::collections::BTreeMap;
use std::ops::Range;

use serde::{Deserialize, Serialize};

use super::{Expert, Predictions, share};
use crate::tr;

/// The 97.5 % quantile of the standard normal distribution.
const Z: f64 = 1.959_963_984_540_054;

/// The number of correct predictions among some images.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tally {
    /// Number of correct predictions.
    pub right: usize,
    /// Number of images.
    pub images: usize,
    /// Number of images of the most frequent class.
    pub largest: usize,
}

impl Tally {
    /// Returns the tally of an accuracy on this number of images.
    pub fn from_accuracy(accuracy: f64, images: usize) -> Self {
        Self { right: (accuracy * images as f64).round() as usize, images, largest: 0 }
    }

    /// Counts an expert's predictions.
    pub fn new(predictions: &Predictions, expert: Expert) -> Self {
        Self::within(predictions, expert, &(0..usize::MAX))
    }

    /// Counts an expert's predictions for the images of these classes.
    pub fn within(predictions: &Predictions, expert: Expert, classes: &Range<usize>) -> Self {
        let pairs = predictions.labels.iter().zip(predictions.for_expert(expert));
        let mut counts = BTreeMap::new();
        let mut right = 0;
        for (label, predicted) in pairs.filter(|(label, _)| classes.contains(label)) {
            *counts.entry(*label).or_insert(0) += 1;
            right += usize::from(label == predicted);
        }
        Self {
            right,
            images: counts.values().sum(),
            largest: counts.values().copied().max().unwrap_or(0),
        }
    }

    /// Returns the accuracy; 0 if there are no images.
    pub fn accuracy(&self) -> f64 {
        share(self.right, self.images)
    }

    /// Returns Wilson's 95 % interval of the accuracy, as fractions.
    pub fn confidence_interval(&self) -> (f64, f64) {
        if self.images == 0 {
            return (0.0, 1.0);
        }
        let (n, p) = (self.images as f64, self.accuracy());
        let z2 = Z * Z;
        let centre = (p + z2 / (2.0 * n)) / (1.0 + z2 / n);
        let half = Z / (1.0 + z2 / n) * (p * (1.0 - p) / n + z2 / (4.0 * n * n)).sqrt();
        ((centre - half).max(0.0), (centre + half).min(1.0))
    }

    /// Returns whether the accuracy is significantly higher than another: the 95 % interval of the difference is
    /// above 0.
    pub fn is_significantly_above(&self, other: &Self) -> bool {
        self.min_lead(other) > 0.0
    }

    /// Returns the lower end of the 95 % interval of the difference to another accuracy, from Wilson's intervals of
    /// both (Newcombe, Statistics in Medicine 1998, method 10). Unlike the usual interval, it is also valid for
    /// shares of 0 and 1.
    fn min_lead(&self, other: &Self) -> f64 {
        let below = self.accuracy() - self.confidence_interval().0;
        let above = other.confidence_interval().1 - other.accuracy();
        self.accuracy() - other.accuracy() - below.hypot(above)
    }

    /// Returns whether guessing may be equally good, that is always predicting the most frequent class. Its share is
    /// 1/K for K equally frequent classes, and higher otherwise.
    pub fn is_guessing(&self) -> bool {
        self.images > 0 && self.confidence_interval().0 <= self.largest as f64 / self.images as f64
    }

    /// Returns whether there are too few images: guessing might be equally good even if all were correct.
    pub fn has_too_few_images(&self) -> bool {
        self.largest < self.images && Self { right: self.images, ..*self }.is_guessing()
    }

    /// Returns why the accuracy may be due to chance; `None` if it is better than guessing.
    pub fn chance_note(&self) -> Option<&'static str> {
        self.is_guessing().then(|| match self.has_too_few_images() {
            true => tr!("train-too-few-test-images"),
            false => tr!("train-no-better-than-guessing"),
        })
    }

    /// Returns a text such as "450 images, 93.1 to 97.2 %".
    pub fn summary(&self) -> String {
        let (low, high) = self.confidence_interval();
        tr!("count-images-interval", n = self.images, low = low * 100.0, high = high * 100.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tally(right: usize, images: usize, largest: usize) -> Tally {
        Tally { right, images, largest }
    }

    #[test]
    fn interval_matches_wilson_score() {
        // Values of R's prop.test(8, 10, correct = FALSE) and binom::binom.wilson(0, 20).
        let (low, high) = tally(8, 10, 2).confidence_interval();
        assert!((low - 0.4902).abs() < 1e-4 && (high - 0.9433).abs() < 1e-4, "{low} {high}");
        let (low, high) = tally(0, 20, 2).confidence_interval();
        assert!(low == 0.0 && (high - 0.1611).abs() < 1e-4, "{high}");
        assert_eq!(tally(0, 0, 0).confidence_interval(), (0.0, 1.0));
        assert_eq!(tally(96, 100, 10).summary(), "100 images, 90.2 to 98.4\u{a0}%");
    }

    #[test]
    fn min_lead_matches_newcombe_interval() {
        // Newcombe 1998, table II, method 10.
        let known = [
            ((56, 70), (48, 80), 0.0524),
            ((9, 10), (3, 10), 0.1705),
            ((6, 7), (2, 7), 0.0582),
            ((5, 56), (0, 29), -0.0381),
            ((10, 10), (0, 10), 0.6075),
        ];
        for ((right, images), (other, others), lead) in known {
            let (one, other) = (tally(right, images, 0), tally(other, others, 0));
            let found = one.min_lead(&other);
            assert!((found - lead).abs() < 1e-4, "{one:?}: {found}");
            assert_eq!(one.is_significantly_above(&other), lead > 0.0);
            assert!(!other.is_significantly_above(&one));
        }
        assert_eq!(Tally::from_accuracy(0.98, 100), tally(98, 100, 0));
        let none = Tally::from_accuracy(1.0, 0);
        assert!(!none.is_significantly_above(&tally(0, 100, 0)));
    }

    #[test]
    fn detects_accuracy_within_chance_level() {
        assert!(tally(5, 8, 4).is_guessing());
        assert!(tally(0, 450, 45).is_guessing());
        assert!(!tally(400, 450, 45).is_guessing());
        assert!(!tally(0, 0, 0).is_guessing());
        // Even all correct answers may be due to chance with two images, but not with eight.
        assert!(tally(2, 2, 1).is_guessing() && tally(2, 2, 1).has_too_few_images());
        assert!(!tally(5, 8, 4).has_too_few_images() && !tally(10, 10, 10).has_too_few_images());
    }

    #[test]
    fn chance_level_is_share_of_largest_class() {
        // 90 images of one class and 10 of another; every prediction is the first class.
        let labels: Vec<usize> = (0..100).map(|image| usize::from(image >= 90)).collect();
        let mut answers = Predictions {
            given: [(Expert::ANSWER, vec![0; 100])].into(),
            labels,
            ..Predictions::default()
        };
        let quality = Tally::new(&answers, Expert::ANSWER);
        assert_eq!(quality, tally(90, 100, 90));
        assert!(quality.confidence_interval().0 > 0.5 && quality.is_guessing());
        answers.given = [(Expert::ANSWER, answers.labels.clone())].into();
        assert!(!Tally::new(&answers, Expert::ANSWER).is_guessing());
        let rare = Tally::within(&answers, Expert::ANSWER, &(1..2));
        assert_eq!(rare, tally(10, 10, 10));
    }
}
