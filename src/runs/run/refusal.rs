//! When a run says "none of these": how strange an image is to an expert, and from where on it is
//! stranger than nearly all test images of the classes that the expert knows.
//!
//! The threshold comes from all these images. How often it refuses an image of a known class is
//! measured by cross-fitting (Stone, Cross-validatory Choice and Assessment of Statistical Predictions,
//! Journal of the Royal Statistical Society B, 1974): a fifth of them against the limit of the others.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::inside::ProbeInside;
use super::prediction::Opinion;
use crate::metrics::Expert;

/// Of a hundred images of known classes, those that are not refused.
pub const KEPT: usize = 95;
/// Fewer images say nothing about the last few in a hundred.
const FEWEST: usize = 20;
/// Parts that known images are dealt into, each compared with the limit of the others.
const PARTS: u8 = 5;
/// How the measurement with the threshold of an expert begins; the expert's name follows.
const THRESHOLD: &str = "strange95_";
/// The same for how many known images were refused, and of how many.
const REFUSED: &str = "refused95_";
const JUDGED: &str = "judged95_";

impl Opinion {
    /// How strange the image is to the expert: its energy, or for scores without one the doubt, 1
    /// less the score of the answer.
    pub fn strangeness(&self) -> f32 {
        self.energy.unwrap_or_else(|| 1.0 - self.best().1)
    }
}

/// A test image of a known class: its place (its source and its index there), and how strange it is.
pub type Known = ((usize, usize), f32);

/// The strangeness that [`KEPT`] of a hundred of these do not exceed; `None` if there are none.
fn limit(strangeness: impl Iterator<Item = f32>) -> Option<f32> {
    let mut finite: Vec<f32> = strangeness.filter(|value| value.is_finite()).collect();
    finite.sort_by(f32::total_cmp);
    let kept = (finite.len() * KEPT).div_ceil(100);
    finite.get(kept.checked_sub(1)?).copied()
}

/// The part that an image is in: by a hash of its place, so the same in every task and version.
fn part((source, index): (usize, usize)) -> u8 {
    let hash: [u8; 32] = Sha256::digest(format!("{source}/{index}")).into();
    hash[0] % PARTS
}

/// The strangeness that [`KEPT`] of a hundred known images do not exceed, and how many known images
/// are refused: [`PARTS`] parts of them are held each against what the others make the limit, since on
/// the images it was chosen on a limit refuses 5 of 100 whatever it is worth. `None` for too few.
pub fn chosen(known: &[Known]) -> Option<(f32, Refused)> {
    if known.iter().filter(|(_, value)| value.is_finite()).count() < FEWEST {
        return None;
    }
    let parts: Vec<u8> = known.iter().map(|(place, _)| part(*place)).collect();
    let values_of = |wanted: &dyn Fn(u8) -> bool| -> Vec<f32> {
        let all = known.iter().zip(&parts);
        let mine = all.filter(|(_, part)| wanted(**part));
        mine.map(|((_, value), _)| *value).collect()
    };
    let mut all = Refused::default();
    for part in 0..PARTS {
        let others = values_of(&|other| other != part).into_iter();
        let own = values_of(&|other| other == part).into_iter();
        let found = limit(others).and_then(|limit| Refused::among(own, limit));
        all.add(found.unwrap_or_default());
    }
    let limit = limit(known.iter().map(|(_, value)| *value))?;
    Some((limit, all))
}

/// What testing notes of an expert among a task's measurements; nothing for too few images.
pub fn measurements_of(expert: Expert, known: &[Known]) -> Vec<(String, f64)> {
    let Some((threshold, all)) = chosen(known) else {
        return Vec::new();
    };
    let name = expert.name();
    vec![
        (threshold_name(expert), f64::from(threshold)),
        (format!("{REFUSED}{name}"), all.refused as f64),
        (format!("{JUDGED}{name}"), all.pictures as f64),
    ]
}

/// The name of the measurement that holds an expert's threshold.
pub fn threshold_name(expert: Expert) -> String {
    format!("{THRESHOLD}{}", expert.name())
}

/// An expert's threshold among the measurements of a task, where it was noted.
fn noted(measurements: &BTreeMap<String, f64>, expert: Expert) -> Option<f32> {
    measurements
        .get(&threshold_name(expert))
        .map(|value| *value as f32)
}

