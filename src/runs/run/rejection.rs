//! When a run answers "none of these" (out-of-distribution detection): the out-of-distribution score of an image, which
//! files and code call strangeness, exceeds that of nearly all test images of known classes.
//!
//! The threshold is computed from all these images. The share of images of known classes that it rejects is measured by
//! cross-fitting (Stone, Cross-validatory Choice and Assessment of Statistical Predictions, Journal of the Royal
//! Statistical Society B, 1974): each fifth is compared with the threshold of the other four.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::inside::ProbeInspection;
use super::prediction::ClassPrediction;
use crate::metrics::Expert;

/// Percentage of images of known classes that the threshold accepts.
pub const ACCEPTED_PERCENT: usize = 95;
/// Minimum number of images: with fewer, the upper percentiles are unreliable.
const MIN_IMAGES: usize = 20;
/// Number of folds; each is compared with the threshold of the others.
const FOLDS: u8 = 5;
/// Prefix of the measurement with the threshold of an expert; the expert's name follows.
const THRESHOLD_PREFIX: &str = "strange95_";
/// Prefixes of the numbers of rejected images and of all images of known classes.
const REJECTED_PREFIX: &str = "refused95_";
const TOTAL_PREFIX: &str = "judged95_";

impl ClassPrediction {
    /// Returns the out-of-distribution score of the image: its energy, or for scores without one, 1 minus the score of
    /// the predicted class.
    pub fn strangeness(&self) -> f32 {
        self.energy.unwrap_or_else(|| 1.0 - self.best().1)
    }
}

/// A test image of a known class: its source and index, and its strangeness.
pub type KnownImage = ((usize, usize), f32);

/// Returns the strangeness that [`ACCEPTED_PERCENT`] percent of the images do not exceed; `None` if there are none.
fn acceptance_threshold(strangeness: impl Iterator<Item = f32>) -> Option<f32> {
    let mut finite: Vec<f32> = strangeness.filter(|value| value.is_finite()).collect();
    finite.sort_by(f32::total_cmp);
    let accepted = (finite.len() * ACCEPTED_PERCENT).div_ceil(100);
    finite.get(accepted.checked_sub(1)?).copied()
}

/// Returns the fold of an image. It is a hash of the image's position, so it is the same in all tasks and versions.
fn fold_of((source, index): (usize, usize)) -> u8 {
    let hash: [u8; 32] = Sha256::digest(format!("{source}/{index}")).into();
    hash[0] % FOLDS
}

/// Returns the threshold and the number of rejected images of known classes; `None` for too few images. The number is
/// cross-fitted over [`FOLDS`] folds, since a threshold always rejects 5 % of the images that it was computed from.
pub fn fit_threshold(known: &[KnownImage]) -> Option<(f32, RejectionCount)> {
    if known.iter().filter(|(_, value)| value.is_finite()).count() < MIN_IMAGES {
        return None;
    }
    let folds: Vec<u8> = known.iter().map(|(position, _)| fold_of(*position)).collect();
    let mut total = RejectionCount::default();
    for fold in 0..FOLDS {
        let values = |held_out: bool| {
            let images = known.iter().zip(&folds);
            let selected = images.filter(move |(_, image_fold)| (**image_fold == fold) == held_out);
            selected.map(|((_, value), _)| *value)
        };
        let rejections = acceptance_threshold(values(false))
            .and_then(|threshold| RejectionCount::from_strangeness(values(true), threshold));
        total.add(rejections.unwrap_or_default());
    }
    let threshold = acceptance_threshold(known.iter().map(|(_, value)| *value))?;
    Some((threshold, total))
}

/// Returns the measurements of an expert after testing; empty for too few images.
pub fn measurements_of(expert: Expert, known: &[KnownImage]) -> Vec<(String, f64)> {
    let Some((threshold, counts)) = fit_threshold(known) else {
        return Vec::new();
    };
    let name = expert.key();
    vec![
        (threshold_name(expert), f64::from(threshold)),
        (format!("{REJECTED_PREFIX}{name}"), counts.refused as f64),
        (format!("{TOTAL_PREFIX}{name}"), counts.pictures as f64),
    ]
}

/// Returns the name of the measurement with an expert's threshold.
pub fn threshold_name(expert: Expert) -> String {
    format!("{THRESHOLD_PREFIX}{}", expert.key())
}

/// Returns an expert's threshold from the measurements of a task, if it was recorded.
fn recorded_threshold(measurements: &BTreeMap<String, f64>, expert: Expert) -> Option<f32> {
    measurements.get(&threshold_name(expert)).map(|value| *value as f32)
}

