//! The images that were answered wrongly, the surest mistakes first.

use super::{Answers, Expert};

/// A test image that an expert answered wrongly.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Wrong {
    /// Its place among the answers.
    pub at: usize,
    /// Its class, by position.
    pub label: usize,
    /// The class that was answered.
    pub given: usize,
    /// How certain the expert was of that; `None` if it was not noted.
    pub certainty: Option<f32>,
}

impl Answers {
    /// How certain an expert was of its answer to the image at this place, where it was noted.
    pub fn certainty_at(&self, expert: Expert, at: usize) -> Option<f32> {
        self.certainty.get(&expert)?.get(at).copied()
    }

    /// Whether it was noted how certain this expert was.
    pub fn has_certainty(&self, expert: Expert) -> bool {
        let noted = self.certainty.get(&expert).map_or(0, Vec::len);
        noted == self.labels.len()
    }

    /// What one expert answered wrongly, in the order of the test images; with `class` only what
    /// is truly of that class.
    pub fn wrong(&self, expert: Expert, class: Option<usize>) -> Vec<Wrong> {
        let pairs = self.labels.iter().zip(self.of(expert)).enumerate();
        let wrong = pairs.filter(|(_, (label, given))| label != given);
        let wanted = wrong.filter(|(_, (label, _))| class.is_none_or(|class| class == **label));
        wanted
            .map(|(at, (&label, &given))| Wrong {
                at,
                label,
                given,
                certainty: self.certainty_at(expert, at),
            })
            .collect()
    }
}

impl Wrong {
    /// Sorts mistakes, the surest first; those of which nothing is noted come last, in their order.
    pub fn sort(list: &mut [Self]) {
        let sure = |wrong: &Self| wrong.certainty.unwrap_or(-1.0);
        list.sort_by(|a, b| sure(b).total_cmp(&sure(a)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_surest_mistakes_come_first_and_right_answers_not_at_all() {
        let answers = Answers {
            samples: (0..5).collect(),
            labels: vec![0, 0, 1, 1, 2],
            given: [(Expert::ANSWER, vec![0, 1, 0, 2, 1])].into(),
            certainty: [(Expert::ANSWER, vec![1.0, 0.5, 0.9, 0.7, 0.9])].into(),
            ..Answers::default()
        };
        assert!(answers.has_certainty(Expert::ANSWER) && !answers.has_certainty(Expert::ONLINE));
        let mut worst = answers.wrong(Expert::ANSWER, None);
        Wrong::sort(&mut worst);
        let places: Vec<usize> = worst.iter().map(|wrong| wrong.at).collect();
        assert_eq!(places, [2, 4, 3, 1]);
        assert_eq!((worst[0].label, worst[0].given), (1, 0));
        let mut of_one = answers.wrong(Expert::ANSWER, Some(1));
        of_one[0].certainty = None;
        Wrong::sort(&mut of_one);
        let places: Vec<usize> = of_one.iter().map(|wrong| wrong.at).collect();
        assert_eq!(places, [3, 2]);
    }
}
