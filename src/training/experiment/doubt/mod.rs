//! Doubtful training labels: each training image is predicted by a regression on features of the run's frozen backbone,
//! fitted to images that include neither it nor a copy of it.
//!
//! The run's own experts are not used, because they may have memorised an image with its wrong label.

mod folds;

use std::ops::ControlFlow;
use std::path::Path;

use super::predict::Predictor;
use super::prefetch::one_ahead;
use super::{ResourceCache, none_if_cancelled};
use crate::data::Sample;
use crate::data::loader::inputs_of;
use crate::data::transform::InputSpec;
use crate::method::answers::argmax;
use crate::method::ranpac::{TaskFeatures, cross_fitted};
use crate::metrics::{Answers, Expert};
use crate::problem::Result;
use crate::tensors::HostTensor;
use folds::Folds;

/// Maximum number of random projections before the regression.
const PROJECTIONS: usize = 1000;
/// Number of images that are processed together.
const PIECE: usize = 16;

/// Returns the features of images (network input, concatenated), one row after the other.
pub type Ask<'a> = dyn FnMut(Vec<u8>) -> Result<Vec<f32>> + 'a;
/// Receives the number of processed images and their total; stops by breaking.
pub type Step<'a> = dyn FnMut(usize, usize) -> ControlFlow<()> + 'a;

impl Predictor {
    /// Returns the features of images (network input, concatenated) from the frozen backbone only.
    ///
    /// # Errors
    /// Returns a Problem if the device failed.
    pub fn backbone_features(&self, seen: &[u8]) -> Result<Vec<f32>> {
        let features = self.plain_features(self.images(seen))?;
        Ok(HostTensor::read(&features)?.values)
    }
}

/// Predicts every training image of the run in `folder` up to `task` from the others, as [`Expert::ANSWER`], with
/// certainties; `None` if `step` or `go_on` stopped it. Only images of the run's own dataset are included, by their
/// indices in the training split; unreadable ones are skipped.
///
/// # Errors
/// Returns a Problem if the images have changed since the run learned them, are too few, or `ask` fails.
pub fn look(
    (folder, task): (&Path, usize),
    input: InputSpec,
    cache: &ResourceCache,
    ask: &mut Ask<'_>,
    step: &mut Step<'_>,
    go_on: &(dyn Fn() -> bool + Sync),
) -> Result<Option<Answers>> {
    let Some(mut folds) = none_if_cancelled(Folds::gather(folder, task, cache, go_on), go_on)?
    else {
        return Ok(None);
    };
    let of = folds.pictures.len();
    let ready = |start: usize| {
        let piece = &folds.pictures[start..(start + PIECE).min(of)];
        let samples: Vec<Sample> = piece.iter().map(|one| one.sample.clone()).collect();
        (start, inputs_of(&samples, input))
    };
    let (mut features, mut read) = (Vec::new(), Vec::with_capacity(of));
    let looked = one_ahead((0..of).step_by(PIECE), ready, |(start, inputs)| {
        let mut seen = Vec::with_capacity(inputs.len() * input.bytes());
        for (at, own) in (start..).zip(inputs) {
            if let Ok(own) = own {
                seen.extend(own);
                read.push(at);
            }
        }
        if !seen.is_empty() {
            features.extend(ask(seen)?);
        }
        Ok(step((start + PIECE).min(of), of))
    })?;
    if looked.is_break() {
        return Ok(None);
    }
    folds.retain(&read)?;
    none_if_cancelled(folds.answers(&features, go_on), go_on)
}

impl Folds {
    /// Returns the predictions in the order of the training split.
    fn answers(&self, features: &[f32], go_on: &dyn Fn() -> bool) -> Result<Answers> {
        let labels: Vec<usize> = self.pictures.iter().map(|one| one.label).collect();
        let images = TaskFeatures::new(features, &labels);
        let projections = PROJECTIONS.min(labels.len());
        let scores = cross_fitted(images, &self.ends, self.classes, projections, go_on)?;
        let scores: Vec<&[f64]> = scores.chunks_exact(self.classes.max(1)).collect();
        let sharpness = sharpness(&scores, &labels);
        let mut order: Vec<usize> = (0..self.pictures.len()).collect();
        order.sort_by_key(|at| self.pictures[*at].index);
        let mut answers = Answers::default();
        let (mut given, mut certain) = (Vec::new(), Vec::new());
        for at in order {
            let shares = shares(scores[at], sharpness);
            let best = argmax(&shares);
            answers.samples.push(self.pictures[at].index);
            answers.labels.push(labels[at]);
            given.push(best);
            // Relative to its label only: the scores of other classes support neither.
            certain.push(shares[best] / (shares[best] + shares[labels[at]]));
        }
        answers.given.insert(Expert::ANSWER, given);
        answers.certainty.insert(Expert::ANSWER, certain);
        Ok(answers)
    }
}

/// Returns the exponentials of scores times a factor, the softmax before normalisation.
fn powers(scores: &[f64], sharpness: f64) -> impl Iterator<Item = f64> {
    let most = scores.iter().copied().fold(f64::MIN, f64::max);
    scores.iter().map(move |s| ((s - most) * sharpness).exp())
}