/// Returns the recorded number of rejected images of known classes; runs of older versions do not have it.
fn recorded_rejections(
    measurements: &BTreeMap<String, f64>,
    expert: Expert,
) -> Option<RejectionCount> {
    let count = |prefix: &str| {
        let value = measurements.get(&format!("{prefix}{}", expert.key()))?;
        Some(*value as usize)
    };
    let (refused, pictures) = (count(REJECTED_PREFIX)?, count(TOTAL_PREFIX)?);
    (pictures > 0).then_some(RejectionCount { refused, pictures })
}

/// Number of rejected images, and the total.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RejectionCount {
    /// Rejected images.
    pub refused: usize,
    /// All images.
    pub pictures: usize,
}

impl RejectionCount {
    fn from_strangeness(strangeness: impl Iterator<Item = f32>, threshold: f32) -> Option<Self> {
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

    /// Returns the share of rejected images.
    pub fn share(&self) -> f64 {
        self.refused as f64 / self.pictures.max(1) as f64
    }
}

/// Which images the rejections of known classes were counted on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CountedOn {
    /// Each fold of the test images was compared with the threshold of the others.
    CrossFitted,
    /// The images that the threshold was computed from, as in runs of older versions: 5 of 100 by construction, which
    /// says nothing about other images.
    SamePictures,
}

/// The threshold of an expert after a task, and how often it rejects images.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct RejectionThreshold {
    /// Images with a higher strangeness are rejected.
    pub threshold: f32,
    /// Rejected test images of classes known at that time; `None` if they were not counted.
    pub known: Option<RejectionCount>,
    /// How `known` was measured.
    pub measured: CountedOn,
    /// Rejected images among a sample of test images of classes not learned yet; `None` if there are none or they were
    /// not counted.
    pub later: Option<RejectionCount>,
}

impl RejectionThreshold {
    /// Returns the threshold of an expert after a task. Threshold and rejected images of known classes are those
    /// recorded after testing; for runs of older versions, those of the sample. `None` if neither is known.
    pub fn from_measurements(
        measurements: Option<&BTreeMap<String, f64>>,
        probe: Option<&ProbeInspection>,
        expert: Expert,
    ) -> Option<Self> {
        let (mut known, mut later): (Vec<KnownImage>, Vec<f32>) = Default::default();
        if let Some(probe) = probe {
            let values = probe.strangeness_of(expert).unwrap_or_default();
            for (index, value) in values.iter().enumerate() {
                match probe.labels[index] < probe.known {
                    true => known.push((probe.places[index], *value)),
                    false => later.push(*value),
                }
            }
        }
        let recorded = measurements.and_then(|measurements| {
            Some((measurements, recorded_threshold(measurements, expert)?))
        });
        let (threshold, known, measured) = match recorded {
            Some((measurements, threshold)) => match recorded_rejections(measurements, expert) {
                Some(rate) => (threshold, Some(rate), CountedOn::CrossFitted),
                None => {
                    let values = known.iter().map(|(_, value)| *value);
                    let rejections = RejectionCount::from_strangeness(values, threshold);
                    (threshold, rejections, CountedOn::SamePictures)
                }
            },
            None => {
                let (threshold, rate) = fit_threshold(&known)?;
                (threshold, Some(rate), CountedOn::CrossFitted)
            }
        };
        Some(Self {
            threshold,
            known,
            measured,
            later: RejectionCount::from_strangeness(later.into_iter(), threshold),
        })
    }

