//! Doubtful training labels: each training image is predicted by a regression on features of the run's frozen backbone,
//! fitted to images that include neither it nor a copy of it.
//!
//! The run's own experts are not used, because they may have memorised an image with its wrong label.

mod folds;

use std::ops::ControlFlow;
use std::path::Path;

use super::predict::Predictor;
use super::prefetch::process_with_prefetch;
use super::{ResourceCache, none_if_cancelled};
use crate::data::Sample;
use crate::data::loader::inference_inputs;
use crate::data::transform::InputSpec;
use crate::method::answers::argmax;
use crate::method::ranpac::{TaskFeatures, cross_fit};
use crate::metrics::{Expert, Predictions};
use crate::problem::Result;
use crate::tensors::HostTensor;
use folds::Folds;

/// Maximum number of random projections before the regression.
const PROJECTIONS: usize = 1000;
/// Number of images that are processed together.
const BATCH_SIZE: usize = 16;

/// Returns the features of images (network input, concatenated), one row after the other.
pub type ComputeFeatures<'a> = dyn FnMut(Vec<u8>) -> Result<Vec<f32>> + 'a;
/// Receives the number of processed images and their total; stops by breaking.
pub type ReportProgress<'a> = dyn FnMut(usize, usize) -> ControlFlow<()> + 'a;

impl Predictor {
    /// Returns the features of images (network input, concatenated) from the frozen backbone only.
    ///
    /// # Errors
    /// Returns a Problem if the device failed.
    pub fn backbone_features(&self, images: &[u8]) -> Result<Vec<f32>> {
        let features = self.plain_features(self.images(images))?;
        Ok(HostTensor::read(&features)?.values)
    }
}

/// Predicts every training image of the run in `folder` up to `task` from the others, as [`Expert::ANSWER`], with
/// certainties; `None` if a callback stopped it. Only images of the run's own dataset are included, by their
/// indices in the training split; unreadable ones are skipped.
///
/// # Errors
/// Returns a Problem if the images have changed since the run learned them, are too few, or `compute_features` fails.
pub fn cross_validate(
    (folder, task): (&Path, usize),
    input: InputSpec,
    cache: &ResourceCache,
    compute_features: &mut ComputeFeatures<'_>,
    report_progress: &mut ReportProgress<'_>,
    should_continue: &(dyn Fn() -> bool + Sync),
) -> Result<Option<Predictions>> {
    let Some(mut folds) =
        none_if_cancelled(Folds::gather(folder, task, cache, should_continue), should_continue)?
    else {
        return Ok(None);
    };
    let total = folds.images.len();
    let load_batch = |start: usize| {
        let batch = &folds.images[start..(start + BATCH_SIZE).min(total)];
        let samples: Vec<Sample> = batch.iter().map(|image| image.sample.clone()).collect();
        (start, inference_inputs(&samples, input))
    };
    let (mut features, mut readable) = (Vec::new(), Vec::with_capacity(total));
    let flow =
        process_with_prefetch((0..total).step_by(BATCH_SIZE), load_batch, |(start, inputs)| {
            let mut batch_bytes = Vec::with_capacity(inputs.len() * input.bytes());
            for (at, image) in (start..).zip(inputs) {
                if let Ok(image_bytes) = image {
                    batch_bytes.extend(image_bytes);
                    readable.push(at);
                }
            }
            if !batch_bytes.is_empty() {
                features.extend(compute_features(batch_bytes)?);
            }
            Ok(report_progress((start + BATCH_SIZE).min(total), total))
        })?;
    if flow.is_break() {
        return Ok(None);
    }
    folds.retain(&readable)?;
    none_if_cancelled(folds.answers(&features, should_continue), should_continue)
}

impl Folds {
    /// Returns the predictions in the order of the training split.
    fn answers(&self, features: &[f32], should_continue: &dyn Fn() -> bool) -> Result<Predictions> {
        let labels: Vec<usize> = self.images.iter().map(|image| image.label).collect();
        let images = TaskFeatures::new(features, &labels);
        let projections = PROJECTIONS.min(labels.len());
        let scores = cross_fit(images, &self.ends, self.classes, projections, should_continue)?;
        let scores: Vec<&[f64]> = scores.chunks_exact(self.classes.max(1)).collect();
        let inverse_temperature = fit_inverse_temperature(&scores, &labels);
        let mut order: Vec<usize> = (0..self.images.len()).collect();
        order.sort_by_key(|at| self.images[*at].index);
        let mut answers = Predictions::default();
        let (mut predictions, mut certainties) = (Vec::new(), Vec::new());
        for at in order {
            let probabilities = softmax(scores[at], inverse_temperature);
            let best = argmax(&probabilities);
            answers.samples.push(self.images[at].index);
            answers.labels.push(labels[at]);
            predictions.push(best);
            // Relative to its label only: the scores of other classes support neither.
            certainties
                .push(probabilities[best] / (probabilities[best] + probabilities[labels[at]]));
        }
        answers.given.insert(Expert::ANSWER, predictions);
        answers.certainty.insert(Expert::ANSWER, certainties);
        Ok(answers)
    }
}

/// Returns the exponentials of scores times `inverse_temperature`, the softmax before normalisation.
fn scaled_exponentials(scores: &[f64], inverse_temperature: f64) -> impl Iterator<Item = f64> {
    let max = scores.iter().copied().fold(f64::MIN, f64::max);
    scores.iter().map(move |s| ((s - max) * inverse_temperature).exp())
}