/// Returns the softmax of scores times a factor.
fn shares(scores: &[f64], sharpness: f64) -> Vec<f32> {
    let sum: f64 = powers(scores, sharpness).sum();
    powers(scores, sharpness)
        .map(|power| (power / sum) as f32)
        .collect()
}

/// Returns the factor (inverse temperature) with which the softmax fits the labels best, because scores of a regression
/// are not logits.
fn sharpness(scores: &[&[f64]], labels: &[usize]) -> f64 {
    let loss = |sharpness: f64| -> f64 {
        let each = scores.iter().zip(labels).map(|(scores, label)| {
            let (mut sum, mut own) = (0.0, 0.0);
            for (class, power) in powers(scores, sharpness).enumerate() {
                sum += power;
                own += if class == *label { power } else { 0.0 };
            }
            -(own / sum).max(1e-9).ln()
        });
        each.sum()
    };
    let choices = (0..20).map(|step| 1.5f64.powi(step));
    let by_loss = choices.map(|choice| (loss(choice), choice));
    by_loss
        .min_by(|a, b| a.0.total_cmp(&b.0))
        .map_or(1.0, |(_, choice)| choice)
}

#[cfg(test)]
mod tests {
    use super::folds::FoldImage;
    use super::*;
    use crate::backbone::library;
    use crate::data::{Dataset, OpenOptions};
    use crate::experiment::upload;
    use crate::method::plain;
    use crate::metrics::Misclassification;
    use burn::tensor::Device;

    /// Returns the features of images from the embedded backbone.
    fn features_of(samples: &[Sample]) -> Vec<f32> {
        let opened = library::open("lae-nano", &Device::flex(), &mut |_| true).unwrap();
        let piece = |piece: &[Sample]| {
            let seen: Vec<Vec<u8>> = inputs_of(piece, opened.input)
                .into_iter()
                .collect::<Result<_>>()
                .unwrap();
            let images = upload::for_backbone(&seen.concat(), &opened);
            let features = plain(&*opened.backbone, images);
            HostTensor::read(&features.unwrap()).unwrap().values
        };
        samples.chunks(64).flat_map(piece).collect()
    }

    /// Checks that the most doubtful labels include planted wrong ones; the results are in docs/data.md.
    #[test]
    fn planted_wrong_labels_are_among_the_first_of_the_list() {
        let data = Dataset::open("letters", &OpenOptions::default()).unwrap();
        let classes = data.classes.len();
        let sets = data.sets_of_copies(&data.train);
        let planted = |index: usize| index % 100 == 37;
        let all = data.train.iter().zip(sets).enumerate();
        let all = all.map(|(index, (sample, set))| {
            let shift = usize::from(planted(index)) * (1 + index / 100 % (classes - 1));
            let label = (sample.class as usize + shift) % classes;
            (set, FoldImage::new(index, sample, label))
        });
        let mut folds = Folds::divided(all.collect(), classes);
        let everything: Vec<usize> = (0..folds.pictures.len()).collect();
        folds.retain(&everything).unwrap();
        let samples: Vec<Sample> = folds
            .pictures
            .iter()
            .map(|one| one.sample.clone())
            .collect();
        let answers = folds.answers(&features_of(&samples), &|| true).unwrap();
        assert_eq!(answers.samples, (0..2600).collect::<Vec<_>>());
        let mut list = answers.wrong(Expert::ANSWER, None);
        Misclassification::sort(&mut list);
        let found = |first: usize| {
            let first = list.iter().take(first);
            first
                .filter(|wrong| planted(answers.samples[wrong.at]))
                .count()
        };
        let figures = [26, 52, list.len()].map(found);
        assert!(
            figures[0] >= 18 && figures[1] >= 24 && figures[2] == 26,
            "{figures:?}"
        );
        assert!(list.len() < 260, "{}", list.len());
    }

    #[test]
    fn copies_are_in_one_fold_and_every_fold_has_its_share() {
        let data = Dataset::open("digits", &OpenOptions::default()).unwrap();
        let picture = |index: usize| FoldImage::new(index, &data.train[index], index % 3);
        // Every image occurs twice.
        let all = (0..120).map(|index| (index / 6, picture(index))).collect();
        let folds = Folds::divided(all, 3);
        assert_eq!(folds.ends.last(), Some(&120));
        let mut start = 0;
        let mut fold_of = vec![0; 120];
        for (fold, end) in folds.ends.iter().enumerate() {
            assert!((6..=18).contains(&(end - start)), "{:?}", folds.ends);
            for one in &folds.pictures[start..*end] {
                fold_of[one.index] = fold;
            }
            start = *end;
        }
        assert!(
            fold_of
                .chunks(6)
                .all(|set| set.iter().all(|fold| *fold == set[0]))
        );
        let alone = (0..40).map(|at| (at, FoldImage::new(at, &data.train[at], 0)));
        let alone = Folds::divided(alone.collect(), 1).enough().unwrap_err();
        assert!(alone.is("problem-single-class-learned"), "{alone}");
        let mut few = Folds::divided((0..5).map(|at| (at, picture(at))).collect(), 3);
        assert!(
            few.retain(&[0, 1, 2, 3, 4])
                .unwrap_err()
                .is("problem-too-few-images-for-folds")
        );
    }
}
