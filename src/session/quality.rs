//! How far an accuracy can be trusted: the number of images behind it, the interval in which it may
//! well lie, and whether it is any better than guessing.

use super::words::{count_text, percent};
use crate::metrics::{Answers, Expert};

/// Standard deviations of a normal distribution that hold 95 % of it.
const Z: f64 = 1.959_963_984_540_054;

/// Right answers among some images.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Quality {
    /// Right answers.
    pub right: usize,
    /// Images.
    pub images: usize,
    /// Classes among which the answer was chosen.
    pub classes: usize,
}

impl Quality {
    /// What to make of an accuracy that guessing might reach.
    pub const GUESSING: &'static str =
        "that is no better than guessing: more epochs, more images or another backbone may help";

    /// What an expert answered; the classes are those that the images show.
    pub fn of(answers: &Answers, expert: Expert) -> Self {
        let pairs = answers.labels.iter().zip(answers.of(expert));
        let mut classes = answers.labels.clone();
        classes.sort_unstable();
        classes.dedup();
        Self {
            right: pairs.filter(|(label, given)| label == given).count(),
            images: answers.labels.len(),
            classes: classes.len(),
        }
    }

    /// What a share of right answers among so many images and classes comes to.
    pub fn of_share(share: f64, images: usize, classes: usize) -> Self {
        Self {
            right: (share * images as f64).round() as usize,
            images,
            classes,
        }
    }

    /// Share of right answers; 0 of no images.
    pub fn accuracy(&self) -> f64 {
        self.right as f64 / self.images.max(1) as f64
    }

    /// Wilson's 95 % interval of the accuracy, as shares.
    pub fn interval(&self) -> (f64, f64) {
        if self.images == 0 {
            return (0.0, 1.0);
        }
        let (n, p) = (self.images as f64, self.accuracy());
        let z2 = Z * Z;
        let centre = (p + z2 / (2.0 * n)) / (1.0 + z2 / n);
        let half = Z / (1.0 + z2 / n) * (p * (1.0 - p) / n + z2 / (4.0 * n * n)).sqrt();
        ((centre - half).max(0.0), (centre + half).min(1.0))
    }

    /// Whether guessing one of the classes may well be as good.
    pub fn is_guessing(&self) -> bool {
        self.classes > 0 && self.interval().0 <= 1.0 / self.classes as f64
    }

    /// "450 images, 93.1 to 97.2 %".
    pub fn words(&self) -> String {
        let (low, high) = self.interval();
        let images = if self.images == 1 { "image" } else { "images" };
        format!(
            "{} {images}, {:.1} to {}",
            count_text(self.images),
            low * 100.0,
            percent(high, 1)
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(right: usize, images: usize, classes: usize) -> Quality {
        Quality {
            right,
            images,
            classes,
        }
    }

    #[test]
    fn the_interval_is_wilsons() {
        // Values of R's prop.test(8, 10, correct = FALSE) and binom::binom.wilson(0, 20).
        let (low, high) = of(8, 10, 2).interval();
        assert!(
            (low - 0.4902).abs() < 1e-4 && (high - 0.9433).abs() < 1e-4,
            "{low} {high}"
        );
        let (low, high) = of(0, 20, 2).interval();
        assert!(low == 0.0 && (high - 0.1611).abs() < 1e-4, "{high}");
        assert_eq!(of(0, 0, 0).interval(), (0.0, 1.0));
        assert_eq!(of(96, 100, 10).words(), "100 images, 90.2 to 98.4\u{a0}%");
    }

    #[test]
    fn what_guessing_may_reach_is_told() {
        assert!(of(5, 8, 2).is_guessing());
        assert!(of(0, 450, 10).is_guessing());
        assert!(!of(400, 450, 10).is_guessing());
    }
}