    /// Returns whether an expert with this prediction answers "none of these".
    pub fn rejects(&self, prediction: &ClassPrediction) -> bool {
        prediction.strangeness() > self.threshold
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::rng::{Purpose, Rng};

    fn probe(labels: Vec<usize>, strangeness: Vec<f32>) -> ProbeInspection {
        ProbeInspection {
            places: (0..labels.len()).map(|index| (0, index)).collect(),
            labels,
            given: Vec::new(),
            known: 2,
            maps: Vec::new(),
            energies: Vec::new(),
            strangeness: vec![(Expert::ANSWER, strangeness)],
        }
    }

    fn with_indices(values: impl IntoIterator<Item = f32>) -> Vec<KnownImage> {
        let values = values.into_iter().enumerate();
        values.map(|(index, value)| ((0, index), value)).collect()
    }

    fn threshold(values: impl IntoIterator<Item = f32>) -> Option<f32> {
        fit_threshold(&with_indices(values)).map(|(threshold, _)| threshold)
    }

    #[test]
    fn five_percent_of_known_images_exceed_the_threshold() {
        assert_eq!(threshold((0..100).map(|v| v as f32).rev()), Some(94.0));
        assert_eq!(threshold([1.0; 19]), None);
        assert_eq!(threshold([f32::NAN; 40]), None);
    }

    /// With 40 images, the threshold is the 38th smallest value: 2 of these 40 images are above it, but 3 of 41 other
    /// images on average. A threshold from about 32 images is exceeded by about 2 of 33.
    #[test]
    fn rejections_are_counted_on_held_out_images() {
        let (mut fitted, mut fresh, mut same) = (0.0, 0.0, 0.0);
        const RUNS: u64 = 400;
        for run in 0..RUNS {
            let mut rng = Rng::new(Purpose::Split, run, 0, 0);
            let mut draw = |count| -> Vec<f32> { (0..count).map(|_| rng.unit() as f32).collect() };
            let known = with_indices(draw(40));
            let (limit, rate) = fit_threshold(&known).unwrap();
            assert_eq!(rate.pictures, 40, "every image is counted once");
            let rejected_share = |values: Vec<f32>| {
                RejectionCount::from_strangeness(values.into_iter(), limit).unwrap().share()
            };
            fitted += rate.share() / RUNS as f64;
            fresh += rejected_share(draw(1000)) / RUNS as f64;
            same += rejected_share(known.iter().map(|(_, value)| *value).collect()) / RUNS as f64;
        }
        assert!((same - 0.05).abs() < 1e-9, "{same}");
        assert!((fresh - 3.0 / 41.0).abs() < 0.01, "{fresh}");
        assert!((fitted - 2.0 / 33.0).abs() < 0.01, "{fitted}");
    }

    #[test]
    fn folds_are_fixed_and_balanced() {
        let folds: Vec<u8> = (0..6).map(|index| fold_of((0, index))).collect();
        assert_eq!(folds, [0, 4, 2, 1, 2, 4]);
        let mut counts = [0; FOLDS as usize];
        (0..1000).for_each(|index| counts[usize::from(fold_of((1, index)))] += 1);
        assert!(counts.iter().all(|count| *count > 150), "{counts:?}");
    }

    #[test]
    fn known_and_later_classes_have_separate_rejection_counts() {
        let labels = (0..60).map(|index| usize::from(index >= 40) * 2).collect();
        let values: Vec<f32> = (0..60).map(|index| index as f32).collect();
        let probe = probe(labels, values.clone());
        let threshold = |measurements: Option<&BTreeMap<String, f64>>| {
            RejectionThreshold::from_measurements(measurements, Some(&probe), Expert::ANSWER)
                .unwrap()
        };
        let (_, rate) = fit_threshold(&with_indices(values[..40].iter().copied())).unwrap();
        let later = Some(RejectionCount { refused: 20, pictures: 20 });
        let expected = RejectionThreshold {
            threshold: 37.0,
            known: Some(rate),
            measured: CountedOn::CrossFitted,
            later,
        };
        assert_eq!(threshold(None), expected);
        // Older versions recorded only the threshold: the rejections of the sample are on the same images.
        let older = BTreeMap::from([(threshold_name(Expert::ANSWER), 37.0)]);
        let same = RejectionThreshold {
            known: Some(RejectionCount { refused: 2, pictures: 40 }),
            measured: CountedOn::SamePictures,
            ..expected
        };
        assert_eq!(threshold(Some(&older)), same);
        let mut newer = older;
        newer.extend([("refused95_answer".into(), 9.0), ("judged95_answer".into(), 100.0)]);
        let recorded = Some(RejectionCount { refused: 9, pictures: 100 });
        assert_eq!(
            (threshold(Some(&newer)).known, threshold(Some(&newer)).later),
            (recorded, later)
        );
        assert_eq!(RejectionThreshold::from_measurements(None, Some(&probe), Expert::ONLINE), None);
        assert_eq!(RejectionThreshold::from_measurements(None, None, Expert::ANSWER), None);
    }

    #[test]
    fn strangeness_without_energy_is_one_minus_the_best_score() {
        let mut prediction = ClassPrediction {
            expert: Expert::ANSWER,
            class: 1,
            probabilities: vec![0.25, 0.75],
            energy: None,
        };
        assert_eq!(prediction.strangeness(), 0.25);
        prediction.energy = Some(-3.0);
        assert_eq!(prediction.strangeness(), -3.0);
    }
}
