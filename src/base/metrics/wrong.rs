//! Incorrect predictions, sorted by their score.

use super::{Answers, Expert};

/// A test image that an expert classified incorrectly.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Misclassification {
    /// Its index among the predictions.
    pub at: usize,
    /// Its true class, by position.
    pub label: usize,
    /// The predicted class.
    pub given: usize,
    /// The score of the prediction; `None` if it was not recorded.
    pub certainty: Option<f32>,
}

impl Answers {
    /// Returns the score of an expert's prediction for the image at this index, if it was recorded.
    pub fn certainty_at(&self, expert: Expert, at: usize) -> Option<f32> {
        self.certainty.get(&expert)?.get(at).copied()
    }

    /// Returns whether the scores of this expert were recorded.
    pub fn has_certainty(&self, expert: Expert) -> bool {
        let noted = self.certainty.get(&expert).map_or(0, Vec::len);
        noted == self.labels.len()
    }

    /// Returns the incorrect predictions of an expert, in the order of the test images; with `class` only for images
    /// of that class.
    pub fn wrong(&self, expert: Expert, class: Option<usize>) -> Vec<Misclassification> {
        let pairs = self.labels.iter().zip(self.of(expert)).enumerate();
        let wrong = pairs.filter(|(_, (label, given))| label != given);
        let wanted = wrong.filter(|(_, (label, _))| class.is_none_or(|class| class == **label));
        wanted
            .map(|(at, (&label, &given))| Misclassification {
                at,
                label,
                given,
                certainty: self.certainty_at(expert, at),
            })
            .collect()
    }
}

impl Misclassification {
    /// Sorts incorrect predictions by score in descending order; those without a score come last, in their order.
    pub fn sort(list: &mut [Self]) {
        let sure = |wrong: &Self| wrong.certainty.unwrap_or(-1.0);
        list.sort_by(|a, b| sure(b).total_cmp(&sure(a)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sorts_misclassifications_by_descending_confidence() {
        let answers = Answers {
            samples: (0..5).collect(),
            labels: vec![0, 0, 1, 1, 2],
            given: [(Expert::ANSWER, vec![0, 1, 0, 2, 1])].into(),
            certainty: [(Expert::ANSWER, vec![1.0, 0.5, 0.9, 0.7, 0.9])].into(),
            ..Answers::default()
        };
        assert!(answers.has_certainty(Expert::ANSWER) && !answers.has_certainty(Expert::ONLINE));
        let mut worst = answers.wrong(Expert::ANSWER, None);
        Misclassification::sort(&mut worst);
        let positions: Vec<usize> = worst.iter().map(|wrong| wrong.at).collect();
        assert_eq!(positions, [2, 4, 3, 1]);
        assert_eq!((worst[0].label, worst[0].given), (1, 0));
        let mut of_one = answers.wrong(Expert::ANSWER, Some(1));
        of_one[0].certainty = None;
        Misclassification::sort(&mut of_one);
        let positions: Vec<usize> = of_one.iter().map(|wrong| wrong.at).collect();
        assert_eq!(positions, [3, 2]);
    }
}
