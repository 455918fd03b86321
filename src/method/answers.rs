//! The two steps of an answer: the input of the heads for a batch of images, and the answers of a method's experts,
//! computed from their logits or scores.
//!
//! Answers are per image, never per batch. Every choice is an argmax; among equal values the lowest class wins.

use std::ops::Range;

use burn::tensor::Tensor;

use crate::backbone::Backbone;
use crate::metrics::{ByExpert, Expert};
use crate::pet::PetStack;
use crate::problem::{Problem, Result};
use crate::run::event::ClassPrediction;
use crate::tensors::{HostTensor, not_finite_problem};

/// The answer of a method for one image.
#[derive(Clone, Debug, PartialEq)]
pub struct Answer {
    /// One prediction for each expert of the method, in their order; the last one is the answer.
    pub predictions: Vec<ClassPrediction>,
    /// The expert that decided.
    pub decided_by: Expert,
    /// A score for each class; when the task is given, the highest score within the task decides.
    pub scores: Vec<f32>,
}

/// Divisor of cosines before the softmax that converts them to probabilities.
pub const TEMPERATURE: f32 = 0.05;

impl Answer {
    /// Returns the answer of a single expert: the highest score, with its softmax as probabilities.
    pub fn from_logits(expert: Expert, logits: &[f32]) -> Self {
        Self {
            predictions: vec![predict_class(expert, logits)],
            decided_by: expert,
            scores: logits.to_vec(),
        }
    }

    /// Returns the answer of an expert from its cosines, with probabilities as in [`answers_from_cosines`].
    pub fn from_cosines(expert: Expert, row: &[f32]) -> Self {
        let logits: Vec<f32> = row.iter().map(|cosine| cosine / TEMPERATURE).collect();
        let prediction = predict_class(expert, &logits);
        Self {
            predictions: vec![ClassPrediction { class: argmax(row), energy: None, ..prediction }],
            decided_by: expert,
            scores: row.to_vec(),
        }
    }

    /// Returns the answer if all values are finite; among NaNs the first class would always win.
    ///
    /// # Errors
    /// Returns a Problem if a score or probability is not finite.
    pub fn ensure_finite(self) -> Result<Self> {
        let probabilities = self.predictions.iter().flat_map(|o| &o.probabilities);
        if probabilities.chain(&self.scores).any(|value| value.is_nan()) {
            return Err(not_finite_problem("the output of the experts"));
        }
        Ok(self)
    }

    /// Merges output positions that belong to the same class, which occur if an added task has more images of a known
    /// class. `repeated_classes` lists pairs of (position, position of its class). The class gets the larger of the two
    /// probabilities; the scores are unchanged.
    #[must_use]
    pub fn merge_repeated_classes(mut self, repeated_classes: &[(usize, usize)]) -> Self {
        for prediction in &mut self.predictions {
            for &(position, class_position) in repeated_classes {
                let Some(probability) = prediction.probabilities.get_mut(position) else {
                    continue;
                };
                let probability = std::mem::take(probability);
                if let Some(class_probability) = prediction.probabilities.get_mut(class_position) {
                    *class_probability = class_probability.max(probability);
                }
                if prediction.class == position {
                    prediction.class = class_position;
                }
            }
        }
        self
    }

    /// Returns the predicted class when the task of the image is given.
    pub fn predict_within(&self, task: &Range<usize>) -> usize {
        let scores = self.scores.get(task.clone()).unwrap_or_default();
        task.start + argmax(scores)
    }
}

/// Returns one answer per row of logits (batch × classes) of a single expert.
///
/// # Errors
/// Returns a Problem if the device failed.
pub fn answers_from_logits(expert: Expert, logits: &Tensor<2>) -> Result<Vec<Answer>> {
    let rows = read_rows(logits)?;
    Ok(rows.iter().map(|row| Answer::from_logits(expert, row)).collect())
}

/// Returns one answer per row of cosines (batch × classes) of a single expert. For display only, a softmax with a
/// [`TEMPERATURE`] converts them to probabilities; they have no energy.
///
/// # Errors
/// Returns a Problem if the device failed.
pub fn answers_from_cosines(expert: Expert, cosines: &Tensor<2>) -> Result<Vec<Answer>> {
    let rows = read_rows(cosines)?;
    let answers = rows.iter().map(|row| Answer::from_cosines(expert, row));
    Ok(answers.collect())
}

/// Returns the rows of a matrix, read from its device.
///
/// # Errors
/// Returns a Problem if the device failed.
pub fn read_rows(matrix: &Tensor<2>) -> Result<Vec<Vec<f32>>> {
    let columns = matrix.dims()[1].max(1);
    let values = HostTensor::read(matrix)?.values;
    Ok(values.chunks_exact(columns).map(<[f32]>::to_vec).collect())
}

/// Returns the index of the first maximum; 0 for an empty slice.
pub fn argmax(values: &[f32]) -> usize {
    let mut best = (0, f32::NEG_INFINITY);
    for (index, &value) in values.iter().enumerate() {
        if value > best.1 {
            best = (index, value);
        }
    }
    best.0
}

