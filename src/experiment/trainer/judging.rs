//! Whether the backbone can tell the classes apart at all: after a run that answers poorly, a nearest
//! class mean on the features of the frozen backbone alone is tried on a few pictures.

use std::ops::ControlFlow;
use std::sync::Arc;

use super::super::images::Labelled;
use super::super::inside::evenly;
use super::super::reading::Reading;
use super::Trainer;
use crate::data::Sample;
use crate::data::loader::{Loader, LoaderOptions};
use crate::metrics::Answers;
use crate::pet::PetStack;
use crate::problem::Result;
use crate::run::event::{NEAREST_MEAN, Phase};
use crate::tensors::HostTensor;

/// A run that answers more than this share rightly needs no other backbone.
const POOR: f64 = 0.7;
/// Training pictures that the class means are made of, at most.
const KNOWN: usize = 400;
/// Test pictures that are answered by them, at most.
const ASKED: usize = 300;
/// Fewer test pictures say nothing about a backbone.
const FEWEST: usize = 40;
/// Images that go through the network at once.
const BATCH: usize = 24;

/// Features with the class of each.
type Features = Vec<(Vec<f32>, usize)>;

impl Trainer<'_> {
    /// Tries the backbone alone after the last task, if the run answers poorly.
    pub(super) fn judge_backbone(&mut self, answers: &Answers) -> Result<ControlFlow<()>> {
        let accuracy = answers.accuracy(self.header.answering());
        let wanted = !self.lesson
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
        let Some(known) = self.plain_features(train)? else {
            return Ok(ControlFlow::Break(()));
        };
        let Some(asked) = self.plain_features(tests)? else {
            return Ok(ControlFlow::Break(()));
        };
        let share = by_nearest_mean(&known, &asked, self.header.class_order.len());
        self.gauges.insert(NEAREST_MEAN.into(), share);
        Ok(ControlFlow::Continue(()))
    }

    fn a_few(&self, samples: &[(Sample, i64)], most: usize) -> Labelled {
        let labels: Vec<usize> = samples.iter().map(|(_, label)| *label as usize).collect();
        let chosen = evenly(&labels, self.header.class_order.len(), most);
        Arc::new(chosen.into_iter().map(|at| samples[at].clone()).collect())
    }

    /// What the frozen backbone says of these pictures; none when the person stopped it.
    fn plain_features(&mut self, samples: Labelled) -> Result<Option<Features>> {
        let phase = Phase::Evaluating { task: self.task };
        let mut reading = Reading::of(samples.len());
        let options = LoaderOptions {
            cache: Some(self.kit.pixels.clone()),
            ..LoaderOptions::inference(self.kit.backbone.input, BATCH)
        };
        let mut loader = Loader::new(samples, options)?;
        let mut features = Features::new();
        loop {
            let batch = match self.bring(&mut loader, &phase, &mut reading)? {
                ControlFlow::Continue(Some(batch)) => batch,
                ControlFlow::Continue(None) => return Ok(Some(features)),
                ControlFlow::Break(()) => return Ok(None),
            };
            let network = &self.kit.backbone.backbone;
            let found = network.features(self.images(&batch), &PetStack::empty())?;
            let HostTensor { shape, values } = HostTensor::read(&found)?;
            let width = shape.last().copied().unwrap_or_default().max(1);
            let rows = values.chunks_exact(width).map(<[f32]>::to_vec);
            let labels = batch.labels.iter().map(|label| *label as usize);
            features.extend(rows.zip(labels));
        }
    }
}

/// Share of the asked pictures whose class mean is the nearest one, by cosine.
fn by_nearest_mean(
    known: &[(Vec<f32>, usize)],
    asked: &[(Vec<f32>, usize)],
    classes: usize,
) -> f64 {
    let width = known.first().map_or(0, |(row, _)| row.len());
    let mut means = vec![vec![0f64; width]; classes];
    for (row, class) in known {
        let length = length(row.iter().map(|v| f64::from(*v)));
        if let Some(mean) = means.get_mut(*class) {
            for (sum, value) in mean.iter_mut().zip(row) {
                *sum += f64::from(*value) / length;
            }
        }
    }
    for mean in &mut means {
        let length = length(mean.iter().copied());
        mean.iter_mut().for_each(|value| *value /= length);
    }
    let nearest = |row: &[f32]| {
        let cosine = |mean: &Vec<f64>| -> f64 {
            let pairs = mean.iter().zip(row);
            pairs.map(|(m, v)| m * f64::from(*v)).sum()
        };
        let mut best = (0, f64::NEG_INFINITY);
        for (class, mean) in means.iter().enumerate() {
            let now = cosine(mean);
            if now > best.1 && mean.iter().any(|value| *value != 0.0) {
                best = (class, now);
            }
        }
        best.0
    };
    let right = asked.iter().filter(|(row, class)| nearest(row) == *class);
    right.count() as f64 / asked.len().max(1) as f64
}

/// The length of a vector, never 0.
fn length(values: impl Iterator<Item = f64>) -> f64 {
    let squares: f64 = values.map(|v| v * v).sum();
    squares.sqrt().max(f64::MIN_POSITIVE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_mean_is_that_of_the_direction_and_empty_classes_answer_nothing() {
        let known = vec![
            (vec![9.0, 0.0], 0),
            (vec![1.0, 0.1], 0),
            (vec![0.0, 1.0], 2),
        ];
        let asked = vec![
            (vec![0.2, 0.1], 0),
            (vec![1.0, 9.0], 2),
            (vec![1.0, 0.0], 2),
            (vec![-1.0, -1.0], 1),
        ];
        assert_eq!(by_nearest_mean(&known, &asked, 3), 0.5);
        assert_eq!(by_nearest_mean(&[], &asked, 3), 0.25);
    }
}
