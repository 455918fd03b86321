//! Checks whether the backbone can distinguish the classes: after a run with poor accuracy, a nearest-class-mean
//! classifier on the features of the frozen backbone is evaluated on a few images.

use std::ops::ControlFlow;
use std::sync::Arc;

use burn::tensor::Tensor;

use super::super::images::Labelled;
use super::super::images::evenly;
use super::super::unreadable_images::UnreadableImages;
use super::Trainer;
use crate::data::Sample;
use crate::data::loader::{ImageLoader, LoaderOptions};
use crate::method::answers::{argmax, rows};
use crate::method::plain;
use crate::method::prototypes::{Prototypes, Sums};
use crate::metrics::Answers;
use crate::problem::Result;
use crate::run::event::{NEAREST_MEAN, Phase};

/// The backbone is checked only for runs with a lower accuracy than this.
const POOR: f64 = 0.7;
/// Maximum number of training images for the class means.
const KNOWN: usize = 400;
/// Maximum number of test images.
const ASKED: usize = 300;
/// Minimum number of test images; fewer say nothing about a backbone.
const FEWEST: usize = 40;
/// Images per forward pass.
const BATCH: usize = 24;

impl Trainer<'_> {
    /// Evaluates the backbone alone after the last task, if the run's accuracy is poor.
    pub(super) fn probe_backbone(&mut self, answers: &Answers) -> Result<ControlFlow<()>> {
        let accuracy = answers.accuracy(self.header.answering());
        let wanted = !self.added_task
            && self.task + 1 == self.header.tasks.len()
            && answers.labels.len() >= FEWEST
            && accuracy < POOR;
        if !wanted {
            return Ok(ControlFlow::Continue(()));
        }
        let train = (0..=self.task).flat_map(|task| self.kit.images.train_of(task));
        let train = self.a_few(&train.collect::<Vec<_>>(), KNOWN);
        let (_, tests) = self.kit.images.tests_up_to(self.task);
        let tests = self.a_few(&tests, ASKED);
        let mut sums = Sums::default();
        if self
            .plain_features(train, |features, labels| sums.add(&features, labels))?
            .is_break()
        {
            return Ok(ControlFlow::Break(()));
        }
        let nearest = Nearest::new(sums);
        let (mut right, mut asked) = (0, 0);
        let count = |features, labels: &[usize]| {
            asked += labels.len();
            right += nearest.right(features, labels)?;
            Ok(())
        };
        if self.plain_features(tests, count)?.is_break() {
            return Ok(ControlFlow::Break(()));
        }
        let share = right as f64 / asked.max(1) as f64;
        self.measurements.insert(NEAREST_MEAN.into(), share);
        Ok(ControlFlow::Continue(()))
    }

    fn a_few(&self, samples: &[(Sample, i64)], most: usize) -> Labelled {
        let labels: Vec<usize> = samples.iter().map(|(_, label)| *label as usize).collect();
        let chosen = evenly(&labels, self.header.class_order.len(), most);
        Arc::new(chosen.into_iter().map(|at| samples[at].clone()).collect())
    }

    /// Calls `take` with the features of these images from the frozen backbone, a batch at a time: features (batch ×
    /// width) and the class of each image.
    fn plain_features(
        &mut self,
        samples: Labelled,
        mut take: impl FnMut(Tensor<2>, &[usize]) -> Result<()>,
    ) -> Result<ControlFlow<()>> {
        let phase = Phase::Evaluating { task: self.task };
        let mut reading = UnreadableImages::new(samples.len());
        let options = LoaderOptions {
            cache: Some(self.kit.pixels.clone()),
            ..LoaderOptions::inference(self.kit.backbone.input, BATCH)
        };
        let mut loader = ImageLoader::new(samples, options)?;
        loop {
            let batch = match self.next_batch(&mut loader, &phase, &mut reading)? {
                ControlFlow::Continue(Some(batch)) => batch,
                ControlFlow::Continue(None) => return Ok(ControlFlow::Continue(())),
                ControlFlow::Break(()) => return Ok(ControlFlow::Break(())),
            };
            let features = plain(&*self.kit.backbone.backbone, self.images(&batch))?;
            let labels: Vec<usize> = batch.labels.iter().map(|label| *label as usize).collect();
            take(features, &labels)?;
        }
    }
}

/// A nearest-class-mean classifier, as in SimpleCIL.
struct Nearest(Prototypes);

impl Nearest {
    fn new(mut sums: Sums) -> Self {
        let mut prototypes = Prototypes::default();
        prototypes.extend(sums.take_means());
        Self(prototypes)
    }

    /// Returns the number of correctly classified rows.
    fn right(&self, features: Tensor<2>, labels: &[usize]) -> Result<usize> {
        let scores = rows(&self.0.scores(features)?)?;
        let given = scores.iter().map(|row| argmax(row));
        Ok(given
            .zip(labels)
            .filter(|(given, label)| given == *label)
            .count())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use burn::tensor::Device;

    #[test]
    fn the_nearest_mean_is_that_of_the_direction_and_classes_without_pictures_answer_nothing() {
        let device = Device::flex();
        let mut sums = Sums::default();
        let known = Tensor::<2>::from_data([[9.0, 0.0], [1.0, 0.1], [0.0, 1.0f32]], &device);
        sums.add(&known, &[0, 0, 2]).unwrap();
        let nearest = Nearest::new(sums);
        let asked = [[0.2, 0.1], [1.0, 9.0], [1.0, 0.0], [-1.0, -1.0f32]];
        let asked = Tensor::<2>::from_data(asked, &device);
        assert_eq!(nearest.right(asked, &[0, 2, 2, 1]).unwrap(), 2);
        let nobody = Nearest::new(Sums::default());
        assert!(nobody.right(known, &[0, 0, 2]).is_err());
    }
}