/// Returns an expert's prediction from one row of logits: the softmax (in f64, relative to the largest logit) and the
/// energy −logsumexp.
pub fn predict_class(expert: Expert, logits: &[f32]) -> ClassPrediction {
    let (largest, sum, shifted) = exponentials(logits);
    let probabilities: Vec<f32> = shifted.iter().map(|e| (e / sum) as f32).collect();
    ClassPrediction {
        expert,
        class: argmax(&probabilities),
        probabilities,
        energy: Some(-(f64::from(largest) + sum.ln()) as f32),
    }
}

/// Returns the log-softmax of one row of logits, which distinguishes small values better than the softmax.
pub fn log_probabilities(logits: &[f32]) -> Vec<f32> {
    let (top, sum, _) = exponentials(logits);
    let log_sum = f64::from(top) + sum.ln();
    let each = logits.iter();
    each.map(|&l| (f64::from(l) - log_sum) as f32).collect()
}

/// Returns the largest logit, the sum of exp(logit − largest), and these exponentials.
fn exponentials(logits: &[f32]) -> (f32, f64, Vec<f64>) {
    let largest = logits.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let shifted: Vec<f64> = logits.iter().map(|&l| f64::from(l - largest).exp()).collect();
    (largest, shifted.iter().sum(), shifted)
}

/// The input of the heads for a batch of images. Each expert with its own features has one part (batch × width), or
/// several if its heads use different features (EASE's subspaces, ESN's stages).
#[derive(Clone, Debug, Default)]
pub struct Features(ByExpert<Vec<Tensor<2>>>);

impl Features {
    /// Returns the features of a single expert.
    pub fn single(features: Tensor<2>) -> Self {
        Self::default().with_expert(Expert::ANSWER, vec![features])
    }

    /// Adds the features of one more expert.
    #[must_use]
    pub fn with_expert(mut self, expert: Expert, parts: Vec<Tensor<2>>) -> Self {
        self.0.insert(expert, parts);
        self
    }

    /// Returns the parts of an expert; empty for an expert without its own features.
    pub fn parts(&self, expert: Expert) -> &[Tensor<2>] {
        self.0.get(&expert).map_or(&[], Vec::as_slice)
    }

    /// Returns all parts of an expert, concatenated.
    ///
    /// # Errors
    /// Returns a Problem if it has none.
    pub fn concatenated(&self, expert: Expert) -> Result<Tensor<2>> {
        match self.parts(expert) {
            [] => Err(Problem::new(format!("the {} expert has no features", expert.key()))),
            [only] => Ok(only.clone()),
            parts => Ok(Tensor::cat(parts.to_vec(), 1)),
        }
    }

    /// Returns the experts with their own features, in order.
    pub fn experts(&self) -> impl Iterator<Item = Expert> {
        self.0.keys().copied()
    }
}

/// Returns the features of the backbone without PETs (batch × width).
///
/// # Errors
/// As [`Backbone::features`].
pub fn plain_features(backbone: &dyn Backbone, images: Tensor<4>) -> Result<Tensor<2>> {
    backbone.features(images, &PetStack::empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn energy_is_negative_logsumexp_without_overflow() {
        let o = predict_class(Expert::ANSWER, &[1000.0, 1000.0]);
        let energy = o.energy.unwrap_or_default();
        assert!((energy + 1000.0 + std::f32::consts::LN_2).abs() < 1e-3);
        assert!((o.probabilities[0] - 0.5).abs() < 1e-6);
        assert_eq!(o.class, 0);
    }

    #[test]
    fn predict_within_restricts_prediction_to_task() {
        let verdict = Answer::from_logits(Expert::ANSWER, &[9.0, 1.0, -200.0, -190.0]);
        assert_eq!(verdict.predictions[0].class, 0);
        assert_eq!(verdict.predict_within(&(2..4)), 3);
        assert_eq!(verdict.predict_within(&(0..2)), 0);
    }

    #[test]
    fn merge_repeated_classes_takes_highest_probability() {
        let verdict = Answer::from_logits(Expert::ANSWER, &[1.0, 0.0, 3.0]);
        let probabilities = verdict.predictions[0].probabilities.clone();
        let merged = verdict.clone().merge_repeated_classes(&[(2, 0), (7, 1)]);
        assert_eq!(merged.predictions[0].class, 0);
        assert_eq!(merged.predictions[0].probabilities, [probabilities[2], probabilities[1], 0.0]);
        assert_eq!(merged.scores, verdict.scores);
        assert_eq!(verdict.clone().merge_repeated_classes(&[]), verdict);
    }

    #[test]
    fn log_probabilities_match_softmax() {
        let logits = [2.0, -1.0, 0.5];
        let softmax = predict_class(Expert::ANSWER, &logits).probabilities;
        for (log, p) in log_probabilities(&logits).iter().zip(softmax) {
            assert!((log.exp() - p).abs() < 1e-6);
        }
    }
}
