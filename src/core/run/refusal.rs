//! When a run says "none of these": how strange a picture is to an expert, and from where on it is
//! stranger than nearly all test pictures of the classes that the expert knows.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::inside::CrowdInside;
use super::prediction::Opinion;
use crate::metrics::Expert;

/// Of a hundred pictures of known classes, those that are not refused.
pub const KEPT: usize = 95;
/// Fewer pictures say nothing about the last few in a hundred.
const FEWEST: usize = 20;
/// Gauges that hold the threshold of an expert, whose name follows.
const GAUGE: &str = "strange95_";

impl Opinion {
    /// How strange the picture is to the expert: its energy, or for scores without one the doubt, 1
    /// less the probability of the answer.
    pub fn strangeness(&self) -> f32 {
        self.energy.unwrap_or_else(|| 1.0 - self.best().1)
    }
}

/// The strangeness that [`KEPT`] of a hundred pictures do not exceed; none for too few.
pub fn threshold(mut strangeness: Vec<f32>) -> Option<f32> {
    strangeness.retain(|value| value.is_finite());
    strangeness.sort_by(f32::total_cmp);
    let kept = (strangeness.len() * KEPT).div_ceil(100);
    (strangeness.len() >= FEWEST).then(|| strangeness[kept - 1])
}

/// The gauge that holds an expert's threshold.
pub fn gauge(expert: Expert) -> String {
    format!("{GAUGE}{}", expert.name())
}

/// An expert's threshold among the gauges of a task, where it was noted.
pub fn noted(gauges: &BTreeMap<String, f64>, expert: Expert) -> Option<f32> {
    gauges.get(&gauge(expert)).map(|value| *value as f32)
}

/// Pictures refused, of so many.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Refused {
    /// Those refused.
    pub refused: usize,
    /// All of them.
    pub pictures: usize,
}

impl Refused {
    fn among(strangeness: impl Iterator<Item = f32>, threshold: f32) -> Option<Self> {
        let (mut refused, mut pictures) = (0, 0);
        for value in strangeness {
            pictures += 1;
            refused += usize::from(value > threshold);
        }
        (pictures > 0).then_some(Self { refused, pictures })
    }

    /// The share refused.
    pub fn share(&self) -> f64 {
        self.refused as f64 / self.pictures.max(1) as f64
    }
}

/// When an expert says "none of these" after a task, and how often it does.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Refusal {
    /// What is stranger is refused.
    pub threshold: f32,
    /// Of a sample of test pictures those of classes known by then; none where it was not looked at.
    pub known: Option<Refused>,
    /// Of that sample those of classes that were not learned yet; none where there are none.
    pub later: Option<Refused>,
}

impl Refusal {
    /// That of an expert after a task. The threshold is the one noted after testing, else, for runs
    /// of older versions, that of the sample. None where neither tells.
    pub fn of(noted: Option<f32>, crowd: Option<&CrowdInside>, expert: Expert) -> Option<Self> {
        let sample = crowd.and_then(|crowd| Some((crowd, crowd.strangeness_of(expert)?)));
        let known = |at: &usize| sample.is_some_and(|(crowd, _)| crowd.labels[*at] < crowd.known);
        let pick = |wanted: bool| -> Vec<f32> {
            let values = sample.map_or(&[][..], |(_, values)| values);
            let all = (0..values.len()).filter(|at| known(at) == wanted);
            all.map(|at| values[at]).collect()
        };
        let threshold = match noted {
            Some(noted) => noted,
            None => threshold(pick(true))?,
        };
        Some(Self {
            threshold,
            known: Refused::among(pick(true).into_iter(), threshold),
            later: Refused::among(pick(false).into_iter(), threshold),
        })
    }

    /// Whether the expert with this opinion says "none of these".
    pub fn refuses(&self, opinion: &Opinion) -> bool {
        opinion.strangeness() > self.threshold
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn crowd(labels: Vec<usize>, strangeness: Vec<f32>) -> CrowdInside {
        CrowdInside {
            places: Vec::new(),
            labels,
            given: Vec::new(),
            known: 2,
            maps: Vec::new(),
            energies: Vec::new(),
            strangeness: vec![(Expert::Answer, strangeness)],
        }
    }

    #[test]
    fn five_of_a_hundred_known_pictures_lie_above_the_threshold() {
        let values: Vec<f32> = (0..100).map(|v| v as f32).rev().collect();
        assert_eq!(threshold(values), Some(94.0));
        assert_eq!(threshold(vec![1.0; 19]), None);
        assert_eq!(threshold(vec![f32::NAN; 40]), None);
    }

    #[test]
    fn what_is_refused_is_counted_for_known_and_later_classes_apart() {
        let labels = (0..60).map(|at| usize::from(at >= 40) * 2).collect();
        let values = (0..60).map(|at| at as f32).collect();
        let crowd = crowd(labels, values);
        let found = Refusal::of(None, Some(&crowd), Expert::Answer);
        let wanted = Refusal {
            threshold: 37.0,
            known: Some(Refused {
                refused: 2,
                pictures: 40,
            }),
            later: Some(Refused {
                refused: 20,
                pictures: 20,
            }),
        };
        assert_eq!(found, Some(wanted));
        assert_eq!(Refusal::of(None, Some(&crowd), Expert::Online), None);
        assert_eq!(Refusal::of(None, None, Expert::Answer), None);
    }

    #[test]
    fn scores_without_an_energy_are_judged_by_their_doubt() {
        let mut opinion = Opinion {
            expert: Expert::Answer,
            class: 1,
            probabilities: vec![0.25, 0.75],
            energy: None,
        };
        assert_eq!(opinion.strangeness(), 0.25);
        opinion.energy = Some(-3.0);
        assert_eq!(opinion.strangeness(), -3.0);
    }
}
