//! Incorrect predictions, sorted by their score.

use super::{Expert, Predictions};

/// A test image that an expert classified incorrectly.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Misclassification {
    /// Its index among the predictions.
    pub index: usize,
    /// Its true class, by position.
    pub label: usize,
    /// The predicted class.
    pub predicted: usize,
    /// The score of the prediction; `None` if it was not recorded.
    pub certainty: Option<f32>,
}

impl Predictions {
    /// Returns the score of an expert's prediction for the image at this index, if it was recorded.
    pub fn certainty_at(&self, expert: Expert, index: usize) -> Option<f32> {
        self.certainty.get(&expert)?.get(index).copied()
    }

    /// Returns whether the scores of this expert were recorded.
    pub fn has_certainty(&self, expert: Expert) -> bool {
        let recorded = self.certainty.get(&expert).map_or(0, Vec::len);
        recorded == self.labels.len()
    }

    /// Returns the incorrect predictions of an expert, in the order of the test images; with `class` only for images
    /// of that class.
    pub fn misclassified(&self, expert: Expert, class: Option<usize>) -> Vec<Misclassification> {
        let pairs = self.labels.iter().zip(self.for_expert(expert)).enumerate();
        let misclassified = pairs.filter(|(_, (label, given))| label != given);
        let selected =
            misclassified.filter(|(_, (label, _))| class.is_none_or(|class| class == **label));
        selected
            .map(|(index, (&label, &given))| Misclassification {
                index,
                label,
                predicted: given,
                certainty: self.certainty_at(expert, index),
            })
            .collect()
    }
}

impl Misclassification {
    /// Sorts incorrect predictions by score in descending order; those without a score come last, in their order.
    pub fn sort_by_certainty(list: &mut [Self]) {
        let certainty = |misclassified: &Self| misclassified.certainty.unwrap_or(-1.0);
        list.sort_by(|a, b| certainty(b).total_cmp(&certainty(a)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sorts_misclassifications_by_descending_confidence() {
        let answers = Predictions {
            samples: (0..5).collect(),
            labels: vec![0, 0, 1, 1, 2],
            given: [(Expert::ANSWER, vec![0, 1, 0, 2, 1])].into(),
            certainty: [(Expert::ANSWER, vec![1.0, 0.5, 0.9, 0.7, 0.9])].into(),
            ..Predictions::default()
        };
        assert!(answers.has_certainty(Expert::ANSWER) && !answers.has_certainty(Expert::ONLINE));
        let mut worst = answers.misclassified(Expert::ANSWER, None);
        Misclassification::sort_by_certainty(&mut worst);
        let positions: Vec<usize> = worst.iter().map(|wrong| wrong.index).collect();
        assert_eq!(positions, [2, 4, 3, 1]);
        assert_eq!((worst[0].label, worst[0].predicted), (1, 0));
        let mut of_one = answers.misclassified(Expert::ANSWER, Some(1));
        of_one[0].certainty = None;
        Misclassification::sort_by_certainty(&mut of_one);
        let positions: Vec<usize> = of_one.iter().map(|wrong| wrong.index).collect();
        assert_eq!(positions, [3, 2]);
    }
}
