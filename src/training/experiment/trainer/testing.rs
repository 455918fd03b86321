//! Tests a run: after every task the method predicts each test image so far, and may also study it.

use std::ops::{ControlFlow, Range};

use burn::tensor::Tensor;

use super::{TrainContext, Trainer};
use crate::data::loader::{ImageBatch, ImageLoader, LoaderOptions};
use crate::experiment::footprint::test_batch_size;
use crate::experiment::meter::Meter;
use crate::experiment::unreadable_images::UnreadableImages;
use crate::method::Answer;
use crate::metrics::{ByExpert, Predictions};
use crate::problem::Result;
use crate::run::event::{ACCURACY_ON_ORIGINAL_LABELS, Phase};
use crate::run::rejection;

impl Trainer<'_> {
    /// Predicts every test image of the tasks seen so far; `None` if the user stopped it. Adds to the task's
    /// measurements the out-of-distribution thresholds of the experts, and the accuracy with the original labels if
    /// labels were corrected.
    pub(super) fn evaluate(&mut self) -> Result<Option<Predictions>> {
        let phase = Phase::Evaluating { task: self.task };
        self.report_phase(phase.clone());
        let (indices, samples) = self.context.images.test_samples_up_to(self.task);
        let is_empty = samples.is_empty();
        let mut answers = Predictions::default();
        let study = self.method.study_cost(self.task);
        let mut strangeness: ByExpert<Vec<rejection::KnownImage>> = ByExpert::default();
        let mut unreadable = UnreadableImages::new(samples.len());
        let TrainContext { config, backbone, pixels, .. } = &self.context;
        let batch_size = test_batch_size(config, backbone.input.size, backbone.is_on_gpu());
        let options = LoaderOptions {
            cache: Some(pixels.clone()),
            ..LoaderOptions::inference(backbone.input, batch_size)
        };
        let mut loader = ImageLoader::new(samples, options)?;
        let mut next = self.next_test_batch(&mut loader, &phase, &mut unreadable)?;
        loop {
            let (batch, images) = match next {
                ControlFlow::Continue(Some(test_batch)) => test_batch,
                ControlFlow::Continue(None) => break,
                ControlFlow::Break(()) => return Ok(None),
            };
            self.meter.start();
            let features = self.method.features_in_pool(images.clone())?;
            self.meter.add_tested(0);
            // Sent while a GPU computes the features, because reading the answers waits for the GPU.
            next = self.next_test_batch(&mut loader, &phase, &mut unreadable)?;
            self.meter.start();
            let verdicts = self.method.classify_in_pool(&images, &features)?;
            for (row, verdict) in verdicts.into_iter().enumerate() {
                let (source, index) = indices[batch.indices[row]];
                answers.samples.push(index);
                answers.sources.push(source);
                let verdict =
                    verdict.ensure_finite()?.merge_repeated_classes(&self.repeated_classes);
                for prediction in &verdict.predictions {
                    let values = strangeness.or_default(prediction.expert);
                    values.push(((source, index), prediction.strangeness()));
                }
                let layout = (&*self.header.tasks, &*self.task_by_class, &*self.repeated_classes);
                add_prediction(&mut answers, batch.labels[row] as usize, &verdict, layout);
            }
            self.meter.add_tested(batch.labels.len());
            if study > 0.0 {
                self.meter.start();
                self.method.study(images, &batch.labels)?;
                let work = Meter::test_work(batch.labels.len());
                self.meter.add_study(work * study);
            }
            if self.meter.is_report_due() {
                let last = self.passes[self.task].len().saturating_sub(1);
                self.report_progress(last, (0, 0), false)?;
            }
        }
        if !is_empty {
            unreadable.check_any_read(answers.labels.len())?;
        }
        for (expert, values) in strangeness {
            self.measurements.extend(rejection::measurements_of(expert, &values));
        }
        let original_accuracy = self.context.images.accuracy_on_original_labels(
            self.task,
            &answers,
            self.header.answering_expert(),
        );
        self.measurements.extend(
            original_accuracy.map(|share| (ACCURACY_ON_ORIGINAL_LABELS.to_string(), share)),
        );
        if self.header.added_tasks.is_empty() {
            // All images are in the run's own dataset, so the sources are not needed.
            answers.sources.clear();
        }
        Ok(Some(answers))
    }

    /// Returns the next batch as [`Trainer::next_batch`] does, with its images on the device.
    fn next_test_batch(
        &mut self,
        loader: &mut ImageLoader,
        phase: &Phase,
        unreadable: &mut UnreadableImages,
    ) -> Result<ControlFlow<(), Option<TestBatch>>> {
        let next = self.next_batch(loader, phase, unreadable)?;
        Ok(next.map_continue(|batch| {
            batch.map(|batch| {
                self.meter.start();
                let images = self.images(&batch);
                self.meter.add_tested(0);
                (batch, images)
            })
        }))
    }
}

/// Test images and the tensor of their normalised pixels.
type TestBatch = (ImageBatch, Tensor<4>);

/// What a prediction is compared with: the tasks of a run so far, the task of each class, and pairs of a class taught
/// again and the position that it counts for.
pub(in crate::experiment) type ClassLayout<'a> =
    (&'a [Range<usize>], &'a [Option<usize>], &'a [(usize, usize)]);

/// Adds the experts' predictions for a test image of class `label`.
pub(in crate::experiment) fn add_prediction(
    answers: &mut Predictions,
    label: usize,
    verdict: &Answer,
    (tasks, task_of, repeated): ClassLayout<'_>,
) {
    answers.labels.push(label);
    let found = repeated.iter().find(|(repeated_label, _)| *repeated_label == label);
    let class = found.map_or(label, |(_, original)| *original);
    for prediction in &verdict.predictions {
        let certainty = answers.certainty.or_default(prediction.expert);
        certainty.push(prediction.best().1.clamp(0.0, 1.0));
        let predictions = answers.given.or_default(prediction.expert);
        // A prediction of the right class counts as the label, whichever of its positions that is.
        predictions.push(if prediction.class == class { label } else { prediction.class });
    }
    let label_task = task_of.get(label).copied().flatten();
    answers.task_given.push(label_task.map_or(label, |task| verdict.predict_within(&tasks[task])));
}
