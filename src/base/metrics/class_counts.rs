//! Counts of correct predictions by class.

use serde::{Deserialize, Serialize};

use super::{Expert, Predictions, mean, share};

/// Number of test images of each class, in the run's class order, and number of correct predictions.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ClassCounts {
    /// Number of test images of each class; 0 for a class that was not tested.
    pub images: Vec<u32>,
    /// Number of correct predictions for each class.
    pub right: Vec<u32>,
}

impl ClassCounts {
    /// Counts an expert's predictions for the images of the first `classes` classes.
    pub fn new(predictions: &Predictions, expert: Expert, classes: usize) -> Self {
        let mut counts = Self { images: vec![0; classes], right: vec![0; classes] };
        for (&label, given) in predictions.labels.iter().zip(predictions.for_expert(expert)) {
            if label < classes {
                counts.images[label] += 1;
                counts.right[label] += u32::from(label == *given);
            }
        }
        counts
    }

    /// Returns the accuracy of each class (its recall); `None` for a class without test images.
    pub fn accuracies(&self) -> impl Iterator<Item = Option<f64>> {
        let pairs = self.right.iter().zip(&self.images);
        pairs.map(|(&right, &images)| (images > 0).then(|| share(right as usize, images as usize)))
    }

    /// Returns the balanced accuracy: the mean accuracy of all tested classes, each with equal weight.
    pub fn balanced_accuracy(&self) -> Option<f64> {
        mean(&self.accuracies().flatten().collect::<Vec<_>>())
    }

    /// Returns whether these are valid counts for this number of classes, with no more correct predictions than
    /// images.
    pub fn is_valid_for(&self, classes: usize) -> bool {
        let mut pairs = self.right.iter().zip(&self.images);
        [&self.right, &self.images].map(Vec::len).iter().all(|n| *n == classes)
            && pairs.all(|(right, images)| right <= images)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn balanced_accuracy_weights_classes_equally() {
        let answers = Predictions {
            labels: vec![0, 0, 0, 1, 9],
            given: [(Expert::ANSWER, vec![0, 0, 1, 1, 0])].into(),
            ..Predictions::default()
        };
        let counts = ClassCounts::new(&answers, Expert::ANSWER, 3);
        let each: Vec<_> = counts.accuracies().collect();
        assert_eq!(each, [Some(2.0 / 3.0), Some(1.0), None]);
        assert_eq!(counts.balanced_accuracy(), Some((2.0 / 3.0 + 1.0) / 2.0));
        assert!(counts.is_valid_for(3) && !counts.is_valid_for(2));
        assert_eq!(ClassCounts::default().balanced_accuracy(), None);
    }
}
