//! Checks whether the backbone can distinguish the classes: after a run with poor accuracy, a nearest-class-mean
//! classifier on the features of the frozen backbone is evaluated on a few images.

use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::sync::Arc;

use burn::tensor::Tensor;

use super::Trainer;
use crate::data::Sample;
use crate::data::loader::{ImageLoader, LoaderOptions};
use crate::experiment::images::{Labelled, sample_evenly};
use crate::experiment::unreadable_images::UnreadableImages;
use crate::method::answers::{argmax, read_rows};
use crate::method::plain_features;
use crate::method::prototypes::{FeatureSums, Prototypes};
use crate::metrics::Predictions;
use crate::problem::Result;
use crate::run::event::{NEAREST_MEAN, Phase};

/// The backbone is checked only for runs with a lower accuracy than this.
const POOR_ACCURACY: f64 = 0.7;
/// Maximum number of training images for the class means.
const MAX_TRAIN_IMAGES: usize = 400;
/// Maximum number of classes, so that the mean of each class is computed from several training images.
const MAX_CLASSES: usize = MAX_TRAIN_IMAGES / 4;
/// Maximum number of test images.
const MAX_TEST_IMAGES: usize = 300;
/// Minimum number of test images; fewer say nothing about a backbone.
const MIN_TEST_IMAGES: usize = 40;
/// Images per forward pass.
const BATCH_SIZE: usize = 24;

impl Trainer<'_> {
    /// Evaluates the backbone alone after the last task, if the run's accuracy is poor.
    pub(super) fn probe_backbone(&mut self, answers: &Predictions) -> Result<ControlFlow<()>> {
        let accuracy = answers.accuracy(self.header.answering_expert());
        let is_needed = !self.added_task
            && self.task + 1 == self.header.tasks.len()
            && answers.labels.len() >= MIN_TEST_IMAGES
            && accuracy < POOR_ACCURACY;
        if !is_needed {
            return Ok(ControlFlow::Continue(()));
        }
        let train = (0..=self.task).flat_map(|task| self.context.images.training_samples(task));
        let mut train: Vec<(Sample, i64)> = train.collect();
        let classes = select_classes(train.iter().map(|(_, label)| *label), MAX_CLASSES);
        train.retain(|(_, label)| classes.contains(label));
        let (_, tests) = self.context.images.test_samples_up_to(self.task);
        // An image of a class without a mean would always count as wrong.
        let tests = tests.iter().filter(|(_, label)| classes.contains(label));
        let tests: Vec<(Sample, i64)> = tests.cloned().collect();
        if tests.len() < MIN_TEST_IMAGES {
            return Ok(ControlFlow::Continue(()));
        }
        let train = self.select_samples(&train, MAX_TRAIN_IMAGES);
        let tests = self.select_samples(&tests, MAX_TEST_IMAGES);
        let mut sums = FeatureSums::default();
        if self
            .visit_plain_features(train, |features, labels| sums.add(&features, labels))?
            .is_break()
        {
            return Ok(ControlFlow::Break(()));
        }
        let nearest = NearestMeanClassifier::new(sums);
        let (mut correct, mut total) = (0, 0);
        let count = |features, labels: &[usize]| {
            total += labels.len();
            correct += nearest.count_correct(features, labels)?;
            Ok(())
        };
        if self.visit_plain_features(tests, count)?.is_break() {
            return Ok(ControlFlow::Break(()));
        }
        let share = correct as f64 / total.max(1) as f64;
        self.measurements.insert(NEAREST_MEAN.into(), share);
        Ok(ControlFlow::Continue(()))
    }

    fn select_samples(&self, samples: &[(Sample, i64)], max: usize) -> Labelled {
        let labels: Vec<usize> = samples.iter().map(|(_, label)| *label as usize).collect();
        let chosen = sample_evenly(&labels, self.header.class_order.len(), max);
        Arc::new(chosen.into_iter().map(|at| samples[at].clone()).collect())
    }

    /// Calls `visit` with the features of these images from the frozen backbone, a batch at a time: features (batch ×
    /// width) and the class of each image.
    fn visit_plain_features(
        &mut self,
        samples: Labelled,
        mut visit: impl FnMut(Tensor<2>, &[usize]) -> Result<()>,
    ) -> Result<ControlFlow<()>> {
        let phase = Phase::Evaluating { task: self.task };
        let mut unreadable = UnreadableImages::new(samples.len());
        let options = LoaderOptions {
            cache: Some(self.context.pixels.clone()),
            ..LoaderOptions::inference(self.context.backbone.input, BATCH_SIZE)
        };
        let mut loader = ImageLoader::new(samples, options)?;
        loop {
            let batch = match self.next_batch(&mut loader, &phase, &mut unreadable)? {
                ControlFlow::Continue(Some(batch)) => batch,
                ControlFlow::Continue(None) => return Ok(ControlFlow::Continue(())),
                ControlFlow::Break(()) => return Ok(ControlFlow::Break(())),
            };
            let features = plain_features(&*self.context.backbone.backbone, self.images(&batch))?;
            let labels: Vec<usize> = batch.labels.iter().map(|label| *label as usize).collect();
            visit(features, &labels)?;
        }
    }
}