/// How many known images were refused when the threshold was noted; runs of older versions did not
/// note it.
fn noted_rate(measurements: &BTreeMap<String, f64>, expert: Expert) -> Option<Refused> {
    let count = |of: &str| {
        let value = measurements.get(&format!("{of}{}", expert.name()))?;
        Some(*value as usize)
    };
    let (refused, pictures) = (count(REFUSED)?, count(JUDGED)?);
    (pictures > 0).then_some(Refused { refused, pictures })
}

/// Images refused, and their total.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
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

    fn add(&mut self, other: Self) {
        self.refused += other.refused;
        self.pictures += other.pictures;
    }

    /// The share refused.
    pub fn share(&self) -> f64 {
        self.refused as f64 / self.pictures.max(1) as f64
    }
}

/// On which images it was counted how many of known classes are refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Measured {
    /// Each part of the test images was compared with the limit of the others.
    CrossFitted,
    /// On those that the threshold was chosen on, as for runs of older versions: 5 of 100 by
    /// construction, which says nothing about other images.
    SamePictures,
}

/// When an expert says "none of these" after a task, and how often it does.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Refusal {
    /// What is stranger is refused.
    pub threshold: f32,
    /// Of test images of classes known by then those refused; `None` if it was not looked at.
    pub known: Option<Refused>,
    /// How that was measured.
    pub measured: Measured,
    /// Of a sample of test images those of classes that were not learned yet; `None` if there are
    /// none, or it was not looked at.
    pub later: Option<Refused>,
}

impl Refusal {
    /// That of an expert after a task. Threshold and refused images of known classes are those
    /// noted among the task's measurements after testing; for runs of older versions those of the sample.
    /// `None` if neither is known.
    pub fn of(
        measurements: Option<&BTreeMap<String, f64>>,
        probe: Option<&ProbeInside>,
        expert: Expert,
    ) -> Option<Self> {
        let (mut known, mut later): (Vec<Known>, Vec<f32>) = Default::default();
        let sample = probe.and_then(|probe| Some((probe, probe.strangeness_of(expert)?)));
        for (probe, at, value) in sample.into_iter().flat_map(|(probe, values)| {
            (0..)
                .zip(values)
                .map(move |(at, value)| (probe, at, *value))
        }) {
            match probe.labels[at] < probe.known {
                true => known.push((probe.places[at], value)),
                false => later.push(value),
            }
        }
        let noted = measurements
            .and_then(|measurements| Some((measurements, noted(measurements, expert)?)));
        let (threshold, known, measured) = match noted {
            Some((measurements, threshold)) => match noted_rate(measurements, expert) {
                Some(rate) => (threshold, Some(rate), Measured::CrossFitted),
                None => {
                    let values = known.iter().map(|(_, value)| *value);
                    let counted = Refused::among(values, threshold);
                    (threshold, counted, Measured::SamePictures)
                }
            },
            None => {
                let (threshold, rate) = chosen(&known)?;
                (threshold, Some(rate), Measured::CrossFitted)
            }
        };
        Some(Self {
            threshold,
            known,
            measured,
            later: Refused::among(later.into_iter(), threshold),
        })
    }