/// Returns the softmax of scores times `inverse_temperature`.
fn softmax(scores: &[f64], inverse_temperature: f64) -> Vec<f32> {
    let sum: f64 = scaled_exponentials(scores, inverse_temperature).sum();
    scaled_exponentials(scores, inverse_temperature).map(|power| (power / sum) as f32).collect()
}

/// Returns the inverse temperature with which the softmax fits the labels best, because scores of a regression
/// are not logits.
fn fit_inverse_temperature(scores: &[&[f64]], labels: &[usize]) -> f64 {
    let loss = |inverse_temperature: f64| -> f64 {
        let losses = scores.iter().zip(labels).map(|(scores, label)| {
            let (mut sum, mut label_power) = (0.0, 0.0);
            for (class, power) in scaled_exponentials(scores, inverse_temperature).enumerate() {
                sum += power;
                label_power += if class == *label { power } else { 0.0 };
            }
            -(label_power / sum).max(1e-9).ln()
        });
        losses.sum()
    };
    let choices = (0..20).map(|step| 1.5f64.powi(step));
    let by_loss = choices.map(|choice| (loss(choice), choice));
    by_loss.min_by(|a, b| a.0.total_cmp(&b.0)).map_or(1.0, |(_, choice)| choice)
}

#[cfg(test)]
mod tests {
    use super::folds::FoldImage;
    use super::*;
    use crate::backbone::library;
    use crate::data::{Dataset, OpenOptions};
    use crate::experiment::upload;
    use crate::method::plain_features;
    use crate::metrics::Misclassification;
    use burn::tensor::Device;

    /// Returns the features of images from the embedded backbone.
    fn extract_features(samples: &[Sample]) -> Vec<f32> {
        let opened = library::open("lae-nano", &Device::flex(), &mut |_| true).unwrap();
        let extract_batch = |piece: &[Sample]| {
            let inputs: Vec<Vec<u8>> =
                inference_inputs(piece, opened.input).into_iter().collect::<Result<_>>().unwrap();
            let images = upload::normalise_for_backbone(&inputs.concat(), &opened);
            let features = plain_features(&*opened.backbone, images);
            HostTensor::read(&features.unwrap()).unwrap().values
        };
        samples.chunks(64).flat_map(extract_batch).collect()
    }

    /// Checks that the most doubtful labels include planted wrong ones; the results are in docs/data.md.
    #[test]
    fn planted_wrong_labels_rank_among_first() {
        let data = Dataset::open("letters", &OpenOptions::default()).unwrap();
        let classes = data.classes.len();
        let sets = data.copy_set_numbers(&data.train);
        let is_planted = |index: usize| index % 100 == 37;
        let all = data.train.iter().zip(sets).enumerate();
        let all = all.map(|(index, (sample, set))| {
            let shift = usize::from(is_planted(index)) * (1 + index / 100 % (classes - 1));
            let label = (sample.class as usize + shift) % classes;
            (set, FoldImage::new(index, sample, label))
        });
        let mut folds = Folds::new(all.collect(), classes);
        let all_indices: Vec<usize> = (0..folds.images.len()).collect();
        folds.retain(&all_indices).unwrap();
        let samples: Vec<Sample> = folds.images.iter().map(|image| image.sample.clone()).collect();
        let answers = folds.answers(&extract_features(&samples), &|| true).unwrap();
        assert_eq!(answers.samples, (0..2600).collect::<Vec<_>>());
        let mut list = answers.misclassified(Expert::ANSWER, None);
        Misclassification::sort_by_certainty(&mut list);
        let count_planted = |first: usize| {
            let first = list.iter().take(first);
            first.filter(|wrong| is_planted(answers.samples[wrong.index])).count()
        };
        let counts = [26, 52, list.len()].map(count_planted);
        assert!(counts[0] >= 18 && counts[1] >= 24 && counts[2] == 26, "{counts:?}");
        assert!(list.len() < 260, "{}", list.len());
    }

    #[test]
    fn copies_share_a_fold_and_folds_are_balanced() {
        let data = Dataset::open("digits", &OpenOptions::default()).unwrap();
        let fold_image = |index: usize| FoldImage::new(index, &data.train[index], index % 3);
        // Every image occurs twice.
        let all = (0..120).map(|index| (index / 6, fold_image(index))).collect();
        let folds = Folds::new(all, 3);
        assert_eq!(folds.ends.last(), Some(&120));
        let mut start = 0;
        let mut fold_of = vec![0; 120];
        for (fold, end) in folds.ends.iter().enumerate() {
            assert!((6..=18).contains(&(end - start)), "{:?}", folds.ends);
            for image in &folds.images[start..*end] {
                fold_of[image.index] = fold;
            }
            start = *end;
        }
        assert!(fold_of.chunks(6).all(|set| set.iter().all(|fold| *fold == set[0])));
        let single_class = (0..40).map(|at| (at, FoldImage::new(at, &data.train[at], 0)));
        let problem = Folds::new(single_class.collect(), 1).check_size().unwrap_err();
        assert!(problem.is("problem-single-class-learned"), "{problem}");
        let mut few = Folds::new((0..5).map(|at| (at, fold_image(at))).collect(), 3);
        assert!(few.retain(&[0, 1, 2, 3, 4]).unwrap_err().is("problem-too-few-images-for-folds"));
    }
}
