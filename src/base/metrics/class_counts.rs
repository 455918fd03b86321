//! Right answers counted class by class.

use serde::{Deserialize, Serialize};

use super::{Answers, Expert, mean, share};

/// The test images of each class, in the run's class order, and how many of them were answered rightly.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ClassCounts {
    /// Test images of each class; 0 for a class of which none was tested.
    pub images: Vec<u32>,
    /// Right answers among them.
    pub right: Vec<u32>,
}

impl ClassCounts {
    /// Counts one expert's answers to the images of the first `classes` classes.
    pub fn of(answers: &Answers, expert: Expert, classes: usize) -> Self {
        let mut counts = Self {
            images: vec![0; classes],
            right: vec![0; classes],
        };
        for (&label, given) in answers.labels.iter().zip(answers.of(expert)) {
            if label < classes {
                counts.images[label] += 1;
                counts.right[label] += u32::from(label == *given);
            }
        }
        counts
    }

    /// The accuracy of each class (its recall); none of a class without test images.
    pub fn accuracies(&self) -> impl Iterator<Item = Option<f64>> {
        let pairs = self.right.iter().zip(&self.images);
        pairs.map(|(&right, &images)| (images > 0).then(|| share(right as usize, images as usize)))
    }

    /// Balanced accuracy: the mean of the accuracies of all classes that were tested, whatever the number of their
    /// images.
    pub fn balanced(&self) -> Option<f64> {
        mean(&self.accuracies().flatten().collect::<Vec<_>>())
    }

    /// Whether these are counts of this number of classes, no more of them right than there are images.
    pub fn is_of(&self, classes: usize) -> bool {
        let mut pairs = self.right.iter().zip(&self.images);
        [&self.right, &self.images]
            .map(Vec::len)
            .iter()
            .all(|n| *n == classes)
            && pairs.all(|(right, images)| right <= images)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_small_class_counts_as_much_as_a_large_one() {
        let answers = Answers {
            labels: vec![0, 0, 0, 1, 9],
            given: [(Expert::ANSWER, vec![0, 0, 1, 1, 0])].into(),
            ..Answers::default()
        };
        let counts = ClassCounts::of(&answers, Expert::ANSWER, 3);
        let each: Vec<_> = counts.accuracies().collect();
        assert_eq!(each, [Some(2.0 / 3.0), Some(1.0), None]);
        assert_eq!(counts.balanced(), Some((2.0 / 3.0 + 1.0) / 2.0));
        assert!(counts.is_of(3) && !counts.is_of(2));
        assert_eq!(ClassCounts::default().balanced(), None);
    }
}
