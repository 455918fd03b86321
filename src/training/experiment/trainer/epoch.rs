//! Trains a pass over a task's images: its batches, its losses, and its end.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::{Duration, Instant};

use burn::tensor::Tensor;

use super::super::augment_of;
use super::super::images::Labelled;
use super::super::unreadable_images::UnreadableImages;
use super::Trainer;
use crate::data::Sample;
use crate::data::loader::{self, ImageLoader, LoaderOptions, Next};
use crate::message;
use crate::method::{
    Batch, CancelToken, Method, Pass, PassImages, PassWork, StepSettings, epochs_of,
};
use crate::metrics::mean;
use crate::problem::{Problem, Result};
use crate::run::event::{Event, Phase, RunProgress};
use crate::tensors::{HostTensor, not_finite};

/// Maximum time to wait for a batch before commands are read again.
const PATIENCE: Duration = Duration::from_millis(100);

impl Trainer<'_> {
    /// Returns the training images of a pass.
    fn samples(&self, pass: &Pass) -> Result<Labelled> {
        let images_of = |task| self.kit.images.train_of(task);
        let images: Vec<_> = match pass.source {
            PassImages::Task => images_of(self.task),
            PassImages::Seen => (0..=self.task).flat_map(images_of).collect(),
            PassImages::WithExemplars { .. } => {
                let mut images = self.exemplars()?;
                images.extend(images_of(self.task));
                images
            }
        };
        let shown = std::iter::repeat_n(images, self.repeats(pass));
        Ok(Arc::new(shown.flatten().collect()))
    }

    /// Returns the exemplars of earlier tasks that the method keeps, in its order.
    fn exemplars(&self) -> Result<Vec<(Sample, i64)>> {
        let of_tasks: Vec<_> = (0..self.task)
            .map(|task| self.kit.images.train_of(task))
            .collect();
        let kept = self.method.exemplars();
        let found = kept
            .iter()
            .filter_map(|exemplar| of_tasks.get(exemplar.task)?.get(exemplar.image));
        let found: Vec<_> = found.cloned().collect();
        if found.len() == kept.len() {
            return Ok(found);
        }
        let what = message!(
            "problem-kept-images-missing",
            kept = message!("count-training-images", n = kept.len()),
            found = (kept.len() - found.len()).to_string()
        );
        Err(Problem::new(what).advise(message!("advice-restore-dataset")))
    }

    /// Returns the number of passes of the task that learn by gradients.
    fn epochs(&self) -> usize {
        let passes = self.passes[self.task].iter();
        passes.filter(|pass| pass.learns()).count()
    }

    /// Returns the number of epochs of the tasks before this one, so that no two epochs of a run are augmented alike.
    fn first_epoch(&self) -> usize {
        let before = 0..self.task;
        before.map(|task| epochs_of(&self.header, task)).sum()
    }

    pub(super) fn pass(&mut self, index: usize) -> Result<ControlFlow<()>> {
        let (pass, phase) = (self.passes[self.task][index], self.phase(index));
        self.report_phase(phase.clone());
        let samples = self.samples(&pass)?;
        let batch_size = self.kit.config.batch;
        let images = pass.shown(samples.len(), batch_size);
        let steps = images.div_ceil(batch_size);
        let (mut losses, mut all) = (Vec::new(), Vec::new());
        let mut loader = self.train_loader(&samples, index, &pass)?;
        let mut reading = UnreadableImages::new(images);
        let mut shown = 0;
        loop {
            let batch = match self.next_batch(&mut loader, &phase, &mut reading)? {
                ControlFlow::Continue(Some(batch)) => batch,
                ControlFlow::Continue(None) => break,
                ControlFlow::Break(()) => return Ok(ControlFlow::Break(())),
            };
            self.meter.begin();
            shown += batch.labels.len();
            let labels: Vec<usize> = batch.labels.iter().map(|l| *l as usize).collect();
            let given = Batch {
                images: self.images(&batch),
                labels: &labels,
                samples: &batch.indices,
                pass: index,
                epochs: self.epochs(),
                step: loader.position() - 1,
                steps,
            };
            losses.extend(self.learn(&given, &pass)?);
            // Reading a loss waits for the device, so it is done only when a report is due.
            let due = self.meter.due() || loader.position() == steps;
            if due {
                let values = read_losses(std::mem::take(&mut losses))?;
                all.extend(values.iter().copied().map(f64::from));
                self.meter.losses(values);
            }
            self.meter.trained(&pass, labels.len());
            if due {
                self.progress(index, (loader.position() - 1, steps), pass.frozen())?;
            }
        }
        reading.ended(shown)?;
        let values = read_losses(losses)?;
        all.extend(values.iter().copied().map(f64::from));
        self.meter.losses(values);
        self.losses.extend(mean(&all));
        Ok(ControlFlow::Continue(()))
    }

    /// Lets the method finish a pass.
    pub(super) fn end_pass(&mut self, index: usize) -> Result<ControlFlow<()>> {
        self.end(index, |method, go_on| method.end_pass(index, go_on))
    }

    /// Lets the method finish the task, after its last pass.
    pub(super) fn end_task(&mut self) -> Result<ControlFlow<()>> {
        let last = self.passes[self.task].len().saturating_sub(1);
        self.end(last, |method, go_on| method.end_task(go_on))
    }

    /// Lets the method finish a pass or the task. Meanwhile executes short jobs, reports progress and reads commands.
    fn end(
        &mut self,
        index: usize,
        end: impl FnOnce(&mut dyn Method, &mut CancelToken<'_>) -> Result<()>,
    ) -> Result<ControlFlow<()>> {
        let (phase, run, task) = (self.phase(index), &self.header.run, self.task);
        let (sink, meter, at_gate) = (&mut *self.sink, &mut self.meter, &mut self.at_gate);
        let mut stopped = false;
        let mut wanted = |batch, batches| {
            let arrived = Instant::now();
            stopped |= !self.control.gate(run, sink, &phase);
            *at_gate += arrived.elapsed();
            if meter.due() {
                let place = RunProgress {
                    task,
                    epoch: index,
                    batch,
                    batches,
                    ..RunProgress::default()
                };
                let (run, progress) = (run.clone(), meter.progress(place));
                sink.event(Event::Progress { run, progress });
            }
            !stopped
        };
        let ended = end(
            &mut *self.method,
            &mut CancelToken::with_callback(&mut wanted),
        );
        if stopped {
            return Ok(ControlFlow::Break(()));
        }
        ended.map(ControlFlow::Continue)
    }

    /// Passes a batch to the method. A batch that is only measured is split into micro-batches here; a method that
    /// learns splits it itself.
    fn learn(&mut self, batch: &Batch<'_>, pass: &Pass) -> Result<Option<Tensor<1>>> {
        if pass.work != PassWork::Measure {
            return self.method.learn_together(batch, pass);
        }
        for part in StepSettings::of(&self.kit.config).parts(batch) {
            self.method.learn_together(&part.batch, pass)?;
        }
        Ok(None)
    }

    /// Returns the next batch that contains an image; `None` at the end. While it waits, executes short jobs and
    /// reads commands.
    pub(super) fn next_batch(
        &mut self,
        loader: &mut ImageLoader,
        phase: &Phase,
        reading: &mut UnreadableImages,
    ) -> Result<ControlFlow<(), Option<loader::ImageBatch>>> {
        loop {
            let next = loader.next_within(PATIENCE);
            if matches!(next, Next::End) {
                return Ok(ControlFlow::Continue(None));
            }
            let arrived = Instant::now();
            let go_on = self.control.gate(&self.header.run, self.sink, phase);
            self.at_gate += arrived.elapsed();
            if !go_on {
                return Ok(ControlFlow::Break(()));
            }
            if let Next::Batch(batch) = next {
                self.report_unreadable(&batch.unreadable);
                reading.lost(&batch.unreadable)?;
                if !batch.is_empty() {
                    return Ok(ControlFlow::Continue(Some(batch)));
                }
            }
        }
    }

    fn train_loader(&self, samples: &Labelled, index: usize, pass: &Pass) -> Result<ImageLoader> {
        let config = &self.kit.config;
        ImageLoader::new(
            samples.clone(),
            LoaderOptions {
                augment: pass.augment.then(|| augment_of(config)),
                drop_last: pass.drop_last
                    && pass.shown(samples.len(), config.batch) >= config.batch,
                shuffle: pass.shuffle,
                most: pass.most,
                seed: config.seed,
                epoch: (self.first_epoch() + index) as u64,
                cache: Some(self.kit.pixels.clone()),
                ..LoaderOptions::inference(self.kit.backbone.input, config.batch)
            },
        )
    }
}

/// Reads the collected losses in one transfer.
fn read_losses(losses: Vec<Tensor<1>>) -> Result<Vec<f32>> {
    if losses.is_empty() {
        return Ok(Vec::new());
    }
    let values = HostTensor::read(&Tensor::cat(losses, 0))?.values;
    if values.iter().all(|value| value.is_finite()) {
        return Ok(values);
    }
    Err(not_finite("the loss"))
}