/// Returns at most `max` of the classes of these images, evenly spaced.
fn select_classes(labels: impl Iterator<Item = i64>, max: usize) -> BTreeSet<i64> {
    let classes: BTreeSet<i64> = labels.collect();
    let classes: Vec<i64> = classes.into_iter().collect();
    let count = classes.len().min(max);
    (0..count).map(|index| classes[index * classes.len() / count]).collect()
}

/// A nearest-class-mean classifier, as in SimpleCIL.
struct NearestMeanClassifier(Prototypes);

impl NearestMeanClassifier {
    fn new(mut sums: FeatureSums) -> Self {
        let mut prototypes = Prototypes::default();
        prototypes.extend(sums.take_means());
        Self(prototypes)
    }

    /// Returns the number of correctly classified rows.
    fn count_correct(&self, features: Tensor<2>, labels: &[usize]) -> Result<usize> {
        let scores = read_rows(&self.0.scores(features)?)?;
        let predictions = scores.iter().map(|row| argmax(row));
        Ok(predictions.zip(labels).filter(|(prediction, label)| prediction == *label).count())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use burn::tensor::Device;

    #[test]
    fn classes_are_evenly_spaced_only_if_there_are_too_many() {
        let all = select_classes([2, 0, 1, 0].into_iter(), 3);
        assert_eq!(all.into_iter().collect::<Vec<_>>(), [0, 1, 2]);
        let some = select_classes(0..1000, MAX_CLASSES);
        assert_eq!(some.len(), MAX_CLASSES);
        assert!(some.iter().all(|class| class % 10 == 0));
        assert!(select_classes(std::iter::empty(), 3).is_empty());
    }

    #[test]
    fn nearest_mean_compares_directions_and_skips_empty_classes() {
        let device = Device::flex();
        let mut sums = FeatureSums::default();
        let features = Tensor::<2>::from_data([[9.0, 0.0], [1.0, 0.1], [0.0, 1.0f32]], &device);
        sums.add(&features, &[0, 0, 2]).unwrap();
        let nearest = NearestMeanClassifier::new(sums);
        let queries = [[0.2, 0.1], [1.0, 9.0], [1.0, 0.0], [-1.0, -1.0f32]];
        let queries = Tensor::<2>::from_data(queries, &device);
        assert_eq!(nearest.count_correct(queries, &[0, 2, 2, 1]).unwrap(), 2);
        let empty = NearestMeanClassifier::new(FeatureSums::default());
        assert!(empty.count_correct(features, &[0, 0, 2]).is_err());
    }
}