    /// Whether the expert with this opinion says "none of these".
    pub fn refuses(&self, opinion: &Opinion) -> bool {
        opinion.strangeness() > self.threshold
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::data::rng::{Purpose, Rng};

    fn probe(labels: Vec<usize>, strangeness: Vec<f32>) -> ProbeInside {
        ProbeInside {
            places: (0..labels.len()).map(|at| (0, at)).collect(),
            labels,
            given: Vec::new(),
            known: 2,
            maps: Vec::new(),
            energies: Vec::new(),
            strangeness: vec![(Expert::ANSWER, strangeness)],
        }
    }

    fn at_places(values: impl IntoIterator<Item = f32>) -> Vec<Known> {
        let values = values.into_iter().enumerate();
        values.map(|(at, value)| ((0, at), value)).collect()
    }

    fn threshold(values: impl IntoIterator<Item = f32>) -> Option<f32> {
        chosen(&at_places(values)).map(|(threshold, _)| threshold)
    }

    #[test]
    fn five_of_a_hundred_known_pictures_lie_above_the_threshold() {
        assert_eq!(threshold((0..100).map(|v| v as f32).rev()), Some(94.0));
        assert_eq!(threshold([1.0; 19]), None);
        assert_eq!(threshold([f32::NAN; 40]), None);
    }

    /// 40 images make the 38th smallest of them the limit: of others 3 of 41 are above it, but of
    /// themselves 2 of 40. A limit of about 32 is exceeded by 2 of 33, give or take.
    #[test]
    fn what_is_refused_is_counted_on_pictures_that_did_not_choose() {
        let (mut fitted, mut fresh, mut same) = (0.0, 0.0, 0.0);
        const RUNS: u64 = 400;
        for run in 0..RUNS {
            let mut rng = Rng::new(Purpose::Split, run, 0, 0);
            let mut draw = |count| -> Vec<f32> { (0..count).map(|_| rng.unit() as f32).collect() };
            let known = at_places(draw(40));
            let (limit, rate) = chosen(&known).unwrap();
            assert_eq!(rate.pictures, 40, "every picture is judged once");
            let refused =
                |values: Vec<f32>| Refused::among(values.into_iter(), limit).unwrap().share();
            fitted += rate.share() / RUNS as f64;
            fresh += refused(draw(1000)) / RUNS as f64;
            same += refused(known.iter().map(|(_, value)| *value).collect()) / RUNS as f64;
        }
        assert!((same - 0.05).abs() < 1e-9, "{same}");
        assert!((fresh - 3.0 / 41.0).abs() < 0.01, "{fresh}");
        assert!((fitted - 2.0 / 33.0).abs() < 0.01, "{fitted}");
    }

    #[test]
    fn a_picture_stays_in_its_part() {
        let parts: Vec<u8> = (0..6).map(|index| part((0, index))).collect();
        assert_eq!(parts, [0, 4, 2, 1, 2, 4]);
        let mut counts = [0; PARTS as usize];
        (0..1000).for_each(|index| counts[usize::from(part((1, index)))] += 1);
        assert!(counts.iter().all(|count| *count > 150), "{counts:?}");
    }

    #[test]
    fn what_is_refused_is_counted_for_known_and_later_classes_apart() {
        let labels = (0..60).map(|at| usize::from(at >= 40) * 2).collect();
        let values: Vec<f32> = (0..60).map(|at| at as f32).collect();
        let probe = probe(labels, values.clone());
        let refusal = |measurements: Option<&BTreeMap<String, f64>>| {
            Refusal::of(measurements, Some(&probe), Expert::ANSWER).unwrap()
        };
        let (_, rate) = chosen(&at_places(values[..40].iter().copied())).unwrap();
        let later = Some(Refused {
            refused: 20,
            pictures: 20,
        });
        let wanted = Refusal {
            threshold: 37.0,
            known: Some(rate),
            measured: Measured::CrossFitted,
            later,
        };
        assert_eq!(refusal(None), wanted);
        // Older versions noted the threshold alone: what the sample shows is of the same images.
        let older = BTreeMap::from([(threshold_name(Expert::ANSWER), 37.0)]);
        let same = Refusal {
            known: Some(Refused {
                refused: 2,
                pictures: 40,
            }),
            measured: Measured::SamePictures,
            ..wanted
        };
        assert_eq!(refusal(Some(&older)), same);
        let mut newer = older;
        newer.extend([
            ("refused95_answer".into(), 9.0),
            ("judged95_answer".into(), 100.0),
        ]);
        let noted = Some(Refused {
            refused: 9,
            pictures: 100,
        });
        assert_eq!(
            (refusal(Some(&newer)).known, refusal(Some(&newer)).later),
            (noted, later)
        );
        assert_eq!(Refusal::of(None, Some(&probe), Expert::ONLINE), None);
        assert_eq!(Refusal::of(None, None, Expert::ANSWER), None);
    }

    #[test]
    fn scores_without_an_energy_are_judged_by_their_doubt() {
        let mut opinion = Opinion {
            expert: Expert::ANSWER,
            class: 1,
            probabilities: vec![0.25, 0.75],
            energy: None,
        };
        assert_eq!(opinion.strangeness(), 0.25);
        opinion.energy = Some(-3.0);
        assert_eq!(opinion.strangeness(), -3.0);
    }
}
